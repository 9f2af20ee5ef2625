/** JSON text -> cells: integers beyond 2^53 and long decimals keep their digits. */
import { ExactNumber, isList, isObject, type Json, parseJson } from '../../../api/index.js';
import type { Cell } from './row-block.js';

/** A number as long as that may be one that a double does not hold. */
const LONG_NUMBER = /\d{16}|[\d.]{17}/;

/**
 * Whether a second member may be called "id", as that of an entity with a column of that name is in a line of an insert:
 * the exact reader refuses it, where the other would take the column's value for the entity ID.
 */
const mayRepeatId = (text: string): boolean => text.startsWith('{"id":') && text.includes('"id":', 6);

const encoder = new TextEncoder();

/** Throws an Error that says what is wrong with the text. */
export const jsonCell = (text: string): Cell =>
  LONG_NUMBER.test(text) || mayRepeatId(text)
    ? cellOf(parseJson(encoder.encode(text)))
    : (JSON.parse(text) as Cell);

function cellOf(json: Json): Cell {
  if (json instanceof ExactNumber) {
    const number = Number(json.text);
    return String(number) === json.text ? number : json;
  }
  if (isList(json)) return json.map(cellOf);
  if (isObject(json)) return Object.fromEntries(Array.from(json, ([key, member]) => [key, cellOf(member)]));
  return json;
}
