/**
 * Reads ExportLogsServiceRequest of opentelemetry/proto/logs/v1 in the binary encoding. Unknown fields are passed over, and of a
 * field that occurs twice the last one counts, as the encoding demands.
 */
import { ExactNumber, type Json } from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import {
  type Attributes,
  type LogRecord,
  type ResourceLogs,
  type ScopeLogs,
  VALUE_LEVELS_MAX,
} from './log-data.js';
import { fieldsOf, textIn, type WireField } from './protobuf.js';

/** Throws 1503. */
export function readLogsMessage(body: Uint8Array): readonly ResourceLogs[] {
  const resources: ResourceLogs[] = [];
  for (const field of messages(body, 1)) resources.push(resourceLogsIn(field));
  return resources;
}

/** The messages in the fields with that number. */
function* messages(message: Uint8Array, number: number): Generator<Uint8Array> {
  for (const field of fieldsOf(message)) {
    if (field.number === number && field.type === 'bytes') yield field.bytes;
  }
}

function resourceLogsIn(message: Uint8Array): ResourceLogs {
  let attributes: Attributes = new Map();
  for (const resource of messages(message, 1)) attributes = attributesIn(resource, 1);
  return { attributes, scopes: Array.from(messages(message, 2), scopeLogsIn) };
}

function scopeLogsIn(message: Uint8Array): ScopeLogs {
  let [name, version] = ['', ''];
  let attributes: Attributes = new Map();
  for (const scope of messages(message, 1)) {
    attributes = attributesIn(scope, 3);
    for (const field of fieldsOf(scope)) {
      if (field.number === 1) name = textIn(field);
      if (field.number === 2) version = textIn(field);
    }
  }
  return { name, version, attributes, records: Array.from(messages(message, 2), logRecordIn) };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function logRecordIn(message: Uint8Array): LogRecord {
  const record: Writable<LogRecord> = {
    timeUnixNano: 0n,
    observedTimeUnixNano: 0n,
    severityNumber: 0,
    severityText: '',
    body: undefined,
    attributes: attributesIn(message, 6),
    droppedAttributesCount: 0,
    flags: 0,
    traceId: '',
    spanId: '',
    eventName: '',
  };
  for (const field of fieldsOf(message)) readField(record, field);
  return record;
}

function readField(record: Writable<LogRecord>, field: WireField): void {
  switch (field.number) {
    case 1:
      record.timeUnixNano = field.bits;
      break;
    case 2:
      record.severityNumber = int32In(field);
      break;
    case 3:
      record.severityText = textIn(field);
      break;
    case 5:
      record.body = valueIn(field.bytes, 0);
      break;
    case 7:
      record.droppedAttributesCount = int32In(field);
      break;
    case 8:
      record.flags = Number(field.bits);
      break;
    case 9:
      record.traceId = Buffer.from(field.bytes).toString('hex');
      break;
    case 10:
      record.spanId = Buffer.from(field.bytes).toString('hex');
      break;
    case 11:
      record.observedTimeUnixNano = field.bits;
      break;
    case 12:
      record.eventName = textIn(field);
      break;
  }
}

const int32In = ({ bits }: WireField): number => Number(BigInt.asIntN(32, bits));

/** The key-value pairs in the fields with that number. */
function attributesIn(message: Uint8Array, number: number, level = 0): Attributes {
  const attributes = new Map<string, Json>();
  for (const pair of messages(message, number)) {
    let key = '';
    let value: Json | undefined;
    for (const field of fieldsOf(pair)) {
      if (field.number === 1) key = textIn(field);
      if (field.number === 2) value = valueIn(field.bytes, level);
    }
    if (value !== undefined) attributes.set(key, value);
  }
  return attributes;
}

/** The value of an AnyValue; undefined = it has none. Throws 1503. */
function valueIn(message: Uint8Array, level: number): Json | undefined {
  if (level > VALUE_LEVELS_MAX) {
    throw new QuarryError(1503, `more than ${VALUE_LEVELS_MAX} levels of nested values`);
  }
  let value: Json | undefined;
  for (const field of fieldsOf(message)) value = anyValueIn(field, level) ?? value;
  return value;
}

function anyValueIn(field: WireField, level: number): Json | undefined {
  switch (field.number) {
    case 1:
      return textIn(field);
    case 2:
      return field.bits !== 0n;
    case 3:
      return new ExactNumber(String(BigInt.asIntN(64, field.bits)));
    case 4:
      return numberOf(doubleIn(field));
    case 5:
      return Array.from(messages(field.bytes, 1), (item) => valueIn(item, level + 1) ?? null);
    case 6:
      return attributesIn(field.bytes, 1, level + 1);
    case 7:
      return Buffer.from(field.bytes).toString('base64');
    default:
      return undefined;
  }
}

function doubleIn({ bits }: WireField): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

/** JSON has no form of infinities and NaN but their names. */
const numberOf = (value: number): Json =>
  Number.isFinite(value) ? new ExactNumber(JSON.stringify(value)) : String(value);
