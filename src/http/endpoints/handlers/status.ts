/** GET /v1/status: the number of entities and events of a database, and the memory of its dimensions and columns. */
import { isEventType } from '../../../schema/index.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';

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
