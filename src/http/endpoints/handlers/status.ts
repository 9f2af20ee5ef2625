/**
 * GET /v1/status: the number of entities and events of a database, and the memory of its dimensions and columns.
 * GET /v1/status/live: what was inserted into a database, again whenever it changes.
 */
import { invariant } from '../../../base/index.js';
import { isEventType } from '../../../schema/index.js';
import {
  type DatabaseCall,
  type Evaluation,
  handleMembersOf,
  type LiveAnswer,
  type Members,
} from './handler.js';

type Described = Awaited<ReturnType<DatabaseCall['engine']['describeData']>>;

/** Uses the model of this turn; newer dimensions and columns count as empty. Rejects with 9004 while a shard is rebuilt. */
export async function describeStatus({ engine, model, databaseId }: DatabaseCall): Promise<Members> {
  const name = engine.catalog().databases.get(databaseId)?.name;
  const described = (await engine.describeData()).filter((one) => one.databaseId === databaseId);
  const dimensions = [...model.dimensions.values()].map(({ id, apiName, columns }) => {
    const data = described.find(({ dimensionId }) => dimensionId === id);
    return {
      'api-name': apiName,
      entities: data?.entityCount ?? 0,
      bytes: bytesOf(data, () => true),
      columns: [...columns.values()].map((column) => ({
        'api-name': column.apiName,
        ...(isEventType(column.type) ? { events: eventsOf(data, column.id) } : {}),
        bytes: bytesOf(data, (columnId) => columnId === column.id),
      })),
    };
  });
  return handleMembersOf({ database: name, dimensions });
}

function bytesOf(data: Described[number] | undefined, counts: (columnId: number) => boolean): number {
  const of = data?.memory.filter(({ columnId }) => counts(columnId)) ?? [];
  return of.reduce((sum, { bytes }) => sum + bytes, 0);
}

const eventsOf = (data: Described[number] | undefined, columnId: number): number =>
  data?.eventCounts.find((events) => events.columnId === columnId)?.count ?? 0;

export async function followInserts(call: DatabaseCall): Promise<LiveAnswer> {
  invariant(call.openLive !== null, 'the endpoint has live answers');
  const key = JSON.stringify([call.databaseId, 'inserts']);
  return { events: await call.openLive(call, { key, evaluate: countInserts }) };
}

/** The counts are those of `GET /v1/database`, by all records up to one LSN. */
async function countInserts({ engine, databaseId, model }: DatabaseCall): Promise<Evaluation> {
  const { records } = engine;
  const { lsn, usage } = await records.usageOf(databaseId);
  const members = handleMembersOf({
    database: model.name,
    usage: {
      'inserted-entities': usage.insertedEntityCount,
      'inserted-values': usage.insertedValueCount,
      'updated-entities': usage.updatedEntityCount,
    },
  });
  return { members, lsn, changedLsn: () => records.databaseChangedLsn(databaseId), readsTime: false };
}
