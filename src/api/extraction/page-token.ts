/**
 * Page tokens: where the next page of an extraction begins, given to the client and taken back from it.
 * A token is base64url of a digest of DIGEST_BYTES, then JSON text. The digest is SHA-256, cut off, over that text and
 * over all that the token belongs to: endpoint, caller, database and the body without its token. It needs no secret: it
 * tells what a client mixed up from what it was given; whoever makes a token himself gets rows that he may see anyway.
 * Invariants: every fault is 4029; a token depends on nothing that a restart forgets; a body is the same whatever the
 * white space and the order of keys; what comes back has the shape that `writePageToken` gives, also when forged.
 */
import { createHash } from 'node:crypto';
import { INT64_MAX, INT64_MIN, ORDER_KEYS_MAX, QuarryError, TEXT_POINTS_MAX } from '../../base/index.js';
import type { OrderValue, RowPosition } from '../../ir/index.js';
import { type Json, type JsonObject, sortedJson } from '../body/json.js';

/** What a token belongs to. */
export interface TokenOwner {
  readonly endpoint: string;
  /** Names the key or the user; different callers have different names. */
  readonly caller: string;
  readonly databaseId: number;
  readonly body: JsonObject;
}

export interface PageToken {
  /** The page that the token asks for, from 2. */
  readonly page: number;
  /** Rows of the pages before, from 1. */
  readonly taken: number;
  /** The time of the first page's request, milliseconds since 1970-01-01. */
  readonly firstMs: number;
  /** Of the last row of the page before. */
  readonly last: RowPosition;
}

export const PAGE_TOKEN_FIELD = 'page-token';

const VERSION = 1;
const DIGEST_BYTES = 16;
/** A position holds an ID and the order's texts, each of whose code points JSON may write as six bytes. */
const TOKEN_BYTES_MAX = DIGEST_BYTES + (1 + ORDER_KEYS_MAX) * TEXT_POINTS_MAX * 6 + 1_000;
const TOKEN_CHARS_MAX = Math.ceil((TOKEN_BYTES_MAX * 4) / 3);

export function writePageToken(owner: TokenOwner, { page, taken, firstMs, last }: PageToken): string {
  const { id, score, distanceKm, values } = last;
  const text = JSON.stringify([page, taken, firstMs, id, score, distanceKm, values.map(plainValue)]);
  return Buffer.concat([digestOf(owner, text), Buffer.from(text)]).toString('base64url');
}

/** Throws 4029 for everything that `writePageToken` did not give for the same owner. */
export function readPageToken(owner: TokenOwner, json: Json): PageToken {
  if (typeof json !== 'string' || json.length > TOKEN_CHARS_MAX) throw pageTokenFault();
  const bytes = Buffer.from(json, 'base64url');
  // Decoding skips what is no base64url, and the last character's spare bits.
  if (bytes.toString('base64url') !== json) throw pageTokenFault();
  const text = bytes.subarray(DIGEST_BYTES).toString();
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOf(owner, text))) throw pageTokenFault();
  const token = tokenIn(text);
  if (token === null) throw pageTokenFault();
  return token;
}

export function pageTokenFault(): QuarryError {
  return new QuarryError(
    4029,
    `"${PAGE_TOKEN_FIELD}" is not one that this key was given for this request at this endpoint`,
  );
}

function digestOf({ endpoint, caller, databaseId, body }: TokenOwner, text: string): Buffer {
  const request = sortedJson(new Map([...body].filter(([key]) => key !== PAGE_TOKEN_FIELD)));
  const owned = JSON.stringify([VERSION, endpoint, caller, databaseId, request, text]);
  return createHash('sha256').update(owned).digest().subarray(0, DIGEST_BYTES);
}

/** The order's values as JSON holds them: null, "t" and a text, "i" and an integer's digits. */
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

/** What `plainValue` wrote so; undefined for everything else. */
function orderValueIn(plain: unknown): OrderValue | undefined {
  if (plain === null) return null;
  if (typeof plain !== 'string') return undefined;
  if (plain.startsWith('t')) return plain.slice(1);
  if (!/^i(0|-?[1-9]\d{0,18})$/.test(plain)) return undefined;
  const value = BigInt(plain.slice(1));
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}
