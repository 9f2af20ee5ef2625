/**
 * What is checked before a handler runs, in the interface's order: 1506; 1505; 500 to 502; account states 1000 to
 * 1003; addresses 504; what the key may 503, 505, 507, 509, 511; 1500 and 1501; rates 1502; 1507. The first that fails
 * is the answer. Everything here reads the head of the request only, while it is there: in the turn in which it came.
 */
import type { RowFormat } from '../answer/index.js';
import { type Clock, QuarryError, quoted } from '../base/index.js';
import { type Catalog, propertiesOf } from '../catalog/index.js';
import type { EngineApi } from '../engine/index.js';
import { formatOf } from './accept.js';
import type { AddressBook } from './addresses.js';
import type { Caller } from './caller.js';
import { type Encoding, encodingOf } from './decode.js';
import type { Endpoint } from './endpoints.js';
import { onceIdOf } from './idempotency.js';
import { authenticate, authorize, checkAccount, databaseIdOf, presentedKey } from './keys.js';
import type { Bound, LimitedDatabase, RateLimiter } from './limits.js';
import { LINES_TYPE } from './part-answer.js';
import type { Peer } from './proxy.js';
import { endpointOf, type Path, pathNameOf } from './router.js';
import type { Sessions } from './sessions.js';
import type { Request } from './uws.js';

/** How long the head says that the body is. */
export type BodyLength =
  | { readonly kind: 'none' | 'chunked' }
  | { readonly kind: 'declared'; readonly bytes: number }
  /**
   * No number, or several, or a coding that is not followed: where the next request begins is not known for certain, so the
   * connection is closed behind the answer. `text`: what is wrong.
   */
  | { readonly kind: 'broken'; readonly text: string }
  /** Too many digits for uWebSockets, which drops the connection behind the answer. */
  | { readonly kind: 'endless' };

const NO_BODY: BodyLength = { kind: 'none' };
const CHUNKED: BodyLength = { kind: 'chunked' };

/** The body of a GET is not looked at: it has none, whatever comes. */
export function bodyLengthOf(request: Request, method: string): BodyLength {
  const text = request.getHeader('content-length');
  const coding = request.getHeader('transfer-encoding');
  if (text === '' && coding === '') return NO_BODY;
  if (linesOf(request) > 1) {
    return { kind: 'broken', text: 'several lines of Content-Length or Transfer-Encoding' };
  }
  if (coding !== '') {
    if (coding.toLowerCase() !== 'chunked') {
      return { kind: 'broken', text: `Transfer-Encoding ${quoted(coding)} is not chunked` };
    }
    return method === 'get' ? NO_BODY : CHUNKED;
  }
  if (!/^\d{1,9}$/.test(text)) {
    if (/^\d+$/.test(text)) return { kind: 'endless' };
    return { kind: 'broken', text: `Content-Length ${quoted(text)} is no number of bytes` };
  }
  const bytes = Number(text);
  return bytes === 0 || method === 'get' ? NO_BODY : { kind: 'declared', bytes };
}

/** Lines of the head that say how long the body is; `getHeader` gives the first of a name only. */
function linesOf(request: Request): number {
  let count = 0;
  request.forEach((name) => {
    if (name === 'content-length' || name === 'transfer-encoding') count++;
  });
  return count;
}

/** The head of a request, as it came. */
export interface Arrival {
  readonly request: Request;
  /** What the path offers, null for no such path. */
  readonly found: Path | null;
  /** In lower case. */
  readonly method: string;
  /** Without a trailing slash. */
  readonly path: string;
  readonly secure: boolean;
  readonly length: BodyLength;
  readonly peer: Pick<Peer, 'address'>;
}

/** A caller who was let in. */
export interface Identity {
  /** As presented: for finding the caller again. */
  readonly keyText: string;
  readonly caller: Caller;
  /** In which the caller was found. */
  readonly catalog: Catalog;
}

export interface Admitted {
  readonly endpoint: Endpoint;
  readonly encoding: Encoding;
  /** The body is lines, to be taken part by part. */
  readonly inLines: boolean;
  /** See AnyCall. */
  readonly pathName: string;
  /** null at open endpoints. */
  readonly identity: Identity | null;
  /** Text of the client's address; empty where an endpoint has no use for it. */
  readonly client: string;
  /** See DatabaseCall. */
  readonly onceId: string | null;
  readonly format: RowFormat;
}

/** Who is told what is learnt of a request. */
export interface Told {
  found(endpoint: Endpoint): void;
  /** The key is a good one, whatever it may. */
  identified(caller: Caller): void;
  /** What bounds requests of this kind. */
  bounded(bound: Bound): void;
}

export interface DoorNeeds {
  readonly engine: EngineApi;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly sessions: Sessions;
  readonly addresses: AddressBook;
  /** null = rates bound nothing. */
  readonly limiter: RateLimiter | null;
}

export class Door {
  readonly #needs: DoorNeeds;

  constructor(needs: DoorNeeds) {
    this.#needs = needs;
  }

  /**
   * Throws QuarryError with the first check that fails. What is learnt of the request is `told` as soon as it is known: also
   * when a later check fails.
   */
  admit(arrival: Arrival, told: Told): Admitted {
    const { request, found, method, path, length } = arrival;
    if (!arrival.secure && found?.plainHttp !== true) {
      throw new QuarryError(1506, `${quoted(path)} is served over HTTPS only`);
    }
    const endpoint = endpointOf(found, method, path);
    told.found(endpoint);
    const { engine, limiter, elapsedMs } = this.#needs;
    if (!engine.ready) throw new QuarryError(9004, 'the server is starting or stopping');
    const catalog = engine.catalog();
    this.#needs.addresses.see(catalog);
    const identity = endpoint.scope === 'open' ? null : this.#identify(arrival, endpoint, catalog, told);
    if (identity === null) checkAccount(catalog);
    const caller = identity?.caller ?? null;
    const client = caller === null ? arrival.peer.address : '';
    const bound = this.#boundOf(endpoint, caller, client, catalog);
    if (bound !== null) told.bounded(bound);
    const inLines = endpoint.takesLines && typeOf(request.getHeader('content-type')) === LINES_TYPE;
    if (length.kind !== 'none' && !inLines) checkContentType(endpoint, request);
    const encoding = length.kind === 'none' ? 'identity' : encodingOf(request.getHeader('content-encoding'));
    if (bound !== null) limiter?.count(endpoint, bound, caller, elapsedMs());
    checkLength(length, inLines ? Number.POSITIVE_INFINITY : endpoint.bodyBytesMax);
    const databaseId = caller === null ? null : databaseIdOf(caller);
    let onceId: string | null = null;
    if (endpoint.scope === 'database' && caller !== null && databaseId !== null) {
      onceId = onceIdOf(request, endpoint, databaseId, caller);
      engine.noteRequest(databaseId, endpoint.asks);
    }
    const pathName = found === null ? '' : pathNameOf(found, path);
    const format = endpoint.scope === 'database' ? formatOf(request.getHeader('accept')) : 'json';
    return { endpoint, encoding, inLines, pathName, identity, client, onceId, format };
  }

  /** Throws 500 to 502, 1000 to 1003, 504, and what `authorize` throws. */
  #identify(
    { request, peer }: Arrival,
    endpoint: Exclude<Endpoint, { scope: 'open' }>,
    catalog: Catalog,
    told: Told,
  ): Identity {
    const { sessions, clock } = this.#needs;
    const nowMs = clock.nowMs();
    const keyText = presentedKey(request);
    const caller = authenticate(catalog, sessions, keyText, nowMs);
    told.identified(caller);
    checkAccount(catalog);
    this.#checkAddress(caller, catalog, peer);
    authorize(caller, endpoint, catalog, nowMs);
    return { keyText, caller, catalog };
  }

  /** Throws 504. */
  #checkAddress(caller: Caller, catalog: Catalog, peer: Arrival['peer']): void {
    const databaseId = databaseIdOf(caller);
    if (databaseId === null) return;
    const ofDatabase = propertiesOf(catalog, databaseId).addressesWhitelist;
    const ofKey = caller.kind === 'custom' ? caller.addressesWhitelist : [];
    if (ofDatabase.length === 0 && ofKey.length === 0) return;
    const { addresses } = this.#needs;
    const { address } = peer;
    if (!addresses.admits(ofDatabase, address) || !addresses.admits(ofKey, address)) {
      throw new QuarryError(504, `the address ${address} is not in the whitelist`);
    }
  }

  #boundOf(endpoint: Endpoint, caller: Caller | null, client: string, catalog: Catalog): Bound | null {
    const { limiter } = this.#needs;
    if (limiter === null) return null;
    if (caller === null) return limiter.ofClient(endpoint, client);
    const databaseId = databaseIdOf(caller);
    return databaseId === null
      ? limiter.ofTeam(endpoint)
      : limiter.inDatabase(endpoint, limitedDatabase(catalog, databaseId), caller);
  }
}

export function limitedDatabase(catalog: Catalog, id: number): LimitedDatabase {
  const { queryLoad, insertionLoad } = propertiesOf(catalog, id);
  return { id, queryLoad, insertionLoad };
}

/** What a Content-Type header names, without its parameters. */
const typeOf = (header: string): string => header.split(';', 1)[0].trim().toLowerCase();

/** Throws 1500 and 1501. */
function checkContentType({ bodyType, takesLines }: Endpoint, request: Request): void {
  const header = request.getHeader('content-type');
  if (header === bodyType || typeOf(header) === bodyType) return;
  const wanted = takesLines ? `${bodyType} or ${LINES_TYPE}` : bodyType;
  if (header === '') throw new QuarryError(1500, `Content-Type header missing: ${wanted} is wanted`);
  throw new QuarryError(1501, `Content-Type is ${quoted(header)}, not ${wanted}`);
}

/** Throws 1507, and 1503 when the length is not known. */
function checkLength(length: BodyLength, bytesMax: number): void {
  if (length.kind === 'broken') throw new QuarryError(1503, length.text);
  if (length.kind === 'endless') {
    if (bytesMax < Number.POSITIVE_INFINITY) throw tooLong(bytesMax);
    throw new QuarryError(1507, 'a Content-Length of 10 digits is not followed: send such a body chunked');
  }
  if (length.kind === 'declared' && length.bytes > bytesMax) throw tooLong(bytesMax);
}

export function tooLong(bytesMax: number): QuarryError {
  return new QuarryError(1507, `the body is larger than ${bytesMax} bytes`);
}
