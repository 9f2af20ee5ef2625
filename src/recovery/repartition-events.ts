/**
 * Converts the events of one old shard's dimension to batches for new shards.
 * Related events need no explicit links in a batch: a batch links the Nth event of an entity in one section of a relation to its
 * Nth in the others. So groups of related events are sorted by their set of columns, and a batch contains only groups of one set:
 * then every section has one event of each group, in the same order.
 */
import {
  hashBytes,
  invariant,
  lowerBound,
  SEGMENT_ROWS_MASK,
  SEGMENT_ROWS_SHIFT,
  shardOf,
} from '../base/index.js';
import { type ArrowTable, type ArrowValues, type Batch, narrowU32, type Section } from '../column/index.js';
import { gatherStrings, gatherValuesAt } from './batch-values.js';

/** The IDs of one old entity segment; missing for deleted rows. */
export interface SegmentIds {
  readonly offsets: Int32Array | Uint32Array;
  readonly bytes: Uint8Array;
  readonly validity: Uint8Array | null;
}

/** Some events of one file. */
interface Events {
  readonly columnId: number;
  readonly rows: Uint32Array;
  readonly dates: Uint32Array;
  readonly values: ArrowValues;
  /** Row numbers in the file, and their links. */
  readonly positions: readonly number[];
  readonly links: Uint32Array;
}

/** An event: its file and its row in the file. */
type EventPosition = readonly [events: Events, at: number];

/** All sections of a batch belong to one relation, or none. */
const RELATION = 1;
/** The number of groups of related events in a batch. */
const GROUPS_MAX = 16_384;

export class EventRegrouping {
  readonly #dimensionId: number;
  readonly #shardCount: number;
  readonly #ids: readonly SegmentIds[];
  readonly #related: Events[] = [];

  /** `ids` of all old entity segments, by number; complete before the first events. */
  constructor(dimensionId: number, shardCount: number, ids: readonly SegmentIds[]) {
    this.#dimensionId = dimensionId;
    this.#shardCount = shardCount;
    this.#ids = ids;
  }

  /** Returns batches, by shard, of a file's unrelated events; stores those with a link for `relatedBatches`. */
  batchesOf(table: ArrowTable, columnId: number): Map<number, Batch> {
    const [rows, dates, values, links] = table.columns;
    invariant(
      rows?.kind === 'uint32' && dates?.kind === 'timestamp',
      'a snapshot file of events has columns row, date, value',
    );
    const linkOf = links?.kind === 'uint32' ? links.u32 : new Uint32Array(table.rowCount);
    const living = Array.from({ length: table.rowCount }, (_, at) => at).filter((at) =>
      this.#isLiving(rows.u32[at]),
    );
    const file = { columnId, rows: rows.u32, dates: narrowU32(dates.words), values, links: linkOf };
    const related = living.filter((at) => linkOf[at] !== 0);
    if (related.length > 0) this.#related.push({ ...file, positions: related });
    const alone = { ...file, positions: living.filter((at) => linkOf[at] === 0) };
    return this.#split(alone.positions.map((at) => [alone, at]));
  }

  /** Batches, with their shards, of all stored events. */
  *relatedBatches(): Generator<[number, Batch]> {
    const columnIds = [...new Set(this.#related.map(({ columnId }) => columnId))].sort((a, b) => a - b);
    const { groupOf, setOf, sets } = this.#groups(columnIds);
    for (const [set, members] of sets.entries()) {
      const groups = setOf.reduce<number[]>((all, own, group) => {
        if (own === set) all.push(group);
        return all;
      }, []);
      if (groups.length === 0) continue;
      const columns = members.map((columnId) => this.#eventsByGroup(columnId, groupOf, setOf.length));
      for (let from = 0; from < groups.length; from += GROUPS_MAX) {
        const some = groups.slice(from, from + GROUPS_MAX);
        yield* this.#splitGroups(columns, some, members.length === 1 ? 0 : RELATION);
      }
    }
  }

  #isLiving(row: number): boolean {
    const { validity } = this.#ids[row >>> SEGMENT_ROWS_SHIFT];
    const rowInSegment = row & SEGMENT_ROWS_MASK;
    return validity === null || (validity[rowInSegment >> 3] & (1 << (rowInSegment & 7))) !== 0;
  }

  #shardOf(row: number): number {
    const { offsets, bytes } = this.#ids[row >>> SEGMENT_ROWS_SHIFT];
    const rowInSegment = row & SEGMENT_ROWS_MASK;
    return shardOf(hashBytes(bytes, offsets[rowInSegment], offsets[rowInSegment + 1]), this.#shardCount);
  }

  /**
   * Numbers the groups of events with a common link by link: `setOf[group]` is the index in `sets` of the group's set of columns.
   */
  #groups(columnIds: readonly number[]) {
    const all = new Uint32Array(this.#related.reduce((sum, { positions }) => sum + positions.length, 0));
    let end = 0;
    for (const { positions, links } of this.#related) for (const at of positions) all[end++] = links[at];
    all.sort();
    const known = all.filter((link, index) => index === 0 || all[index - 1] !== link);
    const groupOf = (link: number): number => lowerBound(known, link);
    const setOf = new Uint32Array(known.length);
    const sets: (readonly number[])[] = [[]];
    const larger = new Map<string, number>();
    for (const columnId of columnIds) {
      for (const { positions, links } of this.#related.filter((events) => events.columnId === columnId)) {
        for (const at of positions) {
          const group = groupOf(links[at]);
          const key = `${setOf[group]}+${columnId}`;
          const set = larger.get(key) ?? sets.push([...sets[setOf[group]], columnId]) - 1;
          larger.set(key, set);
          setOf[group] = set;
        }
      }
    }
    return { groupOf, setOf, sets };
  }

  /** Returns each group's event of the column. */
  #eventsByGroup(
    columnId: number,
    groupOf: (link: number) => number,
    groupCount: number,
  ): readonly EventPosition[] {
    const byGroup = new Array<EventPosition>(groupCount);
    for (const events of this.#related.filter((one) => one.columnId === columnId)) {
      for (const at of events.positions) byGroup[groupOf(events.links[at])] = [events, at];
    }
    return byGroup;
  }

  /** Splits whole groups of one set of columns by shard: one section per column. */
  *#splitGroups(
    columns: readonly (readonly EventPosition[])[],
    groups: readonly number[],
    relationId: number,
  ): Generator<[number, Batch]> {
    const byShard = new Map<number, number[]>();
    for (const group of groups) {
      const [events, at] = columns[0][group];
      const shard = this.#shardOf(events.rows[at]);
      const others = byShard.get(shard);
      if (others === undefined) byShard.set(shard, [group]);
      else others.push(group);
    }
    for (const [shard, own] of byShard) {
      const ownColumns = columns.map((column) => own.map((group) => column[group]));
      yield [shard, this.#batch(ownColumns, relationId)];
    }
  }

  #split(events: readonly EventPosition[]): Map<number, Batch> {
    const byShard = new Map<number, EventPosition[]>();
    for (const placed of events) {
      const shard = this.#shardOf(placed[0].rows[placed[1]]);
      const others = byShard.get(shard);
      if (others === undefined) byShard.set(shard, [placed]);
      else others.push(placed);
    }
    return new Map([...byShard].map(([shard, own]) => [shard, this.#batch([own], 0)]));
  }

  /** Builds a batch of one section per column; the events of all columns belong to the same entities in the same order. */
  #batch(columns: readonly (readonly EventPosition[])[], relationId: number): Batch {
    const rows = [...new Set(columns[0].map(([{ rows: entityRows }, at]) => entityRows[at]))].sort(
      (a, b) => a - b,
    );
    const entityOf = new Map(rows.map((row, entity) => [row, entity]));
    const ids = rows.map((row) => [this.#ids[row >>> SEGMENT_ROWS_SHIFT], row & SEGMENT_ROWS_MASK] as const);
    const { hashes, offsets, bytes } = gatherStrings(ids);
    return {
      dimensionId: this.#dimensionId,
      rowCount: rows.length,
      idHashes: hashes,
      idOffsets: offsets,
      idBytes: bytes,
      sections: columns.map((events): Section => {
        // Stable, so the events of an entity keep their order.
        const sorted = events.toSorted(([a, atA], [b, atB]) => a.rows[atA] - b.rows[atB]);
        return {
          columnId: sorted[0][0].columnId,
          form: 'event',
          rows: Uint32Array.from(
            sorted,
            ([{ rows: entityRows }, at]) => entityOf.get(entityRows[at]) as number,
          ),
          counts: null,
          dates: Uint32Array.from(sorted, ([{ dates }, at]) => dates[at]),
          relationId,
          valueCount: sorted.length,
          values: gatherValuesAt(sorted.map(([{ values }, at]) => [values, at])),
        };
      }),
    };
  }
}
