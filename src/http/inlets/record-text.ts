/**
 * The text of flat records. A text that is longer than a value may be is divided: the field has its first piece, and the field
 * NAME-more a list of all others.
 */
import { ExactNumber, isList, isObject, type Json, type JsonObject } from '../../api/index.js';
import { TEXT_POINTS_MAX } from '../../base/index.js';
import { pieces } from '../../ingest/index.js';

/** Fields of one record. More are no record of a sane sender, and each of them would be a column. */
export const FIELDS_MAX = 1_000;

/** The name of the field that is the ID of a record's entity: no record can have a column of that name. */
export const ID_FIELD = 'entity-id';

/** The JSON text of any value. */
export function jsonText(json: Json): string {
  if (json instanceof ExactNumber) return json.text;
  if (isList(json)) return `[${json.map(jsonText).join()}]`;
  if (!isObject(json)) return JSON.stringify(json);
  return `{${Array.from(json, ([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`).join()}}`;
}

/** The members of a record as JSON text, collected one by one. */
export class RecordText {
  #members: string[] = [];

  /** Adds a value of any kind, unless it is missing. */
  add(name: string, value: Json | undefined): this {
    if (value === undefined || value === null) return this;
    if (value instanceof ExactNumber || typeof value === 'boolean') this.#put(name, jsonText(value));
    else if (typeof value === 'string') this.#addText(name, value);
    else if (isList(value)) this.#addList(name, value);
    else this.#put(name, fieldsText(value as JsonObject));
    return this;
  }

  /** Adds members that another record text has. */
  addAll(members: readonly string[]): this {
    this.#members.push(...members);
    return this;
  }

  get members(): readonly string[] {
    return this.#members;
  }

  get text(): string {
    return `{${this.#members.join()}}`;
  }

  #put(name: string, token: string): void {
    this.#members.push(`${JSON.stringify(name)}:${token}`);
  }

  #addText(name: string, text: string): void {
    if (text.length <= TEXT_POINTS_MAX) {
      this.#put(name, JSON.stringify(text));
      return;
    }
    const [first, ...others] = pieces(text);
    this.#put(name, JSON.stringify(first));
    this.#put(`${name}-more`, JSON.stringify(others));
  }

  /** Texts and numbers can be a list; other lists are text. */
  #addList(name: string, list: readonly Json[]): void {
    if (list.length === 0) return;
    const areTexts = list.every((item) => typeof item === 'string' && item.length <= TEXT_POINTS_MAX);
    const isPlain = areTexts || list.every((item) => item instanceof ExactNumber);
    if (isPlain) this.#put(name, jsonText(list));
    else this.#addText(name, jsonText(list));
  }
}

/** An object of which every member is a field. */
function fieldsText(object: JsonObject): string {
  const record = new RecordText();
  for (const [name, value] of object) record.add(name, value);
  return record.text;
}

/** The number of fields of a value, counted up to FIELDS_MAX + 1. */
export function fieldCountOf(json: Json | undefined): number {
  if (!isObject(json)) return 1;
  let count = 0;
  for (const value of json.values()) {
    count += fieldCountOf(value);
    if (count > FIELDS_MAX) return count;
  }
  return count;
}

/** A record that will be refused, because it has no ID: it goes to the quarantine with its reason. */
export const refusedRecord = (reason: string, record: Json): string =>
  `{"refused":${JSON.stringify(reason)},"record":${jsonText(record)}}`;
