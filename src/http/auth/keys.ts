/**
 * Authentication and permissions: finds the key or session that an Authorization header presents, and checks the caller
 * against the endpoint table.
 * Keys are 256 random bits and are looked up by their SHA-256. The duration of a lookup depends only on the hash of the
 * presented text. A client cannot choose that hash, so it learns nothing about stored ones, and no comparison in constant
 * time is needed. The text of a key never appears in a message or a log.
 */
import { type ErrorCode, QuarryError } from '../../base/index.js';
import { type AccountState, type Catalog, databaseOf } from '../../catalog/index.js';
import type { DatabaseEndpoint, Endpoint, TeamEndpoint } from '../endpoints/endpoints.js';
import { nameOf } from '../endpoints/router.js';
import type { UwsRequest } from '../transport/uws.js';
import type { Caller } from './caller.js';
import { permits, type Sessions } from './sessions.js';

/** The key in the Authorization header; null if there is none. Throws 1503 for several headers, and the errors of `keyOf`. */
export function presentedKey(request: UwsRequest): string | null {
  const header = presentedHeader(request);
  return header === null ? null : keyOf(header);
}

/** The text of the Authorization header; null if there is none. Throws 1503 for several headers. */
export function presentedHeader(request: UwsRequest): string | null {
  let header = '';
  let count = 0;
  request.forEach((name, value) => {
    if (name !== 'authorization') return;
    header = value;
    count++;
  });
  if (count === 0) return null;
  if (count > 1) throw new QuarryError(1503, 'the request has several Authorization headers');
  return header;
}

/** The caller whose key has that hash. Throws 502 if it is neither a key of the catalog nor of a session. */
export function authenticate(catalog: Catalog, sessions: Sessions, keyHash: string, nowMs: number): Caller {
  const caller = catalog.keys.get(keyHash) ?? sessions.find(keyHash, nowMs);
  if (caller === null) throw new QuarryError(502);
  const databaseId = databaseIdOf(caller);
  if (databaseId !== null && !catalog.databases.has(databaseId)) throw new QuarryError(502);
  return caller;
}

/** The database of the caller; null for callers of team endpoints. */
export function databaseIdOf(caller: Caller): number | null {
  return caller.kind === 'team' ? null : caller.databaseId;
}

const ACCOUNT_CODES: Readonly<Record<AccountState, ErrorCode | null>> = {
  active: null,
  'no-payment-method': 1000,
  suspended: 1001,
  banned: 1002,
  disabled: 1003,
};

/** Throws 1000 to 1003 if the account's state forbids requests. */
export function checkAccount({ accountState }: Catalog): void {
  const code = ACCOUNT_CODES[accountState];
  if (code !== null) throw new QuarryError(code);
}

/** Throws 503, 505, 507, 509 or 511 if the caller may not use the endpoint. */
export function checkPermission(
  caller: Caller,
  endpoint: DatabaseEndpoint | TeamEndpoint,
  catalog: Catalog,
  nowMs: number,
): void {
  if (caller.kind === 'user') {
    const inDatabase = caller.databaseId !== null;
    if (inDatabase !== (endpoint.scope === 'database')) {
      const where = inDatabase ? 'inside a database' : 'of the team';
      throw new QuarryError(503, `this session is for requests ${where}, not for ${nameOf(endpoint)}`);
    }
    const permitted = permits(catalog, caller, endpoint.permission, nowMs);
    if (permitted !== true) throw new QuarryError(503, permitted);
  } else if (endpoint.scope === 'team') authorizeTeam(caller, endpoint);
  else authorizeInDatabase(caller, endpoint, catalog);
}

type KeyCaller = Exclude<Caller, { kind: 'user' }>;

function authorizeTeam(caller: KeyCaller, endpoint: TeamEndpoint): void {
  if (caller.kind === 'custom') throw new QuarryError(509, `${nameOf(endpoint)} is closed to custom keys`);
  if (caller.kind !== 'team') throw wrongKind(caller, endpoint);
  const { teamPermission } = endpoint;
  if (teamPermission !== null && !caller.permissions.includes(teamPermission)) {
    throw new QuarryError(
      503,
      `this team key lacks the permission ${teamPermission} for ${nameOf(endpoint)}`,
    );
  }
}

function authorizeInDatabase(caller: KeyCaller, endpoint: DatabaseEndpoint, catalog: Catalog): void {
  if (caller.kind === 'team') throw wrongKind(caller, endpoint);
  if (caller.kind === 'custom') {
    const { custom } = endpoint;
    if (typeof custom === 'number') {
      throw new QuarryError(custom, `${nameOf(endpoint)} is closed to custom keys`);
    }
    if (!custom.includes(caller.level)) {
      throw new QuarryError(507, `a ${caller.level} key may not use ${nameOf(endpoint)}`);
    }
  } else if (!endpoint.keys.includes(caller.kind)) throw wrongKind(caller, endpoint);
  else if (caller.kind === 'demo' && databaseOf(catalog, caller.databaseId).type !== 'test') {
    throw new QuarryError(503, 'demo keys open databases of type test only');
  }
}

function wrongKind(caller: KeyCaller, endpoint: Endpoint): QuarryError {
  return new QuarryError(503, `a ${caller.kind} key may not use ${nameOf(endpoint)}`);
}

export function hasHeader(request: UwsRequest, name: string): boolean {
  let found = false;
  request.forEach((key) => {
    if (key === name) found = true;
  });
  return found;
}

const BEARER = /^bearer(?: +|$)/i;
const BASIC = /^basic(?: +|$)/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The key in an Authorization header: the key itself, `Bearer KEY`, or `Basic` with the key as the password of any user name.
 * Keys contain no spaces, so a key cannot be mistaken for a scheme. Throws 501 if the header has no key, 502 if its Basic credentials
 * cannot be decoded.
 */
export function keyOf(header: string): string {
  const presented = header.trim();
  const key = BASIC.test(presented)
    ? passwordOf(presented.replace(BASIC, ''))
    : presented.replace(BEARER, '');
  if (key === '') throw new QuarryError(501);
  return key;
}

/** The password of `user:password` in Base64. */
function passwordOf(credentials: string): string {
  const text = BASE64.test(credentials) ? Buffer.from(credentials, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon === -1 && credentials !== '') {
    throw new QuarryError(502, 'Basic credentials must be USER:KEY in Base64, with a key as the password');
  }
  return text.slice(colon + 1);
}
