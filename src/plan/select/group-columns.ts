/**
 * The keys and aggregates of merged groups. Those of conditions and of the order are computed for all groups, the others only for
 * the groups that were chosen: the first ten of a million groups need ten sums. In slices.
 */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import {
  type AggregateState,
  type Expression,
  type Grouping,
  type GroupPartial,
  inputsOf,
} from '../../ir/index.js';
import { fromWire, memoryBytesOf, toWire, type Vector } from '../../vector/index.js';
import { aggregateColumn, stateOf } from './aggregate-columns.js';
import { gatherRows, withoutSignedZeros } from './columns.js';
import type { MergedGroups } from './group-merge.js';
import { countColumn } from './measures.js';

/** Aggregates of at most one in so many groups are computed for these alone. */
const FEW_PART = 4;

/** Expressions over groups read key k as input k, and aggregate a as the input after the keys and a aggregates. */
export class GroupColumns {
  readonly #grouping: Grouping;
  readonly #partials: readonly GroupPartial[];
  readonly #groups: MergedGroups;
  readonly #knownAggregates: ReadonlyMap<number, number>;
  readonly #budget: MemoryAccount;
  /** By input; a column that was not computed yet is absent. */
  readonly #columns: Vector[] = [];

  /** `knownAggregates`: aggregates of the only group, by number. The columns stay reserved in `budget`. */
  constructor(
    grouping: Grouping,
    partials: readonly GroupPartial[],
    groups: MergedGroups,
    knownAggregates: ReadonlyMap<number, number>,
    budget: MemoryAccount,
  ) {
    this.#grouping = grouping;
    this.#partials = partials;
    this.#groups = groups;
    this.#knownAggregates = knownAggregates;
    this.#budget = budget;
  }

  get count(): number {
    return this.#groups.count;
  }

  /** The inputs of the expressions, with a row per group. Throws 6000, 9006. */
  *whole(expressions: readonly Expression[]): Task<readonly Vector[]> {
    for (const input of readBy(expressions)) yield* this.#column(input);
    return this.#columns;
  }

  /** The inputs of the expressions, with a row for each of these groups. Throws 6000, 9006. */
  *ofGroups(expressions: readonly Expression[], chosen: Uint32Array): Task<readonly Vector[]> {
    const keyCount = this.#grouping.keys.length;
    const areFew = chosen.length * FEW_PART <= this.count;
    const columns: Vector[] = [];
    let few: FewGroups | null = null;
    for (const input of readBy(expressions)) {
      if (!areFew || this.#columns[input] !== undefined || !this.#isByGroup(input)) {
        columns[input] = yield* gatherRows(yield* this.#column(input), chosen, this.#budget);
      } else if (input < keyCount) columns[input] = yield* this.#key(input, chosen);
      else {
        few ??= yield* fewGroups(this.#partials, this.#groups, chosen, this.#budget);
        columns[input] = yield* this.#aggregate(input - keyCount, few.partials, few.groups);
      }
    }
    return columns;
  }

  /** Whether a column can be computed for some groups: a key, or an aggregate that does not collect values. */
  #isByGroup(input: number): boolean {
    const { keys, aggregates } = this.#grouping;
    const index = input - keys.length;
    return index < 0 || (!this.#knownAggregates.has(index) && stateOf(aggregates[index]) !== 'values');
  }

  *#column(input: number): Task<Vector> {
    const keyCount = this.#grouping.keys.length;
    this.#columns[input] ??=
      input < keyCount
        ? yield* this.#key(input, null)
        : yield* this.#aggregate(input - keyCount, this.#partials, this.#groups);
    return this.#columns[input];
  }

  /** `chosen`: groups; null = all. */
  *#key(index: number, chosen: Uint32Array | null): Task<Vector> {
    const { keys, keyRows } = this.#groups;
    let rows = chosen ?? keyRows;
    if (chosen !== null && keyRows !== null) {
      this.#budget.reserve(chosen.length * 4);
      rows = chosen.map((group) => keyRows[group]);
    }
    const key = rows === null ? keys[index] : yield* gatherRows(keys[index], rows, this.#budget);
    return yield* withoutSignedZeros(key, this.#budget);
  }

  *#aggregate(index: number, partials: readonly PartialStates[], groups: MergedGroups): Task<Vector> {
    const known = this.#knownAggregates.get(index);
    const states = partials.map((partial) => partial.states[index]);
    const column =
      known === undefined
        ? yield* aggregateColumn(this.#grouping.aggregates[index], states, groups, this.#budget.remainder())
        : countColumn(Float64Array.of(known));
    this.#budget.reserve(memoryBytesOf(column));
    return yield* withoutSignedZeros(column, this.#budget);
  }
}

const readBy = (expressions: readonly Expression[]): ReadonlySet<number> =>
  new Set(expressions.flatMap((expression) => [...inputsOf(expression)]));

type PartialStates = Pick<GroupPartial, 'states'>;

interface FewGroups {
  /** The states of the chosen groups. Those that collect values are absent. */
  readonly partials: readonly PartialStates[];
  /** Group i is chosen[i]; it has no keys. */
  readonly groups: MergedGroups;
}

function* fewGroups(
  partials: readonly GroupPartial[],
  { count, numbers, starts }: MergedGroups,
  chosen: Uint32Array,
  budget: MemoryAccount,
): Task<FewGroups> {
  budget.reserve((count + chosen.length * partials.length * 2) * 4);
  // By group: 1 + its index in `chosen`; 0 = not chosen.
  const indexes = new Uint32Array(count);
  for (let index = 0; index < chosen.length; index++) indexes[chosen[index]] = index + 1;
  const found: PartialStates[] = [];
  const fewNumbers = new Uint32Array(chosen.length * partials.length);
  const fewStarts: number[] = [];
  let at = 0;
  for (const [partial, { groupCount, states }] of partials.entries()) {
    const start = starts[partial];
    const rows = new Uint32Array(Math.min(chosen.length, groupCount));
    fewStarts.push(at);
    let rowCount = 0;
    yield* inSlices(groupCount, (from, to) => {
      for (let group = from; group < to; group++) {
        const index = indexes[numbers[start + group]];
        if (index === 0) continue;
        rows[rowCount++] = group;
        fewNumbers[at++] = index - 1;
      }
    });
    invariant(rowCount <= rows.length, 'a partial has each group at most once');
    const own: AggregateState[] = [];
    for (const [index, state] of states.entries()) {
      const few = yield* fewStates(state, rows.subarray(0, rowCount), budget);
      if (few !== null) own[index] = few;
    }
    found.push({ states: own });
  }
  const groups = {
    count: chosen.length,
    keys: [],
    keyRows: null,
    numbers: fewNumbers.subarray(0, at),
    starts: fewStarts,
  };
  return { partials: found, groups };
}

/** The states of some groups; null if they collect values. */
function* fewStates(
  state: AggregateState,
  groups: Uint32Array,
  budget: MemoryAccount,
): Task<AggregateState | null> {
  if (state.holds === 'extreme') {
    return { holds: 'extreme', values: toWire(yield* gatherRows(fromWire(state.values), groups, budget)) };
  }
  if (state.holds !== 'count' && state.holds !== 'sum' && state.holds !== 'squares') return null;
  budget.reserve(groups.length * 8);
  const counts = Float64Array.from(groups, (group) => state.counts[group]);
  if (state.holds === 'count') return { holds: 'count', counts };
  const sums = toWire(yield* gatherRows(fromWire(state.sums), groups, budget));
  if (state.holds === 'sum') return { holds: 'sum', counts, sums };
  return {
    holds: 'squares',
    counts,
    sums,
    squares: toWire(yield* gatherRows(fromWire(state.squares), groups, budget)),
  };
}
