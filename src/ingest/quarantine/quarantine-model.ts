/**
 * The dimension that keeps the refused lines of another one. It is an ordinary dimension, so that refused lines are as durable
 * as all data, and can be read, exported and deleted like it.
 */
import { NAME_CHARS_MAX, quoted, TEST_COLUMNS_MAX, type WireError } from '../../base/index.js';
import {
  type Column,
  type ColumnType,
  type DatabaseModel,
  type Dimension,
  newColumn,
  newDimension,
  type Storage,
} from '../../schema/index.js';
import type { ParsedInsert } from '../parse.js';

const SUFFIX = '-quarantine';

/** The name of the dimension for the refused lines of `dimension`. */
export const quarantineOf = (dimension: string): string =>
  `${dimension.slice(0, NAME_CHARS_MAX - SUFFIX.length)}${SUFFIX}`;

interface ColumnForm {
  readonly apiName: string;
  readonly type: ColumnType;
  readonly storage: Storage;
}

const latest = (apiName: string, type: ColumnType): ColumnForm => ({
  apiName,
  type,
  storage: 'latest-value',
});
const list = (apiName: string): ColumnForm => ({ apiName, type: 'string', storage: 'list-of-values' });

/** Texts that may be long are lists of pieces. */
const COLUMNS: readonly ColumnForm[] = [
  list('line'),
  latest('code', 'integer'),
  latest('reason', 'string'),
  latest('line-number', 'integer'),
  latest('received', 'datetime'),
  latest('source', 'string'),
  latest('request', 'string'),
  list('parameters'),
  list('header'),
];

export interface QuarantineModel extends Pick<ParsedInsert, 'createdDimensions' | 'createdColumns'> {
  /** The model with the dimension and its columns. */
  readonly model: DatabaseModel;
  /** The columns of the dimension. */
  readonly columnIds: readonly number[];
}

/** The model with the quarantine of `dimension`, or the reason why it cannot be made. */
export function withQuarantine(
  model: DatabaseModel,
  dimension: string,
): QuarantineModel | { readonly error: WireError } {
  const name = quarantineOf(dimension);
  const known = model.dimensions.get(name);
  const target = known ?? newDimension({ id: model.nextDimensionId, apiName: name });
  const columns = new Map(target.columns);
  const created: Column[] = [];
  for (const form of COLUMNS) {
    const column = columns.get(form.apiName);
    if (column === undefined) {
      const made = columnOf(model.nextColumnId + created.length, form);
      created.push(made);
      columns.set(form.apiName, made);
    } else if (!fits(column, form)) return { error: taken(name, form) };
  }
  if (model.type === 'test' && columnCount(model) + created.length > TEST_COLUMNS_MAX) {
    const message = `a test database has at most ${TEST_COLUMNS_MAX} columns, and the dimension ${quoted(name)} needs ${COLUMNS.length}`;
    return { error: { code: 2021, message } };
  }
  const columnIds = COLUMNS.map(({ apiName }) => columns.get(apiName)?.id ?? 0);
  if (known !== undefined && created.length === 0) {
    return { model, columnIds, createdDimensions: [], createdColumns: [] };
  }
  const extended: Dimension = { ...target, columns };
  return {
    model: {
      ...model,
      nextDimensionId: model.nextDimensionId + (known === undefined ? 1 : 0),
      nextColumnId: model.nextColumnId + created.length,
      dimensions: new Map([...model.dimensions, [name, extended]]),
    },
    columnIds,
    createdDimensions: known === undefined ? [describedBy(target)] : [],
    createdColumns: created.map((column) => ({ dimensionId: target.id, column })),
  };
}

const fits = ({ type, storage, active, textCase }: Column, form: ColumnForm): boolean =>
  active && type === form.type && storage === form.storage && (type !== 'string' || textCase === 'preserve');

function taken(name: string, { apiName }: ColumnForm): WireError {
  const message = `the dimension ${quoted(name)} cannot keep refused lines: its column ${quoted(apiName)} has another form`;
  return { code: 2011, message };
}

const describedBy = ({
  columns: _columns,
  relations: _relations,
  segments: _segments,
  ...described
}: Dimension): Omit<Dimension, 'columns' | 'relations' | 'segments'> => described;

const columnCount = ({ dimensions }: DatabaseModel): number =>
  [...dimensions.values()].reduce((sum, { columns }) => sum + columns.size - 1, 0);

const columnOf = (id: number, { type, ...form }: ColumnForm): Column =>
  newColumn({
    id,
    type,
    ...form,
    cardinality: type === 'string' ? 'high' : null,
    textCase: type === 'string' ? 'preserve' : 'fold',
  });
