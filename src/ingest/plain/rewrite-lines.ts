/**
 * Rewrites lines of JSON, one entity each, in place as the members of an insert body: `{"id": "x", "age": 1}` becomes `, "x":{
 * "age": 1}`. The ID is the first member called "id"; a later one is a column.
 * Invariants
 *   Line breaks and everything after a line's ID keep their offsets, so the offset of an error determines its line.
 *   The result is one JSON object if each line is one (checkLine). Lines that were not checked may produce invalid JSON or
 *   other entities: see parseLines.
 */
import { AUTO_CREATE } from '../infer/auto-create.js';
import { InsertError } from '../insert-error.js';
import { skipColon, skipString, skipValue, stringAt, unexpected } from '../json.js';
import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE, type Source, skipSpace } from '../source.js';
import { kindOfValue } from '../values/numbers.js';

export const LINE_BREAK = 0x0a;
const SPACE = 0x20;
/** Lengths of the key "id" and of the string "auto-create" without escapes. */
const ID_KEY_BYTES = 4;
const AUTO_CREATE_BYTES = AUTO_CREATE.length + 2;

/** The position of a line's ID. */
interface IdPosition {
  /** Offsets of the quote of the line's first key and of the key "id". */
  readonly firstKeyAt: number;
  readonly keyAt: number;
  /** Offsets of the ID's opening quote and of the byte after its closing quote. */
  readonly at: number;
  readonly end: number;
}

export interface RewrittenLines {
  /** Lines that became entities: all except blank lines. */
  readonly entityCount: number;
  /** Offset of the first entity's brace; -1 = none. */
  readonly firstAt: number;
  /**
   * The error of the first line that cannot be rewritten, or null. That line and all later ones are unchanged. The offset is that
   * line's first byte.
   */
  readonly error: InsertError | null;
}

/** Returns the offset of the first byte of [from, end) that is not blank, or `end`. */
export function skipBlanks(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] === SPACE || bytes[at] === 0x0d || bytes[at] === 0x09)) at++;
  return at;
}

/**
 * Calls `visit` with the offsets of each non-blank line and of its end (line break or end of text), until it returns false.
 */
export function eachLine(
  bytes: Uint8Array,
  from: number,
  textEnd: number,
  visit: (at: number, end: number) => boolean,
): void {
  // Searching a Buffer for bytes is five times as fast as searching a Uint8Array.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, textEnd);
  for (let start = from; start < textEnd; ) {
    const found = text.indexOf(LINE_BREAK, start);
    const end = found === -1 ? textEnd : found;
    const isBlank = skipBlanks(bytes, start, end) === end;
    if (!isBlank && !visit(start, end)) return;
    start = end + 1;
  }
}

/** Rewrites the lines of source.bytes[from, source.end), each preceded by a comma. */
export function rewriteLines(source: Source, from: number): RewrittenLines {
  let entityCount = 0;
  let firstAt = -1;
  let error: InsertError | null = null;
  eachLine(source.bytes, from, source.end, (start, end) => {
    const at = skipBlanks(source.bytes, start, end);
    try {
      layLine(source, at, end);
    } catch (thrown) {
      if (!(thrown instanceof InsertError)) throw thrown;
      error = new InsertError(thrown.code, start, thrown.text);
      return false;
    }
    if (firstAt < 0) firstAt = at;
    entityCount++;
    return true;
  });
  return { entityCount, firstAt, error };
}

/** Checks that a non-blank line is one JSON value. Throws InsertError 1503. */
export function checkLine(line: Source): void {
  const at = skipSpace(line.bytes, skipValue(line, skipSpace(line.bytes, 0), 1));
  if (at !== line.end) throw unexpected(line, at, 'the end of the line');
}

function layLine(source: Source, at: number, end: number): void {
  const { bytes } = source;
  if (bytes[at] !== OPEN_OBJECT) {
    throw new InsertError(2005, at, `the line is ${kindOfValue(bytes[at])}, not an object`);
  }
  const id = findId(source, at, end);
  const behind = skipBlanks(bytes, id.end, end);
  if (bytes[behind] !== COMMA && bytes[behind] !== CLOSE_OBJECT) {
    throw unexpected(source, behind, "',' or '}'");
  }
  const isFollowed = bytes[behind] === COMMA;
  const columnsAt = isFollowed ? behind + 1 : behind;
  const membersAt =
    id.keyAt === id.firstKeyAt ? columnsAt : moveMembers(bytes, at, id, columnsAt, isFollowed);
  if (membersAt === columnsAt) moveId(bytes, id, membersAt - 2);
  bytes[at] = COMMA;
  bytes[membersAt - 2] = COLON;
  bytes[membersAt - 1] = OPEN_OBJECT;
  for (let index = at + 1; index < membersAt - 2 - (id.end - id.at); index++) bytes[index] = SPACE;
}

/** Moves the ID so that it ends at `to`. */
function moveId(bytes: Uint8Array, { at, end }: IdPosition, to: number): void {
  const by = to - end;
  if (by > 0) bytes.copyWithin(at + by, at, end);
  else for (let index = at; index < end; index++) bytes[index + by] = bytes[index];
}

/** Moves the members before the ID to before `columnsAt`, and the ID before them; returns the offset of the members. */
function moveMembers(
  bytes: Uint8Array,
  at: number,
  id: IdPosition,
  columnsAt: number,
  isFollowed: boolean,
): number {
  const text = bytes.slice(id.at, id.end);
  const membersAt = columnsAt - (id.keyAt - at - 1);
  bytes.copyWithin(membersAt, at + 1, id.keyAt);
  if (!isFollowed) bytes[bytes.lastIndexOf(COMMA, columnsAt - 1)] = SPACE;
  bytes.set(text, membersAt - 2 - text.length);
  return membersAt;
}

/** Throws 2003 if there is no ID, 2007 if the ID is not a string or is reserved, and 1503. */
function findId(source: Source, at: number, end: number): IdPosition {
  const { bytes } = source;
  const firstKeyAt = skipSpace(bytes, at + 1);
  let keyAt = firstKeyAt;
  while (bytes[keyAt] === QUOTE) {
    const keyEnd = skipString(source, keyAt + 1);
    const valueAt = skipColon(source, keyEnd);
    if (isIdKey(source, keyAt, keyEnd)) {
      if (bytes[valueAt] !== QUOTE) {
        throw new InsertError(2007, at, `"id" is ${kindOfValue(bytes[valueAt])}, not a string`);
      }
      const id = { firstKeyAt, keyAt, at: valueAt, end: skipString(source, valueAt + 1) };
      if (id.end > end) throw unexpected(source, end, 'the rest of the object');
      if (isReserved(source, id)) throw new InsertError(2007, at, `the ID "${AUTO_CREATE}" is reserved`);
      return id;
    }
    const behind = skipSpace(bytes, skipValue(source, valueAt, 2));
    if (behind >= end || bytes[behind] !== COMMA) break;
    keyAt = skipSpace(bytes, behind + 1);
  }
  throw new InsertError(2003, at, 'the line has no "id"');
}

function isIdKey(source: Source, keyAt: number, keyEnd: number): boolean {
  const { bytes } = source;
  if (keyEnd - keyAt === ID_KEY_BYTES) return bytes[keyAt + 1] === 0x69 && bytes[keyAt + 2] === 0x64;
  return keyEnd - keyAt > ID_KEY_BYTES && bytes.subarray(keyAt, keyEnd).includes(0x5c)
    ? stringAt(source, keyAt) === 'id'
    : false;
}

function isReserved(source: Source, { at, end }: IdPosition): boolean {
  const first = source.bytes[at + 1];
  return (
    end - at >= AUTO_CREATE_BYTES &&
    (first === 0x61 || first === 0x5c) &&
    stringAt(source, at) === AUTO_CREATE
  );
}
