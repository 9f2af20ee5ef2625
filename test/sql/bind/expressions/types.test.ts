import t from 'tap';
import { type Column, type ColumnType, ENTITY_ID } from '../../../../src/schema/index.js';
import { castTarget, itemTypeOf, sqlTypeOf, typeName } from '../../../../src/sql/bind/expressions/types.js';

const columnOf = (type: ColumnType, storage: Column['storage'] = null): Column => {
  return { ...ENTITY_ID, id: 1, type, storage, decimalPlaces: type.startsWith('decimal') ? 3 : null };
};

t.test('every column has a type', async (t) => {
  const types: Readonly<Record<ColumnType, string>> = {
    'unique-id': 'text',
    string: 'text',
    integer: 'integer',
    decimal: 'decimal(3)',
    boolean: 'boolean',
    date: 'date',
    datetime: 'datetime',
    geolocation: 'json',
    enumerated: 'integer',
    'string-event': 'text',
    'integer-event': 'integer',
    'decimal-event': 'decimal(3)',
    'geolocation-event': 'json',
  };
  for (const [type, expected] of Object.entries(types) as [ColumnType, string][]) {
    t.equal(typeName(sqlTypeOf(columnOf(type))), expected, type);
    t.equal(typeName(itemTypeOf(columnOf(type, 'list-of-values'))), expected, type);
    t.equal(typeName(sqlTypeOf(columnOf(type, 'list-of-values'))), 'json', type);
  }
});

t.test('types of casts have many names', async (t) => {
  const cases: readonly (readonly [string, number | null, number | null, string | null])[] = [
    ['INT', null, null, 'integer'],
    ['tinyint', null, null, 'integer'],
    ['decimal', null, null, 'decimal(3)'],
    ['numeric', 10, null, 'decimal(0)'],
    ['decimal', 38, 38, 'decimal(38)'],
    ['decimal', 38, 39, null],
    ['decimal', 0, 0, null],
    ['decimal', 5.5, 1, null],
    ['double precision', null, null, 'float'],
    ['float', 53, null, 'float'],
    ['nvarchar', 10, null, 'text'],
    ['bit', null, null, 'boolean'],
    ['date', null, null, 'date'],
    ['datetime2', 7, null, 'datetime'],
    ['timestamp with time zone', null, null, 'datetime'],
    ['json', null, null, 'json'],
    ['JSONB', null, null, 'json'],
    ['toString', null, null, null],
  ];
  for (const [name, precision, scale, expected] of cases) {
    const type = castTarget(name, precision, scale);
    t.equal(type === null ? null : typeName(type), expected, name);
  }
});
