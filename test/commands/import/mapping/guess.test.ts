/**
 * Types guessed from generated columns. The oracle is given the class of each value: a type is chosen only when every
 * value fits it, and the value that is then written is the generated one.
 */
import t from 'tap';
import { ExactNumber } from '../../../../src/api/index.js';
import { INT64_MAX, INT64_MIN, Prng } from '../../../../src/base/index.js';
import type { SourceValue } from '../../../../src/commands/import/formats/row-block.js';
import { type BaseType, type Guess, guessColumn } from '../../../../src/commands/import/mapping/guess.js';
import { columnWriter, ValueError } from '../../../../src/commands/import/mapping/values.js';
import { scaleDecimal } from '../../../../src/schema/index.js';

const SEED = 271_829;
t.comment(`seed ${SEED}`);
const random = new Prng(SEED);

type Class = 'integer' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'string';
/** A text and the expected value in a column of its class: as JSON, for decimals as the text of a number. */
interface Made {
  readonly text: string;
  readonly meant: string;
}

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

function integer(): Made {
  const wide = (BigInt(random.u32()) << 32n) | BigInt(random.u32());
  const value = random.pick([
    INT64_MAX,
    INT64_MIN,
    0n,
    -1n,
    BigInt(random.below(100)),
    BigInt.asIntN(64, wide),
  ]);
  return { text: String(value), meant: String(value) };
}

function decimal(): Made {
  const digits = random.between(1, 7);
  const text = `${random.pick(['', '-'])}${random.below(10 ** random.between(1, 6))}.${pad(random.below(10 ** digits), digits)}`;
  const scientific = random.chance(0.1);
  return scientific ? { text: '-1.25E-3', meant: '-0.00125' } : { text, meant: text };
}

function boolean(): Made {
  const meant = random.pick(['true', 'false']);
  return {
    text: random.pick([meant, meant.toUpperCase(), `${meant[0].toUpperCase()}${meant.slice(1)}`]),
    meant,
  };
}

interface Day {
  readonly utcMs: number;
  readonly text: string;
}

function day(): Day {
  const [year, month, date] = [random.between(1900, 2100), random.between(1, 12), random.between(1, 28)];
  const between = random.pick(['-', '/']);
  return {
    utcMs: Date.UTC(year, month - 1, date),
    text: `${year}${between}${pad(month)}${between}${pad(date)}`,
  };
}

function date(): Made {
  const { utcMs, text } = day();
  return { text, meant: `"${new Date(utcMs).toISOString().slice(0, 10)}"` };
}

function datetime(): Made {
  const { utcMs, text } = day();
  const [hour, minute, second] = [random.below(24), random.below(60), random.below(60)];
  const precision = random.pick(['minute', 'second', 'fraction', 'comma']);
  const seconds = precision === 'minute' ? 0 : second;
  const tail = {
    minute: '',
    second: `:${pad(second)}`,
    fraction: `:${pad(second)}.987654`,
    comma: `:${pad(second)},5`,
  };
  const [east, hours, minutes] = [random.chance(0.5), random.below(14), random.pick([0, 30, 45])];
  const sign = east ? '+' : '-';
  const zone = random.pick(['none', 'z', 'Z', ' UTC', 'UTC', 'hh', 'hhmm', 'hh:mm', ' hh:mm']);
  const zoneText = zone
    .replace('none', '')
    .replace('hh', sign + pad(hours))
    .replace('mm', pad(minutes));
  const offset = zone.includes('hh') ? hours * 60 + (zone.includes('mm') ? minutes : 0) : 0;
  const moment = utcMs + ((hour * 60 + minute - (east ? offset : -offset)) * 60 + seconds) * 1_000;
  return {
    text: `${text}${random.pick(['T', 't', ' '])}${pad(hour)}:${pad(minute)}${tail[precision as keyof typeof tail]}${zoneText}`,
    meant: `"${new Date(moment).toISOString().slice(0, 19)}Z"`,
  };
}

/** Strings that resemble values of other types. */
const STRINGS = [
  ...[
    '007',
    '-01',
    '00',
    '00.5',
    '+5',
    '1.',
    '.5',
    '1,5',
    '1 000',
    '0x10',
    '1e',
    '1e100',
    'NaN',
    'Infinity',
    '-',
  ],
  ...['yes', 'no', 't', 'truee', 'null', 'word', 'Ünïcödé ✓', '{', '[x'],
  ...[
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-1-2',
    '01/02/2024',
    '2024-02/03',
    '20240203',
    '2024-02-03 ',
    '24:00',
  ],
  ...['2024-02-03T25:00', '2024-02-03T10:60', '2024-02-03  10:00', '2024-02-03T10', '2024-02-03T10:00+25:00'],
].map((text) => text.trim());

function string(): Made {
  const text = random.pick(STRINGS.filter((one) => one !== '2024-02-03'));
  return { text, meant: JSON.stringify(text) };
}

const MAKERS: Readonly<Record<Class, () => Made>> = { integer, decimal, boolean, date, datetime, string };
const CLASSES = Object.keys(MAKERS) as Class[];

const guessed = (values: readonly SourceValue[], isText = true, nulls: readonly string[] = []): Guess =>
  guessColumn(values, isText, null, new Set(nulls));

function writerOf({ type, storage, decimalPlaces, isFloating }: Guess, nulls: readonly string[] = []) {
  return columnWriter({ type, storage, roundedTo: isFloating ? decimalPlaces : null, nulls: new Set(nulls) });
}

/** The type of a column that contains values of both classes. */
function joint(a: Class, b: Class): BaseType {
  if (a === b) return a;
  const both = [a, b].sort().join();
  return both === 'decimal,integer' ? 'decimal' : both === 'date,datetime' ? 'datetime' : 'string';
}

const column = (kind: Class, count: number): Made[] => Array.from({ length: count }, MAKERS[kind]);

t.test('a column of one class gets the type of the class, and each value is preserved', async (t) => {
  for (let round = 0; round < 60; round++) {
    for (const kind of CLASSES) {
      const made = column(kind, random.between(1, 30));
      const missing = ['', null, undefined, 'NA'];
      const values: SourceValue[] = made.flatMap(({ text }) =>
        random.chance(0.2) ? [random.pick(missing), text] : [text],
      );
      const guess = guessed(values, true, ['NA']);
      const label = `round ${round}: ${made.map(({ text }) => text).join(' | ')}`;
      t.equal(guess.type, kind, label);
      t.match(guess, { storage: 'latest-value', isEvents: false, unfit: null, valueCount: made.length });
      const write = writerOf(guess, ['NA']);
      const places = guess.decimalPlaces ?? 0;
      const readBack = (written: unknown): unknown =>
        kind === 'decimal' ? scaleDecimal(String(written), places) : written;
      t.strictSame(
        made.map(({ text }) => readBack(write(text))),
        made.map(({ meant }) => readBack(meant)),
        label,
      );
      for (const sourceValue of missing) t.equal(write(sourceValue), null, 'no value');
    }
  }
});

t.test('a column of two classes gets a type that holds both', async (t) => {
  for (const a of CLASSES) {
    for (const b of CLASSES) {
      // Integers with few digits, so that a decimal with these places can hold them.
      const small = (kind: Class): Made[] =>
        kind === 'integer' ? [{ text: String(random.below(1_000)), meant: '' }] : column(kind, 3);
      const texts = [...small(a), ...small(b)].map(({ text }) => text);
      const guess = guessed(texts);
      t.equal(guess.type, joint(a, b), texts.join(' | '));
      const write = writerOf(guess);
      for (const text of texts) t.notOk(write(text) instanceof ValueError, `${text} as ${guess.type}`);
    }
  }
});

t.test('a decimal gets the places of its values and a few more, and every number fits', async (t) => {
  t.equal(guessed(['1.5', '2']).decimalPlaces, 6);
  t.equal(guessed(['1.12345678', '2']).decimalPlaces, 8);
  for (let round = 0; round < 500; round++) {
    const [whole, places] = [random.between(0, 19), random.between(1, 12)];
    const digits = (count: number): string => Array.from({ length: count }, () => random.below(10)).join('');
    const texts = Array.from({ length: random.between(1, 5) }, () => {
      const front = digits(random.between(0, whole)).replace(/^0+/, '') || '0';
      return `${random.pick(['', '-'])}${front}.${digits(random.between(1, places))}`;
    });
    const guess = guessed(texts);
    const label = `round ${round}: ${texts.join(' | ')} as ${guess.type}(${guess.decimalPlaces})`;
    const write = writerOf(guess);
    const scaled = texts.map((text) => scaleDecimal(String(write(text)), guess.decimalPlaces ?? 0));
    if (guess.type === 'decimal') {
      t.ok(
        scaled.every((one) => 'value' in one),
        label,
      );
      if (!guess.isFloating)
        t.ok(
          texts.every((text) => write(text) === text),
          label,
        );
      else
        t.ok(
          texts.some((text) => text.replace(/\D/g, '').length > 15),
          label,
        );
    } else {
      t.equal(guess.type, 'string', label);
      const wanted = Math.max(...texts.map((text) => text.replace(/0+$/, '').split('.')[1].length));
      const digitsLeft = Math.max(...texts.map((text) => text.replace('-', '').split('.')[0].length));
      t.ok(wanted + digitsLeft > 18, label);
    }
  }
});

t.test(
  'digits beyond the precision of a double are preserved where they fit, and rounded where they are noise',
  async (t) => {
    const money = ['1234567890123456.78', '-0.01'];
    t.match(guessed(money), { type: 'decimal', decimalPlaces: 2, isFloating: false });
    const extremes = ['-9223372036854775.808', '9223372036854775.807'];
    t.match(guessed(extremes), { type: 'decimal', decimalPlaces: 3, isFloating: false });
    t.match(guessed(['9223372036854775.808']), { type: 'decimal', decimalPlaces: 1, isFloating: true });
    t.match(guessed(['0.00000000000000000001', '0']), { type: 'decimal', decimalPlaces: 20 });
    t.match(guessed(['0.000000000000000000001', '0']), { type: 'string' });
    const noise = guessed(['0.30000000000000004', '12.5']);
    t.match(noise, { type: 'decimal', decimalPlaces: 9, isFloating: true });
    t.equal(writerOf(noise)('0.30000000000000004'), '0.3');
  },
);

t.test('numbers within 64 bits are integers, and numbers beyond are not', async (t) => {
  const [least, most] = [String(INT64_MIN), String(INT64_MAX)];
  t.equal(guessed([least, most]).type, 'integer');
  for (const beyond of [INT64_MAX + 1n, INT64_MIN - 1n, 10n ** 30n]) {
    for (const [value, isText] of [
      [String(beyond), true],
      [beyond, false],
      [new ExactNumber(String(beyond)), false],
    ] as const) {
      const guess = guessed([value, isText ? '1' : 1], isText);
      t.equal(guess.type, 'string', String(beyond));
      t.equal(writerOf(guess)(value), JSON.stringify(String(beyond)));
    }
  }
});

t.test('numbers in a list of a CSV file keep all their digits', async (t) => {
  const value = `[${INT64_MAX},-1,${INT64_MIN}]`;
  const guess = guessed([value]);
  t.match(guess, { type: 'integer', storage: 'list-of-values' });
  t.equal(writerOf(guess)(value), value);
});

t.test('a column without values is a string, and JSON values keep their types', async (t) => {
  t.match(guessed(['', null, undefined]), { type: 'string', valueCount: 0, unfit: null });
  t.match(guessed([]), { type: 'string', valueCount: 0 });
  for (const [sourceValues, type, storage] of [
    [['5', '6'], 'string', 'latest-value'],
    [[5, 6], 'integer', 'latest-value'],
    [[5, 6.5], 'decimal', 'latest-value'],
    [[5, '6'], 'string', 'latest-value'],
    [[true, null], 'boolean', 'latest-value'],
    [[true, 1], 'string', 'latest-value'],
    [['2024-02-29'], 'date', 'latest-value'],
    [['2024-02-29', '2024-03-01T10:00Z'], 'datetime', 'latest-value'],
    [[[13.4, 52.5]], 'geolocation', 'latest-value'],
    [[{ lon: 13.4, lat: 52.5 }], 'geolocation', 'latest-value'],
    [[[1, 2, 3], [4]], 'integer', 'list-of-values'],
    [[['a'], 'b'], 'string', 'list-of-values'],
  ] as const) {
    t.match(
      guessed(sourceValues as readonly SourceValue[], false),
      { type, storage, unfit: null },
      JSON.stringify(sourceValues),
    );
  }
  t.match(guessed([{ value: 5, date: '2024-01-01' }], false), { type: 'integer', isEvents: true });
  t.match(guessed([{ some: 'object' }], false), { unfit: 'objects' });
});

t.test('few distinct texts, or few in relation to the rows, have a low cardinality', async (t) => {
  const texts = (distinct: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `w${index % distinct}`);
  t.equal(guessed(texts(50, 50)).cardinality, 'low');
  t.equal(guessed(texts(51, 51)).cardinality, 'high');
  t.equal(guessed(texts(51, 509)).cardinality, 'high');
  t.equal(guessed(texts(51, 510)).cardinality, 'low');
  t.equal(guessed(texts(1_000, 10_000)).cardinality, 'high', 'the count of distinct texts ends there');
});
