/** Relations as tables: the rows are those of a model of random inserts, in which the nth values of one insert are one event. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../../../src/base/index.js';
import { JsonClient } from '../../../../support/json-client.js';
import { ServerProcess } from '../../../../support/server-process.js';

const { values: options } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
});
const SEED = Number(options.seed);
const NAMES = ['order', 'paid', 'shop'] as const;
const INSERTS = 60;

type Row = Record<string, unknown>;

t.test('a relation is a table with one row per event', async (t) => {
  t.comment(`seed ${SEED}`);
  const prng = new Prng(SEED);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-relations-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const server = new ServerProcess({ dir: path.join(dir, 'store'), flags: ['--workers', '2'] });
  t.teardown(() => server.kill());
  const https = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => https.close());
  const post = async (at: string, body: unknown): Promise<void> => {
    const reply = await https.request({ method: 'POST', path: at, body });
    t.equal(reply.status, 200, JSON.stringify(reply.body));
  };
  const rows = async (text: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/sql' };
    const { body } = await https.request({ method: 'POST', path: '/v1/sql', text, headers });
    return (body as { readonly result?: unknown }).result ?? body;
  };
  await post('/v1/column', [
    { name: 'order', type: 'string-event' },
    { name: 'paid', type: 'integer-event' },
    { name: 'shop', type: 'string-event' },
    { name: 'value', type: 'string' },
    { name: 'date', type: 'string' },
  ]);
  await post('/v1/column/relation', { name: 'purchase', columns: NAMES });

  const expected: Row[] = [];
  for (let insert = 0; insert < INSERTS; insert++) {
    const id = `e${prng.below(10)}`;
    const named = NAMES.filter(() => prng.below(3) > 0);
    const count = 1 + prng.below(3);
    const events = Array.from({ length: count }, (_, nth) => {
      const date = new Date(Date.UTC(2026, 0, 1 + prng.below(300))).toISOString().slice(0, 10);
      return {
        date,
        values: { order: `o${insert}-${nth}`, paid: insert * 10 + nth, shop: `s${prng.below(4)}` },
      };
    });
    const columns = named.map((name) => [
      name,
      events.map(({ date, values }) => ({ date, value: values[name] })),
    ]);
    await post('/v1/insert', {
      [id]: { value: 'attribute', date: 'attribute', ...Object.fromEntries(columns) },
    });
    if (named.length === 0) continue;
    for (const { date, values } of events) {
      const value = (name: (typeof NAMES)[number]): unknown => (named.includes(name) ? values[name] : null);
      expected.push({
        'entity-id': id,
        date: `${date}T00:00:00Z`,
        order: value('order'),
        paid: value('paid'),
        shop: value('shop'),
      });
    }
  }
  const sorted = (all: readonly Row[]): readonly string[] => all.map((row) => JSON.stringify(row)).sort();

  t.strictSame(sorted((await rows('SELECT * FROM purchase')) as Row[]), sorted(expected));
  t.strictSame(await rows('SELECT COUNT(*) AS n FROM public.purchase p'), [{ n: expected.length }]);
  const paid = expected.filter(({ shop, paid: amount }) => shop === 's1' && Number(amount) > 100);
  t.strictSame(
    await rows(`SELECT [order], paid FROM purchase WHERE shop = 's1' AND paid > 100 ORDER BY paid`),
    paid
      .map(({ order, paid: amount }) => ({ order, paid: amount }))
      .sort((a, b) => Number(a.paid) - Number(b.paid)),
  );
  const dates = expected.filter(({ order }) => order !== null).map(({ date }) => ({ date }));
  t.strictSame(
    sorted((await rows('SELECT date FROM [order] WHERE value IS NOT NULL')) as Row[]),
    sorted(dates),
    'the columns of an event table are not attributes of the same name',
  );
  t.match(await rows('SELECT nix FROM purchase'), { errors: [{ code: 6000 }] });
  t.match(await rows('CREATE VIEW purchase AS SELECT 1 AS x'), { errors: [{ code: 6000 }] });
  await https.request({
    method: 'DELETE',
    path: '/v1/column/relation',
    body: { name: 'purchase', columns: NAMES },
  });
  t.match(await rows('SELECT 1 FROM purchase'), { errors: [{ message: 'there is no table "purchase"' }] });
});
