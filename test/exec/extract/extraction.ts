/** Shards for tests of extractions, and plain maps from which a model computes the expected rows. */
import { hashBytes, type Prng, runToEnd, shardOf } from '../../../src/base/index.js';
import { QueryMemories, QueryRun, SelectCursor } from '../../../src/exec/index.js';
import type {
  Condition,
  ExtractedRow,
  ExtractedValue,
  ExtractPlan,
  NearPlan,
  OrderValue,
  OutputColumn,
  RowPosition,
  SelectPlan,
} from '../../../src/ir/index.js';
import { greatCircleKm } from '../../../src/kernels/index.js';
import { extractedRows, RowMerge, type RowPart, selectOfExtraction } from '../../../src/plan/index.js';
import { textOfInteger, type ValueForm } from '../../../src/schema/index.js';
import { Arena, ArenaPool, Shard, type StorageBounds } from '../../../src/storage/index.js';
import { countMatches, type StoredEntity } from '../../ir/evaluate.js';
import { KEY } from '../../storage/shard-model.js';
import {
  applyPlain,
  batchOf,
  type Change,
  COLUMNS,
  type Field,
  type Stored,
  type StoredColumn,
  type StoredEntities,
  updatePlain,
} from '../../storage/stored.js';

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const hashOf = (id: string): number => hashBytes(bytesOf(id), 0, bytesOf(id).length);

export const unbounded = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

/** The output format of the columns of test/storage/stored.ts. */
export const FORMS: ReadonlyMap<number, ValueForm> = new Map<number, ValueForm>([
  [1, { type: 'boolean', decimalPlaces: null }],
  [2, { type: 'date', decimalPlaces: null }],
  [3, { type: 'decimal', decimalPlaces: 3 }],
  [4, { type: 'string', decimalPlaces: null }],
  [5, { type: 'geolocation', decimalPlaces: null }],
  [11, { type: 'boolean', decimalPlaces: null }],
  [12, { type: 'date', decimalPlaces: null }],
  [13, { type: 'integer', decimalPlaces: null }],
  [14, { type: 'string', decimalPlaces: null }],
  [15, { type: 'geolocation', decimalPlaces: null }],
  [21, { type: 'decimal-event', decimalPlaces: 2 }],
  [22, { type: 'string-event', decimalPlaces: null }],
  [23, { type: 'geolocation-event', decimalPlaces: null }],
]);

/** All columns of COLUMNS and the ID; events in the window. */
export function allColumns(window: { readonly from: number; readonly to: number }): OutputColumn[] {
  return [
    { from: 'entity-id', type: 'unique-id', decimalPlaces: null },
    ...COLUMNS.map(({ id, form }): OutputColumn => {
      const written = FORMS.get(id) as ValueForm;
      return form === 'event'
        ? { ...written, from: 'events', columnId: id, window }
        : { ...written, from: 'attribute', columnId: id };
    }),
  ];
}

export class Extraction {
  readonly entities: StoredEntities = new Map();
  readonly #module: WebAssembly.Module | null;
  readonly #bounds: StorageBounds;
  readonly #scratch: Arena;
  shards: Shard[] = [];

  constructor(module: WebAssembly.Module | null, shardCount: number, bounds: StorageBounds = {}) {
    this.#module = module;
    this.#bounds = bounds;
    this.#scratch = new Arena(module);
    this.#makeShards(shardCount);
  }

  #makeShards(count: number): void {
    const pool = new ArenaPool(this.#module);
    this.shards = Array.from({ length: count }, (_, index) => new Shard(pool, index, this.#bounds));
  }

  #byShard(ids: Iterable<string>): Map<Shard, string[]> {
    const byShard = new Map<Shard, string[]>();
    for (const id of ids) {
      const shard = this.shards[shardOf(hashOf(id), this.shards.length)];
      byShard.set(shard, [...(byShard.get(shard) ?? []), id]);
    }
    return byShard;
  }

  insert(changes: readonly Change[]): void {
    this.#apply(changes);
    applyPlain(this.entities, changes);
  }

  #apply(changes: readonly Change[]): void {
    const byShard = new Map<Shard, Change[]>();
    for (const change of changes) {
      const shard = this.shards[shardOf(hashOf(change.id), this.shards.length)];
      const others = byShard.get(shard);
      if (others === undefined) byShard.set(shard, [change]);
      else others.push(change);
    }
    for (const [shard, own] of byShard) shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, own));
  }

  #rows(shard: Shard, ids: readonly string[]): Uint32Array {
    const dimension = shard.dimension(KEY);
    return Uint32Array.from(ids, (id) =>
      dimension.findRow(hashOf(id), bytesOf(id), 0, bytesOf(id).length),
    ).sort();
  }

  update(ids: readonly string[], fields: readonly Field[]): void {
    for (const [shard, own] of this.#byShard(ids)) {
      shard.dimension(KEY).update(this.#rows(shard, own), batchOf(KEY.dimensionId, [{ id: 'any', fields }]));
    }
    updatePlain(this.entities, ids, fields);
  }

  delete(ids: readonly string[]): void {
    for (const [shard, own] of this.#byShard(ids)) shard.dimension(KEY).delete(this.#rows(shard, own));
    for (const id of ids) this.entities.delete(id);
  }

  /** Rebuilds the data with `shardCount` shards, inserting entities in random order. */
  reshard(prng: Prng, shardCount: number): void {
    this.#makeShards(shardCount);
    const changes = [...this.entities].map(([id, entity]) => ({ id, fields: fieldsOf(entity) }));
    for (let at = changes.length - 1; at > 0; at--) {
      const other = prng.below(at + 1);
      [changes[at], changes[other]] = [changes[other], changes[at]];
    }
    this.#apply(changes);
  }

  /**
   * The rows that `workers` workers return, in parts of at most `partRows` rows; shards are assigned to them in turn.
   */
  rows(plan: ExtractPlan, workers = 1, run: QueryRun = unbounded(), partRows = 1_000_000): ExtractedRow[] {
    const select = selectOfExtraction(plan);
    const merge = new RowMerge(select, workers, Number.POSITIVE_INFINITY);
    for (let worker = 0; worker < workers; worker++) {
      const shards = this.shards.filter((_, index) => index % workers === worker);
      for (const part of this.#parts(shards, select, run, partRows)) merge.push(worker, part);
      merge.end(worker);
    }
    const rows: ExtractedRow[] = [];
    for (let table = merge.take(); table !== null; table = merge.take())
      rows.push(...runToEnd(extractedRows(plan, table)));
    return rows;
  }

  *#parts(
    shards: readonly Shard[],
    plan: SelectPlan,
    run: QueryRun,
    partRows: number,
  ): Generator<RowPart, void, void> {
    const memories = new QueryMemories(null);
    const settings = { plan, tables: [], format: null, profiled: false, memories };
    const cursor = new SelectCursor(shards, settings, this.#scratch, run);
    try {
      for (let done = false; !done; ) {
        const part = cursor.next(partRows);
        if (part.gives !== 'columns') throw new Error(`a cursor returned ${part.gives}`);
        ({ done } = part);
        yield part;
      }
    } finally {
      cursor.release();
    }
  }

  wanted(plan: ExtractPlan): ExtractedRow[] {
    return naiveRows(this.entities, plan);
  }
}

function fieldsOf({ attributes, events }: StoredEntity): Field[] {
  const fields: Field[] = [];
  for (const column of COLUMNS) {
    const value = attributes.get(column.id);
    if (column.form === 'event') fields.push({ column, events: events.get(column.id) ?? [] });
    else if (value === undefined) continue;
    else if (column.form === 'list') fields.push({ column, list: value as readonly Stored[] });
    else fields.push({ column, latest: value as Stored });
  }
  return fields;
}

// Model

const holds = (condition: Condition, id: string, entity: StoredEntity): boolean =>
  countMatches(new Map([[1, new Map([[id, entity]])]]), 1, condition) === 1;

const inWindow = (seconds: number, { from, to }: { readonly from: number; readonly to: number }): boolean =>
  seconds >= from && seconds <= to;

type Points = readonly (readonly [number, number])[];

/** The points from which the distance is computed. */
function pointsOf(entity: StoredEntity, near: NearPlan): Points {
  const passes = (point: Stored): boolean =>
    near.tests.every((test) =>
      holds({ op: 'attribute', columnId: 1, tests: [test] }, '', {
        attributes: new Map([[1, point]]),
        events: new Map(),
      }),
    );
  if (near.from === 'events') {
    return (entity.events.get(near.columnId) ?? [])
      .filter(({ seconds, value }) => inWindow(seconds, near.window) && passes(value))
      .map(({ value }) => value as readonly [number, number]);
  }
  const value = entity.attributes.get(near.columnId);
  if (value === undefined) return [];
  const condition: Condition = { op: 'attribute', columnId: near.columnId, tests: near.tests };
  if (!holds(condition, '', entity)) return [];
  const points = (typeof value[0 as never] === 'number' ? [value] : value) as Points;
  return points.filter(passes);
}

interface NaiveRow {
  readonly row: ExtractedRow;
  /** The values that determine the order. */
  readonly parts: readonly (number | OrderValue)[];
}

export function naiveRows(entities: StoredEntities, plan: ExtractPlan): ExtractedRow[] {
  const rows: NaiveRow[] = [];
  for (const [id, entity] of entities) {
    if (plan.condition !== null && !holds(plan.condition, id, entity)) continue;
    const score = plan.scored?.filter((condition) => holds(condition, id, entity)).length ?? 0;
    if (plan.scored !== null && score === 0) continue;
    const nearest = plan.near === null ? null : nearestOf(entity, plan.near);
    if (plan.near !== null && plan.scored === null && nearest === null) continue;
    const values = plan.order.map((key): OrderValue => {
      if (key.by === 'entity-id') return id;
      return (entity.attributes.get(key.columnId) as OrderValue | undefined) ?? null;
    });
    const position = { id, score, distanceKm: nearest?.km ?? 0, values };
    rows.push({
      row: {
        position,
        nearest: nearest?.point ?? null,
        values: plan.columns.map((column) => storedValueOf(id, entity, column)),
      },
      parts: partsOf(plan, position),
    });
  }
  rows.sort((a, b) => compareParts(plan, a, b));
  const { after } = plan;
  const behind =
    after === null
      ? rows
      : rows.filter((one) => {
          const other = { row: { position: after, nearest: null, values: [] }, parts: partsOf(plan, after) };
          return compareParts(plan, one, other) > 0;
        });
  return behind.slice(0, plan.limit).map(({ row }) => row);
}

/** The values that order rows before their IDs; `directionsOf` returns the directions. */
function partsOf(plan: ExtractPlan, { id, score, distanceKm, values }: RowPosition): (number | OrderValue)[] {
  if (plan.scored !== null) return [score];
  if (plan.near !== null) return [distanceKm, ...values];
  if (plan.order.length > 0) return [...values];
  const bits = hashOf(id).toString(2).padStart(32, '0');
  return [Number.parseInt([...bits].reverse().join(''), 2)];
}

function directionsOf({ scored, near, order }: ExtractPlan): boolean[] {
  const keys = order.map(({ descending }) => descending);
  if (scored !== null) return [true];
  return near !== null || order.length === 0 ? [false, ...keys] : keys;
}

function compareParts(plan: ExtractPlan, a: NaiveRow, b: NaiveRow): number {
  const directions = directionsOf(plan);
  for (let at = 0; at < directions.length; at++) {
    const [partA, partB] = [a.parts[at], b.parts[at]];
    if (partA === partB) continue;
    if (partA === null) return 1;
    if (partB === null) return -1;
    const order =
      typeof partA === 'string'
        ? Buffer.compare(bytesOf(partA), bytesOf(String(partB)))
        : (partA as number) < (partB as number)
          ? -1
          : 1;
    return directions[at] ? -order : order;
  }
  return Buffer.compare(bytesOf(a.row.position.id), bytesOf(b.row.position.id));
}

function nearestOf(entity: StoredEntity, near: NearPlan) {
  const far = pointsOf(entity, near).map(([longitude, latitude]) => ({
    km: greatCircleKm(near.longitude, near.latitude, longitude, latitude),
    point: { longitude, latitude },
  }));
  far.sort(
    (a, b) => a.km - b.km || a.point.longitude - b.point.longitude || a.point.latitude - b.point.latitude,
  );
  return far.length === 0 ? null : far[0];
}

function textOf(value: Stored, form: ValueForm): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'bigint') return `[${value[0]},${value[1]}]`;
  return form.type === 'datetime' ? textOfInteger(form, value).toLowerCase() : textOfInteger(form, value);
}

function storedValueOf(
  id: string,
  { attributes, events }: StoredEntity,
  column: OutputColumn,
): ExtractedValue {
  if (column.from === 'entity-id') return id;
  if (column.from === 'attribute') {
    const value = attributes.get(column.columnId);
    if (value === undefined) return null;
    const { form } = COLUMNS.find((one) => one.id === column.columnId) as StoredColumn;
    return form === 'list'
      ? JSON.stringify((value as readonly Stored[]).map((item) => textOf(item, column)))
      : textOf(value as Stored, column);
  }
  const own = (events.get(column.columnId) ?? [])
    .filter(({ seconds }) => inWindow(seconds, column.window))
    .map(({ seconds, value }) => ({
      value: textOf(value, column),
      date: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`,
    }));
  const pairs = new Map(own.map((pair) => [`${pair.date} ${pair.value}`, pair]));
  const values = [...pairs.values()].sort((a, b) =>
    a.date === b.date ? Buffer.compare(bytesOf(a.value), bytesOf(b.value)) : a.date < b.date ? -1 : 1,
  );
  if (values.length === 0) return null;
  return JSON.stringify(values.length === 1 ? values[0] : values);
}

// Generators

const TEXTS = [
  '\uffff',
  '\u{10000}',
  '\u{10000}a',
  '\ufffe\u{1f600}',
  '9',
  '10',
  '100',
  '1',
  'ß',
  'a long text that is a prefix of many others: 1',
  'a long text that is a prefix of many others: 2',
  'a long text that is a prefix of many others',
  'a\u0000',
  'a',
];
const INTEGERS = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  2n ** 63n - 1n,
  2n ** 63n - 2n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 53n + 2n,
  -(2n ** 53n) - 1n,
  -(2n ** 53n) - 2n,
  0n,
];

/** `wide`: values include 64-bit extremes, so that columns are eight bytes wide. */
export interface GenerateOptions {
  readonly idCount: number;
  readonly wide: boolean;
  readonly density: number;
}

export function idOf(number: number): string {
  return number % 7 === 0 ? `${TEXTS[number % TEXTS.length]}${number}` : `entity-${number}`;
}

export function generateValue(prng: Prng, column: StoredColumn, wide: boolean): Stored {
  switch (column.kind) {
    case 'bits':
      return BigInt(prng.below(2));
    case 'i32':
      return BigInt(prng.chance(0.1) ? prng.pick([-700_000, 2_900_000]) : prng.between(-9, 9));
    case 'i64':
      return wide && prng.chance(0.6) ? prng.pick(INTEGERS) : BigInt(prng.between(-100, 100));
    case 'code':
      return prng.chance(0.5) ? prng.pick(TEXTS) : `${prng.pick(TEXTS)}${prng.below(60)}`;
    case 'geo':
      return [
        prng.pick([-180, 180, 179.99, -179.99, 0, prng.between(-180, 180), prng.unit() * 360 - 180]),
        prng.pick([-90, 90, 89.99, 0, prng.between(-90, 90), prng.unit() * 180 - 90]),
      ];
  }
}

export const WINDOW_START = 1_500_000_000;

export function generateFields(prng: Prng, { wide, density }: GenerateOptions): Field[] {
  return COLUMNS.filter(() => prng.chance(density)).map((column): Field => {
    const value = (): Stored => generateValue(prng, column, wide);
    if (column.form === 'latest') return { column, latest: prng.chance(0.1) ? null : value() };
    if (column.form === 'list') return { column, list: Array.from({ length: prng.below(4) }, value) };
    const event = () => ({ seconds: WINDOW_START + prng.below(1_000), value: value() });
    const events = Array.from({ length: prng.between(1, 3) }, event);
    return { column, events: prng.chance(0.3) ? [...events, events[0]] : events };
  });
}

export function generateEntities(prng: Prng, count: number, options: GenerateOptions): Change[] {
  const ids = new Set(Array.from({ length: count }, () => idOf(prng.below(options.idCount))));
  return [...ids].map((id) => ({ id, fields: generateFields(prng, options) }));
}
