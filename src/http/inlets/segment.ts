/**
 * The inlet for the tracking API of Segment. A message is one record: `identify` has latest values of its user, all others are
 * events. messageId is the identity of a message.
 */
import { randomUUID } from 'node:crypto';
import { isList, isObject, type Json, type JsonObject, kindOf, parseJson } from '../../api/index.js';
import { QuarryError, quoted } from '../../base/index.js';
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
  type Inlet,
  type InletBatch,
  type InletHead,
  type InsertRoute,
  jsonAnswer,
  refusalIn,
} from './inlet.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias'] as const;
type MessageType = (typeof TYPES)[number];

const isType = (text: string): text is MessageType => TYPES.some((type) => type === text);

const route = (path: string, messagesOf: (body: JsonObject) => readonly Json[]): InsertRoute => ({
  ...({ method: 'post', path, keyInBody: true } as const),
  read: (body, head) => readMessages(body, head, messagesOf),
});

export const segment: Inlet = {
  name: 'segment',
  defaultDimension: 'user',
  routes: [
    route('/v1/batch', batchOf),
    ...TYPES.map((type) => route(`/v1/${type}`, (body) => [new Map([...body, ['type', type]])])),
  ],
  refusal,
};

function batchOf(body: JsonObject): readonly Json[] {
  const batch = body.get('batch');
  if (isList(batch)) return batch;
  throw new QuarryError(1503, `"batch" is ${kindOf(batch)}, not a list`);
}

function readMessages(
  body: Uint8Array,
  { dimension }: InletHead,
  messagesOf: (body: JsonObject) => readonly Json[],
): InletBatch {
  const json = parseJson(body);
  if (!isObject(json)) throw new QuarryError(1503, `the body is ${kindOf(json)}, not an object`);
  const receivedTime = new Date().toISOString();
  const records = new EventRecords();
  let key = textOf(json.get('writeKey'));
  for (const message of messagesOf(json)) {
    const fields = isObject(message) ? message : new Map<string, Json>();
    if (key === '') key = textOf(fields.get('writeKey'));
    const entity = textOf(fields.get('userId')) || textOf(fields.get('anonymousId'));
    const id = textOf(fields.get('messageId')) || randomUUID();
    const line = recordOrRefused(message, ['writeKey'], () => recordOf(fields, entity, receivedTime));
    records.add(line, `segment ${id}`, entity);
  }
  return {
    key: key === '' ? null : key,
    groups: [records.group(dimension)],
    answer: (outcomes) => {
      const refused = refusalIn(outcomes);
      return refused === null ? jsonAnswer({ status: 200 }, { success: true }) : refusal(refused);
    },
  };
}

function recordOf(message: JsonObject, entity: string, receivedTime: string): string {
  const type = textOf(message.get('type'));
  if (entity === '') throw unusable('neither userId nor anonymousId');
  if (!isType(type)) throw unusable(`the type ${quoted(type)} is unknown`);
  if (type === 'identify') return valuesRecord(entity, objectOf(message.get('traits'), 'traits'));
  const name = type === 'track' ? textOf(message.get('event')) : type;
  if (name === '') throw unusable('a track without the name of its event');
  const anonymousId = textOf(message.get('anonymousId'));
  return eventRecord({
    ...{ entity, name, receivedTime },
    time: message.get('timestamp') ?? message.get('originalTimestamp'),
    properties: objectOf(message.get('properties'), 'properties'),
    more: new Map<string, Json>([
      ...['name', 'category'].flatMap((field) =>
        member(type === 'track' ? undefined : message.get(field), field),
      ),
      ...member(message.get('groupId'), 'group-id'),
      ...member(message.get('traits'), 'traits'),
      ...member(message.get('previousId'), 'previous-id'),
      ...member(anonymousId === entity || anonymousId === '' ? undefined : anonymousId, 'anonymous-id'),
      ...member(message.get('context'), 'context'),
    ]),
  });
}

const member = (value: Json | undefined, name: string): readonly (readonly [string, Json])[] =>
  value === undefined || value === null ? [] : [[name, value]];

function refusal(error: QuarryError): Answer {
  return jsonAnswer(errorHead(error), { success: false, code: error.code, message: error.message });
}
