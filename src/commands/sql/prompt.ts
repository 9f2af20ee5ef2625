/**
 * The interactive prompt: reads statements of one or several lines and draws the answers.
 * Invariants: one statement runs at a time, later lines wait; Ctrl-C cancels a statement by closing its connection, so that
 * the server stops too; a refused statement never ends the prompt.
 */
import readline from 'node:readline';
import type { Readable } from 'node:stream';
import type { FileSystem } from '../../io/index.js';
import { type DimensionModel, readDimensions } from '../export/dimension.js';
import { SqlClient } from '../export/sql-client.js';
import type { Output } from '../progress.js';
import { type RemoteAccess, type RemoteClient, RemoteError, UnreachableError } from '../remote/index.js';
import { columnsText, dimensionsText, PROMPT_HELP, type PromptCommand, promptCommandOf } from './commands.js';
import { completions } from './completion.js';
import { errorText } from './error-text.js';
import type { History } from './history.js';
import { fileOutlet, type Outlet, standardOutlet } from './outlet.js';
import { runStatement, type SqlFormat } from './run-statement.js';
import { onOneLine, StatementReader } from './statements.js';
import type { Terminal } from './table.js';

export interface PromptContext {
  readonly input: Readable;
  readonly output: Output & { readonly columns?: number };
  readonly client: RemoteClient;
  readonly access: RemoteAccess;
  readonly history: History;
  readonly files: FileSystem;
  readonly format: SqlFormat;
  /** Whether missing values are drawn dim. */
  readonly styled: boolean;
}

const FIRST = 'quarry> ';
const FURTHER = '     -> ';
/** For a terminal without a known width. */
const WIDTH_DEFAULT = 80;
const NEVER = new AbortController().signal;

/** Resolves when the user leaves. Rejects when the server is not reachable at the start. */
export async function runPrompt(context: PromptContext): Promise<void> {
  const models = await readDimensions(context.client, context.access);
  const prompt = new Prompt(context, models, await context.history.read());
  await prompt.ended;
}

class Prompt {
  readonly ended: Promise<void>;
  readonly #context: PromptContext;
  readonly #lines: readline.Interface;
  readonly #reader = new StatementReader();
  /** Cancels the running statement. */
  #running: AbortController | null = null;
  #work: Promise<void> = Promise.resolve();
  #models: readonly DimensionModel[];
  #format: SqlFormat;
  #timing = false;
  /** Lines after the one that quits are not run. */
  #hasQuit = false;
  #isClosed = false;
  #outlet: Outlet;
  #recent: string[];

  constructor(context: PromptContext, models: readonly DimensionModel[], recent: string[]) {
    this.#context = context;
    this.#models = models;
    this.#recent = recent;
    this.#format = context.format;
    this.#outlet = standardOutlet(context.output);
    this.#lines = readline.createInterface({
      input: context.input,
      output: context.output,
      terminal: true,
      prompt: FIRST,
      history: [...recent],
      historySize: Math.max(1_000, recent.length),
      completer: (line: string) => completions(this.#models, `${this.#reader.open} ${line}`),
    });
    // The history has statements, not lines.
    this.#lines.on('history', (history: string[]) => {
      history.splice(0, history.length, ...this.#recent);
    });
    this.#lines.on('line', (line) => this.#queue(() => this.#takeLine(line)));
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.ended = new Promise((resolve) => {
      this.#lines.on('close', () => {
        this.#isClosed = true;
        this.#running?.abort();
        this.#queue(async () => {
          this.#write('\n');
          await this.#outlet.close();
          resolve();
        });
      });
    });
    this.#write('quarry: \\? shows help, ; ends a statement, \\q leaves\n');
    this.#showPrompt();
  }

  get #terminal(): Terminal {
    return { width: this.#context.output.columns || WIDTH_DEFAULT, styled: this.#context.styled };
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: Error) => this.#write(`error: ${error.message}\n`));
  }

  #write(text: string): void {
    this.#context.output.write(text);
  }

  #showPrompt(): void {
    this.#lines.setPrompt(this.#reader.isBlank ? FIRST : FURTHER);
    this.#lines.prompt();
  }

  #interrupt(): void {
    if (this.#running !== null) {
      this.#running.abort();
      return;
    }
    this.#write('^C\n');
    this.#reader.rest();
    // Moves the cursor to the end, so that the whole line is kept.
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#showPrompt();
  }

  async #takeLine(line: string): Promise<void> {
    if (this.#hasQuit) return;
    const command = promptCommandOf(line, !this.#reader.isBlank);
    if (command !== null) await this.#obey(command);
    else for (const statement of this.#reader.take(`${line}\n`)) await this.#run(statement);
    // A prompt after the close would read the input again, and the process would not end.
    if (!this.#isClosed) this.#showPrompt();
  }

  async #run(statement: string): Promise<void> {
    await this.#remember(statement);
    const running = new AbortController();
    this.#running = running;
    const begunMs = performance.now();
    const sqlClient = new SqlClient(this.#context.client, this.#context.access, running.signal, (text) =>
      this.#write(`${text}\n`),
    );
    try {
      await runStatement(sqlClient, statement, this.#format, this.#outlet, this.#terminal);
      if (this.#timing) this.#write(`${(performance.now() - begunMs).toFixed(1)} ms\n`);
    } catch (error) {
      this.#write(running.signal.aborted ? 'stopped\n' : this.#errorText(error, statement));
      if (error instanceof RemoteError && error.code === 6000) await this.#readModels();
    } finally {
      this.#running = null;
    }
  }

  #errorText(error: unknown, statement: string): string {
    return error instanceof RemoteError
      ? errorText(error, statement, this.#terminal.width)
      : `error: ${(error as Error).message}\n`;
  }

  async #remember(statement: string): Promise<void> {
    const line = onOneLine(statement);
    // A line cannot be edited with a line end within quotes.
    if (line.includes('\n')) return;
    this.#recent = [`${line};`, ...this.#recent.filter((other) => other !== `${line};`)].slice(0, 1_000);
    (this.#lines as readline.Interface & { history: string[] }).history = [...this.#recent];
    await this.#context.history.add(`${line};`);
  }

  /** Reads the names for completion again; without an answer the old names stay. */
  async #readModels(): Promise<void> {
    const { client, access } = this.#context;
    try {
      this.#models = await readDimensions(client, access, NEVER);
    } catch (error) {
      if (!(error instanceof RemoteError || error instanceof UnreachableError)) throw error;
    }
  }

  async #obey(command: PromptCommand): Promise<void> {
    switch (command.do) {
      case 'quit':
        this.#hasQuit = true;
        this.#lines.close();
        return;
      case 'help':
        return this.#write(PROMPT_HELP);
      case 'timing':
        this.#timing = !this.#timing;
        return this.#write(`timing is ${this.#timing ? 'on' : 'off'}\n`);
      case 'vertical':
        return this.#setFormat(this.#format === 'vertical' ? 'table' : 'vertical');
      case 'format':
        return this.#setFormat(command.format);
      case 'dimensions':
        await this.#readModels();
        return this.#write(dimensionsText(this.#models, this.#terminal));
      case 'columns':
        await this.#readModels();
        return this.#write(columnsText(this.#models, command.dimension, this.#terminal));
      case 'output':
        return this.#redirect(command.file);
      case 'nothing':
        return this.#write(`${command.wrong}\n`);
    }
  }

  #setFormat(format: SqlFormat): void {
    this.#format = format;
    this.#write(`answers are written as ${format}\n`);
  }

  async #redirect(file: string | null): Promise<void> {
    const { files, output } = this.#context;
    const outlet = file === null ? standardOutlet(output) : await fileOutlet(files, file);
    await this.#outlet.close();
    this.#outlet = outlet;
  }
}
