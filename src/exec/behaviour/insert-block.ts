/** Merges the events of two blocks of the same entities. */
import { sortDates } from './event-sort.js';
import type { EventBlock } from './ordered-events.js';

/** Fewer elements are moved one by one. */
const COPY_MIN = 16;

/** Inserts the events of `other` in `block`, whose columns have capacity for both; each entity's stay in the order of dates. */
export function insertBlock({ starts, columns }: EventBlock, other: EventBlock, entityCount: number): void {
  let left = other.starts[entityCount];
  if (left === 0) return;
  // From the last event to the first, so that the block is its own target.
  let [from, to] = [starts[entityCount], starts[entityCount] + left];
  for (let entity = entityCount - 1; left > 0; entity--) {
    const [otherFrom, otherTo] = [other.starts[entity], other.starts[entity + 1]];
    const count = otherTo - otherFrom;
    if (count === 0) continue;
    const [ownFrom, ownTo] = [starts[entity], starts[entity + 1]];
    const own = ownTo - ownFrom;
    const later = from - ownTo;
    for (let column = 0; column < columns.length; column++) {
      const events = columns[column];
      moveUp(events, ownTo, later, to - later);
      moveUp(events, ownFrom, own, to - later - count - own);
      copy(other.columns[column], otherFrom, count, events, to - later - count);
    }
    to -= later + count + own;
    from = ownFrom;
    left -= count;
    sortDates(columns, to, to + own + count);
  }
  for (let entity = 1; entity <= entityCount; entity++) starts[entity] += other.starts[entity];
}

/** Moves elements to a position that is not before theirs. */
function moveUp(events: Uint32Array, from: number, count: number, to: number): void {
  if (from === to) return;
  if (count >= COPY_MIN) events.copyWithin(to, from, from + count);
  else for (let at = count - 1; at >= 0; at--) events[to + at] = events[from + at];
}

function copy(events: Uint32Array, from: number, count: number, target: Uint32Array, to: number): void {
  for (let at = 0; at < count; at++) target[to + at] = events[from + at];
}
