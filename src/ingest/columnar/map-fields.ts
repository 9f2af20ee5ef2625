/** Which field of an Arrow schema goes to which column, by the mapping of the request; columns that do not exist are created. */
import {
  COLUMNS_PER_INSERT_MAX,
  type ErrorCode,
  NAME_CHARS_MAX,
  quoted,
  TEST_COLUMNS_MAX,
} from '../../base/index.js';
import {
  type Column,
  columnNameOf,
  type DatabaseModel,
  DEFAULT_DIMENSION,
  type Dimension,
  ENTITY_ID_COLUMN,
  isEventType,
  newColumn,
  newDimension,
  RESERVED_DIMENSIONS,
  type TextCase,
} from '../../schema/index.js';
import type { ParseContext, ParsedInsert } from '../parse.js';
import type { RecordMapping } from '../records/mapping.js';
import type { ArrowArray } from './arrow-array.js';
import { newColumnOf } from './new-column.js';

/** A column that gets the values of a field. */
export interface MappedColumn {
  readonly column: Column;
  readonly field: ArrowArray;
  /** The field with the dates of its events; null = the time of the request. */
  readonly dates: ArrowArray | null;
}

export interface MappedFields {
  readonly dimension: Dimension;
  /** null = every row gets a random ID. */
  readonly id: ArrowArray | null;
  readonly columns: readonly MappedColumn[];
  /** The field by which repeats are recognized; null = there is none. */
  readonly dedupe: ArrowArray | null;
  readonly created: Pick<ParsedInsert, 'createdDimensions' | 'createdColumns' | 'createdRelations'>;
}

/** The body as a whole is refused: not a row of it. */
export class BodyRefused {
  readonly code: ErrorCode;
  readonly text: string;

  constructor(code: ErrorCode, text: string) {
    this.code = code;
    this.text = text;
  }
}

const API_NAME = /^[a-z0-9-]+$/;

/** Throws BodyRefused. */
export function mapFields(
  arrays: readonly ArrowArray[],
  mapping: RecordMapping,
  context: ParseContext,
): MappedFields {
  return new FieldMapper(arrays, mapping, context).run();
}

class FieldMapper {
  readonly #fields: ReadonlyMap<string, ArrowArray>;
  readonly #mapping: RecordMapping;
  readonly #context: ParseContext;
  readonly #dimension: Dimension;
  readonly #isNew: boolean;
  readonly #columns: MappedColumn[] = [];
  readonly #created: { dimensionId: number; column: Column }[] = [];

  constructor(arrays: readonly ArrowArray[], mapping: RecordMapping, context: ParseContext) {
    this.#mapping = mapping;
    this.#context = context;
    refuseCreation(mapping, context);
    this.#fields = byColumnName(arrays);
    const known = context.model.dimensions.get(mapping.dimension ?? DEFAULT_DIMENSION);
    this.#isNew = known === undefined;
    this.#dimension = known ?? createdDimension(mapping, context.model);
  }

  run(): MappedFields {
    const { id, events, time, dedupe, eventFields } = this.#mapping;
    if (eventFields !== null) {
      throw new BodyRefused(4049, 'the parameter "event-fields" is for lines, not for rows of Arrow');
    }
    if (id.from === 'hash')
      throw new BodyRefused(4049, 'rows of Arrow have no bytes for an ID from a hash: name a field');
    const consumed = new Set<string>();
    const fieldOf = (name: string): ArrowArray => {
      consumed.add(columnNameOf(name));
      return this.#field(name);
    };
    const ids = id.from === 'uuid' ? null : fieldOf(id.field);
    for (const { column, field, dateField } of events) {
      const dates = dateField ?? time;
      this.#event(column, fieldOf(field), dates === null ? null : fieldOf(dates));
    }
    const keyed = dedupe === null || dedupe === undefined ? null : this.#field(dedupe);
    // Its values are also those of a column if there is one, or one is created.
    const isKeyOnly =
      this.#mapping.unknown !== 'create' && !this.#dimension.columns.has(columnNameOf(dedupe ?? ''));
    if (keyed !== null && isKeyOnly) consumed.add(columnNameOf(keyed.field.name));
    for (const [name, field] of this.#fields) if (!consumed.has(name)) this.#value(name, field);
    if (this.#columns.length > COLUMNS_PER_INSERT_MAX) {
      throw new BodyRefused(2013, `the request names more than ${COLUMNS_PER_INSERT_MAX} columns`);
    }
    const { columns: _columns, relations: _relations, segments: _segments, ...dimension } = this.#dimension;
    const createdDimensions = this.#isNew ? [dimension] : [];
    const created = { createdDimensions, createdColumns: this.#created, createdRelations: [] };
    return { dimension: this.#dimension, id: ids, columns: this.#columns, dedupe: keyed, created };
  }

  #field(name: string): ArrowArray {
    const found = this.#fields.get(columnNameOf(name));
    if (found === undefined) throw new BodyRefused(2011, `the schema has no field ${quoted(name)}`);
    return found;
  }

  #event(name: string, field: ArrowArray, dates: ArrowArray | null): void {
    const column = this.#dimension.columns.get(name) ?? this.#create(name, field, true);
    if (column === null) return;
    this.#checkWritable(column);
    if (!isEventType(column.type)) throw new BodyRefused(2007, `the column ${quoted(name)} has no events`);
    this.#columns.push({ column, field, dates });
  }

  #value(name: string, field: ArrowArray): void {
    const ignores = this.#mapping.unknown === 'ignore';
    const known = this.#dimension.columns.get(name);
    if (known === undefined && ignores) return;
    const column = known ?? this.#create(name, field, false);
    if (column === null) return;
    if (isEventType(column.type)) {
      if (ignores) return;
      const how = `"event=${name}:FIELD:DATE" makes events of a field`;
      throw new BodyRefused(2007, `the column ${quoted(name)} has events: ${how}`);
    }
    this.#checkWritable(column);
    this.#columns.push({ column, field, dates: null });
  }

  #checkWritable(column: Column): void {
    const name = quoted(column.apiName);
    if (column.apiName === ENTITY_ID_COLUMN) {
      throw new BodyRefused(
        2020,
        'the column "entity-id" is filled from the entity ID and cannot be written',
      );
    }
    if (!column.active) throw new BodyRefused(2011, `the column ${name} is inactive`);
    const { columnIds } = this.#context;
    if (columnIds !== null && !columnIds.includes(column.id)) {
      throw new BodyRefused(506, `the key may not write the column ${name}`);
    }
  }

  /** null = the field has no values, so nothing is created. Throws BodyRefused if the column may not be created. */
  #create(name: string, field: ArrowArray, isEvent: boolean): Column | null {
    const { model } = this.#context;
    const creates = this.#mapping.createsColumns && (isEvent || this.#mapping.unknown === 'create');
    if (!creates) {
      throw new BodyRefused(
        2011,
        `there is no column ${quoted(name)} in dimension ${quoted(this.#dimension.apiName)}`,
      );
    }
    if (field.field.type.is === 'null' || field.length === 0) return null;
    checkName(name, [3007, 3015], 'column');
    const total = [...model.dimensions.values()].reduce(
      (sum, { columns }) => sum + columns.size - 1,
      this.#created.length,
    );
    if (model.type === 'test' && total >= TEST_COLUMNS_MAX) {
      throw new BodyRefused(2021, `a test database has at most ${TEST_COLUMNS_MAX} columns`);
    }
    const form = newColumnOf(field, isEvent);
    if (typeof form === 'string') throw new BodyRefused(2007, `new column ${quoted(name)}: ${form}`);
    const textCase: TextCase = form.type.startsWith('string') ? model.textCase : 'fold';
    const column = newColumn({
      id: model.nextColumnId + this.#created.length,
      apiName: name,
      textCase,
      ...form,
    });
    this.#created.push({ dimensionId: this.#dimension.id, column });
    return column;
  }
}

function refuseCreation(
  { createsColumns, createsDimension }: RecordMapping,
  { customKey }: ParseContext,
): void {
  if (!customKey || !(createsColumns || createsDimension)) return;
  const [code, what] = createsDimension ? ([511, 'dimensions'] as const) : ([505, 'columns'] as const);
  throw new BodyRefused(code, `this key may not create ${what}; "auto-create" is not allowed`);
}

function byColumnName(arrays: readonly ArrowArray[]): ReadonlyMap<string, ArrowArray> {
  const fields = new Map<string, ArrowArray>();
  for (const array of arrays) {
    const { name } = array.field;
    const column = columnNameOf(name);
    if (column === '') throw new BodyRefused(2007, `the field ${quoted(name)} has no letter and no digit`);
    if (fields.has(column)) throw new BodyRefused(2007, `two fields are called ${quoted(column)}`);
    fields.set(column, array);
  }
  return fields;
}

function createdDimension({ dimension, createsDimension }: RecordMapping, model: DatabaseModel): Dimension {
  if (dimension === null)
    throw new BodyRefused(5008, 'no dimension is given, and there is no dimension "default"');
  if (!createsDimension) throw new BodyRefused(5008, `there is no dimension ${quoted(dimension)}`);
  checkName(dimension, [5000, 5004], 'dimension');
  if (RESERVED_DIMENSIONS.includes(dimension))
    throw new BodyRefused(5001, `the dimension ${quoted(dimension)} is reserved`);
  return newDimension({ id: model.nextDimensionId, apiName: dimension, textCase: model.textCase });
}

function checkName(name: string, [characters, length]: readonly [ErrorCode, ErrorCode], what: string): void {
  if (!API_NAME.test(name)) {
    const text = 'an api-name contains only lower-case letters, digits and dashes';
    throw new BodyRefused(characters, `${what} ${quoted(name)}: ${text}`);
  }
  if (name.length > NAME_CHARS_MAX) {
    throw new BodyRefused(
      length,
      `${what} ${quoted(name)}: an api-name has at most ${NAME_CHARS_MAX} characters`,
    );
  }
}
