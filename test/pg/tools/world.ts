/** The tables that the statements of tools read, in a server and in a PostgreSQL in WebAssembly, which is the oracle. */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import type { JsonClient } from '../../support/json-client.js';

/** The packed data directory that the build makes. */
const TEMPLATE = new URL('../../../postgres-template.tar.gz', import.meta.url);

type Value = string | number | boolean | null;
type Kind = 'text' | 'bigint' | 'numeric(38,2)' | 'boolean' | 'date' | 'timestamptz';

interface Table {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, kind: Kind])[];
  readonly rows: readonly (readonly Value[])[];
}

const MODELS: Readonly<Record<Kind, object>> = {
  text: { type: 'string', cardinality: 'low' },
  bigint: { type: 'integer' },
  'numeric(38,2)': { type: 'decimal', 'decimal-places': 2 },
  boolean: { type: 'boolean' },
  date: { type: 'date' },
  timestamptz: { type: 'datetime' },
};

const PEOPLE: Table = {
  name: 'people',
  columns: [
    ['entity-id', 'text'],
    ['name', 'text'],
    ['email', 'text'],
    ['country', 'text'],
    ['plan', 'text'],
    ['age', 'bigint'],
    ['balance', 'numeric(38,2)'],
    ['active', 'boolean'],
    ['birth-date', 'date'],
    ['created-at', 'timestamptz'],
  ],
  rows: [
    ['p1', 'ada', 'ada@example.org', 'fr', 'pro', 34, 120.5, true, '1989-03-01', '2021-01-05T10:00:00Z'],
    ['p2', 'bob', 'bob@example.com', 'de', 'basic', 27, -3.25, true, '1996-07-19', '2022-02-11T08:30:00Z'],
    ['p3', 'cyd', null, 'fr', 'basic', 51, 0, false, '1972-11-30', '2022-06-01T00:00:00Z'],
    ['p4', 'dan', 'dan@example.org', null, null, 19, 999.99, true, '2004-01-15', '2023-01-31T23:59:59Z'],
    ['p5', 'eve', 'eve@example.com', 'it', 'pro', null, null, false, null, '2023-04-02T12:00:00Z'],
    ['p6', 'fay', 'fay@example.net', 'de', 'pro', 42, 17.75, true, '1981-05-05', '2019-12-31T06:00:00Z'],
  ],
};

const PRODUCTS: Table = {
  name: 'products',
  columns: [
    ['entity-id', 'text'],
    ['title', 'text'],
    ['category', 'text'],
    ['vendor', 'text'],
    ['price', 'numeric(38,2)'],
    ['rating', 'numeric(38,2)'],
    ['created-at', 'timestamptz'],
  ],
  rows: [
    ['a', 'anvil', 'tools', 'acme', 49.99, 4.5, '2020-01-01T00:00:00Z'],
    ['b', 'boat', 'toys', 'binford', 19.5, 3.25, '2020-02-01T00:00:00Z'],
    ['c', 'crane', 'tools', 'acme', 250, null, '2020-03-01T00:00:00Z'],
    ['d', 'doll', 'toys', null, 9.95, 4, '2020-04-01T00:00:00Z'],
    ['e', 'easel', null, 'binford', 75, 2.5, '2020-05-01T00:00:00Z'],
  ],
};

const STATUSES = ['paid', 'open', 'refunded', 'paid', 'paid'];

function orderRows(): readonly (readonly Value[])[] {
  return Array.from({ length: 24 }, (_, at) => {
    const quantity = 1 + ((at * 7) % 6);
    const subtotal = (1999 + at * 731) / 100;
    const tax = Math.round(subtotal * 8) / 100;
    const created = new Date(Date.UTC(2022, 10, 3) + at * 17 * 86_400_000 + at * 3_723_000);
    return [
      `o${at + 1}`,
      at % 8 === 7 ? null : `p${1 + ((at * 5) % 6)}`,
      'abcde'[(at * 3) % 5],
      STATUSES[at % 5],
      quantity,
      subtotal,
      tax,
      at % 3 === 0 ? null : (at % 4) * 2.5,
      Math.round((subtotal + tax) * 100) / 100,
      created.toISOString().replace('.000Z', 'Z'),
    ];
  });
}

const ORDERS: Table = {
  name: 'orders',
  columns: [
    ['entity-id', 'text'],
    ['person-id', 'text'],
    ['product-id', 'text'],
    ['status', 'text'],
    ['quantity', 'bigint'],
    ['subtotal', 'numeric(38,2)'],
    ['tax', 'numeric(38,2)'],
    ['discount', 'numeric(38,2)'],
    ['total', 'numeric(38,2)'],
    ['created-at', 'timestamptz'],
  ],
  rows: orderRows(),
};

/** Events of people: a table of SQL, and a list of each entity over the JSON interface. */
const VISITS = Array.from({ length: 15 }, (_, at) => ({
  id: `p${1 + (at % 5)}`,
  date: `2023-0${1 + (at % 4)}-1${at % 10}T0${at % 9}:15:00Z`,
  value: ['docs', 'price', 'home'][at % 3],
}));

const TABLES = [PEOPLE, PRODUCTS, ORDERS];

export async function loadServer(https: JsonClient): Promise<void> {
  const post = async (path: string, body: unknown): Promise<void> => {
    const reply = await https.request({ method: 'POST', path, body });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  };
  for (const { name, columns, rows } of TABLES) {
    await post('/v1/dimension', [{ name, 'api-name': name }]);
    await post(
      '/v1/column',
      columns
        .slice(1)
        .map(([column, kind]) => ({ name: column, 'api-name': column, dimension: name, ...MODELS[kind] })),
    );
    const entities = rows.map(([id, ...values]) => {
      const fields = values.flatMap((value, at) => (value === null ? [] : [[columns[at + 1][0], value]]));
      return [id, { dimension: name, ...Object.fromEntries(fields) }];
    });
    await post('/v1/insert', Object.fromEntries(entities));
  }
  await post('/v1/column', [{ name: 'visit', type: 'string-event', dimension: 'people' }]);
  for (const { id, date, value } of VISITS) {
    await post('/v1/insert', { [id]: { dimension: 'people', visit: [{ date, value }] } });
  }
}

const literal = (value: Value): string =>
  value === null ? 'NULL' : typeof value === 'string' ? `'${value}'` : String(value);

function tableText(name: string, columns: Table['columns'], rows: Table['rows']): string {
  const types = columns.map(([column, kind]) => `"${column}" ${kind}`).join(', ');
  const tuples = rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ');
  return `CREATE TABLE ${name} (${types}); INSERT INTO ${name} VALUES ${tuples};`;
}

/** A PostgreSQL with the same tables and rows, whose database has the name of the server's. */
export async function openOracle(): Promise<PGlite> {
  const database = await PGlite.create({ loadDataDir: new Blob([gunzipSync(fs.readFileSync(TEMPLATE))]) });
  await database.exec(
    `UPDATE pg_database SET datname = 'quarry' WHERE datname = current_database(); SET TimeZone = 'UTC'`,
  );
  for (const { name, columns, rows } of TABLES) await database.exec(tableText(name, columns, rows));
  const columns: Table['columns'] = [
    ['entity-id', 'text'],
    ['date', 'timestamptz'],
    ['value', 'text'],
  ];
  await database.exec(
    tableText(
      'visit',
      columns,
      VISITS.map(({ id, date, value }) => [id, date, value]),
    ),
  );
  return database;
}
