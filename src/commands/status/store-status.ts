/**
 * The status of a server and its store as plain data. Names are as clients chose them: they must be made printable before
 * they are shown.
 */

import { type DataUse, QuarryError } from '../../base/index.js';
import type { Catalog } from '../../catalog/index.js';
import type { Engine, EngineStats } from '../../engine/index.js';
import { type Dimension, isEventType } from '../../schema/index.js';

/** Facts about the server that the engine does not have. */
export interface ServerFacts {
  readonly release: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly httpsAddress: string;
  readonly httpAddress: string;
  /** Address for Postgres clients; null = they are not served. */
  readonly postgresAddress: string | null;
  readonly durability: string;
  /** null = none. */
  readonly archiveDir: string | null;
  readonly uptimeSeconds: () => number;
  /** Current memory of the whole process. */
  readonly processBytes: () => number;
}

export interface ColumnStatus {
  readonly name: string;
  readonly type: string;
  /** null = not an event column. */
  readonly eventCount: number | null;
  readonly bytes: number;
}

export interface DimensionStatus {
  readonly name: string;
  readonly entityCount: number;
  readonly bytes: number;
  /** Bytes by use, including those of the columns. */
  readonly memory: Readonly<Partial<Record<DataUse, number>>>;
  readonly columns: readonly ColumnStatus[];
}

export interface DatabaseStatus {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly dimensions: readonly DimensionStatus[];
}

export interface StoreStatus extends Omit<ServerFacts, 'uptimeSeconds' | 'processBytes'> {
  readonly uptimeSeconds: number;
  readonly processBytes: number;
  readonly ready: boolean;
  readonly stats: EngineStats;
  /** null while a worker is rebuilt, when the contents are unknown. */
  readonly databases: readonly DatabaseStatus[] | null;
}

/** Error code of requests while a shard is rebuilt. */
const REFUSES_FOR_NOW = 9004;

export async function statusOf(
  engine: Pick<Engine, 'ready' | 'stats' | 'catalog' | 'describeData'>,
  facts: ServerFacts,
): Promise<StoreStatus> {
  const databases = await databasesOf(engine);
  return {
    ...facts,
    uptimeSeconds: facts.uptimeSeconds(),
    processBytes: facts.processBytes(),
    ready: engine.ready,
    stats: engine.stats(),
    databases,
  };
}

type Described = Awaited<ReturnType<Engine['describeData']>>;

async function databasesOf(
  engine: Pick<Engine, 'catalog' | 'describeData'>,
): Promise<readonly DatabaseStatus[] | null> {
  let described: Described;
  try {
    described = await engine.describeData();
  } catch (error) {
    if (error instanceof QuarryError && error.code === REFUSES_FOR_NOW) return null;
    throw error;
  }
  return databasesFrom(engine.catalog(), described);
}

/** Includes empty dimensions and columns; omits those that the catalog no longer has. */
export function databasesFrom(catalog: Catalog, described: Described): DatabaseStatus[] {
  return [...catalog.databases.values()].map(({ id, name, type, dimensions: models }) => {
    const dimensions = [...models.values()].map((model) =>
      dimensionFrom(
        model,
        described.find((one) => one.databaseId === id && one.dimensionId === model.id),
      ),
    );
    return { name, type, bytes: dimensions.reduce((sum, { bytes }) => sum + bytes, 0), dimensions };
  });
}

function dimensionFrom(model: Dimension, data: Described[number] | undefined): DimensionStatus {
  const memory: Partial<Record<DataUse, number>> = {};
  const ofColumns = new Map<number, number>();
  let sum = 0;
  for (const { use, columnId, bytes } of data?.memory ?? []) {
    memory[use] = (memory[use] ?? 0) + bytes;
    ofColumns.set(columnId, (ofColumns.get(columnId) ?? 0) + bytes);
    sum += bytes;
  }
  const events = new Map(data?.eventCounts.map(({ columnId, count }) => [columnId, count]));
  return {
    name: model.apiName,
    entityCount: data?.entityCount ?? 0,
    bytes: sum,
    memory,
    columns: [...model.columns.values()].map(({ id, apiName, type }) => ({
      name: apiName,
      type,
      eventCount: isEventType(type) ? (events.get(id) ?? 0) : null,
      bytes: ofColumns.get(id) ?? 0,
    })),
  };
}
