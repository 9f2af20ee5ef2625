/**
 * Who calls: from the Authorization header to a key of the catalog, and whether that key may use an endpoint.
 * Keys are 256 random bits and are looked up by their SHA-256. How long the lookup takes depends on the hash of what
 * was presented only, and a caller who cannot choose a hash learns nothing of a stored one from it: so the lookup
 * needs no comparison in constant time of its own. A key's text never gets into a message or a log.
 */
import { hash } from 'node:crypto';
import { QuarryError } from '../base/index.js';
import type { ApiKey, Catalog } from '../catalog/index.js';
import type { Endpoint } from './endpoints.js';
import type { Request } from './uws.js';

/** Throws 500 without the header, 501 when it is empty, 502 when it is no key of the catalog. */
export function authenticate(catalog: Catalog, request: Request): ApiKey {
  const presented = request.getHeader('authorization');
  if (presented === '') throw new QuarryError(hasHeader(request, 'authorization') ? 501 : 500);
  const key = catalog.keys.get(hash('sha256', presented, 'hex'));
  if (key === undefined) throw new QuarryError(502);
  return key;
}

/** The database that the key opens. Throws 503 when keys of its kind may not use the endpoint. */
export function authorize(key: ApiKey, endpoint: Endpoint): number {
  if (!endpoint.keys.includes(key.kind) || key.databaseId === null) {
    throw new QuarryError(503, `a ${key.kind} key may not use ${endpoint.method} ${endpoint.path}`);
  }
  return key.databaseId;
}

function hasHeader(request: Request, name: string): boolean {
  let found = false;
  request.forEach((key) => {
    if (key === name) found = true;
  });
  return found;
}
