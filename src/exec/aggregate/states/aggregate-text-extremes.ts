/**
 * The least or greatest text of each group. For dictionary-encoded texts a grid records the codes of each group; the
 * texts are compared at the end, in dictionary order, once for each group and code.
 */
import { invariant, type MemoryAccount } from '../../../base/index.js';
import type { AggregateState } from '../../../ir/index.js';
import type { Texts, TextVector, Vector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import { BestTexts } from './aggregate-best-texts.js';
import { type BatchGroups, type GroupAccumulator, presentGroups } from './aggregate-state.js';
import { CodeGrid } from './distinct-grid.js';

/** A comparison of texts takes about as long as reading this many bits of the grid. */
const BITS_PER_ROW = 512;

export class TextExtremes implements GroupAccumulator {
  readonly #sign: 1 | -1;
  readonly #best: BestTexts;
  readonly #grid: CodeGrid;
  /** The dictionary whose codes the grid records; null = none. */
  #noted: Texts | null = null;
  #rowCount = 0;
  readonly #present = new Uint32Array(BATCH_ROWS_MAX);

  /** `gridBitsMax`: the largest number of bits of the grid. */
  constructor(extreme: 'min' | 'max', gridBitsMax: number, memory: MemoryAccount) {
    this.#sign = extreme === 'min' ? 1 : -1;
    this.#best = new BestTexts(extreme, memory);
    this.#grid = new CodeGrid(memory, gridBitsMax);
  }

  add(vector: Vector | null, batch: BatchGroups): void {
    invariant(vector !== null && vector.kind === 'text', 'an extreme takes values of one kind');
    const { codes, texts, valid } = vector;
    this.#best.reserve(batch.groupEnd);
    const groups = presentGroups(vector, batch, this.#present);
    if (codes !== null && texts.distinct) {
      if (this.#noted !== texts) this.#compareNoted();
      this.#noted = texts;
      const present = { ...batch, groups, isOne: batch.isOne && valid === null };
      // The grid iterates only codes above 0.
      this.#rowCount += batch.count;
      const worthwhile = this.#rowCount * BITS_PER_ROW;
      if (this.#grid.mark({ codes, shift: 1 }, texts.size + 1, present, worthwhile)) return;
    }
    this.#compareNoted();
    this.#offerRows(vector, groups);
  }

  #offerRows({ codes, texts, count }: TextVector, groups: Uint32Array): void {
    const { offsets, bytes } = texts.utf8;
    for (let row = 0; row < count; row++) {
      if (groups[row] === 0) continue;
      const code = codes === null ? row : codes[row];
      this.#best.offer(groups[row], bytes, offsets[code], offsets[code + 1]);
    }
  }

  /** Offers the best recorded text of each group and empties the grid. */
  #compareNoted(): void {
    const texts = this.#noted;
    if (texts === null) return;
    const { offsets, bytes } = texts.utf8;
    let bestGroup = 0;
    let best = 0;
    const offerBest = (): void => {
      if (bestGroup !== 0) this.#best.offer(bestGroup, bytes, offsets[best], offsets[best + 1]);
    };
    this.#grid.each((group, code) => {
      if (group !== bestGroup) {
        offerBest();
        bestGroup = group;
        best = code - 1;
      } else if (compareTexts(bytes, offsets, code - 1, best) * this.#sign < 0) best = code - 1;
    });
    offerBest();
    this.#grid.release();
    this.#noted = null;
  }

  state(groupCount: number, run: QueryRun): AggregateState {
    this.#compareNoted();
    return { holds: 'extreme', values: this.#best.texts(groupCount, run) };
  }
}

/** Negative if text `code` sorts before text `other`, which differs from it. */
function compareTexts(bytes: Uint8Array, offsets: Uint32Array, code: number, other: number): number {
  const from = offsets[code];
  const otherFrom = offsets[other];
  const length = offsets[code + 1] - from;
  const otherLength = offsets[other + 1] - otherFrom;
  const shared = Math.min(length, otherLength);
  for (let index = 0; index < shared; index++) {
    const difference = bytes[from + index] - bytes[otherFrom + index];
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}
