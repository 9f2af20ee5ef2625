/**
 * A row of a file -> what its entity gets, as the JSON texts of values, or the reason why it is bad.
 * Invariant: the result depends only on the row and the mapping.
 */
import { TEXT_POINTS_MAX } from '../../../base/index.js';
import { codePointCount, storedText, type TextCase } from '../../../schema/index.js';
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

export interface BadRow {
  readonly row: number;
  /** null for formats without lines. */
  readonly line: number | null;
  /** Error code of the server's refusal. */
  readonly code?: number;
  readonly reason: string;
  readonly text: string;
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

/** What a dated event has before its value and its date. */
export const VALUE_HEAD = '{"value":';
export const DATE_HEAD = ',"date":';

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
    value: around(valueWriter(form), VALUE_HEAD, ''),
    date,
    timestamp: around(valueWriter({ ...form, type: 'datetime' }), DATE_HEAD, '}'),
  };
}

export class RowConverter {
  readonly #writers: readonly RowWriter[];
  readonly #idOf: (block: RowBlock, index: number) => EntityId;
  readonly #mapping: Mapping;
  readonly #columnNames: readonly string[];
  readonly #hasRests: boolean;
  #reason = '';

  /** `name` is the prefix of IDs made of row numbers. */
  constructor(mapping: Mapping, columnNames: readonly string[], name: string) {
    const { id, idCase, targets } = mapping;
    this.#mapping = mapping;
    this.#columnNames = columnNames;
    this.#writers = targets.map(rowWriter);
    this.#idOf = idReader(id, name, idCase);
    this.#hasRests = targets.some(({ date }) => date !== null);
  }

  /** Row `index` of a block; a bad row has a reason. */
  convert(block: RowBlock, index: number): BodyRow | BadRow {
    return this.#rowOf(block, index) ?? this.#rowError(block, index);
  }

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
export const AUTO_CREATE = 'auto-create';
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
