import t from 'tap';
import { ManualClock, Prng } from '../../../src/base/index.js';
import { type CustomKey, EMPTY_CATALOG, hashOfKey } from '../../../src/catalog/index.js';
import { type DatabaseUsage, NO_USAGE } from '../../../src/engine/index.js';
import type { Caller } from '../../../src/http/auth/caller.js';
import { ENDPOINTS, type Endpoint } from '../../../src/http/endpoints/endpoints.js';
import { type LimitTable, SPEC_LIMITS } from '../../../src/http/limits/limit-table.js';
import { type LimitedDatabase, RateLimiter } from '../../../src/http/limits/limits.js';
import { CappedWindow, RateExceeded, RateWindow } from '../../../src/http/limits/rate-window.js';
import { DATABASE_ID, FakeEngine, KEYS } from '../fake-engine.js';
import { codeOf, type Reply, sendRequest, startFront, type TestRequest } from '../harness.js';

function endpoint(name: string): Endpoint {
  const found = ENDPOINTS.find(({ method, path }) => `${method} ${path}` === name);
  if (found === undefined) throw new Error(name);
  return found;
}

const COUNT = endpoint('POST /v1/query/count/entity');
const EXISTS = endpoint('POST /v1/query/exists/entity');
const UPDATE = endpoint('POST /v1/update');
const INSERT = endpoint('POST /v1/insert');
const RECORDS = endpoint('POST /v1/insert/lines');
const DELETE = endpoint('POST /v1/delete');
const SQL = endpoint('POST /v1/sql');

const database = (id: number, plan: LimitedDatabase['queryLoad'] = 'normal'): LimitedDatabase => {
  return { id, queryLoad: plan, insertionLoad: plan };
};

const keyOf = (kind: 'master' | 'read' | 'write', databaseId = 1): Caller => {
  return { kind, hash: hashOfKey(`${kind} ${databaseId}`), databaseId };
};
const customKey = (name: string): Caller => {
  return {
    ...{ kind: 'custom', hash: hashOfKey(name), databaseId: 1, name, level: 'write-read', description: '' },
    ...{ columnsWhitelist: null, filter: [], addressesWhitelist: [] },
  };
};
const user = (email: string): Caller => ({ kind: 'user', email, databaseId: 1, passwordHash: '' });
const MASTER = keyOf('master');

const usageOf = (day: number, dayWriteCount: number): DatabaseUsage => ({ ...NO_USAGE, day, dayWriteCount });

t.test('a window lasts a minute from its first request and counts up to its limit', (t) => {
  const window = new RateWindow();
  window.limit = 2;
  t.strictSame(window.status(5_000), { limit: 2, remaining: 2, resetSeconds: 60 });
  t.equal(window.tryCount(1, 5_000), true);
  t.strictSame(window.status(5_000), { limit: 2, remaining: 1, resetSeconds: 60 });
  t.equal(window.tryCount(1, 64_999), true);
  t.strictSame(window.status(64_999), { limit: 2, remaining: 0, resetSeconds: 1 });
  t.equal(window.tryCount(1, 64_999), false);
  t.equal(window.tryCount(1, 65_000), true, 'the next window begins with its first request');
  t.strictSame(window.status(70_500), { limit: 2, remaining: 1, resetSeconds: 55 });
  t.equal(window.tryCount(2, 70_500), false, 'a charge that does not fit completely is refused');
  t.strictSame(
    window.status(70_500),
    { limit: 2, remaining: 1, resetSeconds: 55 },
    'a refused charge is not counted',
  );
  window.limit = 0;
  t.strictSame(
    window.status(70_500),
    { limit: 0, remaining: 0, resetSeconds: 55 },
    'the limit of a plan may decrease',
  );
  t.end();
});

t.test('random requests pass exactly when the reference model admits them', (t) => {
  const seed = 4711;
  const random = new Prng(seed);
  const limiter = new RateLimiter(
    { ...SPEC_LIMITS, requestsPerMinute: new Map([['POST /v1/update', 7]]) },
    ENDPOINTS,
  );
  /** The times of the requests in the window, by database and caller. */
  const oracle = new Map<string, { endMs: number; count: number }>();
  let nowMs = 0;
  const differing: string[] = [];
  for (let step = 0; step < 20_000; step++) {
    nowMs += random.below(40) === 0 ? random.below(70_000) : random.below(30);
    const id = 1 + random.below(3);
    const endpoint = random.pick([COUNT, EXISTS, UPDATE, DELETE]);
    const limit = endpoint === UPDATE ? 7 : endpoint === DELETE ? 600 : 60;
    const name = `${id} ${endpoint === COUNT || endpoint === EXISTS ? 'queries' : endpoint.path}`;
    let window = oracle.get(name);
    if (window === undefined || nowMs >= window.endMs) window = { endMs: nowMs + 60_000, count: 0 };
    oracle.set(name, window);
    const wanted = window.count < limit;
    if (wanted) window.count++;
    const bound = limiter.inDatabase(endpoint, database(id), keyOf('master', id));
    if (bound?.window.tryCount(bound.cost, nowMs) !== wanted) differing.push(`step ${step}: ${name}`);
  }
  t.strictSame(differing, [], `seed ${seed}`);
  t.end();
});

t.test('a capped window counts in both windows, or in neither', (t) => {
  const seed = 815;
  const random = new Prng(seed);
  const ceiling = new RateWindow();
  const [one, other] = [
    new CappedWindow(new RateWindow(), ceiling),
    new CappedWindow(new RateWindow(), ceiling),
  ];
  for (const window of [one, other]) window.limit = 50;
  /** The reference model: a minute that begins with its first request, for each caller and for both together. */
  const minutes = new Map([one, other, ceiling].map((window) => [window as object, { endMs: 0, count: 0 }]));
  const differing: number[] = [];
  let nowMs = 1;
  for (let step = 0; step < 5_000; step++) {
    nowMs += random.below(1_500);
    const window = random.pick([one, other]);
    const count = 1 + random.below(4);
    const counted = [window, ceiling].map((each) => {
      const minute = minutes.get(each) ?? { endMs: 0, count: 0 };
      if (nowMs >= minute.endMs) Object.assign(minute, { endMs: nowMs + 60_000, count: 0 });
      return minute;
    });
    // A caller's own window begins even if the request is refused; the ceiling is checked only if that window has
    // capacity.
    const wanted = counted.every((minute) => minute.count + count <= 50);
    if (wanted) for (const minute of counted) minute.count += count;
    if (window.tryCount(count, nowMs) !== wanted) differing.push(step);
    const remaining = Math.min(...counted.map((minute) => 50 - minute.count));
    if (window.status(nowMs).remaining !== remaining) differing.push(step);
  }
  t.strictSame(differing, [], `seed ${seed}`);
  t.end();
});

t.test('each key has its own rate, and all custom keys together have a single rate', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const takes = (caller: Caller, count: number, elapsedMs = 0): number => {
    let taken = 0;
    for (let sent = 0; sent < count; sent++) {
      const bound = limiter.inDatabase(SQL, database(1), caller);
      if (bound?.window.tryCount(bound.cost, elapsedMs) === true) taken++;
    }
    return taken;
  };
  const [partner, dashboard] = [customKey('partner'), customKey('dashboard')];
  t.equal(takes(partner, 100), 100);
  t.equal(takes(dashboard, 100), 20, 'the remaining rate of all custom keys together');
  t.equal(takes(partner, 10), 0);
  for (const caller of [MASTER, keyOf('read'), keyOf('write')]) t.equal(takes(caller, 130), 120);
  t.equal(takes(user('a@x.org'), 100), 100, 'requests of users are not counted with those of custom keys');
  t.equal(takes(user('b@x.org'), 100), 20);
  t.equal(takes({ ...user('a@x.org') }, 1), 0, 'a second session of a user shares the rate of the first');
  t.equal(takes(dashboard, 130, 60_000), 120, 'in the next minute');
  t.end();
});

t.test('a refusal names the owner of the limit', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const messageOf = (caller: Caller, count = 121): unknown => {
    try {
      for (let sent = 0; sent < count; sent++) {
        const bound = limiter.inDatabase(SQL, database(1), caller);
        if (bound !== null) limiter.count(SQL, bound, caller, 0);
      }
      return null;
    } catch (error) {
      return error instanceof RateExceeded ? [error.message, error.rateStatus] : error;
    }
  };
  const rateStatus = { limit: 120, remaining: 0, resetSeconds: 60 };
  const plain = ['more than 120 requests POST /v1/sql in a minute', rateStatus];
  t.strictSame(messageOf(MASTER), plain);
  t.strictSame(messageOf(customKey('partner')), plain);
  t.strictSame(messageOf(customKey('dashboard')), [
    'more than 120 requests POST /v1/sql in a minute by all custom keys of this database together',
    rateStatus,
  ]);
  t.equal(messageOf(user('a@x.org'), 100), null);
  t.match(messageOf(user('b@x.org')), [/by all users of this database together$/]);
  t.equal(limiter.refusals.requests, 4);
  const charge = (caller: Caller, insertedCount: number): unknown => {
    const budget = { caller, database: database(1, 'mega'), usage: NO_USAGE, elapsedMs: 0, clockMs: 0 };
    try {
      limiter.chargeWrites(budget, { insertedCount, updatedCount: 0 });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.equal(charge(customKey('partner'), 200_000), null);
  t.equal(
    charge(customKey('partner'), 100_001),
    '100001 more entity IDs would be over the 300000 that this key may insert in a minute',
  );
  t.equal(
    charge(customKey('dashboard'), 100_001),
    '100001 more entity IDs would be over the 300000 that all custom keys of this database together may insert in a minute',
  );
  t.equal(charge(keyOf('write'), 300_000), null, 'the write key has its own rate');
  t.match(charge(user('a@x.org'), 300_001), /that this user may insert/);
  t.end();
});

t.test('callers are forgotten when their minute has passed', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const catalog = new FakeEngine().catalog();
  for (let number = 0; number < 1_000; number++) {
    const bound = limiter.inDatabase(SQL, database(1), customKey(`key ${number}`));
    bound?.window.tryCount(1, number * 10);
  }
  limiter.sweep(catalog, 59_999);
  t.equal(limiter.callerCount, 1_000);
  limiter.sweep(catalog, 65_000);
  t.equal(limiter.callerCount, 499, 'callers whose window began in the last minute');
  limiter.sweep(catalog, 100_000);
  t.equal(limiter.callerCount, 0);
  t.end();
});

t.test('query-load endpoints share the limit of their plan, which may change at any time', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const boundOf = (endpoint: Endpoint, plan: LimitedDatabase['queryLoad']) =>
    limiter.inDatabase(endpoint, database(1, plan), MASTER);
  for (let count = 0; count < 60; count++) {
    const endpoint = count % 2 === 0 ? COUNT : EXISTS;
    t.equal(boundOf(endpoint, 'normal')?.window.tryCount(1, 0), true);
  }
  t.equal(boundOf(COUNT, 'normal')?.window.tryCount(1, 0), false);
  t.equal(boundOf(COUNT, 'high')?.window.tryCount(1, 0), true, 'a higher plan applies at once');
  t.equal(boundOf(COUNT, 'normal')?.window.tryCount(1, 0), false);
  t.equal(
    limiter.inDatabase(COUNT, database(2), MASTER)?.window.tryCount(1, 0),
    true,
    'another database has its own rate',
  );
  t.strictSame(
    (['normal', 'high', 'ultra', 'mega'] as const).map((plan) => boundOf(COUNT, plan)?.window.limit),
    [60, 300, 600, 6_000],
  );
  t.end();
});

t.test(
  'a rate in the table replaces the rate of its endpoint, even if that rate is null or depends on the plan',
  (t) => {
    const requestsPerMinute = new Map([
      ['POST /v1/insert', 3],
      ['POST /v1/query/count/entity', 5],
    ]);
    const limiter = new RateLimiter({ ...SPEC_LIMITS, requestsPerMinute }, ENDPOINTS);
    const figure = (endpoint: Endpoint) => {
      const bound = limiter.inDatabase(endpoint, database(1), MASTER);
      return [bound?.window.limit, bound?.cost];
    };
    t.strictSame(figure(INSERT), [3, 1]);
    t.strictSame(figure(COUNT), [5, 1]);
    t.strictSame(figure(EXISTS), [60, 1]);
    t.strictSame(new RateLimiter(SPEC_LIMITS, ENDPOINTS).inDatabase(INSERT, database(1), MASTER)?.cost, 0);
    t.end();
  },
);

t.test('entity IDs are limited per minute, writes per UTC day, and refused requests are not counted', (t) => {
  const limits: LimitTable = {
    ...SPEC_LIMITS,
    entitiesPerMinute: 100,
    writesPerDay: { normal: 1_000, high: 2_000, ultra: 0, mega: 0 },
  };
  const limiter = new RateLimiter(limits, ENDPOINTS);
  const day = 20_000;
  const clockMs = (day + 1) * 86_400_000 - 90_500;
  const charge = (endpoint: Endpoint, count: number, written = 0, elapsedMs = 0, usageDay = day): unknown => {
    try {
      limiter.charge(
        endpoint,
        { caller: MASTER, database: database(1), usage: usageOf(usageDay, written), elapsedMs, clockMs },
        count,
      );
      return 'charged';
    } catch (error) {
      if (!(error instanceof RateExceeded)) throw error;
      t.strictSame(error.moreInfo, { 'retry-after': error.rateStatus.resetSeconds });
      t.equal(error.code, 1502);
      return error.rateStatus;
    }
  };
  t.equal(charge(INSERT, 60), 'charged');
  t.strictSame(charge(INSERT, 41, 0, 1_000), { limit: 100, remaining: 40, resetSeconds: 59 });
  t.equal(charge(INSERT, 40, 0, 1_000), 'charged');
  t.strictSame(charge(INSERT, 1, 0, 59_999), { limit: 100, remaining: 0, resetSeconds: 1 });
  t.strictSame(
    charge(RECORDS, 1, 0, 59_999),
    { limit: 100, remaining: 0, resetSeconds: 1 },
    'records of lines count like other inserts',
  );
  t.equal(charge(INSERT, 100, 0, 60_000), 'charged', 'in the next minute');
  t.equal(charge(UPDATE, 1_000), 'charged', 'updates are not limited per minute');
  t.equal(charge(UPDATE, 1, 999), 'charged');
  t.strictSame(
    charge(UPDATE, 2, 999),
    { limit: 1_000, remaining: 1, resetSeconds: 91 },
    'the limit is reset at midnight',
  );
  t.strictSame(charge(INSERT, 1, 1_000, 130_000), { limit: 1_000, remaining: 0, resetSeconds: 91 });
  t.equal(
    charge(INSERT, 100, 0, 130_000),
    'charged',
    'entity IDs that the daily limit refuses are not counted in the minute',
  );
  t.equal(charge(UPDATE, 1_000, 1_000, 0, day - 1), 'charged', 'writes of yesterday are not counted today');
  t.equal(charge(DELETE, 1_000_000, 1_000), 'charged', 'a delete writes nothing');
  t.end();
});

t.test('the team has one window per endpoint; endpoints without a key have a window per client', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const team = endpoint('POST /v1/users');
  t.equal(limiter.ofTeam(team)?.window, limiter.ofTeam(team)?.window);
  t.equal(limiter.ofTeam(team)?.window.limit, 600);
  const signIn = endpoint('POST /v1/session');
  const windowOf = (address: string) => limiter.ofClient(signIn, address)?.window;
  const first = windowOf('192.0.2.1');
  t.equal(windowOf('192.0.2.1'), first);
  t.not(windowOf('192.0.2.2'), first);
  t.equal(windowOf('2001:db8::1'), windowOf('2001:db8::2'), 'an IPv6 network of 64 bits is one client');
  t.end();
});

t.test('deleted databases and the least recently seen clients are forgotten', (t) => {
  const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
  const ofDatabase = limiter.inDatabase(COUNT, database(1), MASTER)?.window;
  limiter.sweep(EMPTY_CATALOG, 0);
  t.not(limiter.inDatabase(COUNT, database(1), MASTER)?.window, ofDatabase);
  const signIn = endpoint('POST /v1/session');
  const windowOf = (address: string) => limiter.ofClient(signIn, address)?.window;
  const [early, steady] = [windowOf('early'), windowOf('steady')];
  for (let client = 0; client < 30_000; client++) {
    windowOf(`c${client}`);
    if (client % 5_000 === 0) windowOf('steady');
  }
  t.not(windowOf('early'), early);
  t.equal(windowOf('steady'), steady, 'a client that keeps sending is remembered');
  t.end();
});

const HEADERS = { Authorization: KEYS.master, 'Content-Type': 'application/json' };
const LIST: TestRequest = { path: '/v1/dimension', headers: HEADERS };

function rateOf({ headers }: Reply): (string | undefined)[] {
  return ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map(
    (name) => headers[name],
  );
}

t.test('every answer of a limited endpoint has its limit, and 1502 also the time to retry', async (t) => {
  let elapsedMs = 0;
  const requestsPerMinute = new Map([['GET /v1/dimension', 2]]);
  const front = await startFront(
    t,
    { limits: { ...SPEC_LIMITS, requestsPerMinute } },
    { elapsedMs: () => elapsedMs },
  );
  t.strictSame(rateOf(await sendRequest(front, LIST)), ['2', '1', '60', undefined]);
  elapsedMs = 10_500;
  t.strictSame(rateOf(await sendRequest(front, LIST)), ['2', '0', '50', undefined]);
  const refused = await sendRequest(front, LIST);
  t.equal(codeOf(refused), 1502);
  t.equal(refused.status, 429);
  t.strictSame(rateOf(refused), ['2', '0', '50', '50']);
  t.strictSame(JSON.parse(refused.body).errors[0]['more-info'], { 'retry-after': 50 });
  t.equal(
    codeOf(await sendRequest(front, { ...LIST, headers: {} })),
    500,
    'a client without a key sees no limit',
  );
  elapsedMs = 60_000;
  t.strictSame(rateOf(await sendRequest(front, LIST)), ['2', '1', '60', undefined]);
  const noType = { path: '/v1/query/exists/entity', headers: { Authorization: KEYS.master }, body: '{}' };
  const untyped = await sendRequest(front, noType);
  t.equal(codeOf(untyped), 1500);
  t.strictSame(rateOf(untyped), ['6000', '6000', '60', undefined], 'a refused request does not count');
  const wrong = await sendRequest(front, { ...noType, headers: HEADERS });
  t.equal(codeOf(wrong), 4025);
  t.strictSame(rateOf(wrong), ['6000', '5999', '60', undefined], 'an admitted request that fails is counted');
  const { notedRequests } = front.engine;
  t.strictSame(
    notedRequests.map(({ isQuery }) => isQuery),
    [false, false, false, true],
    'only admitted requests are noted for the database',
  );
});

t.test(
  'a custom key that exhausted its rate does not affect the rates and headers of other keys',
  async (t) => {
    const requestsPerMinute = new Map([['POST /v1/query/count/entity', 2]]);
    const front = await startFront(
      t,
      { limits: { ...SPEC_LIMITS, requestsPerMinute } },
      { elapsedMs: () => 0 },
    );
    for (const name of ['partner', 'dashboard']) {
      const key = { ...customKey(name), databaseId: DATABASE_ID } as CustomKey;
      front.engine.apply({ change: 'key-created', key });
    }
    const body = '{"query-name":"a","query":[{"entity-id":{"equals":"x"}}]}';
    const count = async (key: string): Promise<unknown[]> => {
      const reply = await sendRequest(front, {
        path: '/v1/query/count/entity',
        headers: { ...HEADERS, Authorization: key },
        body,
      });
      return [reply.status, ...rateOf(reply)];
    };
    t.strictSame(await count('partner'), [200, '2', '1', '60', undefined]);
    t.strictSame(
      await count('dashboard'),
      [200, '2', '0', '60', undefined],
      'the remaining rate of all custom keys together',
    );
    t.strictSame(await count('partner'), [429, '2', '0', '60', '60']);
    t.strictSame(await count(KEYS.master), [200, '2', '1', '60', undefined]);
    t.strictSame(await count(KEYS.read), [200, '2', '1', '60', undefined]);
    t.strictSame(await count(KEYS.master), [200, '2', '0', '60', undefined]);
  },
);

t.test('an insert is limited by its entity IDs, which are charged before anything is written', async (t) => {
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
  const insert: TestRequest = { path: '/v1/insert', headers: HEADERS, body: '{}' };
  t.strictSame(rateOf(await sendRequest(front, insert)), ['5', '2', '60', undefined]);
  const minute = await sendRequest(front, insert);
  t.equal(codeOf(minute), 1502);
  t.strictSame(rateOf(minute), ['5', '2', '60', '60']);
  front.engine.usages.set(1, usageOf(20_000, 99));
  entityCount = 2;
  const day = await sendRequest(front, insert);
  t.equal(codeOf(day), 1502);
  t.strictSame(rateOf(day), ['100', '1', '86399', '86399']);
});

t.test('without limits nothing is counted or reported', async (t) => {
  const front = await startFront(t);
  front.engine.onInsert = async (_bytes, { charge }) => {
    charge(1e12);
    return { entityCount: 1, valueCount: 1 };
  };
  for (const request of [LIST, { path: '/v1/insert', headers: HEADERS, body: '{}' }]) {
    const reply = await sendRequest(front, request);
    t.equal(reply.status, 200);
    t.strictSame(rateOf(reply), [undefined, undefined, undefined, undefined]);
  }
});
