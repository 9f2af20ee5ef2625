/**
 * Questions about behaviour over HTTPS, beside ClickHouse's functions for them and DuckDB's SQL in process on two threads.
 * Run after a build: node dist/native-bench/behaviour/behaviour.bench.js [million entities] [rounds]
 * Each entity has ten events, of ten pages over 60 days, no two of them in one second. Prints medians in milliseconds, and the
 * first time of Quarry, which builds its order of the events. Every answer is compared with those of the peers.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { importChdb } from '../peers/packages.js';
import { QuarryServer } from '../server/quarry.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const ENTITIES = Number(process.argv[2] ?? 1) * 1e6;
const ROUNDS = Number(process.argv[3] ?? 5);
const PAGES = 10;
const THREADS = 2;
const EVENTS = `SELECT 'u' || (i % ${ENTITIES}) AS user, 'p' || (hash(i + 7) % ${PAGES}) AS page,
  TIMESTAMP '2024-01-01' + to_seconds(((hash(i + 3) % 518000) * 10 + i // ${ENTITIES})::BIGINT) AS seen FROM range(${ENTITIES * 10}) t(i)`;

type Json = Record<string, unknown>;

const page = (number: number): Json => ({ event: { page: { equals: `p${number}` } } });
const pages = (count: number): Json[] => Array.from({ length: count }, (_, index) => page(index % PAGES));

interface Question {
  readonly name: string;
  readonly kind: string;
  readonly body: Json;
  /** The numbers of Quarry's answer, which the peers' SQL returns, too. */
  readonly numbers: (answer: never) => readonly number[];
  readonly clickHouse: string | null;
  readonly duckDb: string | null;
}

const equalsPages = (count: number): string =>
  Array.from({ length: count }, (_, index) => `page = 'p${index}'`).join(', ');

/** How many entities got at least as far as each step. */
const windowFunnel = (steps: number, seconds: number): string => {
  const reached = Array.from({ length: steps }, (_, index) => `countIf(level > ${index})`).join(', ');
  return `SELECT ${reached} FROM (SELECT windowFunnel(${seconds})(seen, ${equalsPages(steps)}) AS level FROM events GROUP BY user)`;
};

interface Steps {
  readonly steps: readonly { readonly count: number }[];
}
const stepCounts = ({ steps }: Steps): readonly number[] => steps.map(({ count }) => count);

interface Cohorts {
  readonly total: { readonly size: number; readonly counts: readonly number[] };
}
interface Series {
  readonly series: readonly { readonly count: number }[];
}
interface Links {
  readonly links: readonly { readonly count: number }[];
}
interface Combinations {
  readonly combinations: readonly { readonly count: number }[];
}
const ascending = (counts: readonly number[]): readonly number[] => [...counts].sort((a, b) => a - b);

const PAIRS = (lead: string): string =>
  `SELECT COUNT(*) AS n FROM (SELECT page, ${lead} AS next FROM events) t WHERE next IS NOT NULL AND next <> '' GROUP BY page, next ORDER BY n`;
const SESSIONS = (lag: string): string =>
  `SELECT COUNT(*) AS n FROM (SELECT seen, ${lag} AS before FROM events) t WHERE `;
const SEGMENTS = [0, 1, 2]
  .map((number) => `MAX(CASE WHEN page = 'p${number}' THEN 1 ELSE 0 END) AS s${number}`)
  .join(', ');
const OVERLAP = `SELECT COUNT(*) AS n FROM (SELECT ${SEGMENTS} FROM events GROUP BY user) t WHERE s0 + s1 + s2 > 0 GROUP BY s0, s1, s2 ORDER BY n`;

const QUESTIONS: readonly Question[] = [
  ...[
    { steps: 3, days: 7 },
    { steps: 8, days: 30 },
  ].map(
    ({ steps, days }): Question => ({
      name: `funnel of ${steps} steps within ${days} days`,
      kind: 'funnel',
      body: { steps: pages(steps), within: `${days}d` },
      numbers: stepCounts,
      clickHouse: windowFunnel(steps, days * 86_400),
      duckDb: null,
    }),
  ),
  {
    name: 'funnel of 64 steps',
    kind: 'funnel',
    body: { steps: pages(64) },
    numbers: stepCounts,
    clickHouse: null,
    duckDb: null,
  },
  {
    name: 'weekly retention of first visits',
    kind: 'retention',
    body: { start: page(0), return: page(1), interval: 'weeks', until: '2024-03-10' },
    numbers: ({ total }: Cohorts) => [total.size, ...total.counts],
    clickHouse: `WITH first AS (SELECT user, min(seen) AS began FROM events WHERE page = 'p0' GROUP BY user)
      SELECT (SELECT count() FROM first) AS size, ${Array.from({ length: 8 }, (_, week) => `uniqExactIf(user, week = ${week})`).join(', ')}
      FROM (SELECT user, dateDiff('week', toMonday(began), toMonday(seen)) AS week FROM events INNER JOIN first USING user WHERE page = 'p1' AND seen > began)`,
    duckDb: `WITH first AS (SELECT user, MIN(seen) AS began FROM events WHERE page = 'p0' GROUP BY user)
      SELECT (SELECT COUNT(*) FROM first) AS size, ${Array.from({ length: 8 }, (_, week) => `COUNT(DISTINCT user) FILTER (week = ${week})`).join(', ')}
      FROM (SELECT user, date_diff('week', date_trunc('week', began), date_trunc('week', seen)) AS week FROM events JOIN first USING (user) WHERE page = 'p1' AND seen > began) t`,
  },
  {
    name: 'daily retention of one day',
    kind: 'retention',
    body: {
      ...{ start: page(0), return: page(1), interval: 'days', cohort: 'recurring', until: '2024-03-10' },
      between: ['2024-01-01', '2024-01-01T23:59:59Z'],
    },
    // The peer's conditions exclude each other by their dates, so a return on the day of the visit is not compared.
    numbers: ({ total }: Cohorts) => [total.size, ...total.counts.slice(1)],
    clickHouse: `SELECT ${[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `countIf(days[${at}] = 1)`).join(', ')}
      FROM (SELECT retention(page = 'p0' AND toDate(seen) = '2024-01-01', ${[2, 3, 4, 5, 6, 7, 8].map((day) => `page = 'p1' AND toDate(seen) = '2024-01-0${day}'`).join(', ')}) AS days FROM events GROUP BY user)`,
    duckDb: null,
  },
  {
    name: 'active entities of 60 days',
    kind: 'actives',
    body: { event: { page: {} }, interval: 'days' },
    numbers: ({ series }: Series) => series.map(({ count }) => count).filter((count) => count > 0),
    clickHouse: 'SELECT uniqExact(user) FROM events GROUP BY toDate(seen) ORDER BY toDate(seen)',
    duckDb: `SELECT COUNT(DISTINCT user) FROM events GROUP BY date_trunc('day', seen) ORDER BY date_trunc('day', seen)`,
  },
  {
    name: 'active entities of 30 days, rolling',
    kind: 'actives',
    body: { event: { page: {} }, interval: 'days', rolling: 30 },
    numbers: ({ series }: Series) => series.map(({ count }) => count).filter((count) => count > 0),
    clickHouse: null,
    duckDb: null,
  },
  {
    name: 'sequence of three events with a time',
    kind: 'sequence',
    body: { conditions: pages(3), pattern: '(?1).*(?2)(?t<=86400)(?3)' },
    numbers: ({ entities }: { readonly entities: number }) => [entities],
    clickHouse: `SELECT countIf(found) FROM (SELECT sequenceMatch('(?1).*(?2)(?t<=86400)(?3)')(seen, ${equalsPages(3)}) AS found FROM events GROUP BY user)`,
    duckDb: null,
  },
  {
    name: 'matches of a sequence of three events',
    kind: 'sequence',
    body: { conditions: pages(3), pattern: '(?1)(?t<=864000)(?2).*(?3)' },
    numbers: ({ matches }: { readonly matches: number }) => [matches],
    clickHouse: `SELECT sum(found) FROM (SELECT sequenceCount('(?1)(?t<=864000)(?2).*(?3)')(seen, ${equalsPages(3)}) AS found FROM events GROUP BY user)`,
    duckDb: null,
  },
  {
    name: 'sessions with gaps of 30 minutes',
    kind: 'sessions',
    body: { stream: ['page'], gap: '30min' },
    numbers: ({ sessions }: { readonly sessions: number }) => [sessions],
    clickHouse: `${SESSIONS('lagInFrame(seen) OVER (PARTITION BY user ORDER BY seen ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING)')} seen - before > 1800`,
    duckDb: `${SESSIONS('LAG(seen) OVER (PARTITION BY user ORDER BY seen)')} before IS NULL OR seen - before > INTERVAL 30 MINUTE`,
  },
  {
    name: 'pairs of events that follow each other',
    kind: 'flow',
    body: { start: { event: { page: {} } }, stream: ['page'], depth: 2, from: 'every', limit: 50 },
    numbers: ({ links }: Links) => ascending(links.map(({ count }) => count)),
    clickHouse: PAIRS(
      'leadInFrame(page) OVER (PARTITION BY user ORDER BY seen ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)',
    ),
    duckDb: PAIRS('LEAD(page) OVER (PARTITION BY user ORDER BY seen)'),
  },
  {
    name: 'overlap of three segments',
    kind: 'overlap',
    body: {
      segments: [0, 1, 2].map((number) => ({
        name: `s${number}`,
        query: [{ page: { equals: `p${number}`, between: ['2024-01-01', '2024-03-01'] } }],
      })),
    },
    numbers: ({ combinations }: Combinations) => ascending(combinations.map(({ count }) => count)),
    clickHouse: OVERLAP,
    duckDb: OVERLAP,
  },
];

/** Questions with periods, each measured without a time zone and with UTC, which is the same. */
const IN_PERIODS: readonly Omit<Question, 'clickHouse' | 'duckDb'>[] = [
  {
    ...{ name: 'active entities by days', kind: 'actives' },
    body: { event: { page: {} }, interval: 'days' },
    numbers: ({ series }: Series) => series.map(({ count }) => count),
  },
  {
    ...{ name: 'events by days', kind: 'count/event' },
    body: {
      ...{
        query: [{ page: { 'starts-with': 'p', between: ['2024-01-01', '2024-03-01'] } }],
        interval: 'days',
      },
      between: undefined,
    },
    numbers: (buckets: readonly { readonly count: number }[]) => buckets.map(({ count }) => count),
  },
];

/** Runs a question and returns the numbers of the answer. */
type RunQuestion = (question: Question) => Promise<readonly number[] | null>;

interface Timed {
  readonly firstMs: number;
  readonly medianMs: number;
  readonly numbers: readonly number[];
}

async function timed(run: RunQuestion, question: Question): Promise<Timed | null> {
  const times: number[] = [];
  let numbers: readonly number[] | null = null;
  for (let round = 0; round <= ROUNDS; round++) {
    const started = performance.now();
    numbers = await run(question);
    if (numbers === null) return null;
    times.push(performance.now() - started);
  }
  const [firstMs, ...others] = times;
  others.sort((a, b) => a - b);
  return { firstMs, medianMs: others[others.length >> 1], numbers: numbers ?? [] };
}

/** The medians of a question without a time zone and with UTC, in turn, and the ratio of the first to the second. */
async function zoneLine(
  run: RunQuestion,
  { body, ...question }: (typeof IN_PERIODS)[number],
): Promise<string> {
  const [without, utc]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS * 2; round++) {
    for (const [times, zone] of [
      [without, undefined],
      [utc, 'UTC'],
    ] as const) {
      const started = performance.now();
      await run({ ...question, body: { ...body, 'time-zone': zone }, clickHouse: null, duckDb: null });
      times.push(performance.now() - started);
    }
  }
  const [plain, zoned] = [without, utc].map((times) => times.sort((a, b) => a - b)[times.length >> 1]);
  return `${question.name}: without a time zone ${plain.toFixed(1)} ms, in UTC ${zoned.toFixed(1)} ms (${(plain / zoned).toFixed(2)})`;
}

function runQuarry(server: QuarryServer): RunQuestion {
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  const { url, key } = server.target('/', true);
  const { hostname, port } = new URL(url);
  return (question) => {
    const between = ['2024-01-01', '2024-03-01'];
    const body = { dimension: 'events', 'query-name': 'q', 'bypass-cache': true, between, ...question.body };
    const headers = { authorization: key, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const options = { agent, hostname, port, path: `/v1/query/${question.kind}`, method: 'POST', headers };
      const request = https.request(options, (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => {
          if (response.statusCode !== 200) reject(new Error(text));
          else resolve(question.numbers((JSON.parse(text) as { result: { q: never } }).result.q));
        });
      });
      request.on('error', reject);
      request.end(JSON.stringify(body));
    });
  };
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-behaviour-'));
const file = path.join(dir, 'events.parquet');
const duck = await (await DuckDBInstance.create(':memory:', { threads: String(THREADS) })).connect();
await duck.run(`COPY (${EVENTS}) TO '${file}' (FORMAT parquet)`);
await duck.run(`CREATE TABLE events AS SELECT * FROM '${file}'`);
const runDuckDb: RunQuestion = async ({ duckDb }) => {
  if (duckDb === null) return null;
  const rows = await (await duck.runAndReadAll(duckDb)).getRows();
  return rows.flat().map(Number);
};

const { Session } = await importChdb();
const session = new Session(path.join(dir, 'clickhouse'));
session.query(`CREATE DATABASE bench`);
session.query(
  `CREATE TABLE bench.events (user String, page LowCardinality(String), seen DateTime('UTC')) ENGINE = MergeTree ORDER BY (user, seen)`,
);
session.query(
  `INSERT INTO bench.events SELECT user, page, toDateTime(seen, 'UTC') FROM file('${file}', Parquet)`,
);
session.query('OPTIMIZE TABLE bench.events FINAL');
const runClickHouse: RunQuestion = async ({ clickHouse }) => {
  if (clickHouse === null) return null;
  const sql = clickHouse.replaceAll(' events', ' bench.events');
  const text = session.query(`${sql} SETTINGS max_threads = ${THREADS}`, 'TSV');
  return text.trim().split(/\s+/).map(Number);
};

const server = await QuarryServer.start(path.join(dir, 'quarry'), THREADS);
try {
  const words = [
    'import',
    file,
    '--data-dir',
    server.dir,
    '--dimension',
    'events',
    '--id',
    'user',
    '--event',
    'page:page:seen',
  ];
  await promisify(execFile)(process.execPath, [MAIN, ...words], { maxBuffer: 2 ** 24 });
  const runInQuarry = runQuarry(server);
  for (const question of QUESTIONS) {
    const own = (await timed(runInQuarry, question)) as Timed;
    const peers = [
      ['ClickHouse', await timed(runClickHouse, question)],
      ['DuckDB', await timed(runDuckDb, question)],
    ] as const;
    const parts = [
      `${question.name}: Quarry ${own.medianMs.toFixed(0)} ms (first ${own.firstMs.toFixed(0)})`,
    ];
    for (const [name, peer] of peers) {
      if (peer === null) continue;
      const isEqual =
        peer.numbers.length === own.numbers.length &&
        peer.numbers.every((number, at) => number === own.numbers[at]);
      const check = isEqual
        ? ''
        : ` DIFFERENT: ${peer.numbers.slice(0, 10)} instead of ${own.numbers.slice(0, 10)}`;
      parts.push(
        `${name} ${peer.medianMs.toFixed(0)} ms (${(peer.medianMs / own.medianMs).toFixed(1)} times)${check}`,
      );
      if (!isEqual) process.exitCode = 1;
    }
    process.stdout.write(`${parts.join(', ')}\n`);
  }
  for (const question of IN_PERIODS) process.stdout.write(`${await zoneLine(runInQuarry, question)}\n`);
} finally {
  await server.close();
  session.cleanup();
  fs.rmSync(dir, { recursive: true });
}
