/**
 * Requests that are refused, or whose answers are cut off or lost, on the way to a real server that shows how often
 * they took effect.
 */
import t from 'tap';
import { ConnectionError, QuarryError } from '../../../src/client/index.js';
import { type Fate, proxyFor, serveClients } from '../site.js';

const DAY = '2026-01-05';
const ALWAYS = ['2000-01-01', '2100-01-01'] as const;

t.test('a write takes effect once, whatever happens to the request and to its answer', async (t) => {
  const site = await serveClients(t);
  const proxy = await proxyFor(t, site);
  const direct = site.quarry();
  await direct.createColumns({ name: 'visit', type: 'string-event' });
  const quarry = site.quarry({ url: proxy.url, ca: undefined });
  const visits = async (): Promise<unknown> => {
    const query = [{ visit: { equals: 'x', between: ALWAYS } }];
    return (await direct.countEvents({ 'query-name': 'q', query, 'bypass-cache': true })).q;
  };
  const fates: Fate[] = [
    'loses the answer',
    'cuts the answer',
    'loses the request',
    { status: 503, code: 9004 },
    { status: 429, code: 1502, retryAfter: 0 },
    { status: 502 },
  ];
  for (const [index, fate] of fates.entries()) {
    await t.test(JSON.stringify(fate), async (t) => {
      proxy.fates.push(fate, fate);
      proxy.seen.length = 0;
      const inserted = await quarry.insert({ u1: { visit: { value: 'x', date: DAY } } });
      t.match(inserted, { 'inserted-entities': 1, 'inserted-values': 1 });
      t.equal(await visits(), index + 1);
      t.equal(proxy.seen.length, 3, 'three tries');
      t.equal(
        new Set(proxy.seen.map((headers) => headers['idempotency-key'])).size,
        1,
        'with one idempotency key',
      );
    });
  }
  await t.test('SQL writes too', async (t) => {
    proxy.fates.push('loses the answer');
    await quarry.sql(
      "INSERT INTO [default] ([entity-id], [visit.1.value], [visit.1.date]) VALUES ('u2', 'x', '2026-01-06')",
    );
    t.equal(await visits(), fates.length + 1);
  });
  await t.test('a change of the model is not sent again if its answer is lost', async (t) => {
    proxy.fates.push('loses the answer');
    proxy.seen.length = 0;
    await t.rejects(quarry.createColumns({ name: 'once', type: 'string' }), ConnectionError);
    t.equal(proxy.seen.length, 1);
    proxy.fates.push({ status: 503, code: 9004 });
    t.strictSame(
      await quarry.createColumns({ name: 'twice', type: 'string' }),
      ['twice'],
      'but if it was refused',
    );
  });
  await t.test('a request that would be refused again is not sent again', async (t) => {
    proxy.seen.length = 0;
    const error = await quarry.insert({ u1: { nothing: 1 } }).catch((caught) => caught);
    t.match(error, { name: 'QuarryError', code: 2011, status: 400 });
    t.ok(error instanceof QuarryError && error.requestId !== '' && error.faults.length === 1);
    proxy.fates.push({ status: 503, code: 9006 });
    await t.rejects(quarry.total(), { code: 9006 });
    t.equal(proxy.seen.length, 2);
  });
  await t.test('the number of tries is limited', async (t) => {
    proxy.seen.length = 0;
    proxy.fates.push(...Array<Fate>(3).fill('loses the request'));
    await t.rejects(site.quarry({ url: proxy.url, ca: undefined, retries: 2 }).total(), ConnectionError);
    t.equal(proxy.seen.length, 3);
  });
  await t.test(
    'a wait that the server requires is not begun if it would exceed the time limit',
    async (t) => {
      proxy.fates.push({ status: 429, code: 1502, retryAfter: 3_600 });
      await t.rejects(quarry.total(), { code: 1502, retryAfterSeconds: 3_600 });
    },
  );
});

t.test('a call ends with its signal, and at its time limit', async (t) => {
  const site = await serveClients(t);
  const proxy = await proxyFor(t, site);
  const quarry = site.quarry({ url: proxy.url, ca: undefined });
  await t.rejects(quarry.total(undefined, { signal: AbortSignal.abort(new Error('not now')) }), {
    message: 'not now',
  });
  const stop = new AbortController();
  proxy.fates.push({ status: 429, code: 1502, retryAfter: 30 });
  const waiting = quarry.total(undefined, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await t.rejects(waiting, { message: 'enough' });
  proxy.fates.length = 0;
  const hangs = site.quarry({
    ca: undefined,
    timeoutMs: 30,
    fetch: (_, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  });
  await t.rejects(hangs.total(), { name: 'TimeoutError' });
});

t.test('an incomplete answer of lines is an error, and leaving the loop ends the request', async (t) => {
  const site = await serveClients(t);
  const proxy = await proxyFor(t, site);
  const direct = site.quarry();
  await direct.createColumns({ name: 'n', type: 'integer' });
  await direct.insert(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`u${n}`, { n }])));
  const quarry = site.quarry({ url: proxy.url, ca: undefined });
  proxy.fates.push('cuts the answer');
  const rows: unknown[] = [];
  await t.rejects(async () => {
    for await (const row of quarry.rows('SELECT n FROM [default]')) rows.push(row);
  }, ConnectionError);
  t.ok(rows.length > 0 && rows.length < 500, `${rows.length} rows arrived`);
  for await (const row of direct.rows('SELECT n FROM [default] ORDER BY n')) {
    t.strictSame(row, { n: 0 });
    break;
  }
});
