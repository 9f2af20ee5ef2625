/**
 * The inlet for logs of OpenTelemetry: OTLP over HTTP, POST /v1/logs, in JSON and Protocol Buffers. A log record becomes an entity
 * of its own with a random ID. Statuses 429 and 503 tell an exporter to send again, all others of a refusal not to.
 */
import { randomUUID } from 'node:crypto';
import { ExactNumber } from '../../../api/index.js';
import { QuarryError, quoted } from '../../../base/index.js';
import { formatDateTime, INSTANT_SECONDS_MAX } from '../../../schema/index.js';
import { type Answer, errorHead, JSON_TYPE } from '../../transport/answer.js';
import {
  type Inlet,
  type InletBatch,
  type InletHead,
  type PartOutcome,
  type RefusedHead,
  refusalIn,
} from '../inlet.js';
import { FIELDS_MAX, fieldCountOf, ID_FIELD, RecordText, refusedRecord } from '../record-text.js';
import type { LogRecord, ResourceLogs, ScopeLogs } from './log-data.js';
import { bytesField, numberField } from './protobuf.js';
import { readLogsJson } from './read-json.js';
import { readLogsMessage } from './read-protobuf.js';

const PROTOBUF_TYPE = 'application/x-protobuf';
const NANOSECONDS = 1_000_000_000n;
/** Codes of google.rpc.Status. */
const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;

export const otlp: Inlet = {
  name: 'otlp',
  defaultDimension: 'log',
  routes: [{ method: 'post', path: '/v1/logs', keyInBody: false, read: readLogs }],
  refusal,
};

function readLogs(body: Uint8Array, head: InletHead): InletBatch {
  const logs = logsIn(body, head);
  const group = { dimension: head.dimension, mapping: { id: ID_FIELD }, lines: recordsOf(logs) };
  return { key: null, groups: [group], answer: (outcomes) => answer(outcomes, head) };
}

function logsIn(body: Uint8Array, { contentType }: InletHead): readonly ResourceLogs[] {
  if (contentType === JSON_TYPE) return readLogsJson(body);
  if (contentType === PROTOBUF_TYPE) return readLogsMessage(body);
  throw new QuarryError(1501, `Content-Type is ${quoted(contentType)}, not ${PROTOBUF_TYPE} or ${JSON_TYPE}`);
}

function* recordsOf(logs: readonly ResourceLogs[]): Generator<string> {
  for (const { attributes, scopes } of logs) {
    const resource = new RecordText().add('resource', attributes);
    for (const scope of scopes) {
      const around = new RecordText().addAll(resource.members).add('scope', scopeFields(scope));
      for (const record of scope.records) yield recordOf(record, around);
    }
  }
}

const scopeFields = ({ name, version, attributes }: ScopeLogs): ReadonlyMap<string, Attribute> =>
  new Map<string, Attribute>([['name', name], ['version', version], ...attributes]);

type Attribute = LogRecord['attributes'] extends ReadonlyMap<string, infer Value> ? Value : never;

function recordOf(record: LogRecord, around: RecordText): string {
  const { body, attributes } = record;
  if (fieldCountOf(attributes) + fieldCountOf(body) > FIELDS_MAX) {
    return refusedRecord(
      `more than ${FIELDS_MAX} fields`,
      new Map([['attributes', attributes], ...(body === undefined ? [] : [['body', body] as const])]),
    );
  }
  return new RecordText()
    .add(ID_FIELD, randomUUID())
    .add('time', timeOf(record))
    .add('time-unix-nano', counted(record.timeUnixNano))
    .add('observed-time-unix-nano', counted(record.observedTimeUnixNano))
    .add('severity-number', counted(record.severityNumber))
    .add('severity-text', record.severityText)
    .add('event-name', record.eventName)
    .add('body', body)
    .add('attributes', attributes)
    .add('dropped-attributes-count', counted(record.droppedAttributesCount))
    .add('trace-id', record.traceId)
    .add('span-id', record.spanId)
    .add('flags', counted(record.flags))
    .addAll(around.members).text;
}

/** Absent for 0, which the protocol sends for a missing value. */
const counted = (value: bigint | number): ExactNumber | undefined =>
  value === 0n || value === 0 ? undefined : new ExactNumber(String(value));

/** The whole second of the record, or of its observation if its time is unknown. */
function timeOf({ timeUnixNano, observedTimeUnixNano }: LogRecord): string | undefined {
  const seconds = Number((timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano) / NANOSECONDS);
  return seconds > 0 && seconds <= INSTANT_SECONDS_MAX ? formatDateTime(seconds) : undefined;
}

function answer(outcomes: readonly PartOutcome[], head: InletHead): Answer {
  const refused = refusalIn(outcomes);
  const parts = outcomes.filter(({ error }) => error !== null);
  const isWhole = parts.length === outcomes.length || refused?.status === 429 || refused?.status === 503;
  if (refused !== null && isWhole) return refusal(refused, head);
  const rejectedCount = parts.reduce((sum, { lineCount }) => sum + lineCount, 0);
  const message = refused?.message ?? quarantineWarning(outcomes);
  return success(rejectedCount, message, head);
}

/** The warning about records in the quarantine; empty = there are none. */
function quarantineWarning(outcomes: readonly PartOutcome[]): string {
  const found = outcomes.flatMap(({ quarantined }) => quarantined ?? []);
  if (found.length === 0) return '';
  const count = found.reduce((sum, { lineCount }) => sum + lineCount, 0);
  return `${count} log records are in the quarantine, the first because of: ${found[0].first.message}`;
}

function success(rejectedCount: number, message: string, { contentType }: InletHead): Answer {
  const isPartial = rejectedCount > 0 || message !== '';
  if (contentType !== PROTOBUF_TYPE) {
    const partial = { rejectedLogRecords: String(rejectedCount), errorMessage: message };
    const body = JSON.stringify({ partialSuccess: isPartial ? partial : {} });
    return { status: 200, contentType: JSON_TYPE, body };
  }
  const rejected = rejectedCount === 0 ? Buffer.alloc(0) : numberField(1, rejectedCount);
  const partial = Buffer.concat([rejected, bytesField(2, Buffer.from(message))]);
  const body = isPartial ? bytesField(1, partial) : Buffer.alloc(0);
  return { status: 200, contentType: PROTOBUF_TYPE, body };
}

/** A Status of google.rpc. Before the body was received it is always in JSON. */
function refusal(error: QuarryError, { contentType }: RefusedHead): Answer {
  const head = errorHead(error);
  const code = head.status === 503 || head.status === 429 ? UNAVAILABLE : INVALID_ARGUMENT;
  const { message } = error;
  if (contentType !== PROTOBUF_TYPE) {
    return { ...head, contentType: JSON_TYPE, body: JSON.stringify({ code, message }) };
  }
  const body = Buffer.concat([numberField(1, code), bytesField(2, Buffer.from(message))]);
  return { ...head, contentType: PROTOBUF_TYPE, body };
}
