/**
 * The statements of earlier sessions, newest first: a file of JSON strings, a line each, oldest first.
 * Invariants: it holds statements only, STATEMENTS_MAX of them, and only its owner may read it; a file that cannot be read
 * or written never stops the prompt.
 */
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';

const STATEMENTS_MAX = 1_000;
/** Longer statements are not stored. */
const STATEMENT_CHARS_MAX = 10_000;
const OWNER_ONLY = 0o600;

/** The path by the XDG Base Directory Specification; null if the environment does not define one. */
export function historyFile(env: Readonly<Record<string, string | undefined>>): string | null {
  const state = env.XDG_STATE_HOME;
  if (state !== undefined && path.isAbsolute(state)) return path.join(state, 'quarry/sql-history');
  return env.HOME === undefined || env.HOME === ''
    ? null
    : path.join(env.HOME, '.local/state/quarry/sql-history');
}

export class History {
  readonly #files: FileSystem;
  readonly #file: string | null;

  constructor(files: FileSystem, file: string | null) {
    this.#files = files;
    this.#file = file;
  }

  /** Newest first. */
  async read(): Promise<string[]> {
    if (this.#file === null) return [];
    try {
      const text = Buffer.from(await this.#files.readFile(this.#file)).toString('utf8');
      return text.split('\n').flatMap(statementOf).reverse();
    } catch {
      return [];
    }
  }

  /** Adds a statement and keeps those that other prompts added meanwhile. */
  async add(statement: string): Promise<void> {
    if (this.#file === null || statement.length > STATEMENT_CHARS_MAX) return;
    const others = (await this.read()).filter((other) => other !== statement);
    const retained = [statement, ...others].slice(0, STATEMENTS_MAX).reverse();
    const text = retained.map((one) => `${JSON.stringify(one)}\n`).join('');
    const part = `${this.#file}.${process.pid}.part`;
    try {
      await this.#files.makeDir(path.dirname(this.#file));
      await this.#files.writeFile(part, Buffer.from(text), OWNER_ONLY);
      await this.#files.rename(part, this.#file);
    } catch {
      await this.#files.remove(part).catch(() => {});
    }
  }
}

function statementOf(line: string): string[] {
  try {
    const statement: unknown = JSON.parse(line);
    return typeof statement === 'string' ? [statement] : [];
  } catch {
    return [];
  }
}
