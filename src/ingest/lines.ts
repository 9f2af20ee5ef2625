/**
 * Parses lines of JSON (NDJSON), one entity each, into encoded batches or one error. The lines are rewritten as an
 * insert body (plain/rewrite-lines.ts) and parsed like one.
 * Passes. The lines are rewritten unchecked and read by SIMD. The result is trusted only if each entity ended with its line and
 * there are as many entities as lines. Otherwise each line is checked (the first line that is not valid JSON determines the
 * error), and the result is walked by TypeScript.
 * Invariant: a line that is not a JSON object by itself fails the whole request, whatever it would give together with other
 * lines.
 * The first line may be `{"auto-create": ["column"]}`. Blank lines are not entities but count as lines.
 */
import type { WireError } from '../base/index.js';
import { AUTO_CREATE, readAutoCreate } from './infer/auto-create.js';
import { parseByWalk } from './insert.js';
import { InsertError } from './insert-error.js';
import { eachMember, stringAt } from './json.js';
import type { ParseContext, ParsedInsert, ParseOutcome } from './parse.js';
import { checkLine, eachLine, LINE_BREAK, rewriteLines } from './plain/rewrite-lines.js';
import type { IngestScratch } from './scratch.js';
import { CLOSE_OBJECT, OPEN_OBJECT, type Source, skipSpace } from './source.js';

const NO_ENTITIES = new TextEncoder().encode('{}');
const SPACE = 0x20;

/** Line numbers for errors, from 1. */
export interface LineNumbers {
  /** Number of the auto-create line, which is the first line of the text; 0 = none. */
  readonly head: number;
  /** Number of the first line after it. */
  readonly first: number;
}

/** Lines and their numbers. */
export interface NumberedLines extends LineNumbers {
  /** Entities in addition to those of the text, a line each, that are right and need no number. Absent or '' = none. */
  readonly more?: string;
}

/**
 * Parses lines against one model. `lines` may be any bytes, shared or not, and is only read. Errors name the line. The result is
 * valid until the next parse with the same `scratch`.
 */
export function parseLines(
  lines: Uint8Array,
  { more = '', ...numbers }: NumberedLines,
  context: ParseContext,
  scratch: IngestScratch,
): ParseOutcome {
  const text = more === '' ? lines : Buffer.concat([lines, new TextEncoder().encode(`\n${more}`)]);
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
  const { source, error } = layChecked(text, headEnd, scratch.lines);
  const tables = scratch.tablesOf(context.model, context.shardCount, context.columnIds);
  const outcome = parseByWalk(source.bytes.subarray(0, source.end), context, scratch, tables);
  if ('error' in outcome) return { error: named(outcome.error, lineOf(outcome.offset)) };
  return error === null ? outcome : { error: named(errorOf(error), lineOf(error.offset)) };
}

function firstLineEnd(text: Uint8Array): number {
  const found = text.indexOf(LINE_BREAK);
  return found === -1 ? text.length : found;
}

const errorOf = ({ code, text }: InsertError): WireError => ({ code, message: text });

function named(error: WireError, line: number): WireError {
  return { ...error, message: `line ${line}: ${error.message}`, moreInfo: { line } };
}

/**
 * Returns null if the lines are not plain or their boundaries are in doubt. The auto-create line is omitted: it does not affect
 * plain entities.
 */
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
  const { entityCount, firstAt, error } = rewriteLines(lines, headEnd);
  if (error !== null || entityCount === 0) return null;
  lines.bytes[firstAt] = OPEN_OBJECT;
  close(lines);
  const tables = scratch.tablesOf(context.model, context.shardCount, context.columnIds);
  const parsed = plain.parse(lines.bytes.subarray(0, lines.end), context.nowMs, tables, true);
  return parsed?.entityCount === entityCount ? parsed : null;
}

/** Ends the body after the last line. */
function close(source: Source): void {
  source.append(LINE_BREAK);
  source.append(CLOSE_OBJECT);
}

/** Returns the error of the first line that is not valid JSON, with the offset of that line in `text`; null if all are valid. */
function firstBroken(text: Uint8Array, from: number, line: Source): InsertError | null {
  let error: InsertError | null = null;
  eachLine(text, from, text.length, (start, end) => {
    line.load(text.subarray(start, end));
    try {
      checkLine(line);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof InsertError)) throw thrown;
      error = new InsertError(thrown.code, start, thrown.text);
      return false;
    }
  });
  return error;
}

/** Builds the body from lines of valid JSON up to the first line that is not an entity, and returns that line's error. */
function layChecked(
  text: Uint8Array,
  headEnd: number,
  source: Source,
): { source: Source; error: InsertError | null } {
  source.load(text);
  const { entityCount, firstAt, error } = rewriteLines(source, headEnd);
  if (error !== null) source.endAt(error.offset);
  if (headEnd > 0) source.bytes[source.bytes.lastIndexOf(CLOSE_OBJECT, headEnd)] = SPACE;
  else if (entityCount > 0) source.bytes[firstAt] = OPEN_OBJECT;
  else source.load(NO_ENTITIES);
  if (headEnd > 0 || entityCount > 0) close(source);
  return { source, error };
}

/** Returns the error of the auto-create line, or null. */
function headError(head: Uint8Array, { customKey }: ParseContext, line: Source): WireError | null {
  line.load(head);
  const lineOffsets: number[] = [];
  let isAlone = true;
  try {
    checkLine(line);
    eachMember(line, skipSpace(line.bytes, 0), 0, (keyAt, valueAt) => {
      if (stringAt(line, keyAt) === AUTO_CREATE) lineOffsets.push(valueAt);
      else isAlone = false;
    });
  } catch (thrown) {
    if (thrown instanceof InsertError) return errorOf(thrown);
    throw thrown;
  }
  if (!isAlone) return { code: 2007, message: `"${AUTO_CREATE}" must be on a line of its own` };
  const creates = readAutoCreate(line, lineOffsets, customKey);
  return creates !== null && 'refused' in creates ? creates.refused : null;
}
