import t from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import type { Expression, SelectPlan } from '../../../src/ir/index.js';
import { caseOf } from '../../../src/sql/bind/expressions/build.js';
import {
  AGE,
  aggregate,
  attribute,
  BOOLEAN,
  CITY,
  CLICK,
  CLICK_DATE,
  constant,
  DATETIME,
  events,
  FLOAT,
  hasEvent,
  INTEGER,
  input,
  MONEY,
  NAME,
  output,
  plan,
  range,
  SPENT,
  TEXT,
  text,
} from './plans.js';
import { planOf, refusalOf } from './statements.js';

const MAX = 2n ** 63n - 1n;
const MAY = { from: Date.UTC(2017, 4, 1) / 1000, to: Date.UTC(2017, 4, 31) / 1000 };
const IN_MAY = "[clicks.date] BETWEEN '2017-05-01' AND '2017-05-31'";
const COUNT = input(INTEGER, 0);

const PLANS: readonly (readonly [shows: string, sql: string, wanted: SelectPlan])[] = [
  [
    'rows, an order, a limit: the parts that are not conditions of the interface form a filter',
    "SELECT name, age AS years FROM users WHERE age > 18 AND name LIKE 'J%' AND age + 1 > LENGTH(name) ORDER BY years DESC, 1 LIMIT 5 OFFSET 2",
    plan({
      condition: {
        op: 'and',
        members: [
          attribute('age', range(19n, MAX)),
          attribute('name', { kind: 'text', match: 'starts-with', texts: ['j'], negated: false }),
        ],
      },
      filter: {
        op: 'compare',
        type: BOOLEAN,
        comparison: '>',
        left: {
          op: 'arithmetic',
          type: INTEGER,
          operator: '+',
          left: input(INTEGER, 1),
          right: constant(INTEGER, 1n),
        },
        right: { op: 'call', type: INTEGER, name: 'length', args: [input(TEXT, 0)], unit: null },
      },
      inputs: [NAME, AGE],
      outputs: [output('name', input(TEXT, 0)), output('years', input(INTEGER, 1))],
      order: [
        { of: input(INTEGER, 1), descending: true },
        { of: input(TEXT, 0), descending: false },
      ],
      offset: 2,
      limit: 5,
    }),
  ],
  [
    'conditions on one column are merged, and an OR that only expressions can represent keeps its conditions',
    'SELECT score FROM users WHERE age >= 3 AND age < 10 AND (active OR LENGTH(name) = 3)',
    plan({
      condition: attribute('age', range(3n, 9n)),
      filter: {
        op: 'or',
        type: BOOLEAN,
        members: [
          input(BOOLEAN, 0),
          {
            op: 'compare',
            type: BOOLEAN,
            comparison: '=',
            left: { op: 'call', type: INTEGER, name: 'length', args: [input(TEXT, 1)], unit: null },
            right: constant(INTEGER, 3n),
          },
        ],
      },
      inputs: [{ type: BOOLEAN, from: 'condition', condition: attribute('active', range(1n, 1n)) }, NAME],
      outputs: [
        output('score', {
          op: 'arithmetic',
          type: FLOAT,
          operator: '+',
          left: {
            op: 'arithmetic',
            type: FLOAT,
            operator: '+',
            left: constant(FLOAT, 2),
            right: pointOf(input(BOOLEAN, 0)),
          },
          right: pointOf({
            op: 'compare',
            type: BOOLEAN,
            comparison: '=',
            left: { op: 'call', type: INTEGER, name: 'length', args: [input(TEXT, 1)], unit: null },
            right: constant(INTEGER, 3n),
          }),
        }),
      ],
    }),
  ],
  [
    'all rows are one group',
    'SELECT COUNT(*), AVG(age) FROM users WHERE name IS NULL',
    plan({
      condition: { op: 'missing', columnId: 1 },
      inputs: [AGE],
      grouping: {
        keys: [],
        perEntity: false,
        aggregates: [aggregate({}), aggregate({ function: 'avg', of: input(INTEGER, 0), type: FLOAT })],
      },
      outputs: [output('COUNT', COUNT), output('AVG', input(FLOAT, 1))],
    }),
  ],
  [
    'keys replace their expressions everywhere; equal aggregates are bound once',
    'SELECT city, age % 2, SUM(age) * 100 / COUNT(*) FROM users GROUP BY age % 2, city HAVING COUNT(*) > 1 ORDER BY SUM(age), age % 2 + 1',
    plan({
      inputs: [AGE, CITY],
      grouping: {
        keys: [
          {
            op: 'arithmetic',
            type: INTEGER,
            operator: '%',
            left: input(INTEGER, 0),
            right: constant(INTEGER, 2n),
          },
          input(TEXT, 1),
        ],
        perEntity: false,
        aggregates: [aggregate({ function: 'sum', of: input(INTEGER, 0) }), aggregate({})],
      },
      having: {
        op: 'compare',
        type: BOOLEAN,
        comparison: '>',
        left: input(INTEGER, 3),
        right: constant(INTEGER, 1n),
      },
      outputs: [
        output('city', input(TEXT, 1)),
        output('EXPR', input(INTEGER, 0)),
        output('EXPR_2', {
          op: 'arithmetic',
          type: FLOAT,
          operator: '/',
          left: {
            op: 'cast',
            type: FLOAT,
            of: {
              op: 'arithmetic',
              type: INTEGER,
              operator: '*',
              left: input(INTEGER, 2),
              right: constant(INTEGER, 100n),
            },
            lenient: false,
          },
          right: { op: 'cast', type: FLOAT, of: input(INTEGER, 3), lenient: false },
        }),
      ],
      order: [
        { of: input(INTEGER, 2), descending: false },
        {
          of: {
            op: 'arithmetic',
            type: INTEGER,
            operator: '+',
            left: input(INTEGER, 0),
            right: constant(INTEGER, 1n),
          },
          descending: false,
        },
      ],
    }),
  ],
  [
    'aggregates together with columns: a group per entity, and a window that HAVING names narrows the events',
    `SELECT name, AVG([spent.value]) FROM users WHERE active HAVING [spent.date] BETWEEN '2017-05-01' AND '2017-05-31' ORDER BY age`,
    plan({
      condition: {
        op: 'and',
        members: [attribute('active', range(1n, 1n)), hasEvent(events('spent', [], MAY))],
      },
      inputs: [NAME, SPENT, AGE],
      feeds: [events('spent', [], MAY)],
      grouping: {
        keys: [input(TEXT, 0), input(INTEGER, 2)],
        perEntity: true,
        aggregates: [aggregate({ function: 'avg', of: input(MONEY, 1), feed: 0, type: FLOAT })],
      },
      outputs: [output('name', input(TEXT, 0)), output('AVG', input(FLOAT, 2))],
      order: [{ of: input(INTEGER, 1), descending: false }],
    }),
  ],
  [
    'groups of event values: aggregates over them, and over entities once',
    `SELECT [clicks.value], COUNT(*), COUNT([clicks.value]), SUM(age) FROM users WHERE [clicks.value] <> 'x' AND ${IN_MAY} GROUP BY [clicks.value]`,
    plan({
      events: events('clicks', [text(['x'], true)], MAY),
      inputs: [CLICK, AGE],
      grouping: {
        keys: [input(TEXT, 0)],
        perEntity: false,
        aggregates: [
          aggregate({ feed: 'entities' }),
          aggregate({}),
          aggregate({ function: 'sum', of: input(INTEGER, 1), feed: 'entities' }),
        ],
      },
      outputs: [
        output('clicks.value', input(TEXT, 0)),
        output('COUNT', input(INTEGER, 1)),
        output('COUNT_clicks.value', input(INTEGER, 2)),
        output('SUM', input(INTEGER, 3)),
      ],
    }),
  ],
  [
    'buckets of time',
    `SELECT INTERVAL([clicks.value]), COUNT([clicks.date]) FROM users GROUP BY INTERVAL([clicks.value]) = 'weeks' ORDER BY 1`,
    plan({
      events: events('clicks'),
      inputs: [CLICK_DATE],
      grouping: {
        keys: [
          { op: 'call', type: DATETIME, name: 'date-truncate', args: [input(DATETIME, 0)], unit: 'week' },
        ],
        perEntity: false,
        aggregates: [aggregate({})],
      },
      outputs: [output('INTERVAL', input(DATETIME, 0)), output('COUNT', input(INTEGER, 1))],
      order: [{ of: input(DATETIME, 0), descending: false }],
    }),
  ],
  [
    'events as rows',
    "SELECT name, [clicks.value] FROM users WHERE [clicks.value] LIKE 'a%' AND LENGTH([clicks.value]) > 3 ORDER BY [clicks.date]",
    plan({
      filter: {
        op: 'compare',
        type: BOOLEAN,
        comparison: '>',
        left: { op: 'call', type: INTEGER, name: 'length', args: [input(TEXT, 1)], unit: null },
        right: constant(INTEGER, 3n),
      },
      events: events('clicks', [{ kind: 'text', match: 'starts-with', texts: ['a'], negated: false }]),
      inputs: [NAME, CLICK, CLICK_DATE],
      outputs: [output('name', input(TEXT, 0)), output('clicks.value', input(TEXT, 1))],
      order: [{ of: input(DATETIME, 2), descending: false }],
    }),
  ],
  [
    'DISTINCT rows are groups of the outputs',
    'SELECT DISTINCT city, UPPER(name) AS n FROM users ORDER BY n',
    plan({
      inputs: [CITY, NAME],
      grouping: {
        keys: [input(TEXT, 0), { op: 'call', type: TEXT, name: 'upper', args: [input(TEXT, 1)], unit: null }],
        perEntity: false,
        aggregates: [],
      },
      outputs: [output('city', input(TEXT, 0)), output('n', input(TEXT, 1))],
      order: [
        {
          of: { op: 'call', type: TEXT, name: 'lower', args: [input(TEXT, 1)], unit: null },
          descending: false,
        },
      ],
    }),
  ],
  [
    'DISTINCT groups',
    'SELECT DISTINCT COUNT(*) FROM users GROUP BY city ORDER BY 1',
    plan({
      inputs: [CITY],
      grouping: { keys: [input(TEXT, 0)], perEntity: false, aggregates: [aggregate({})] },
      outputs: [output('COUNT', input(INTEGER, 1))],
      distinct: true,
      order: [{ of: input(INTEGER, 1), descending: false }],
    }),
  ],
  [
    'no FROM',
    "SELECT 1, 'Adult' AS a WHERE 1 = 1",
    plan({
      dimensionId: null,
      outputs: [output('EXPR', constant(INTEGER, 1n)), output('a', constant(TEXT, 'Adult'))],
    }),
  ],
];

function pointOf(when: Expression): Expression {
  return caseOf(FLOAT, [[when, constant(FLOAT, 1)]], constant(FLOAT, 0));
}

for (const [shows, sql, expected] of PLANS) {
  t.test(shows, async (t) => {
    t.strictSame(planOf(sql), expected, sql);
  });
}

t.test('score is 1.0 without conditions, and counts the conditions on one event once', async (t) => {
  const score = (where: string): unknown => planOf(`SELECT score FROM users ${where}`).outputs[0].of;
  t.strictSame(score(''), constant(FLOAT, 1));
  t.strictSame(score(`WHERE ${IN_MAY}`), constant(FLOAT, 1));
  t.strictSame(score(`HAVING ${IN_MAY}`), constant(FLOAT, 1));
  t.strictSame(
    score(`WHERE [clicks.value] = 'a' AND [clicks.value] <> 'b' AND age BETWEEN 1 AND 3`),
    constant(FLOAT, 2),
  );
  t.strictSame(score(`WHERE active AND (name = 'a' AND age = 1)`), constant(FLOAT, 2));
  t.strictSame(score(`WHERE (active AND name = 'a')`), constant(FLOAT, 1));
  t.strictSame(score('WHERE score >= 1 AND active'), constant(FLOAT, 1));
  // Each alternative counts, within the window, at any position of the OR.
  const either = score(`WHERE ([clicks.value] = 'a' AND ${IN_MAY}) OR ([clicks.value] = 'b' AND ${IN_MAY})`);
  t.match(either, { op: 'arithmetic', operator: '+', left: { op: 'case' }, right: { op: 'case' } });
  t.strictSame(score(`WHERE ([clicks.value] = 'a' OR [clicks.value] = 'b') AND ${IN_MAY}`), either);
  t.strictSame(score(`WHERE [clicks.value] = 'a' OR [clicks.value] = 'b' HAVING ${IN_MAY}`), either);
  t.strictSame(score(`WHERE [clicks.value] IN ('a', 'b') AND ${IN_MAY}`), constant(FLOAT, 1));
});

t.test('* selects all columns of the table except events', async (t) => {
  const names = (sql: string): string[] => planOf(sql).outputs.map(({ name }) => name);
  const own = [
    'name',
    'age',
    'salary',
    'active',
    'admission',
    'seen',
    'city',
    'level',
    'tags',
    'marks',
    'home',
    'score-2',
  ];
  t.strictSame(names('SELECT * FROM users'), ['entity-id', ...own, 'score']);
  t.strictSame(names('SELECT users.* FROM users'), ['entity-id', ...own, 'score']);
  const both = 'FROM users u JOIN cities c ON u.city = c.[entity-id]';
  const joined = ['country', 'people', 'region'];
  t.strictSame(names(`SELECT * ${both}`), [
    'entity-id',
    ...own,
    ...joined.slice(0, 2),
    'name_2',
    'region',
    'score',
  ]);
  t.strictSame(names(`SELECT c.* ${both}`), ['entity-id', 'country', 'people', 'name', 'region']);
  t.strictSame(names(`SELECT u.* ${both}`), ['entity-id', ...own, 'score']);
  t.strictSame(names('SELECT * FROM default'), ['entity-id', 'x', 'score']);
});

t.test(
  'aliases are invisible in WHERE, follow columns in GROUP BY and HAVING, and precede them in ORDER BY',
  async (t) => {
    const { grouping, order } = planOf(
      'SELECT -age AS age, COUNT(*) c FROM users GROUP BY age HAVING c > 1 ORDER BY age',
    );
    t.strictSame(grouping?.keys, [input(INTEGER, 0)]);
    t.strictSame(order[0].of, {
      op: 'call',
      type: INTEGER,
      name: 'negate',
      args: [input(INTEGER, 0)],
      unit: null,
    });
    t.strictSame(
      planOf('SELECT LENGTH(name) AS long FROM users GROUP BY long').grouping?.keys,
      planOf('SELECT LENGTH(name) FROM users GROUP BY 1').grouping?.keys,
    );
    t.strictSame(
      planOf('SELECT city, COUNT(*) FROM users GROUP BY city ORDER BY "COUNT"').order[0].of,
      input(INTEGER, 1),
    );
  },
);

t.test('a key that is a prefix of another key stays distinct', async (t) => {
  const outputs = (sql: string) => planOf(sql).outputs.map(({ of }) => of);
  const both = 'GROUP BY name || city';
  const key = input(TEXT, 0);
  const texts = (...args: Expression[]) => [
    { op: 'call', type: TEXT, name: 'concat-strict', args, unit: null },
  ];
  t.strictSame(outputs(`SELECT name || city || '!' FROM users ${both}`), texts(key, constant(TEXT, '!')));
  t.strictSame(outputs(`SELECT (name || city) || (name || city) FROM users ${both}`), texts(key, key));
  t.strictSame(
    outputs(`SELECT name || city || '!' || (name || city) FROM users ${both}, name || city || '!'`),
    texts(input(TEXT, 1), key),
  );
  t.match(
    refusalOf(() => planOf(`SELECT city || name || city FROM users ${both}`)),
    {
      message: /must be in GROUP BY/,
    },
  );
  const one = 'age > 1 AND active';
  const list = (sql: string) => (planOf(sql).grouping?.keys ?? [])[0];
  t.strictSame(
    list(`SELECT COUNT(*) FROM users GROUP BY (${one}) AND age < 9`),
    list(`SELECT COUNT(*) FROM users GROUP BY age > 1 AND (active AND age < 9)`),
    'conditions are one list however they are nested',
  );
});

const REFUSALS: readonly (readonly [sql: string, message: string, column: number, suggestion?: string])[] = [
  ['SELECT nmae FROM users', 'there is no column "nmae" in "users"', 8, 'name'],
  ['SELECT name FROM usres', 'there is no table "usres"', 18, 'users'],
  ['SELECT u.name FROM users', 'the statement has no table "u"', 8],
  ['SELECT clicks FROM users', '"clicks" is an event column: write [clicks.value] or [clicks.date]', 8],
  [
    'SELECT name FROM users WHERE COUNT(*) > 1',
    'COUNT is an aggregate; aggregates are not allowed in WHERE; use HAVING',
    30,
  ],
  [
    'SELECT age AS a FROM users WHERE a > 1',
    '"a" is an alias; aliases are not allowed in WHERE: repeat the expression there',
    34,
  ],
  ['SELECT name FROM users GROUP BY city', '"name" must be in GROUP BY or in an aggregate', 8],
  [
    'SELECT city FROM users GROUP BY city ORDER BY age + 1',
    '"age" must be in GROUP BY or in an aggregate',
    47,
  ],
  ['SELECT SUM(MAX(age)) FROM users', 'SUM cannot contain another aggregate', 12],
  ['SELECT SUM(name) FROM users', 'SUM does not take text', 8],
  ['SELECT AVG(active) FROM users', 'AVG does not take boolean', 8],
  ['SELECT COUNT(home) FROM users', 'geolocation queries are not available through SQL', 14],
  [
    "SELECT name FROM users WHERE home = 'x'",
    '"home" contains points: geolocation queries are not available through SQL',
    30,
  ],
  ['SELECT name FROM users GROUP BY home', 'geolocation queries are not available through SQL', 33],
  ['SELECT name FROM users ORDER BY tags', 'lists and points have no order', 33],
  ['SELECT name FROM users ORDER BY 2', 'ORDER BY "2": SELECT has the columns 1 to 1', 33],
  ['SELECT COUNT(*) FROM users GROUP BY 1', 'aggregates are not allowed in GROUP BY', 8],
  [
    'SELECT DISTINCT name FROM users ORDER BY age',
    'with DISTINCT, ORDER BY expressions must be in the SELECT list',
    42,
  ],
  [
    "SELECT name FROM users HAVING name = 'x'",
    'HAVING requires GROUP BY or an aggregate; use WHERE to filter rows',
    31,
  ],
  ["SELECT name FROM users WHERE age = 'x'", '"x" cannot be read as integer', 36],
  ["SELECT name FROM users WHERE admission > '2017-13-01'", '"2017-13-01" is not a date', 42],
  [
    'SELECT [clicks.value], [spent.value] FROM users',
    'the rows are the events of one column, but "clicks.value" and "spent.value" are two columns',
    24,
  ],
  [
    'SELECT [clicks.value], COUNT(*) FROM users',
    '"clicks.value" is an event column: in SELECT it must also be in GROUP BY, or in an aggregate',
    8,
  ],
  [
    'SELECT COUNT([spent.value]) FROM users GROUP BY [clicks.value]',
    'if the rows are the events of one column, aggregates cannot read the events of another',
    8,
  ],
  ['SELECT SUM([spent.value] * age) FROM users', 'an aggregate over events cannot also read "age"', 8],
  [
    'SELECT SUM([spent.value] + LENGTH([clicks.value])) FROM users',
    'an aggregate can read the events of only one column',
    8,
  ],
  [
    'SELECT PERCENTILE(age, 1.5) FROM users',
    'the second argument of PERCENTILE must be a number from 0 to 1',
    24,
  ],
  [
    "SELECT COUNT(*) FROM users GROUP BY INTERVAL([clicks.value]) = 'day'",
    'the length of an INTERVAL is one of seconds, minutes, hours, days, weeks, months, not "day"',
    64,
  ],
  ['SELECT COUNT(*)', 'groups and aggregates require FROM', 8],
  ['SELECT name', '"name" is a column, and the statement has no FROM', 8],
  ['SELECT *', '* requires FROM', 8],
  [
    `SELECT ${Array.from({ length: 1001 }, () => 'age').join()} FROM users`,
    'there are more than 1000 columns in the answer',
    4008,
  ],
];

t.test(
  'a statement that cannot be bound is refused with a message, a position and a suggestion',
  async (t) => {
    for (const [sql, message, column, suggestion] of REFUSALS) {
      const expected = { code: 6000, message, line: 1, column, ...(suggestion && { suggestion }) };
      t.strictSame(
        refusalOf(() => planOf(sql)),
        expected,
        sql.slice(0, 100),
      );
    }
  },
);

t.test('a key sees only its columns and rows', async (t) => {
  const row = attribute('name', text(['a']));
  const access = {
    fingerprint: '',
    allows: (_dimension: unknown, { apiName }: { readonly apiName: string }) =>
      !['salary', 'clicks'].includes(apiName),
    checkColumn: (_dimension: unknown, { apiName }: { readonly apiName: string }) => {
      if (['salary', 'clicks'].includes(apiName)) throw new QuarryError(506, apiName);
    },
    restrict: (() => row) as never,
    segment: () => row as never,
  };
  t.notOk(planOf('SELECT * FROM users', access).outputs.some(({ name }) => name === 'salary'));
  t.strictSame(planOf('SELECT age FROM users', access).condition, row);
  const joined = planOf('SELECT age FROM users JOIN cities c ON city = c.[entity-id]', access).joins;
  t.strictSame(
    joined.map(({ condition }) => condition),
    [row],
  );
  for (const sql of [
    'SELECT salary FROM users',
    'SELECT age FROM users WHERE salary > 3',
    'SELECT age FROM users ORDER BY salary',
    'SELECT MAX(salary) FROM users',
    'SELECT age FROM users WHERE [clicks.value] = 1',
    'SELECT COUNT(*) FROM users GROUP BY [clicks.date]',
    'SELECT age FROM users HAVING COUNT([clicks.value]) > 1',
    'SELECT age FROM users WHERE "salary" > 3',
    'SELECT age AS salary FROM users ORDER BY LENGTH(salary)',
  ]) {
    t.throws(() => planOf(sql, access), { code: sql.includes('AS salary') ? 6000 : 506 }, sql);
  }
  t.strictSame(
    refusalOf(() => planOf('SELECT salarx FROM users', access)),
    {
      code: 6000,
      message: 'there is no column "salarx" in "users"',
      line: 1,
      column: 8,
    },
  );
});

const SEED = 77;
t.test(`generated statements are bound or refused, seed ${SEED}`, async (t) => {
  const prng = new Prng(SEED);
  const words = [
    ...[
      'SELECT',
      'FROM users',
      'WHERE',
      'GROUP BY',
      'HAVING',
      'ORDER BY',
      'AND',
      'OR',
      'NOT',
      'DISTINCT',
      'LIMIT 3',
    ],
    ...[
      'name',
      'age',
      'salary',
      'tags',
      'home',
      '[clicks.value]',
      '[clicks.date]',
      '[spent.value]',
      'score',
      '*',
    ],
    ...[
      'COUNT(*)',
      'COUNT(',
      'SUM(',
      'MAX(',
      'MEDIAN(',
      ')',
      ',',
      '(',
      '=',
      '<',
      '>',
      '+',
      '||',
      "'a'",
      '1',
      '1.5',
    ],
    ...[
      'NULL',
      'TRUE',
      'IS NULL',
      "LIKE 'a%_'",
      "IN ('a', NULL)",
      'BETWEEN 1 AND 2',
      "'2017-01-01'",
      'x',
      'AS x',
    ],
    ...[
      "INTERVAL([clicks.value]) = 'days'",
      'CASE WHEN',
      'THEN',
      'ELSE',
      'END',
      'LENGTH(',
      'CAST(age AS text)',
    ],
    ...['JOIN cities c ON city = c.[entity-id]', 'c.people', '[entity-id]', "DATEPART('dd', admission)", '-'],
  ];
  const clause = (most: number): string =>
    Array.from({ length: prng.between(1, most) }, () => prng.pick(words)).join(' ');
  const said = (word: string, most: number): string => (prng.chance(0.5) ? ` ${word} ${clause(most)}` : '');
  const simple = (): string => prng.pick(words.slice(11, 21));
  let bound = 0;
  for (let round = 0; round < 6_000; round++) {
    const items = prng.chance(0.5)
      ? clause(4)
      : `${simple()}, ${prng.pick(['COUNT(*)', 'MAX(age)', 'SUM([spent.value])', simple()])}`;
    const grouped = prng.chance(0.3) ? ` GROUP BY ${simple()}` : said('GROUP BY', 2);
    const sql = `SELECT ${items} FROM users${said('WHERE', 5)}${grouped}${said('HAVING', 4)}${said('ORDER BY', 2)}`;
    try {
      planOf(sql);
      bound++;
    } catch (error) {
      if (!(error instanceof QuarryError)) t.fail(`${sql}: ${error}`);
    }
  }
  t.ok(bound > 100, `${bound} bound`);
});
