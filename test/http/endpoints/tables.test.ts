import t from 'tap';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import { documentedTables } from '../../../src/http/endpoints/tables.js';

t.test(
  'the tables have a row for every endpoint, permission, limit and bound, and all rows have the same number of cells',
  (t) => {
    const tables = documentedTables();
    for (const [name, table] of Object.entries(tables)) {
      const counts = table.split('\n').map((line) => line.split(' | ').length);
      t.equal(new Set(counts).size, 1, name);
    }
    const [, , ...rows] = tables.keys.split('\n');
    t.strictSame(
      rows.map((row) => row.replace(/^\| (\w+) \| `([^`]+)` .*$/, '$1 $2')),
      ENDPOINTS.map(({ method, path }) => `${method} ${path}`),
    );
    t.match(tables.keys, '| POST | `/v1/dimension` | master, write | 511 | 7 | 600 |');
    t.match(tables.keys, '| DELETE | `/v1/database` | team with delete | 509 | 14 | 60 |');
    t.match(tables.keys, '| POST | `/v1/session` | none needed | \u2013 | \u2013 | 60 |');
    t.match(tables.plans, '| normal | high | ultra | mega |');
    t.match(tables.plans, '| 10,000,000 | 100,000,000 | 500,000,000 | 1,000,000,000 |');
    t.match(tables.permissions, '| 19 | list, create, change and delete permission groups |');
    t.match(tables.keys, '| POST | `/v1/sql` | master, read, demo | write-read, read-only | 5 | 120 |');
    t.match(tables.bounds, '| 5,242,880 |');
    t.match(tables.bounds, '| Levels of an aggregation | 5 |');
    t.match(tables.bounds, '| Values of a level, and of a query of top values | 1,000 |');
    t.match(tables.bounds, '| Columns of an extraction | 10 |');
    t.match(tables.bounds, '| Rows of a page | 1,024 |');
    t.match(tables.bounds, '| Rows of an extraction by score | 100 |');
    t.end();
  },
);
