/**
 * Imports one file: sends its parts, several concurrently.
 * Invariants: a part counts as done when all parts before it are done; the state file and the bad rows cover the done
 * parts only; parts that share an entity are not sent concurrently, unless they hold only events, so that later rows
 * override earlier ones.
 */
import { createHash } from 'node:crypto';
import type { FileSystem } from '../../io/index.js';
import { planColumns } from './columns/column-plan.js';
import { rowNameOf, sideFile } from './derived-names.js';
import type { Input } from './formats/input.js';
import { type BatchReader, ImportError, type RowSource, type SourceText } from './formats/row-block.js';
import type { Sampled } from './formats/row-range.js';
import type { ImportOptions } from './import-options.js';
import { type Mapping, usedColumns } from './mapping/mapping.js';
import { isUrl } from './named-files.js';
import { BadFile } from './send/bad-file.js';
import { type Body, BodyCutter } from './send/bodies.js';
import type { ImportedColumns } from './send/insert-columns.js';
import type { Inserted } from './send/insert-rows.js';
import type { InsertSender } from './send/insert-sender.js';
import { columnParts, type Part, rowParts } from './send/parts.js';
import { type ImportState, importIdentity, newState, nextChain, StateFile } from './send/resume.js';
import { TextSender, textParts } from './send/text-parts.js';
import { planText, type TextPlan } from './text/text-plan.js';
import { TextThreads } from './text/text-threads.js';

/** Minimum interval between writes of the state file. */
const STATE_MS = 1_000;
/** The import stops when this many rows are bad and none is good: the format or the mapping is wrong. */
const HOPELESS_ROWS = 1_000;

export interface FileImportDependencies {
  readonly files: FileSystem;
  readonly options: ImportOptions;
  readonly insertSender: InsertSender;
  /** Path of text/thread.js. */
  readonly threadFile: string;
  /** The absolute path of the file of bad rows. */
  readonly badFile: string;
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
  readonly bodies: 'JSON' | 'Arrow';
}

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
  const stateName =
    options.stateFile ?? (name === '-' || isUrl(name) ? null : sideFile(name, '.import.json'));
  const stateFile = new StateFile(files, stateName);
  const stateOf = async (as: 'rows' | 'columns') => {
    const identity = await importIdentity(file.input, file.mapping, options, as);
    return { as, identity, found: await stateFile.read(identity, serverHash, nowMs()) };
  };
  // What began as rows is resumed as rows: the parts differ.
  const ofRows = await stateOf('rows');
  const columns = ofRows.found === null ? await columnsOf(file) : null;
  const { identity, found } = columns === null ? ofRows : await stateOf('columns');
  if (found !== null) dependencies.note(`resuming after row ${found.lastRow}, where an earlier run ended`);
  const state = found ?? newState(identity, serverHash, options.skipRows);
  const badFile = new BadFile(files, dependencies.badFile, state.badBytes);
  const parts = partsOf(file, columns, dependencies);
  const run = new ImportRun(parts, dependencies, state, stateFile, badFile);
  try {
    return await run.all();
  } finally {
    await badFile.close();
  }
}

type SentAsColumns =
  | (ImportedColumns & { readonly reader: BatchReader })
  | { readonly text: SourceText; readonly textPlan: TextPlan };

/** How to send the file's rows as columns; null = they are sent as rows. */
async function columnsOf({ input, source, mapping }: ImportedFile): Promise<SentAsColumns | null> {
  const names = source.columns.map(({ name }) => name);
  const rowName = rowNameOf(input.name);
  if (source.text !== undefined) {
    const textPlan = planText(mapping, names, source.text, rowName);
    return textPlan === null ? null : { text: source.text, textPlan };
  }
  const reader = (await source.openBatches?.()) ?? null;
  if (reader === null) return null;
  const plan = planColumns(mapping, names, reader.fields);
  return plan === null ? null : { reader, plan, mapping, names, rowName };
}

function partsOf(
  file: ImportedFile,
  columns: SentAsColumns | null,
  { options, insertSender, threadFile }: FileImportDependencies,
): FileParts {
  const { empties } = file.sampled;
  const upTo = options.skipRows + options.limit;
  if (columns === null) {
    const after: FileParts['after'] = (row) =>
      rowParts(bodiesOf(file, options, row), file.mapping, insertSender);
    return { bodies: 'JSON', after };
  }
  if ('reader' in columns) {
    const after: FileParts['after'] = (row) =>
      columnParts(columns.reader, columns, insertSender, { after: row, upTo, empties });
    return { bodies: 'Arrow', after };
  }
  const { text, textPlan } = columns;
  const sender = new TextSender(textPlan, insertSender);
  const after: FileParts['after'] = (row) =>
    textParts(text, new TextThreads(threadFile, textPlan, options.threads), sender, {
      after: row,
      upTo,
      empties,
    });
  return { bodies: 'Arrow', after };
}

interface FileParts {
  readonly bodies: 'JSON' | 'Arrow';
  /** The parts of the rows after a row. */
  after(row: number): AsyncGenerator<Part>;
}

interface Done {
  readonly part: Part;
  readonly inserted: Inserted;
  readonly chain: string;
}

interface UnderWay {
  readonly part: Part;
  /** Never rejects: a failure is recorded in #failure. */
  readonly over: Promise<void>;
}

class ImportRun {
  readonly report: ImportReport;
  readonly #dependencies: FileImportDependencies;
  readonly #stateFile: StateFile;
  readonly #badFile: BadFile;
  readonly #parts: FileParts;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #done = new Map<number, Done>();
  #state: ImportState;
  #bodiesSent: number;
  #failure: unknown = null;
  #committing: Promise<void> = Promise.resolve();
  #writtenMs = 0;

  constructor(
    parts: FileParts,
    dependencies: FileImportDependencies,
    state: ImportState,
    stateFile: StateFile,
    badFile: BadFile,
  ) {
    this.#parts = parts;
    this.#dependencies = dependencies;
    this.#state = state;
    this.#stateFile = stateFile;
    this.#badFile = badFile;
    this.#bodiesSent = state.bodies;
    this.report = { ...state.counts, bytes: 0, bodies: parts.bodies };
  }

  async all(): Promise<ImportReport> {
    const { signal } = this.#dependencies;
    const startRow = this.#state.lastRow;
    let chain = this.#state.chain;
    let number = this.#state.bodies;
    try {
      for await (const part of this.#parts.after(startRow)) {
        if (this.#failure !== null || signal.aborted) break;
        chain = nextChain(chain, part.identity);
        await this.#capacity(part);
        if (this.#failure !== null || signal.aborted) break;
        this.#start(number++, part, chain);
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

  /** Waits until a connection is free and no part under way has an entity of `part`. */
  async #capacity(part: Part): Promise<void> {
    const before = [...this.#underWay.values()].filter((one) => part.mustFollow(one.part));
    await Promise.all(before.map(({ over }) => over));
    while (this.#underWay.size >= this.#dependencies.options.connections) await Promise.race(this.#overs());
  }

  #overs(): Promise<void>[] {
    return Array.from(this.#underWay.values(), ({ over }) => over);
  }

  #start(number: number, part: Part, chain: string): void {
    this.#bodiesSent = number + 1;
    const send = async (): Promise<void> => {
      try {
        const inserted = await part.insert(`import-${number}-${chain.slice(0, 40)}`);
        this.#done.set(number, { part, inserted, chain });
        this.#committing = this.#committing.then(() => this.#commit());
        await this.#committing;
      } catch (error) {
        this.#failure ??= error;
      } finally {
        this.#underWay.delete(number);
      }
    };
    this.#underWay.set(number, { part, over: send() });
  }

  /** Commits the parts before which all are done. */
  async #commit(): Promise<void> {
    for (;;) {
      const next = this.#done.get(this.#state.bodies);
      if (next === undefined) return;
      this.#done.delete(this.#state.bodies);
      const { part, inserted, chain } = next;
      const bad = [...part.bad, ...inserted.bad].sort((a, b) => a.row - b.row);
      await this.#badFile.add(bad);
      this.report.rows += part.rowCount;
      this.report.entities += inserted.entityCount;
      this.report.bad += bad.length;
      this.report.bytes += inserted.byteCount;
      const { rows, entities, bad: badCount } = this.report;
      this.#state = {
        ...this.#state,
        bodies: this.#state.bodies + 1,
        lastRow: part.lastRow,
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

export const hashOfServer = (url: string, key: string): string =>
  createHash('sha256').update(`${url} ${key}`).digest('hex');
