/**
 * A log record as plain JSON data that describes all its effects, without secrets: hashes of keys, passwords and idempotent
 * requests are omitted. Columns are given by ID, because records have no column names. Decimals have their stored form, without a
 * decimal point.
 */
import { CorruptionError } from '../base/index.js';
import { type Batch, decodeBatch, type Section, type Values } from '../column/index.js';
import { changesIn, decodeRecordPayload, type LogRecord, type RecordBatch } from '../format/index.js';
import { formatDate, formatDateTime } from '../schema/index.js';
import type { LogEntry } from '../wal/index.js';
import { integerAt, type JsonValue, jsonOfInteger, textAt } from './arrow-rows.js';

/** Decodes the record of an entry. Throws a CorruptionError that names the file if the content is not a record. */
export function recordOf({ payload, file, offset }: LogEntry): LogRecord {
  try {
    return decodeRecordPayload(payload);
  } catch (error) {
    throw new CorruptionError(file, offset, `its content is not a record: ${(error as Error).message}`);
  }
}

export interface RecordBrief {
  readonly lsn: number;
  readonly offset: number;
  readonly bytes: number;
  readonly type: LogRecord['type'];
  /** The timestamp of its request. */
  readonly time: string;
  /** null = changes of the catalog, which may affect all databases. */
  readonly databaseId: number | null;
  /** A short description of its effect. */
  readonly does: string;
}

export function briefOf(entry: LogEntry, record: LogRecord): RecordBrief {
  const { lsn, offset, payload } = entry;
  const databaseId = 'databaseId' in record ? record.databaseId : null;
  const time = timeText(record.timeMs);
  return { lsn, offset, bytes: payload.length, type: record.type, time, databaseId, does: doesText(record) };
}

/** Returns "not a time" if the number is not a valid timestamp. */
const timeText = (timeMs: number): string => {
  const time = new Date(timeMs);
  return Number.isNaN(time.getTime()) ? 'not a time' : time.toISOString();
};

function changesText(record: LogRecord): string {
  const { length } = changesIn(record);
  return length > 0 ? `, ${length} changes of the model` : '';
}

function doesText(record: LogRecord): string {
  switch (record.type) {
    case 'insert': {
      return `${record.entityCount} entities, ${record.valueCount} values${changesText(record)}`;
    }
    case 'catalog':
      return record.changes.map((change) => (change as { change: string }).change).join(', ') || 'no change';
    case 'script':
      return record.steps.map(({ step }) => step).join(', ') + changesText(record);
    case 'expire':
      return `column ${record.columnId} before ${formatDateTime(record.beforeSeconds)}`;
    default:
      return `dimension ${record.dimensionId}, where its condition holds`;
  }
}

/** Returns the full content. Throws a CorruptionError if a batch of the record cannot be read. */
export function contentOf(entry: LogEntry, record: LogRecord): unknown {
  const { batches, once, timeMs, ...meta } = { batches: [] as readonly RecordBatch[], once: null, ...record };
  const { lsn, file, offset, payload } = entry;
  return {
    ...{ lsn, file, offset, bytes: payload.length, time: timeText(timeMs) },
    ...(withoutSecrets(meta) as object),
    named: once !== null,
    batches: batches.map((batch) => batchContent(entry, batch)),
  };
}

/** Fields of records and manifests that contain the hash of a secret. */
const SECRETS: readonly string[] = ['hash', 'passwordHash', 'bodyHash'];

/** Returns the value without fields that contain the hash of a secret, at any depth. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRETS.includes(name))
      .map(([name, inner]) => [name, withoutSecrets(inner)]),
  );
}

function batchContent({ file, offset }: LogEntry, { shard, dimensionId, bytes }: RecordBatch): unknown {
  try {
    const batch = decodeBatch(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { shard, dimensionId, entities: entitiesOf(batch) };
  } catch (error) {
    throw new CorruptionError(file, offset, `one of its batches cannot be read: ${(error as Error).message}`);
  }
}

type Columns = Record<string, JsonValue>;

/** Per entity its ID, and by column ID its value, its list of values, its events, or null if the value is removed. */
function entitiesOf({ rowCount, idOffsets, idBytes, sections }: Batch): { id: string; columns: Columns }[] {
  const entities = Array.from({ length: rowCount }, (_, row) => ({
    id: textAt({ offsets: idOffsets, bytes: idBytes }, row),
    columns: {} as Columns,
  }));
  for (const section of sections) {
    let from = 0;
    section.rows.forEach((row, entry) => {
      const { columns } = entities[row];
      const count = section.counts?.[entry] ?? 1;
      columns[section.columnId] = entryOf(section, entry, from, count, columns[section.columnId]);
      from += count;
    });
  }
  return entities;
}

/** Describes a section's entry for its entity; `before` is the description of an earlier entry. */
function entryOf(
  { form, values, dates }: Section,
  entry: number,
  from: number,
  count: number,
  before: JsonValue | undefined,
): JsonValue {
  switch (form) {
    case 'remove':
      return null;
    case 'latest':
      return itemOf(values, entry);
    case 'list':
      return Array.from({ length: count }, (_, index) => itemOf(values, from + index));
    case 'event': {
      const event = { date: formatDateTime(dates?.[entry] ?? 0), value: itemOf(values, entry) };
      return [...((before as readonly JsonValue[] | undefined) ?? []), event];
    }
  }
}

function itemOf(values: Values, at: number): JsonValue {
  switch (values.kind) {
    case 'bits':
      return values.bits[at] !== 0;
    case 'i32':
      return formatDate(values.i32[at]);
    case 'i64':
      return jsonOfInteger(integerAt(values.words, at));
    case 'geo':
      return { longitude: values.f64[at * 2], latitude: values.f64[at * 2 + 1] };
    case 'code':
      return textAt(values, at);
  }
}
