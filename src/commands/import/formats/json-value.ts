/** Reads a JSON text as a value; integers beyond 2^53 and long decimals keep their digits. */
import { ExactNumber, isList, isObject, type Json, parseJson } from '../../../api/index.js';
import type { SourceValue } from './row-block.js';

/** Matches numbers so long that a double may not hold them exactly. */
const LONG_NUMBER = /\d{16}|[\d.]{17}/;

/**
 * Whether the object may have two members "id", as the insert line of an entity with a column of that name: the exact
 * parser refuses it, but JSON.parse would take the column's value for the entity ID.
 */
const mayRepeatId = (text: string): boolean => text.startsWith('{"id":') && text.includes('"id":', 6);

const encoder = new TextEncoder();

/** Throws an Error that describes the error in the text. */
export const jsonValue = (text: string): SourceValue =>
  LONG_NUMBER.test(text) || mayRepeatId(text)
    ? toSourceValue(parseJson(encoder.encode(text)))
    : (JSON.parse(text) as SourceValue);

function toSourceValue(json: Json): SourceValue {
  if (json instanceof ExactNumber) {
    const number = Number(json.text);
    return String(number) === json.text ? number : json;
  }
  if (isList(json)) return json.map(toSourceValue);
  if (isObject(json))
    return Object.fromEntries(Array.from(json, ([key, member]) => [key, toSourceValue(member)]));
  return json;
}
