/** Aggregates of all values of each group: percentiles that are values, modes, bits and lists. In slices. */
import { invariant, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import type { Aggregate, AggregateFunction } from '../../ir/index.js';
import { sqlError } from '../../sql/index.js';
import { compareRows, exactVector, Texts, type Vector, type WideIntegers } from '../../vector/index.js';
import { type GroupRuns, groupRuns } from '../group-runs.js';
import { mergeSort } from '../merge-sort.js';
import { BIGINT_BYTES, rowsOrMissing } from './columns.js';
import { exactFraction, type WeighedValues } from './percentiles.js';

/** Characters of a list. */
const LIST_CHARS_MAX = 1_000_000;
/** Digits at the end of a packed text: the number of characters of the part before them that belongs to the list. */
const LENGTH_DIGITS = 6;

/** One value per group; missing for a group without values. Throws 6000, 9006. */
export function* collectedColumn(
  { function: name, fraction }: Aggregate,
  weighed: WeighedValues,
  groupCount: number,
  budget: MemoryAccount,
): Task<Vector> {
  const groupKeys = groupCount === 1 ? null : weighed.groups;
  const runs = yield* groupRuns(groupKeys, weighed.entries, budget);
  if (name === 'bit-and' || name === 'bit-or' || name === 'bit-xor') {
    return yield* bitColumn(name, weighed, runs, groupCount, budget);
  }
  if (name === 'list') return yield* listColumn(weighed, runs, groupCount, budget);
  budget.reserve(groupCount * 4);
  // 0 = missing, else an entry plus 1.
  const chosen = new Uint32Array(groupCount);
  yield* eachSorted(weighed, runs, budget, (group, sorted) => {
    const at = name === 'mode' ? modeOf(sorted, weighed) : valueAt(sorted, weighed, fraction, name);
    chosen[group] = at + 1;
  });
  return yield* rowsOrMissing(weighed.values, chosen, budget);
}

/** Calls `visit` with the entries of each group in the order of their values. Throws 9006. */
function* eachSorted(
  { values }: WeighedValues,
  { groupKeys, starts, order }: GroupRuns,
  budget: MemoryAccount,
  visit: (group: number, sorted: Uint32Array) => void,
): Task<void> {
  budget.reserve(order.length * 4);
  const scratch = new Uint32Array(order.length);
  for (let run = 0, left = SLICE_TEXTS; run < groupKeys.length; run++) {
    const set = order.subarray(starts[run], starts[run + 1]);
    const sorted = yield* mergeSort(set, scratch.subarray(0, set.length), (a, b) =>
      compareRows(values, a, values, b),
    );
    visit(groupKeys[run], sorted);
    left -= set.length;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
}

/** The entry of the most frequent value; of several, the first. */
function modeOf(sorted: Uint32Array, { values, counts }: WeighedValues): number {
  let [best, bestCount] = [sorted[0], 0];
  for (let from = 0; from < sorted.length; ) {
    let [to, count] = [from, 0];
    while (to < sorted.length && compareRows(values, sorted[to], values, sorted[from]) === 0) {
      count += counts[sorted[to++]];
    }
    if (count > bestCount) [best, bestCount] = [sorted[from], count];
    from = to;
  }
  return best;
}

/** The entry at the rank of the fraction: the least rank r, from 1, with r / n >= fraction. */
function valueAt(
  sorted: Uint32Array,
  { counts }: WeighedValues,
  fraction: number | null,
  name: AggregateFunction,
): number {
  invariant(fraction !== null, 'a percentile has a fraction');
  let weight = 0;
  for (const entry of sorted) weight += counts[entry];
  const { parts, of } = exactFraction(fraction);
  const rank = Math.max(Number((BigInt(weight) * parts + of - 1n) / of), 1) - 1;
  let rest = name === 'percentile-disc' ? rank : weight - 1 - rank;
  let at = 0;
  while (rest >= counts[sorted[at]]) rest -= counts[sorted[at++]];
  return sorted[at];
}

function* bitColumn(
  name: 'bit-and' | 'bit-or' | 'bit-xor',
  { values, counts }: WeighedValues,
  { groupKeys, starts, order }: GroupRuns,
  groupCount: number,
  budget: MemoryAccount,
): Task<Vector> {
  invariant(values.kind === 'exact', 'bits are computed from integers');
  budget.reserve(groupCount * (BIGINT_BYTES + 1));
  const { numbers, wide } = values;
  const combined = new Array<bigint>(groupCount).fill(0n);
  const valid = new Uint8Array(groupCount);
  for (let run = 0, left = SLICE_TEXTS; run < groupKeys.length; run++) {
    let bits: bigint | null = null;
    for (let at = starts[run]; at < starts[run + 1]; at++) {
      const entry = order[at];
      const value = numbers === null ? (wide as WideIntegers)[entry] : BigInt(numbers[entry]);
      // Equal values cancel each other out in pairs.
      const own = name === 'bit-xor' && counts[entry] % 2 === 0 ? 0n : value;
      if (bits === null) bits = own;
      else if (name === 'bit-and') bits &= own;
      else bits = name === 'bit-or' ? bits | own : bits ^ own;
    }
    combined[groupKeys[run]] = bits ?? 0n;
    valid[groupKeys[run]] = 1;
    left -= starts[run + 1] - starts[run];
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
  return exactVector(valid.includes(0) ? valid : null, combined);
}

function* listColumn(
  weighed: WeighedValues,
  runs: GroupRuns,
  groupCount: number,
  budget: MemoryAccount,
): Task<Vector> {
  const { values, counts } = weighed;
  invariant(values.kind === 'text', 'lists are made of packed texts');
  const { texts, codes } = values;
  const strings = new Array<string>(groupCount).fill('');
  const valid = new Uint8Array(groupCount);
  yield* eachSorted(weighed, runs, budget, (group, sorted) => {
    const parts: string[] = [];
    let chars = 0;
    for (const entry of sorted) {
      const part = listedPart(texts.text(codes === null ? entry : codes[entry]));
      chars += part.length * counts[entry];
      if (chars > LIST_CHARS_MAX) throw tooLong();
      for (let time = 0; time < counts[entry]; time++) parts.push(part);
    }
    budget.reserve(chars * 2);
    strings[group] = parts.join('');
    valid[group] = 1;
  });
  const all = valid.includes(0) ? valid : null;
  return { kind: 'text', count: groupCount, valid: all, codes: null, texts: Texts.ofStrings(strings) };
}

function listedPart(packed: string): string {
  const end = packed.length - LENGTH_DIGITS;
  return packed.slice(end - Number.parseInt(packed.slice(end), 16), end);
}

const tooLong = (): Error =>
  sqlError(`a list of an aggregate has more than ${LIST_CHARS_MAX.toLocaleString('en')} characters`, null);
