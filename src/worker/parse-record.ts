/**
 * Parses the body of an insert or the `set` of an update. For an insert it also encodes the log record, in the buffer of the body
 * if the record fits.
 * Invariant: the body is not changed, so that it can be parsed again with a newer model.
 */
import { createHash } from 'node:crypto';
import { fromWire, invariant, presentLineKeys } from '../base/index.js';
import { type CatalogChange, changeToPlain } from '../catalog/index.js';
import { encodeRecord, type RecordIdempotency } from '../format/index.js';
import {
  type IngestScratch,
  type KeyedLines,
  keyedLines,
  type LineKeySettings,
  type LineNumbers,
  type ParseContext,
  type ParsedInsert,
  parseColumns,
  parseInsert,
  parseLines,
  parseOrQuarantine,
  parseRecords,
  type QuarantineOutcome,
  type QuarantineSettings,
  type RecordMapping,
} from '../ingest/index.js';
import type { ParsedRecord, ParsedSet, WorkerRequests } from '../protocol/index.js';
import type { DatabaseModel } from '../schema/index.js';

/**
 * `bytes` is the memory at the request's offset. Throws QuarryError if the request is refused. An insert without entities gives a
 * record without batches; the caller decides whether to log it.
 */
export function parseRecord(
  {
    databaseId,
    bodyBytes,
    lines,
    records = null,
    quarantine = null,
    lineKeys = null,
    nowMs,
    customKey,
    columnIds,
    idempotencyId,
  }: WorkerRequests['parse'],
  bytes: Uint8Array,
  model: DatabaseModel,
  shardCount: number,
  scratch: IngestScratch,
): ParsedRecord {
  const body = bytes.subarray(0, bodyBytes);
  const context = { model, shardCount, nowMs, customKey, columnIds };
  const keyed = keyedOf({ body, lines, records, lineKeys, databaseId }, scratch);
  const outcome = outcomeOf({ body: keyed?.text ?? body, lines, records, quarantine }, context, scratch);
  if ('error' in outcome) throw fromWire(outcome.error);
  const { parsed } = outcome;
  const quarantined = 'quarantined' in outcome ? outcome.quarantined : null;
  const entityCount = parsed.entityCount - (quarantined?.lineCount ?? 0);
  const valueCount = parsed.valueCount - (quarantined?.valueCount ?? 0);
  const idempotency: RecordIdempotency | null =
    idempotencyId === null
      ? null
      : { id: idempotencyId, bodyHash: createHash('sha256').update(body).digest('base64url') };
  const changes = changesOf(databaseId, parsed);
  let buffer: SharedArrayBuffer | null = null;
  let recordAt = (bodyBytes + 7) & ~7;
  const { payload, batchOffsets } = encodeRecord(
    {
      type: 'insert',
      timeMs: nowMs,
      databaseId,
      changes: changes.map(changeToPlain),
      shardCount,
      entityCount,
      valueCount,
      once: idempotency,
      ...(quarantined === null ? {} : { quarantinedCount: quarantined.lineCount }),
      ...(keyed === null ? {} : keyFieldsOf(keyed)),
      batches: parsed.batches.map(({ shard, dimensionId, offset, byteLength }) => ({
        shard,
        dimensionId,
        bytes: new Uint8Array(parsed.buffer, offset, byteLength),
      })),
    },
    (byteLength) => {
      if (recordAt + byteLength <= bytes.byteLength) return bytes.subarray(recordAt, recordAt + byteLength);
      buffer = new SharedArrayBuffer(byteLength);
      recordAt = 0;
      return new Uint8Array(buffer);
    },
  );
  return {
    entityCount,
    valueCount,
    quarantined,
    modelVersion: model.version,
    changes,
    buffer,
    recordAt,
    recordBytes: payload.byteLength,
    idempotency,
    lineKeys: keyed?.keys ?? null,
    omittedLines: keyed?.omitted ?? [],
    dimensionIds: [...new Set(parsed.batches.map(({ dimensionId }) => dimensionId))],
    batches: parsed.batches.map(({ shard, byteLength }, index) => ({
      shard,
      offset: recordAt + batchOffsets[index],
      byteLength,
    })),
  };
}

/** The fields of a record for the keys of its lines, without those that are empty. */
function keyFieldsOf({ keys, omitted }: KeyedLines): { lineKeys?: Uint8Array; duplicateCount?: number } {
  const lineKeys = presentLineKeys(keys);
  return {
    ...(lineKeys.length === 0 ? {} : { lineKeys }),
    ...(omitted.length === 0 ? {} : { duplicateCount: omitted.length }),
  };
}

/** The lines of a body that have keys; null = none has one. */
function keyedOf(
  request: {
    readonly body: Uint8Array;
    readonly lines: LineNumbers | null;
    readonly records: RecordMapping | null;
    readonly lineKeys: LineKeySettings | null;
    readonly databaseId: number;
  },
  scratch: IngestScratch,
): KeyedLines | null {
  const { body, lines, records, lineKeys, databaseId } = request;
  if (
    lines === null ||
    records?.format === 'arrow' ||
    (lineKeys === null && (records?.dedupe ?? null) === null)
  )
    return null;
  const settings = lineKeys ?? { keys: null, omitted: [] };
  return keyedLines(body, lines, settings, { mapping: records, databaseId }, scratch);
}

interface InsertBody {
  readonly body: Uint8Array;
  readonly lines: LineNumbers | null;
  readonly records: RecordMapping | null;
  readonly quarantine: QuarantineSettings | null;
}

function outcomeOf(
  { body, lines, records, quarantine }: InsertBody,
  context: ParseContext,
  scratch: IngestScratch,
): QuarantineOutcome {
  if (lines === null) return parseInsert(body, context, scratch);
  if (records?.format === 'arrow') return parseColumns(body, lines, records, context, scratch);
  if (quarantine !== null) {
    const request = { text: body, numbers: lines, mapping: records, settings: quarantine };
    return parseOrQuarantine(request, context, scratch);
  }
  return records === null
    ? parseLines(body, lines, context, scratch)
    : parseRecords(body, lines, records, context, scratch);
}

/**
 * Parses the `set` of an update, wrapped as an insert of one entity, to the batch of the log record. Its only entity represents
 * every updated entity. Throws QuarryError if the `set` is refused; its message says "set" in place of an entity ID.
 */
export function parseSetRecord(
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

function changesOf(databaseId: number, parsed: ParsedInsert): CatalogChange[] {
  return [
    ...parsed.createdDimensions.map(
      (dimension): CatalogChange => ({ change: 'dimension-created', databaseId, dimension }),
    ),
    ...parsed.createdColumns.map(
      ({ dimensionId, column }): CatalogChange => ({
        change: 'column-created',
        databaseId,
        dimensionId,
        column,
      }),
    ),
    ...parsed.createdRelations.map(
      ({ dimensionId, relation }): CatalogChange => ({
        change: 'relation-set',
        databaseId,
        dimensionId,
        relation,
      }),
    ),
  ];
}
