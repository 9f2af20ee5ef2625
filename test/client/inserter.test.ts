import t from 'tap';
import { Inserter } from '../../src/client/inserter.js';
import { proxyFor, serveClients } from './site.js';

const ALWAYS = ['2000-01-01', '2100-01-01'] as const;

t.test('many entities are sent in batches, each once, even if answers are lost', async (t) => {
  const site = await serveClients(t);
  const proxy = await proxyFor(t, site);
  const direct = site.quarry();
  await direct.createColumns([
    { name: 'n', type: 'integer' },
    { name: 'visit', type: 'integer-event' },
  ]);
  const inserter = site.quarry({ url: proxy.url, ca: undefined }).inserter({ entitiesMax: 100 });
  const COUNT = 5_000;
  for (let n = 0; n < COUNT; n++) {
    if (n % 700 === 0) proxy.fates.push('loses the answer', 'passes', { status: 503, code: 9003 });
    await inserter.add(`u${n}`, { n, visit: { value: n, date: '2026-01-05' } });
  }
  await inserter.close();
  t.equal(inserter.insertedCount, COUNT);
  t.ok(proxy.seen.length > COUNT / 100, `${proxy.seen.length} requests`);
  t.equal(await direct.total(), COUNT);
  const query = [{ visit: { gte: 0, between: ALWAYS } }];
  t.strictSame(await direct.countEvents({ 'query-name': 'q', query }), { q: COUNT });
  await t.rejects(inserter.add('late', { n: 1 }), /closed/);
});

/** A server that answers on command of the test. */
function slowServer() {
  const bodies: string[] = [];
  const answers: (() => void)[] = [];
  const send = (body: string) => {
    bodies.push(body);
    return new Promise<{ 'inserted-entities': number; 'inserted-values': number }>((resolve) => {
      const count = Object.keys(JSON.parse(body)).length;
      answers.push(() => resolve({ 'inserted-entities': count, 'inserted-values': count }));
    });
  };
  return { bodies, answers, send };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('an add waits while enough batches are in flight', async (t) => {
  const { bodies, answers, send } = slowServer();
  const inserter = new Inserter(send, { entitiesMax: 2, batchesMax: 2, lingerMs: 0 });
  for (const id of ['a', 'b', 'c']) await inserter.add(id, { n: 1 });
  let isIn = false;
  const fourth = inserter.add('d', { n: 1 }).then(() => {
    isIn = true;
  });
  await turn();
  t.equal(isIn, false);
  t.strictSame(bodies, ['{"a":{"n":1},"b":{"n":1}}', '{"c":{"n":1},"d":{"n":1}}']);
  answers[0]();
  await fourth;
  const flushed = inserter.flush();
  answers[1]();
  await flushed;
  t.equal(inserter.insertedCount, 4);
});

t.test('entities with equal IDs keep their order, in separate batches', async (t) => {
  const { bodies, answers, send } = slowServer();
  const inserter = new Inserter(send, { lingerMs: 0 });
  await inserter.add('a', { n: 1 });
  await inserter.add('a', { n: 2 });
  const flushed = inserter.flush();
  await turn();
  t.strictSame(bodies, ['{"a":{"n":1}}'], 'the second waits for the first');
  answers[0]();
  await turn();
  t.strictSame(bodies.slice(1), ['{"a":{"n":2}}']);
  answers[1]();
  await flushed;
});

t.test('a batch has a maximum length, and an incomplete batch is sent after a delay', async (t) => {
  const { bodies, answers, send } = slowServer();
  const inserter = new Inserter(send, { charsMax: 30, lingerMs: 1, autoCreate: ['column'] });
  await inserter.add('a', { text: 'x'.repeat(20) });
  await inserter.add('b', { text: 'y' });
  t.strictSame(bodies.length, 1, 'both together are too long');
  while (bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  t.equal(bodies[1], '{"auto-create":["column"],"b":{"text":"y"}}');
  for (const answer of answers) answer();
  await inserter.close();
});

t.test('a refusal rejects the next call, or is passed to `onRefused`', async (t) => {
  const refuse = () => Promise.reject(new Error('refused'));
  const inserter = new Inserter(refuse, { entitiesMax: 1, lingerMs: 0 });
  await inserter.add('a', { n: 1 });
  await turn();
  await t.rejects(inserter.add('b', { n: 1 }), { message: 'refused' });
  await t.rejects(inserter.close(), { message: 'refused' });
  const refused: string[] = [];
  const going = new Inserter(refuse, {
    entitiesMax: 1,
    onRefused: (_, entities) => refused.push(...entities.keys()),
  });
  await going.add('a', { n: 1 });
  await going.add('b', { n: 1 });
  await going.close();
  t.strictSame(refused, ['a', 'b']);
});
