/** Literals of SQL: a value of a type, and the operand of a comparison with a value of a type. */
import type { Prng } from '../../src/base/index.js';
import { lower } from '../support/model.js';
import {
  BOOLEAN,
  DATE,
  DATETIME,
  decimal,
  duckType,
  float,
  forms,
  integer,
  type Kind,
  type Piece,
  type PieceType,
  piece,
  quoted,
  same,
  TEXT,
  unitsText,
} from '../support/sql/sql-piece.js';
import { DAYS, WORDS } from '../support/sql/sql-world.js';

const FLOATS = ['1.5e0', '0e0', '-2.25e1', '1e3', '1e-3', '7e0'];
const EDGES = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'];

const digitsOf = (text: string): number => text.replace(/[-.]/g, '').length;

/** An exact number as written; DuckDB and SQLite get it in the form of its type. */
function exact(text: string): Piece {
  const scale = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  const of = scale === 0 ? integer(digitsOf(text)) : decimal(scale, digitsOf(text));
  const lite = of.digits <= 19 ? `(${BigInt(text.replace('.', ''))})` : null;
  return piece(
    of,
    forms(text.startsWith('-') ? `(${text})` : text, `CAST('${text}' AS ${duckType(of)})`, lite),
  );
}

function text(prng: Prng): Piece {
  const word = prng.pick(WORDS);
  const lowered = lower(word);
  return piece({ ...TEXT, tame: word === lowered }, same(quoted(word)));
}

function dated(day: string): Piece {
  return piece(DATE, forms(`CAST('${day}' AS date)`, `DATE '${day}'`, `'${day}'`));
}

function timed(prng: Prng): Piece {
  const [day, time] = [prng.pick(DAYS), prng.pick(['00:00:00', '10:00:00', '23:59:59'])];
  const zoned = time === '10:00:00' ? [`${day}T13:00:00+03:00`, `${day} 08:30:00-01:30`] : [];
  const written = prng.pick([`${day}T${time}Z`, `${day} ${time}`, ...zoned]);
  return piece(
    DATETIME,
    forms(`CAST('${written}' AS datetime)`, `TIMESTAMP '${day} ${time}'`, `'${day}T${time}Z'`),
  );
}

function units(prng: Prng): bigint {
  return prng.chance(0.3) ? BigInt(prng.between(-2, 5)) : BigInt(prng.between(-500, 2_000));
}

/** A literal whose type is evident without context. */
export function someLiteral(prng: Prng, type: PieceType): Piece {
  switch (type) {
    case 'integer':
      return exact(String(prng.chance(0.5) ? prng.between(-3, 12) : prng.between(-50, 150)));
    case 'decimal':
      return exact(unitsText(units(prng), prng.pick([1, 2, 3])));
    case 'float': {
      const number = prng.pick(FLOATS);
      return piece(
        float(4),
        forms(number.startsWith('-') ? `(${number})` : number, `CAST('${number}' AS DOUBLE)`),
      );
    }
    case 'boolean':
      return piece(BOOLEAN, same(prng.pick(['TRUE', 'FALSE'])));
    case 'date':
      return dated(prng.pick(DAYS));
    case 'datetime':
      return timed(prng);
    default:
      return text(prng);
  }
}

/** A number with an exponent, and the equal number in the shortest digits of the nearest double. */
const WITH_EXPONENT = [
  ['9.007199254740993e15', '9007199254740992'],
  ['-9007199254740993e0', '-9007199254740992'],
  ['9.223372036854775807e18', '9223372036854776000'],
  ['1.5e0', '1.5'],
  ['5e-1', '0.5'],
  ['-2.25e1', '-22.5'],
  ['12.50E+1', '125'],
  ['0e5', '0'],
] as const;

/** A float is compared exactly with exact numbers. */
function withExponent(prng: Prng): Piece {
  const [written, number] = prng.pick(WITH_EXPONENT);
  const made = exact(number);
  const quarry = written.startsWith('-') ? `(${written})` : written;
  return { ...made, forms: { ...made.forms, quarry } };
}

/** An operand to compare with `of`: of its type or a compatible one, sometimes as a text. */
export function literal(prng: Prng, of: Kind): Piece {
  switch (of.type) {
    case 'integer':
    case 'decimal': {
      const plain = prng.chance(0.1)
        ? withExponent(prng)
        : of.digits > 15 && prng.chance(0.5)
          ? exact(of.scale === 0 ? prng.pick(EDGES) : unitsText(BigInt(prng.pick(EDGES)), of.scale))
          : prng.chance(0.7)
            ? exact(unitsText(units(prng), of.scale))
            : someLiteral(prng, prng.pick(['integer', 'decimal'] as const));
      const { quarry } = plain.forms;
      const inQuotes = prng.chance(0.15) ? quoted(quarry.replace(/[()]/g, '')) : quarry;
      return { ...plain, forms: { ...plain.forms, quarry: inQuotes } };
    }
    case 'date': {
      const day = prng.pick(DAYS);
      if (prng.chance(0.1)) {
        const instant = timed(prng);
        return { ...instant, forms: { ...instant.forms, lite: null } };
      }
      return prng.chance(0.6) ? piece(DATE, forms(quoted(day), `DATE '${day}'`, quoted(day))) : dated(day);
    }
    case 'datetime': {
      const made = timed(prng);
      const bare = /'[^']*'/.exec(made.forms.quarry) as RegExpExecArray;
      return prng.chance(0.6) ? { ...made, forms: { ...made.forms, quarry: bare[0] } } : made;
    }
    case 'text': {
      const word = prng.pick(WORDS);
      const lowered = quoted(lower(word));
      return piece(TEXT, forms(quoted(prng.chance(0.5) ? word : lower(word)), lowered, lowered));
    }
    default:
      return someLiteral(prng, of.type);
  }
}
