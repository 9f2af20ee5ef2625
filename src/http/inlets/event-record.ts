/**
 * The records of inlets for analytics: an event of an entity with its properties, and latest values of an entity. An event is the
 * column `event` with the columns `event-NAME` of its properties, all of one relation.
 */
import { ExactNumber, isObject, type Json, type JsonObject, kindOf } from '../../api/index.js';
import { QuarryError, quoted } from '../../base/index.js';
import { columnNameOf } from '../../schema/index.js';
import type { RecordGroup, RecordIdentity } from './inlet.js';
import { FIELDS_MAX, fieldCountOf, ID_FIELD, jsonText, RecordText, refusedRecord } from './record-text.js';

const EVENT = 'event';
/** Not the name of a property or trait that anyone has. */
const TIME_FIELD = `${ID_FIELD}-date`;

const MAPPING = { id: ID_FIELD, time: TIME_FIELD, 'event-fields': EVENT } as const;

/** What a client sends about one entity. */
export interface SentEvent {
  readonly entity: string;
  readonly name: string;
  /** The text of a date; an event without one is of `receivedTime`. */
  readonly time: Json | undefined;
  readonly receivedTime: string;
  readonly properties: JsonObject;
  /** Further properties, which do not replace those of the same column. */
  readonly more: JsonObject;
}

export function eventRecord({ entity, name, time, receivedTime, properties, more }: SentEvent): string {
  const columns = new Set(Array.from(properties.keys(), columnNameOf));
  const added = [...more].filter(([key, value]) => value !== null && !columns.has(columnNameOf(key)));
  const all = new Map([...properties, ...added]);
  if (fieldCountOf(all) > FIELDS_MAX) return refusedRecord(`more than ${FIELDS_MAX} properties`, all);
  const date = time === undefined || time === null || time === '' ? receivedTime : time;
  const members = new RecordText().add(ID_FIELD, entity).add(TIME_FIELD, date).add(EVENT, name).members;
  // The name of the member ends with a dash, so that it is not that of the event itself.
  return `{${[...members, `"${EVENT}-":${jsonText(all)}`].join()}}`;
}

/** Latest values of an entity's columns. */
export function valuesRecord(entity: string, values: JsonObject): string {
  if (fieldCountOf(values) > FIELDS_MAX) return refusedRecord(`more than ${FIELDS_MAX} traits`, values);
  const text = new RecordText();
  for (const [name, value] of values) text.add(name, value);
  return new RecordText().add(ID_FIELD, entity).addAll(text.members).text;
}

/**
 * The record that `make` makes of a message, or the message as one that is refused: one wrong message must not refuse the others of
 * its body. `hidden`: fields that are not stored.
 */
export function recordOrRefused(message: Json, hidden: readonly string[], make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const shown = isObject(message)
      ? new Map([...message].filter(([field]) => !hidden.includes(field)))
      : message;
    return refusedRecord(error.message, shown);
  }
}

/** The error of a message that cannot become a record. */
export const unusable = (reason: string): QuarryError => new QuarryError(1503, reason);

/** Collects the records of a body with their identities. */
export class EventRecords {
  readonly #lines: string[] = [];
  readonly #identities: RecordIdentity[] = [];

  add(line: string, id: string, entity: string): void {
    this.#lines.push(line);
    this.#identities.push({ id, entity });
  }

  group(dimension: string): RecordGroup {
    return { dimension, mapping: MAPPING, lines: this.#lines, identities: this.#identities };
  }
}

/** The text of a string or number; empty for everything else. */
export function textOf(json: Json | undefined): string {
  if (json instanceof ExactNumber) return json.text;
  return typeof json === 'string' ? json : '';
}

/** A missing object is an empty one. Throws 1503 for anything else. */
export function objectOf(json: Json | undefined, what: string): JsonObject {
  if (json === undefined || json === null) return new Map();
  if (isObject(json)) return json;
  throw new QuarryError(1503, `${quoted(what)} is ${kindOf(json)}, not an object`);
}
