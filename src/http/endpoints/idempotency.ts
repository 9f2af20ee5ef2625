/**
 * The Idempotency-Key header, and the ID under which the engine remembers a request that must take effect once.
 * Invariant: the ID is a function of database, caller, endpoint and header only, or of the URL and the bytes of the body instead of
 * the header, and different inputs have different IDs.
 */
import { createHash, hash } from 'node:crypto';
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
  return nameOf([databaseId, ...whoIs(caller), endpoint.path, text]);
}

const whoIs = (caller: Caller): readonly string[] =>
  caller.kind === 'user' ? ['user', caller.email] : ['key', caller.hash];

/** What bodies with the same bytes have in common besides them, if they take effect once. `query`: that of the URL. */
export const bodyScopeOf = (
  databaseId: number,
  caller: Caller,
  { path }: Pick<Endpoint, 'path'>,
  query: string,
): string => nameOf([databaseId, ...whoIs(caller), path, 'body', query]);

/** The ID of a body, or of part `number` of one (from 1). Parts of one body are different writes, even with the same bytes. */
export const bodyIdempotencyIdOf = (scope: string, number: number, bytes: Uint8Array): string =>
  nameOf([scope, number, hash('sha256', bytes, 'base64url')]);

/** The ID of one part of the request `idempotencyId`. `number`: the part's number, from 1. */
export function partIdempotencyIdOf(idempotencyId: string, number: number): string {
  return nameOf([idempotencyId, number]);
}

/** Different lists have different results. */
function nameOf(what: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url');
}
