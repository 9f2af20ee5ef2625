/** One dimension of a shard and plain maps of its expected content, changed in the same way. */
import { hashBytes, type Prng } from '../../src/base/index.js';
import { ArenaPool, type DimensionShard, Shard, type StorageBounds } from '../../src/storage/index.js';
import {
  applyPlain,
  batchOf,
  type Change,
  COLUMNS,
  differenceOf,
  dropColumnPlain,
  dumpPlain,
  dumpShard,
  expirePlain,
  type Field,
  generateChanges,
  generateField,
  type RelationOf,
  type StoredColumn,
  type StoredEntities,
  updatePlain,
  valueAt,
} from './stored.js';

export const KEY = { databaseId: 1, dimensionId: 2 };

/** Two event columns are related, the third has no relation. */
export const RELATION_OF: RelationOf = (columnId) => (columnId === 21 || columnId === 22 ? 5 : 0);

const START = 1_500_000_000;

export interface StepOptions {
  readonly idCount: number;
  readonly textCount: number;
  /** The largest number of entities of an insert. */
  readonly count: number;
}

export class ShardModel {
  readonly bounds: StorageBounds;
  shard: Shard;
  entities: StoredEntities = new Map();
  columns: readonly StoredColumn[] = COLUMNS;

  constructor(bounds: StorageBounds = { compactionDeadMin: 1 }) {
    this.bounds = bounds;
    this.shard = this.emptyShard();
  }

  emptyShard(): Shard {
    return new Shard(new ArenaPool(null), 0, this.bounds);
  }

  get dimension(): DimensionShard {
    return this.shard.dimension(KEY);
  }

  row(id: string): number {
    const bytes = Buffer.from(id, 'utf8');
    return this.dimension.findRow(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
  }

  rows(ids: readonly string[]): Uint32Array {
    return Uint32Array.from(ids, (id) => this.row(id)).sort();
  }

  insert(changes: readonly Change[]): void {
    this.shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, changes, RELATION_OF));
    applyPlain(this.entities, changes, RELATION_OF);
  }

  update(ids: readonly string[], fields: readonly Field[]): void {
    this.dimension.update(this.rows(ids), batchOf(KEY.dimensionId, [{ id: 'any', fields }], RELATION_OF));
    updatePlain(this.entities, ids, fields, RELATION_OF);
  }

  delete(ids: readonly string[]): void {
    this.dimension.delete(this.rows(ids));
    for (const id of ids) this.entities.delete(id);
  }

  expire(columnId: number, beforeSeconds: number): void {
    this.shard.expire(KEY, columnId, beforeSeconds);
    expirePlain(this.entities, columnId, beforeSeconds);
  }

  dropColumn(columnId: number): void {
    this.shard.dropColumn(KEY, columnId);
    dropColumnPlain(this.entities, columnId);
    this.columns = this.columns.filter(({ id }) => id !== columnId);
  }

  /** Some of the living entities: one, a few, a large part, sometimes all. */
  someIds(prng: Prng): string[] {
    const part = prng.pick([0.01, 0.05, 0.3, 0.3, 0.6, prng.chance(0.2) ? 1 : 0]);
    return [...this.entities.keys()].filter(() => prng.chance(part));
  }

  fields(prng: Prng, textCount: number): Field[] {
    return this.columns
      .filter(() => prng.chance(0.25))
      .map((column) => generateField(prng, column, textCount));
  }

  /** Makes a random change of any kind; dropping a column is rare. */
  step(prng: Prng, { idCount, textCount, count }: StepOptions): string {
    const kind = prng.below(100);
    if (kind < 45 || this.entities.size === 0) {
      const options = { count: prng.between(1, count), idCount, textCount, density: 0.4 };
      this.insert(generateChanges(prng, this.columns, options));
      return 'insert';
    }
    if (kind < 65) {
      this.delete(this.someIds(prng));
      return 'delete';
    }
    if (kind < 85) {
      this.update(this.someIds(prng), this.fields(prng, textCount));
      return 'update';
    }
    const column = prng.pick(this.columns);
    if (kind < 98 || this.columns.length < 8) {
      this.expire(prng.pick([21, 22, 23]), START + prng.below(100_000));
      return 'expire';
    }
    this.dropColumn(column.id);
    return `drop ${column.id}`;
  }

  /** All differences between the shard and the maps, in short; empty if there are none. */
  differences(): string[] {
    const { dimension, entities } = this;
    const found: string[] = [];
    if (dimension.entityCount !== entities.size)
      found.push(`${dimension.entityCount} instead of ${entities.size}`);
    const difference = differenceOf(dumpShard(dimension), dumpPlain(entities));
    if (difference !== null) found.push(difference);
    const lost = [...entities.keys()].filter((id) => this.row(id) < 0 || dimension.isDead(this.row(id)));
    if (lost.length > 0) found.push(`${lost.slice(0, 3)} are not found`);
    return [...found, ...this.#segmentFaults(), ...this.#eventFaults()];
  }

  /** Values outside their column's zone map, and remaining data of deleted rows. */
  #segmentFaults(): string[] {
    const found: string[] = [];
    for (const segment of this.dimension.segments) {
      for (const columnId of segment.columnIds) {
        const column = segment.latest(columnId);
        if (column === undefined || !['i32', 'i64', 'code'].includes(column.kind)) continue;
        for (let row = 0; row < segment.rowCount; row++) {
          const value = column.has(row) ? Number(valueAt(column, row, String)) : column.min;
          if (value < column.min || value > column.max)
            found.push(`${value} is not in the zone of ${columnId}`);
        }
      }
      const living = new Set(segment.livingRows());
      for (let row = 0; row < segment.rowCount; row++) {
        if (living.has(row)) continue;
        for (const id of segment.columnIds) {
          if (segment.latest(id)?.has(row) || (segment.list(id)?.counts[row] ?? 0) > 0) {
            found.push(`deleted row ${row} has a value of ${id}`);
          }
        }
        for (const id of [21, 22, 23]) {
          if (segment.eventOwners(id)?.has(row)) found.push(`deleted row ${row} has events of ${id}`);
        }
      }
    }
    return found;
  }

  #eventFaults(): string[] {
    const found: string[] = [];
    const rowOfLink = new Map<number, number>();
    for (const { id: columnId } of COLUMNS.filter(({ form }) => form === 'event')) {
      const table = this.dimension.events.get(columnId);
      for (const segment of table?.segments ?? []) {
        const dates = [...segment.datesAndRows(segment.eventCount).dates];
        if (dates.length === 0) found.push(`column ${columnId} has an empty segment`);
        if (segment.dateMin !== leastOf(dates)) found.push('dateMin is wrong');
        if (segment.dateMax !== -leastOf(dates.map((date) => -date))) found.push('dateMax is wrong');
        const { rows } = segment.datesAndRows(segment.eventCount);
        segment.links()?.forEach((link, segmentRow) => {
          if (link === 0) return;
          const row = rowOfLink.get(link) ?? rows[segmentRow];
          rowOfLink.set(link, row);
          if (row !== rows[segmentRow]) found.push(`rows ${row} and ${rows[segmentRow]} share link ${link}`);
        });
        if (
          segment.sealed &&
          dates.some((date, segmentRow) => segmentRow > 0 && date < dates[segmentRow - 1])
        ) {
          found.push('a sealed segment is out of order');
        }
      }
      const owners = new Set(
        [...this.entities].filter(([, { events }]) => events.has(columnId)).map(([id]) => id),
      );
      const marked = (id: string): boolean => {
        const row = this.row(id);
        return this.dimension.segments[row >>> 16].eventOwners(columnId)?.has(row & 0xffff) ?? false;
      };
      const wrong = [...this.entities.keys()].filter((id) => marked(id) !== owners.has(id));
      if (wrong.length > 0) found.push(`owners of column ${columnId} are wrong: ${wrong.slice(0, 3)}`);
      const oldest = this.shard.oldestEvent(KEY, columnId);
      const dates = [...owners].flatMap((id) => this.entities.get(id)?.events.get(columnId) ?? []);
      const least = leastOf(dates.map(({ seconds }) => seconds));
      if (oldest > least) found.push(`the oldest event of ${columnId} is ${least}, not ${oldest}`);
    }
    return found;
  }
}

const leastOf = (numbers: readonly number[]): number =>
  numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
