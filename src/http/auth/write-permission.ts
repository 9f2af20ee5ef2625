/** Who may write with SQL, over HTTP and over the Postgres port. */
import { QuarryError } from '../../base/index.js';
import type { Catalog } from '../../catalog/index.js';
import type { Caller } from './caller.js';
import { permits } from './sessions.js';

/** The permission to create dimensions and columns. */
const MODELLING = 7;

/** Throws 503 or 507 for callers that may only read. */
export function checkWriter(caller: Caller): void {
  const what = 'may send SELECT and EXPLAIN to POST /v1/sql, nothing else';
  if (caller.kind === 'read') throw new QuarryError(503, `a read key ${what}`);
  if (caller.kind === 'custom' && caller.level === 'read-only') {
    throw new QuarryError(507, `a read-only key ${what}`);
  }
}

/** Whether the caller's inserts may create columns and dimensions. */
export function mayCreate(catalog: Catalog, caller: Caller, nowMs: number): boolean {
  if (caller.kind === 'user') return permits(catalog, caller, MODELLING, nowMs) === true;
  return caller.kind !== 'custom';
}
