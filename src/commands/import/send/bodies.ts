/**
 * Rows -> bodies of inserts. The same rows in the same mapping always give the same bodies.
 * Invariants: a body has at most ENTITIES_PER_INSERT_MAX entities; every row that was read is in exactly one body, as a row
 * or as a bad row; rows of one entity are merged: all events are kept, and the attributes of later rows override.
 */
import { ENTITIES_PER_INSERT_MAX, TEXT_POINTS_MAX } from '../../../base/index.js';
import { codePointCount, isEventType, storedText, type TextCase } from '../../../schema/index.js';
import { remembered } from '../formats/remembered.js';
import type { RowBlock, SourceValue } from '../formats/row-block.js';
import type { Mapping, Target } from '../mapping/mapping.js';
import {
  columnWriter,
  isRecord,
  isSourceList,
  ValueError,
  type ValueWriter,
  valueWriter,
} from '../mapping/values.js';

/** A body is closed before it exceeds this size in characters; text other than ASCII takes more bytes. */
const BODY_CHARS_MAX = 4_000_000;
/** Limit of rows per body, including bad rows. */
const BODY_ROWS_MAX = 50_000;

export interface BadRow {
  readonly row: number;
  /** null for formats without lines. */
  readonly line: number | null;
  /** Error code of the server's refusal. */
  readonly code?: number;
  readonly reason: string;
  readonly text: string;
}

export interface Body {
  readonly rows: readonly BodyRow[];
  readonly bad: readonly BadRow[];
  /** Keys of its entities; null if every row of the file is a separate entity. */
  readonly keys: ReadonlySet<string> | null;
  /** Number of the last row processed. */
  readonly lastRow: number;
}

/** A converted row: the values that its entity gets. */
export interface BodyRow {
  readonly row: number;
  readonly line: number | null;
  /** The text of the row in the file; null for binary formats. */
  readonly text: string | null;
  readonly id: string;
  /** The entity's key, which ignores the case of letters. */
  readonly key: string;
  /** By target: a value, a list, events separated by commas, or null. For dated events the part before the date. */
  readonly pieces: readonly (string | null)[];
  /** By target: the rest of a dated event, otherwise ''. Empty if no target has dated events. */
  readonly rests: readonly string[];
}

interface RowWriter {
  readonly value: ValueWriter;
  readonly source: number;
  /** Writes the date of dated events; otherwise null. */
  readonly timestamp: ValueWriter | null;
  readonly date: number;
}

const NO_RESTS: readonly string[] = [];
const DATE_MISSING = new ValueError('the event has a value but no date');

/** Writes the values that a target gets from a row; for a dated event the parts before and after its value. */
function rowWriter({ source, date, form }: Target): RowWriter {
  if (date === null) return { source, value: columnWriter(form), date: 0, timestamp: null };
  const around = (write: ValueWriter, before: string, after: string): ValueWriter =>
    remembered((sourceValue) => {
      const written = write(sourceValue);
      return typeof written === 'string' ? before + written + after : written;
    });
  return {
    source,
    value: around(valueWriter(form), '{"value":', ''),
    date,
    timestamp: around(valueWriter({ ...form, type: 'datetime' }), ',"date":', '}'),
  };
}

/** Whether all rows of the body belong to different entities. */
export const isDistinct = ({ keys, rows }: Body): boolean => keys === null || keys.size === rows.length;

/** The insert body of `rows`; `distinct` means that no two rows belong to one entity. */
export function bodyText(
  { dimension, targets, areLines }: Mapping,
  rows: readonly BodyRow[],
  distinct: boolean,
): string {
  const columns = targets.map(({ column, form }) => ({
    head: `,"${column}":`,
    textOf: isEventType(form.type) ? eventsText : latestText,
  }));
  const start = `:{"dimension":"${dimension}"`;
  // An insert must name a column: an entity without values names one with no value.
  const [{ column, form }] = targets;
  const nothing = `,"${column}":${isEventType(form.type) ? '[]' : 'null'}`;
  let text = '';
  for (const same of distinct ? alone(rows) : byEntity(rows)) {
    text += (text === '' ? '{' : '},') + JSON.stringify(same[0].id) + start;
    let isEmpty = areLines;
    for (let target = 0; target < columns.length; target++) {
      const { head, textOf } = columns[target];
      const written = textOf(same, target);
      if (written === '') continue;
      text += head + written;
      isEmpty = false;
    }
    if (isEmpty) text += nothing;
  }
  return text === '' ? '{}' : `${text}}}`;
}

/** Yields each row in a reused list. */
function* alone(rows: readonly BodyRow[]): Generator<readonly BodyRow[]> {
  const one = rows.slice(0, 1);
  for (const row of rows) {
    one[0] = row;
    yield one;
  }
}

function byEntity(rows: readonly BodyRow[]): Iterable<readonly BodyRow[]> {
  const entities = new Map<string, BodyRow[]>();
  for (const row of rows) {
    const same = entities.get(row.key);
    if (same === undefined) entities.set(row.key, [row]);
    else same.push(row);
  }
  return entities.values();
}

/** The events of all rows; '' if there are none. */
function eventsText(rows: readonly BodyRow[], target: number): string {
  let text = '';
  for (const { pieces, rests } of rows) {
    const piece = pieces[target];
    if (piece !== null) text += (text === '' ? '[' : ',') + piece + (rests[target] ?? '');
  }
  return text === '' ? '' : `${text}]`;
}

/** The value of the last row that has one; '' if there is none. */
function latestText(rows: readonly BodyRow[], target: number): string {
  for (let index = rows.length - 1; index >= 0; index--) {
    const piece = rows[index].pieces[target];
    if (piece !== null) return piece;
  }
  return '';
}

export class BodyCutter {
  readonly #writers: readonly RowWriter[];
  readonly #idOf: (block: RowBlock, index: number) => EntityId;
  readonly #mapping: Mapping;
  readonly #columnNames: readonly string[];
  #rows: BodyRow[] = [];
  #bad: BadRow[] = [];
  /** null = IDs are made of row numbers. */
  #keys: Set<string> | null;
  readonly #hasRests: boolean;
  #chars = 0;
  #lastRow = 0;

  /** `name` is the prefix of IDs made of row numbers. */
  constructor(mapping: Mapping, columnNames: readonly string[], name: string) {
    const { id, idCase } = mapping;
    this.#mapping = mapping;
    this.#columnNames = columnNames;
    this.#writers = mapping.targets.map(rowWriter);
    this.#idOf = idReader(id, name, idCase);
    this.#keys = id === null ? null : new Set();
    this.#hasRests = mapping.targets.some(({ date }) => date !== null);
  }

  /** Adds the rows of `block` and returns the bodies that are full. */
  *take(block: RowBlock): Generator<Body> {
    let broken = 0;
    const addBroken = (before: number): void => {
      for (; broken < block.broken.length && block.broken[broken].row < before; broken++) {
        const { row, line, reason, text } = block.broken[broken];
        this.#addBad({ row, line, reason, text });
      }
    };
    for (let index = 0; index < block.count; index++) {
      addBroken(block.rowNumbers[index]);
      const row = this.#rowOf(block, index);
      const chars = row === null ? 0 : charsOf(row);
      const isFull = row === null ? false : !this.#fits(row, chars);
      if (isFull || this.#isLong()) yield this.#close();
      if (row !== null) this.#add(row, chars);
      else this.#addBad(this.#rowError(block, index));
    }
    addBroken(Number.POSITIVE_INFINITY);
    if (this.#isLong()) yield this.#close();
  }

  /** The last body; null when no rows are left. */
  rest(): Body | null {
    return this.#rows.length + this.#bad.length === 0 ? null : this.#close();
  }

  #reason = '';

  /** null = the row is bad; #reason says why. */
  #rowOf(block: RowBlock, index: number): BodyRow | null {
    const { id, key, valueError: idWrong } = this.#idOf(block, index);
    this.#reason = idWrong;
    if (idWrong !== '') return null;
    const pieces: (string | null)[] = [];
    const rests: string[] | null = this.#hasRests ? [] : null;
    let isEmpty = true;
    for (const { source, value, date, timestamp: moment } of this.#writers) {
      const piece = value(block.columns[source][index]);
      const written =
        piece === null || moment === null ? '' : (moment(block.columns[date][index]) ?? DATE_MISSING);
      const valueError = piece instanceof ValueError ? piece : written instanceof ValueError ? written : null;
      if (valueError !== null) {
        this.#reason = `column ${JSON.stringify(this.#mapping.targets[pieces.length].column)}: ${valueError.reason}`;
        return null;
      }
      if (piece !== null) isEmpty = false;
      pieces.push(piece as string | null);
      rests?.push(written as string);
    }
    const { dimension, dimensionAt, areLines } = this.#mapping;
    if (isEmpty && !areLines) {
      this.#reason = 'no column has a value';
      return null;
    }
    const named = dimensionAt === null ? dimension : block.columns[dimensionAt][index];
    if (named !== dimension) {
      this.#reason = `the line names ${textOf(named) === '' ? 'no dimension' : `dimension ${JSON.stringify(textOf(named))}`}`;
      return null;
    }
    const { rowNumbers, lines, texts } = block;
    const line = lines === null ? null : lines[index];
    return {
      row: rowNumbers[index],
      line,
      text: texts === null ? null : texts[index],
      id,
      key,
      pieces,
      rests: rests ?? NO_RESTS,
    };
  }

  #rowError({ rowNumbers, lines, texts, columns }: RowBlock, index: number): BadRow {
    const row = rowNumbers[index];
    const line = lines === null ? null : lines[index];
    if (texts !== null) return { row, line, reason: this.#reason, text: texts[index] };
    const values = this.#columnNames.flatMap((name, column) =>
      columns[column].length > 0 ? [[name, columns[column][index]]] : [],
    );
    const text = JSON.stringify(Object.fromEntries(values), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    return { row, line, reason: this.#reason, text };
  }

  #isLong = (): boolean =>
    this.#rows.length + this.#bad.length >= BODY_ROWS_MAX || this.#chars >= BODY_CHARS_MAX;

  #fits({ key }: BodyRow, chars: number): boolean {
    const entityCount = this.#keys?.size ?? this.#rows.length;
    if (entityCount === ENTITIES_PER_INSERT_MAX && this.#keys?.has(key) !== true) return false;
    return this.#rows.length === 0 || this.#chars + chars <= BODY_CHARS_MAX;
  }

  #add(row: BodyRow, chars: number): void {
    this.#rows.push(row);
    this.#keys?.add(row.key);
    this.#chars += chars;
    this.#lastRow = row.row;
  }

  #addBad(bad: BadRow): void {
    this.#bad.push(bad);
    this.#chars += bad.text.length;
    this.#lastRow = bad.row;
  }

  #close(): Body {
    const body = { rows: this.#rows, bad: this.#bad, keys: this.#keys, lastRow: this.#lastRow };
    this.#rows = [];
    this.#bad = [];
    if (this.#keys !== null) this.#keys = new Set();
    this.#chars = 0;
    return body;
  }
}

/** Characters of a value in addition to its text: the column's name, in a body of one row per entity. */
const PIECE_CHARS = 24;

function charsOf({ id, pieces, rests }: BodyRow): number {
  let chars = id.length + PIECE_CHARS;
  for (const piece of pieces) if (piece !== null) chars += piece.length + 1;
  for (const rest of rests) chars += rest.length;
  return chars;
}

interface EntityId {
  readonly id: string;
  readonly key: string;
  /** The reason why the row has no valid ID; '' = the ID is valid. */
  readonly valueError: string;
}

function idReader(
  columns: readonly number[] | null,
  name: string,
  textCase: TextCase,
): (block: RowBlock, index: number) => EntityId {
  const entityId = (id: string): EntityId => ({
    id,
    key: storedText(id, { textCase }),
    valueError: idError(id),
  });
  if (columns === null) return (block, index) => entityId(`${name}:${block.rowNumbers[index]}`);
  const [only] = columns;
  const ofValue = remembered((value: SourceValue) => entityId(textOf(value)));
  if (columns.length === 1) return (block, index) => ofValue(block.columns[only][index]);
  return (block, index) => entityId(idText(columns.map((column) => block.columns[column][index])));
}

/** A keyword of an insert. */
const AUTO_CREATE = 'auto-create';
const LONE_SURROGATE = /\p{Surrogate}/u;

function idError(id: string): string {
  if (id === '') return 'the row has no ID';
  if (id === AUTO_CREATE) return 'an entity cannot have the ID "auto-create"';
  if (id.length > TEXT_POINTS_MAX && codePointCount(id) > TEXT_POINTS_MAX) {
    return `the ID has ${codePointCount(id)} characters; at most ${TEXT_POINTS_MAX}`;
  }
  return LONE_SURROGATE.test(id) ? 'the ID is not valid UTF-8' : '';
}

/** '' when a part is missing. */
function idText(values: readonly SourceValue[]): string {
  const texts = values.map(textOf);
  return texts.includes('') ? '' : texts.join('-');
}

/** '' for a value that has no text form. */
function textOf(value: SourceValue): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined || isSourceList(value) || isRecord(value)) return '';
  return typeof value === 'object' ? value.text : String(value);
}
