/**
 * Parses the `set` of an update, wrapped as an insert of one entity, to the batch of the log record. Its only entity stands for
 * every updated entity.
 */
import { fromWire, invariant } from '../base/index.js';
import { type IngestScratch, parseInsert } from '../ingest/index.js';
import type { ParsedSet, WorkerRequests } from '../protocol/index.js';
import type { DatabaseModel } from '../schema/index.js';

/** Throws QuarryError if the `set` is refused; the message says "set" where that of an insert names the entity. */
export function parseSet(
  { body, nowMs, customKey, columnIds }: WorkerRequests['parse-set'],
  model: DatabaseModel,
  scratch: IngestScratch,
): ParsedSet {
  const outcome = parseInsert(
    body,
    { model, shardCount: 1, nowMs, customKey, columnIds, subject: 'set' },
    scratch,
  );
  if ('error' in outcome) throw fromWire(outcome.error);
  const { buffer, batches, entityCount, createdDimensions, createdColumns } = outcome.parsed;
  invariant(entityCount === 1 && batches.length === 1, 'a set is not wrapped as one entity');
  invariant(createdDimensions.length + createdColumns.length === 0, 'a set created columns');
  const [{ offset, byteLength }] = batches;
  return { batch: new Uint8Array(buffer, offset, byteLength).slice(), modelVersion: model.version };
}
