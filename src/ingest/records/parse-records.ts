/**
 * Parses flat records, a line each, into encoded batches or one error: each record is rewritten as an entity (entity-line.ts),
 * and the entities are parsed like lines. Records of one entity stay apart, so that each has its events.
 */
import type { WireError } from '../../base/index.js';
import { type DatabaseModel, DEFAULT_DIMENSION, type Dimension } from '../../schema/index.js';
import { InsertError } from '../insert-error.js';
import { type LineNumbers, type NumberedLines, parseLines } from '../lines.js';
import type { ParseContext, ParseOutcome } from '../parse.js';
import { checkLine, eachLine, LINE_BREAK, skipBlanks } from '../plain/rewrite-lines.js';
import type { IngestScratch } from '../scratch.js';
import { OPEN_OBJECT, type Source, skipSpace } from '../source.js';
import { kindOfValue } from '../values/numbers.js';
import { EntityLines } from './entity-line.js';
import { csvHeader, FieldReader, type Fields, fieldsOfCsv, RecordError } from './fields.js';
import type { RecordMapping } from './mapping.js';

/** Stands for a line break inside a quoted value of CSV. No byte of UTF-8 has this value. */
export const QUOTED_BREAK = 0xff;
const CARRIAGE_RETURN = 0x0d;

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/** Lines that became entities, up to the first one that could not. */
interface MappedRecords {
  readonly text: Uint8Array;
  /** The error of the first line that is no entity, and its number; null = there is none. */
  readonly refusal: { readonly error: WireError; readonly line: number } | null;
}

/**
 * Parses the records of `text` against one model. For CSV the first line is the header, with the number numbers.head. Errors
 * name the line. The result is valid until the next parse with the same `scratch`.
 */
export function parseRecords(
  text: Uint8Array,
  { more, ...numbers }: NumberedLines,
  mapping: RecordMapping,
  context: ParseContext,
  scratch: IngestScratch,
): ParseOutcome {
  const { text: entities, refusal } = mapRecords(text, numbers, mapping, context.model, scratch.line);
  const { first } = numbers;
  const creates = createsOf(mapping);
  // The options of creation are a line before the first one; no message names it, because they are right.
  const lines = creates === '' ? entities : Buffer.concat([encoder.encode(`${creates}\n`), entities]);
  const outcome = parseLines(
    lines,
    { head: creates === '' ? 0 : first, first, more },
    { ...context, repeatsIds: true, ...relatedBy(mapping) },
    scratch,
  );
  if (refusal === null || 'error' in outcome) return outcome;
  const { error, line } = refusal;
  return { error: { ...error, message: `line ${line}: ${error.message}`, moreInfo: { line } } };
}

const relatedBy = ({ createsColumns, eventFields }: RecordMapping): Pick<ParseContext, 'relates'> =>
  createsColumns && eventFields !== null ? { relates: eventFields } : {};

function createsOf({ createsColumns, createsDimension }: RecordMapping): string {
  const names = [...(createsColumns ? ['column'] : []), ...(createsDimension ? ['dimension'] : [])];
  return names.length === 0 ? '' : JSON.stringify({ 'auto-create': names });
}

const dimensionOf = ({ dimensions }: DatabaseModel, { dimension }: RecordMapping): Dimension | undefined =>
  dimensions.get(dimension ?? DEFAULT_DIMENSION);

/** Reads the fields of one line, which is not blank. Throws RecordError and InsertError. */
type ReadFields = (line: Uint8Array) => Fields;

function mapRecords(
  text: Uint8Array,
  { head, first }: LineNumbers,
  mapping: RecordMapping,
  model: DatabaseModel,
  scratch: Source,
): MappedRecords {
  const entities = new EntityLines(mapping, dimensionOf(model, mapping));
  const lines: string[] = [];
  try {
    const headEnd = head === 0 ? 0 : lineEnd(text, 0) + 1;
    const fieldsOf = fieldsReader(text.subarray(0, Math.max(0, headEnd - 1)), mapping, scratch);
    const seen = entities.createsColumns ? seeAll(text, headEnd, fieldsOf, entities) : null;
    for (let start = headEnd; start < text.length; ) {
      const end = lineEnd(text, start);
      const line = text.subarray(start, end);
      const isBlank = skipBlanks(text, start, end) === end;
      lines.push(isBlank ? '' : entities.of(seen?.get(start) ?? fieldsOf(line), line));
      start = end + 1;
    }
    return { text: encoder.encode(lines.join('\n')), refusal: null };
  } catch (thrown) {
    const refusal = { error: recordErrorOf(thrown), line: first + lines.length };
    return { text: encoder.encode(lines.join('\n')), refusal };
  }
}

/** Shows every record up to the first one that is not valid to `entities`; returns their fields by their offsets. */
function seeAll(
  text: Uint8Array,
  from: number,
  fieldsOf: ReadFields,
  entities: EntityLines,
): Map<number, Fields> {
  const seen = new Map<number, Fields>();
  eachLine(text, from, text.length, (start, end) => {
    try {
      const fields = fieldsOf(text.subarray(start, end));
      entities.see(fields);
      seen.set(start, fields);
      return true;
    } catch (thrown) {
      recordErrorOf(thrown);
      return false;
    }
  });
  return seen;
}

/** The offset of the line break after `from`, or the length of the text. */
export function lineEnd(text: Uint8Array, from: number): number {
  const found = text.indexOf(LINE_BREAK, from);
  return found === -1 ? text.length : found;
}

/** Reads records of one body. `header`: the names of a CSV body. Throws RecordError if they cannot be read. */
export function fieldsReader(
  header: Uint8Array,
  { format, delimiter }: RecordMapping,
  scratch: Source,
): ReadFields {
  if (format === 'csv') {
    const names = csvHeader(csvText(header), delimiter);
    return (line) => fieldsOfCsv(csvText(line), names, delimiter);
  }
  const reader = new FieldReader();
  return (line) => {
    scratch.load(line);
    checkLine(scratch);
    const at = skipSpace(scratch.bytes, 0);
    if (scratch.bytes[at] === OPEN_OBJECT) return reader.fieldsOfObject(scratch, at);
    throw new RecordError(2005, `the record is ${kindOfValue(scratch.bytes[at])}, not an object`);
  };
}

/** The text of a CSV line, without a carriage return at its end. Throws RecordError for invalid UTF-8. */
function csvText(line: Uint8Array): string {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  const bytes = line.slice(0, end);
  for (let at = bytes.indexOf(QUOTED_BREAK); at !== -1; at = bytes.indexOf(QUOTED_BREAK, at))
    bytes[at] = LINE_BREAK;
  try {
    return decoder.decode(bytes);
  } catch {
    throw new RecordError(1503, 'the line is not valid UTF-8');
  }
}

/** The error of a record that was thrown. Throws any other error. */
export function recordErrorOf(thrown: unknown): WireError {
  if (thrown instanceof RecordError) return thrown.error;
  if (thrown instanceof InsertError) return { code: thrown.code, message: thrown.text };
  throw thrown;
}
