/**
 * The stream of one entity in a flow, and the beginnings of its paths. A value has one key in the whole question: its number, after
 * those of the columns before.
 * Cost  linear in events; 20 bytes per event.
 */
import type { FlowQuestion } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';
import type { EntityEvents } from '../entity-events.js';
import type { EventValueNumbers } from '../event-values.js';

const STREAM = 1;
const START = 2;
const CAPACITY_MIN = 1_024;
const ARRAYS = 5;

export class ValueKeys {
  /** By column: the key of its number 0. */
  readonly bases: Uint32Array;
  readonly count: number;
  readonly #columns: readonly EventValueNumbers[];

  constructor(columns: readonly EventValueNumbers[]) {
    this.#columns = columns;
    this.bases = new Uint32Array(columns.length);
    let count = 0;
    for (const [index, { numberEnd }] of columns.entries()) {
      this.bases[index] = count;
      count += numberEnd;
    }
    this.count = count;
  }

  /** null = no event of the shard has the value. */
  keyOf(column: number, text: string): number | null {
    const number = this.#columns[column].numberOf(text);
    return number === 0 ? null : this.bases[column] + number;
  }

  /** Calls `act` with column and text of each key of which the count is not 0. */
  eachCounted(counts: Uint32Array, act: (column: number, text: string, count: number) => void): void {
    for (const [index, column] of this.#columns.entries()) {
      for (let number = 1; number < column.numberEnd; number++) {
        const count = counts[this.bases[index] + number];
        if (count > 0) act(index, column.textOf(number), count);
      }
    }
  }
}

export class EntityStream {
  /** By event of the stream. */
  keys = new Uint32Array(0);
  dates = new Uint32Array(0);
  count = 0;
  /** By path: its first event, and the index in the stream of the second one, which need not exist. */
  startKeys = new Uint32Array(0);
  startDates = new Uint32Array(0);
  seconds = new Int32Array(0);
  pathCount = 0;
  readonly #events: EntityEvents;
  readonly #bases: Uint32Array;
  readonly #question: FlowQuestion;
  readonly #run: QueryRun;

  constructor(events: EntityEvents, question: FlowQuestion, { bases }: ValueKeys, run: QueryRun) {
    this.#events = events;
    this.#bases = bases;
    this.#question = question;
    this.#run = run;
  }

  /** Reads the ordered events [from, to). Throws 9006. */
  read(from: number, to: number): void {
    if (this.keys.length < to - from) this.#grow(to - from);
    const { collapse, isBackward, isEvery } = this.#question;
    const { columns, valueColumn } = this.#events;
    const [dates, masks] = columns;
    const [numbers, columnIndexes] = [columns[valueColumn], columns[valueColumn + 1]];
    const { keys, dates: ownDates, startKeys, startDates, seconds } = this;
    let [count, pathCount] = [0, 0];
    let before = -1;
    for (let at = from; at < to; at++) {
      const key = this.#bases[columnIndexes[at]] + numbers[at];
      if (collapse && key === before) continue;
      before = key;
      const isInStream = masks[at] & STREAM;
      if ((masks[at] & START) !== 0 && (isEvery || pathCount === 0)) {
        startKeys[pathCount] = key;
        startDates[pathCount] = dates[at];
        seconds[pathCount++] = isBackward ? count - 1 : count + isInStream;
      }
      if (isInStream === 0) continue;
      keys[count] = key;
      ownDates[count++] = dates[at];
    }
    this.count = count;
    this.pathCount = pathCount;
  }

  #grow(count: number): void {
    const capacity = Math.max(CAPACITY_MIN, count + (count >> 1));
    this.#run.reserve((capacity - this.keys.length) * ARRAYS * 4);
    this.keys = new Uint32Array(capacity);
    this.dates = new Uint32Array(capacity);
    this.startKeys = new Uint32Array(capacity);
    this.startDates = new Uint32Array(capacity);
    this.seconds = new Int32Array(capacity);
  }
}
