/**
 * Event retention: finds columns with events older than their retention time.
 * Invariants: a record deletes events, so that every worker, replay and snapshot loses the same ones; a record deletes none that
 * the column's retention time before that record keeps.
 */
import { type Catalog, dimensionById } from '../../catalog/index.js';
import { encodeRecordPayload } from '../../format/index.js';
import type { EventColumnKey } from '../../protocol/index.js';
import { SECONDS_PER_DAY } from '../../schema/index.js';
import type { WorkerClients } from '../workers/worker-clients.js';

/** Deleting events scans the column, so it waits until the oldest exceed the retention time by a hundredth of it. */
const SLACK_SHARE = 0.01;
const SLACK_SECONDS_MAX = SECONDS_PER_DAY;

export interface Expiry extends EventColumnKey {
  readonly beforeSeconds: number;
}

const expiredBefore = (retentionDays: number, nowMs: number): number =>
  Math.floor(nowMs / 1000) - retentionDays * SECONDS_PER_DAY;

/** Columns with a retention time, and the time before which their events are expired at `nowMs`. */
function bounds(catalog: Catalog, nowMs: number): (Expiry & { readonly slackSeconds: number })[] {
  return [...catalog.databases.values()].flatMap(({ id: databaseId, dimensions }) =>
    [...dimensions.values()].flatMap(({ id: dimensionId, columns }) =>
      [...columns.values()].flatMap(({ id: columnId, retentionDays }) => {
        if (retentionDays === null) return [];
        const beforeSeconds = expiredBefore(retentionDays, nowMs);
        const slackSeconds = Math.min(retentionDays * SECONDS_PER_DAY * SLACK_SHARE, SLACK_SECONDS_MAX);
        return beforeSeconds <= 0 ? [] : [{ databaseId, dimensionId, columnId, beforeSeconds, slackSeconds }];
      }),
    ),
  );
}

/** Whether any column has a retention time. */
export function keepsForAWhile({ databases }: Catalog): boolean {
  for (const { dimensions } of databases.values()) {
    for (const { columns } of dimensions.values()) {
      for (const { retentionDays } of columns.values()) if (retentionDays !== null) return true;
    }
  }
  return false;
}

/** The columns whose expired events are old enough to be deleted. */
export async function findExpired(
  workers: WorkerClients,
  catalog: Catalog,
  nowMs: number,
): Promise<readonly Expiry[]> {
  const columns = bounds(catalog, nowMs);
  if (columns.length === 0) return [];
  const oldest = await workers.sendAll((worker) => worker.send('oldest-events', { columns }));
  return columns.filter(({ beforeSeconds, slackSeconds }, index) =>
    oldest.some((seconds) => seconds[index] < beforeSeconds - slackSeconds),
  );
}

/** Whether the column still has a retention time by which events before `beforeSeconds` are expired at `nowMs`. */
export function isExpired(catalog: Catalog, expiry: Expiry, nowMs: number): boolean {
  const { databaseId, dimensionId, columnId, beforeSeconds } = expiry;
  const model = catalog.databases.get(databaseId);
  const dimension = model === undefined ? undefined : dimensionById(model, dimensionId);
  const column = [...(dimension?.columns.values() ?? [])].find(({ id }) => id === columnId);
  const retentionDays = column?.retentionDays ?? null;
  return retentionDays !== null && beforeSeconds <= expiredBefore(retentionDays, nowMs);
}

export function encodeExpiry(expiry: Expiry, timeMs: number): Uint8Array {
  const { databaseId, dimensionId, columnId, beforeSeconds } = expiry;
  return encodeRecordPayload({ type: 'expire', timeMs, databaseId, dimensionId, columnId, beforeSeconds });
}
