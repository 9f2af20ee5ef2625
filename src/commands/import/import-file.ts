/**
 * Imports one file: detects its format, plans the mapping, and sends bodies, several concurrently.
 * Invariants: a body counts as done when all bodies before it are done; the state file and the bad rows cover the done
 * bodies only; bodies that share an entity are not sent concurrently, unless they hold only events, so that later rows
 * override earlier ones.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';
import { isEventType } from '../../schema/index.js';
import type { Input } from './formats/input.js';
import { ImportError, type RowSource } from './formats/row-block.js';
import type { Sampled } from './formats/row-range.js';
import type { ImportOptions } from './import-options.js';
import type { Mapping } from './mapping/mapping.js';
import { BadFile } from './send/bad-file.js';
import { type Body, BodyCutter, bodyText, isDistinct } from './send/bodies.js';
import { type Inserted, RowInserter } from './send/insert-rows.js';
import type { InsertSender } from './send/insert-sender.js';
import { type ImportState, importIdentity, newState, nextChain, StateFile } from './send/resume.js';

/** Minimum interval between writes of the state file. */
const STATE_MS = 1_000;
/** The import stops when this many rows are bad and none is good: the format or the mapping is wrong. */
const HOPELESS_ROWS = 1_000;

export interface FileImportDependencies {
  readonly files: FileSystem;
  readonly options: ImportOptions;
  readonly insertSender: InsertSender;
  /** Identifies the server and the database. */
  readonly serverHash: string;
  readonly signal: AbortSignal;
  readonly elapsedMs: () => number;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly note: (text: string) => void;
  /** Called when further rows were processed. */
  readonly onRows: (report: ImportReport) => void;
}

export interface ImportReport {
  /** Rows processed in this run and in the earlier runs that it resumes. */
  rows: number;
  entities: number;
  bad: number;
  /** Bytes of the bodies of this run. */
  bytes: number;
}

/** The prefix of IDs made of row numbers: the file's name without extensions. */
export const rowNameOf = (name: string): string =>
  name === '-' ? 'stdin' : path.basename(name).replace(/(?!^)\..*$/, '');

export const usedColumns = ({ id, dimensionAt, targets }: Mapping): readonly number[] => [
  ...new Set([
    ...(id ?? []),
    ...(dimensionAt === null ? [] : [dimensionAt]),
    ...targets.flatMap(({ source, date }) => (date === null ? [source] : [source, date])),
  ]),
];

const sideFile = (name: string, ending: string): string =>
  path.resolve(`${name === '-' ? 'stdin' : name}${ending}`);

export interface ImportedFile {
  readonly input: Input;
  readonly source: RowSource;
  readonly sampled: Sampled;
  readonly mapping: Mapping;
}

/** The bodies of the rows after row `after`. */
export async function* bodiesOf(
  { input, source, sampled, mapping }: ImportedFile,
  { limit, skipRows }: ImportOptions,
  after: number,
): AsyncGenerator<Body> {
  const names = source.columns.map(({ name }) => name);
  const cutter = new BodyCutter(mapping, names, rowNameOf(input.name));
  for await (const block of sampled.blocks(after, skipRows + limit, usedColumns(mapping)))
    yield* cutter.take(block);
  const rest = cutter.rest();
  if (rest !== null) yield rest;
}

/** Returns the totals. Rejects with ImportError, RemoteError or the system's error; a new run then resumes. */
export async function importFile(
  file: ImportedFile,
  dependencies: FileImportDependencies,
): Promise<ImportReport> {
  const { files, options, nowMs, serverHash } = dependencies;
  const { name } = file.input;
  const identity = await importIdentity(file.input, file.mapping, options);
  const stateName = options.stateFile ?? (name === '-' ? null : sideFile(name, '.import.json'));
  const stateFile = new StateFile(files, stateName);
  const found = await stateFile.read(identity, serverHash, nowMs());
  if (found !== null) dependencies.note(`resuming after row ${found.lastRow}, where an earlier run ended`);
  const state = found ?? newState(identity, serverHash, options.skipRows);
  const badFile = new BadFile(
    files,
    path.resolve(options.badFile ?? sideFile(name, '.bad.ndjson')),
    state.badBytes,
  );
  const run = new ImportRun(file, dependencies, state, stateFile, badFile);
  try {
    return await run.all();
  } finally {
    await badFile.close();
  }
}

interface Done {
  readonly body: Body;
  readonly inserted: Inserted;
  readonly chain: string;
}

interface UnderWay {
  readonly body: Body;
  /** Never rejects: a failure is recorded in #failure. */
  readonly over: Promise<void>;
}

class ImportRun {
  readonly report: ImportReport;
  readonly #file: ImportedFile;
  readonly #dependencies: FileImportDependencies;
  readonly #stateFile: StateFile;
  readonly #badFile: BadFile;
  readonly #inserter: RowInserter;
  readonly #isOrdered: boolean;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #done = new Map<number, Done>();
  #state: ImportState;
  #bodiesSent: number;
  #failure: unknown = null;
  #committing: Promise<void> = Promise.resolve();
  #writtenMs = 0;

  constructor(
    file: ImportedFile,
    dependencies: FileImportDependencies,
    state: ImportState,
    stateFile: StateFile,
    badFile: BadFile,
  ) {
    this.#file = file;
    this.#dependencies = dependencies;
    this.#state = state;
    this.#stateFile = stateFile;
    this.#badFile = badFile;
    this.#bodiesSent = state.bodies;
    this.#inserter = new RowInserter(file.mapping, dependencies.insertSender);
    this.#isOrdered = file.mapping.targets.some(({ form }) => !isEventType(form.type));
    this.report = { ...state.counts, bytes: 0 };
  }

  async all(): Promise<ImportReport> {
    const { options, signal } = this.#dependencies;
    const startRow = this.#state.lastRow;
    let chain = this.#state.chain;
    let number = this.#state.bodies;
    try {
      for await (const body of bodiesOf(this.#file, options, startRow)) {
        if (this.#failure !== null || signal.aborted) break;
        const bytes = Buffer.from(bodyText(this.#file.mapping, body.rows, isDistinct(body)));
        chain = nextChain(chain, bytes);
        await this.#capacity(body);
        if (this.#failure !== null || signal.aborted) break;
        this.#start(number++, body, bytes, chain);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    await Promise.all(this.#overs());
    if (this.#failure === null && !signal.aborted) {
      await this.#badFile.sync();
      await this.#stateFile.remove();
      return this.report;
    }
    await this.#writeState();
    if (this.#failure === null) signal.throwIfAborted();
    throw this.#failure;
  }

  /** Waits until a connection is free and no body in flight has an entity of `body`. */
  async #capacity(body: Body): Promise<void> {
    const { keys } = body;
    if (this.#isOrdered && keys !== null) {
      const before = [...this.#underWay.values()].filter(
        (one) => one.body.keys !== null && shareKeys(one.body.keys, keys),
      );
      await Promise.all(before.map(({ over }) => over));
    }
    while (this.#underWay.size >= this.#dependencies.options.connections) await Promise.race(this.#overs());
  }

  #overs(): Promise<void>[] {
    return Array.from(this.#underWay.values(), ({ over }) => over);
  }

  #start(number: number, body: Body, bytes: Uint8Array, chain: string): void {
    this.#bodiesSent = number + 1;
    const send = async (): Promise<void> => {
      try {
        const inserted =
          body.rows.length === 0
            ? { entityCount: 0, byteCount: 0, bad: [] }
            : await this.#inserter.insert(body.rows, bytes, `import-${number}-${chain.slice(0, 40)}`);
        this.#done.set(number, { body, inserted, chain });
        this.#committing = this.#committing.then(() => this.#commit());
        await this.#committing;
      } catch (error) {
        this.#failure ??= error;
      } finally {
        this.#underWay.delete(number);
      }
    };
    this.#underWay.set(number, { body, over: send() });
  }

  /** Commits the bodies before which all are done. */
  async #commit(): Promise<void> {
    for (;;) {
      const next = this.#done.get(this.#state.bodies);
      if (next === undefined) return;
      this.#done.delete(this.#state.bodies);
      const { body, inserted, chain } = next;
      const bad = [...body.bad, ...inserted.bad].sort((a, b) => a.row - b.row);
      await this.#badFile.add(bad);
      this.report.rows += body.rows.length + body.bad.length;
      this.report.entities += inserted.entityCount;
      this.report.bad += bad.length;
      this.report.bytes += inserted.byteCount;
      const { rows, entities, bad: badCount } = this.report;
      this.#state = {
        ...this.#state,
        bodies: this.#state.bodies + 1,
        lastRow: body.lastRow,
        chain,
        counts: { rows, entities, bad: badCount },
        badBytes: this.#badFile.bytes,
      };
      this.#dependencies.onRows(this.report);
      this.#checkBad();
      if (this.#dependencies.elapsedMs() - this.#writtenMs >= STATE_MS) await this.#writeState();
    }
  }

  #checkBad(): void {
    const { rows, bad } = this.report;
    const { badMax } = this.#dependencies.options;
    if (bad > badMax) {
      throw new ImportError(
        `${bad} rows are bad, more than --max-bad ${badMax} permits; the file of bad rows has the reasons`,
      );
    }
    if (bad === rows && rows >= HOPELESS_ROWS) {
      throw new ImportError(`all of the first ${rows} rows are bad; the file of bad rows has the reasons`);
    }
  }

  async #writeState(): Promise<void> {
    this.#writtenMs = this.#dependencies.elapsedMs();
    await this.#badFile.sync();
    await this.#stateFile.write({
      ...this.#state,
      bodiesSent: this.#bodiesSent,
      atMs: this.#dependencies.nowMs(),
    });
  }
}

function shareKeys(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const key of others) if (some.has(key)) return true;
  return false;
}

export const hashOfServer = (url: string, key: string): string =>
  createHash('sha256').update(`${url} ${key}`).digest('hex');
