/** Generated Arrow tables, and the same rows as flat records of JSON: what one inserts, the other must. */
import {
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Field,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  LargeUtf8,
  List,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { makeData } from 'apache-arrow/data';
import type { Prng } from '../../../src/base/index.js';

/** A field: its type, the text of each row's value in JSON, and its value for the package; null = none. */
interface MadeField {
  readonly name: string;
  readonly vector: Vector;
  /** null = no value. */
  readonly json: readonly (string | null)[];
}

const WORDS = [
  'Berlin',
  'berlin',
  'ZÜRICH',
  'İstanbul',
  '東京',
  'a"b\\',
  'tab\there',
  '🚀 Go',
  'x'.repeat(40),
  'q',
  '',
];
/** Without the empty text, which is no value. */
const NAMES = WORDS.slice(0, -1);
const DAY_MS = 86_400_000;

type Make = (random: Prng, count: number) => { type: DataType; values: unknown[]; json: string[] };

const integers =
  (type: DataType, least: bigint, greatest: bigint, isBig = false): Make =>
  (random, count) => {
    const picks = Array.from({ length: count }, () => {
      const span = greatest - least;
      const near = BigInt(random.below(1_000));
      const pick = random.below(4);
      if (pick === 0) return least;
      if (pick === 1) return greatest;
      return pick === 2 ? least + (near % (span + 1n)) : near > greatest ? greatest : near;
    });
    return { type, values: picks.map((value) => (isBig ? value : Number(value))), json: picks.map(String) };
  };

const texts =
  (type: () => DataType, words = WORDS): Make =>
  (random, count) => {
    const values = Array.from(
      { length: count },
      () => random.pick(words) + (random.below(3) === 0 ? random.below(20) : ''),
    );
    return { type: type(), values, json: values.map((value) => JSON.stringify(value)) };
  };

/** Numbers with at most four decimal places. */
const floats =
  (type: DataType): Make =>
  (random, count) => {
    const values = Array.from(
      { length: count },
      () => (random.below(200_001) - 100_000) / 10 ** random.below(5),
    );
    return { type, values, json: values.map(String) };
  };

const decimals: Make = (random, count) => {
  const picks = Array.from({ length: count }, () => random.below(2_000_001) - 1_000_000);
  const values = picks.map((pick) => {
    const value = BigInt.asUintN(128, BigInt(pick));
    return Uint32Array.from({ length: 4 }, (_, word) => Number((value >> BigInt(32 * word)) & 0xffffffffn));
  });
  return { type: new Decimal(3, 38, 128), values, json: picks.map((pick) => String(pick / 1_000)) };
};

const booleans: Make = (random, count) => {
  const values = Array.from({ length: count }, () => random.below(2) === 1);
  return { type: new Bool(), values, json: values.map(String) };
};

const dates =
  (type: DataType): Make =>
  (random, count) => {
    const days = Array.from({ length: count }, () => random.below(60_000) - 20_000);
    const values = days.map((day) => new Date(day * DAY_MS));
    return { type, values, json: values.map((date) => `"${date.toISOString().slice(0, 10)}"`) };
  };

const UNITS = [1n, 1_000n, 1_000_000n, 1_000_000_000n];

/** Instants up to `toMs`, with fractions of a second, which are cut off. */
const instants =
  (type: DataType, perSecond: bigint, fromMs: number, toMs: number): Make =>
  (random, count) => {
    const seconds = Array.from({ length: count }, () =>
      Math.floor((fromMs + random.unit() * (toMs - fromMs)) / 1_000),
    );
    const values = seconds.map(
      (second) =>
        BigInt(second) * perSecond + BigInt(random.below(Number(perSecond > 1_000n ? 1_000n : perSecond))),
    );
    return {
      type,
      values,
      json: seconds.map((second) => `"${new Date(second * 1_000).toISOString().slice(0, 19)}Z"`),
    };
  };

const TIMESTAMPS = [
  () => new TimestampSecond(),
  () => new TimestampMillisecond(),
  () => new TimestampMicrosecond(),
  () => new TimestampNanosecond(),
];

const INTEGERS: readonly Make[] = [
  integers(new Int8(), -128n, 127n),
  integers(new Int16(), -32_768n, 32_767n),
  integers(new Int32(), -(2n ** 31n), 2n ** 31n - 1n),
  integers(new Int64(), -(2n ** 63n), 2n ** 63n - 1n, true),
  integers(new Uint8(), 0n, 255n),
  integers(new Uint16(), 0n, 65_535n),
  integers(new Uint32(), 0n, 2n ** 32n - 1n),
  integers(new Uint64(), 0n, 2n ** 63n - 1n, true),
];
const TEXTS: readonly Make[] = [
  texts(() => new Utf8()),
  texts(() => new LargeUtf8()),
  texts(() => new Dictionary(new Utf8(), new Int16())),
  texts(() => new Dictionary(new Utf8(), new Uint16())),
];
const NUMBERS: readonly Make[] = [floats(new Float64()), decimals, integers(new Int16(), -32_768n, 32_767n)];

function madeField(random: Prng, name: string, make: Make, count: number, nullShare: number): MadeField {
  const { type, values, json } = make(random, count);
  const isNull = values.map(() => random.unit() < nullShare);
  const own = values.map((value, row) => (isNull[row] ? null : value));
  return {
    name,
    vector: vectorOf(own, type),
    json: json.map((text, row) => (isNull[row] || text === '""' ? null : text)),
  };
}

/** The package divides bigints of timestamps, so their data is made by hand. */
function vectorOf(values: readonly unknown[], type: DataType): Vector {
  const unit = TIMESTAMPS.findIndex((make) => make().toString() === type.toString());
  if (unit < 0) return vectorFromArray(values as never[], type);
  const data = BigInt64Array.from(values, (value) => (value as bigint | null) ?? 0n);
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  let nullCount = 0;
  values.forEach((value, row) => {
    if (value === null) nullCount++;
    else nullBitmap[row >> 3] |= 1 << (row & 7);
  });
  const made = makeData({
    type: type as TimestampSecond,
    length: values.length,
    nullCount,
    nullBitmap,
    data,
  });
  return new (vectorFromArray([1]).constructor as new (data: unknown[]) => Vector)([made]);
}

function listField(random: Prng, name: string, count: number): MadeField {
  const lists = Array.from({ length: count }, () =>
    random.below(4) === 0 ? null : Array.from({ length: random.below(4) }, () => random.pick(NAMES)),
  );
  const type = new List(new Field('item', new Utf8(), true));
  return {
    name,
    vector: vectorFromArray(lists, type),
    json: lists.map((list) => (list === null ? null : JSON.stringify(list))),
  };
}

export interface MadeTable {
  readonly table: Table;
  /** A line per row. */
  readonly records: readonly string[];
}

/** `nowMs`: no event is later. The columns are those of the model in parse-columns.test.ts. */
export function makeTable(random: Prng, nowMs: number, count: number): MadeTable {
  const nullShare = random.pick([0, 0.2, 0.7]);
  const field = (name: string, make: Make): MadeField => madeField(random, name, make, count, nullShare);
  const unit = random.below(4);
  const timestamp = (from: number): Make => instants(TIMESTAMPS[unit](), UNITS[unit], from, nowMs - 1_000);
  const ids: Make =
    random.below(2) === 0
      ? INTEGERS[random.below(8)]
      : texts(() => random.pick([new Utf8(), new Dictionary(new Utf8(), new Int32())]), NAMES);
  const id = madeField(random, 'User ID', ids, count, 0);
  const optional = [
    field('name', random.pick(TEXTS)),
    field('Exact', random.pick(TEXTS)),
    field('status', random.pick(INTEGERS)),
    field('share', random.pick(NUMBERS)),
    field('ratio', floats(new Float32())),
    field('is-new', booleans),
    field('born', dates(random.below(2) === 0 ? new DateDay() : new DateMillisecond())),
    field('seen', timestamp(Date.UTC(1900, 0, 1))),
    listField(random, 'tags', count),
  ].filter(() => random.below(5) > 0);
  const events = [
    field('path', random.pick(TEXTS)),
    field('code', random.pick(INTEGERS)),
    madeField(random, 'ts', timestamp(Date.UTC(2020, 0, 1)), count, 0),
  ];
  const always = madeField(random, 'level', integers(new Int32(), 0n, 9n), count, 0);
  const fields = [id, ...optional, ...events, always];
  const records = Array.from({ length: count }, (_, row) => {
    const members = fields.flatMap(({ name, json }) =>
      json[row] === null ? [] : [`${JSON.stringify(name)}:${json[row]}`],
    );
    return `{${members.join(',')}}`;
  });
  return { table: tableOf(fields), records };
}

function tableOf(fields: readonly MadeField[]): Table {
  const schema = new Schema(fields.map(({ name, vector }) => new Field(name, vector.type, true)));
  const [{ vector: first }] = fields;
  const data = makeData({
    type: new Struct(schema.fields),
    length: first.length,
    children: fields.map(({ vector }) => vector.data[0]),
  });
  return new Table(schema, [new RecordBatch(schema, data)]);
}
