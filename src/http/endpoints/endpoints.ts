/**
 * The table of the interface's endpoints: method, path, callers, rate and handler. The checks, the tables in the documents and
 * the tests are derived from it.
 * Invariants: each pair of method and path is in the table once; paths have no trailing slash.
 */
import { BODY_BYTES_MAX } from '../../base/index.js';
import type { CustomKeyLevel, DatabaseKeyKind, Permission, TeamPermission } from '../../catalog/index.js';
import { BEHAVIOUR_KINDS } from '../../interface/index.js';
import * as aggregations from './handlers/aggregation.js';
import { answerBehaviour } from './handlers/behaviour.js';
import * as columns from './handlers/column.js';
import * as customKeys from './handlers/custom-key.js';
import * as databases from './handlers/database.js';
import * as dimensions from './handlers/dimension.js';
import * as extractions from './handlers/extraction.js';
import type { DatabaseAnswer, DatabaseCall, Handler, OpenCall, TeamCall } from './handlers/handler.js';
import { handleInsert } from './handlers/insert.js';
import { deleteEntities, updateEntities } from './handlers/mutation.js';
import * as groups from './handlers/permission-group.js';
import { retryQuarantine } from './handlers/quarantine.js';
import * as queries from './handlers/query.js';
import * as relations from './handlers/relation.js';
import * as saved from './handlers/saved-query.js';
import * as segments from './handlers/segment.js';
import { handleSignIn } from './handlers/session.js';
import { runSql } from './handlers/sql.js';
import { describeStatus, followInserts } from './handlers/status.js';
import { listQueries, listSlowQueries, stopQuery } from './handlers/status-queries.js';
import * as users from './handlers/user.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Requests a minute: a number, `query-load` (the limit of the database's plan), or null (no limit of requests). */
export type Rate = number | 'query-load' | null;

interface AnyEndpoint {
  readonly method: Method;
  /** A segment that begins with `:` matches any text. */
  readonly path: string;
  /** The Content-Type that a body must have. */
  readonly bodyType: 'application/json' | 'application/sql';
  /** Also accepts line bodies, of any length, which are applied part by part. */
  readonly takesLines: boolean;
  /** Takes bodies of flat records, of any length and in several forms, which are applied part by part. */
  readonly takesRecords: boolean;
  /** Uses the Idempotency-Key header: a repeated request takes effect once. */
  readonly takesIdempotencyKey: boolean;
  /** Answers with server-sent events. */
  readonly isLive: boolean;
  /** Limit of a body as sent and as decoded; of a line body, limit of one part. */
  readonly bodyBytesMax: number;
  /** Also served over plain HTTP. */
  readonly plainHttp: boolean;
  readonly rate: Rate;
}

type DatabaseHandler = Handler<DatabaseCall, DatabaseAnswer>;

export interface DatabaseEndpoint extends AnyEndpoint {
  readonly scope: 'database';
  readonly keys: readonly DatabaseKeyKind[];
  /** Levels of custom keys that may call it (others: 507), or the code that refuses all of them. */
  readonly custom: readonly CustomKeyLevel[] | 505 | 509 | 511;
  /** The permission that a user's group must have. */
  readonly permission: Permission;
  /** True if the endpoint reads rows: its requests count as queries in the database's usage. */
  readonly isQuery: boolean;
  readonly handler: DatabaseHandler;
}

export interface TeamEndpoint extends AnyEndpoint {
  readonly scope: 'team';
  /** The permission that a team key must have; null = none. */
  readonly teamPermission: TeamPermission | null;
  readonly permission: Permission;
  readonly handler: Handler<TeamCall>;
}

/** Needs no key. */
export interface OpenEndpoint extends AnyEndpoint {
  readonly scope: 'open';
  readonly handler: Handler<OpenCall>;
}

export type Endpoint = DatabaseEndpoint | TeamEndpoint | OpenEndpoint;

const READ_LEVELS: readonly CustomKeyLevel[] = ['write-read', 'read-only'];
const WRITE_LEVELS: readonly CustomKeyLevel[] = ['write-read', 'write-only'];
const ALL_LEVELS: readonly CustomKeyLevel[] = ['read-only', 'write-only', 'write-read'];

const MODELLERS: readonly DatabaseKeyKind[] = ['master', 'write'];
const WRITERS: readonly DatabaseKeyKind[] = ['master', 'write', 'demo'];
const READERS: readonly DatabaseKeyKind[] = ['master', 'read', 'demo'];

const COMMON = {
  bodyType: 'application/json',
  bodyBytesMax: BODY_BYTES_MAX,
  takesLines: false,
  takesRecords: false,
  takesIdempotencyKey: false,
  plainHttp: false,
  isQuery: false,
  isLive: false,
} as const;

/** A small limit, because the client is not authenticated. */
export const SESSION_BODY_BYTES_MAX = 16 * 1024;

type DatabaseOptions = Partial<
  Pick<
    DatabaseEndpoint,
    'bodyType' | 'takesLines' | 'takesRecords' | 'takesIdempotencyKey' | 'plainHttp' | 'isQuery' | 'isLive'
  >
>;

type Who = Pick<DatabaseEndpoint, 'keys' | 'custom'>;

function inDatabase(
  at: `${Method} ${string}`,
  who: Who,
  permission: Permission,
  rate: Rate,
  handler: DatabaseHandler,
  more: DatabaseOptions = {},
): DatabaseEndpoint {
  return { scope: 'database', ...route(at), ...COMMON, ...who, permission, rate, handler, ...more };
}

function ofTeam(
  at: `${Method} ${string}`,
  teamPermission: TeamPermission | null,
  permission: Permission,
  rate: number,
  handler: Handler<TeamCall>,
): TeamEndpoint {
  return { scope: 'team', ...route(at), ...COMMON, teamPermission, permission, rate, handler };
}

function route(at: `${Method} ${string}`): Pick<Endpoint, 'method' | 'path'> {
  const [method, path] = at.split(' ');
  return { method: method as Method, path };
}

const listing: Who = { keys: ['master', 'write', 'read'], custom: ALL_LEVELS };
const columnModelling: Who = { keys: MODELLERS, custom: 505 };
const dimensionModelling: Who = { keys: MODELLERS, custom: 511 };
const writing: Who = { keys: WRITERS, custom: WRITE_LEVELS };
/** Keys that see all columns and rows. */
const keeping: Who = { keys: MODELLERS, custom: 509 };
const querying: Who = { keys: READERS, custom: READ_LEVELS };
const totals: Who = { keys: ['master', 'read'], custom: READ_LEVELS };
const saving: Who = { keys: ['master', 'demo'], custom: READ_LEVELS };
const savedListing: Who = { keys: ['master', 'read', 'demo'], custom: READ_LEVELS };
/** Read and read-only keys may send SELECT and EXPLAIN only. The handler refuses their other statements. */
const sql: Who = { keys: READERS, custom: READ_LEVELS };

const QUERY = { isQuery: true } as const;
const KEYED = { takesIdempotencyKey: true } as const;
const LIVE = { isLive: true } as const;
/** Keys that may read the size of the database. */
const measuring: Who = { keys: ['master', 'read'], custom: 509 };

/** The key that sees everything of the database, also the queries of other keys. */
const operating: Who = { keys: ['master'], custom: 509 };

export const ENDPOINTS: readonly Endpoint[] = [
  inDatabase('POST /v1/dimension', dimensionModelling, 7, 600, dimensions.createDimension),
  inDatabase('DELETE /v1/dimension', dimensionModelling, 8, 600, dimensions.handleDeleteDimension),
  inDatabase('GET /v1/dimension', listing, 6, 600, dimensions.handleListDimensions),
  inDatabase('POST /v1/column', columnModelling, 7, 600, columns.handleCreateColumns),
  inDatabase('PUT /v1/column', columnModelling, 7, 600, columns.handleChangeColumn),
  inDatabase('DELETE /v1/column', columnModelling, 8, 600, columns.handleDeleteColumn),
  inDatabase('GET /v1/column', listing, 6, 600, columns.handleListColumns),
  inDatabase('POST /v1/column/relation', columnModelling, 7, 600, relations.handleCreateRelation),
  inDatabase('DELETE /v1/column/relation', columnModelling, 8, 600, relations.handleDeleteRelation),
  inDatabase('GET /v1/column/relation', listing, 6, 600, relations.handleListRelations),
  inDatabase('POST /v1/insert', writing, 2, null, handleInsert, {
    ...KEYED,
    takesLines: true,
    plainHttp: true,
  }),
  inDatabase('POST /v1/insert/lines', writing, 2, null, handleInsert, {
    ...KEYED,
    takesRecords: true,
    plainHttp: true,
  }),
  inDatabase('POST /v1/quarantine/retry', keeping, 2, 60, retryQuarantine),
  inDatabase('POST /v1/update', writing, 3, 600, updateEntities, KEYED),
  inDatabase('POST /v1/delete', writing, 4, 600, deleteEntities, KEYED),
  inDatabase('POST /v1/sql', sql, 5, 120, runSql, { ...KEYED, bodyType: 'application/sql', isQuery: true }),
  inDatabase('POST /v1/query/count/entity', querying, 1, 'query-load', queries.handleCountEntities, QUERY),
  inDatabase('POST /v1/query/count/entity/total', totals, 1, 'query-load', queries.countTotal, QUERY),
  inDatabase('GET /v1/query/count/entity/total', totals, 1, 'query-load', queries.countTotalOfAll, QUERY),
  inDatabase('POST /v1/query/exists/entity', querying, 1, 'query-load', queries.existEntities, QUERY),
  inDatabase('POST /v1/query/count/event', querying, 1, 'query-load', aggregations.countEvents, QUERY),
  inDatabase('POST /v1/query/count/events', querying, 1, 'query-load', aggregations.countEvents, QUERY),
  inDatabase('POST /v1/query/aggregation', querying, 1, 'query-load', aggregations.aggregate, QUERY),
  inDatabase('POST /v1/query/top_values', querying, 1, 'query-load', aggregations.handleTopValues, QUERY),
  ...BEHAVIOUR_KINDS.map((kind) =>
    inDatabase(`POST /v1/query/${kind}`, querying, 1, 'query-load', answerBehaviour(kind), QUERY),
  ),
  inDatabase('POST /v1/data_extraction/result', querying, 1, 120, extractions.extractResult, QUERY),
  inDatabase('POST /v1/data_extraction/score', querying, 1, 120, extractions.extractScore, QUERY),
  inDatabase('POST /v1/query/saved', saving, 10, 60, saved.saveQuery),
  inDatabase('GET /v1/query/saved', savedListing, 9, 600, saved.handleListSavedQueries),
  inDatabase('GET /v1/query/saved/:query_name', saving, 9, 600, saved.runSavedQuery, QUERY),
  inDatabase('GET /v1/query/saved/:query_name/live', saving, 9, 600, saved.followSavedQuery, {
    ...QUERY,
    ...LIVE,
  }),
  inDatabase('PUT /v1/query/saved/:query_name', saving, 10, 60, saved.handleChangeSavedQuery),
  inDatabase('DELETE /v1/query/saved/:query_name', saving, 11, 60, saved.handleDeleteSavedQuery),
  inDatabase('POST /v1/segment', saving, 10, 60, segments.createSegment),
  inDatabase('GET /v1/segment', savedListing, 9, 600, segments.listSegments),
  inDatabase('GET /v1/segment/:segment_name', saving, 9, 600, segments.describeSegment),
  inDatabase('PUT /v1/segment/:segment_name', saving, 10, 60, segments.changeSegment),
  inDatabase('DELETE /v1/segment/:segment_name', saving, 11, 60, segments.deleteSegment),
  inDatabase('POST /v1/segment/:segment_name/ids', writing, 2, null, segments.addSegmentIds),
  inDatabase('DELETE /v1/segment/:segment_name/ids', writing, 2, null, segments.removeSegmentIds),
  inDatabase('GET /v1/database', operating, 12, 60, databases.handleDescribeDatabase),
  inDatabase('GET /v1/status', measuring, 12, 60, describeStatus),
  inDatabase('GET /v1/status/live', measuring, 12, 60, followInserts, LIVE),
  inDatabase('GET /v1/status/queries', operating, 13, 600, listQueries),
  inDatabase('DELETE /v1/status/queries/:query_id', operating, 13, 600, stopQuery),
  inDatabase('GET /v1/status/slow_queries', operating, 13, 600, listSlowQueries),
  ofTeam('POST /v1/database', null, 13, 60, databases.handleCreateDatabase),
  ofTeam('PUT /v1/database', null, 13, 60, databases.handleChangeDatabase),
  ofTeam('DELETE /v1/database', 'delete', 14, 60, databases.handleDeleteDatabase),
  ofTeam('GET /v1/database/retrieve_all', null, 12, 60, databases.listDatabases),
  ofTeam('GET /v1/database/custom_key', 'list', 15, 60, customKeys.handleListCustomKeys),
  ofTeam('POST /v1/database/custom_key', null, 16, 60, customKeys.handleCreateCustomKey),
  ofTeam('PUT /v1/database/custom_key', 'update', 16, 60, customKeys.handleChangeCustomKey),
  ofTeam('DELETE /v1/database/custom_key', 'delete', 17, 60, customKeys.handleDeleteCustomKey),
  ofTeam('GET /v1/users', 'list', 18, 600, users.handleListUsers),
  ofTeam('POST /v1/users', null, 18, 600, users.handleCreateUser),
  ofTeam('PUT /v1/users', 'update', 18, 600, users.handleChangeUser),
  ofTeam('DELETE /v1/users', 'update', 18, 600, users.handleDeleteUser),
  ofTeam('GET /v1/permission_groups', 'list', 19, 60, groups.handleListGroups),
  ofTeam('POST /v1/permission_groups', null, 19, 60, groups.handleCreateGroup),
  ofTeam('PUT /v1/permission_groups', null, 19, 60, groups.handleChangeGroup),
  ofTeam('DELETE /v1/permission_groups', null, 19, 60, groups.handleDeleteGroup),
  {
    scope: 'open',
    ...route('POST /v1/session'),
    ...COMMON,
    bodyBytesMax: SESSION_BODY_BYTES_MAX,
    rate: 60,
    handler: handleSignIn,
  },
];
