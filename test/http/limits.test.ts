import t from 'tap';
import { ManualClock, Prng } from '../../src/base/index.js';
import { EMPTY_CATALOG } from '../../src/catalog/index.js';
import { type DatabaseUsage, NO_USAGE } from '../../src/engine/index.js';
import { ENDPOINTS, type Endpoint } from '../../src/http/endpoints.js';
import { type LimitTable, SPEC_LIMITS } from '../../src/http/limit-table.js';
import { type LimitedDatabase, RateLimiter } from '../../src/http/limits.js';
import { RateExceeded, Window } from '../../src/http/rate-window.js';
import { KEYS } from './fake-engine.js';
import { type Ask, ask, codeOf, type Reply, startFront } from './harness.js';

function endpoint(name: string): Endpoint {
  const found = ENDPOINTS.find(({ method, path }) => `${method} ${path}` === name);
  if (found === undefined) throw new Error(name);
  return found;
}

const COUNT = endpoint('POST /v1/query/count/entity');
const EXISTS = endpoint('POST /v1/query/exists/entity');
const UPDATE = endpoint('POST /v1/update');
const INSERT = endpoint('POST /v1/insert');
const DELETE = endpoint('POST /v1/delete');

const database = (id: number, plan: LimitedDatabase['queryLoad'] = 'normal'): LimitedDatabase => {
  return { id, queryLoad: plan, insertionLoad: plan };
};

const usageOf = (day: number, dayWriteCount: number): DatabaseUsage => ({ ...NO_USAGE, day, dayWriteCount });

t.test('a window counts up to its limit from its first request, for a minute', (t) => {
  const window = new Window();
  window.limit = 2;
  t.strictSame(window.figures(5_000), { limit: 2, remaining: 2, resetSeconds: 60 });
  t.equal(window.take(1, 5_000), true);
  t.strictSame(window.figures(5_000), { limit: 2, remaining: 1, resetSeconds: 60 });
  t.equal(window.take(1, 64_999), true);
  t.strictSame(window.figures(64_999), { limit: 2, remaining: 0, resetSeconds: 1 });
  t.equal(window.take(1, 64_999), false);
  t.equal(window.take(1, 65_000), true, 'the next minute begins with the first request in it');
  t.strictSame(window.figures(70_500), { limit: 2, remaining: 1, resetSeconds: 55 });
  t.equal(window.take(2, 70_500), false, 'all or nothing');
  t.strictSame(
    window.figures(70_500),
    { limit: 2, remaining: 1, resetSeconds: 55 },
    'and nothing is counted',
  );
  window.limit = 0;
  t.strictSame(window.figures(70_500), { limit: 0, remaining: 0, resetSeconds: 55 }, 'a plan may shrink');
  t.end();
});

t.test('random requests pass exactly when the plain rule lets them', (t) => {
  const seed = 4711;
  const random = new Prng(seed);
  const limiter = new RateLimiter(
    { ...SPEC_LIMITS, requestsPerMinute: new Map([['POST /v1/update', 7]]) },
    ENDPOINTS,
  );
  /** By database and what is counted together: the times of the window's requests. */
  const oracle = new Map<string, { endMs: number; count: number }>();
  let nowMs = 0;
  const differing: string[] = [];
  for (let step = 0; step < 20_000; step++) {
    nowMs += random.below(40) === 0 ? random.below(70_000) : random.below(30);
    const id = 1 + random.below(3);
    const asked = random.pick([COUNT, EXISTS, UPDATE, DELETE]);
    const limit = asked === UPDATE ? 7 : asked === DELETE ? 600 : 60;
    const name = `${id} ${asked === COUNT || asked === EXISTS ? 'queries' : asked.path}`;
    let window = oracle.get(name);
    if (window === undefined || nowMs >= window.endMs) window = { endMs: nowMs + 60_000, count: 0 };
    oracle.set(name, window);
    const wanted = window.count < limit;
    if (wanted) window.count++;
    const bound = limiter.inDatabase(asked, database(id));
    if (bound?.window.take(bound.cost, nowMs) !== wanted) differing.push(`step ${step}: ${name}`);
  }
  t.strictSame(differing, [], `seed ${seed}`);
  t.end();
});

t.test('query-load endpoints share the figure of their plan, which may change at any time', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const boundOf = (asked: Endpoint, plan: LimitedDatabase['queryLoad']) =>
    limiter.inDatabase(asked, database(1, plan));
  for (let count = 0; count < 60; count++) {
    const asked = count % 2 === 0 ? COUNT : EXISTS;
    t.equal(boundOf(asked, 'normal')?.window.take(1, 0), true);
  }
  t.equal(boundOf(COUNT, 'normal')?.window.take(1, 0), false);
  t.equal(boundOf(COUNT, 'high')?.window.take(1, 0), true, 'a higher plan holds at once');
  t.equal(boundOf(COUNT, 'normal')?.window.take(1, 0), false);
  t.equal(limiter.inDatabase(COUNT, database(2))?.window.take(1, 0), true, 'another database has its own');
  t.strictSame(
    (['normal', 'high', 'ultra', 'mega'] as const).map((plan) => boundOf(COUNT, plan)?.window.limit),
    [60, 300, 600, 6_000],
  );
  t.end();
});

t.test('a figure of the table stands for that of its endpoint, also where that has none or a plan', (t) => {
  const requestsPerMinute = new Map([
    ['POST /v1/insert', 3],
    ['POST /v1/query/count/entity', 5],
  ]);
  const limiter = new RateLimiter({ ...SPEC_LIMITS, requestsPerMinute }, ENDPOINTS);
  const figure = (asked: Endpoint) => {
    const bound = limiter.inDatabase(asked, database(1));
    return [bound?.window.limit, bound?.cost];
  };
  t.strictSame(figure(INSERT), [3, 1]);
  t.strictSame(figure(COUNT), [5, 1]);
  t.strictSame(figure(EXISTS), [60, 1]);
  t.strictSame(new RateLimiter(SPEC_LIMITS, ENDPOINTS).inDatabase(INSERT, database(1))?.cost, 0);
  t.end();
});

t.test('entity IDs are bounded by the minute, writes by the UTC day, and a refusal counts nothing', (t) => {
  const limits: LimitTable = {
    ...SPEC_LIMITS,
    entitiesPerMinute: 100,
    writesPerDay: { normal: 1_000, high: 2_000, ultra: 0, mega: 0 },
  };
  const limiter = new RateLimiter(limits, ENDPOINTS);
  const day = 20_000;
  const clockMs = (day + 1) * 86_400_000 - 90_500;
  const charge = (asked: Endpoint, count: number, written = 0, elapsedMs = 0, usageDay = day): unknown => {
    try {
      limiter.charge(
        asked,
        { database: database(1), usage: usageOf(usageDay, written), elapsedMs, clockMs },
        count,
      );
      return 'charged';
    } catch (error) {
      if (!(error instanceof RateExceeded)) throw error;
      t.strictSame(error.moreInfo, { 'retry-after': error.figures.resetSeconds });
      t.equal(error.code, 1502);
      return error.figures;
    }
  };
  t.equal(charge(INSERT, 60), 'charged');
  t.strictSame(charge(INSERT, 41, 0, 1_000), { limit: 100, remaining: 40, resetSeconds: 59 });
  t.equal(charge(INSERT, 40, 0, 1_000), 'charged');
  t.strictSame(charge(INSERT, 1, 0, 59_999), { limit: 100, remaining: 0, resetSeconds: 1 });
  t.equal(charge(INSERT, 100, 0, 60_000), 'charged', 'in the next minute');
  t.equal(charge(UPDATE, 1_000), 'charged', 'updates are not bound by the minute');
  t.equal(charge(UPDATE, 1, 999), 'charged');
  t.strictSame(charge(UPDATE, 2, 999), { limit: 1_000, remaining: 1, resetSeconds: 91 }, 'up to midnight');
  t.strictSame(charge(INSERT, 1, 1_000, 130_000), { limit: 1_000, remaining: 0, resetSeconds: 91 });
  t.equal(charge(INSERT, 100, 0, 130_000), 'charged', 'what the day refused is not counted in the minute');
  t.equal(charge(UPDATE, 1_000, 1_000, 0, day - 1), 'charged', "yesterday's writes are not today's");
  t.equal(charge(DELETE, 1_000_000, 1_000), 'charged', 'a delete writes nothing');
  t.end();
});

t.test('the team has one window per endpoint; clients of open endpoints have their own', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const team = endpoint('POST /v1/users');
  t.equal(limiter.ofTeam(team)?.window, limiter.ofTeam(team)?.window);
  t.equal(limiter.ofTeam(team)?.window.limit, 600);
  const signIn = endpoint('POST /v1/session');
  const windowOf = (address: string) => limiter.ofClient(signIn, address)?.window;
  const first = windowOf('192.0.2.1');
  t.equal(windowOf('192.0.2.1'), first);
  t.not(windowOf('192.0.2.2'), first);
  t.equal(windowOf('2001:db8::1'), windowOf('2001:db8::2'), 'a network of IPv6 is one client');
  t.end();
});

t.test('databases that are gone are forgotten, and so are the clients that came longest ago', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const ofDatabase = limiter.inDatabase(COUNT, database(1))?.window;
  limiter.sweep(EMPTY_CATALOG);
  t.not(limiter.inDatabase(COUNT, database(1))?.window, ofDatabase);
  const signIn = endpoint('POST /v1/session');
  const windowOf = (address: string) => limiter.ofClient(signIn, address)?.window;
  const [early, steady] = [windowOf('early'), windowOf('steady')];
  for (let client = 0; client < 30_000; client++) {
    windowOf(`c${client}`);
    if (client % 5_000 === 0) windowOf('steady');
  }
  t.not(windowOf('early'), early);
  t.equal(windowOf('steady'), steady, 'who keeps coming is remembered');
  t.end();
});

const HEADERS = { Authorization: KEYS.master, 'Content-Type': 'application/json' };
const LIST: Ask = { path: '/v1/dimension', headers: HEADERS };

function rateOf({ headers }: Reply): (string | undefined)[] {
  return ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map(
    (name) => headers[name],
  );
}

t.test('every answer of a limited endpoint tells its limit, and 1502 when to come again', async (t) => {
  let elapsedMs = 0;
  const requestsPerMinute = new Map([['GET /v1/dimension', 2]]);
  const front = await startFront(
    t,
    { limits: { ...SPEC_LIMITS, requestsPerMinute } },
    { elapsedMs: () => elapsedMs },
  );
  t.strictSame(rateOf(await ask(front, LIST)), ['2', '1', '60', undefined]);
  elapsedMs = 10_500;
  t.strictSame(rateOf(await ask(front, LIST)), ['2', '0', '50', undefined]);
  const refused = await ask(front, LIST);
  t.equal(codeOf(refused), 1502);
  t.equal(refused.status, 429);
  t.strictSame(rateOf(refused), ['2', '0', '50', '50']);
  t.strictSame(JSON.parse(refused.body).errors[0]['more-info'], { 'retry-after': 50 });
  t.equal(codeOf(await ask(front, { ...LIST, headers: {} })), 500, 'who has no key is told of no limit');
  elapsedMs = 60_000;
  t.strictSame(rateOf(await ask(front, LIST)), ['2', '1', '60', undefined]);
  const noType = { path: '/v1/query/exists/entity', headers: { Authorization: KEYS.master }, body: '{}' };
  const untyped = await ask(front, noType);
  t.equal(codeOf(untyped), 1500);
  t.strictSame(rateOf(untyped), ['6000', '6000', '60', undefined], 'a refused request does not count');
  const wrong = await ask(front, { ...noType, headers: HEADERS });
  t.equal(codeOf(wrong), 4025);
  t.strictSame(rateOf(wrong), ['6000', '5999', '60', undefined], 'one that fails later does');
  const { notedRequests } = front.engine;
  t.strictSame(
    notedRequests.map(({ asks }) => asks),
    [false, false, false, true],
    'only those that were let in are noted for the database',
  );
});

t.test('an insert is bound by its entity IDs, which are charged before anything is written', async (t) => {
  const clock = new ManualClock(86_400_000 * 20_000 + 1_000);
  const front = await startFront(
    t,
    {
      limits: {
        ...SPEC_LIMITS,
        entitiesPerMinute: 5,
        writesPerDay: { ...SPEC_LIMITS.writesPerDay, mega: 100 },
      },
    },
    { elapsedMs: () => 0, clock },
  );
  let entityCount = 3;
  front.engine.onInsert = async (_bytes, { charge }) => {
    charge(entityCount);
    return { entityCount, valueCount: 1 };
  };
  const insert: Ask = { path: '/v1/insert', headers: HEADERS, body: '{}' };
  t.strictSame(rateOf(await ask(front, insert)), ['5', '2', '60', undefined]);
  const minute = await ask(front, insert);
  t.equal(codeOf(minute), 1502);
  t.strictSame(rateOf(minute), ['5', '2', '60', '60']);
  front.engine.usages.set(1, usageOf(20_000, 99));
  entityCount = 2;
  const day = await ask(front, insert);
  t.equal(codeOf(day), 1502);
  t.strictSame(rateOf(day), ['100', '1', '86399', '86399']);
});

t.test('without limits nothing is counted and nothing told', async (t) => {
  const front = await startFront(t);
  front.engine.onInsert = async (_bytes, { charge }) => {
    charge(1e12);
    return { entityCount: 1, valueCount: 1 };
  };
  for (const request of [LIST, { path: '/v1/insert', headers: HEADERS, body: '{}' }]) {
    const reply = await ask(front, request);
    t.equal(reply.status, 200);
    t.strictSame(rateOf(reply), [undefined, undefined, undefined, undefined]);
  }
});
