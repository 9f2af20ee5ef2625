/**
 * The inlet for PostHog, with its official client for Node. To run the kills at length:
 * node dist/test/http/inlets/posthog.test.js --events 100000 --kills 20 --seed 1
 */
import { gzipSync } from 'node:zlib';
import { PostHog } from 'posthog-node';
import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import { SqlStore, temporaryDir } from '../../crash/client/sql-store.js';
import { killOptions, MortalStore } from './mortal-store.js';

const { events, kills, seed } = killOptions();
t.comment(`seed ${seed}`);
t.setTimeout(60_000 + events * 20);

async function storeWithInlet(t: Test): Promise<SqlStore> {
  const store = await SqlStore.open(temporaryDir(t), { flags: ['--inlets', 'posthog'] });
  t.teardown(() => store.server.end());
  return store;
}

function clientOf({ httpPort }: Pick<SqlStore, 'httpPort'>, key: string, more: object = {}): PostHog {
  return new PostHog(key, { host: `http://127.0.0.1:${httpPort}`, ...more });
}

t.test('what the client captures are events, what it identifies are latest values', async (t) => {
  const store = await storeWithInlet(t);
  const client = clientOf(store, store.server.keys().write);
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  const timestamp = new Date('2026-01-05T09:30:00.250Z');
  client.capture({
    ...{ distinctId: 'ada', event: 'Ordered', timestamp },
    properties: {
      paid: 12.5,
      $current_url: 'https://x.example/',
      $set: { plan: 'pro' },
      $set_once: { from: 'ads' },
    },
  });
  client.capture({ distinctId: 'eva', event: 'Ordered', properties: { paid: 3.5 }, timestamp });
  client.identify({ distinctId: 'ada', properties: { email: 'a@example.org' } });
  const flags = await client.evaluateFlags('ada');
  t.equal(flags.isEnabled('new-page'), false, 'there are no flags');
  await client.shutdown();
  t.strictSame(errors, []);
  const stored = await store.rows(
    `SELECT [entity-id] AS id, [event-paid] AS paid, [event-current-url] AS url, [event-set-once-from] AS origin
     FROM events WHERE event = 'ordered' ORDER BY id`,
  );
  t.strictSame(stored, [
    { id: 'ada', paid: 12.5, url: 'https://x.example/', origin: 'ads' },
    { id: 'eva', paid: 3.5, url: null, origin: null },
  ]);
  t.strictSame(await store.rows("SELECT plan, email FROM [user] WHERE [entity-id] = 'ada'"), [
    { plan: 'pro', email: 'a@example.org' },
  ]);
  const { dimensions } = await store.client.succeed<{ dimensions: string[] }>({
    ...({ method: 'GET', path: '/v1/dimension' } as const),
  });
  t.notOk(dimensions.includes('user-quarantine'), 'nothing was refused');
});

t.test('each path takes its bodies, and events come once', async (t) => {
  const store = await storeWithInlet(t);
  const { write, read } = store.server.keys();
  const send = async (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${store.httpPort}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return [response.status, await response.json()] as const;
  };
  const eventOf = (uuid: string, more: object = {}) => ({ event: 'seen', distinct_id: 'u', uuid, ...more });
  const ok = [200, { status: 'Ok' }] as const;
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `018f-${name}`);
  const own = { api_key: write, ...eventOf(a) };
  t.strictSame(await send('/capture/', JSON.stringify(own)), ok);
  t.strictSame(await send('/i/v0/e/', JSON.stringify({ token: write, ...eventOf(a) })), ok);
  const listed = [eventOf(b, { properties: { token: write } }), eventOf(a)];
  t.strictSame(await send('/e/?ip=0', JSON.stringify(listed)), ok);
  const gzipped = new Uint8Array(
    gzipSync(JSON.stringify({ api_key: write, batch: [eventOf(b), eventOf(c)] })),
  );
  t.strictSame(await send('/batch', gzipped, { 'content-encoding': 'gzip' }), ok);
  t.strictSame(await store.rows('SELECT COUNT(*) AS n FROM events'), [{ n: 3 }]);
  const wrong = [eventOf(d, { distinct_id: '' }), { distinct_id: 'u' }, eventOf('e', { properties: 5 }), 7];
  t.strictSame(await send('/batch', JSON.stringify({ api_key: write, batch: wrong })), ok);
  t.strictSame(await store.rows('SELECT COUNT(*) AS n FROM [user-quarantine]'), [{ n: wrong.length }]);
  t.match(await send('/batch', JSON.stringify({ batch: [eventOf('f')] })), [401, { code: '500' }]);
  t.match(await send('/batch', JSON.stringify({ api_key: read, batch: [] })), [403, { code: '503' }]);
  t.match(await send('/batch', '{"batch":[], "api_key":'), [400, { code: '1503' }]);
  t.match(await send('/decide/?v=3', '{}'), [200, { featureFlags: {}, errorsWhileComputingFlags: false }]);
});

t.test(`of ${events} events, each is stored once after ${kills} kills of the server`, async (t) => {
  const store = await MortalStore.open(t, '--inlets', 'posthog', '--idempotency-entries', '1000000');
  const client = clientOf(store, store.current.server.keys().write, {
    ...{
      flushAt: 50,
      flushInterval: 50,
      fetchRetryCount: 1_000,
      fetchRetryDelay: 50,
      maxQueueSize: 1_000_000,
    },
  });
  const sending = (async () => {
    for (let number = 0; number < events; number++) {
      client.capture({ distinctId: `u${number % 100}`, event: 'Counted', properties: { number } });
      if (number % 500 === 499) await client.flush();
    }
    await client.shutdown(600_000);
  })();
  const hitCount = await store.killDuring(sending, new Prng(seed), kills);
  t.ok(hitCount > 0, `${hitCount} kills met the client while it sent`);
  await store.restart();
  const [counts] = await store.current.rows<object>(
    'SELECT COUNT(*) AS all, COUNT(DISTINCT [event-number]) AS different FROM events',
  );
  t.strictSame(counts, { all: events, different: events });
});
