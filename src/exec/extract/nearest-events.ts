/**
 * Orders entities by the nearest of their events that lie in a window and pass tests. Only entities that may be among
 * the first rows are kept; the distance of the last one limits which events need to be checked.
 * Invariant  a dropped entity is never added again, because the radius only shrinks and an entity's distance is the
 *            distance of its nearest event, which is also checked.
 */
import { invariant } from '../../base/index.js';
import type { NearPlan } from '../../ir/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import { EventSelection, type SelectedEvents } from '../condition/event-selection.js';
import type { QueryRun } from '../query-run.js';
import type { ShardIds } from '../scan/shard-ids.js';
import { GeoRing } from './geo-ring.js';
import { distanceFrom, isNearer, type NearestPoint } from './nearest-points.js';
import { fillWords, hasBit, rowsOfWords, WORDS_PER_SEGMENT } from './row-words.js';

export type NearEvents = Extract<NearPlan, { readonly from: 'events' }>;

/** Temporary bytes of a scan of one segment's events. */
const STEP_BYTES = WORDS_PER_SEGMENT * 8 + WORDS_PER_SEGMENT * 128;

/** Scans the events of the plan, one segment after another. */
class EventScan {
  readonly #near: NearEvents;
  readonly #events: EventSelection;
  readonly #run: QueryRun;
  readonly #ring: GeoRing;
  readonly #words = new Uint32Array(WORDS_PER_SEGMENT);
  readonly #inner = new Uint32Array(WORDS_PER_SEGMENT);
  readonly #segmentRows = new Uint32Array(WORDS_PER_SEGMENT * 32);

  /** `release` must be called at the end. Throws 9006. */
  constructor(shard: DimensionShard, near: NearEvents, run: QueryRun) {
    run.reserve(STEP_BYTES);
    this.#near = near;
    this.#run = run;
    this.#ring = new GeoRing(near);
    this.#events = new EventSelection(shard, near, run);
  }

  release(): void {
    this.#events.release();
    this.#run.release(STEP_BYTES);
  }

  /** Visits the events that may be at most farKm() away; farKm is called once per segment. */
  within(farKm: () => number, visit: (row: number, point: NearestPoint) => void): void {
    this.#each((segment, selected) => {
      this.#narrow(segment, selected, 0, farKm());
      this.#visit(segment, selected.start, visit);
    });
  }

  /**
   * Does the same for a fixed distance. For events that are certainly nearer, the method only calls `inside` with the
   * row.
   */
  around(
    farKm: number,
    inside: (row: number) => void,
    visit: (row: number, point: NearestPoint) => void,
  ): void {
    this.#each((segment, selected) => {
      this.#narrow(segment, selected, 0, farKm);
      this.#inner.set(this.#words);
      this.#narrow(segment, selected, farKm, Number.POSITIVE_INFINITY);
      this.#visit(segment, selected.start, visit);
      for (let word = 0; word < WORDS_PER_SEGMENT; word++) this.#inner[word] &= ~this.#words[word];
      const segmentRows = rowsOfWords(this.#inner, 0, WORDS_PER_SEGMENT, this.#segmentRows);
      const { rows } = segment.datesAndRows(segment.eventCount);
      for (let at = 0; at < segmentRows; at++) inside(rows[selected.start + this.#segmentRows[at]]);
    });
  }

  #each(look: (segment: EventSegment, selected: SelectedEvents) => void): void {
    for (const segment of this.#events.table?.segments ?? []) {
      this.#run.check();
      const selected = this.#events.select(segment);
      if (selected.count === 0) continue;
      takeWords(segment, selected, this.#words);
      look(segment, selected);
    }
  }

  #narrow(segment: EventSegment, { start, to }: SelectedEvents, nearKm: number, farKm: number): void {
    const pointsAt = segment.valuesAt + start * 16;
    this.#ring.narrow(nearKm, farKm, segment.arena, pointsAt, to - start, this.#words);
  }

  #visit(segment: EventSegment, start: number, visit: (row: number, point: NearestPoint) => void): void {
    const { rows } = segment.datesAndRows(segment.eventCount);
    const { f64 } = segment.arena;
    const count = rowsOfWords(this.#words, 0, WORDS_PER_SEGMENT, this.#segmentRows);
    for (let at = 0; at < count; at++) {
      const segmentRow = start + this.#segmentRows[at];
      const point = (segment.valuesAt >> 3) + segmentRow * 2;
      const [longitude, latitude] = [f64[point], f64[point + 1]];
      const distanceKm = distanceFrom(this.#near, longitude, latitude);
      visit(rows[segmentRow], { longitude, latitude, distanceKm });
    }
  }
}

/** Writes the selected events as words: bit 0 is event `start`. */
function takeWords({ arena }: EventSegment, events: SelectedEvents, words: Uint32Array): void {
  const { start, from, to, isRange, bitmapAt } = events;
  words.fill(0);
  if (!isRange) {
    const first = bitmapAt >> 2;
    words.set(arena.u32.subarray(first, first + ((to - start + 31) >>> 5)));
    return;
  }
  fillWords(words, 0, to - start);
  for (let bit = 0; bit < from - start; bit++) words[bit >> 5] &= ~(1 << (bit & 31));
}

/** The nearest event of each of the entities in `rows` that has one. Throws 9005 and 9006. */
export function nearestEventsOf(
  shard: DimensionShard,
  near: NearEvents,
  rows: Uint32Array,
  run: QueryRun,
): Map<number, NearestPoint> {
  const wanted = new Set(rows);
  const nearest = new Map<number, NearestPoint>();
  const walk = new EventScan(shard, near, run);
  try {
    walk.within(
      () => Number.POSITIVE_INFINITY,
      (row, point) => {
        if (wanted.has(row) && isNearer(point, nearest.get(row))) nearest.set(row, point);
      },
    );
  } finally {
    walk.release();
  }
  return nearest;
}

/** Bytes of the nearest event of a row. */
export const NEAREST_BYTES = 96;

/** The position of a row among rows in the order of their nearest events. */
export interface NearestPosition {
  readonly distanceKm: number;
  readonly id: Uint8Array;
}

/** The part of the order that is searched. */
export interface NearestSearch {
  readonly limit: number;
  /** The rows that may be found, one bit each; the search modifies it. */
  readonly eligible: Uint32Array;
  /** Rows up to and including this position are left out. */
  readonly after: NearestPosition | null;
  /** Rows farther away may be omitted. */
  readonly farKm: number;
}

/** Finds the first rows by the distance of their nearest event, then by ID. */
export class NearestEvents {
  readonly nearest = new Map<number, NearestPoint>();
  readonly #ids: ShardIds;
  readonly #search: NearestSearch;
  #radiusKm: number;

  constructor(ids: ShardIds, search: NearestSearch) {
    this.#ids = ids;
    this.#search = search;
    this.#radiusKm = search.farKm;
  }

  /** The first rows, in order, whose points `nearest` has. Throws 9005 and 9006. */
  search(shard: DimensionShard, near: NearEvents, run: QueryRun): Uint32Array {
    const { after } = this.#search;
    const walk = new EventScan(shard, near, run);
    try {
      if (after !== null) this.#leaveOut(walk, after);
      walk.within(
        () => this.#radiusKm,
        (row, point) => this.#add(row, point),
      );
    } finally {
      walk.release();
    }
    return this.#first();
  }

  /** Makes entities ineligible that have an event nearer than `after`, or sort before it at the same distance. */
  #leaveOut(walk: EventScan, after: NearestPosition): void {
    const { eligible } = this.#search;
    const leaveOut = (row: number): void => {
      eligible[row >>> 5] &= ~(1 << (row & 31));
    };
    walk.around(after.distanceKm, leaveOut, (row, { distanceKm }) => {
      if (distanceKm > after.distanceKm || !hasBit(eligible, row)) return;
      if (distanceKm < after.distanceKm || this.#ids.compareWith(row, after.id) <= 0) leaveOut(row);
    });
  }

  #add(row: number, point: NearestPoint): void {
    if (point.distanceKm > this.#radiusKm || !hasBit(this.#search.eligible, row)) return;
    if (!isNearer(point, this.nearest.get(row))) return;
    this.nearest.set(row, point);
    if (this.nearest.size < this.#search.limit * 2) return;
    const retained = Array.from(this.#first(), (first) => [first, this.#pointOf(first)] as const);
    this.nearest.clear();
    for (const [first, its] of retained) this.nearest.set(first, its);
    this.#radiusKm = retained[retained.length - 1][1].distanceKm;
  }

  #pointOf(row: number): NearestPoint {
    const point = this.nearest.get(row);
    invariant(point !== undefined, 'a row that was found has a point');
    return point;
  }

  #first(): Uint32Array {
    const found = [...this.nearest];
    found.sort(([a, { distanceKm }], [b, other]) => distanceKm - other.distanceKm || this.#ids.compare(a, b));
    return Uint32Array.from(found.slice(0, this.#search.limit), ([row]) => row);
  }
}
