/**
 * Maps the columns of a file to columns of a dimension, by the flags, the file's schema or its first rows, and the columns
 * of the server.
 * Invariants: a column of the server is not changed; the values written for a row depend only on the file, the flags and
 * the types and storages of the columns, so that a resumed import makes the same bodies, also when its first run made the
 * columns.
 */

import { NAME_CHARS_MAX } from '../../../base/index.js';
import { DECIMAL_PLACES_MAX } from '../../../interface/index.js';
import {
  baseTypeOf,
  type ColumnType,
  columnNameOf,
  DEFAULT_DIMENSION,
  ENTITY_ID_COLUMN,
  isEventType,
  type Storage,
  type TextCase,
} from '../../../schema/index.js';
import { ImportError, type RowSource, type SourceValue } from '../formats/row-block.js';
import { type ImportOptions, LINE_ID, type TypeFlag } from '../import-options.js';
import { type Guess, guessColumn } from './guess.js';
import { proposalFor } from './proposals.js';
import type { NewColumn, ServerColumns } from './server-model.js';
import type { TextReading } from './text-reading.js';
import { columnWriter, ValueError, type ValueForm, valueWriter } from './values.js';

export interface Target {
  /** Index of the file's column that holds the values. */
  readonly source: number;
  /** Index of the column of event dates; null if the values are attributes, or events that contain their dates. */
  readonly date: number | null;
  readonly column: string;
  readonly form: ValueForm;
  /** The column to make; null = the server has it. */
  readonly made: NewColumn | null;
  readonly guess: Guess;
}

export interface LeftOut {
  readonly name: string;
  readonly why: string;
}

export interface Mapping {
  readonly dimension: string;
  /** Index of the file's column that must name the dimension in every row; null = there is none. */
  readonly dimensionAt: number | null;
  /** Whether the rows are lines for POST /v1/insert: a line without values is then an entity without values. */
  readonly areLines: boolean;
  readonly isNewDimension: boolean;
  /** Whether IDs that differ only in case are one ID; a guess while the dimension does not exist. */
  readonly idCase: TextCase;
  /** Indexes of the file's columns that make the ID; null = the row's number. */
  readonly id: readonly number[] | null;
  readonly targets: readonly Target[];
  readonly leftOut: readonly LeftOut[];
  /** What the user may want to know or change, a sentence each. */
  readonly remarks: readonly string[];
}

const ID_NAMES = [ENTITY_ID_COLUMN, 'id'];
const DIMENSION_MEMBER = 'dimension';
/** Names that are keywords of an insert, or the entity ID. */
const TAKEN_NAMES = [DIMENSION_MEMBER, ENTITY_ID_COLUMN];

/** A name that leaves room for a number that makes it unique. */
const apiNameOf = (name: string): string => columnNameOf(name).slice(0, NAME_CHARS_MAX - 4);

/** Whether the rows are lines for POST /v1/insert, and no flag makes a column of the member that names the dimension. */
const areLines = ({ lineDimensions }: RowSource, { renames, columns, types }: ImportOptions): boolean =>
  lineDimensions !== undefined &&
  !renames.has(DIMENSION_MEMBER) &&
  columns?.includes(DIMENSION_MEMBER) !== true &&
  !types.has(DIMENSION_MEMBER);

/** The dimension of the rows. Throws an ImportError for lines of several dimensions. */
export function importDimensionOf(source: RowSource, options: ImportOptions): string {
  if (options.dimension !== null) return options.dimension;
  const [named = DEFAULT_DIMENSION, ...others] = areLines(source, options)
    ? (source.lineDimensions ?? [])
    : [];
  if (others.length === 0) return named;
  throw new ImportError(
    `the lines belong to several dimensions, ${[named, ...others].join(', ')}: import each separately, or all into one ` +
      `with --dimension; --rename ${DIMENSION_MEMBER}=NAME imports the dimension as a column`,
  );
}

export const idCaseOf = (server: ServerColumns): TextCase =>
  server?.get(ENTITY_ID_COLUMN)?.textCase ?? 'fold';

function indexOf(name: string, { columns }: RowSource): number {
  const index = columns.findIndex((column) => column.name === name);
  if (index >= 0) return index;
  const names = columns.map((column) => column.name).join(', ');
  throw new ImportError(`the file has no column ${JSON.stringify(name)}; its columns are ${names}`);
}

/** Indexes of the columns that make the ID; null = the row's number. Throws an ImportError if --id names an absent column. */
export function idColumnsOf(source: RowSource, { id }: ImportOptions): readonly number[] | null {
  if (id !== null)
    return id.length === 1 && id[0] === LINE_ID ? null : id.map((name) => indexOf(name, source));
  const names = source.columns.map(({ name }) => name.toLowerCase().replaceAll('_', '-').replace(/^-/, ''));
  const index = ID_NAMES.map((name) => names.indexOf(name)).find((at) => at >= 0);
  return index === undefined ? null : [index];
}

/** Texts and string events have a case. */
const caseOf = (type: string, textCase: TextCase | null): { readonly case?: TextCase } =>
  textCase !== null && type === 'string' ? { case: textCase } : {};

/** `sample` has the first rows' values by column of the file; `server` the dimension's existing columns. */
export function planMapping(
  source: RowSource,
  sample: readonly (readonly SourceValue[])[],
  options: ImportOptions,
  server: ServerColumns,
): Mapping {
  return new Planner(source, sample, options, server).plan();
}

class Planner {
  readonly #source: RowSource;
  readonly #sample: readonly (readonly SourceValue[])[];
  readonly #options: ImportOptions;
  readonly #server: ServerColumns;
  readonly #dimension: string;
  readonly #nulls: ReadonlySet<string>;
  readonly #leftOut: LeftOut[] = [];
  readonly #remarks: string[] = [];

  constructor(
    source: RowSource,
    sample: readonly (readonly SourceValue[])[],
    options: ImportOptions,
    server: ServerColumns,
  ) {
    this.#source = source;
    this.#sample = sample;
    this.#options = options;
    this.#server = server;
    this.#dimension = importDimensionOf(source, options);
    this.#nulls = new Set(options.nulls);
  }

  plan(): Mapping {
    const { events, columns, skip, mayCreate } = this.#options;
    const dimension = this.#dimension;
    const isOfLines = areLines(this.#source, this.#options);
    const namedAt = isOfLines ? this.#indexOf(DIMENSION_MEMBER) : null;
    for (const name of [...this.#options.renames.keys(), ...skip, ...(columns ?? [])]) this.#indexOf(name);
    const id = idColumnsOf(this.#source, this.#options);
    const eventTargets = events.map(({ column, value, date }) =>
      this.#target(this.#indexOf(value), this.#indexOf(date), column),
    );
    const consumed = new Set([
      namedAt,
      ...(id ?? []),
      ...eventTargets.flatMap(({ source, date }) => [source, date]),
    ]);
    const taken = new Set([...TAKEN_NAMES, ...eventTargets.map((target) => target.column)]);
    const attributes: Target[] = [];
    this.#source.columns.forEach(({ name, unfit }, index) => {
      const isWanted = columns === null ? !consumed.has(index) : columns.includes(name);
      if (!isWanted || skip.includes(name)) return;
      const why = unfit ?? this.#guess(index).unfit;
      if (why === null) attributes.push(this.#target(index, null, this.#nameFor(index, taken)));
      else this.#leftOut.push({ name, why });
    });
    const targets = [...attributes, ...eventTargets];
    this.#check(targets);
    const missing = targets.filter(({ made }) => made !== null);
    if (!mayCreate && (missing.length > 0 || this.#server === null)) {
      const what = missing.map(({ column }) => column).join(', ');
      throw new ImportError(
        this.#server === null
          ? `dimension ${JSON.stringify(dimension)} does not exist, and --no-create forbids creating it`
          : `dimension ${JSON.stringify(dimension)} has no column ${what}, and --no-create forbids creating it: use --skip or --rename`,
      );
    }
    return {
      dimension,
      dimensionAt: this.#options.dimension === null ? namedAt : null,
      areLines: isOfLines,
      isNewDimension: this.#server === null,
      idCase: this.#server === null ? (this.#options.textCase ?? 'fold') : idCaseOf(this.#server),
      ...{ id, targets, leftOut: this.#leftOut, remarks: this.#remarks },
    };
  }

  #check(targets: readonly Target[]): void {
    if (targets.length === 0) throw new ImportError('no column of the file is left to import');
    const seen = new Set<string>();
    for (const { column } of targets) {
      if (seen.has(column))
        throw new ImportError(
          `two columns of the file have the target ${JSON.stringify(column)}: --rename one of them`,
        );
      if (TAKEN_NAMES.includes(column))
        throw new ImportError(`a column cannot be named ${JSON.stringify(column)}: --rename it`);
      seen.add(column);
    }
    const known = new Set([...seen, ...this.#source.columns.map(({ name }) => name)]);
    for (const name of this.#options.types.keys()) {
      if (!known.has(name))
        throw new ImportError(
          `--type: there is no column ${JSON.stringify(name)}; the columns are ${[...known].join(', ')}`,
        );
    }
  }

  #indexOf(name: string): number {
    return indexOf(name, this.#source);
  }

  #guess(index: number): Guess {
    return guessColumn(
      this.#sample[index] ?? [],
      this.#source.isText,
      this.#source.columns[index].schema,
      this.#nulls,
      this.#options.reading,
    );
  }

  /** The texts of a target's column that mean a missing value; remarks those that only likely do. */
  #nullsFor(type: ColumnType, { likelyNulls, valueCount }: Guess, name: string): ReadonlySet<string> {
    if (likelyNulls.size === 0 || baseTypeOf(type) === 'string') return this.#nulls;
    for (const [text, count] of likelyNulls) {
      this.#remarks.push(
        `${name}: ${JSON.stringify(text)} in ${count} of ${valueCount + count} values is likely a NULL and is imported as one ` +
          `(the same as --null ${JSON.stringify(text)}; to keep it as text: --type ${name}=string)`,
      );
    }
    return new Set([...this.#nulls, ...likelyNulls.keys()]);
  }

  /** The dates of a file's schema are passed on in ISO 8601, to which the formats of --date-format do not apply. */
  #readingOf(index: number): TextReading {
    const { reading } = this.#options;
    const type = this.#source.columns[index].schema?.type;
    return type === 'date' || type === 'datetime' ? { ...reading, dateFormats: [] } : reading;
  }

  #propose(source: number, type: ColumnType, flag: TypeFlag | null, name: string): void {
    if (baseTypeOf(type) !== 'string' || flag !== null || this.#source.columns[source].schema !== null)
      return;
    const proposal = proposalFor(this.#sample[source] ?? [], this.#nulls);
    if (proposal !== null) this.#remarks.push(`${name} holds ${proposal}`);
  }

  #remarkAmounts(name: string, { valueCount, decimalPlaces }: Guess): void {
    this.#remarks.push(
      `${name}: the first ${valueCount} values all have two decimal places, so the column becomes decimal(${decimalPlaces}), and later ` +
        `values with more places are bad rows (for more places: --type ${name}='decimal(6)')`,
    );
  }

  /** The name given by a flag, or the file's name in api-name form, with a number appended if it is taken. */
  #nameFor(index: number, taken: Set<string>): string {
    const { name } = this.#source.columns[index];
    const value = this.#options.renames.get(name);
    const wanted = value ?? (apiNameOf(name) || `column-${index + 1}`);
    let unique = wanted;
    if (value === undefined) for (let count = 2; taken.has(unique); count++) unique = `${wanted}-${count}`;
    taken.add(unique);
    return unique;
  }

  #target(source: number, date: number | null, column: string): Target {
    const { name, unfit } = this.#source.columns[source];
    const guess = this.#guess(source);
    if (unfit !== null || guess.unfit !== null) {
      throw new ImportError(
        `column ${JSON.stringify(name)} of the file holds ${unfit ?? guess.unfit}, which cannot be the value of an event`,
      );
    }
    const known = this.#server?.get(column);
    const flag = this.#options.types.get(name) ?? this.#options.types.get(column) ?? null;
    const wanted = this.#wanted(guess, flag, date !== null || guess.isEvents, column);
    if (known !== undefined) this.#checkKnown(column, known, wanted, flag);
    const { type, storage } = known ?? wanted;
    const roundedTo =
      guess.isFloating && baseTypeOf(type) === 'decimal'
        ? (wanted['decimal-places'] ?? guess.decimalPlaces)
        : null;
    this.#propose(source, type, flag, name);
    if (
      known === undefined &&
      guess.areAmounts &&
      baseTypeOf(type) === 'decimal' &&
      (flag?.decimalPlaces ?? null) === null
    )
      this.#remarkAmounts(name, guess);
    const nulls = this.#nullsFor(type, guess, name);
    const reading = this.#readingOf(date ?? source);
    const form: ValueForm = { type, storage: storage ?? null, roundedTo, nulls, reading };
    const target = { source, date, column, form, made: known === undefined ? wanted : null, guess };
    this.#checkSample(target, name);
    return target;
  }

  #wanted(guess: Guess, flag: TypeFlag | null, isEvent: boolean, column: string): NewColumn {
    const base = flag?.type ?? guess.type;
    const { textCase } = this.#options;
    const head = { name: column, 'api-name': column, dimension: this.#dimension };
    const places = flag?.decimalPlaces ?? guess.decimalPlaces ?? 6;
    const decimals = base === 'decimal' ? { 'decimal-places': Math.min(places, DECIMAL_PLACES_MAX) } : {};
    if (isEvent) {
      // Booleans and dates are not event types: their texts are written.
      const type = ['boolean', 'date', 'datetime'].includes(base) ? 'string' : base;
      return { ...head, type: `${type}-event` as ColumnType, ...caseOf(type, textCase), ...decimals };
    }
    const storage: Storage = flag === null ? guess.storage : flag.isList ? 'list-of-values' : 'latest-value';
    const cardinality = base === 'string' ? { cardinality: guess.cardinality } : {};
    return { ...head, type: base, storage, ...caseOf(base, textCase), ...cardinality, ...decimals };
  }

  #checkKnown(
    column: string,
    known: { readonly type: ColumnType; readonly isActive: boolean },
    wanted: NewColumn,
    flag: TypeFlag | null,
  ): void {
    const where = `column ${JSON.stringify(column)} of dimension ${JSON.stringify(this.#dimension)}`;
    if (!known.isActive)
      throw new ImportError(`${where} is inactive: activate it, or use --rename or --skip`);
    if (isEventType(known.type) !== isEventType(wanted.type)) {
      throw new ImportError(
        `${where} is of type ${known.type}: the file has ${isEventType(wanted.type) ? 'events' : 'no events'} for it`,
      );
    }
    if (flag !== null && baseTypeOf(known.type) !== flag.type) {
      throw new ImportError(`${where} is of type ${known.type}, not ${flag.type} as in --type`);
    }
  }

  /** Refuses a column for which no value of the sample fits. */
  #checkSample({ source, date, column, form }: Target, name: string): void {
    const write = date === null ? columnWriter(form) : valueWriter(form);
    let valueError: ValueError | null = null;
    for (const sourceValue of this.#sample[source] ?? []) {
      const written = write(sourceValue);
      if (written === null) continue;
      if (!(written instanceof ValueError)) return;
      valueError ??= written;
    }
    if (valueError === null) return;
    throw new ImportError(
      `column ${JSON.stringify(name)} of the file does not fit ${JSON.stringify(column)} of type ${form.type}: ${valueError.reason}`,
    );
  }
}

/** The indexes of the file's columns that a mapping reads. */
export const usedColumns = ({ id, dimensionAt, targets }: Mapping): readonly number[] => [
  ...new Set([
    ...(id ?? []),
    ...(dimensionAt === null ? [] : [dimensionAt]),
    ...targets.flatMap(({ source, date }) => (date === null ? [source] : [source, date])),
  ]),
];
