/** Definitions of views in saved queries. */
import t from 'tap';
import { type SavedQuery, storedView, viewDefinition, viewsIn } from '../../src/catalog/index.js';

const saved = (name: string, type: SavedQuery['type'], query = '"SELECT 1"'): [string, SavedQuery] => [
  name,
  { databaseId: 1, name, type, dimension: null, query, cachePeriodSeconds: null, creator: null, version: 1 },
];

t.test('a definition is read as it was stored', async (t) => {
  for (const dialect of ['http', 'postgres'] as const) {
    for (const columns of [null, ['a', 'Ä"']]) {
      const definition = { sql: "SELECT 'x' -- ü", dialect, columns };
      t.strictSame(viewDefinition({ query: storedView(definition) }), definition);
    }
  }
  t.equal(storedView({ sql: 'SELECT 1', dialect: 'http', columns: null }), '"SELECT 1"');
});

t.test(
  'views are the saved queries of type sql, by name without case, the first of equal names',
  async (t) => {
    const views = viewsIn(
      new Map([saved('Old', 'sql', '"SELECT 2"'), saved('old', 'sql'), saved('count', 'count/entity')]),
    );
    t.strictSame(
      [...views].map(([name, { query }]) => [name, query]),
      [['old', '"SELECT 2"']],
    );
  },
);
