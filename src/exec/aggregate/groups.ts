/**
 * Computes the groups of an aggregation's decided levels to which the entities of a shard belong.
 * Level by level, each chosen value gets a number, a scan returns the rows that have it, and a row's parent groups
 * together with that number determine its groups.
 */
import { invariant, SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { DecidedLevel, ValueList, ValueTest } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { ShardCondition } from '../condition/condition.js';
import type { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { type ChosenNumbers, chosenValues, textRangeAt, valueCountOf } from './chosen-values.js';
import type { EntrySink } from './entries.js';
import { type GroupsOfRows, JoinedEntries, ManyGroups, PairList, SingleGroups } from './group-rows.js';
import { eachValue, isSingleValued } from './level-values.js';
import { ABSENT } from './numbering.js';
import { RowFilter } from './row-filter.js';
import { WordTable } from './value-table.js';

/** The groups of the selected entities; there must be at least one decided level. Throws 9005 and 9006. */
export function groupsOf(
  shard: DimensionShard,
  selection: EntitySelection,
  decided: readonly DecidedLevel[],
  run: QueryRun,
): GroupsOfRows {
  let groups: GroupsOfRows | null = null;
  for (const level of decided) {
    const within = groupsWithin(shard, selection, groups, level, run);
    groups?.release();
    groups = within;
  }
  invariant(groups !== null, 'no level was decided');
  return groups;
}

/** The groups of one level within those of the level above; `above` null = one group of all selected entities. */
function groupsWithin(
  shard: DimensionShard,
  selection: EntitySelection,
  above: GroupsOfRows | null,
  { level, parents, values }: DecidedLevel,
  run: QueryRun,
): GroupsOfRows {
  const memory = run.child();
  const results = run.child();
  const filter = new RowFilter(shard, selection, above?.members ?? null, run);
  const { source, tests } = level;
  try {
    if (source.from === 'entity-id') {
      const ids = chosenIds(shard, tests, values, filter, memory, run);
      const paths = new GroupPaths(above, parents, ids, memory);
      return collect(shard, above, paths, true, results, memory, (sink) => {
        for (let from = 0; from < ids.rows.length; from += SEGMENT_ROWS_MAX) {
          const to = Math.min(ids.rows.length, from + SEGMENT_ROWS_MAX);
          sink(ids.rows.subarray(from, to), ids.numbers.subarray(from, to), to - from);
        }
      });
    }
    const choices = chosenValues(shard, source, tests, values, memory, run);
    const walk = { shard, source, tests: choices.narrowing, filter, memory, run };
    const paths = new GroupPaths(above, parents, choices, memory);
    return collect(shard, above, paths, isSingleValued(shard, source), results, memory, (sink) =>
      eachValue(walk, choices.numbering, sink),
    );
  } finally {
    filter.release();
    memory.releaseAll();
  }
}

/** The groups of the entries that `walk` yields. `singleValued`: a row occurs in at most one entry. */
function collect(
  shard: DimensionShard,
  above: GroupsOfRows | null,
  paths: GroupPaths,
  singleValued: boolean,
  results: QueryRun,
  memory: QueryRun,
  walk: (sink: EntrySink) => void,
): GroupsOfRows {
  const single =
    singleValued && (above === null || above.isSingle)
      ? new SingleGroups(shard, paths.groupCount, results)
      : null;
  const pairs = new PairList(memory);
  const target = single ?? pairs;
  const found = new JoinedEntries(shard, above?.groupsOfRowMax ?? 1, memory);
  const joined = above === null ? null : new JoinedEntries(shard, above.groupsOfRowMax, memory);
  walk((rows, numbers, count) => {
    if (above === null || joined === null) {
      for (let from = 0; from < count; ) {
        from = paths.ofEntries(rows, numbers, from, count, found);
        target.append(found.entries, found.groups, found.count);
      }
      return;
    }
    for (let from = 0; from < count; ) {
      memory.check();
      from = above.join(rows, from, count, joined);
      paths.ofJoined(rows, numbers, joined, found);
      target.append(found.entries, found.groups, found.count);
    }
  });
  return single ?? new ManyGroups(shard, paths.groupCount, pairs, results);
}

/** The largest direct table of groups by (parent group, number); larger ones are hashed. */
const DIRECT_PATHS_MAX = 2 ** 20;

/** Maps a parent group and a value number to the group. */
class GroupPaths {
  readonly groupCount: number;
  readonly #choiceCount: number;
  /** By parent group x choiceCount + number: the group plus 1; 0 = none. */
  readonly #dense: Uint32Array | null = null;
  readonly #table: WordTable | null = null;
  /** By number of `table`. */
  readonly #groups: Uint32Array | null = null;

  constructor(above: GroupsOfRows | null, parents: Uint32Array, choices: ChosenNumbers, memory: QueryRun) {
    const { count, numberOf } = choices;
    const groupCount = parents.length;
    this.groupCount = groupCount;
    this.#choiceCount = count;
    const pathCount = (above?.groupCount ?? 1) * count;
    if (pathCount <= DIRECT_PATHS_MAX) {
      this.#dense = memory.u32(pathCount);
      for (let group = 0; group < groupCount; group++) {
        if (numberOf[group] !== ABSENT) this.#dense[parents[group] * count + numberOf[group]] = group + 1;
      }
      return;
    }
    this.#table = new WordTable(memory);
    this.#groups = memory.u32(groupCount);
    for (let group = 0; group < groupCount; group++) {
      if (numberOf[group] === ABSENT) continue;
      this.#groups[this.#table.add(numberOf[group], parents[group])] = group;
    }
  }

  /** The group, or -1. */
  #find(parent: number, number: number): number {
    if (this.#dense !== null) return this.#dense[parent * this.#choiceCount + number] - 1;
    const found = (this.#table as WordTable).find(number, parent);
    return found < 0 ? -1 : (this.#groups as Uint32Array)[found];
  }

  /**
   * Writes the rows and groups of entries from `from` on, all within parent group 0, to `out.entries` and
   * `out.groups`, up to their capacity; returns the first entry that was not processed.
   */
  ofEntries(
    rows: Uint32Array,
    numbers: Uint32Array,
    from: number,
    count: number,
    out: JoinedEntries,
  ): number {
    let found = 0;
    const end = Math.min(count, from + out.entries.length);
    for (let at = from; at < end; at++) {
      const group = this.#find(0, numbers[at]);
      if (group < 0) continue;
      out.entries[found] = rows[at];
      out.groups[found++] = group;
    }
    out.count = found;
    return end;
  }

  /** Does the same for entries joined with their parent groups; `out` has capacity for them. */
  ofJoined(rows: Uint32Array, numbers: Uint32Array, joined: JoinedEntries, out: JoinedEntries): void {
    let found = 0;
    for (let at = 0; at < joined.count; at++) {
      const entry = joined.entries[at];
      const group = this.#find(joined.groups[at], numbers[entry]);
      if (group < 0) continue;
      out.entries[found] = rows[entry];
      out.groups[found++] = group;
    }
    out.count = found;
  }
}

interface ChosenIds extends ChosenNumbers {
  /** Entries: the entity of rows[i] has number numbers[i]. */
  readonly rows: Uint32Array;
  readonly numbers: Uint32Array;
}

/** The entities of the filter whose IDs are listed and pass the tests. */
function chosenIds(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  values: ValueList,
  filter: RowFilter,
  memory: QueryRun,
  run: QueryRun,
): ChosenIds {
  const table = new WordTable(memory);
  const numberOf = memory.u32(valueCountOf(values)).fill(ABSENT);
  for (let at = 0; at < numberOf.length; at++) {
    const row = shard.findRow(...textRangeAt(values, at));
    if (row >= 0) numberOf[at] = table.add(row, 0);
  }
  const { bitmap } = filter;
  const all = Array.from({ length: table.count }, (_, number) => table.keys[number * 2]);
  const passes = tests.length === 0 ? null : idsPass(shard, tests, all, filter, run);
  const rows = memory.u32(table.count);
  const numbers = memory.u32(table.count);
  let count = 0;
  all.forEach((row, number) => {
    if (bitmap !== null && (bitmap[row >>> 3] & (1 << (row & 7))) === 0) return;
    if (passes !== null && passes[number] === 0) return;
    rows[count] = row;
    numbers[count++] = number;
  });
  return { count: table.count, numberOf, rows: rows.subarray(0, count), numbers: numbers.subarray(0, count) };
}

function idsPass(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  rows: readonly number[],
  { arena }: RowFilter,
  run: QueryRun,
): Uint8Array {
  const condition = new ShardCondition(shard, { op: 'entity-id', tests }, arena, run);
  try {
    return condition.holdsFor(rows);
  } finally {
    condition.release();
  }
}
