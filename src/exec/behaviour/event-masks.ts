/**
 * Evaluates the events of a question over the stored events of a column: which of them satisfies which event, as one bit
 * each. The events of a column of strings are evaluated once per distinct string, the others once per event.
 */
import type { BehaviourScope, EventAlternative, EventColumnTest } from '../../ir/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import { EventSelection, type SelectedEvents } from '../condition/event-selection.js';
import type { EntityOrder } from '../event-order/entity-order.js';
import type { QueryRun } from '../query-run.js';
import type { OrderedColumn } from './ordered-events.js';

const WINDOW = { from: 0, to: 0xffffffff };

/** One alternative, by its first column. */
export interface EventSource {
  readonly bit: number;
  readonly test: EventColumnTest;
  readonly others: readonly EventColumnTest[];
  /** Alternatives of the event before this one, whose first columns are others: what they accept has their date. */
  readonly before: readonly EventAlternative[];
}

/** The alternatives of all events of the plan, by their first column. */
export function sourcesOf({
  events,
  streams,
  isTied,
}: BehaviourScope): ReadonlyMap<number, readonly EventSource[]> {
  const byColumn = new Map<number, EventSource[]>();
  events.forEach((event, bit) => {
    event.forEach(([test, ...others], index) => {
      const sources = byColumn.get(test.columnId) ?? [];
      const hasOneDate = isTied && !streams.includes(bit);
      const before = hasOneDate
        ? event.slice(0, index).filter(([{ columnId }]) => columnId !== test.columnId)
        : [];
      sources.push({ bit, test, others, before });
      byColumn.set(test.columnId, sources);
    });
  });
  return byColumn;
}

interface PreparedSource {
  readonly bit: number;
  readonly selection: EventSelection;
  /** Bit l: the tied values of link l pass the other tests; null = there are no other tests. */
  readonly links: Uint8Array | null;
  /** Bit l: the tied values of link l satisfy an alternative before; null = there is none. */
  readonly taken: Uint8Array | null;
}

/** Bits of the events of one column, in words of 32. */
export class EventMasks {
  readonly #shard: DimensionShard;
  readonly #sources: readonly PreparedSource[];
  readonly #words: number;
  readonly #run: QueryRun;
  /** By word: the bits of each code of a column of strings; null = they do not depend on the code alone. */
  readonly #byCode: readonly Uint32Array[] | null;

  /** Throws 9005, 9006. */
  constructor(
    shard: DimensionShard,
    columnId: number,
    sources: readonly EventSource[],
    words: number,
    run: QueryRun,
  ) {
    this.#shard = shard;
    this.#words = words;
    this.#run = run;
    this.#sources = sources.map(
      ({ bit, test, others, before }): PreparedSource => ({
        bit,
        selection: new EventSelection(shard, { ...test, window: WINDOW }, run),
        links: others.length === 0 ? null : linksOfAll(shard, others, run),
        taken: before.length === 0 ? null : linksOfAny(shard, before, run),
      }),
    );
    const hasCodes = shard.events.get(columnId)?.kind === 'code';
    const isSimple = this.#sources.every(({ links, taken }) => links === null && taken === null);
    this.#byCode = hasCodes && isSimple ? this.#bitsByCode(columnId) : null;
  }

  #bitsByCode(columnId: number): readonly Uint32Array[] {
    const codeCount = this.#shard.dictionaries.get(columnId)?.codeCount ?? 1;
    this.#run.reserve(codeCount * 4 * this.#words);
    const bits = Array.from({ length: this.#words }, () => new Uint32Array(codeCount));
    for (const { bit, selection } of this.#sources) {
      const [word, flag] = [bits[bit >> 5], 1 << (bit & 31)];
      selection.eachPassingCode(codeCount, (code) => {
        word[code] |= flag;
      });
    }
    return bits;
  }

  /** One column per word of bits. Throws 9005, 9006. */
  columnsOf(order: EntityOrder): readonly OrderedColumn[] {
    const { codes, positions } = order;
    if (this.#byCode !== null && codes !== null) return this.#byCode.map((table) => ({ keys: codes, table }));
    return this.#byPosition(order).map((table) => ({ keys: positions, table }));
  }

  #byPosition({ segments, eventCount }: EntityOrder): readonly Uint32Array[] {
    this.#run.reserve(eventCount * 4 * this.#words);
    const all = Array.from({ length: this.#words }, () => new Uint32Array(eventCount));
    let position = 0;
    for (const segment of segments) {
      this.#run.check();
      const end = position + segment.eventCount;
      this.#mark(
        segment,
        all.map((word) => word.subarray(position, end)),
      );
      position = end;
    }
    return all;
  }

  #mark(segment: EventSegment, masks: readonly Uint32Array[]): void {
    if (segment.eventCount === 0) return;
    const links = segment.links();
    for (const { bit, selection, links: passing, taken } of this.#sources) {
      const mask = masks[bit >> 5];
      const flag = 1 << (bit & 31);
      if (passing !== null && links === null) continue;
      eachSelected(segment, selection.select(segment), (event) => {
        if (passing !== null) {
          const link = (links as Uint32Array)[event];
          if (link === 0 || !hasBit(passing, link)) return;
        }
        if (taken !== null && links !== null && hasBit(taken, links[event])) return;
        mask[event] |= flag;
      });
    }
  }

  release(): void {
    for (const { selection } of this.#sources) selection.release();
  }
}

function eachSelected(segment: EventSegment, selected: SelectedEvents, act: (event: number) => void): void {
  if (selected.count === 0) return;
  const { from, to, start, isRange, bitmapAt } = selected;
  if (isRange) {
    for (let event = from; event < to; event++) act(event);
    return;
  }
  const { u32 } = segment.arena;
  const first = bitmapAt >> 2;
  for (let base = start; base < to; base += 32) {
    for (let bits = u32[first + ((base - start) >> 5)]; bits !== 0; bits &= bits - 1) {
      const event = base + 31 - Math.clz32(bits & -bits);
      if (event < to) act(event);
    }
  }
}

const hasBit = (bits: Uint8Array, at: number): boolean => ((bits[at >> 3] >> (at & 7)) & 1) !== 0;

/** The links whose tied values satisfy one of the alternatives, as a bitmap. */
function linksOfAny(
  shard: DimensionShard,
  alternatives: readonly EventAlternative[],
  run: QueryRun,
): Uint8Array {
  const [first, ...others] = alternatives.map((tests) => linksOfAll(shard, tests, run));
  for (const other of others) for (let at = 0; at < first.length; at++) first[at] |= other[at];
  // Values without a link have link 0.
  first[0] &= ~1;
  return first;
}

/** The links whose tied values pass all tests, as a bitmap. */
function linksOfAll(shard: DimensionShard, tests: readonly EventColumnTest[], run: QueryRun): Uint8Array {
  const bytes = (linkEndOf(shard) >> 3) + 1;
  run.reserve(bytes * 2);
  let all: Uint8Array | null = null;
  for (const test of tests) {
    const found = new Uint8Array(bytes);
    const selection = new EventSelection(shard, { ...test, window: WINDOW }, run);
    for (const segment of selection.table?.segments ?? []) {
      run.check();
      const links = segment.links();
      if (links === null || segment.eventCount === 0) continue;
      eachSelected(segment, selection.select(segment), (event) => {
        found[links[event] >> 3] |= 1 << (links[event] & 7);
      });
    }
    selection.release();
    if (all === null) all = found;
    else for (let at = 0; at < bytes; at++) all[at] &= found[at];
  }
  return all ?? new Uint8Array(bytes);
}

/** One more than the greatest link of the shard. */
export function linkEndOf(shard: DimensionShard): number {
  let greatest = 0;
  for (const { segments } of shard.events.values()) {
    for (const segment of segments) {
      for (const link of segment.links() ?? []) if (link > greatest) greatest = link;
    }
  }
  return greatest + 1;
}
