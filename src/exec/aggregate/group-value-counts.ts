/** Counts the occurrences of each distinct value by group key. */
import { grownWithin, invariant, type MemoryAccount } from '../../base/index.js';
import type { ValueCounts } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { MomentSink } from './moment-table.js';
import { type ColumnSource, numberingOf, type ReversibleNumbering } from './numbering.js';
import { BATCH_MAX, type ValueBatch } from './value-batch.js';
import { WordTable } from './value-table.js';
import type { ValueView } from './value-view.js';

const PAIRS_MIN = 64;

export class GroupValueCounts implements MomentSink {
  readonly requiresValues = true;
  readonly acceptsViews = false;
  readonly #run: QueryRun;
  /** Memory of the tables, until the result is returned. */
  readonly #memory: MemoryAccount;
  readonly #numbering: ReversibleNumbering;
  /** Numbers pairs (group key, value number); null = there is a single group, and the value number identifies the pair. */
  readonly #pairs: WordTable | null;
  /** By pair. */
  #counts = new Float64Array(0);
  /** 0, 1, 2, ...: the entries of a batch. */
  readonly #entries: Uint32Array;
  readonly #numbers: Uint32Array;

  /** Throws 9006. */
  constructor(shard: DimensionShard, source: ColumnSource, groupKeyCount: number, run: QueryRun) {
    this.#run = run;
    this.#memory = run.child();
    this.#numbering = numberingOf(shard, source, this.#memory);
    this.#pairs = groupKeyCount === 1 ? null : new WordTable(this.#memory);
    this.#entries = this.#memory.u32(BATCH_MAX).map((_, entry) => entry);
    this.#numbers = this.#memory.u32(BATCH_MAX);
  }

  acceptsBitmaps(): boolean {
    return false;
  }

  addBitmap(): void {
    invariant(false, 'distinct values are not counted by bitmap');
  }

  addRun(groupKey: number, values: ValueBatch | null, from: number, to: number): void {
    const numbers = this.#numbersOf(values, from, to);
    if (this.#pairs === null) {
      this.#reserve(this.#numbering.count);
      for (let at = 0; at < to - from; at++) this.#counts[numbers[at]]++;
    } else for (let at = 0; at < to - from; at++) this.#addPair(this.#pairs, groupKey, numbers[at]);
  }

  addEach(groupKeys: Uint32Array, values: ValueBatch | null, from: number, to: number): void {
    if (this.#pairs === null) {
      this.addRun(0, values, from, to);
      return;
    }
    const numbers = this.#numbersOf(values, from, to);
    for (let entry = from; entry < to; entry++) {
      this.#addPair(this.#pairs, groupKeys[entry], numbers[entry - from]);
    }
  }

  /** May be called only once: releases the tables' memory and reserves the result's. Throws 9006. */
  result(): ValueCounts {
    const counts = this.#counts;
    const end = this.#pairs?.count ?? counts.length;
    let selectedCount = 0;
    for (let pair = 0; pair < end; pair++) if (counts[pair] > 0) selectedCount++;
    this.#run.reserve(selectedCount * 16);
    const answer = {
      numbers: new Uint32Array(selectedCount),
      counts: new Float64Array(selectedCount),
      groupKeys: this.#pairs === null ? null : new Uint32Array(selectedCount),
    };
    const keys = this.#pairs?.keys;
    for (let pair = 0, at = 0; pair < end; pair++) {
      if (counts[pair] === 0) continue;
      answer.numbers[at] = keys === undefined ? pair : keys[pair * 2 + 1];
      answer.counts[at] = counts[pair];
      if (answer.groupKeys !== null && keys !== undefined) answer.groupKeys[at] = keys[pair * 2];
      at++;
    }
    const values = this.#numbering.valuesOf(answer.numbers, this.#run);
    this.#memory.releaseAll();
    return { answers: 'values', values, counts: answer.counts, groupKeys: answer.groupKeys, restMax: 0 };
  }

  /** The value numbers of entries [from, to): a view that is valid until the next call. */
  #numbersOf(values: ValueBatch | null, from: number, to: number): Uint32Array {
    invariant(values !== null, 'distinct values are counted without values');
    const entries = this.#entries.subarray(from, to);
    this.#numbering.number(viewOfBatch(values), entries, to - from, this.#numbers);
    return this.#numbers;
  }

  #addPair(pairs: WordTable, groupKey: number, number: number): void {
    const pair = pairs.add(groupKey, number);
    if (pair >= this.#counts.length) this.#reserve(pair + 1);
    this.#counts[pair]++;
  }

  /** Grows the counts to hold `count` pairs. */
  #reserve(count: number): void {
    this.#counts = grownWithin(this.#memory, this.#counts, count, PAIRS_MIN);
  }
}

function viewOfBatch({ narrow, words, points }: ValueBatch): ValueView {
  if (words !== null) return { as: 'wide', words };
  if (points !== null) return { as: 'points', points };
  invariant(narrow instanceof Int32Array, 'distinct values are not counted in the column');
  return { as: 'narrow', words: narrow, width: 4, signed: true };
}
