/**
 * Inserts the rows of a body and finds those that the server refuses: a refused body is divided into parts that are sent
 * separately, down to single rows.
 * Invariant: a row is inserted once, however often an import is resumed. The server may accept later what it refuses now
 * (a date is then no longer in the future), so before the parts of a body are sent, an empty body uses its
 * Idempotency-Key: from then on the server answers 9001 to the whole body, and the parts are sent instead.
 */
import { BODY_BYTES_MAX } from '../../../base/index.js';
import { RemoteError } from '../../remote/index.js';
import type { Mapping } from '../mapping/mapping.js';
import { bodyText } from './bodies.js';
import type { InsertSender } from './insert-sender.js';
import type { BadRow, BodyRow } from './row-converter.js';

export interface Inserted {
  readonly entityCount: number;
  readonly byteCount: number;
  readonly bad: readonly BadRow[];
}

const PARTS = 8;
export const KEY_REUSED = 9001;
/** Error codes of a whole body: invalid JSON or too large. */
const BODY_CODES: readonly number[] = [1503, 1507];
/** Error codes of missing or inactive columns, which no row causes. */
const MODEL_CODES: readonly number[] = [2011, 2013, 2020, 2021];
const EMPTY_BODY = new TextEncoder().encode('{}');

/** Error codes of inserts begin with 2. */
const isOfInserts = (code: number): boolean => Math.floor(code / 1000) === 2;

/** Whether rows of the body are the reason. */
export const isRowsError = (error: unknown): error is RemoteError =>
  error instanceof RemoteError &&
  error.code !== null &&
  ((isOfInserts(error.code) && !MODEL_CODES.includes(error.code)) || BODY_CODES.includes(error.code));

type Outcome =
  | { readonly entityCount: number }
  | { readonly refused: RemoteError }
  | { readonly cutBefore: true };

export class RowInserter {
  readonly #mapping: Mapping;
  readonly #insertSender: InsertSender;

  constructor(mapping: Mapping, insertSender: InsertSender) {
    this.#mapping = mapping;
    this.#insertSender = insertSender;
  }

  /** `bytes` is the body of `rows`, `key` its Idempotency-Key. */
  async insert(rows: readonly BodyRow[], bytes: Uint8Array, key: string): Promise<Inserted> {
    const outcome = await this.#send(bytes, key);
    if ('entityCount' in outcome) return { ...outcome, byteCount: bytes.length, bad: [] };
    if (rows.length === 1)
      return { entityCount: 0, byteCount: 0, bad: [this.#badRow(rows[0], bytes, outcome)] };
    if ('refused' in outcome) await this.#insertSender.post(EMPTY_BODY, key);
    let entityCount = 0;
    let byteCount = 0;
    const bad: BadRow[] = [];
    const size = Math.ceil(rows.length / PARTS);
    for (let from = 0; from < rows.length; from += size) {
      const part = rows.slice(from, from + size);
      const partBytes = Buffer.from(bodyText(this.#mapping, part, false));
      const inserted = await this.insert(part, partBytes, `${key}.${from / size}`);
      entityCount += inserted.entityCount;
      byteCount += inserted.byteCount;
      bad.push(...inserted.bad);
    }
    return { entityCount, byteCount, bad };
  }

  async #send(bytes: Uint8Array, key: string): Promise<Outcome> {
    if (bytes.length > BODY_BYTES_MAX) return { cutBefore: true };
    try {
      const answer = (await this.#insertSender.post(bytes, key)) as { readonly 'inserted-entities': number };
      return { entityCount: answer['inserted-entities'] };
    } catch (error) {
      if (error instanceof RemoteError && error.code === KEY_REUSED) return { cutBefore: true };
      if (isRowsError(error)) return { refused: error };
      throw error;
    }
  }

  #badRow(
    { row, line, text }: BodyRow,
    bytes: Uint8Array,
    outcome: Exclude<Outcome, { entityCount: number }>,
  ): BadRow {
    const shown = text ?? Buffer.from(bytes).toString('utf8');
    if ('refused' in outcome) {
      return { row, line, code: outcome.refused.code ?? 0, reason: outcome.refused.reason, text: shown };
    }
    return {
      row,
      line,
      reason: `the row alone is larger than ${BODY_BYTES_MAX} bytes`,
      text: shown.slice(0, 65_536),
    };
  }
}
