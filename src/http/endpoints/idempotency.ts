/**
 * The Idempotency-Key header, and the ID under which the engine remembers a request that must take effect once.
 * Invariant: the ID is a function of database, caller, endpoint and header only, and different inputs have different IDs.
 */
import { createHash } from 'node:crypto';
import { QuarryError } from '../../base/index.js';
import type { Caller } from '../auth/caller.js';
import { hasHeader } from '../auth/keys.js';
import type { UwsRequest } from '../transport/uws.js';
import type { Endpoint } from './endpoints.js';

const HEADER = 'idempotency-key';
const HEADER_TEXT = /^[ -~]{1,255}$/;

/** For an endpoint that takes the header; null if the request has none. Throws 4049 if the header's text is not valid. */
export function idempotencyIdOf(
  request: UwsRequest,
  endpoint: Endpoint,
  databaseId: number,
  caller: Caller,
): string | null {
  const text = request.getHeader(HEADER);
  if (text === '' && !hasHeader(request, HEADER)) return null;
  if (!HEADER_TEXT.test(text)) {
    throw new QuarryError(4049, 'the header Idempotency-Key is not 1 to 255 printable ASCII characters');
  }
  const who = caller.kind === 'user' ? ['user', caller.email] : ['key', caller.hash];
  return nameOf([databaseId, ...who, endpoint.path, text]);
}

/** The ID of one part of the request `idempotencyId`. `number`: the part's number, from 1. */
export function partIdempotencyIdOf(idempotencyId: string, number: number): string {
  return nameOf([idempotencyId, number]);
}

/** Different lists have different results. */
function nameOf(what: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url');
}
