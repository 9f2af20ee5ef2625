/** The database model whose dimension 2 has the columns of test/storage/stored.ts. */
import {
  type Column,
  type ColumnType,
  type DatabaseModel,
  type Dimension,
  newDimension,
} from '../../src/schema/index.js';
import { COLUMNS, type StoredColumn } from '../storage/stored.js';

const TYPES: Readonly<Record<StoredColumn['kind'], ColumnType>> = {
  bits: 'boolean',
  i32: 'date',
  i64: 'integer',
  code: 'string',
  geo: 'geolocation',
};

function columnOf({ id, form, kind }: StoredColumn): Column {
  const apiName = `${form}-${kind}`;
  const storage = { latest: 'latest-value', list: 'list-of-values', event: null } as const;
  return {
    id,
    name: apiName,
    apiName,
    description: '',
    type: form === 'event' ? (`${TYPES[kind]}-event` as ColumnType) : TYPES[kind],
    storage: storage[form],
    cardinality: null,
    decimalPlaces: null,
    range: null,
    retentionDays: null,
    textCase: 'fold',
    active: true,
  };
}

export const KEY = { databaseId: 1, dimensionId: 2 };

const EMPTY = newDimension({ id: KEY.dimensionId, apiName: 'second' });
export const DIMENSION: Dimension = {
  ...EMPTY,
  columns: new Map([
    ...EMPTY.columns,
    ...COLUMNS.map((column) => [`${column.form}-${column.kind}`, columnOf(column)] as const),
  ]),
};

export const MODEL: DatabaseModel = {
  id: KEY.databaseId,
  name: 'test',
  type: 'production',
  version: 1,
  shrinkVersion: 1,
  nextDimensionId: 3,
  nextColumnId: 100,
  textCase: 'fold',
  dimensions: new Map([['second', DIMENSION]]),
};
