/**
 * Runs the stages of a query in their order, and writes the rows of the last one.
 * Invariants: the stages that read shards come first, and the caller ensures that they read one version: those stages are in
 * one slice each and are repeated if a record was applied meanwhile, or run inside the write barrier. The rows of the last
 * stage are not collected, except for those of one slice.
 */
import { invariant } from '../../base/index.js';
import { type SelectPlan, type Stage, stageInputs } from '../../ir/index.js';
import type { OperatorStats, RowEncoding, SelectPart, WorkerStage } from '../../protocol/index.js';
import type { Field } from '../../vector/index.js';
import type { WorkerApi } from '../workers/worker-client.js';
import { answerTable, roundsOf } from './behaviour-answers.js';
import { mergedGroups, oneTable, type Tables } from './merge-groups.js';
import type { RowSink } from './row-sink.js';
import { isStreamed, SelectWork, type SelectWorkDependencies } from './select-work.js';
import { writePart, writeRows } from './stage-parts.js';
import { StageRows } from './stage-rows.js';
import { type Slices, WorkerSelect } from './worker-select.js';

export interface RelationWorkDependencies extends Omit<SelectWorkDependencies, 'slices' | 'stats'> {
  /** Receives the measurements of the operators, one list per stage; null = none are collected. */
  readonly stats: readonly OperatorStats[][] | null;
  /** The slices of stages that read no shards. */
  readonly freeSlices: Slices;
  /** How workers encode the answer; null = as columns. */
  readonly encoding: RowEncoding | null;
  readonly fields: readonly Field[];
}

export class RelationWork {
  readonly #stages: readonly Stage[];
  readonly #dependencies: RelationWorkDependencies;
  readonly #workers: readonly WorkerApi[];
  readonly #queryId: number;
  readonly #rows: StageRows;
  /** By stage: the stages whose rows it reads. */
  readonly #inputs: readonly ReadonlySet<number>[];
  /** The first stage after those that read shards. */
  readonly #freeFrom: number;
  /** Writes the answer, if its rows were collected. */
  #answer: ((sink: RowSink) => Promise<void>) | null = null;

  /** `end` must be called. */
  constructor(stages: readonly Stage[], dependencies: RelationWorkDependencies) {
    const { workers, nextId, query, bytesMax, exchange } = dependencies;
    this.#stages = stages;
    this.#dependencies = dependencies;
    this.#workers = [...workers.all];
    this.#queryId = nextId();
    this.#rows = new StageRows(this.#queryId, this.#workers, query, bytesMax, exchange);
    this.#inputs = stages.map(stageInputs);
    this.#freeFrom = stages.findLastIndex(readsShards) + 1;
  }

  /** Whether a stage reads shards. */
  get readsShards(): boolean {
    return this.#freeFrom > 0;
  }

  /** Whether a single request to the shards, sent at once, reads all data. */
  get isOneRequest(): boolean {
    return this.#freeFrom === 1 && readsOf(this.#stages[0]) === 1;
  }

  /** Whether it is a SELECT whose rows are fetched in several requests, so that one slice is not enough. */
  get takesManySlices(): boolean {
    const [stage] = this.#stages;
    return this.#stages.length === 1 && stage.runs === 'select' && isStreamed(stage.plan);
  }

  /**
   * Runs the stages that read shards, and those in between. With only one slice, returns false if it is too short for one of
   * them, and collects the answer if the last stage is among them; otherwise writes it to `sink`.
   */
  async readShards(slices: Slices, sink: RowSink): Promise<boolean> {
    this.#rows.releaseAll();
    this.#answer = null;
    for (const list of this.#dependencies.stats ?? []) list.length = 0;
    for (let index = 0; index < this.#freeFrom; index++) {
      const own = readsShards(this.#stages[index]) ? slices : this.#dependencies.freeSlices;
      if (!(await this.#run(index, own, sink))) return false;
    }
    return true;
  }

  /** Runs the other stages and writes the answer, unless it was written. */
  async finish(sink: RowSink): Promise<void> {
    for (let index = this.#freeFrom; index < this.#stages.length; index++) {
      const done = await this.#run(index, this.#dependencies.freeSlices, sink);
      invariant(done, 'a stage of many slices runs to its end');
    }
    await this.#answer?.(sink);
  }

  /** Releases all memory, here and on the workers. */
  end(): void {
    this.#rows.releaseAll();
  }

  /** Runs one stage; false = only one slice is allowed, and it is too short. */
  async #run(index: number, slices: Slices, sink: RowSink): Promise<boolean> {
    const stage = this.#stages[index];
    for (const input of this.#inputs[index]) await this.#rows.send(input, this.#workersOf(stage));
    const isLast = index === this.#stages.length - 1;
    const done = isLast ? await this.#runLast(index, slices, sink) : await this.#collect(index, slices);
    const unread = [...this.#inputs[index]].filter((input) => !this.#isRead(input, index + 1));
    if (done) this.#rows.release(unread);
    return done;
  }

  /** Whether a stage from `from` on reads the rows of stage `input`. */
  #isRead(input: number, from: number): boolean {
    return this.#inputs.slice(from).some((inputs) => inputs.has(input));
  }

  /** The number of workers among which the memory of the stages that read stage `input` is divided. */
  #readerCount(input: number): number {
    const readers = this.#stages.filter((_, index) => this.#inputs[index].has(input));
    return Math.max(1, ...readers.map((stage) => this.#workersOf(stage).length));
  }

  /** Runs a stage that later stages read. */
  async #collect(index: number, slices: Slices): Promise<boolean> {
    const stage = this.#stages[index];
    this.#rows.begin(index, this.#readerCount(index));
    if (stage.runs === 'operators') {
      return this.#onWorkers(index, stage, slices, null, (workerSelect) =>
        workerSelect.rows((part) => this.#rows.add(index, part)),
      );
    }
    if (stage.runs === 'select' && isStreamed(stage.plan) && isUnordered(stage.plan)) {
      return this.#select(index, slices).rows(stage.plan, (part) => this.#rows.add(index, part));
    }
    const tables = await this.#tables(index, stage, slices);
    if (tables === null) return false;
    for await (const table of tables) await this.#rows.addTable(index, table);
    return true;
  }

  /** Runs the last stage. */
  async #runLast(index: number, slices: Slices, sink: RowSink): Promise<boolean> {
    const stage = this.#stages[index];
    const { encoding, fields } = this.#dependencies;
    if (stage.runs === 'operators') {
      return this.#onWorkers(index, stage, slices, encoding, async (workerSelect) => {
        if (slices.isOnly) return this.#keepAnswer(await workerSelect.onePart());
        await writeRows(workerSelect, Number.POSITIVE_INFINITY, fields, sink);
        return true;
      });
    }
    if (stage.runs === 'select' && isStreamed(stage.plan)) {
      return this.#streamSelect(index, stage.plan, slices, sink);
    }
    const tables = await this.#tables(index, stage, slices);
    if (tables === null) return false;
    this.#answer = async (into) => {
      for await (const table of tables) await into.table({ ...table, fields });
    };
    return true;
  }

  async #streamSelect(index: number, plan: SelectPlan, slices: Slices, sink: RowSink): Promise<boolean> {
    const { encoding, fields } = this.#dependencies;
    if (!slices.isOnly) {
      // The workers encode its outputs.
      const outputs = plan.outputs.map((output, at) => ({ ...output, name: fields[at].name }));
      await this.#select(index, slices).stream({ ...plan, outputs }, encoding?.format ?? null, sink);
      return true;
    }
    if (!isUnordered(plan)) return false;
    const parts: SelectPart[] = [];
    const done = await this.#select(index, slices).rows(plan, (part) => parts.push(part));
    return this.#keepAnswer(done ? parts : null);
  }

  /** Keeps the parts of an answer until they may be written; null = the answer is too large. */
  #keepAnswer(parts: readonly SelectPart[] | null): boolean {
    if (parts === null) return false;
    this.#answer = async (sink) => {
      for (const part of parts) await writePart(part, this.#dependencies.fields, sink);
    };
    return true;
  }

  async #tables(
    index: number,
    stage: Exclude<Stage, { readonly runs: 'operators' }>,
    slices: Slices,
  ): Promise<Tables | null> {
    if (stage.runs === 'select') return this.#select(index, slices).tables(stage.plan);
    const { query } = this.#dependencies;
    if (stage.runs === 'question') {
      const types = stage.columns.map(({ type }) => type);
      return oneTable(await answerTable(stage.question, types, query));
    }
    const workerSelect = this.#workerSelect(index, stage, slices, null);
    const tables = await mergedGroups(stage.plan, workerSelect, query, this.#rows.availableBytes);
    invariant(tables !== 'uncertain', 'a stage requests all groups');
    return tables;
  }

  #select(index: number, slices: Slices): SelectWork {
    const bytesMax = this.#rows.availableBytes;
    return new SelectWork({ ...this.#dependencies, slices, bytesMax, stats: this.#statsOf(index) });
  }

  #statsOf(index: number): OperatorStats[] | null {
    return this.#dependencies.stats?.[index] ?? null;
  }

  async #onWorkers<T>(
    index: number,
    stage: WorkerStage,
    slices: Slices,
    encoding: RowEncoding | null,
    read: (workerSelect: WorkerSelect) => Promise<T>,
  ): Promise<T> {
    const workerSelect = this.#workerSelect(index, stage, slices, encoding);
    try {
      return await read(workerSelect);
    } finally {
      workerSelect.end();
    }
  }

  #workerSelect(
    index: number,
    stage: WorkerStage,
    slices: Slices,
    encoding: RowEncoding | null,
  ): WorkerSelect {
    const { nextId, query, partMemory, partitionGroupsMin, exchange } = this.#dependencies;
    const worker = stage.location === 'one' ? this.#only : null;
    const common = { queryId: this.#queryId, partitionGroupsMin, exchange };
    const settings = { runs: 'stage', ...common, stage, encoding, worker } as const;
    return new WorkerSelect(
      nextId(),
      this.#workers,
      settings,
      slices,
      query,
      this.#statsOf(index),
      partMemory,
    );
  }

  /** The worker that runs the stages of location `one`: another one for each query. */
  get #only(): number {
    return this.#queryId % this.#workers.length;
  }

  #workersOf(stage: Stage): readonly number[] {
    return 'location' in stage && stage.location === 'one' ? [this.#only] : [...this.#workers.keys()];
  }
}

const isUnordered = ({ order, offset, limit }: SelectPlan): boolean =>
  order.length === 0 && offset === 0 && limit === null;

/** The number of requests in which a stage reads shards. */
function readsOf(stage: Stage): number {
  if (stage.runs === 'question') return roundsOf(stage.question);
  if (stage.runs !== 'select') return stage.location === 'shards' ? 1 : 0;
  const { dimensionId, joins } = stage.plan;
  return dimensionId === null ? 0 : 1 + joins.length;
}

const readsShards = (stage: Stage): boolean => readsOf(stage) > 0;
