/**
 * From the `set` of an update, dressed as an insert of one entity, to the batch that the log keeps: whose only entity
 * stands for each that is changed.
 */
import { fromWire, invariant } from '../base/index.js';
import { type IngestScratch, parseInsert } from '../ingest/index.js';
import type { LaneRequests, ParsedSet } from '../protocol/index.js';
import type { DatabaseModel } from '../schema/index.js';

/** Throws the QuarryError that refuses the `set`; its message says "set" where an insert's names the entity. */
export function parseSet(
  { body, nowMs, customKey, columnIds }: LaneRequests['parse-set'],
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
  invariant(entityCount === 1 && batches.length === 1, 'a set was not dressed as one entity');
  invariant(createdDimensions.length + createdColumns.length === 0, 'a set created columns');
  const [{ offset, byteLength }] = batches;
  return { batch: new Uint8Array(buffer, offset, byteLength).slice(), modelVersion: model.version };
}
