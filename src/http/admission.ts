/**
 * What is checked before a handler runs, in the interface's order: 1506; 1505; 500 to 502; (account states 1000 to
 * 1003 and addresses 504, which nothing here can have yet); 503; 1500 and 1501; (rates 1502, not enforced yet); 1507.
 * The first that fails is the answer. Everything here reads the head of the request only.
 */
import { BODY_BYTES_MAX, QuarryError, quoted } from '../base/index.js';
import { databaseOf } from '../catalog/index.js';
import type { EngineApi } from '../engine/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { type Encoding, encodingOf } from './decode.js';
import type { Endpoint } from './endpoints.js';
import { authenticate, authorize } from './keys.js';
import { type BuiltEndpoint, endpointOf, type Path } from './router.js';
import type { Request } from './uws.js';

/** How long the head says that the body is. */
export type BodyLength =
  | { readonly kind: 'none' | 'chunked' }
  | { readonly kind: 'declared'; readonly bytes: number }
  /** No number, or one that uWebSockets does not follow: it drops the connection behind the answer. */
  | { readonly kind: 'broken'; readonly text: string };

const NO_BODY: BodyLength = { kind: 'none' };
const CHUNKED: BodyLength = { kind: 'chunked' };

/** The body of a GET is not looked at: it has none, whatever comes. */
export function bodyLengthOf(request: Request, method: string): BodyLength {
  const text = request.getHeader('content-length');
  if (text === '') {
    return method === 'get' || request.getHeader('transfer-encoding') === '' ? NO_BODY : CHUNKED;
  }
  if (!/^\d{1,9}$/.test(text)) return { kind: 'broken', text };
  const bytes = Number(text);
  return bytes === 0 || method === 'get' ? NO_BODY : { kind: 'declared', bytes };
}

export interface Admitted {
  readonly endpoint: BuiltEndpoint;
  readonly databaseId: number;
  readonly model: DatabaseModel;
  readonly encoding: Encoding;
}

/** Throws QuarryError with the first check that fails. `found` is what the path offers, null for no such path. */
export function admit(
  engine: EngineApi,
  request: Request,
  found: Path | null,
  method: string,
  path: string,
  secure: boolean,
  length: BodyLength,
): Admitted {
  if (!secure && found?.plainHttp !== true) {
    throw new QuarryError(1506, `${quoted(path)} is served over HTTPS only`);
  }
  const endpoint = endpointOf(found, method, path);
  if (!engine.ready) throw new QuarryError(9004, 'the server is starting or stopping');
  const catalog = engine.catalog();
  const key = authenticate(catalog, request);
  const databaseId = authorize(key, endpoint);
  const encoding = length.kind === 'none' ? 'identity' : checkContentType(endpoint, request);
  checkLength(length);
  return { endpoint, databaseId, model: databaseOf(catalog, databaseId), encoding };
}

/** Throws 1500 and 1501. */
function checkContentType(endpoint: Endpoint, request: Request): Encoding {
  const header = request.getHeader('content-type');
  if (header === '')
    throw new QuarryError(1500, `Content-Type header missing: ${endpoint.bodyType} is wanted`);
  if (header !== endpoint.bodyType) {
    const type = header.split(';', 1)[0].trim().toLowerCase();
    if (type !== endpoint.bodyType) {
      throw new QuarryError(1501, `Content-Type is ${quoted(header)}, not ${endpoint.bodyType}`);
    }
  }
  return encodingOf(request.getHeader('content-encoding'));
}

/** Throws 1507, and 1503 when the length is no number. */
function checkLength(length: BodyLength): void {
  if (length.kind === 'broken') {
    if (/^\d+$/.test(length.text)) throw tooLong();
    throw new QuarryError(1503, `Content-Length ${quoted(length.text)} is no number of bytes`);
  }
  if (length.kind === 'declared' && length.bytes > BODY_BYTES_MAX) throw tooLong();
}

export function tooLong(): QuarryError {
  return new QuarryError(1507, `the body is larger than ${BODY_BYTES_MAX} bytes`);
}
