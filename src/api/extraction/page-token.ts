/**
 * Page tokens: the position where the next page of an extraction begins. The client receives the token and sends it back.
 * A token is base64url of a digest of DIGEST_BYTES, then JSON text. The digest is truncated SHA-256 over that text and
 * over the token's owner: endpoint, caller, database and the body without its token. It needs no secret: it detects tokens
 * that a client sends with another request; a forged token gives only rows that the caller may see anyway.
 * Invariants: every error is 4029; a token stays valid after a restart of the server; white space and the order of keys in a
 * body do not matter; an accepted token has the shape that `writePageToken` writes, even if it is forged.
 */
import { createHash } from 'node:crypto';
import { INT64_MAX, INT64_MIN, ORDER_KEYS_MAX, QuarryError, TEXT_POINTS_MAX } from '../../base/index.js';
import type { OrderValue, RowPosition } from '../../ir/index.js';
import { type Json, type JsonObject, sortedJson } from '../body/json.js';

/** The request that a token belongs to. */
export interface TokenOwner {
  readonly endpoint: string;
  /** Identifies the key or the user; unique for each caller. */
  readonly caller: string;
  readonly databaseId: number;
  readonly body: JsonObject;
}

export interface PageToken {
  /** The number of the page that the token requests, from 2. */
  readonly page: number;
  /** Number of rows on the previous pages, from 1. */
  readonly taken: number;
  /** The time of the first page's request, milliseconds since 1970-01-01. */
  readonly firstMs: number;
  /** Position of the last row of the previous page. */
  readonly last: RowPosition;
}

export const PAGE_TOKEN_FIELD = 'page-token';

const VERSION = 1;
const DIGEST_BYTES = 16;
/** A position contains an ID and the texts of the order; JSON may write each of their code points as six bytes. */
const TOKEN_BYTES_MAX = DIGEST_BYTES + (1 + ORDER_KEYS_MAX) * TEXT_POINTS_MAX * 6 + 1_000;
const TOKEN_CHARS_MAX = Math.ceil((TOKEN_BYTES_MAX * 4) / 3);

export function writePageToken(owner: TokenOwner, { page, taken, firstMs, last }: PageToken): string {
  const { id, score, distanceKm, values } = last;
  const text = JSON.stringify([page, taken, firstMs, id, score, distanceKm, values.map(plainValue)]);
  return sealedText(owner, text);
}

/** The token of a text. */
export const sealedText = (owner: TokenOwner, text: string): string =>
  Buffer.concat([digestOf(owner, text), Buffer.from(text)]).toString('base64url');

/** Reads a token. Throws 4029 if `writePageToken` did not write it for the same owner. */
export function readPageToken(owner: TokenOwner, json: Json): PageToken {
  if (typeof json !== 'string' || json.length > TOKEN_CHARS_MAX) throw pageTokenError();
  const token = tokenIn(openedText(owner, json));
  if (token === null) throw pageTokenError();
  return token;
}

/** The text of a token. Throws 4029 if `sealedText` did not write it for the same owner. */
export function openedText(owner: TokenOwner, token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  // Decoding ignores invalid characters and the spare bits of the last character.
  if (bytes.toString('base64url') !== token) throw pageTokenError();
  const text = bytes.subarray(DIGEST_BYTES).toString();
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOf(owner, text))) throw pageTokenError();
  return text;
}

export function pageTokenError(): QuarryError {
  return new QuarryError(
    4029,
    `"${PAGE_TOKEN_FIELD}" was not issued to this key for this request at this endpoint`,
  );
}

function digestOf({ endpoint, caller, databaseId, body }: TokenOwner, text: string): Buffer {
  const request = sortedJson(new Map([...body].filter(([key]) => key !== PAGE_TOKEN_FIELD)));
  const owned = JSON.stringify([VERSION, endpoint, caller, databaseId, request, text]);
  return createHash('sha256').update(owned).digest().subarray(0, DIGEST_BYTES);
}

/** A value of the order in JSON: null, "t" and a text, or "i" and the digits of an integer. */
function plainValue(value: OrderValue): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? `t${value}` : `i${value}`;
}

function tokenIn(text: string): PageToken | null {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(fields) || fields.length !== 7) return null;
  const [page, taken, firstMs, id, score, distanceKm, plain]: unknown[] = fields;
  if (!isCount(page) || page < 2 || !isCount(taken) || taken < 1 || !isCount(firstMs)) return null;
  if (typeof id !== 'string' || id === '' || !isCount(score)) return null;
  if (typeof distanceKm !== 'number' || distanceKm < 0 || !Array.isArray(plain)) return null;
  const values = plain.map(orderValueIn);
  if (!values.every((value) => value !== undefined)) return null;
  return { page, taken, firstMs, last: { id, score, distanceKm, values } };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The value that `plainValue` wrote; undefined for other values. */
function orderValueIn(plain: unknown): OrderValue | undefined {
  if (plain === null) return null;
  if (typeof plain !== 'string') return undefined;
  if (plain.startsWith('t')) return plain.slice(1);
  if (!/^i(0|-?[1-9]\d{0,18})$/.test(plain)) return undefined;
  const value = BigInt(plain.slice(1));
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}
