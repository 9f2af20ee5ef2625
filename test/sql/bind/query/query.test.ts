import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import {
  columnsOf,
  isRelationPlan,
  type ReadPlan,
  type Relation,
  type RelationPlan,
  relationInputs,
  type SelectPlan,
} from '../../../../src/ir/index.js';
import { bindRead, readScript, type SqlAccess } from '../../../../src/sql/index.js';
import { attribute, text } from '../plans.js';
import { refusalOf, requestWith } from '../statements.js';

function readPlanOf(sql: string, access?: SqlAccess): ReadPlan {
  const script = readScript(sql);
  if (script.kind !== 'reads') throw new Error('no SELECT');
  return bindRead(script.statements[0], requestWith(access));
}

function treeOf(sql: string, access?: SqlAccess): RelationPlan {
  const plan = readPlanOf(sql, access);
  if (!isRelationPlan(plan)) throw new Error(`${sql} is bound as a flat plan`);
  return plan;
}

function* relationsIn(relation: Relation): Generator<Relation> {
  yield relation;
  for (const input of relationInputs(relation)) yield* relationsIn(input);
}

const allOf = ({ root, tables }: RelationPlan): readonly Relation[] =>
  [root, ...tables].flatMap((relation) => [...relationsIn(relation)]);

const scansOf = (plan: RelationPlan): readonly SelectPlan[] =>
  allOf(plan).flatMap((relation) => (relation.op === 'scan' ? [relation.plan] : []));

const operatorsOf = (sql: string): string =>
  allOf(treeOf(sql))
    .map((relation) => (relation.op === 'join' ? `${relation.kind}-join` : relation.op))
    .filter((name) => name !== 'project')
    .join(' ');

t.test('a SELECT over one dimension, or with joins by ID, is a flat plan', async (t) => {
  for (const sql of [
    'SELECT age FROM users',
    'SELECT COUNT(*) FROM users GROUP BY city HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 3',
    'SELECT age, c.people FROM users JOIN cities c ON city = c.[entity-id]',
    'SELECT [clicks.value], COUNT(*) FROM users GROUP BY [clicks.value]',
    '(SELECT age FROM users)',
    'SELECT age FROM users ORDER BY age NULLS FIRST LIMIT 2',
  ]) {
    t.notOk(isRelationPlan(readPlanOf(sql)), sql);
  }
});

t.test('every other SELECT is a tree of operators over scans', async (t) => {
  const cases: readonly (readonly [sql: string, operators: string])[] = [
    ['SELECT age FROM (SELECT age FROM users) u', 'scan'],
    [
      'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + age FROM r, users) SELECT n FROM r',
      'shared recursive values inner-join working scan',
    ],
    ['SELECT n FROM users, generate_series(1, age) n', 'inner-join scan series values'],
    ['SELECT u.age FROM users u, cities c WHERE u.city = c.name', 'filter inner-join scan scan'],
    ['SELECT u.age FROM users u RIGHT JOIN cities c ON u.city = c.name', 'left-join scan scan'],
    ['SELECT u.age FROM users u FULL JOIN cities c USING (name)', 'full-join scan scan'],
    ['SELECT age FROM users WHERE age IN (SELECT people FROM cities)', 'semi-join scan scan'],
    ['SELECT age FROM users WHERE age NOT IN (SELECT people FROM cities)', 'filter mark-join scan scan'],
    [
      'SELECT age FROM users u WHERE NOT EXISTS (SELECT 1 FROM cities c WHERE c.name = u.city)',
      'anti-join scan filter scan',
    ],
    ['SELECT (SELECT MAX(people) FROM cities) FROM users', 'single-join scan scan'],
    ['SELECT age FROM users UNION SELECT people FROM cities', 'aggregate set scan scan'],
    ['SELECT age FROM users EXCEPT ALL SELECT people FROM cities', 'set scan scan'],
    ['SELECT RANK() OVER (PARTITION BY city ORDER BY age) FROM users', 'window scan'],
    ['SELECT DISTINCT ON (city) age FROM users ORDER BY city', 'sort filter window scan'],
    ['SELECT age FROM users ORDER BY age FETCH FIRST 2 ROWS WITH TIES', 'sort filter window scan'],
    ['VALUES (1), (2)', 'values'],
    ['SELECT city, SUM(age) FILTER (WHERE active) FROM users GROUP BY city', 'aggregate scan'],
    ['SELECT city, COUNT(*) FROM users GROUP BY ROLLUP (city)', 'set aggregate shared aggregate shared scan'],
    ['WITH u AS (SELECT age FROM users) SELECT age FROM u', 'scan'],
    [
      'WITH u AS (SELECT age FROM users) SELECT a.age FROM u a JOIN u b ON a.age = b.age',
      'inner-join shared shared scan',
    ],
    ['SELECT value FROM clicks', 'scan'],
  ];
  for (const [sql, operators] of cases) t.equal(operatorsOf(sql), operators, sql);
});

t.test('conditions on one table are evaluated by its scan', async (t) => {
  const plan = treeOf(
    'SELECT u.age FROM users u, cities c WHERE u.city = c.name AND u.age > 3 AND c.people < 9',
  );
  t.ok(scansOf(plan).every(({ condition }) => condition !== null));
  const outer = treeOf(
    'SELECT u.age FROM users u LEFT JOIN cities c ON u.city = c.name AND c.people < 9 WHERE c.people IS NULL',
  );
  const [users, cities] = scansOf(outer);
  t.equal(users.condition, null);
  t.ok(cities.condition !== null, 'the condition of ON');
  t.ok(
    allOf(outer).some(({ op }) => op === 'filter'),
    'that of WHERE sees the joined rows',
  );
});

t.test(
  'only columns that are read are scanned, and all columns of a tree have different numbers',
  async (t) => {
    const plan = treeOf(
      'SELECT u.age FROM users u JOIN cities c ON u.city = c.name WHERE EXISTS (SELECT 1 FROM regions r WHERE r.continent = c.region)',
    );
    t.strictSame(
      scansOf(plan).map(({ outputs }) => outputs.map(({ name }) => name)),
      [['city', 'age'], ['name', 'region'], ['continent']],
    );
    const numbers = allOf(plan)
      .flatMap((relation) => (relation.op === 'scan' ? columnsOf(relation) : []))
      .map(({ column }) => column);
    t.equal(new Set(numbers).size, numbers.length);
  },
);

t.test('a condition on events beside a subquery filters entities', async (t) => {
  const plan = treeOf(
    "SELECT age FROM users WHERE city IN (SELECT name FROM cities) AND [clicks.value] = 'a' AND [clicks.date] > '2026-01-01'",
  );
  const [users] = scansOf(plan);
  t.ok(users.condition !== null);
  t.strictSame(
    users.outputs.map(({ name }) => name),
    ['age', 'city'],
    'rows are entities, because no event is read',
  );
});

t.test('aggregates over entities are refused where the rows are events', async (t) => {
  const from = 'FROM users WHERE city IN (SELECT name FROM cities)';
  for (const aggregate of ['COUNT(*)', 'SUM(age)', 'COUNT(age)', 'AVG(age) + COUNT([clicks.value])']) {
    const refusal = refusalOf(() =>
      readPlanOf(`SELECT [clicks.value], ${aggregate} ${from} GROUP BY [clicks.value]`),
    ) as Error;
    t.match(refusal.message, /beside the values of events/, aggregate);
  }
  for (const sql of [
    `SELECT [clicks.value], COUNT([clicks.value]), COUNT(DISTINCT [entity-id]), MAX(age) ${from} GROUP BY [clicks.value]`,
    `SELECT COUNT(*) ${from} AND [clicks.value] = 'a'`,
    'SELECT v, COUNT(*) FROM (SELECT [clicks.value] AS v FROM users) t GROUP BY v',
  ]) {
    t.doesNotThrow(() => readPlanOf(sql), sql);
  }
});

t.test('outputs have the names and types of the interface', async (t) => {
  const names = (sql: string): string =>
    treeOf(sql)
      .outputs.map(({ name, type }) => `${name} ${type.type}`)
      .join(', ');
  t.equal(
    names('SELECT u.age, c.name AS town, COUNT(*) OVER (), 1 + 1, SUM(age) OVER () FROM users u, cities c'),
    'age integer, town text, COUNT integer, EXPR integer, SUM integer',
  );
  t.equal(names('SELECT * FROM (SELECT city, AVG(age) FROM users GROUP BY city) u'), 'city text, AVG float');
  t.equal(names('SELECT a FROM (VALUES (1, NULL), (2.5, 3)) v (a, b)'), 'a decimal');
  t.equal(names('SELECT age AS x FROM users UNION SELECT 1.5'), 'x decimal');
  t.equal(names('SELECT * FROM clicks'), 'entity-id text, date datetime, value text');
});

t.test('a key sees only its columns and rows, wherever the table stands', async (t) => {
  const row = attribute('name', text(['a']));
  const access = {
    allows: (_dimension: unknown, { apiName }: { readonly apiName: string }) =>
      !['salary', 'clicks'].includes(apiName),
    checkColumn: (_dimension: unknown, { apiName }: { readonly apiName: string }) => {
      if (['salary', 'clicks'].includes(apiName)) throw new QuarryError(506, apiName);
    },
    restrict: (_dimension: unknown, condition: unknown) =>
      condition === null ? row : { op: 'and', members: [condition, row] },
  } as unknown as SqlAccess;
  for (const sql of [
    'SELECT u.age FROM users u, users v',
    'SELECT age FROM users WHERE age IN (SELECT people FROM cities)',
    'WITH u AS (SELECT age FROM users) SELECT a.age FROM u a, u b',
    'SELECT age FROM users UNION ALL SELECT people FROM cities',
    'SELECT (SELECT MAX(age) FROM users v WHERE v.city = u.city) FROM users u WHERE EXISTS (SELECT 1 FROM cities)',
  ]) {
    const scans = scansOf(treeOf(sql, access));
    t.ok(
      scans.length > 0 &&
        scans.every(({ condition }) => JSON.stringify(condition).includes(JSON.stringify(row))),
      sql,
    );
  }
  for (const sql of [
    'SELECT age FROM users WHERE age > (SELECT MAX(salary) FROM users)',
    'SELECT u.salary FROM users u, cities c',
    'SELECT 1 FROM users u WHERE EXISTS (SELECT 1 FROM cities c WHERE c.people = u.salary)',
    'SELECT value FROM clicks',
    'SELECT age FROM users UNION SELECT salary FROM users',
    'SELECT RANK() OVER (ORDER BY salary) FROM users',
  ]) {
    t.throws(() => readPlanOf(sql, access), { code: 506 }, sql);
  }
  t.notOk(treeOf('SELECT * FROM users u, cities c', access).outputs.some(({ name }) => name === 'salary'));
});

t.test('what cannot be bound is refused with its position', async (t) => {
  const cases: readonly (readonly [sql: string, column: number, message: RegExp])[] = [
    ['SELECT age FROM (SELECT city FROM users) u', 8, /there is no column "age"/],
    ['SELECT name FROM users u, cities c', 8, /"name" is a column of u and c/],
    ['SELECT 1 FROM users, users', 22, /two tables are called "users"/],
    [
      'SELECT age FROM users WHERE age IN (SELECT name, people FROM cities)',
      29,
      /returns 2 columns, and 1 are/,
    ],
    ['SELECT (SELECT name, people FROM cities) FROM users', 8, /returns one column, not 2/],
    ['SELECT age FROM users UNION SELECT name, people FROM cities', 23, /same number of columns/],
    ['SELECT city, RANK() OVER () FROM users GROUP BY name', 8, /"city" must be in GROUP BY/],
    ['SELECT age FROM users u WHERE RANK() OVER () = 1', 31, /window functions are not allowed in WHERE/],
    ['SELECT LAG() OVER () FROM users', 8, /LAG takes 1 to 3 arguments/],
    ['SELECT SUM(age) OVER (ORDER BY city RANGE 1 PRECEDING) FROM users', 43, /number or a date/],
    ['SELECT SUM(age) OVER w FROM users', 22, /there is no window "w"/],
    ['WITH RECURSIVE r AS (SELECT 1 FROM r) SELECT 1 FROM r', 16, /has the form WITH RECURSIVE/],
    ['WITH RECURSIVE r AS (SELECT 1 FROM r UNION SELECT 2) SELECT 1 FROM r', 22, /only the part after/],
    [
      'WITH RECURSIVE r AS (SELECT 1 UNION SELECT 2 FROM r ORDER BY 1) SELECT 1 FROM r',
      62,
      /ORDER BY, LIMIT and OFFSET belong/,
    ],
    ['WITH RECURSIVE r AS (SELECT 1 UNION SELECT 2, 3 FROM r) SELECT 1 FROM r', 31, /not 1 and 2/],
    [
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 0.5 FROM r) SELECT n FROM r',
      34,
      /"n" is integer in the first part and decimal\(1\)/,
    ],
    [
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT MAX(n) + 1 FROM r) SELECT n FROM r',
      16,
      /cannot have aggregates of its own rows/,
    ],
    ['WITH r AS (SELECT 1 UNION SELECT 2 FROM r) SELECT 1 FROM r', 41, /there is no table "r"/],
    ['SELECT 1 FROM generate_serie(1, 2)', 15, /is not a function that returns rows/],
    ['SELECT 1 FROM generate_series(1)', 15, /takes the first value, the last value and a step/],
    ["SELECT 1 FROM generate_series(1, 'x')", 15, /cannot be read as integer/],
    ["SELECT 1 FROM generate_series(CAST('2024-01-01' AS DATE), '2024-02-01')", 15, /need a step/],
    ["SELECT 1 FROM generate_series(1, 2, INTERVAL '1 day')", 15, /the step .* is a number/],
    ["SELECT 1 FROM generate_series(1, INTERVAL '1 day')", 34, /only the step/],
    ['SELECT 1 FROM generate_series(name, 3), users', 31, /"name" is a column/],
    ['SELECT 1 FROM users RIGHT JOIN generate_series(1, age) ON true', 51, /"age" is a column/],
    ['SELECT UNNEST(ARRAY[1, 2]), ROW_NUMBER() OVER () FROM users', 8, /UNNEST beside a window function/],
    ['SELECT UNNEST(ARRAY[1]), GENERATE_SERIES(1, 2)', 26, /at most one function that returns rows/],
    ['SELECT *, REGEXP_MATCHES(name, name) FROM users', 11, /REGEXP_MATCHES beside \* is written in FROM/],
    [
      "SELECT 1 FROM users WHERE REGEXP_MATCHES(name, 'a')",
      27,
      /REGEXP_MATCHES returns rows.*use REGEXP_LIKE/,
    ],
    ['SELECT COALESCE(UNNEST(ARRAY[1]), 2)', 17, /UNNEST returns rows/],
    ['SELECT UNNEST(ARRAY[1], ARRAY[2])', 8, /UNNEST of several lists is written in FROM/],
    ['SELECT 1 FROM UNNEST()', 15, /UNNEST takes at least one list/],
    ['SELECT ARRAY(SELECT 1, 2)', 14, /has one column/],
    ['SELECT ARRAY(SELECT * FROM users)', 14, /has one column/],
    ['SELECT ARRAY(SELECT age FROM users ORDER BY 2)', 45, /ORDER BY 1/],
    [
      'SELECT ARRAY(SELECT DISTINCT age FROM users ORDER BY age % 2)',
      54,
      /can only be ordered by their value/,
    ],
    ['SELECT ARRAY(SELECT 1 UNION SELECT 2 ORDER BY a)', 47, /can only be ordered by their value/],
    ['SELECT 1 FROM unnest(age)', 22, /the statement has no FROM/],
    ['VALUES (1), (2, 3)', 13, /this row has 2 values, the first 1/],
    [
      'SELECT 1 FROM users u WHERE EXISTS (SELECT 1 FROM cities WHERE name = u.nothing)',
      71,
      /"u.nothing"|"nothing"/,
    ],
  ];
  for (const [sql, column, message] of cases) {
    const refusal = refusalOf(() => readPlanOf(sql)) as {
      readonly code: number;
      readonly message: string;
      readonly column: number;
    };
    t.match(refusal, { code: 6000, message }, sql);
    t.equal(refusal.column, column, sql);
  }
});
