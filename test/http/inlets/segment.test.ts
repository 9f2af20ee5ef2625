/**
 * The inlet for Segment, with its official client for Node. To run the kills at length:
 * node dist/test/http/inlets/segment.test.js --events 100000 --kills 20 --seed 1
 */
import { Analytics } from '@segment/analytics-node';
import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import { SqlStore, temporaryDir } from '../../crash/client/sql-store.js';
import { killOptions, MortalStore } from './mortal-store.js';

const { events, kills, seed } = killOptions();
t.comment(`seed ${seed}`);
t.setTimeout(60_000 + events * 20);

async function storeWithInlet(t: Test): Promise<SqlStore> {
  const store = await SqlStore.open(temporaryDir(t), { flags: ['--inlets', 'segment'] });
  t.teardown(() => store.server.end());
  return store;
}

function clientOf(store: Pick<SqlStore, 'httpPort'>, writeKey: string, more: object = {}): Analytics {
  return new Analytics({ writeKey, host: `http://127.0.0.1:${store.httpPort}`, ...more });
}

t.test(
  'what the client tracks are events with related properties, and traits are latest values',
  async (t) => {
    const store = await storeWithInlet(t);
    const client = clientOf(store, store.server.keys().write);
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    const timestamp = new Date('2026-01-05T09:30:00.250Z');
    client.identify({ userId: 'ada', traits: { email: 'a@example.org', age: 30 } });
    client.identify({ userId: 'ada', traits: { age: 31, address: { city: 'Bonn' } } });
    client.track({
      userId: 'ada',
      event: 'Signed Up',
      properties: { plan: 'pro', paid: 12.5, first: true },
      timestamp,
    });
    client.track({ userId: 'ada', event: 'Ordered', properties: { plan: 'team' }, timestamp });
    client.track({
      anonymousId: 'nobody',
      event: 'Ordered',
      properties: { paid: 3.5, items: ['a', 'b'] },
      timestamp,
    });
    client.page({ userId: 'ada', name: 'Home', properties: { url: 'https://x.example/' }, timestamp });
    client.group({ userId: 'ada', groupId: 'g1', traits: { members: 5 }, timestamp });
    client.alias({ userId: 'ada', previousId: 'anonymous' });
    await client.closeAndFlush();
    t.strictSame(errors, []);
    t.strictSame(
      await store.rows('SELECT email, age, [address-city] AS city FROM [user] WHERE age IS NOT NULL'),
      [{ email: 'a@example.org', age: 31, city: 'bonn' }],
    );
    const relations = await store.client.succeed<{ relations: Record<string, Record<string, string[]>> }>({
      method: 'GET',
      path: '/v1/column/relation',
    });
    for (const name of ['event', 'event-plan', 'event-items', 'event-context-library-name']) {
      t.ok(relations.relations.user.events.includes(name), `${name} is of the relation`);
    }
    const stored = await store.rows(
      `SELECT [entity-id] AS id, event, [event-plan] AS plan, [event-paid] AS paid, [event-first] AS first,
     [event-name] AS name, [event-traits-members] AS members FROM events WHERE event <> 'alias' ORDER BY event, id`,
    );
    const none = { plan: null, paid: null, first: null, name: null, members: null };
    t.strictSame(stored, [
      { ...none, id: 'ada', event: 'group', members: 5 },
      { ...none, id: 'ada', event: 'ordered', plan: 'team' },
      { ...none, id: 'nobody', event: 'ordered', paid: 3.5 },
      { ...none, id: 'ada', event: 'page', name: 'home' },
      { ...none, id: 'ada', event: 'signed up', plan: 'pro', paid: 12.5, first: 'true' },
    ]);
    t.strictSame(await store.rows("SELECT [event-previous-id] AS before FROM events WHERE event = 'alias'"), [
      { before: 'anonymous' },
    ]);
  },
);

t.test('messages have the answers of the protocol, and come once', async (t) => {
  const store = await storeWithInlet(t);
  const { write, read } = store.server.keys();
  const send = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${store.httpPort}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()] as const;
  };
  const message = { userId: 'u', event: 'Seen', messageId: 'm1', timestamp: '2026-01-05T09:30:00Z' };
  const ofUser = { authorization: `Basic ${Buffer.from(`${write}:`).toString('base64')}` };
  const ok = [200, { success: true }] as const;
  t.strictSame(await send('/v1/track', { ...message, writeKey: write }), ok, 'the key is in the body');
  t.strictSame(await send('/v1/track', message, ofUser), ok, 'the key is the user of Basic credentials');
  const batch = [
    { ...message, type: 'track' },
    { ...message, type: 'track', event: 'Other' },
  ];
  t.strictSame(await send('/v1/batch', { batch }, { authorization: `Bearer ${write}` }), ok);
  t.strictSame(
    await store.rows('SELECT event FROM events'),
    [{ event: 'seen' }],
    'one messageId is one event',
  );
  const wrong = [
    { type: 'track', event: 'x', writeKey: write },
    { type: 'sing', userId: 'u' },
    { type: 'identify', userId: 'u', traits: 7 },
    'no object',
    { type: 'track', userId: 'u' },
  ];
  const good = { type: 'identify', userId: 'v', traits: { plan: 'pro' } };
  t.strictSame(await send('/v1/batch', { batch: [...wrong, good] }, ofUser), ok);
  t.strictSame(await store.rows("SELECT plan FROM [user] WHERE plan = 'pro'"), [{ plan: 'pro' }]);
  const lines = (await store.rows<{ line: string[] }>('SELECT line FROM [user-quarantine]')).map(({ line }) =>
    line.join(''),
  );
  t.equal(lines.length, wrong.length);
  for (const reason of ['neither userId', 'unknown', 'not an object', 'the name of its event']) {
    t.ok(
      lines.some((line) => line.includes(reason)),
      reason,
    );
  }
  t.notOk(
    lines.some((line) => line.includes(write)),
    'no key is stored',
  );
  t.match(await send('/v1/track', message), [401, { success: false, code: 500 }]);
  t.match(await send('/v1/track', { ...message, writeKey: 'x' }), [401, { success: false, code: 502 }]);
  t.match(await send('/v1/track', { ...message, writeKey: read }), [403, { success: false, code: 503 }]);
  t.match(await send('/v1/batch', { batch: 1 }, ofUser), [400, { success: false, message: /not a list/ }]);
});

t.test(`of ${events} events, each is stored once after ${kills} kills of the server`, async (t) => {
  const store = await MortalStore.open(t, '--inlets', 'segment', '--idempotency-entries', '1000000');
  const client = clientOf(store, store.current.server.keys().write, {
    ...{ flushAt: 50, flushInterval: 50, maxRetries: 1_000, httpRequestTimeout: 10_000 },
  });
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  const sending = (async () => {
    for (let number = 0; number < events; number++) {
      await new Promise<void>((resolve) => {
        client.track({ userId: `u${number % 100}`, event: 'Counted', properties: { number } }, () =>
          resolve(),
        );
        // The client calls back when the event was sent; a window of unsent events is enough.
        if (number % 500 !== 499) resolve();
      });
    }
    await client.closeAndFlush({ timeout: 600_000 });
  })();
  const hitCount = await store.killDuring(sending, new Prng(seed), kills);
  t.ok(hitCount > 0, `${hitCount} kills met the client while it sent`);
  t.strictSame(errors, []);
  await store.restart();
  const [counts] = await store.current.rows<object>(
    'SELECT COUNT(*) AS all, COUNT(DISTINCT [event-number]) AS different FROM events',
  );
  t.strictSame(counts, { all: events, different: events });
});
