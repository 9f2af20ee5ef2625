/**
 * Reads ExportLogsServiceRequest in the JSON encoding: names in lowerCamelCase, 64-bit integers as strings or numbers, trace and
 * span IDs in hexadecimal. Unknown members are passed over.
 */
import {
  ExactNumber,
  isList,
  isObject,
  type Json,
  type JsonObject,
  kindOf,
  parseJson,
} from '../../../api/index.js';
import { QuarryError, quoted } from '../../../base/index.js';
import {
  type Attributes,
  type LogRecord,
  type ResourceLogs,
  type ScopeLogs,
  VALUE_LEVELS_MAX,
} from './log-data.js';

const INTEGER = /^-?\d{1,20}$/;

/** Throws 1503 and 1507. */
export function readLogsJson(body: Uint8Array): readonly ResourceLogs[] {
  return objectsIn(objectOf(parseJson(body), 'the body'), 'resourceLogs').map((resource) => ({
    attributes: attributesIn(objectIn(resource, 'resource'), 0),
    scopes: objectsIn(resource, 'scopeLogs').map(scopeLogsIn),
  }));
}

function scopeLogsIn(scopeLogs: JsonObject): ScopeLogs {
  const scope = objectIn(scopeLogs, 'scope');
  return {
    name: textIn(scope, 'name'),
    version: textIn(scope, 'version'),
    attributes: attributesIn(scope, 0),
    records: objectsIn(scopeLogs, 'logRecords').map(logRecordIn),
  };
}

function logRecordIn(record: JsonObject): LogRecord {
  return {
    timeUnixNano: integerIn(record, 'timeUnixNano'),
    observedTimeUnixNano: integerIn(record, 'observedTimeUnixNano'),
    severityNumber: Number(integerIn(record, 'severityNumber')),
    severityText: textIn(record, 'severityText'),
    body: valueIn(record.get('body'), 0),
    attributes: attributesIn(record, 0),
    droppedAttributesCount: Number(integerIn(record, 'droppedAttributesCount')),
    flags: Number(integerIn(record, 'flags')),
    traceId: textIn(record, 'traceId'),
    spanId: textIn(record, 'spanId'),
    eventName: textIn(record, 'eventName'),
  };
}

function attributesIn(owner: JsonObject, level: number, name = 'attributes'): Attributes {
  const attributes = new Map<string, Json>();
  for (const pair of objectsIn(owner, name)) {
    const value = valueIn(pair.get('value'), level);
    if (value !== undefined) attributes.set(textIn(pair, 'key'), value);
  }
  return attributes;
}

/** The value of an AnyValue; undefined = it has none. Throws 1503. */
function valueIn(json: Json | undefined, level: number): Json | undefined {
  if (json === undefined || json === null) return undefined;
  if (level > VALUE_LEVELS_MAX) throw wrong(`more than ${VALUE_LEVELS_MAX} levels of nested values`);
  const value = objectOf(json, 'a value');
  for (const [name, member] of value) {
    if (member === null) continue;
    switch (name) {
      case 'stringValue':
      case 'bytesValue':
      case 'boolValue':
      case 'doubleValue':
        if (isList(member) || isObject(member)) throw wrong(`${quoted(name)} is ${kindOf(member)}`);
        return member;
      case 'intValue':
        return new ExactNumber(String(integerIn(value, name)));
      case 'arrayValue':
        return listIn(objectOf(member, name), 'values').map((item) => valueIn(item, level + 1) ?? null);
      case 'kvlistValue':
        return attributesIn(objectOf(member, name), level + 1, 'values');
    }
  }
  return undefined;
}

const wrong = (detail: string): QuarryError => new QuarryError(1503, `invalid logs: ${detail}`);

function objectOf(json: Json | undefined, what: string): JsonObject {
  if (isObject(json)) return json;
  throw wrong(`${what} is ${kindOf(json)}, not an object`);
}

/** A missing object is an empty one. */
function objectIn(owner: JsonObject, name: string): JsonObject {
  return objectOf(owner.get(name) ?? new Map(), quoted(name));
}

function listIn(owner: JsonObject, name: string): readonly Json[] {
  const list = owner.get(name) ?? [];
  if (isList(list)) return list;
  throw wrong(`${quoted(name)} is ${kindOf(list)}, not a list`);
}

function objectsIn(owner: JsonObject, name: string): readonly JsonObject[] {
  return listIn(owner, name).map((item) => objectOf(item, `an item of ${quoted(name)}`));
}

function textIn(owner: JsonObject, name: string): string {
  const text = owner.get(name) ?? '';
  if (typeof text === 'string') return text;
  throw wrong(`${quoted(name)} is ${kindOf(text)}, not a string`);
}

function integerIn(owner: JsonObject, name: string): bigint {
  const json = owner.get(name) ?? '0';
  const text = json instanceof ExactNumber ? json.text : json;
  if (typeof text === 'string' && INTEGER.test(text)) return BigInt(text);
  throw wrong(`${quoted(name)} is not an integer`);
}
