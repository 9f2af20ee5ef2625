/** Code that the compiler accepts and refuses; `npm run check` fails if an expected error does not occur. */
import t from 'tap';
import type {
  Aggregation,
  ColumnCondition,
  CountQuery,
  Entity,
  Extraction,
  NewColumn,
  NewDatabase,
  Query,
  SavedQueryDefinition,
} from '../../src/client/index.js';

t.test('the types accept all that the interface accepts', async (t) => {
  const query: Query = [
    'not',
    [{ age: { gte: 18, in: [20, 30n] } }, 'or', { country: { 'starts-with': ['ger', 'fra'] } }],
    'and',
    { minfreq: 2, freqgroup: [{ visit: { equals: 'docs', between: ['2026-01-05', '+1w'] } }] },
  ];
  const count: CountQuery = { 'query-name': 'q', query };
  const levels: Aggregation = {
    filter: query,
    query: [
      { country: 10, contains: ['a'] },
      { paid: 'sum', between: ['2026-01-05', '+1w'], interval: 'days' },
    ],
  };
  const entity: Entity = { dimension: 'people', age: 2n ** 62n, home: [13.4, 52.5], visit: [{ value: 'x' }] };
  const rows: Extraction = {
    query,
    columns: ['entity-id', { visit: ['now', '-30d'] }],
    order: [{ age: 'desc' }],
  };
  const saved: SavedQueryDefinition = { type: 'top_values', query: { q: { country: 5 } } };
  t.ok([count, levels, entity, rows, saved]);
});

t.test('the types refuse all that the interface refuses', async (t) => {
  // @ts-expect-error: there is no such predicate
  const predicate: ColumnCondition = { age: { above: 18 } };
  // @ts-expect-error: a window has two ends
  const between: ColumnCondition = { visit: { equals: 'x', between: ['2026-01-05'] } };
  // @ts-expect-error: no operator
  const operator: Query = [{ age: { gte: 1 } }, 'xor', { age: { lte: 5 } }];
  // @ts-expect-error: no type of columns
  const column: NewColumn = { name: 'x', type: 'text' };
  // @ts-expect-error: a production database has a pricing model
  const database: NewDatabase = {
    name: 'x',
    type: 'production',
    'query-load': 'high',
    'insertion-load': 'high',
  };
  // @ts-expect-error: a count has conditions, not names
  const saved: SavedQueryDefinition = { type: 'count/entity', query: ['default'] };
  // @ts-expect-error: an order rises or falls
  const order: Extraction = { query: [{ a: { gt: 1 } }], columns: 'all', order: [{ age: 'up' }] };
  t.ok([predicate, between, operator, column, database, saved, order]);
});
