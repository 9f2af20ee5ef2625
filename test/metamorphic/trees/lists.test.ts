/** SELECTs over list columns, ARRAY[...] and UNNEST, sent to whole servers and to DuckDB, with the same rows in both. */
import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';

const SEED = Date.now() % 1_000_000;
const ROWS = 60;

/** The text of Quarry, and that of DuckDB where it differs. */
const STATEMENTS: readonly (readonly [string, string?])[] = [
  ['SELECT id, tags, sizes FROM people'],
  ['SELECT id, UNNEST(tags) AS tag FROM people'],
  ['SELECT UNNEST(sizes) AS size, id FROM people WHERE id > 20'],
  ['SELECT id, u.tag FROM people, UNNEST(tags) AS u (tag)'],
  ['SELECT id, u.size + 1 FROM people LEFT JOIN LATERAL UNNEST(sizes) AS u (size) ON TRUE'],
  ['SELECT id, u.size, u.nr FROM people, UNNEST(sizes) WITH ORDINALITY AS u (size, nr)'],
  ['SELECT u.tag, COUNT(*), COUNT(DISTINCT id) FROM people, UNNEST(tags) AS u (tag) GROUP BY u.tag'],
  ['SELECT SUM(u.size), MIN(u.size), MAX(u.size) FROM people, UNNEST(sizes) AS u (size) WHERE id % 2 = 0'],
  ['SELECT id FROM people WHERE 3 = ANY (sizes)'],
  ["SELECT id FROM people WHERE 'b' = ANY (tags) AND id > 5"],
  ['SELECT id, 3 = ANY (sizes) FROM people WHERE sizes IS NOT NULL'],
  ["SELECT id FROM people WHERE 'B' = ANY (tags)", "SELECT id FROM people WHERE 'b' = ANY (tags)"],
  [
    "SELECT id FROM people, UNNEST(tags) AS u (tag) WHERE tag = ANY (ARRAY['C', 'É'])",
    "SELECT id FROM people, UNNEST(tags) AS u (tag) WHERE tag IN ('c', 'é')",
  ],
  ['SELECT id FROM people WHERE LIST_CONTAINS(sizes, id % 7)'],
  [
    "SELECT id FROM people WHERE ARRAY_CONTAINS(tags, 'c') OR id = 1",
    "SELECT id FROM people WHERE LIST_CONTAINS(tags, 'c') OR id = 1",
  ],
  [
    'SELECT id FROM people WHERE id = ANY (ARRAY[3, 5, 7])',
    'SELECT id FROM people WHERE id = ANY ([3, 5, 7])',
  ],
  ['SELECT id, (SELECT SUM(u.size) FROM UNNEST(sizes) AS u (size)) FROM people'],
  ['SELECT id FROM people p WHERE EXISTS (SELECT 1 FROM UNNEST(p.sizes) AS u (size) WHERE u.size > p.id)'],
  ['SELECT id, tags[1], sizes[2] + 1 FROM people'],
  ['SELECT id, LIST_EXTRACT(sizes, -1), LIST_EXTRACT(sizes, id % 4) FROM people'],
  ['SELECT id, CARDINALITY(sizes) FROM people', 'SELECT id, LEN(sizes) FROM people'],
  ["SELECT id, ARRAY_TO_STRING(tags, '-') FROM people"],
  [
    'SELECT big, x.v FROM (SELECT id % 3 AS big, ARRAY_AGG(id ORDER BY id) AS ids FROM people GROUP BY 1) g, UNNEST(g.ids) AS x (v)',
  ],
  ['SELECT (ARRAY_AGG(id ORDER BY id DESC))[2] FROM people'],
  [
    'SELECT id, ARRAY[sizes, sizes][2] FROM people WHERE sizes IS NOT NULL',
    'SELECT id, sizes FROM people WHERE sizes IS NOT NULL',
  ],
  ['SELECT id, ARRAY[ARRAY[id, 1], ARRAY[2]] FROM people', 'SELECT id, [[id, 1], [2]] FROM people'],
  ['SELECT id, ARRAY[tags, tags][1][2] FROM people', 'SELECT id, [tags, tags][1][2] FROM people'],
  [
    'SELECT id, u.list FROM people, UNNEST(ARRAY[sizes, ARRAY[id]]) AS u (list)',
    'SELECT id, u.list FROM people, UNNEST([sizes, [id]]) AS u (list)',
  ],
  [
    'SELECT id % 3 AS big, ARRAY_AGG(sizes ORDER BY id) FROM people GROUP BY 1',
    'SELECT id % 3 AS big, LIST(sizes ORDER BY id) FROM people GROUP BY 1',
  ],
  [
    "SELECT id, ARRAY_POSITION(tags, 'B'), LIST_POSITION(sizes, id % 7) FROM people",
    "SELECT id, LIST_POSITION(tags, 'b'), LIST_POSITION(sizes, id % 7) FROM people",
  ],
  [
    "SELECT id % 4 AS big, JSON_OBJECT_AGG(id, sizes ORDER BY id) ->> '5' FROM people GROUP BY 1",
    "SELECT id % 4 AS big, JSON_GROUP_OBJECT(CAST(id AS VARCHAR), sizes) ->> '5' FROM people GROUP BY 1",
  ],
  [
    "SELECT id, REGEXP_SPLIT_TO_TABLE(ARRAY_TO_STRING(tags, '-'), '[-b]') FROM people",
    "SELECT id, UNNEST(REGEXP_SPLIT_TO_ARRAY(ARRAY_TO_STRING(tags, '-'), '[-b]')) FROM people",
  ],
  ["SELECT EXTRACT(JULIAN FROM DATE '2020-01-31' + CAST(id AS INTEGER)) FROM people"],
  [
    'SELECT id, GENERATE_SERIES(1, id % 3) FROM people',
    'SELECT id, UNNEST(GENERATE_SERIES(1, id % 3)) FROM people',
  ],
  ["SELECT v FROM UNNEST(STRING_TO_ARRAY('a,b,,c', ',')) AS u (v)"],
  [
    'SELECT id, u.tag, u.size FROM people, UNNEST(tags, sizes) AS u (tag, size)',
    'SELECT id, tags[n], sizes[n] FROM people, RANGE(1, 5) r (n) WHERE n <= GREATEST(LEN(COALESCE(tags, [])), LEN(COALESCE(sizes, [])))',
  ],
  [
    'SELECT * FROM UNNEST(ARRAY[1], ARRAY[2, 3], ARRAY[NULL]) WITH ORDINALITY AS u (a, b, c, nr)',
    'SELECT * FROM (VALUES (1, 2, NULL, 1), (NULL, 3, NULL, 2))',
  ],
  ['SELECT ARRAY(SELECT id FROM people WHERE id < 9 ORDER BY id % 3 DESC, id)'],
  ['SELECT ARRAY(SELECT id FROM people ORDER BY id DESC LIMIT 3 OFFSET 2)'],
  [
    'SELECT ARRAY(SELECT DISTINCT sizes[1] FROM people WHERE sizes[1] > 0 ORDER BY 1), ARRAY(SELECT DISTINCT id % 5 AS n FROM people ORDER BY n DESC)',
  ],
  ['SELECT ARRAY(SELECT id FROM people WHERE id > 1000), ARRAY(SELECT 1 UNION SELECT 2 ORDER BY 1 DESC)'],
  ['SELECT p.id, ARRAY(SELECT o.id FROM people o WHERE o.id % 7 = p.id ORDER BY o.id) FROM people p'],
  ['SELECT id, ARRAY(SELECT u.size + 1 FROM UNNEST(sizes) AS u (size) ORDER BY 1) FROM people'],
  ['SELECT v + 1 FROM UNNEST(ARRAY(SELECT id FROM people WHERE id < 4 ORDER BY id)) AS u (v)'],
  [
    'SELECT id FROM people WHERE id = ANY (ARRAY(SELECT o.id * 2 FROM people o))',
    'SELECT id FROM people WHERE id % 2 = 0',
  ],
  ['SELECT (ARRAY(SELECT id FROM people ORDER BY id DESC))[2]'],
  [
    "SELECT STRING_TO_ARRAY('x-y', '-')[2], ARRAY['a', 'b'][1]",
    "SELECT STRING_TO_ARRAY('x-y', '-')[2], (['a', 'b'])[1]",
  ],
  ['SELECT a.v, b.v FROM UNNEST(ARRAY[1, 2]) AS a (v) JOIN UNNEST(ARRAY[2, 3, NULL]) AS b (v) ON a.v = b.v'],
  [
    'SELECT v FROM UNNEST(ARRAY[1.5, 2, NULL]) AS u (v)',
    'SELECT v::DOUBLE FROM UNNEST([1.5, 2, NULL]) AS u (v)',
  ],
  ["SELECT v + INTERVAL '1 day' FROM UNNEST(ARRAY[DATE '2020-01-31']) AS u (v)", "SELECT DATE '2020-02-01'"],
];

interface Person {
  readonly id: number;
  readonly tags: readonly string[] | null;
  readonly sizes: readonly number[] | null;
}

function peopleOf(prng: Prng): readonly Person[] {
  const listOf = <T>(draw: () => T): readonly T[] | null =>
    prng.chance(0.2) ? null : Array.from({ length: 1 + prng.below(4) }, draw);
  return Array.from({ length: ROWS }, (_person, id) => ({
    id,
    tags: listOf(() => prng.pick(['a', 'b', 'c', 'it\'s "d"', 'é'])),
    sizes: listOf(() => prng.below(9) - 2),
  }));
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const duckList = (list: readonly (string | number)[] | null): string =>
  list === null
    ? 'NULL'
    : `[${list.map((item) => (typeof item === 'string' ? quoted(item) : item)).join(', ')}]`;

async function load(server: ConformanceServer, people: readonly Person[]): Promise<void> {
  const dimension = 'people';
  const column = (name: string, type: string, storage: string) => ({
    name,
    'api-name': name,
    type,
    storage,
    dimension,
  });
  const columns = [
    column('id', 'integer', 'latest-value'),
    column('tags', 'string', 'list-of-values'),
    column('sizes', 'integer', 'list-of-values'),
  ];
  const entities = people.map(({ id, tags, sizes }) => [
    `p${id}`,
    { dimension, id, ...(tags !== null && { tags }), ...(sizes !== null && { sizes }) },
  ]);
  for (const [path, body] of [
    ['/v1/column', columns],
    ['/v1/insert', Object.fromEntries(entities)],
  ] as const) {
    const { status, text } = await server.post(path, JSON.stringify(body));
    if (status !== 200) throw new Error(`${path}: HTTP ${status} ${text.slice(0, 500)}`);
  }
}

/** DuckDB shows wide integers as texts. */
const shown = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;

const rowTexts = (rows: readonly (readonly unknown[])[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row.map(shown))).sort();

for (const layout of [
  { shards: 1, workers: 1 },
  { shards: 5, workers: 2, spillShareBytesMax: 1 },
]) {
  t.test(`lists in ${layout.shards} shards are those of DuckDB`, async (t) => {
    t.comment(`seed ${SEED}`);
    const people = peopleOf(new Prng(SEED));
    const server = await ConformanceServer.start(true, layout);
    t.teardown(() => server.stop());
    await load(server, people);
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const duck = await instance.connect();
    t.teardown(() => {
      duck.closeSync();
      instance.closeSync();
    });
    const rows = people.map(({ id, tags, sizes }) => `(${id}, ${duckList(tags)}, ${duckList(sizes)})`);
    await duck.run('CREATE TABLE people (id INTEGER, tags VARCHAR[], sizes INTEGER[])');
    await duck.run(`INSERT INTO people VALUES ${rows.join(', ')}`);
    for (const [sql, other = sql] of STATEMENTS) {
      const { status, text } = await server.sql(sql);
      if (status !== 200) {
        t.fail(`${sql}: ${text.slice(0, 400)}`);
        continue;
      }
      const { result } = JSON.parse(text) as {
        readonly result: readonly Readonly<Record<string, unknown>>[];
      };
      if (sql.startsWith('SELECT ARRAY(')) t.equal(Object.keys(result[0])[0], 'ARRAY');
      const expected = (await duck.runAndReadAll(other)).getRowsJson();
      t.strictSame(rowTexts(result.map((row) => Object.values(row))), rowTexts(expected), sql);
    }
  });
}
