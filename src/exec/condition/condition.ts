/**
 * Evaluates a condition over one dimension of one shard, entity segment by entity segment.
 * Invariants  leaves on events and entity IDs are evaluated once for the whole shard, attribute leaves per segment in
 *             the column's arena. Results are combined in the worker's scratch arena, one bitmap per depth. The
 *             bitmap of a selection of no rows or all rows is undefined, so counts are checked first. Inside a
 *             condition deleted rows may be selected (they have no values, but they have events, and IDs that `not`
 *             selects); at the root they are removed.
 */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { Condition, EventTest } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import {
  type Arena,
  BITMAP_BYTES,
  type DimensionShard,
  type EntitySegment,
  valueBytes,
} from '../../storage/index.js';
import { entitiesByBehaviour } from '../behaviour/selected.js';
import type { QueryRun } from '../query-run.js';
import { refineAttribute, selectAttribute } from './attribute-leaf.js';
import { entitiesById } from './entity-id-leaf.js';
import { entitiesWithEvents } from './event-leaf.js';
import type { RetainedEvents } from './event-members.js';
import { keepLiving } from './living-rows.js';
import { type Leaf, type NormalNode, normalize } from './normal-form.js';
import { membersOf, type RowsOnly, rowsOnly, type SegmentEvaluation } from './segment-leaf.js';
import { newShardBitmap, segmentPart } from './shard-bitmap.js';
import type { TextTest } from './text-match.js';
import { PreparedTest } from './value-test.js';

/** If fewer than one in this many bits are set, a bitmap is narrowed row by row instead of by another scan. */
const SPARSE = 8;

type PreparedLeaf =
  | { readonly over: 'segment'; readonly columnId: number; readonly tests: readonly PreparedTest[] }
  /** Whether a value of the column is missing. */
  | { readonly over: 'validity'; readonly columnId: number }
  /** `owners`: null, or the event column whose events an entity must have for the leaf to be known. */
  | { readonly over: 'shard'; readonly bitmap: Uint8Array; readonly owners: number | null };

/** The rows for which a condition is evaluated (null = all), and the segment's retained entities of conditions on events. */
interface EvaluationScope {
  readonly only?: RowsOnly | null;
  readonly events?: RetainedEvents | null;
}

export class ShardCondition {
  readonly #shard: DimensionShard;
  readonly #scratch: Arena;
  readonly #run: QueryRun;
  readonly #root: NormalNode;
  readonly #leaves = new Map<NormalNode, PreparedLeaf>();
  /** null = the condition is evaluated for all rows. */
  readonly #only: RowsOnly | null;
  readonly #events: RetainedEvents | null;

  /** Resolves texts and evaluates the shard-wide leaves; `release` must be called at the end. */
  constructor(
    shard: DimensionShard,
    condition: Condition,
    scratch: Arena,
    run: QueryRun,
    { only = null, events = null }: EvaluationScope = {},
  ) {
    this.#run = run;
    this.#only = only;
    this.#events = events;
    this.#shard = shard;
    this.#scratch = scratch;
    this.#root = normalize(condition, (leaf) => leafCost(shard, leaf));
    this.#prepare(this.#root);
  }

  /** The number of entities for which the condition is true. */
  count(): number {
    let sum = 0;
    for (let index = 0; index < this.#shard.segments.length; index++) {
      this.#run.check();
      const segment = this.#shard.segments[index];
      sum +=
        segment.deadCount === 0
          ? this.#select(this.#root, segment, index, 0, true)
          : this.#selectLiving(segment, index);
    }
    return sum;
  }

  /**
   * Selects the rows of one segment that are not deleted and for which the condition is true: see
   * EntitySelection.select.
   */
  select(index: number): number {
    return this.#selectLiving(this.#shard.segments[index], index);
  }

  /** The entities for which the condition is true, as a bitmap of the shard; of other segments than `only` (null = all): none. */
  bitmap(only: ReadonlySet<number> | null = null): Uint8Array {
    const bitmap = newShardBitmap(this.#shard, this.#run);
    const at = this.#scratch.scratchBitmap(0);
    this.#shard.segments.forEach(({ rowCount }, index) => {
      if (only !== null && !only.has(index)) return;
      this.#run.check();
      const count = this.select(index);
      if (count === 0) return;
      if (count === rowCount) this.#scratch.kernels.fill(rowCount, at);
      bitmap.set(this.#scratch.u8.subarray(at, at + bitmapBytes(rowCount)), index * BITMAP_BYTES);
    });
    return bitmap;
  }

  /** The rows of the entities for which the condition is true, ascending. */
  rows(): Uint32Array {
    const { u8 } = this.#scratch;
    const at = this.#scratch.scratchBitmap(0);
    const parts: Uint32Array[] = [];
    let total = 0;
    for (let index = 0; index < this.#shard.segments.length; index++) {
      const { rowCount } = this.#shard.segments[index];
      const count = this.#selectLiving(this.#shard.segments[index], index);
      if (count === 0) continue;
      if (count === rowCount) this.#scratch.kernels.fill(rowCount, at);
      parts.push(rowsOf(u8, at, count, index * SEGMENT_ROWS_MAX));
      total += count;
    }
    const rows = new Uint32Array(total);
    let end = 0;
    for (const part of parts) {
      rows.set(part, end);
      end += part.length;
    }
    return rows;
  }

  /** For each of `rows`: 1 if the condition is true, else 0. Evaluates only the segments of these rows. */
  holdsFor(rows: readonly number[]): Uint8Array {
    const { u8 } = this.#scratch;
    const at = this.#scratch.scratchBitmap(0);
    const holds = new Uint8Array(rows.length);
    for (const index of new Set(rows.map((row) => row >>> SEGMENT_ROWS_SHIFT))) {
      const segment = this.#shard.segments[index];
      const count = this.#selectLiving(segment, index);
      if (count === 0) continue;
      rows.forEach((row, position) => {
        if (row >>> SEGMENT_ROWS_SHIFT !== index) return;
        const segmentRow = row & SEGMENT_ROWS_MASK;
        holds[position] =
          count === segment.rowCount ? 1 : (u8[at + (segmentRow >> 3)] >> (segmentRow & 7)) & 1;
      });
    }
    return holds;
  }

  /**
   * Selects rows of the segment that are not deleted and for which the condition is true into scratch bitmap 0, which
   * is undefined if none or all rows of the segment are selected.
   */
  #selectLiving(segment: EntitySegment, index: number): number {
    return keepLiving(segment, this.#scratch, this.#select(this.#root, segment, index, 0, false));
  }

  release(): void {
    for (const leaf of this.#leaves.values()) {
      if (leaf.over === 'segment') for (const test of leaf.tests) test.release();
    }
  }

  #prepare(node: NormalNode): void {
    if (node.op === 'leaf') this.#leaves.set(node, this.#prepareLeaf(node.leaf));
    else for (const member of node.members) this.#prepare(member);
  }

  #prepareLeaf(leaf: Leaf): PreparedLeaf {
    this.#run.check();
    const shard = this.#shard;
    switch (leaf.op) {
      case 'attribute': {
        const dictionary = shard.dictionaries.get(leaf.columnId);
        const tests = leaf.tests.map((test) => new PreparedTest(test, dictionary, this.#run));
        return { over: 'segment', columnId: leaf.columnId, tests };
      }
      case 'missing':
        return { over: 'validity', columnId: leaf.columnId };
      case 'event':
        return {
          over: 'shard',
          bitmap: this.#entitiesWithEvents([leaf.event], leaf.minfreq),
          owners: leaf.event.columnId,
        };
      case 'freqgroup':
        return {
          over: 'shard',
          bitmap: this.#entitiesWithEvents(leaf.events, leaf.minfreq),
          owners: null,
        };
      case 'behaviour':
        return {
          over: 'shard',
          bitmap: entitiesByBehaviour(
            shard,
            leaf,
            (run) => (condition) => entitiesOf(shard, condition, this.#scratch, run, this.#only),
            this.#run,
          ),
          owners: null,
        };
      case 'segment':
        return { over: 'shard', bitmap: membersOf(shard, leaf, this.#evaluation(), this.#run), owners: null };
      case 'entity-id':
        return {
          over: 'shard',
          bitmap: entitiesById(shard, leaf.tests as readonly TextTest[], this.#run, this.#only),
          owners: null,
        };
    }
  }

  #entitiesWithEvents(events: readonly EventTest[], minfreq: number): Uint8Array {
    if (this.#events === null) return entitiesWithEvents(this.#shard, events, minfreq, this.#run);
    return this.#events.entities(this.#shard, events, minfreq, this.#run);
  }

  /** Evaluates the conditions of segments. Runs before anything is in the scratch bitmaps. */
  #evaluation(): SegmentEvaluation {
    const shard = this.#shard;
    const [scratch, run] = [this.#scratch, this.#run];
    return {
      all: (condition, events) => bitmapOf(shard, condition, scratch, run, events),
      rows: (condition, events, rows) => {
        const only = rowsOnly(shard, rows);
        const prepared = new ShardCondition(shard, condition, scratch, run, { only, events });
        try {
          return prepared.holdsFor(rows);
        } finally {
          prepared.release();
        }
      },
    };
  }

  /**
   * Selects rows of the segment for which the node is true into scratch bitmap `slot` (not written for a leaf with
   * countOnly).
   */
  #select(node: NormalNode, segment: EntitySegment, index: number, slot: number, countOnly: boolean): number {
    if (node.op === 'leaf') return this.#selectLeaf(node, segment, index, slot, countOnly);
    const { rowCount } = segment;
    const { kernels } = this.#scratch;
    const out = this.#scratch.scratchBitmap(slot);
    const decided = node.op === 'and' ? 0 : rowCount;
    const neutral = rowCount - decided;
    let count = neutral;
    for (const member of node.members) {
      const first = count === neutral;
      if (node.op === 'and' && count * SPARSE < rowCount) {
        const refined = this.#refine(member, segment, out);
        if (refined !== null) {
          if (refined === 0) return 0;
          count = refined;
          continue;
        }
      }
      const selected = this.#select(member, segment, index, first ? slot : slot + 1, false);
      if (selected === decided) return decided;
      if (selected === neutral) continue;
      if (first) count = selected;
      else {
        const other = this.#scratch.scratchBitmap(slot + 1);
        count =
          node.op === 'and' ? kernels.and(out, other, rowCount, out) : kernels.or(out, other, rowCount, out);
        if (count === decided) return decided;
      }
    }
    return count;
  }

  /** Narrows the rows set in scratch bitmap `at` without a scan; returns null if the member does not support it. */
  #refine(member: NormalNode, segment: EntitySegment, at: number): number | null {
    if (member.op !== 'leaf' || member.negated) return null;
    const leaf = this.#leaves.get(member) as PreparedLeaf;
    if (leaf.over !== 'segment') return null;
    return refineAttribute(segment, leaf.columnId, leaf.tests, this.#scratch, at);
  }

  #selectLeaf(
    node: Extract<NormalNode, { op: 'leaf' }>,
    segment: EntitySegment,
    index: number,
    slot: number,
    countOnly: boolean,
  ): number {
    const leaf = this.#leaves.get(node) as PreparedLeaf;
    const { rowCount } = segment;
    const { u8, kernels } = this.#scratch;
    const out = this.#scratch.scratchBitmap(slot);
    if (leaf.over === 'segment') {
      const { count, arena, bitmapAt } = selectAttribute(segment, leaf.columnId, leaf.tests, node.negated);
      if (!countOnly && arena !== null && count > 0 && count < rowCount) {
        u8.set(arena.u8.subarray(bitmapAt, bitmapAt + BITMAP_BYTES), out);
      }
      return count;
    }
    if (leaf.over === 'validity') return this.#selectMissing(leaf.columnId, node.negated, segment, slot);
    u8.set(segmentPart(leaf.bitmap, index, rowCount), out);
    if (!node.negated) return kernels.count(out, rowCount);
    const other = this.#scratch.scratchBitmap(slot + 1);
    if (leaf.owners === null) kernels.fill(rowCount, other);
    else {
      const owners = segment.eventOwners(leaf.owners);
      if (owners === undefined) return 0;
      u8.set(owners.arena.u8.subarray(owners.at, owners.at + Math.ceil(rowCount / 128) * 16), other);
    }
    return kernels.andNot(other, out, rowCount, out);
  }

  /** Selects rows without a value of the column (`negated`: with a value); deleted rows have none. */
  #selectMissing(columnId: number, negated: boolean, segment: EntitySegment, slot: number): number {
    const { rowCount } = segment;
    const { u8, kernels } = this.#scratch;
    const out = this.#scratch.scratchBitmap(slot);
    const { count, arena, bitmapAt } = selectAttribute(segment, columnId, [], false);
    if (arena === null || count === 0 || count === rowCount) return negated ? count : rowCount - count;
    u8.set(arena.u8.subarray(bitmapAt, bitmapAt + BITMAP_BYTES), out);
    if (negated) return count;
    const other = this.#scratch.scratchBitmap(slot + 1);
    kernels.fill(rowCount, other);
    return kernels.andNot(other, out, rowCount, out);
  }
}

/** The entities that satisfy a condition on entities in a question (null = all), among the rows `only` (null = all). */
function entitiesOf(
  shard: DimensionShard,
  condition: Condition | null,
  scratch: Arena,
  run: QueryRun,
  only: RowsOnly | null,
): Uint8Array | null {
  if (only === null) return condition === null ? null : bitmapOf(shard, condition, scratch, run);
  if (condition === null) return only.bitmap;
  const prepared = new ShardCondition(shard, condition, scratch, run, { only });
  try {
    const bitmap = prepared.bitmap(only.segments);
    for (let at = 0; at < bitmap.length; at++) bitmap[at] &= only.bitmap[at];
    return bitmap;
  } finally {
    prepared.release();
  }
}

/** The entities that satisfy a condition inside another, as a bitmap of the shard. */
function bitmapOf(
  shard: DimensionShard,
  condition: Condition,
  scratch: Arena,
  run: QueryRun,
  events: RetainedEvents | null = null,
): Uint8Array {
  const prepared = new ShardCondition(shard, condition, scratch, run, { events });
  try {
    return prepared.bitmap();
  } finally {
    prepared.release();
  }
}

/** The positions of the `count` set bits of the bitmap at byte `at`, each plus `base`. */
function rowsOf(u8: Uint8Array, at: number, count: number, base: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let byte = 0, next = 0; next < count; byte++) {
    const bits = u8[at + byte];
    if (bits === 0) continue;
    for (let bit = 0; bit < 8; bit++) if (bits & (1 << bit)) rows[next++] = base + byte * 8 + bit;
  }
  return rows;
}

/** Bytes that a leaf reads per row, estimated from the newest segment. */
function leafCost(shard: DimensionShard, leaf: Leaf): number {
  if (leaf.op !== 'attribute') return 1 / 8;
  const column = shard.segments.at(-1)?.latest(leaf.columnId);
  if (column === undefined) return 64;
  const bytes = valueBytes(column.kind, column.width, SEGMENT_ROWS_MAX) / SEGMENT_ROWS_MAX;
  const radius = leaf.tests.some(({ kind }) => kind === 'geo-radius');
  return bytes * leaf.tests.length * (radius ? 8 : 1);
}
