/** Generated rows in batches of vectors, and the expected groups: computed row by row, with bigints. */
import { hashBytes, type Prng } from '../../../../src/base/index.js';
import type { GroupInput } from '../../../../src/exec/aggregate/groups/group.js';
import type { RowBatch } from '../../../../src/exec/scan/row-batches.js';
import type {
  Aggregate,
  AggregateState,
  Expression,
  Grouping,
  GroupPartial,
} from '../../../../src/ir/index.js';
import {
  fromWire,
  type SqlType,
  Texts,
  toWire,
  type Value,
  type Vector,
  valueAt,
  vectorOf,
  type WireVector,
} from '../../../../src/vector/index.js';
import { partitionsRead } from '../../../support/partitioned.js';

/** The form of a column's texts. */
type TextForm = 'shared' | 'repeating' | 'fresh' | 'mixed';

const FORMS = ['shared', 'other', 'repeating', 'fresh'] as const;

export interface Column {
  readonly type: SqlType;
  readonly texts: TextForm;
  readonly values: readonly Value[];
}

/** Rows in order, with the entity of each row. */
export interface Table {
  readonly columns: readonly Column[];
  readonly entities: readonly number[];
}

export interface Data {
  readonly rowEnd: number;
  readonly rows: Table;
  /** The entities of these rows are in any order. */
  readonly feeds: readonly Table[];
}

const TYPES: readonly SqlType[] = [
  { type: 'integer' },
  { type: 'decimal', scale: 2 },
  { type: 'float' },
  { type: 'boolean' },
  { type: 'text' },
  { type: 'date' },
];

const TEXTS = [
  '',
  'a',
  'b',
  'ä',
  '€uro',
  '\u{ffff}',
  '\u{10000}',
  '😀',
  'a long one, longer than eight bytes',
  'ab',
];

/** Returns a generator of a column's values: few or many, small or extreme. */
function drawFrom(prng: Prng, { type }: SqlType): () => Value {
  const few = prng.chance(0.5) ? prng.between(1, 6) : prng.between(50, 3_000);
  switch (type) {
    case 'boolean':
      return () => prng.chance(0.5);
    case 'text':
      if (few <= TEXTS.length) return () => prng.pick(TEXTS);
      return () => `${prng.pick(TEXTS)}${prng.below(few)}`;
    case 'float': {
      const wild = prng.chance(0.3);
      return () => {
        const value = (prng.below(few) - few / 2) * prng.pick([0.1, 1, 1 / 3, -0]);
        if (!wild) return value;
        return prng.pick([
          value * 2 ** prng.between(-1_060, 990),
          1.7976931348623157e308,
          -1.7976931348623157e308,
          5e-324,
          -0,
        ]);
      };
    }
    default: {
      const size = prng.pick([0n, 0n, 1_000_000_007n, 2n ** 51n, 2n ** 52n + 12_345n, 2n ** 62n, 10n ** 37n]);
      const base = prng.pick([0n, 0n, 20_000n, 2n ** 40n]);
      return () => base + BigInt(prng.below(few) - (few >> 1)) + size * BigInt(prng.below(3) - 1);
    }
  }
}

function generateColumn(prng: Prng, count: number): Column {
  const type = prng.pick(TYPES);
  const draw = drawFrom(prng, type);
  const missing = prng.pick([0, 0, 0.1, 0.9, 1]);
  const values = Array.from({ length: count }, () => (prng.chance(missing) ? null : draw()));
  return { type, texts: prng.pick(['shared', 'repeating', 'fresh', 'mixed']), values };
}

const COLUMNS = 4;

function generateTable(prng: Prng, entities: readonly number[]): Table {
  return {
    columns: Array.from({ length: COLUMNS }, () => generateColumn(prng, entities.length)),
    entities,
  };
}

/** The distance between the input numbers of the rows and of each feed. */
const INPUT_STRIDE = 100;

export const inputOf = (feed: number | null, column: number): number =>
  column + (feed === null ? 0 : INPUT_STRIDE * (feed + 1));

export function generateData(prng: Prng, entityCount: number): Data {
  const areEvents = prng.chance(0.5);
  const entities: number[] = [];
  for (let entity = 0; entity < entityCount; entity++) {
    const rows = areEvents ? prng.below(5) : Number(prng.chance(0.8));
    for (let row = 0; row < rows; row++) entities.push(entity);
  }
  const feed = (): Table =>
    generateTable(
      prng,
      Array.from({ length: prng.below(entityCount * 3 + 1) }, () => prng.below(entityCount)),
    );
  return { rowEnd: entityCount, rows: generateTable(prng, entities), feeds: [feed(), feed()] };
}

/** Texts and the code of each text. */
interface List {
  readonly codes: ReadonlyMap<string, readonly number[]>;
  readonly texts: Texts;
}

function codesOf(strings: readonly string[]): Map<string, number[]> {
  const codes = new Map<string, number[]>();
  strings.forEach((text, code) => {
    codes.set(text, [...(codes.get(text) ?? []), code]);
  });
  return codes;
}

function shuffle(prng: Prng, strings: readonly string[]): string[] {
  const keyed = strings.map((text) => ({ text, key: prng.unit() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ text }) => text);
}

/** The vectors of one column, batch by batch. */
class ColumnReader {
  readonly #column: Column;
  readonly #prng: Prng;
  readonly #lists: Readonly<Record<'shared' | 'other' | 'repeating', List>>;

  constructor(column: Column, prng: Prng) {
    this.#column = column;
    this.#prng = prng;
    const strings = [...new Set(column.values.filter((value) => typeof value === 'string'))];
    strings.push('never used');
    const shuffled = shuffle(prng, strings);
    const other = shuffle(prng, strings);
    const twice = shuffle(prng, [...strings, ...strings]);
    this.#lists = {
      shared: { codes: codesOf(shuffled), texts: hashedTexts(shuffled) },
      other: { codes: codesOf(other), texts: Texts.ofStrings(other, true) },
      repeating: { codes: codesOf(twice), texts: Texts.ofStrings(twice) },
    };
  }

  read(from: number, to: number): Vector {
    const { type, texts, values } = this.#column;
    const part = values.slice(from, to);
    const vector = vectorOf(type, part);
    if (vector.kind === 'text') {
      const form = texts === 'mixed' ? this.#prng.pick(FORMS) : texts;
      if (form === 'fresh') return vector;
      const { codes: known, texts: list } = this.#lists[form];
      const codes = Uint32Array.from(part, (value) => this.#prng.pick(known.get(String(value)) ?? [0]));
      return { ...vector, codes, texts: list };
    }
    // The stored value of a missing row is arbitrary.
    if (vector.kind === 'exact' && vector.numbers !== null && this.#prng.chance(0.5)) {
      part.forEach((value, row) => {
        if (value === null) vector.numbers?.fill(this.#prng.pick([Number.NaN, 2 ** 60, -3]), row, row + 1);
      });
    }
    if (vector.kind === 'float' && this.#prng.chance(0.5)) {
      part.forEach((value, row) => {
        if (value === null)
          vector.numbers[row] = this.#prng.pick([Number.NaN, 1e308, Number.NEGATIVE_INFINITY]);
      });
    }
    return vector;
  }
}

/** Texts as returned by a dictionary. */
function hashedTexts(strings: readonly string[]): Texts {
  const { offsets, bytes } = Texts.ofStrings([...strings]).utf8;
  const hashes = Uint32Array.from(strings, (_, code) => hashBytes(bytes, offsets[code], offsets[code + 1]));
  return Texts.ofBytes({ offsets, bytes }, strings.length, true, hashes);
}

/** Runs the work to its end and returns the result. */
export function toEnd<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The data in batches of any size up to `batchMax`. */
export function groupedRows({ rowEnd, rows, feeds }: Data, batchMax: number, prng: Prng): GroupInput {
  return {
    rowEnd,
    batches: () => batchesOf(rows, null, batchMax, prng),
    feedBatches: (feed) => batchesOf(feeds[feed], feed, batchMax, prng),
  };
}

function* batchesOf(
  { columns, entities }: Table,
  feed: number | null,
  batchMax: number,
  prng: Prng,
): Generator<RowBatch> {
  const readers = columns.map((column) => new ColumnReader(column, prng));
  for (let from = 0; from < entities.length; ) {
    const to = Math.min(entities.length, from + prng.between(1, batchMax));
    const vectors: (Vector | undefined)[] = [];
    const first = from;
    yield {
      count: to - from,
      entityRows: Uint32Array.from(entities.slice(from, to)),
      input: (index) => {
        const column = index - inputOf(feed, 0);
        vectors[column] ??= readers[column].read(first, to);
        return vectors[column];
      },
    };
    from = to;
  }
}

// Expected results

/** The double in units of 2^-1074. */
export function unitsOfDouble(value: number): bigint {
  let [whole, halvings] = [value, 0];
  while (!Number.isInteger(whole)) {
    whole *= 2;
    halvings++;
  }
  return BigInt(whole) << BigInt(1_074 - halvings);
}

/** A text that is the same exactly for equal values. */
export const textOfValue = (value: Value): string =>
  value === null ? 'null' : `${typeof value} ${Object.is(value, -0) ? 0 : value}`;

type PlainGroups = string | number | readonly (readonly [string, number])[] | readonly string[];

interface Group {
  readonly keys: readonly Value[];
  readonly values: Value[][];
  /** By aggregate, the entities that were counted. */
  readonly counted: Set<number>[];
}

const keyOf = (keys: readonly Value[], entity: number | null): string =>
  `${entity ?? ''} ${keys.map(textOfValue).join(' | ')}`;

const columnIn = (expression: Expression): number =>
  expression.op === 'input' ? expression.input % INPUT_STRIDE : 0;

/** By key (and entity, if groups are entities), the values that each aggregate combines. */
export function expectedGroups(
  grouping: Grouping,
  { rows, feeds }: Data,
): Map<string, readonly PlainGroups[]> {
  const { keys, perEntity, aggregates } = grouping;
  const groups = new Map<string, Group>();
  const groupsOfEntity = new Map<number, Group>();
  const newGroup = (keyValues: readonly Value[]): Group => ({
    keys: keyValues,
    values: aggregates.map(() => []),
    counted: aggregates.map(() => new Set()),
  });
  if (keys.length === 0 && !perEntity) groups.set(keyOf([], null), newGroup([]));
  rows.entities.forEach((entity, row) => {
    const keyValues = keys.map((key) => rows.columns[columnIn(key)].values[row]);
    const known = perEntity ? groupsOfEntity.get(entity) : groups.get(keyOf(keyValues, null));
    const group = known ?? newGroup(keyValues);
    if (known === undefined) groups.set(keyOf(keyValues, perEntity ? entity : null), group);
    groupsOfEntity.set(entity, group);
    aggregates.forEach(({ of, feed }, at) => {
      if (typeof feed === 'number') return;
      if (feed === 'entities' && group.counted[at].has(entity)) return;
      group.counted[at].add(entity);
      group.values[at].push(of === null ? 1n : rows.columns[columnIn(of)].values[row]);
    });
  });
  aggregates.forEach(({ of, feed }, at) => {
    if (typeof feed !== 'number') return;
    const table = feeds[feed];
    table.entities.forEach((entity, event) => {
      const value = of === null ? 1n : table.columns[columnIn(of)].values[event];
      groupsOfEntity.get(entity)?.values[at].push(value);
    });
  });
  const actual = [...groups.entries()].map(
    ([key, { values }]) => [key, aggregates.map((aggregate, at) => plainOf(aggregate, values[at]))] as const,
  );
  return new Map(actual);
}

function plainOf({ function: name, distinct, of }: Aggregate, all: readonly Value[]): PlainGroups {
  const values = all.filter((value) => value !== null);
  if (name === 'min' || name === 'max') return [textOfValue(extremeOf(values, name === 'min' ? 1 : -1))];
  if (distinct || name === 'percentile') {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(textOfValue(value), (counts.get(textOfValue(value)) ?? 0) + 1);
    return [...counts].map(([value, count]) => [value, distinct ? 1 : count] as const).sort();
  }
  if (name === 'count') return values.length;
  const exact = values.map((value) =>
    of?.type.type === 'float' ? unitsOfDouble(Number(value)) : BigInt(value),
  );
  const sum = exact.reduce((total, value) => total + value, 0n);
  const squares = exact.reduce((total, value) => total + value * value, 0n);
  return name === 'stddev' ? [`${values.length} ${sum} ${squares}`] : [`${values.length} ${sum}`];
}

function extremeOf(values: readonly NonNullable<Value>[], sign: number): Value {
  const before = (a: NonNullable<Value>, b: NonNullable<Value>): boolean => {
    if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b))) * sign < 0;
    return sign > 0 ? a < b : b < a;
  };
  return values.reduce<NonNullable<Value> | null>(
    (best, value) => (best === null || before(value, best) ? value : best),
    null,
  );
}

/** The content of a partial in the same form. Throws if a key or a pair of group and value occurs twice. */
export function plainGroups(
  partial: GroupPartial,
  perEntity: boolean,
  entities: readonly number[],
): Map<string, readonly PlainGroups[]> {
  const { groupCount, keys, states } = partial;
  const keyVectors = keys.map(fromWire);
  const byState = states.map((state) => plainStates(state, groupCount));
  const order = [...new Set(entities)];
  const actual = new Map<string, readonly PlainGroups[]>();
  for (let group = 0; group < groupCount; group++) {
    const key = keyOf(
      keyVectors.map((vector) => valueAt(vector, group)),
      perEntity ? order[group] : null,
    );
    if (actual.has(key)) throw new Error(`${key} stands twice`);
    actual.set(
      key,
      byState.map((state) => state[group]),
    );
  }
  return actual;
}

function plainStates(state: AggregateState, groupCount: number): PlainGroups[] {
  switch (state.holds) {
    case 'count':
      return [...state.counts];
    case 'sum':
      return [...state.counts].map((count, group) => [`${count} ${wideAt(state.sums, group)}`]);
    case 'squares':
      return [...state.counts].map((count, group) => [
        `${count} ${wideAt(state.sums, group)} ${wideAt(state.squares, group)}`,
      ]);
    case 'extreme': {
      const vector = fromWire(state.values);
      return Array.from({ length: groupCount }, (_, group) => [textOfValue(valueAt(vector, group))]);
    }
    case 'values':
      return plainValues(state, groupCount);
    case 'runs':
    case 'bits':
      throw new Error(`unexpected state ${state.holds} of row-by-row grouping`);
    case 'texts': {
      const texts = partitionsRead(state.texts).flatMap(({ found }) => found.map(({ text }) => text));
      const values = toWire(vectorOf({ type: 'text' }, texts));
      return plainValues({ holds: 'values', groups: null, counts: null, values }, groupCount);
    }
  }
}

const wideAt = (wire: WireVector, row: number): bigint => BigInt(valueAt(fromWire(wire), row) ?? 'missing');

function plainValues(state: Extract<AggregateState, { holds: 'values' }>, groupCount: number): PlainGroups[] {
  const { values, groups, counts } = state;
  const hashes = values.kind === 'text' ? (values.hashes ?? null) : null;
  const vector = fromWire(values);
  const actual: Map<string, number>[] = Array.from({ length: groupCount }, () => new Map());
  for (let at = 0; at < vector.count; at++) {
    const value = textOfValue(valueAt(vector, at));
    const stored = actual[groups === null ? 0 : groups[at]];
    if (stored.has(value)) throw new Error(`${value} occurs twice in a group`);
    stored.set(value, counts === null ? 1 : counts[at]);
  }
  if (hashes !== null && values.kind === 'text') checkHashes(hashes, values.offsets, values.bytes);
  return actual.map((stored) => [...stored].sort());
}

function checkHashes(hashes: Uint32Array, offsets: Uint32Array, bytes: Uint8Array): void {
  hashes.forEach((hash, text) => {
    if (hash !== hashBytes(bytes, offsets[text], offsets[text + 1])) throw new Error(`hash of text ${text}`);
  });
}
