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
  keyedLines,
  type LineKeyList,
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
  const insert = { body, lines, records, quarantine, databaseId, lineKeys };
  const { outcome, keyed } = parsedOf(insert, context, scratch);
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
function keyFieldsOf({ keys, omitted }: LineKeyList): { lineKeys?: Uint8Array; duplicateCount?: number } {
  const lineKeys = presentLineKeys(keys);
  return {
    ...(lineKeys.length === 0 ? {} : { lineKeys }),
    ...(omitted.length === 0 ? {} : { duplicateCount: omitted.length }),
  };
}

interface InsertBody {
  readonly body: Uint8Array;
  readonly lines: LineNumbers | null;
  readonly records: RecordMapping | null;
  readonly quarantine: QuarantineSettings | null;
  readonly databaseId: number;
  readonly lineKeys: LineKeySettings | null;
}

interface KeyedOutcome {
  readonly outcome: QuarantineOutcome;
  /** null = no line has a key. */
  readonly keyed: LineKeyList | null;
}

function parsedOf(insert: InsertBody, context: ParseContext, scratch: IngestScratch): KeyedOutcome {
  const { body, lines, records, databaseId, lineKeys } = insert;
  if (lines === null) return { outcome: parseInsert(body, context, scratch), keyed: null };
  const keySettings = lineKeys ?? { keys: null, omitted: [] };
  if (records?.format === 'arrow') {
    const outcome = parseColumns(body, { ...lines, databaseId, keySettings }, records, context, scratch);
    return { outcome, keyed: 'keyed' in outcome ? outcome.keyed : null };
  }
  const isKeyed = lineKeys !== null || (records?.dedupe ?? null) !== null;
  const keyed = isKeyed
    ? keyedLines(body, lines, keySettings, { mapping: records, databaseId }, scratch)
    : null;
  return { outcome: outcomeOfLines(keyed?.text ?? body, lines, insert, context, scratch), keyed };
}

function outcomeOfLines(
  text: Uint8Array,
  lines: LineNumbers,
  { records, quarantine }: InsertBody,
  context: ParseContext,
  scratch: IngestScratch,
): QuarantineOutcome {
  if (quarantine !== null) {
    const request = { text, numbers: lines, mapping: records, settings: quarantine };
    return parseOrQuarantine(request, context, scratch);
  }
  return records === null
    ? parseLines(text, lines, context, scratch)
    : parseRecords(text, lines, records, context, scratch);
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
