/**
 * The attempts of the entities of a block by a kernel, for funnels in order without optional steps and properties held constant.
 * It is exact unless two events of an entity have one date, or an exclusion or another event of a stream lies inside what it
 * finds; such entities need the exact search.
 */
import type { FunnelQuestion } from '../../../ir/index.js';
import {
  FOLLOW_MODES,
  FOLLOW_STATE,
  FOLLOW_STATE_BYTES,
  INEXACT,
  UNLIMITED,
} from '../../../kernels/index.js';
import { type EntityEvents, KERNEL_AREA_BYTES } from '../entity-events.js';
import { AttemptCheck } from './attempt-check.js';
import type { Attempt, AttemptRules, MutableAttempt } from './rules.js';

/** Steps of both words of bits. */
const STEPS_MAX = 64;
const NONE = Number.POSITIVE_INFINITY;

/** Attempts as a kernel writes them: entity, length, the date of each step. */
export interface AttemptRecords {
  readonly words: Uint32Array;
  readonly count: number;
  readonly stride: number;
}

export interface AttemptVisitor {
  /** Visits all attempts but those of length INEXACT; null = they are visited one by one. */
  readonly visitAll: ((records: AttemptRecords) => void) | null;

  /** The attempt of the entity with the events [from, to); valid during the call. */
  visit(attempt: Attempt, row: number, from: number, to: number): void;
  /** Called instead for an entity that needs the exact search. */
  search(row: number, from: number, to: number): void;
}

export class BlockAttempts {
  readonly #events: EntityEvents;
  readonly #check: AttemptCheck;
  readonly #stepCount: number;
  /** The state, the limits and the records in the words of the memory. */
  readonly #state: number;
  readonly #limits: Uint32Array;
  readonly #records: Uint32Array;
  readonly #attempt: MutableAttempt;

  /** null = the question needs another search. `entities`: the most of a block. */
  static of(
    question: FunnelQuestion,
    rules: AttemptRules,
    events: EntityEvents,
    isTied: boolean,
  ): BlockAttempts | null {
    if (isTied || question.order === 'any' || question.stepCount > STEPS_MAX) return null;
    if (question.same.length > 0 || question.optional.includes(true)) return null;
    const check = new AttemptCheck(events.columns, question);
    if (check.isNeeded && question.attempts === 'every') return null;
    return new BlockAttempts(question, rules, events, check);
  }

  private constructor(
    question: FunnelQuestion,
    rules: AttemptRules,
    events: EntityEvents,
    check: AttemptCheck,
  ) {
    const { memory, kernelArea, starts } = events;
    this.#events = events;
    this.#check = check;
    this.#stepCount = rules.stepCount;
    this.#state = kernelArea >>> 2;
    const limitsAt = kernelArea + Math.ceil(FOLLOW_STATE_BYTES / 8) * 8;
    const recordsAt = limitsAt + starts.byteLength;
    this.#limits = memory.words(limitsAt, starts.length - 1);
    this.#records = memory.words(recordsAt, (kernelArea + KERNEL_AREA_BYTES - recordsAt) >>> 2);
    this.#attempt = { length: 0, skipped: 0, dates: new Array<number>(rules.stepCount).fill(NONE) };
    this.#set('capacity', Math.floor(this.#records.length / (rules.stepCount + 2)));
    this.#set('out', recordsAt);
    this.#set('starts', starts.byteOffset);
    this.#set('dates', events.columns[0].byteOffset);
    this.#set('low', events.columns[1].byteOffset);
    this.#set('high', events.columns[Math.min(2, events.columns.length - 1)].byteOffset);
    this.#set('stepCount', rules.stepCount);
    this.#set('within', Math.min(rules.within, UNLIMITED));
    this.#set('from', rules.from);
    this.#set('to', rules.to);
    this.#set('distinct', rules.distinctInstants ? 1 : 0);
    this.#set('mode', FOLLOW_MODES[question.attempts]);
  }

  #set(word: keyof typeof FOLLOW_STATE, value: number): void {
    this.#events.memory.u32[this.#state + FOLLOW_STATE[word]] = value;
  }

  /** Finds the attempts of the current block, [firstRow, endRow). `limitOf`: how many steps an entity may take; null = all. */
  each(
    firstRow: number,
    endRow: number,
    limitOf: ((row: number) => number) | null,
    visitor: AttemptVisitor,
  ): void {
    const { kernels, u32 } = this.#events.memory;
    if (limitOf !== null) {
      for (let row = firstRow; row < endRow; row++) this.#limits[row - firstRow] = limitOf(row);
    }
    this.#set('limits', limitOf === null ? 0 : this.#limits.byteOffset);
    this.#set('entity', 0);
    this.#set('cursor', UNLIMITED);
    while (u32[this.#state + FOLLOW_STATE.entity] < endRow - firstRow) {
      const count = kernels.followSteps(this.#state * 4, endRow - firstRow);
      this.#visitRecords(count, firstRow, visitor);
    }
  }

  #visitRecords(count: number, firstRow: number, visitor: AttemptVisitor): void {
    const { starts } = this.#events;
    const records = this.#records;
    const stride = this.#stepCount + 2;
    const visitAll = this.#check.isNeeded ? null : visitor.visitAll;
    visitAll?.({ words: records, count, stride });
    for (let at = 0; at < count * stride; at += stride) {
      if (visitAll !== null && records[at + 1] !== INEXACT) continue;
      const entity = records[at];
      const [from, to] = [starts[entity], starts[entity + 1]];
      const length = records[at + 1];
      if (length !== INEXACT) this.#read(at + 2, length);
      const isExact =
        length !== INEXACT &&
        (length === 1 || !this.#check.isNeeded || this.#check.holds(this.#attempt, from, to));
      if (isExact) visitor.visit(this.#attempt, firstRow + entity, from, to);
      else visitor.search(firstRow + entity, from, to);
    }
  }

  #read(at: number, length: number): void {
    const { dates } = this.#attempt;
    for (let step = length; step < this.#attempt.length; step++) dates[step] = NONE;
    for (let step = 0; step < length; step++) dates[step] = this.#records[at + step];
    this.#attempt.length = length;
  }
}
