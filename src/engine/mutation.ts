/** What an update or a delete is in the log, and the memory that it may take. */
import { decodeBatch, type Section } from '../column/index.js';
import { encodeRecordPayload, type RecordOnce } from '../format/index.js';
import { conditionToPlain } from '../ir/index.js';
import type { Mutation } from './api.js';

const BYTES_PER_VALUE = 17;
const BYTES_PER_LIST = 8;
const BYTES_PER_EVENT = 28;

/** Memory that applying the sections of `batch` to one entity may take beside its strings, in bytes at most. */
export function bytesPerEntity(batch: Uint8Array): number {
  const { sections } = decodeBatch(batch.buffer, batch.byteOffset, batch.byteLength);
  return sections.reduce((sum, section) => sum + sectionBytes(section), 0);
}

function sectionBytes({ form, valueCount }: Section): number {
  switch (form) {
    case 'latest':
      return BYTES_PER_VALUE;
    case 'list':
      return BYTES_PER_LIST + valueCount * BYTES_PER_VALUE;
    case 'event':
      return valueCount * BYTES_PER_EVENT;
    default:
      return 0;
  }
}

/** The record's payload. `batch`: the entity that stands for all, null for a delete. */
export function encodeMutation(
  databaseId: number,
  { dimensionId, condition }: Mutation,
  batch: Uint8Array | null,
  timeMs: number,
  once: RecordOnce | null,
): Uint8Array {
  const common = { timeMs, databaseId, dimensionId, condition: conditionToPlain(condition), once };
  return encodeRecordPayload(
    batch === null
      ? { type: 'delete', ...common, batches: [] }
      : { type: 'update', ...common, batches: [{ shard: 0, dimensionId, bytes: batch }] },
  );
}

/** An insert of one entity, `set`, that takes its columns from the JSON object of an update. */
export function bodyOfSet(dimension: string, set: string): Uint8Array {
  const members = set.trim().slice(1);
  return Buffer.from(`{"set":{"dimension":${JSON.stringify(dimension)},${members}}`, 'utf8');
}
