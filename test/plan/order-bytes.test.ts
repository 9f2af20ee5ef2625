import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import { compareSlots, orderBytes } from '../../src/plan/order-bytes.js';
import { textReader } from '../../src/plan/value-lists.js';
import { type ColumnType, compareText } from '../../src/schema/index.js';
import { listOf, type Plain, type PlainKind } from './values.js';

const SEED = 223_606;
t.comment(`seed ${SEED}`);
const prng = new Prng(SEED);

/** Compares every pair of values, in slots that held other values before. */
function disagreements(kind: PlainKind, type: ColumnType, places: number | null, values: Plain[]): string[] {
  const form = { type, decimalPlaces: places };
  const list = listOf(kind, values);
  const textOf = textReader(list, form);
  const texts = values.map((_, index) => textOf(index));
  const bytes = orderBytes(list, form, 3);
  const found: string[] = [];
  for (let a = 0; a < values.length; a++) {
    bytes.put(1, a);
    for (let b = 0; b < values.length; b++) {
      bytes.put(2, b);
      const order = Math.sign(compareSlots(bytes, 1, 2));
      if (order !== Math.sign(compareText(texts[a], texts[b])))
        found.push(`${texts[a]} ${texts[b]} ${order}`);
    }
  }
  return found;
}

const EDGES = [0n, 1n, 9n, 10n, 99n, 100n, 2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n];

function integers(): bigint[] {
  const made = [...EDGES, ...EDGES.map((value) => -value), INT64_MIN, INT64_MAX];
  for (let index = 0; index < 150; index++) {
    const value = BigInt(prng.u32()) * BigInt(prng.u32()) * BigInt(prng.pick([1, -1]));
    made.push(BigInt.asIntN(64, value) >> BigInt(prng.below(64)));
    made.push(BigInt(prng.between(-50, 50)) * 10n ** BigInt(prng.below(16)));
  }
  return made;
}

t.test('integers and decimals sort like their texts', async (t) => {
  t.strictSame(disagreements('i64', 'integer', null, integers()), []);
  t.strictSame(disagreements('i64', 'enumerated', null, integers()), []);
  for (const places of [0, 1, 2, 6, 19, 20]) {
    t.strictSame(disagreements('i64', 'decimal-event', places, integers()), [], `${places} places`);
  }
});

t.test('dates and booleans sort like their texts', async (t) => {
  const days = Array.from({ length: 200 }, () => BigInt(prng.between(-719_528, 2_932_896)));
  t.strictSame(disagreements('i64', 'date', null, days), []);
  t.strictSame(
    disagreements(
      'i64',
      'datetime',
      null,
      days.map((day) => day * 86_400n + BigInt(prng.below(86_400))),
    ),
    [],
  );
  t.strictSame(disagreements('i64', 'boolean', null, [0n, 1n]), []);
});

t.test('texts sort by their bytes, points by their notation', async (t) => {
  const texts = ['', 'a', 'ab', 'b', 'ä', 'z', '\uffff', '😀', '\u0000', 'a\u0000'];
  t.strictSame(disagreements('text', 'string', null, texts), []);
  const degrees = [0, -0, 1, 10, -1, 1e-7, -1.5e-9, 179.123_456_789_012, -179.123_456_789_012, 5e-324];
  const points = degrees.flatMap((longitude) => degrees.map((latitude) => [longitude, latitude] as const));
  t.strictSame(disagreements('geo', 'geolocation', null, points), []);
});

/** The longest notation of a number: 24 characters. */
const LONG = Number('-1.2345678901234568e-300');

t.test('the longest texts fit into their slots', async (t) => {
  const longest = [
    orderBytes(listOf('i64', [INT64_MIN]), { type: 'decimal', decimalPlaces: 20 }, 1),
    orderBytes(
      listOf('geo', [[LONG, LONG]]),
      {
        type: 'geolocation',
        decimalPlaces: null,
      },
      1,
    ),
  ];
  t.equal(String(LONG).length, 24);
  for (const bytes of longest) {
    bytes.put(0, 0);
    t.ok(bytes.ends[0] <= bytes.bytes.length, `${bytes.ends[0]} of ${bytes.bytes.length} bytes`);
  }
});
