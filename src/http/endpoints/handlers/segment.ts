/** POST and GET /v1/segment; GET, PUT and DELETE /v1/segment/:segment_name; POST and DELETE /v1/segment/:segment_name/ids. */
import * as api from '../../../api/index.js';
import { invariant, QuarryError } from '../../../base/index.js';
import type { Catalog } from '../../../catalog/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import { checkSegmentWriter } from '../../auth/write-permission.js';
import type { DatabaseCall, Members } from './handler.js';

export function createSegment(call: DatabaseCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return decide(call, body, (within) => api.createSegment(body, within));
}

export function changeSegment(call: DatabaseCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return decide(call, body, (within) => api.changeSegment(call.pathName, body, within));
}

/** Ignores the body. */
export function deleteSegment(call: DatabaseCall): Promise<Members> {
  return call.engine.change((catalog) => {
    const decision = api.deleteSegment(call.pathName, newestCallOf(call, catalog));
    call.notes.changed(decision.changes, catalog);
    return decision;
  });
}

export function listSegments(call: DatabaseCall): Members {
  return api.listSegments(segmentCallOf(call, call.catalog, call.model));
}

export async function describeSegment(call: DatabaseCall): Promise<Members> {
  const found = api.segmentAt(call.pathName, segmentCallOf(call, call.catalog, call.model));
  const { databaseId, engine, cancellation, access } = call;
  const { query, id: dimensionId } = found.segment;
  const members = api.membersOfSegment(found);
  if (query !== null || access.fingerprint !== '') return `${members},"id-count":null`;
  const plan = { databaseId, dimensionId, condition: null };
  const [count] = await engine.countEntities([plan], { cancellation, bypassCache: false });
  return `${members},"id-count":${count}`;
}

export async function addSegmentIds(call: DatabaseCall): Promise<Members> {
  const ids = api.readSegmentIds(api.parseJson(call.body));
  const { count } = await call.engine.addSegmentIds({
    databaseId: call.databaseId,
    charge: (insertedCount) => call.chargeWrites({ insertedCount, updatedCount: 0 }),
    decide: (catalog) => ({ changes: [], answer: null, added: idsOf(call, catalog, ids) }),
  });
  return `"added":${count}`;
}

export async function removeSegmentIds(call: DatabaseCall): Promise<Members> {
  const ids = api.readSegmentIds(api.parseJson(call.body));
  const { databaseId, engine } = call;
  const removed = await engine.removeSegmentIds({
    databaseId,
    decide: (catalog) => idsOf(call, catalog, ids),
  });
  return `"removed":${removed}`;
}

/** The stored IDs of the static segment that the path names. */
function idsOf(call: DatabaseCall, catalog: Catalog, ids: readonly string[]): api.SegmentIds {
  const { segment, dimension } = api.ownStaticSegment(call.pathName, newestCallOf(call, catalog));
  return { dimensionId: dimension.id, segmentId: segment.id, ids: api.storedIds(ids, dimension) };
}

/** Decides on the newest catalog and resolves when the change is durable; IDs are written by the same record. */
async function decide(
  call: DatabaseCall,
  body: api.Json,
  make: (within: api.SegmentCall) => api.SegmentDecision,
): Promise<Members> {
  const { engine, databaseId, notes } = call;
  const newest = (catalog: Catalog): api.SegmentDecision => {
    const decision = make(newestCallOf(call, catalog));
    notes.changed(decision.changes, catalog);
    return decision;
  };
  const hasIds = api.isObject(body) && (body.get('ids') ?? null) !== null;
  if (!hasIds) return engine.change(newest);
  const { answer } = await engine.addSegmentIds({
    databaseId,
    charge: (insertedCount) => call.chargeWrites({ insertedCount, updatedCount: 0 }),
    decide: (catalog) => {
      const { added, ...decision } = newest(catalog);
      invariant(added !== null, 'a body with IDs adds them');
      return { ...decision, added };
    },
  });
  return answer;
}

/** The call in a newer version of the catalog. Throws 8002, and if the caller is no longer authorized. */
function newestCallOf(call: DatabaseCall, catalog: Catalog): api.SegmentCall {
  call.checkAgain(catalog);
  const model = catalog.databases.get(call.databaseId);
  if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
  return segmentCallOf(call, catalog, model);
}

function segmentCallOf(
  { caller, access, nowMs }: DatabaseCall,
  catalog: Catalog,
  model: DatabaseModel,
): api.SegmentCall {
  const customKey = caller.kind === 'custom' ? caller.hash : null;
  const checkWriter = () => checkSegmentWriter(catalog, caller, nowMs);
  return { catalog, model, nowMs, access, customKey, checkWriter };
}
