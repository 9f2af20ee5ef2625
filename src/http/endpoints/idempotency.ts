/**
 * The Idempotency-Key header, and the name of a request that takes effect once.
 * Invariant: the name depends on database, key, endpoint and header, and on nothing else; two different ones never
 * have the same name.
 */
import { createHash } from 'node:crypto';
import { QuarryError } from '../../base/index.js';
import type { Caller } from '../auth/caller.js';
import { hasHeader } from '../auth/keys.js';
import type { Request } from '../transport/uws.js';
import type { Endpoint } from './endpoints.js';

const ONCE_PATHS: readonly string[] = ['/v1/insert', '/v1/update', '/v1/delete', '/v1/sql'];
const HEADER = 'idempotency-key';
const HEADER_TEXT = /^[ -~]{1,255}$/;

/** Whether it looks at the header. */
export function takesOnceKey({ method, path }: Pick<Endpoint, 'method' | 'path'>): boolean {
  return method === 'POST' && ONCE_PATHS.includes(path);
}

/** null without the header, and at endpoints that do not look at it. Throws 4049 when it is not as it must be. */
export function onceIdOf(
  request: Request,
  endpoint: Endpoint,
  databaseId: number,
  caller: Caller,
): string | null {
  if (!takesOnceKey(endpoint)) return null;
  const text = request.getHeader(HEADER);
  if (text === '' && !hasHeader(request, HEADER)) return null;
  if (!HEADER_TEXT.test(text)) {
    throw new QuarryError(4049, 'the header Idempotency-Key is not 1 to 255 printable ASCII characters');
  }
  const who = caller.kind === 'user' ? ['user', caller.email] : ['key', caller.hash];
  return nameOf([databaseId, ...who, endpoint.path, text]);
}

/** The name of a part of the request that is called `onceId`; `number`: which, from 1. */
export function partOnceIdOf(onceId: string, number: number): string {
  return nameOf([onceId, number]);
}

/** Different lists have different names. */
function nameOf(what: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url');
}
