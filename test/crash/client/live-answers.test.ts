/**
 * Live answers of a real server: each event equals the answer of a GET at its LSN, for every type of saved query, while data is
 * written. To repeat a run: node dist/test/crash/client/live-answers.test.js --seed 1
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import { SAVED_QUERY_TYPES } from '../../../src/interface/index.js';
import { EventClient } from '../../support/event-client.js';
import { JsonClient } from '../../support/json-client.js';
import { type Keys, ServerProcess, type Serving } from '../../support/server-process.js';

const { values: value } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
});
const SEED = Number(value.seed);
t.comment(`seed ${SEED}`);
t.setTimeout(300_000);

const ROUNDS = 25;
const YEAR = ['2026-01-01', '2026-12-31'] as const;
const VISIT = { event: { visit: {} } };
const BOUGHT = { event: { visit: { equals: 'buy' } } };
const DAYS = { between: ['2026-01-01', '2026-01-12'], interval: 'days' };

/** One query of each type. */
const QUERIES: Readonly<Record<(typeof SAVED_QUERY_TYPES)[number], unknown>> = {
  'count/entity': [{ country: { equals: 'france' } }],
  'count/event': [{ visit: { equals: 'buy', between: YEAR } }],
  'count/entity/total': ['default', 'other'],
  aggregation: [{ country: 10 }, { visit: 3, between: YEAR }],
  top_values: { pages: { visit: 5, between: YEAR }, countries: { country: 5 } },
  sql: 'SELECT country, COUNT(*) AS n FROM [default] GROUP BY country ORDER BY country',
  funnel: { steps: [VISIT, BOUGHT], between: YEAR },
  retention: { start: VISIT, ...DAYS, until: '2026-12-31' },
  lifecycle: { ...VISIT, ...DAYS },
  stickiness: { ...VISIT, ...DAYS },
  actives: { ...VISIT, ...DAYS },
  sequence: { conditions: [VISIT, BOUGHT], pattern: '(?1).*(?2)' },
  sessions: { stream: ['visit'], gap: '1d' },
  flow: { start: VISIT },
  overlap: {
    segments: [
      { name: 'a', query: [{ country: { equals: 'france' } }] },
      { name: 'b', query: [{ visit: { equals: 'buy', between: YEAR } }] },
    ],
  },
  compare: {
    segments: [
      { name: 'a', query: [{ country: { equals: 'france' } }] },
      { name: 'b', query: [{ country: { equals: 'spain' } }] },
    ],
  },
  timeline: { 'entity-id': 'e3', columns: ['visit'] },
};

class Site {
  readonly dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-live-'));
  server!: ServerProcess;
  client!: JsonClient;
  keys!: Keys;
  serving!: Serving;

  async start(): Promise<void> {
    this.server = new ServerProcess({ dir: this.dir, flags: ['--workers', '2'] });
    this.serving = await this.server.serving;
    this.keys = this.server.keys();
    this.client = new JsonClient(this.serving, this.keys.master);
  }

  open(name: string, query = '', headers: Record<string, string> = {}, key = this.keys.master) {
    const at = `/v1/query/saved/${name}/live${query}`;
    return EventClient.open({ port: this.serving.httpsPort, key, path: at, headers });
  }

  async answer(name: string): Promise<unknown> {
    const { body } = await this.client.request({ path: `/v1/query/saved/${name}` });
    const { took: _, ...members } = body as Record<string, unknown>;
    return members;
  }

  insert(body: object) {
    return this.client.succeed({ path: '/v1/insert', body });
  }

  async metric(name: string): Promise<number> {
    const text = await new Promise<string>((resolve, reject) => {
      import('node:http').then(({ get }) =>
        get({ host: '127.0.0.1', port: this.serving.httpPort, path: '/metrics' }, (response) => {
          let body = '';
          response.on('data', (part) => {
            body += part;
          });
          response.on('end', () => resolve(body));
          response.on('error', reject);
        }),
      );
    });
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  }
}

async function startSite(t: Test): Promise<Site> {
  const site = new Site();
  await site.start();
  t.teardown(async () => {
    await site.server.kill();
    fs.rmSync(site.dir, { recursive: true });
  });
  const { client } = site;
  await client.succeed({ path: '/v1/dimension', body: { name: 'other', 'api-name': 'other' } });
  await client.succeed({
    path: '/v1/column',
    body: [
      { name: 'country', type: 'string', cardinality: 'low' },
      { name: 'visit', type: 'string-event' },
      { name: 'text', type: 'string', dimension: 'other' },
    ],
  });
  for (const [type, query] of Object.entries(QUERIES)) {
    await client.succeed({ path: '/v1/query/saved', body: { name: nameOf(type), type, query } });
  }
  return site;
}

const resultOf = ({ last }: EventClient): unknown => last?.data.result ?? {};
const countIn = (client: EventClient): unknown => (resultOf(client) as { query?: number }).query;
const nameOf = (type: string): string => type.replaceAll(/[^a-z]/g, '-');

function entity(random: Prng): object {
  const date = (): string => `2026-01-${String(1 + random.below(12)).padStart(2, '0')}T10:00:00Z`;
  const visits = Array.from({ length: random.below(4) }, () => ({
    value: random.pick(['home', 'docs', 'buy']),
    date: date(),
  }));
  return {
    country: random.pick(['france', 'spain', 'peru']),
    ...(visits.length === 0 ? {} : { visit: visits }),
  };
}

/** One write, of at most one record. */
async function write(site: Site, random: Prng, round: number): Promise<void> {
  const id = `e${random.below(12)}`;
  const kind = random.below(6);
  const query = [{ 'entity-id': { equals: id } }];
  if (kind === 0) await site.insert({ [`o${round}`]: { dimension: 'other', text: 'x' } });
  else if (kind === 1) await site.client.succeed({ path: '/v1/delete', body: { query } });
  else if (kind === 2)
    await site.client.succeed({ path: '/v1/update', body: { query, set: { country: 'spain' } } });
  else await site.insert({ [id]: entity(random) });
}

t.test(
  'each event of every type equals the answer at its LSN, and the last one the final answer',
  async (t) => {
    const site = await startSite(t);
    const random = new Prng(SEED);
    for (let n = 0; n < 5; n++) await site.insert({ [`e${n}`]: entity(random) });
    const streams = new Map<string, EventClient>();
    for (const type of SAVED_QUERY_TYPES) {
      const stream = await site.open(nameOf(type), '?min-interval=10');
      streams.set(type, stream);
      await stream.until(({ last }) => last !== undefined);
    }
    const base = streams.get('sql')?.last?.id ?? 0;
    t.ok(base > 0);
    for (const stream of streams.values()) t.equal(stream.last?.id, base, 'nothing was written since');
    /** Answers of each type by LSN. A write that finds nothing to change makes no record. */
    const answers = new Map(SAVED_QUERY_TYPES.map((type) => [type as string, new Map<number, unknown>()]));
    for (let round = 0; round <= ROUNDS; round++) {
      if (round > 0) await write(site, random, round);
      const lsn = await site.metric('quarry_lsn_durable');
      for (const type of SAVED_QUERY_TYPES) answers.get(type)?.set(lsn, await site.answer(nameOf(type)));
    }
    for (const type of SAVED_QUERY_TYPES) {
      const stream = streams.get(type) as EventClient;
      const expected = answers.get(type) as Map<number, unknown>;
      const final = JSON.stringify([...expected.values()].at(-1));
      await stream.until(({ last }) => JSON.stringify(last?.data) === final);
      stream.close();
      const found = stream.answers;
      const ids = found.map(({ id }) => id as number);
      t.ok(
        ids.every((id, index) => index === 0 || id > ids[index - 1]),
        `${type}: ${ids}`,
      );
      for (const { id, data } of found) t.strictSame(data, expected.get(id as number), `${type} at ${id}`);
      const repeated = found.filter(
        ({ data }, index) => index > 0 && JSON.stringify(data) === JSON.stringify(found[index - 1].data),
      );
      t.strictSame(repeated, [], `${type}: an unchanged answer is not sent again`);
    }
    // A random history may leave a few answers as they were.
    const sent = [...streams].map(([type, stream]) => `${type}: ${stream.answers.length}`);
    const changed = [...streams.values()].filter((stream) => stream.answers.length > 1).length;
    t.ok(changed * 4 >= streams.size * 3, `answers changed: ${sent}`);
  },
);

t.test(
  'while many write, counts are exact at their LSN, and a client that does not read gets the newest state',
  async (t) => {
    const site = await startSite(t);
    const rows = 'SELECT [entity-id], text FROM [other] ORDER BY 1';
    await site.client.succeed({ path: '/v1/query/saved', body: { name: 'rows', type: 'sql', query: rows } });
    const text = 'x'.repeat(900);
    const total = await site.open('count-entity-total', '?min-interval=10');
    const inserts = await EventClient.open({
      port: site.serving.httpsPort,
      key: site.keys.read,
      path: '/v1/status/live?min-interval=10',
    });
    const slow = await site.open('rows', '?min-interval=10');
    await Promise.all([total, inserts, slow].map((stream) => stream.until(({ last }) => last !== undefined)));
    slow.pause();
    const [base, count] = [total.last?.id ?? 0, 500];
    const writer = async (name: string): Promise<void> => {
      for (let n = 0; n < count; n++) await site.insert({ [`${name}${n}`]: { dimension: 'other', text } });
    };
    await Promise.all(['a', 'b', 'c'].map(writer));
    const all = count * 3;
    await total.until(({ last }) => last?.id === base + all);
    for (const { id, data } of total.answers) {
      t.strictSame(data.result, { total: (id as number) - base }, `one entity per record, at ${id}`);
    }
    await inserts.until(({ last }) => last?.id === base + all);
    for (const { id, data } of inserts.answers) {
      const entities = (id as number) - base;
      const usage = { 'inserted-entities': entities, 'inserted-values': entities, 'updated-entities': 0 };
      t.strictSame(data, { status: 'success', database: 'quarry', usage });
    }
    t.ok(total.answers.length > 10, `${total.answers.length} answers`);
    slow.resume();
    await slow.until((client) => (resultOf(client) as unknown[]).length === all);
    t.equal(slow.last?.id, base + all);
    const evaluated = await site.metric('quarry_live_evaluations_total');
    t.comment(
      `${slow.answers.length} answers for the slow client, ${evaluated} evaluations, ${total.answers.length} totals`,
    );
    t.ok(slow.answers.length < total.answers.length, 'the slow client got fewer');
    for (const stream of [total, inserts, slow]) stream.close();
  },
);

t.test('500 clients share the evaluations, and leave nothing behind', async (t) => {
  const site = await startSite(t);
  const streams: EventClient[] = [];
  while (streams.length < 500) {
    const opened = Array.from({ length: 50 }, () => site.open('count-entity'));
    streams.push(...(await Promise.all(opened)));
  }
  t.equal(await site.metric('quarry_live_streams'), 500);
  const before = await site.metric('quarry_live_evaluations_total');
  for (let n = 0; n < 20; n++) await site.insert({ [`e${n}`]: { country: 'france' } });
  await Promise.all(streams.map((stream) => stream.until((client) => countIn(client) === 20)));
  const evaluations = (await site.metric('quarry_live_evaluations_total')) - before;
  t.ok(evaluations <= 21, `${evaluations} evaluations`);
  for (const stream of streams) stream.close();
  while ((await site.metric('quarry_live_streams')) > 0) await wait(20);
  await site.insert({ late: { country: 'france' } });
  t.strictSame(await site.answer('count-entity'), {
    ...{ status: 'success', type: 'count/entity', query: QUERIES['count/entity'], dimension: 'default' },
    result: { query: 21 },
  });
  const opened = await site.metric('quarry_http_requests_open');
  t.ok(opened <= 1, `${opened} open requests`);
});

t.test(
  'after kill -9 a stream resumes: nothing that was sent is lost, and an unchanged answer is not sent again',
  async (t) => {
    const site = await startSite(t);
    const stream = await site.open('count-entity', '?min-interval=10');
    for (let n = 0; n < 10; n++) await site.insert({ [`e${n}`]: { country: 'france' } });
    await stream.until((client) => countIn(client) === 10);
    const lastId = String(stream.last?.id);
    await site.server.kill();
    await stream.over();
    await site.start();
    const resumed = await site.open('count-entity', '?min-interval=10', { 'Last-Event-ID': lastId });
    const anew = await site.open('count-entity');
    await anew.until(({ last }) => last !== undefined);
    t.strictSame(
      anew.last,
      { name: 'message', id: Number(lastId), data: stream.last?.data },
      'the same state',
    );
    await site.insert({ o1: { dimension: 'other', text: 'x' } });
    await site.insert({ e1: { country: 'france' } });
    await site.insert({ e10: { country: 'france' } });
    await resumed.until(({ last }) => last !== undefined);
    t.strictSame(
      resumed.answers.map(({ id, data }) => [id, data.result]),
      [[Number(lastId) + 3, { query: 11 }]],
    );
    resumed.close();
    const unchanged = await site.open('count-entity', '', { 'Last-Event-ID': String(Number(lastId) + 3) });
    await site.insert({ e11: { country: 'france' } });
    await unchanged.until(({ last }) => last !== undefined);
    t.strictSame(
      unchanged.answers.map(({ id }) => id),
      [Number(lastId) + 4],
    );
    const shown = unchanged.until(({ events }) => events.at(-1)?.name === 'end');
    const ended = site.server.end();
    await shown;
    t.match(unchanged.events.at(-1)?.data, { reason: 'shutdown', code: 9004 });
    await unchanged.over();
    t.equal(await ended, 0, 'the server stops although clients follow');
  },
);
