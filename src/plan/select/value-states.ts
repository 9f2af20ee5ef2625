/** Joins the values of all shards' groups in one list, for distinct aggregates and percentiles. In slices. */
import { inSlices, invariant, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import { type AggregateState, type PartitionedTexts, TEXT_HEAD_WORDS, textWords } from '../../ir/index.js';
import { fromWire, type SqlType, Texts, type Vector } from '../../vector/index.js';
import { joinColumns } from './columns.js';
import { countTexts } from './equal-texts.js';
import type { MergedGroups } from './group-merge.js';
import { firstRows } from './row-words.js';

export type ValuesState = Extract<AggregateState, { holds: 'values' }>;
export type TextsState = Extract<AggregateState, { holds: 'texts' }>;

/** Value v is in group groups[v] and occurs counts[v] times; null = once. */
export interface GroupValues {
  readonly values: Vector;
  readonly groups: Uint32Array;
  readonly counts: Float64Array | null;
  /** The number of shards with values; values of one shard are distinct within a group. */
  readonly shardCount: number;
}

/** states[p] is the state of partial p. Throws 9006. */
export function* joinValues(
  type: SqlType,
  states: readonly ValuesState[],
  { numbers, starts }: MergedGroups,
  budget: MemoryAccount,
): Task<GroupValues> {
  // A vector without rows has no text that rows could refer to.
  const filled = states.flatMap((state, partial) =>
    state.values.count > 0 ? [{ ...state, start: starts[partial] }] : [],
  );
  const values = yield* joinColumns(
    filled.map(({ values }) => fromWire(values)),
    type,
    budget,
  );
  const { count } = values;
  budget.reserve(count * 4);
  const groups = new Uint32Array(count);
  let at = 0;
  for (const { groups: own, values, start } of filled) {
    const first = at;
    yield* inSlices(values.count, (from, to) => {
      for (let value = from; value < to; value++) {
        groups[first + value] = numbers[start + (own === null ? 0 : own[value])];
      }
    });
    at += values.count;
  }
  const counts = yield* joinCounts(filled, count, budget);
  return { values, groups, counts, shardCount: filled.length };
}

/** The number of distinct texts in the states, which must be of one group. Throws 9006. */
export function* countStateTexts(
  type: SqlType,
  states: readonly (ValuesState | TextsState)[],
  budget: MemoryAccount,
): Task<number> {
  const filled = states.filter((state) => countOf(state) > 0);
  if (filled.length < 2) return filled.reduce((sum, state) => sum + countOf(state), 0);
  const values: ValuesState[] = [];
  for (const state of filled) {
    values.push(state.holds === 'values' ? state : yield* listOfTexts(state.texts, budget));
  }
  const joined = yield* joinColumns(
    values.map((state) => fromWire(state.values)),
    type,
    budget,
  );
  invariant(joined.kind === 'text', 'the values are texts');
  return yield* countTexts(joined.texts, budget);
}

const countOf = (state: ValuesState | TextsState): number =>
  state.holds === 'texts' ? state.texts.count : state.values.count;

/** The texts as a list of values of the only group. Throws 9006. */
export function* listOfTexts(texts: PartitionedTexts, budget: MemoryAccount): Task<ValuesState> {
  const { count, words } = texts;
  budget.reserve(count * 8 + 4 + words.byteLength);
  const offsets = new Uint32Array(count + 1);
  const hashes = new Uint32Array(count);
  const bytes = new Uint8Array(words.byteLength);
  const from = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  let at = 0;
  yield* inSlices(
    count,
    (first, end) => {
      for (let text = first; text < end; text++) {
        const length = words[at + 1];
        const start = (at + TEXT_HEAD_WORDS) * 4;
        bytes.set(from.subarray(start, start + length), offsets[text]);
        offsets[text + 1] = offsets[text] + length;
        hashes[text] = words[at];
        at += textWords(length);
      }
    },
    SLICE_TEXTS,
  );
  const own = { offsets, bytes: bytes.subarray(0, offsets[count]) };
  const values = { kind: 'text', count, valid: null, codes: null, ...own, distinct: true, hashes } as const;
  return { holds: 'values', groups: null, counts: null, values };
}

function* joinCounts(
  states: readonly ValuesState[],
  count: number,
  budget: MemoryAccount,
): Task<Float64Array | null> {
  if (states.every(({ counts }) => counts === null)) return null;
  budget.reserve(count * 8);
  const joined = new Float64Array(count).fill(1);
  let at = 0;
  for (const { counts, values } of states) {
    if (counts !== null) {
      const first = at;
      yield* inSlices(values.count, (from, to) => joined.set(counts.subarray(from, to), first + from));
    }
    at += values.count;
  }
  return joined;
}

/** One value for each set of equal values within a group, ascending; there are `groupCount` groups. Throws 9006. */
export function* distinctValues(
  { values, groups, shardCount }: GroupValues,
  groupCount: number,
  budget: MemoryAccount,
): Task<Uint32Array> {
  const { count } = values;
  budget.reserve(count * 4);
  const scratch = budget.remainder();
  let firsts: Uint32Array | null = null;
  if (shardCount > 1) {
    // The group number is encoded as the code of a text that is never read.
    const columns = groupCount === 1 ? [values] : [values, numbersAsCodes(groups, groupCount)];
    firsts = yield* firstRows(columns, count, scratch);
  }
  const distinct = new Uint32Array(count);
  let found = 0;
  yield* inSlices(count, (from, to) => {
    for (let value = from; value < to; value++) {
      if (firsts !== null && firsts[value] !== value) continue;
      distinct[found++] = value;
    }
  });
  return distinct.subarray(0, found);
}

const EMPTY = { offsets: new Uint32Array(1), bytes: new Uint8Array(0) };

/** Numbers below `limit` as a column that needs only part of a word per row. */
function numbersAsCodes(numbers: Uint32Array, limit: number): Vector {
  const texts = Texts.ofBytes(EMPTY, limit, true);
  return { kind: 'text', count: numbers.length, valid: null, codes: numbers, texts };
}
