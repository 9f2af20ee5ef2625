/**
 * The inlet for the capture API of PostHog. An event is one record, and the values in its `$set` are another one, with latest values of
 * the person. uuid is the identity of an event. Requests for feature flags are answered: there are none.
 */
import { randomUUID } from 'node:crypto';
import { isList, isObject, type Json, type JsonObject, kindOf, parseJson } from '../../api/index.js';
import { QuarryError } from '../../base/index.js';
import { type Answer, errorHead } from '../transport/answer.js';
import {
  EventRecords,
  eventRecord,
  objectOf,
  recordOrRefused,
  textOf,
  unusable,
  valuesRecord,
} from './event-record.js';
import {
  type FixedRoute,
  type Inlet,
  type InletBatch,
  type InletHead,
  type InsertRoute,
  jsonAnswer,
  refusalIn,
} from './inlet.js';

const CAPTURE_PATHS = ['/batch', '/capture', '/e', '/i/v0/e'];
const KEY_FIELDS = ['api_key', 'token', '$token'];
const NO_PROPERTIES = ['$set', '$set_once', 'distinct_id', ...KEY_FIELDS];

const NO_FLAGS = {
  flags: {},
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
};

export const posthog: Inlet = {
  name: 'posthog',
  defaultDimension: 'user',
  routes: [
    ...CAPTURE_PATHS.map(
      (path): InsertRoute => ({ method: 'post', path, keyInBody: true, read: readEvents }),
    ),
    ...['/flags', '/decide'].map(
      (path): FixedRoute => ({ method: 'post', path, answer: () => jsonAnswer({ status: 200 }, NO_FLAGS) }),
    ),
  ],
  refusal,
};

function readEvents(body: Uint8Array, { dimension }: InletHead): InletBatch {
  const json = parseJson(body);
  const events = eventsIn(json);
  const receivedTime = new Date().toISOString();
  const records = new EventRecords();
  for (const event of events) addRecords(records, event, receivedTime);
  const owners = [json, ...events].filter(isObject);
  return {
    key: owners.map(keyIn).find((key) => key !== '') ?? null,
    groups: [records.group(dimension)],
    answer: (outcomes) => {
      const refused = refusalIn(outcomes);
      return refused === null ? jsonAnswer({ status: 200 }, { status: 'Ok' }) : refusal(refused);
    },
  };
}

/** A body is one event, a list of events, or an object with one. */
function eventsIn(json: Json): readonly Json[] {
  if (isList(json)) return json;
  if (!isObject(json)) throw new QuarryError(1503, `the body is ${kindOf(json)}, not an object or a list`);
  const batch = json.get('batch') ?? [json];
  if (isList(batch)) return batch;
  throw new QuarryError(1503, `"batch" is ${kindOf(batch)}, not a list`);
}

function keyIn(owner: JsonObject): string {
  const properties = owner.get('properties');
  const holders = isObject(properties) ? [owner, properties] : [owner];
  const texts = holders.flatMap((holder) => KEY_FIELDS.map((field) => textOf(holder.get(field))));
  return texts.find((text) => text !== '') ?? '';
}

function addRecords(records: EventRecords, sent: Json, receivedTime: string): void {
  const event = isObject(sent) ? sent : new Map<string, Json>();
  const sentProperties = event.get('properties');
  const properties = new Map(isObject(sentProperties) ? sentProperties : []);
  const entity = textOf(event.get('distinct_id')) || textOf(properties.get('distinct_id'));
  const id = `posthog ${textOf(event.get('uuid')) || randomUUID()}`;
  const line = recordOrRefused(sent, KEY_FIELDS, () => {
    objectOf(sentProperties, 'properties');
    return recordOf({ event, properties, entity, receivedTime });
  });
  records.add(line, id, entity);
  const values = [event.get('$set'), properties.get('$set')].flatMap((set) =>
    isObject(set) ? [...set] : [],
  );
  if (values.length > 0 && entity !== '') {
    records.add(valuesRecord(entity, new Map(values)), `${id} set`, entity);
  }
}

interface PostHogEvent {
  readonly event: JsonObject;
  readonly properties: JsonObject;
  readonly entity: string;
  readonly receivedTime: string;
}

function recordOf({ event, properties, entity, receivedTime }: PostHogEvent): string {
  const name = textOf(event.get('event'));
  if (entity === '') throw unusable('no distinct_id');
  if (name === '') throw unusable('no name of the event');
  const own = new Map([...properties].filter(([field]) => !NO_PROPERTIES.includes(field)));
  const first = objectOf(properties.get('$set_once') ?? event.get('$set_once'), '$set_once');
  const more = new Map<string, Json>(first.size === 0 ? [] : [['set-once', first]]);
  const time = event.get('timestamp');
  return eventRecord({ entity, name, time, receivedTime, properties: own, more });
}

function refusal(error: QuarryError): Answer {
  return jsonAnswer(errorHead(error), {
    ...{ type: 'validation_error', code: String(error.code), detail: error.message },
  });
}
