/**
 * Lines of JSON (NDJSON), an entity each, to encoded batches or to the one error that they deserve: an insert body in
 * another form. The lines are laid as such a body (lay-lines.ts), and what reads bodies reads them.
 *
 * Passes. Lines are laid unchecked and read by SIMD. That what was read are the lines' entities is known then: each
 * ended with its line, and there are as many as lines. Else each line is checked (the first that is no JSON is the one
 * to answer), and what is laid then is walked by TypeScript.
 * Invariant: a line that is no JSON object of its own refuses all, whatever it gives together with others.
 *
 * The line that says what may be created, `{"auto-create": ["column"]}`, may stand before all others. What is empty
 * but for blanks is no entity, and counts as a line.
 */
import type { WireError } from '../base/index.js';
import { AUTO_CREATE, readAutoCreate } from './auto-create.js';
import { InsertFault } from './fault.js';
import { parseByWalk } from './insert.js';
import { eachMember, stringAt } from './json.js';
import { checkLine, eachLine, LINE_BREAK, layLines } from './lay-lines.js';
import type { ParseContext, ParsedInsert, ParseOutcome } from './parse.js';
import type { IngestScratch } from './scratch.js';
import { CLOSE_OBJECT, OPEN_OBJECT, type Source, skipSpace } from './source.js';

const NO_ENTITIES = new TextEncoder().encode('{}');
const SPACE = 0x20;

/** How the lines are numbered in errors, from 1. */
export interface LineNumbers {
  /** Of the line that says what may be created, which is the text's first; 0 = it has none. */
  readonly head: number;
  /** Of the first line behind it. */
  readonly first: number;
}

/**
 * Parses lines against one model. `text` may be any bytes, shared or not, and is only read. Errors name the line. The
 * result is valid until the next parse with the same `scratch`.
 */
export function parseLines(
  text: Uint8Array,
  numbers: LineNumbers,
  context: ParseContext,
  scratch: IngestScratch,
): ParseOutcome {
  const headEnd = numbers.head === 0 ? 0 : firstLineEnd(text);
  const wrongHead = headEnd === 0 ? null : headError(text.subarray(0, headEnd), context, scratch.line);
  if (wrongHead !== null) return { error: named(wrongHead, numbers.head) };
  const plain = parsePlain(text, headEnd, context, scratch);
  if (plain !== null) return { parsed: plain };
  const lineOf = (offset: number): number => {
    if (offset <= headEnd && headEnd > 0) return numbers.head;
    let line = numbers.first;
    for (let at = headEnd === 0 ? 0 : headEnd + 1; at < offset; at++) if (text[at] === LINE_BREAK) line++;
    return line;
  };
  const broken = firstBroken(text, headEnd, scratch.line);
  if (broken !== null) return { error: named(errorOf(broken), lineOf(broken.offset)) };
  const { source, fault } = layChecked(text, headEnd, scratch.lines);
  const tables = scratch.tablesOf(context.model, context.shardCount, context.columnIds);
  const outcome = parseByWalk(source.bytes.subarray(0, source.end), context, scratch, tables);
  if ('error' in outcome) return { error: named(outcome.error, lineOf(outcome.offset)) };
  return fault === null ? outcome : { error: named(errorOf(fault), lineOf(fault.offset)) };
}

function firstLineEnd(text: Uint8Array): number {
  const found = text.indexOf(LINE_BREAK);
  return found === -1 ? text.length : found;
}

const errorOf = ({ code, text }: InsertFault): WireError => ({ code, message: text });

function named(error: WireError, line: number): WireError {
  return { ...error, message: `line ${line}: ${error.message}`, moreInfo: { line } };
}

/** null = not plain, or more in doubt than that. The line before the others is left out: it changes no plain entity. */
function parsePlain(
  text: Uint8Array,
  headEnd: number,
  context: ParseContext,
  scratch: IngestScratch,
): ParsedInsert | null {
  const { plain, lines } = scratch;
  if (plain === null) return null;
  lines.load(text);
  lines.bytes.fill(SPACE, 0, headEnd);
  const { entityCount, firstAt, fault } = layLines(lines, headEnd);
  if (fault !== null || entityCount === 0) return null;
  lines.bytes[firstAt] = OPEN_OBJECT;
  close(lines);
  const tables = scratch.tablesOf(context.model, context.shardCount, context.columnIds);
  const parsed = plain.parse(lines.bytes.subarray(0, lines.end), context.nowMs, tables, true);
  return parsed?.entityCount === entityCount ? parsed : null;
}

/** Ends the body behind the line that stands last. */
function close(source: Source): void {
  source.append(LINE_BREAK);
  source.append(CLOSE_OBJECT);
}

/** The fault of the first line that is no JSON, with the place in `text` at which the line begins; null = all are. */
function firstBroken(text: Uint8Array, from: number, line: Source): InsertFault | null {
  let fault: InsertFault | null = null;
  eachLine(text, from, text.length, (start, end) => {
    line.load(text.subarray(start, end));
    try {
      checkLine(line);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof InsertFault)) throw thrown;
      fault = new InsertFault(thrown.code, start, thrown.text);
      return false;
    }
  });
  return fault;
}

/** The body of lines that are JSON each, up to the first that is no entity, and the fault of that one. */
function layChecked(
  text: Uint8Array,
  headEnd: number,
  source: Source,
): { source: Source; fault: InsertFault | null } {
  source.load(text);
  const { entityCount, firstAt, fault } = layLines(source, headEnd);
  if (fault !== null) source.endAt(fault.offset);
  if (headEnd > 0) source.bytes[source.bytes.lastIndexOf(CLOSE_OBJECT, headEnd)] = SPACE;
  else if (entityCount > 0) source.bytes[firstAt] = OPEN_OBJECT;
  else source.load(NO_ENTITIES);
  if (headEnd > 0 || entityCount > 0) close(source);
  return { source, fault };
}

/** Why the line that says what may be created is refused, or null. */
function headError(head: Uint8Array, { customKey }: ParseContext, line: Source): WireError | null {
  line.load(head);
  const places: number[] = [];
  let isAlone = true;
  try {
    checkLine(line);
    eachMember(line, skipSpace(line.bytes, 0), 0, (keyAt, valueAt) => {
      if (stringAt(line, keyAt) === AUTO_CREATE) places.push(valueAt);
      else isAlone = false;
    });
  } catch (thrown) {
    if (thrown instanceof InsertFault) return errorOf(thrown);
    throw thrown;
  }
  if (!isAlone) return { code: 2007, message: `"${AUTO_CREATE}" must stand in a line of its own` };
  const creates = readAutoCreate(line, places, customKey);
  return creates !== null && 'refused' in creates ? creates.refused : null;
}
