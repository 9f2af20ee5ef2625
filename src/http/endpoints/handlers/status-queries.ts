/**
 * GET /v1/status/queries: the queries that run in the database. DELETE /v1/status/queries/:query_id: stops one of them.
 * GET /v1/status/slow_queries: the newest queries that were logged as slow.
 */
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';

export function listQueries({ queries, databaseId }: DatabaseCall): Members {
  return handleMembersOf(queries.list(databaseId));
}

/** `stopped` false: the query has ended, or never ran in this database. */
export function stopQuery({ queries, databaseId, pathName, notes }: DatabaseCall): Members {
  const stopped = queries.stop(databaseId, pathName);
  if (stopped !== null) notes.stopped(stopped);
  return handleMembersOf({ stopped: stopped !== null });
}

export function listSlowQueries({ slowQueries, databaseId }: DatabaseCall): Members {
  return handleMembersOf({
    'slow-from-milliseconds': slowQueries.slowQueryMs,
    queries: slowQueries.list(databaseId),
  });
}
