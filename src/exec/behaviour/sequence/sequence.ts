/**
 * Sequences. Slots: entities with a match, and matches.
 * The events of an entity are ordered by date, then by the list of the conditions that they satisfy. Tied values of several
 * dates are one event; its date is that for the first condition that it satisfies.
 */
import type { SequenceQuestion } from '../../../ir/index.js';
import { walkEntities } from '../entity-walk.js';
import { sortDates } from '../event-sort.js';
import { type EntityInput, type KernelInput, rangeWithin } from '../kernel.js';
import { SequenceMatcher } from './matcher.js';

/** Memory of an entry of a map from links to events. */
const LINK_BYTES = 64;

export function countSequence(input: KernelInput<SequenceQuestion>): void {
  const { counts } = input.tally;
  eachMatched(input, (_row, matches) => {
    counts[0]++;
    counts[1] += matches;
  });
}

/** Calls `visit` with each entity that has a match, and the number of its matches. */
export function eachMatched(
  input: EntityInput<SequenceQuestion>,
  visit: (row: number, matches: number) => void,
): void {
  const { events, plan, question, run } = input;
  const [dates, masks] = events.columns;
  const matcher = new SequenceMatcher(question.pattern, run);
  walkEntities(events, run, (row, from, to) => {
    const range = rangeWithin(dates, from, to, plan.between);
    if (range.from === range.to) return;
    const end = events.linkColumn < 0 ? range.to : uniteDates(input, range.from, range.to);
    sortSeconds(dates, masks, range.from, end);
    const matches = matcher.count(dates, masks, range.from, end);
    if (matches > 0) visit(row, matches);
  });
}

/** Joins tied values of several dates to one event each; returns the end of the remaining events, which are sorted. */
function uniteDates({ events, run }: EntityInput<SequenceQuestion>, from: number, to: number): number {
  const { columns, linkColumn } = events;
  const [dates, masks] = columns;
  const links = columns[linkColumn];
  const own = run.child();
  try {
    own.reserve((to - from) * LINK_BYTES);
    const known = new Map<number, number>();
    let end = from;
    for (let at = from; at < to; at++) {
      const first = links[at] === 0 ? undefined : known.get(links[at]);
      if (first !== undefined) {
        if (lowestBit(masks[at]) < lowestBit(masks[first])) dates[first] = dates[at];
        masks[first] |= masks[at];
        continue;
      }
      if (end !== at) for (const column of columns) column[end] = column[at];
      known.set(links[end], end);
      end++;
    }
    if (end !== to) sortDates(columns, from, end);
    return end;
  } finally {
    own.releaseAll();
  }
}

/** The index of the lowest bit. */
const lowestBit = (mask: number): number => 31 - Math.clz32(mask & -mask);

/** Sorts the masks of each second; events with equal masks are the same to a pattern. */
function sortSeconds(dates: Uint32Array, masks: Uint32Array, from: number, to: number): void {
  for (let begin = from; begin < to; ) {
    let next = begin + 1;
    let isSorted = true;
    for (; next < to && dates[next] === dates[begin]; next++) {
      if (compareMasks(masks[next - 1], masks[next]) > 0) isSorted = false;
    }
    if (!isSorted) sortMasks(masks.subarray(begin, next));
    begin = next;
  }
}

/** Sorts by counting: a second has few different masks. */
function sortMasks(masks: Uint32Array): void {
  const counts = new Map<number, number>();
  for (const mask of masks) counts.set(mask, (counts.get(mask) ?? 0) + 1);
  let at = 0;
  for (const mask of [...counts.keys()].sort(compareMasks)) {
    const end = at + (counts.get(mask) as number);
    masks.fill(mask, at, end);
    at = end;
  }
}

/** Compares the ascending lists of the bits that are set; a list that begins a longer one is first. */
export function compareMasks(a: number, b: number): number {
  const different = (a ^ b) >>> 0;
  if (different === 0) return 0;
  const lowest = different & -different;
  const above = ~(lowest | (lowest - 1));
  const [isInA, other] = (a & lowest) !== 0 ? [true, b] : [false, a];
  // The other list goes on with a higher bit, or it has ended.
  const isOtherFirst = (other & above) === 0;
  return isOtherFirst === isInA ? 1 : -1;
}
