import t, { type Test } from 'tap';
import { insertAll } from '../../src/commands/demo/load.js';
import {
  FUNNEL_QUESTION,
  RETENTION_QUESTION,
  SHOP_QUESTIONS,
} from '../../src/commands/demo/shop/questions.js';
import {
  CART_RATES,
  type Channel,
  type Device,
  ORDER_RATES,
  PRODUCT_RATE,
  RETURN_RATES,
} from '../../src/commands/demo/shop/rates.js';
import { loadShop, tourShop } from '../../src/commands/demo/shop/run.js';
import {
  SHOP_END,
  SHOP_START,
  SHOP_VISITORS_SMALL,
  type Visitor,
  visitorsOf,
} from '../../src/commands/demo/shop/visitor.js';
import { RemoteClient } from '../../src/commands/remote/client.js';
import { startServer } from './server.js';

type Steps = { readonly steps: readonly { readonly count: number }[] };
type Revenue = { readonly result: { readonly paid: readonly { readonly sum: number }[] } };

t.setTimeout(120_000);

const VISITORS = [...visitorsOf(SHOP_VISITORS_SMALL)];
const WEEK_SECONDS = 7 * 86_400;
const DEVIATIONS_MAX = 4;

/** Checks a count against a known rate, within 4 standard deviations. */
function near(t: Test, found: number, of: number, rate: number, what: string): void {
  const deviation = Math.sqrt(of * rate * (1 - rate));
  t.ok(Math.abs(found - of * rate) <= DEVIATIONS_MAX * deviation, `${what}: ${found} of ${of}, rate ${rate}`);
}

const reaching = (visitors: readonly Visitor[], step: number): Visitor[] =>
  visitors.filter(({ reached }) => reached >= step);

t.test('visitors look, fill carts, order and come back at the known rates', async (t) => {
  near(t, reaching(VISITORS, 2).length, VISITORS.length, PRODUCT_RATE, 'product');
  for (const [channel, rate] of Object.entries(CART_RATES) as [Channel, number][]) {
    const these = reaching(VISITORS, 2).filter((visitor) => visitor.channel === channel);
    near(t, reaching(these, 3).length, these.length, rate, `cart of ${channel}`);
  }
  for (const [device, rate] of Object.entries(ORDER_RATES) as [Device, number][]) {
    const these = reaching(VISITORS, 3).filter((visitor) => visitor.device === device);
    near(t, reaching(these, 4).length, these.length, rate, `order on ${device}`);
  }
  for (const [index, rate] of RETURN_RATES.entries()) {
    const week = index + 1;
    const observed = VISITORS.filter(
      ({ firstSeconds }) => firstSeconds + (week + 1) * WEEK_SECONDS < SHOP_END,
    );
    near(
      t,
      observed.filter(({ returnWeeks }) => returnWeeks.includes(week)).length,
      observed.length,
      rate,
      `week ${week}`,
    );
  }
});

t.test(
  'events lie in the 90 days, and a larger shop begins with the visitors of a smaller one',
  async (t) => {
    const outside = VISITORS.flatMap(({ page, cart, order, paid }) => [
      ...page,
      ...cart,
      ...order,
      ...paid,
    ]).filter(({ seconds }) => seconds < SHOP_START || seconds >= SHOP_END);
    t.strictSame(outside, []);
    const secondsOf = (column: 'order' | 'paid'): number[][] =>
      VISITORS.map((visitor) => visitor[column].map(({ seconds }) => seconds));
    t.strictSame(secondsOf('order'), secondsOf('paid'), 'a product and what was paid for it are one event');
    const [, second] = VISITORS;
    t.strictSame([...visitorsOf(2)][1], second);
    t.notSame([...visitorsOf(2, 7)][1], second, 'another seed makes another shop');
  },
);

t.test('the server counts exactly the conversions and returns that were made', async (t) => {
  const server = await startServer('--workers', '2');
  const client = new RemoteClient(server, 4);
  t.teardown(async () => {
    client.close();
    await server.stop();
  });
  const printed: string[] = [];
  const elapsedMs = (): number => performance.now();
  const context = {
    ...{ client, masterKey: server.masterKey, elapsedMs },
    out: { write: (text: string) => printed.push(text) > 0 },
    load: (_what: string, _total: number, bodies: Parameters<typeof insertAll>[2]) =>
      insertAll(client, server.writeKey, bodies, elapsedMs, () => {}),
  };
  await loadShop(context as never, VISITORS.length);
  const answers = await tourShop(context as never);
  t.equal(answers.length, 6);
  for (const { text } of SHOP_QUESTIONS) t.ok(printed.join('').includes(text), text);
  const answerTo = <Answer>(name: string): Answer =>
    answers.find(({ question }) => question.name === name)?.answer as Answer;

  const { steps, groups } = answerTo<
    Steps & { readonly groups: readonly (Steps & { readonly value: string })[] }
  >(FUNNEL_QUESTION.name);
  t.strictSame(
    steps.map(({ count }) => count),
    [1, 2, 3, 4].map((step) => reaching(VISITORS, step).length),
  );
  for (const { value, steps: own } of groups) {
    const these = VISITORS.filter(({ channel }) => channel === value);
    t.strictSame(
      own.map(({ count }) => count),
      [1, 2, 3, 4].map((step) => reaching(these, step).length),
      value,
    );
  }

  const rolling = {
    ...RETENTION_QUESTION.query,
    rolling: true,
    between: ['2026-01-01', '2026-01-28T23:59:59Z'],
    'query-name': 'back',
  };
  const { result } = (await client.json({
    ...{ method: 'POST', path: '/v1/query/retention', key: server.readKey, body: JSON.stringify(rolling) },
  })) as { result: { back: { total: { size: number; counts: number[] } } } };
  const observed = VISITORS.filter(({ firstSeconds }) => firstSeconds < SHOP_START + 28 * 86_400);
  t.equal(result.back.total.size, observed.length);
  t.strictSame(
    result.back.total.counts.slice(1),
    [1, 2, 3, 4, 5, 6, 7].map(
      (week) => observed.filter(({ returnWeeks }) => returnWeeks.includes(week)).length,
    ),
  );
  const revenue = answerTo<Revenue>('shop-revenue').result.paid.reduce((sum, week) => sum + week.sum, 0);
  t.equal(
    revenue,
    VISITORS.flatMap(({ paid }) => paid).reduce((sum, { value }) => sum + Number(value), 0),
  );
});
