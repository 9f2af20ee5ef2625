/** The attempts of a funnel that count, entity by entity. */
import type { FunnelQuestion } from '../../../ir/index.js';
import { hasRow } from '../entity-rows.js';
import { walkBlocks, walkEntities } from '../entity-walk.js';
import type { EntityInput } from '../kernel.js';
import { attemptsOf } from './attempts.js';
import { type AttemptVisitor, BlockAttempts } from './block-attempts.js';
import { InOrderSearch } from './in-order.js';
import { type Attempt, type AttemptRules, DateList, type EntityObstacles, rulesOf } from './rules.js';
import { SimpleAnyOrder } from './simple-any-order.js';
import { Strand } from './strand.js';

/** Called for each attempt, unless `visitAll` was, of the entity with the events [from, to); the attempt is valid during the call. */
type VisitAttempt = (attempt: Attempt, row: number, from: number, to: number) => void;

export function eachAttempt(
  input: EntityInput<FunnelQuestion>,
  visit: VisitAttempt,
  visitAll: AttemptVisitor['visitAll'] = null,
): void {
  new EntityAttempts(input, visit, visitAll).each();
}

class EntityAttempts implements AttemptVisitor {
  readonly #input: EntityInput<FunnelQuestion>;
  readonly visit: VisitAttempt;
  readonly visitAll: AttemptVisitor['visitAll'];
  readonly #rules: AttemptRules;
  /** Bits of the steps in the first and second word of an event. */
  readonly #stepLo: number;
  readonly #stepHi: number;
  /** Per step: the entities that can take it; null = all. */
  readonly #stepRows: readonly (Uint8Array | null)[];
  readonly #hasStepRows: boolean;
  /** null = the question needs other searches. */
  readonly #blocks: BlockAttempts | null;
  readonly #simple: SimpleAnyOrder | null;
  /** Of the current entity. */
  #row = 0;
  #from = 0;
  #to = 0;
  /** Used again for each entity with one strand. */
  #search: InOrderSearch | null = null;
  readonly #strand = new Strand();
  readonly #excluded: readonly DateList[];
  readonly #stream: DateList | null;
  /** Bits of the steps that the entity can take. */
  #lo = 0;
  #hi = 0;

  constructor(input: EntityInput<FunnelQuestion>, visit: VisitAttempt, visitAll: AttemptVisitor['visitAll']) {
    const { question, plan, entitiesOf } = input;
    this.#input = input;
    this.visit = visit;
    this.visitAll = visitAll;
    this.#rules = rulesOf(question, plan.between);
    this.#stepLo = bitsBelow(Math.min(question.stepCount, 32));
    this.#stepHi = bitsBelow(Math.max(question.stepCount - 32, 0));
    this.#stepRows = question.stepConditions.map(entitiesOf);
    this.#hasStepRows = this.#stepRows.some((rows) => rows !== null);
    this.#blocks = BlockAttempts.of(question, this.#rules, input.events, plan.isTied);
    this.#simple = SimpleAnyOrder.of(question, this.#rules, input.events.columns, plan.isTied);
    this.#lo = this.#stepLo;
    this.#hi = this.#stepHi;
    this.#excluded = question.exclusions.map(() => new DateList());
    this.#stream = question.stream === null ? null : new DateList();
  }

  each(): void {
    const { events, run } = this.#input;
    const blocks = this.#blocks;
    if (blocks === null) {
      walkEntities(events, run, (row, from, to) => this.#read(row, from, to));
      return;
    }
    const limitOf = this.#hasStepRows ? (row: number) => this.#limitOf(row) : null;
    walkBlocks(events, run, (firstRow, endRow) => blocks.each(firstRow, endRow, limitOf, this));
  }

  /** How many of the first steps the entity can take. */
  #limitOf(row: number): number {
    const end = this.#stepRows.findIndex((rows) => !hasRow(rows, row));
    return end < 0 ? this.#stepRows.length : end;
  }

  readonly #visitSimple = (attempt: Attempt): void => this.visit(attempt, this.#row, this.#from, this.#to);

  #read(row: number, from: number, to: number): void {
    if (this.#hasStepRows) this.#setSteps(row);
    this.#row = row;
    this.#from = from;
    this.#to = to;
    if (this.#simple?.each(from, to, this.#lo, this.#visitSimple) !== true) this.#searchEvents(row, from, to);
  }

  search(row: number, from: number, to: number): void {
    if (this.#hasStepRows) this.#setSteps(row);
    this.#searchEvents(row, from, to);
  }

  #searchEvents(row: number, from: number, to: number): void {
    const run = this.#input.run.child();
    try {
      const strands = this.#strands(from, to);
      if (strands.length === 0) return;
      const { question, plan } = this.#input;
      const obstacles = { excluded: this.#excluded, stream: this.#stream };
      const search = strands.length === 1 ? this.#inOrder(obstacles) : null;
      const scope = { question, rules: this.#rules, obstacles, isTied: plan.isTied, run, search };
      for (const attempt of attemptsOf(strands, scope)) {
        this.visit(attempt, row, from, to);
      }
    } finally {
      run.releaseAll();
    }
  }

  #inOrder(obstacles: EntityObstacles): InOrderSearch | null {
    const { question, run } = this.#input;
    if (question.order === 'any') return null;
    this.#search ??= new InOrderSearch(new Strand(), this.#rules, obstacles, run);
    return this.#search;
  }

  #setSteps(row: number): void {
    this.#lo = this.#stepLo;
    this.#hi = this.#stepHi;
    this.#stepRows.forEach((rows, step) => {
      if (hasRow(rows, row)) return;
      if (step < 32) this.#lo &= ~(1 << step);
      else this.#hi &= ~(1 << (step - 32));
    });
  }

  /** The events in strands, by the values that they have to share; fills the dates of obstacles. */
  #strands(from: number, to: number): readonly Strand[] {
    const { events, question } = this.#input;
    const [dates] = events.columns;
    const [lows, highs] = [events.columns[1], events.maskWords > 1 ? events.columns[2] : null];
    for (const list of this.#excluded) list.clear();
    this.#stream?.clear();
    const hasObstacles = this.#excluded.length > 0 || this.#stream !== null;
    const strands = new Map<string, Strand>();
    this.#strand.clear();
    for (let at = from; at < to; at++) {
      if (hasObstacles) this.#noteObstacles(at);
      const lo = lows[at] & this.#lo;
      const hi = highs === null ? 0 : highs[at] & this.#hi;
      if ((lo | hi) === 0) continue;
      if (question.same.length === 0) this.#strand.add(dates[at], lo, hi, this.#linkOf(at));
      else this.#addToStrand(strands, at, lo, hi);
    }
    if (question.same.length > 0) return [...strands.values()].filter((strand) => this.#mayBegin(strand));
    return this.#mayBegin(this.#strand) ? [this.#strand] : [];
  }

  #mayBegin(strand: Strand): boolean {
    return strand.secondCount > 0 && (this.#input.question.order === 'any' || strand.hasStep(0));
  }

  #noteObstacles(at: number): void {
    const { events, question } = this.#input;
    const date = events.columns[0][at];
    const has = (bit: number): boolean => (events.columns[1 + (bit >> 5)][at] & (1 << (bit & 31))) !== 0;
    question.exclusions.forEach(({ event }, index) => {
      if (has(event)) this.#excluded[index].add(date);
    });
    if (question.stream !== null && has(question.stream)) this.#stream?.add(date);
  }

  #addToStrand(strands: Map<string, Strand>, at: number, lo: number, hi: number): void {
    const { events, question } = this.#input;
    const numbers = question.same.map((value) => events.columns[events.valueColumn + value][at]);
    // A missing value equals nothing, so the event can only be an attempt of length 1.
    const key = numbers.includes(0) ? `alone ${at}` : numbers.join(' ');
    let strand = strands.get(key);
    if (strand === undefined) {
      strand = new Strand();
      strands.set(key, strand);
    }
    strand.add(events.columns[0][at], lo, hi, this.#linkOf(at));
  }

  /** 0 = none. */
  #linkOf(at: number): number {
    const { columns, linkColumn } = this.#input.events;
    return linkColumn < 0 ? 0 : columns[linkColumn][at];
  }
}

const bitsBelow = (count: number): number => (count === 32 ? 0xffffffff : 2 ** count - 1) | 0;
