/** The functions and casts of generated SQL, each with its equivalent in DuckDB and, if there is one, in SQLite. */
import {
  BOOLEAN,
  DATE,
  decimal,
  duckType,
  float,
  forms,
  integer,
  type Kind,
  type Piece,
  piece,
  quoted,
  TEXT,
  wholeDigits,
} from '../support/sql/sql-piece.js';

import { type Call, plain, varied } from './sql-call.js';
import { DATE_CALLS } from './sql-date-calls.js';
import { FUNCTION_CALLS } from './sql-function-calls.js';

const MIXED: Kind = { ...TEXT, tame: false };
const ALPHABET = ['a', 'b', 'x', 'é', '日', '😀', ' ', '1', 'ab', 're', '%'];

/** A function whose result has the type of its argument. */
const LIKE_NUMBER: Kind = { ...decimal(-1, -1) };
const LIKE_INTEGER: Kind = integer(-1);
/** A text without `_`, which DuckDB accepts between digits of a number. */
const PLAIN = `replace($0, '_', '?')`;

const TEXT_CALLS: readonly Call[] = [
  plain({ ...TEXT, tame: true }, ['text'], 'LOWER($0)', 'lower($0)'),
  plain(MIXED, ['text'], 'UPPER($0)', 'upper($0)'),
  plain(TEXT, ['text'], 'TRIM($0)', 'trim($0)', 'trim($0)'),
  plain(TEXT, ['text'], 'LTRIM($0)', 'ltrim($0)', 'ltrim($0)'),
  plain(TEXT, ['text'], 'RTRIM($0)', 'rtrim($0)', 'rtrim($0)'),
  plain(TEXT, ['text', 'text'], 'CONCAT($0, $1)', 'concat($0, $1)'),
  plain(TEXT, ['text', 'integer'], "CONCAT($0, '-', $1)", "concat($0, '-', $1)"),
  plain(TEXT, ['text', 'text'], '($0 || $1)', '($0 || $1)', '($0 || $1)'),
  plain(TEXT, ['integer'], 'CAST($0 AS varchar)', 'CAST($0 AS VARCHAR)', 'CAST($0 AS TEXT)'),
  plain(TEXT, ['integer'], 'REVERSE(CAST($0 AS text))', 'reverse(CAST($0 AS VARCHAR))'),
  plain(TEXT, ['boolean'], 'CAST($0 AS text)', 'CAST($0 AS VARCHAR)'),
  plain(TEXT, ['date'], 'CAST($0 AS text)', 'CAST($0 AS VARCHAR)'),
  plain(MIXED, ['datetime'], 'CAST($0 AS text)', "strftime($0, '%Y-%m-%dT%H:%M:%SZ')"),
  plain(TEXT, ['decimal'], 'CAST($0 AS text)', 'shown(CAST($0 AS VARCHAR))'),
  varied('text', ['text'], (prng, args) => {
    const [start, length] = [prng.between(1, 4), prng.between(0, 5)];
    const name = prng.pick(['SUBSTRING', 'SUBSTR', 'MID']);
    const rest = prng.chance(0.6) ? `, ${length}` : '';
    const other = `substr($0, ${start}${rest})`;
    return piece({ ...TEXT, tame: args[0].tame }, forms(`${name}($0, ${start}${rest})`, other, other), args);
  }),
  varied('text', ['text'], (prng, args) => {
    const form = `${prng.pick(['LEFT', 'RIGHT'])}($0, ${prng.between(0, 4)})`;
    return piece({ ...TEXT, tame: args[0].tame }, forms(form, form), args);
  }),
  varied('text', ['text'], (prng, args) => {
    const [of] = args;
    if (!of.tame) return null;
    const form = `replace($0, ${quoted(prng.pick(ALPHABET))}, ${quoted(prng.pick([...ALPHABET, '']))})`;
    return piece(TEXT, forms(form, form, form), args);
  }),
  varied('text', ['text'], (prng, args) => {
    const form = `${prng.pick(['LPAD', 'RPAD'])}($0, ${prng.between(0, 9)}, ${quoted(prng.pick(['x', 'ab', '日']))})`;
    return piece({ ...TEXT, tame: args[0].tame }, forms(form, form), args);
  }),
  varied('text', ['text'], (prng, args) => {
    const times = prng.between(0, 3);
    const name = prng.pick(['REPEAT', 'REPLICATE']);
    return piece(
      { ...TEXT, tame: args[0].tame },
      forms(`${name}($0, ${times})`, `repeat($0, ${times})`),
      args,
    );
  }),
];

function rounding(gives: 'integer' | 'decimal'): Call {
  return varied(gives, ['decimal'], (prng, args) => {
    const [of] = args;
    const places = gives === 'integer' ? prng.pick([0, -1, -2]) : prng.between(1, 3);
    if (gives === 'decimal' && (of.scale === 0 || places > of.scale)) return null;
    const name = prng.pick(['ROUND', 'ROUND', 'TRUNC']);
    const kind =
      gives === 'integer' ? integer(wholeDigits(of) + 1) : decimal(places, wholeDigits(of) + places + 1);
    const written = places === 0 && prng.chance(0.5) ? '' : `, ${places}`;
    const duck = `${name.toLowerCase()}($0, ${places})`;
    if (name === 'TRUNC' && places < 0) return null;
    return piece(kind, forms(`${name}($0${written})`, `CAST(${duck} AS ${duckType(kind)})`), args);
  });
}

/** SQLite cannot represent the negation of -2^63. */
function turned(of: Kind, form: string): Call {
  const small = plain(of, [of.type], form, form, form.toLowerCase());
  const wide = plain(of, [of.type], form);
  return varied(of.type, [of.type], (prng, args) => (args[0].digits < 19 ? small : wide).make(prng, args));
}

const NUMBER_CALLS: readonly Call[] = [
  turned(LIKE_INTEGER, 'ABS($0)'),
  turned(LIKE_NUMBER, 'ABS($0)'),
  turned(LIKE_INTEGER, '(-$0)'),
  turned(LIKE_NUMBER, '(-$0)'),
  plain(integer(1), ['integer'], 'SIGN($0)', 'CAST(sign($0) AS HUGEINT)', 'sign($0)'),
  plain(integer(1), ['decimal'], 'SIGN($0)', 'CAST(sign($0) AS HUGEINT)', 'sign($0)'),
  plain(integer(24), ['decimal'], 'FLOOR($0)', 'CAST(floor($0) AS HUGEINT)'),
  plain(integer(24), ['decimal'], 'CEILING($0)', 'CAST(ceil($0) AS HUGEINT)'),
  plain(integer(24), ['decimal'], 'CAST($0 AS integer)', 'CAST($0 AS HUGEINT)'),
  plain(integer(1), ['boolean'], 'CAST($0 AS int)', 'CAST($0 AS HUGEINT)', 'CAST($0 AS INTEGER)'),
  rounding('integer'),
  rounding('decimal'),
  varied('integer', ['integer'], (prng, args) => {
    const digits = prng.pick([-1, -2]);
    const of = integer(args[0].digits + 1);
    return piece(
      of,
      forms(`ROUND($0, ${digits})`, `CAST(round(CAST($0 AS DECIMAL(38, 0)), ${digits}) AS HUGEINT)`),
      args,
    );
  }),
  varied('decimal', ['integer'], (prng, args) => {
    const scale = prng.pick([0, 1, 2, 4]);
    const of = decimal(scale, args[0].digits + scale);
    if (of.digits > 28) return null;
    return piece(of, forms(`CAST($0 AS decimal(38, ${scale}))`, `CAST($0 AS ${duckType(of)})`), args);
  }),
  varied('decimal', ['decimal'], (prng, args) => {
    const scale = prng.pick([1, 2, 5]);
    const of = decimal(scale, wholeDigits(args[0]) + scale + 1);
    if (of.digits > 28) return null;
    return piece(of, forms(`CAST($0 AS decimal(38, ${scale}))`, `CAST($0 AS ${duckType(of)})`), args);
  }),
  plain(integer(8), ['text'], 'LENGTH($0)', 'CAST(length($0) AS HUGEINT)', 'length($0)'),
  varied('integer', ['text'], (prng, args) => {
    const what = quoted(prng.pick(ALPHABET));
    if (!args[0].tame) return null;
    const duck = `CAST(strpos($0, ${what}) AS HUGEINT)`;
    const quarry = prng.chance(0.5) ? `CHARINDEX(${what}, $0)` : `INSTR($0, ${what})`;
    return piece(integer(5), forms(quarry, duck, `instr($0, ${what})`), args);
  }),
  varied('float', ['integer'], (_prng, args) => (args[0].digits > 15 ? null : floating(args[0]))),
  varied('float', ['decimal'], (_prng, args) => (args[0].digits > 15 ? null : floating(args[0]))),
  varied('float', ['integer'], (_prng, args) => {
    if (args[0].digits > 15) return null;
    return piece(float(args[0].digits), forms('SQRT(ABS($0))', 'sqrt(CAST(abs($0) AS DOUBLE))'), args);
  }),
  varied('float', ['integer'], (prng, args) => {
    if (args[0].digits > 3) return null;
    const [quarry, duck] = prng.pick([
      ['LN(ABS($0) + 1)', 'ln(CAST(abs($0) + 1 AS DOUBLE))'],
      ['LOG10(ABS($0) + 1)', 'log10(CAST(abs($0) + 1 AS DOUBLE))'],
      ['POWER($0, 3)', 'pow(CAST($0 AS DOUBLE), 3)'],
      ['EXP($0 / 1000)', 'exp(CAST($0 AS DOUBLE) / 1000)'],
    ] as const);
    return piece(float(12, false), forms(quarry, duck), args);
  }),
];

const floating = (of: Piece): Piece =>
  piece(
    float(wholeDigits(of)),
    forms('CAST($0 AS double)', 'CAST($0 AS DOUBLE)', of.type === 'integer' ? 'CAST($0 AS REAL)' : null),
    [of],
  );

const FLOAT_CALLS: readonly Call[] = [
  varied('float', ['float'], (prng, args) => {
    const name = prng.pick(['FLOOR', 'CEILING', 'ABS']);
    const duck = name === 'CEILING' ? 'ceil' : name.toLowerCase();
    return piece(float(args[0].digits + 1), forms(`${name}($0)`, `${duck}($0)`), args);
  }),
  varied('float', ['float'], (_prng, args) => piece(float(args[0].digits), forms('(-$0)', '(-$0)'), args)),
  varied('float', ['float'], (prng, args) => {
    if (args[0].digits > 9) return null;
    const places = prng.between(0, 3);
    return piece(
      float(args[0].digits + 1, false),
      forms(`ROUND($0, ${places})`, `round($0, ${places})`),
      args,
    );
  }),
  varied('integer', ['text'], (_prng, args) =>
    piece(
      integer(38),
      forms('TRY_CAST($0 AS bigint)', `CAST(TRY_CAST(${PLAIN} AS DECIMAL(38, 0)) AS HUGEINT)`),
      args,
    ),
  ),
  varied('decimal', ['text'], (_prng, args) =>
    piece(
      decimal(3, 38),
      forms('TRY_CAST($0 AS decimal(38, 3))', `TRY_CAST(${PLAIN} AS DECIMAL(38, 3))`),
      args,
    ),
  ),
  varied('float', ['text'], (_prng, args) =>
    piece(float(19, false), forms('TRY_CAST($0 AS float)', `TRY_CAST(${PLAIN} AS DOUBLE)`), args),
  ),
  // DuckDB reads text after a date as its zone, which random concatenated texts may contain.
  varied('date', ['text'], (_prng, args) =>
    args[0].parts.length > 0
      ? null
      : piece({ ...DATE, tame: false }, forms('TRY_CAST($0 AS date)', 'TRY_CAST($0 AS DATE)'), args),
  ),
  varied('date', ['date', 'integer'], (prng, args) => {
    if (!args[0].tame || args[1].digits > 3) return null;
    const unit = prng.pick(['day', 'week', 'month']);
    const duck = `CAST($0 + to_${unit}s(CAST($1 AS INTEGER)) AS DATE)`;
    return piece({ ...DATE, tame: false }, forms(`DATEADD('${unit}', $1, $0)`, duck), args);
  }),
  varied('text', ['text', 'integer'], (prng, args) => {
    const name = prng.pick(['LEFT', 'RIGHT']);
    return piece(
      { ...TEXT, tame: args[0].tame },
      forms(`${name}($0, ABS($1) % 5)`, `${name.toLowerCase()}($0, CAST(abs($1) % 5 AS INTEGER))`),
      args,
    );
  }),
];

const TRUTH_CALLS: readonly Call[] = (['STARTS_WITH', 'ENDS_WITH', 'CONTAINS'] as const).map((name) =>
  varied('boolean', ['text'], (prng, args) => {
    if (!args[0].tame) return null;
    const form = `${name}($0, ${quoted(prng.pick(ALPHABET))})`;
    return piece(BOOLEAN, forms(form, form), args);
  }),
);

export const CALLS: readonly Call[] = [
  ...TEXT_CALLS,
  ...DATE_CALLS,
  ...FUNCTION_CALLS,
  ...NUMBER_CALLS,
  ...FLOAT_CALLS,
  ...TRUTH_CALLS,
];
