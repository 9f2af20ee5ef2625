/**
 * The state of an import, in a small file next to the imported one, with which a new run resumes it.
 * Rule: for 24 hours, while the server stores the Idempotency-Keys, the result does not depend on this file; later only the
 * file records what was sent.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FileSystem } from '../../../io/index.js';
import type { Input } from '../formats/input.js';
import { ImportError } from '../formats/row-block.js';
import type { ImportOptions } from '../import-options.js';
import type { Mapping } from '../mapping/mapping.js';

const VERSION = 1;
const TAIL_BYTES = 2 ** 16;
/** A server stores an Idempotency-Key for 24 hours; half an hour is a margin. */
const KNOWN_MS = 23.5 * 3_600_000;

export interface Counts {
  readonly rows: number;
  readonly entities: number;
  readonly bad: number;
}

export interface ImportState {
  readonly version: typeof VERSION;
  /** Identity of the file and the mapping. */
  readonly import: string;
  /** Hash of the server's address and the key. */
  readonly server: string;
  /** Number of done bodies, and the last row processed for them. */
  readonly bodies: number;
  readonly lastRow: number;
  /** The hash from which the next body's key is derived. */
  readonly chain: string;
  readonly counts: Counts;
  /** Length of the file of bad rows for those bodies. */
  readonly badBytes: number;
  /** Number of bodies sent, with or without an answer. */
  readonly bodiesSent: number;
  /** Time of writing, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * Identifies an import by the file's name, size, beginning and end, and by everything that determines the bodies. The keys
 * depend on the bodies as well, so that only equal bodies at equal positions share a key.
 */
export async function importIdentity(
  input: Input,
  mapping: Mapping,
  options: ImportOptions,
  as: 'rows' | 'columns',
): Promise<string> {
  const hash = createHash('sha256');
  const { dimension, id, targets, dimensionAt, areLines } = mapping;
  const columns = targets.map(({ source, date, column, form: { type, storage, roundedTo, nulls } }) => {
    const own = [...nulls].filter((text) => !options.nulls.includes(text));
    return [source, date, column, type, storage, roundedTo, ...(own.length === 0 ? [] : [own])];
  });
  const { nulls, limit, skipRows, header, delimiter, format, encoding, reading } = options;
  const isPlain = reading.decimal === '.' && reading.dateFormats.length === 0;
  const cut = { limit: String(limit), skipRows, header, delimiter, format };
  const plan = {
    dimension,
    id,
    columns,
    nulls,
    ...cut,
    ...(areLines ? { dimensionAt } : {}),
    ...(encoding === null ? {} : { encoding }),
    ...(isPlain ? {} : { reading }),
    ...(as === 'rows' ? {} : { as }),
  };
  hash.update(JSON.stringify([VERSION, path.basename(input.name), input.byteCount, plan]));
  hash.update(input.head);
  if (input.file !== null && input.byteCount !== null) {
    const tail = new Uint8Array(Math.min(TAIL_BYTES, input.byteCount));
    await input.file.read(tail, input.byteCount - tail.length);
    hash.update(tail);
  }
  return hash.digest('hex');
}

/** The key of the body that follows those of `chain`; the next key is derived from it. */
export const nextChain = (chain: string, body: Uint8Array): string =>
  createHash('sha256').update(chain).update(body).digest('hex');

export class StateFile {
  readonly #files: FileSystem;
  /** null = no state is kept. */
  readonly #file: string | null;

  constructor(files: FileSystem, file: string | null) {
    this.#files = files;
    this.#file = file;
  }

  /** Reads the state; null = begin at the first row. Throws ImportError when it is unknown which rows are inserted. */
  async read(identity: string, server: string, nowMs: number): Promise<ImportState | null> {
    if (this.#file === null || !(await this.#files.exists(this.#file))) return null;
    const state = parseState(Buffer.from(await this.#files.readFile(this.#file)).toString('utf8'));
    if (state === null || state.import !== identity) return null;
    if (state.server !== server) {
      throw new ImportError(
        `${this.#file} belongs to an import to another server or with another key: resume with these, or remove the file to start again`,
      );
    }
    const areKnown = state.bodiesSent === state.bodies || nowMs - state.atMs < KNOWN_MS;
    if (areKnown) return state;
    throw new ImportError(
      `${this.#file} is older than a day: the server no longer records which rows after row ${state.lastRow} it inserted. ` +
        `Find out which rows exist, remove the file and continue with --skip-rows`,
    );
  }

  /** Replaces the file atomically. */
  async write(state: ImportState): Promise<void> {
    if (this.#file === null) return;
    await this.#files.writeFile(`${this.#file}.new`, Buffer.from(`${JSON.stringify(state)}\n`));
    await this.#files.rename(`${this.#file}.new`, this.#file);
  }

  async remove(): Promise<void> {
    if (this.#file !== null && (await this.#files.exists(this.#file))) await this.#files.remove(this.#file);
  }
}

export const newState = (identity: string, server: string, skipRows: number): ImportState => ({
  version: VERSION,
  import: identity,
  server,
  bodies: 0,
  lastRow: skipRows,
  chain: identity,
  counts: { rows: 0, entities: 0, bad: 0 },
  badBytes: 0,
  bodiesSent: 0,
  atMs: 0,
});

const WHOLE_FIELDS = ['bodies', 'lastRow', 'badBytes', 'bodiesSent', 'atMs'] as const;

function parseState(text: string): ImportState | null {
  try {
    const state = JSON.parse(text) as ImportState;
    const areWhole = WHOLE_FIELDS.every((field) => Number.isSafeInteger(state[field]) && state[field] >= 0);
    const { rows, entities, bad } = state.counts;
    const areCounts = [rows, entities, bad].every((count) => Number.isSafeInteger(count));
    return state.version === VERSION && areWhole && areCounts && /^[0-9a-f]{64}$/.test(state.chain)
      ? state
      : null;
  } catch {
    return null;
  }
}
