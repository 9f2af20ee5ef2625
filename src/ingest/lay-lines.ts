/**
 * Lines of JSON, an entity each, laid as the entities of an insert body where they stand: `{"id": "x", "age": 1}`
 * becomes `,       "x":{ "age": 1}`. Which member is the ID: the first that is called "id"; a later one is a column.
 * Invariants
 *   Line breaks stay where they are, and so does whatever stands behind a line's ID: the place of a fault tells its line.
 *   What is laid is one JSON object when each line is (checkLine). Lines that were not checked may give no JSON at all, or
 *   other entities than theirs: see parseLines.
 */
import { AUTO_CREATE } from './auto-create.js';
import { InsertFault } from './fault.js';
import { skipColon, skipString, skipValue, stringAt, unexpected } from './json.js';
import { kindOfValue } from './numbers.js';
import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE, type Source, skipSpace } from './source.js';

export const LINE_BREAK = 0x0a;
const SPACE = 0x20;
/** Of the key "id", and of a string that is "auto-create" without escapes. */
const ID_KEY_BYTES = 4;
const AUTO_CREATE_BYTES = AUTO_CREATE.length + 2;

/** Where a line says its ID. */
interface IdPlace {
  /** The quote of the line's first key, and of the key "id". */
  readonly firstKeyAt: number;
  readonly keyAt: number;
  /** The ID's quote, and the place behind its closing one. */
  readonly at: number;
  readonly end: number;
}

export interface LaidLines {
  /** Lines that became entities: all but the empty ones. */
  readonly entityCount: number;
  /** The brace of the first of them; -1 = there is none. */
  readonly firstAt: number;
  /** The first line that cannot be laid: it and all behind it stand as they were. Its offset is that line's first byte. */
  readonly fault: InsertFault | null;
}

/** The first place of [from, end) that is no blank; `end` when there is none. */
export function skipBlanks(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] === SPACE || bytes[at] === 0x0d || bytes[at] === 0x09)) at++;
  return at;
}

/** Calls `take` with the place of each line that is not blank, and of its line break or the text's end, until it gives false. */
export function eachLine(
  bytes: Uint8Array,
  from: number,
  textEnd: number,
  take: (at: number, end: number) => boolean,
): void {
  // A Buffer looks for bytes five times as fast as a Uint8Array.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, textEnd);
  for (let start = from; start < textEnd; ) {
    const found = text.indexOf(LINE_BREAK, start);
    const end = found === -1 ? textEnd : found;
    const isBlank = skipBlanks(bytes, start, end) === end;
    if (!isBlank && !take(start, end)) return;
    start = end + 1;
  }
}

/** Lays the lines of source.bytes[from, source.end), each behind a comma. */
export function layLines(source: Source, from: number): LaidLines {
  let entityCount = 0;
  let firstAt = -1;
  let fault: InsertFault | null = null;
  eachLine(source.bytes, from, source.end, (start, end) => {
    const at = skipBlanks(source.bytes, start, end);
    try {
      layLine(source, at, end);
    } catch (thrown) {
      if (!(thrown instanceof InsertFault)) throw thrown;
      fault = new InsertFault(thrown.code, start, thrown.text);
      return false;
    }
    if (firstAt < 0) firstAt = at;
    entityCount++;
    return true;
  });
  return { entityCount, firstAt, fault };
}

/** Checks that a line, which is not empty, is one JSON value. Throws InsertFault 1503. */
export function checkLine(line: Source): void {
  const at = skipSpace(line.bytes, skipValue(line, skipSpace(line.bytes, 0), 1));
  if (at !== line.end) throw unexpected(line, at, 'the end of the line');
}

function layLine(source: Source, at: number, end: number): void {
  const { bytes } = source;
  if (bytes[at] !== OPEN_OBJECT) {
    throw new InsertFault(2005, at, `the line is ${kindOfValue(bytes[at])}, not an object`);
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
  for (let place = at + 1; place < membersAt - 2 - (id.end - id.at); place++) bytes[place] = SPACE;
}

/** Moves the ID so that it ends at `to`. */
function moveId(bytes: Uint8Array, { at, end }: IdPlace, to: number): void {
  const by = to - end;
  if (by > 0) bytes.copyWithin(at + by, at, end);
  else for (let place = at; place < end; place++) bytes[place + by] = bytes[place];
}

/** Moves what stands before the ID's key to before `columnsAt`, and the ID before it; returns where the members begin. */
function moveMembers(
  bytes: Uint8Array,
  at: number,
  id: IdPlace,
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

/** Throws 2003 when there is no ID, 2007 when it is no string or reserved, 1503. */
function findId(source: Source, at: number, end: number): IdPlace {
  const { bytes } = source;
  const firstKeyAt = skipSpace(bytes, at + 1);
  let keyAt = firstKeyAt;
  while (bytes[keyAt] === QUOTE) {
    const keyEnd = skipString(source, keyAt + 1);
    const valueAt = skipColon(source, keyEnd);
    if (isIdKey(source, keyAt, keyEnd)) {
      if (bytes[valueAt] !== QUOTE) {
        throw new InsertFault(2007, at, `its "id" is ${kindOfValue(bytes[valueAt])}, not a string`);
      }
      const id = { firstKeyAt, keyAt, at: valueAt, end: skipString(source, valueAt + 1) };
      if (id.end > end) throw unexpected(source, end, 'the rest of the object');
      if (isReserved(source, id)) throw new InsertFault(2007, at, `the ID "${AUTO_CREATE}" is reserved`);
      return id;
    }
    const behind = skipSpace(bytes, skipValue(source, valueAt, 2));
    if (behind >= end || bytes[behind] !== COMMA) break;
    keyAt = skipSpace(bytes, behind + 1);
  }
  throw new InsertFault(2003, at, 'the line has no "id"');
}

function isIdKey(source: Source, keyAt: number, keyEnd: number): boolean {
  const { bytes } = source;
  if (keyEnd - keyAt === ID_KEY_BYTES) return bytes[keyAt + 1] === 0x69 && bytes[keyAt + 2] === 0x64;
  return keyEnd - keyAt > ID_KEY_BYTES && bytes.subarray(keyAt, keyEnd).includes(0x5c)
    ? stringAt(source, keyAt) === 'id'
    : false;
}

function isReserved(source: Source, { at, end }: IdPlace): boolean {
  const first = source.bytes[at + 1];
  return (
    end - at >= AUTO_CREATE_BYTES &&
    (first === 0x61 || first === 0x5c) &&
    stringAt(source, at) === AUTO_CREATE
  );
}
