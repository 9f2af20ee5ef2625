/** The log record of an update or a delete, and the limit of its memory. */
import { QuarryError, SEGMENT_ROWS_MAX } from '../../base/index.js';
import { type CatalogChange, dimensionById } from '../../catalog/index.js';
import { decodeBatch, type Section } from '../../column/index.js';
import { encodeRecordPayload, type RecordIdempotency } from '../../format/index.js';
import { type CountEntityPlan, conditionToPlain } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { Mutation, MutationRequest } from '../api.js';
import type { WorkerClients } from '../workers/worker-clients.js';

/** A value of the widest type and its validity bit. */
const BYTES_PER_VALUE = 17;
/** An item of a list, in a heap that may be twice as large as its contents. */
const BYTES_PER_ITEM = 32;
const BYTES_PER_LIST_ROW = 8;
const BYTES_PER_EVENT = 28;
/** Maximum items of one list that an update sets, so that a segment of such lists fits in a snapshot file. */
export const ITEMS_PER_SET_MAX = 2_000;

/** Limits of the rows that an update changes. */
export interface TouchedRows {
  readonly entityCount: number;
  /** Maximum number of entity segments that contain them. */
  readonly segmentCount: number;
}

const sectionsOf = (batch: Uint8Array): readonly Section[] =>
  decodeBatch(batch.buffer, batch.byteOffset, batch.byteLength).sections;

/** Upper limit in bytes of the memory of an update without its strings: a column that is new in a segment is allocated whole. */
export function updateBytes(batch: Uint8Array, { entityCount, segmentCount }: TouchedRows): number {
  const rows = segmentCount * SEGMENT_ROWS_MAX;
  const bytes = sectionsOf(batch).map(({ form, valueCount }) => {
    if (form === 'latest') return rows * BYTES_PER_VALUE;
    if (form === 'list') return rows * BYTES_PER_LIST_ROW + entityCount * valueCount * BYTES_PER_ITEM;
    return form === 'event' ? entityCount * valueCount * BYTES_PER_EVENT : 0;
  });
  return bytes.reduce((sum, one) => sum + one, batch.byteLength);
}

/** Throws 2009 for a list that is too long to be set in many entities. */
export function checkSet(batch: Uint8Array): void {
  for (const { form, valueCount } of sectionsOf(batch)) {
    if (form !== 'list' || valueCount <= ITEMS_PER_SET_MAX) continue;
    throw new QuarryError(
      2009,
      `"set" has a list of ${valueCount} items; an update takes at most ${ITEMS_PER_SET_MAX}`,
    );
  }
}

/** Encodes the record's payload. `batch` is the entity with the values to set; null for a delete. */
export function encodeMutation(
  databaseId: number,
  { dimensionId, condition }: Mutation,
  batch: Uint8Array | null,
  timeMs: number,
  idempotency: RecordIdempotency | null,
): Uint8Array {
  const common = {
    timeMs,
    databaseId,
    dimensionId,
    condition: conditionToPlain(condition),
    once: idempotency,
  };
  return encodeRecordPayload(
    batch === null
      ? { type: 'delete', ...common, batches: [] }
      : { type: 'update', ...common, batches: [{ shard: 0, dimensionId, bytes: batch }] },
  );
}

/** The body of an insert of one entity with the columns of the JSON object `set` of an update. */
export function bodyOfSet(dimension: string, set: string): Uint8Array {
  const members = set.trim().slice(1);
  return Buffer.from(`{"set":{"dimension":${JSON.stringify(dimension)},${members}}`, 'utf8');
}

/** Counts the entities that a mutation would change now, before it is logged. */
export async function findTouched(workers: WorkerClients, plan: CountEntityPlan): Promise<TouchedRows> {
  const [entityCount, allCount] = await workers.countEntities([plan, { ...plan, condition: null }]);
  const segmentCount = Math.ceil(allCount / SEGMENT_ROWS_MAX) + workers.shardCount;
  return { entityCount, segmentCount: Math.min(entityCount, segmentCount) };
}

/** Parses the `set` of an update against `model` or a newer one; returns null for a delete. */
export async function parseSet(
  workers: WorkerClients,
  {
    databaseId,
    nowMs,
    customKey,
    columnIds,
    changes = [],
  }: Pick<MutationRequest, 'databaseId' | 'nowMs' | 'customKey' | 'columnIds'> & {
    /** Made to the models of the workers first, for this request alone. */
    readonly changes?: readonly CatalogChange[];
  },
  { dimensionId, set }: Mutation,
  model: DatabaseModel,
): Promise<Uint8Array | null> {
  if (set === null) return null;
  const dimension = dimensionById(model, dimensionId);
  if (dimension === undefined) throw new QuarryError(5008, 'the dimension was deleted');
  const body = bodyOfSet(dimension.apiName, set);
  const parsed = await workers.orUnavailable(
    workers.nextParser().send('parse-set', { databaseId, body, nowMs, customKey, columnIds, changes }),
  );
  checkSet(parsed.batch);
  return parsed.batch;
}
