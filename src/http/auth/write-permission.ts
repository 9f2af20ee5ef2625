/** Who may write with SQL, over HTTP and over the Postgres port. */
import { QuarryError } from '../../base/index.js';
import type { Catalog } from '../../catalog/index.js';
import type { Caller } from './caller.js';
import { permits } from './sessions.js';

/** The permission to insert. */
const INSERTING = 2;
/** The permissions to create dimensions and columns, and to delete them. */
const MODELLING = 7;
const DELETING = 8;
/** The permissions to save queries, and to delete saved ones. */
const SAVING = 10;
const DELETING_SAVED = 11;

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
  return mayModel(catalog, caller, nowMs, false);
}

/** Throws 503 if the caller may not create views with SQL, or drop them (`drops`). */
export function checkViews(catalog: Catalog, caller: Caller, nowMs: number, drops: boolean): void {
  if (caller.kind !== 'user') return;
  const permitted = permits(catalog, caller, drops ? DELETING_SAVED : SAVING, nowMs);
  if (permitted !== true) throw new QuarryError(503, permitted);
}

/** Throws 511 if the caller may not create tables with SQL, or delete them (`deletes`). */
export function checkTables(catalog: Catalog, caller: Caller, nowMs: number, deletes: boolean): void {
  if (mayModel(catalog, caller, nowMs, deletes)) return;
  throw new QuarryError(511, `this key may not ${deletes ? 'delete' : 'create'} dimensions`);
}

/** Throws 503 or 505 if the caller may not create columns with SQL, or delete them (`deletes`). */
export function checkColumns(catalog: Catalog, caller: Caller, nowMs: number, deletes: boolean): void {
  const permitted = caller.kind !== 'user' || permits(catalog, caller, deletes ? DELETING : MODELLING, nowMs);
  if (permitted !== true) throw new QuarryError(503, permitted);
  if (caller.kind !== 'custom') return;
  throw new QuarryError(505, `this key may not ${deletes ? 'delete' : 'create'} columns`);
}

const mayModel = (catalog: Catalog, caller: Caller, nowMs: number, deletes: boolean): boolean =>
  caller.kind === 'user'
    ? permits(catalog, caller, deletes ? DELETING : MODELLING, nowMs) === true
    : caller.kind !== 'custom';

/** Throws 503 or 507 if the caller may not write the IDs of static segments. */
export function checkSegmentWriter(catalog: Catalog, caller: Caller, nowMs: number): void {
  if (caller.kind === 'custom' && caller.level === 'read-only') {
    throw new QuarryError(507, 'a read-only key may not write the IDs of segments');
  }
  if (caller.kind !== 'user') return;
  const permitted = permits(catalog, caller, INSERTING, nowMs);
  if (permitted !== true) throw new QuarryError(503, permitted);
}
