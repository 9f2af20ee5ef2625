/**
 * Properties of SQL's answers for any rows: the parts of a condition add up to the whole, joined pages equal the whole
 * result, every number of shards gives the same bytes, and equivalent requests of the JSON interface have the same
 * answers. A longer run: node dist/test/metamorphic/sql-parts.test.js --rounds 1000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { type ExactNumber, type Json, type JsonObject, parseJson } from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { jsonText } from '../support/generate.js';
import { insertWorld } from '../support/sql/sql-load.js';
import { attributePair, eventPair, listPair, window } from '../support/sql/sql-pairs.js';
import { print } from '../support/sql/sql-piece.js';
import { generateWorld, type World } from '../support/sql/sql-world.js';
import { printSelect } from './sql-select.js';
import { sourceOf } from './sql-source.js';
import { Statements } from './sql-statements.js';
import { Values } from './sql-values.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [ROUNDS, SEED] = [Number(options.rounds), Number(options.seed)];
t.comment(`seed ${SEED}, ${ROUNDS} rounds`);
t.setTimeout(120_000 + ROUNDS * 2_000);

const prng = new Prng(SEED);
/** Number of rounds over one world. */
const ROUNDS_PER_WORLD = 16;
const PAGE_ROWS = 7;

const servers = await Promise.all([
  ConformanceServer.start(true, { shards: 1, workers: 1 }),
  ConformanceServer.start(false, { shards: 2, workers: 2 }),
  ConformanceServer.start(true, { shards: 7, workers: 2 }),
]);
const [server] = servers;
t.teardown(() => Promise.all(servers.map((one) => one.stop())));

let world: World = [];
async function nextWorld(index: number): Promise<void> {
  if (index % ROUNDS_PER_WORLD !== 0) return;
  world = generateWorld(prng, `w${worldCount++}`);
  for (const one of servers) await insertWorld(one, world);
}
let worldCount = 0;

async function rows(sql: string, at = server): Promise<readonly JsonObject[]> {
  const { status, text } = await at.sql(sql);
  if (status !== 200) throw new Error(`${sql}: HTTP ${status} ${text.slice(0, 500)}`);
  return (parseJson(Buffer.from(text)) as JsonObject).get('result') as readonly JsonObject[];
}

async function result(path: string, body: string): Promise<JsonObject> {
  const { status, text } = await server.post(path, body);
  if (status !== 200) throw new Error(`${path} ${body}: HTTP ${status} ${text.slice(0, 500)}`);
  return parseJson(Buffer.from(text)) as JsonObject;
}

const rowTexts = (found: readonly JsonObject[]): string[] =>
  found.map((row) => [...row.values()].map((value) => jsonText(value)).join(' '));

async function count(where: string): Promise<number> {
  const [row] = await rows(`SELECT COUNT(*) FROM ${world[0].name} ${where}`);
  return Number((row.get('COUNT') as ExactNumber).text);
}

t.test('the rows for which a condition is true, false and unknown are all rows', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const source = sourceOf(prng, [world[0]]);
    const condition = print(new Values(prng, source.columns).condition(prng.pick([0, 1, 2, 3]))).quarry;
    const part = `CASE WHEN ${condition} THEN 1 WHEN NOT ${condition} THEN 0 ELSE 2 END`;
    const grouped = await rows(
      `SELECT ${part} AS part, COUNT(*) FROM ${world[0].name} GROUP BY part ORDER BY part`,
    );
    const counts = await Promise.all([
      count(`WHERE NOT ${condition}`),
      count(`WHERE ${condition}`),
      count(`WHERE ${part} = 2`),
    ]);
    const expected = counts.flatMap((found, which) => (found === 0 ? [] : [`${which} ${found}`]));
    t.strictSame(rowTexts(grouped), expected, condition);
    t.equal(counts[0] + counts[1] + counts[2], world[0].rows.length, condition);
  }
});

t.test('joined pages equal the whole, and every number of shards gives the same bytes', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const statements = new Statements(prng, world);
    let select = statements.any();
    while (!select.total) select = statements.any();
    const sql = printSelect({ ...select, limit: null, offset: 0 }).quarry;
    const texts = await Promise.all(
      servers.map(async (one) => (await one.sql(sql)).text.replace(/"took":[\d.]+/, '')),
    );
    t.strictSame(texts.slice(1), [texts[0], texts[0]], sql);
    const whole = await rows(sql);
    const first = prng.below(whole.length + 1);
    const pages: JsonObject[] = [];
    for (let page = 0; page < 4; page++) {
      pages.push(
        ...(await rows(`${sql} LIMIT ${PAGE_ROWS} OFFSET ${first + page * PAGE_ROWS}`, servers[page % 3])),
      );
    }
    t.strictSame(
      rowTexts(pages),
      rowTexts(whole.slice(first, first + 4 * PAGE_ROWS)),
      `${sql} from ${first}`,
    );
  }
});

t.test('a LIMIT without an order returns that number of the rows', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const statements = new Statements(prng, world);
    let select = statements.any();
    while (select.total) select = statements.any();
    const sql = printSelect({ ...select, limit: null, offset: 0 }).quarry;
    const left = rowTexts(await rows(sql));
    const [limit, offset] = [prng.pick([1, 3, 20]), prng.pick([0, 0, 2, 10])];
    const wanted = Math.max(0, Math.min(limit, left.length - offset));
    const some = rowTexts(await rows(`${sql} LIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${offset}`}`));
    t.equal(some.length, wanted, sql);
    const lost = some.filter((row) => {
      const at = left.indexOf(row);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
    t.strictSame(lost, [], sql);
  }
});

t.test('conditions count the same entities and give the same scores in SQL and in JSON', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const [table] = world;
    const word = prng.pick(['and', 'or'] as const);
    const { json, sql } = listPair(prng, table, prng.pick([0, 1, 2]), word, { events: window(prng) });
    const answer = await result(
      '/v1/query/count/entity',
      `{"query-name":"n","dimension":"${table.name}","query":[${json}]}`,
    );
    t.equal(
      jsonText((answer.get('result') as JsonObject).get('n') as Json),
      String(await count(`WHERE ${sql}`)),
      sql,
    );
    // For a top list of ANDs the interface also returns entities for which only some members are true.
    if (word === 'and' && json.includes('"and"')) continue;
    const body = `{"dimension":"${table.name}","query":[${json}],"columns":["entity-id"],"limit":100}`;
    const scored = (await result('/v1/data_extraction/score', body)).get('data') as readonly JsonObject[];
    const found = await rows(
      `SELECT [entity-id], score FROM ${table.name} WHERE ${sql} ORDER BY score DESC, [entity-id] LIMIT 100`,
    );
    const expected = scored.map(
      (row) => `${jsonText(row.get('entity-id') as Json)} ${jsonText(row.get('score') as Json)}.0`,
    );
    t.strictSame(rowTexts(found), expected, sql);
  }
});

t.test('events are counted alike, also with a minimum frequency', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const [{ name, events }] = world;
    const event = prng.pick(events);
    const least = prng.between(1, 3);
    const drawn = { ...{ prng, event }, window: window(prng) };
    const seed = prng.u32();
    const counted = eventPair(new Prng(seed), event, drawn.window, null);
    const frequent = eventPair(new Prng(seed), event, drawn.window, least);
    const all = await result(
      '/v1/query/count/event',
      `{"query-name":"n","dimension":"${name}","query":[${counted.json}]}`,
    );
    const [row] = await rows(`SELECT COUNT([${event.name}.value]) AS n FROM ${name} WHERE ${counted.sql}`);
    t.equal(
      jsonText((all.get('result') as JsonObject).get('n') as Json),
      jsonText(row.get('n') as Json),
      counted.sql,
    );
    const some = await result(
      '/v1/query/count/entity',
      `{"query-name":"n","dimension":"${name}","query":[${frequent.json}]}`,
    );
    const [having] = await rows(
      `SELECT COUNT(*) AS n FROM ${name} WHERE ${counted.sql} HAVING COUNT([${event.name}.value]) >= ${least}`,
    );
    t.equal(
      jsonText((some.get('result') as JsonObject).get('n') as Json),
      jsonText(having.get('n') as Json),
      frequent.json,
    );
  }
});

const METRICS: Readonly<Record<string, string>> = {
  min: 'MIN($)',
  max: 'MAX($)',
  avg: 'AVG($)',
  sum: 'SUM($)',
  count: 'COUNT($)',
  'count-distinct': 'COUNT(DISTINCT $)',
  median: 'MEDIAN($)',
  p95: 'PERCENTILE($, 0.95)',
  p99: 'PERCENTILE($, 0.99)',
  stddev: 'STDDEV($)',
};

const FLOATS = ['avg', 'median', 'p95', 'p99', 'stddev'];

/** Floats have more digits in JSON, and an AVG in SQL has six decimals. */
function sameMetric(found: Json, wanted: Json, metric: string): boolean {
  const [a, b] = [jsonText(found), jsonText(wanted)];
  if (a === b || !FLOATS.includes(metric) || found === null) return a === b;
  return metric === 'avg' ? Math.abs(Number(a) - Number(b)) <= 1e-6 : Number(a) === Number(b);
}

t.test('metrics and top values are those of aggregates and groups', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const [table] = world;
    const { name } = table;
    const filter = prng.chance(0.5) ? attributePair(prng, table) : null;
    const filterJson = filter === null ? '' : `"filter":[${filter.json}],`;
    const column = prng.pick(
      table.columns.filter(({ kind }) => kind.type === 'integer' || kind.type === 'decimal'),
    );
    const metric = prng.pick(Object.keys(METRICS));
    const answer = await result(
      '/v1/query/aggregation',
      `{${filterJson}"dimension":"${name}","query":[{"${column.name}":"${metric}"}]}`,
    );
    const where = filter === null ? '' : ` WHERE ${filter.sql}`;
    const [row] = await rows(
      `SELECT ${METRICS[metric].replace('$', `[${column.name}]`)} AS m FROM ${name}${where}`,
    );
    const wanted = ((answer.get('result') as JsonObject).get(column.name) as JsonObject).get(metric) as Json;
    const found = row.get('m') as Json;
    // A sum without values is 0 in JSON and missing in SQL.
    const isNothing = found === null && metric === 'sum' && Number(jsonText(wanted)) === 0;
    if (!isNothing)
      t.ok(
        sameMetric(found, wanted, metric),
        `${jsonText(found)} ${jsonText(wanted)} ${metric} of ${column.name}${where}`,
      );

    const most = prng.pick([1, 3, 100]);
    const event = prng.chance(0.4) ? prng.pick(table.events) : null;
    const of =
      event?.name ??
      prng.pick(table.columns.filter(({ kind }) => !['json', 'decimal'].includes(kind.type))).name;
    const [from, to] = window(prng);
    const between = event === null ? '' : `,"between":["${from}","${to}"]`;
    const top = await result(
      '/v1/query/top_values',
      `{"q":{"${of}":${most},"dimension":"${name}"${between}}}`,
    );
    const list = ((top.get('result') as JsonObject).get('q') as JsonObject).get(of) as readonly JsonObject[];
    const key = event === null ? `[${of}]` : `[${of}.value]`;
    const condition = event === null ? `${key} IS NOT NULL` : `[${of}.date] BETWEEN '${from}' AND '${to}'`;
    const groups = await rows(
      `SELECT COUNT(*) AS n, CAST(${key} AS text) AS v FROM ${name} WHERE ${condition} GROUP BY ${key} ORDER BY n DESC, v LIMIT ${most}`,
    );
    const values = list.map(
      (item) => `${jsonText(item.get('quantity') as Json)} ${jsonText(item.get('value') as Json)}`,
    );
    // A whole decimal is written 5.0 in SQL and 5 in JSON.
    t.strictSame(
      rowTexts(groups).map((text) => text.replace(/\.0"$/, '"')),
      values,
      `top ${most} of ${of} ${condition}`,
    );
  }
});

t.test('an extraction with an order gives the rows of SELECT with that order', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await nextWorld(round);
    const [table] = world;
    const { json, sql } = listPair(prng, table, 1, prng.pick(['and', 'or']), { events: window(prng) });
    const plain = table.columns.filter(({ kind }) => kind.type !== 'json').map((column) => column.name);
    const names = ['entity-id', ...new Set([prng.pick(plain), prng.pick(plain), prng.pick(plain)])];
    const keys = [...new Set([prng.pick(plain), prng.pick(plain)]), 'entity-id'].map((key) => [
      key,
      prng.pick(['asc', 'desc']),
    ]);
    const order = keys.map(([key, way]) => `{"${key}":"${way}"}`).join(',');
    const limit = prng.pick([1, 20, 1000]);
    const body = `{"dimension":"${table.name}","query":[${json}],"columns":${JSON.stringify(names)},"order":[${order}],"limit":${limit}}`;
    const data = (await result('/v1/data_extraction/result', body)).get('data') as readonly JsonObject[];
    const items = names.map((name) => `CAST([${name}] AS text) AS [${name}]`).join(', ');
    const orderBy = keys.map(([key, way]) => `${table.name}.[${key}] ${way}`).join(', ');
    const found = await rows(
      `SELECT ${items} FROM ${table.name} WHERE ${sql} ORDER BY ${orderBy} LIMIT ${limit}`,
    );
    // In JSON a missing value is left out, in SQL it is null. Datetimes in SQL have lower-case letters, whole decimals
    // no point.
    const shown = (value: Json | undefined): string =>
      value === undefined || value === null ? 'none' : String(value).toLowerCase().replace(/\.0$/, '');
    const rowTexts = (list: readonly JsonObject[]): string[] =>
      list.map((row) => names.map((name) => shown(row.get(name))).join('|'));
    t.strictSame(rowTexts(found), rowTexts(data), `${sql} ORDER BY ${orderBy}`);
  }
});
