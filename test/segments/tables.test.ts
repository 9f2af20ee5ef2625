/** Questions about behaviour as tables of SQL: every kind has the columns of its table, with the numbers of its endpoint. */
import t from 'tap';
import { BEHAVIOUR_KINDS, QUESTION_COLUMNS } from '../../src/interface/index.js';
import { startPostgres } from '../pg/site.js';

const EVENT = (value: string): object => ({ event: { visit: { equals: value } } });
const DAYS = { interval: 'days', between: ['2024-01-01', '2024-01-03'] };
const SEGMENTS = [
  { name: 'a', query: [{ country: { equals: 'fr' } }] },
  { name: 'b', query: [{ age: { gte: 4 } }] },
];
const QUESTIONS: Readonly<Record<(typeof BEHAVIOUR_KINDS)[number], object>> = {
  funnel: { steps: ['a', 'b'].map(EVENT), ...DAYS, breakdown: { column: 'country' } },
  retention: { start: EVENT('a'), ...DAYS, periods: 3, breakdown: { column: 'country' } },
  lifecycle: { ...EVENT('a'), ...DAYS },
  stickiness: { event: { visit: {} }, ...DAYS },
  actives: { event: { visit: {} }, ...DAYS, rolling: 2 },
  sequence: { conditions: ['a', 'b'].map(EVENT), pattern: '(?1)(?2)' },
  sessions: { stream: ['visit'], gap: '36hr', ...DAYS, breakdown: { column: 'country' } },
  flow: { start: EVENT('a'), stream: ['visit'], depth: 3 },
  overlap: { segments: SEGMENTS },
  compare: { segments: SEGMENTS, columns: ['country', 'visit'] },
  timeline: { 'entity-id': 'u2', limit: 5 },
};

t.test('tables of questions', async (t) => {
  const fixture = await startPostgres(t);
  const { https, keys } = fixture;
  const sql = async <Row>(text: string): Promise<Row[]> =>
    (
      await https.succeed<{ result: Row[] }>({
        ...{ path: '/v1/sql', text, headers: { 'content-type': 'application/sql' } },
      })
    ).result;
  await https.succeed({
    path: '/v1/column',
    body: [
      { name: 'age', type: 'integer' },
      { name: 'country', type: 'string' },
      { name: 'visit', type: 'string-event' },
    ],
  });
  const visits = (at: number): object[] => [
    { value: 'a', date: `2024-01-0${1 + (at % 2)}` },
    ...(at % 2 === 0 ? [{ value: 'b', date: '2024-01-02' }] : []),
    ...(at % 3 === 0 ? [{ value: 'a', date: '2024-01-03' }] : []),
  ];
  const body = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [
      `u${at}`,
      { age: at, country: at < 5 ? 'fr' : 'de', visit: visits(at) },
    ]),
  );
  await https.succeed({ path: '/v1/insert', body });
  const textOf = (question: object): string => `'${JSON.stringify(question).replaceAll("'", "''")}'`;
  const answerOf = async <Answer>(kind: string, question: object): Promise<Answer> =>
    (
      await https.succeed<{ result: { q: Answer } }>({
        path: `/v1/query/${kind}`,
        body: { 'query-name': 'q', ...question },
      })
    ).result.q;

  for (const kind of BEHAVIOUR_KINDS) {
    const rows = await sql<Record<string, unknown>>(`SELECT * FROM ${kind}(${textOf(QUESTIONS[kind])})`);
    t.ok(rows.length > 0, kind);
    t.strictSame(
      Object.keys(rows[0]),
      QUESTION_COLUMNS[kind].map(({ name }) => name),
      `${kind}: columns`,
    );
  }

  const funnel = await answerOf<{ steps: { count: number }[]; groups: object[]; series: object[] }>(
    'funnel',
    QUESTIONS.funnel,
  );
  const steps = `funnel(${textOf(QUESTIONS.funnel)})`;
  t.strictSame(
    await sql(`SELECT step, [count] FROM ${steps} WHERE part = 'whole' ORDER BY step`),
    funnel.steps.map(({ count }, index) => ({ step: index + 1, count })),
    'a funnel',
  );
  t.strictSame(
    await sql(`SELECT part, COUNT(*) AS n FROM ${steps} GROUP BY part ORDER BY part`),
    [
      { part: 'group', n: funnel.groups.length * 2 },
      { part: 'series', n: funnel.series.length * 2 },
      { part: 'whole', n: 2 },
    ],
    'grouped',
  );
  const classes = { ...QUESTIONS.funnel, histogram: 2 };
  const withClasses = await answerOf<{
    steps: { histogram?: { from: number; to: number; count: number }[] }[];
  }>('funnel', classes);
  t.strictSame(
    await sql(
      `SELECT [seconds-from] AS [from], [seconds-to] AS [to], [count] FROM funnel(${textOf(classes)}) WHERE part = 'whole' AND [seconds-to] IS NOT NULL ORDER BY [seconds-from]`,
    ),
    withClasses.steps[1].histogram,
    'a histogram',
  );
  const actives = await answerOf<{ series: { between: string[]; count: number; rolling: number }[] }>(
    'actives',
    QUESTIONS.actives,
  );
  const table = `actives(${textOf(QUESTIONS.actives)})`;
  t.strictSame(
    await sql(`SELECT [count], rolling FROM ${table} ORDER BY [from] DESC`),
    actives.series.map(({ count, rolling }) => ({ count, rolling })).reverse(),
    'ordered',
  );
  t.strictSame(
    await sql(
      `SELECT p.[entity-id] AS id, s.active FROM [default] p JOIN stickiness(${textOf(QUESTIONS.stickiness)}) s ON s.active = p.age WHERE p.age < 3 ORDER BY id`,
    ),
    [
      { id: 'u1', active: 1 },
      { id: 'u2', active: 2 },
    ],
    'joined',
  );
  const client = await fixture.connect();
  const onPort = await client.query<{ step: string; count: string }>(
    `SELECT step, "count" FROM ${steps} AS f WHERE f.part = 'whole' ORDER BY step`,
  );
  t.strictSame(
    onPort.rows.map(({ count }) => Number(count)),
    funnel.steps.map(({ count }) => count),
    'on the port',
  );
  const explained = await sql<object>(`EXPLAIN SELECT * FROM ${table}`);
  t.match(JSON.stringify(explained), /question.*actives/);
  const made = await https.succeed<{ key: string }>({
    ...{ path: '/v1/database/custom_key', key: keys.team },
    body: {
      'database-name': 'quarry',
      'custom-database-key': {
        ...{ 'key-name': 'few', 'key-type': 'read-only' },
        filter: { default: { country: { equals: 'de' } } },
      },
    },
  });
  const few = await https.succeed<{ result: object[] }>({
    ...{ path: '/v1/sql', key: made.key, headers: { 'content-type': 'application/sql' } },
    text: `SELECT [count] FROM ${steps} WHERE part = 'whole' AND step = 1`,
  });
  t.strictSame(few.result, [{ count: 3 }], 'a row filter');
  for (const [text, code] of [
    ["SELECT * FROM funnel('{}')", 4010],
    ['SELECT * FROM funnel(1)', 6000],
    [
      `SELECT * FROM funnel(${textOf({ ...classes, histogram: 100, interval: 'hours', between: ['2024-01-01', '2024-12-01'] })})`,
      4038,
    ],
    [`SELECT * FROM funnel('{"steps": [], "histogram": 3}')`, 9101],
    ["SELECT * FROM funnels('{}')", 6000],
    ["SELECT * FROM funnel('{')", 1503],
  ] as const) {
    const { body: answer } = await https.request({
      path: '/v1/sql',
      text,
      headers: { 'content-type': 'application/sql' },
    });
    t.match(answer, { errors: [{ code }] }, text);
  }
});
