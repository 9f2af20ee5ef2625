/**
 * POST and GET /v1/segment; GET, PUT and DELETE /v1/segment/NAME. A segment is a set of entities of one dimension: those that
 * satisfy a condition list, or those whose IDs a static segment has. Its query is checked with the rights of the caller who
 * makes it, stored as JSON text, and bound again for every use, with the rights of the caller who uses it.
 * A key with a column whitelist sees only the segments whose columns it may use, and no static one. The others do not exist
 * for it (4023), except that their names are taken (4022).
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { Catalog, CatalogChange } from '../../catalog/index.js';
import { changedSegment, newSegment } from '../../interface/index.js';
import {
  type DatabaseModel,
  DEFAULT_DIMENSION,
  type Dimension,
  type Segment,
  segmentNamed,
  storedText,
} from '../../schema/index.js';
import { type Access, segmentQuery } from '../body/access.js';
import { dimensionAt, readAll, readOrNull } from '../body/fields.js';
import { type Json, writeJson } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { bindQuery } from '../condition/condition.js';
import type { ModelDecision } from '../model/dimension.js';
import { checkIds } from './ids.js';
import { isUsedByFilters, segmentsUsing, usersOfSegment } from './users.js';

/** Maximum number of segments of one database, and characters of all their queries: one answer lists all of them. */
const SEGMENTS_MAX = 10_000;
const SEGMENT_CHARS_MAX = 16 * 2 ** 20;

/** The database and the rights with which a caller reads segments. */
export interface SegmentReader {
  readonly catalog: Catalog;
  /** The database's model in `catalog`. */
  readonly model: DatabaseModel;
  readonly nowMs: number;
  readonly access: Access;
}

/** A request to make, change or delete a segment, without its body; `catalog` is the newest version. */
export interface SegmentCall extends SegmentReader {
  /** Hash of the caller's key if it is a custom key. */
  readonly customKey: string | null;
  /** Throws 503 or 507 if the caller may not write. */
  readonly checkWriter: () => void;
}

/** The IDs of a static segment. */
export interface SegmentIds {
  /** The dimension of the entities, and the id under which the IDs are stored. */
  readonly dimensionId: number;
  readonly segmentId: number;
  /** In stored form, each once. */
  readonly ids: readonly string[];
}

/** The changes, the members of the answer as JSON text, and the IDs to add; null = none. */
export interface SegmentDecision extends ModelDecision<string> {
  readonly added: SegmentIds | null;
}

interface FoundSegment {
  readonly segment: Segment;
  readonly dimension: Dimension;
}

/** The members of a segment: its condition list, or IDs as the request has them. */
type Definition = { readonly query: Json } | { readonly ids: readonly string[] };

/** Makes a segment. Throws 503, 507, 4010, 4021, 4022, 4034, 4041, 4048, 5008, 9106 and the errors of its query or IDs. */
export function createSegment(json: Json, call: SegmentCall): SegmentDecision {
  const { name, dimension, definition } = RequestBody.of(newSegment, json).read((body) =>
    readAll({
      name: () => newName(body.get('name'), call.model),
      dimension: () => dimensionAt(call.model, body.get('dimension') ?? DEFAULT_DIMENSION),
      definition: () => readDefinition(body, call),
    }),
  );
  return setSegment({ name, dimension, before: null }, definition, call);
}

/** Replaces the members of a segment. Throws 4023, 508 and the errors of `createSegment`. */
export function changeSegment(name: string, json: Json, call: SegmentCall): SegmentDecision {
  const { segment, dimension } = ownSegment(name, call);
  const definition = RequestBody.of(changedSegment, json).read((body) => {
    const other = body.get('dimension') ?? dimension.apiName;
    if (other !== dimension.apiName) throw body.error('dimension', 'cannot be changed');
    return readDefinition(body, call);
  });
  if (segment.query === null) call.checkWriter();
  return setSegment({ name, dimension, before: segment }, definition, call);
}

/** Deletes a segment. Throws 4023, 508, and 9105 if it is in use. */
export function deleteSegment(name: string, call: SegmentCall): ModelDecision<string> {
  const { segment, dimension } = ownSegment(name, call);
  if (segment.query === null) call.checkWriter();
  const [user] = usersOfSegment(name, call.catalog, call.model);
  if (user !== undefined) throw new QuarryError(9105, `segment ${quoted(name)} is used by ${user}`);
  const { id: segmentId } = segment;
  const ref = { databaseId: call.model.id, dimensionId: dimension.id };
  return {
    changes: [{ change: 'segment-deleted', ...ref, name, segmentId }],
    answer: `"deleted-segment":${JSON.stringify(name)}`,
  };
}

/** Members of the answer: the segments that the caller may use, by dimension in the order of their creation. */
export function listSegments(reader: SegmentReader): string {
  const entries = [...reader.model.dimensions.values()].flatMap((dimension) =>
    [...dimension.segments.values()]
      .filter((segment) => mayUse({ segment, dimension }, reader))
      .map((segment) => `{${membersOfSegment({ segment, dimension })}}`),
  );
  return `"segments":[${entries.join()}]`;
}

/** The segment with the name. Throws 4023, also for a segment that the caller may not use. */
export function segmentAt(name: string, reader: SegmentReader): FoundSegment {
  const found = segmentNamed(reader.model, name);
  if (found !== undefined && mayUse(found, reader)) return found;
  throw new QuarryError(4023, `segment ${quoted(name)} does not exist`);
}

/** The members of an answer about a segment, as JSON text; the query of a static one is null. */
export function membersOfSegment({ segment, dimension }: FoundSegment): string {
  const [name, of] = [JSON.stringify(segment.name), JSON.stringify(dimension.apiName)];
  return `"name":${name},"dimension":${of},"query":${segment.query}`;
}

/** The static segment, if the caller may change it. Throws 4023, 508, and 4038 for a segment with a query. */
export function ownStaticSegment(name: string, call: SegmentCall): FoundSegment {
  const found = ownSegment(name, call);
  if (found.segment.query === null) return found;
  throw new QuarryError(4038, `segment ${quoted(name)} has a query; only static segments have IDs`);
}

/** A query that no longer binds for another reason than rights, such as a deleted column, is hidden from restricted keys. */
function mayUse({ segment, dimension }: FoundSegment, { access, model, nowMs }: SegmentReader): boolean {
  return access.opens(
    segment,
    model,
    () => readOrNull(() => bindUse(segment.name, dimension, nowMs, access.checkColumn)) !== null,
  );
}

const bindUse = (
  name: string,
  dimension: Dimension,
  nowMs: number,
  checkColumn?: Access['checkColumn'],
): unknown => bindQuery(segmentQuery(name), dimension, nowMs, { checkColumn });

/** The segment, if the caller may change and delete it. Throws 4023 and 508. */
function ownSegment(name: string, call: SegmentCall): FoundSegment {
  const { customKey } = call;
  const found = segmentAt(name, call);
  if (customKey === null) return found;
  const { creator } = found.segment;
  if (creator !== null && creator !== customKey) {
    throw new QuarryError(508, `segment ${quoted(name)} was made by another custom key`);
  }
  if (isUsedByFilters(name, call.catalog, call.model)) {
    throw new QuarryError(
      508,
      `the filter of a key uses segment ${quoted(name)}; custom keys cannot change it`,
    );
  }
  return found;
}

/** The name, if no segment of the database has it. Throws 4022. */
function newName(name: string, model: DatabaseModel): string {
  if (segmentNamed(model, name) === undefined) return name;
  throw new QuarryError(4022, `segment ${quoted(name)} already exists`);
}

/** The query or the IDs of a body. Throws 4010 for neither, 4049 for both, 503 and 507. */
function readDefinition(
  body: RequestBody<typeof changedSegment.properties>,
  { checkWriter }: SegmentCall,
): Definition {
  const { query, ids } = readAll({ query: () => body.get('query'), ids: () => body.get('ids') });
  const has = { query: (query ?? null) !== null, ids: (ids ?? null) !== null };
  if (has.query && has.ids) throw body.error('ids', 'cannot be next to "query"');
  if (has.query) return { query: query as Json };
  if (!has.ids) throw new QuarryError(4010, 'the body has neither "query" nor "ids"');
  checkWriter();
  return { ids: checkIds(ids as readonly Json[]) };
}

interface SegmentTarget {
  readonly name: string;
  readonly dimension: Dimension;
  /** The segment that is replaced; null = the segment is new. */
  readonly before: Segment | null;
}

function setSegment({ name, dimension, before }: SegmentTarget, definition: Definition, call: SegmentCall) {
  const { model } = call;
  const query = 'query' in definition ? writeJson(definition.query) : null;
  // IDs that are replaced as a whole are stored under another id, so that one record drops the ones and adds the others.
  const isSame = before !== null && before.query !== null && query !== null;
  const segment: Segment = {
    id: isSame ? before.id : model.nextDimensionId,
    name,
    query,
    creator: before === null ? call.customKey : before.creator,
  };
  const changed = { ...dimension, segments: new Map(dimension.segments).set(name, segment) };
  if ('query' in definition) checkQuery(definition.query, segment, changed, call);
  else bindUse(name, changed, call.nowMs, call.access.checkColumn);
  checkLimits(segment, model);
  const ref = { databaseId: model.id, dimensionId: dimension.id };
  const replaces = before !== null && before.query === null ? before.id : null;
  const changes: readonly CatalogChange[] = [{ change: 'segment-set', ...ref, segment, replaces }];
  const answer = membersOfSegment({ segment, dimension });
  if ('query' in definition) return { changes, answer, added: null };
  const ids = storedIds(definition.ids, dimension);
  return { changes, answer, added: { dimensionId: dimension.id, segmentId: segment.id, ids } };
}

/** The IDs in stored form, each once. */
export const storedIds = (ids: readonly string[], dimension: Dimension): readonly string[] => [
  ...new Set(ids.map((id) => storedText(id, dimension))),
];

/** Binds the query, and every segment that uses the segment as it will be. Throws 9106 and the errors of the query. */
function checkQuery(
  query: Json,
  { name }: Segment,
  changed: Dimension,
  { nowMs, access }: SegmentCall,
): void {
  const { checkColumn } = access;
  bindQuery(query, changed, nowMs, { checkColumn });
  bindUse(name, changed, nowMs, checkColumn);
  for (const other of segmentsUsing(name, changed.segments.values())) {
    try {
      bindUse(other, changed, nowMs);
    } catch (error) {
      // A segment may be unusable for another reason, such as a deleted column.
      if (!(error instanceof QuarryError) || error.code !== 9106) continue;
      throw new QuarryError(9106, `segment ${quoted(other)}, which uses ${quoted(name)}: ${error.message}`);
    }
  }
}

/** Throws 4048 if the database would have too many or too long segments. */
function checkLimits({ name, query }: Segment, model: DatabaseModel): void {
  const others = [...model.dimensions.values()]
    .flatMap(({ segments }) => [...segments.values()])
    .filter((other) => other.name !== name);
  if (others.length >= SEGMENTS_MAX) {
    throw new QuarryError(4048, `the database already has the maximum of ${SEGMENTS_MAX} segments`);
  }
  const chars = others.reduce((sum, other) => sum + (other.query?.length ?? 0), query?.length ?? 0);
  if (chars <= SEGMENT_CHARS_MAX) return;
  throw new QuarryError(
    4048,
    `the queries of segments would exceed ${SEGMENT_CHARS_MAX} characters together`,
  );
}
