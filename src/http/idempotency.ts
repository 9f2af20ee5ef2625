/**
 * The Idempotency-Key header, and the name of a request that takes effect once.
 * Invariant: the name depends on database, key, endpoint and header, and on nothing else; two different ones never
 * have the same name.
 */
import { createHash } from 'node:crypto';
import { QuarryError } from '../base/index.js';
import type { Caller } from './caller.js';
import type { Endpoint } from './endpoints.js';
import { hasHeader } from './keys.js';
import type { Request } from './uws.js';

const ONCE_PATHS: readonly string[] = ['/v1/insert', '/v1/update', '/v1/delete', '/v1/sql'];
const HEADER = 'idempotency-key';
const HEADER_TEXT = /^[ -~]{1,255}$/;

/** null without the header, and at endpoints that do not look at it. Throws 4049 when it is not as it must be. */
export function onceIdOf(
  request: Request,
  endpoint: Endpoint,
  databaseId: number,
  caller: Caller,
): string | null {
  if (endpoint.method !== 'POST' || !ONCE_PATHS.includes(endpoint.path)) return null;
  const text = request.getHeader(HEADER);
  if (text === '' && !hasHeader(request, HEADER)) return null;
  if (!HEADER_TEXT.test(text)) {
    throw new QuarryError(4049, 'the header Idempotency-Key is not 1 to 255 printable ASCII characters');
  }
  const who = caller.kind === 'user' ? ['user', caller.email] : ['key', caller.hash];
  const name = JSON.stringify([databaseId, ...who, endpoint.path, text]);
  return createHash('sha256').update(name).digest('base64url');
}
