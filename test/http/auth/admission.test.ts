import t from 'tap';
import { DEFAULT_PROPERTIES } from '../../../src/catalog/index.js';
import { encodingOf } from '../../../src/http/auth/admission.js';
import { SPEC_LIMITS } from '../../../src/http/index.js';
import { DATABASE_ID, type FakeEngine, KEYS } from '../fake-engine.js';
import { codeOf, type Front, type Reply, sendRequest, startFront, type TestRequest } from '../harness.js';

const JSON_HEADERS = { Authorization: KEYS.master, 'Content-Type': 'application/json' };

/** One fault per check, in order of the checks: a request with several faults gets the code of the first. */
const STAGES: readonly { readonly name: string; readonly faults: readonly Fault[] }[] = [
  { name: 'transport', faults: [{ code: 1506, spoil: (request) => ({ ...request, plain: true }) }] },
  { name: 'path', faults: [{ code: 1505, spoil: (request) => ({ ...request, path: '/v1/nowhere' }) }] },
  { name: 'method', faults: [{ code: 1505, spoil: (request) => ({ ...request, method: 'PUT' }) }] },
  {
    name: 'key',
    faults: [
      { code: 500, spoil: (request) => withHeader(request, 'Authorization', null) },
      { code: 501, spoil: (request) => withHeader(request, 'Authorization', '') },
      { code: 502, spoil: (request) => withHeader(request, 'Authorization', 'no such key') },
    ],
  },
  { name: 'account', faults: [{ code: 1002, inEngine: setAccount }] },
  { name: 'address', faults: [{ code: 504, inEngine: setWhitelist }] },
  {
    name: 'the permission of the key',
    faults: [{ code: 503, spoil: (request) => withHeader(request, 'Authorization', KEYS.write) }],
  },
  {
    name: 'content type',
    faults: [
      { code: 1500, spoil: (request) => withHeader(request, 'Content-Type', null) },
      { code: 1501, spoil: (request) => withHeader(request, 'Content-Type', 'text/json') },
      { code: 1501, spoil: (request) => withHeader(request, 'Content-Encoding', 'compress') },
    ],
  },
  { name: 'rate', faults: [{ code: 1502, spoil: (request) => ({ ...request, path: NEVER }) }] },
  {
    name: 'length',
    faults: [
      { code: 1507, spoil: (request) => withHeader(request, 'Content-Length', '5242881') },
      { code: 1507, spoil: (request) => withHeader(request, 'Content-Length', '99999999999999999999') },
    ],
  },
  { name: 'body', faults: [{ code: 1503, spoil: (request) => ({ ...request, body: '{"a":' }) }] },
];

interface Fault {
  readonly code: number;
  readonly spoil?: (request: TestRequest) => TestRequest;
  /** For a fault of the catalog: applies or reverts it. */
  readonly inEngine?: (engine: FakeEngine, broken: boolean) => void;
}

/** A path like that of GOOD, with a rate of zero requests a minute. */
const NEVER = '/v1/query/exists/entity';
const LIMITS = { ...SPEC_LIMITS, requestsPerMinute: new Map([[`POST ${NEVER}`, 0]]) };

function setAccount(engine: FakeEngine, broken: boolean): void {
  engine.apply({ change: 'account-set', state: broken ? 'banned' : 'active' });
}

function setWhitelist(engine: FakeEngine, broken: boolean): void {
  const properties = { ...DEFAULT_PROPERTIES, addressesWhitelist: broken ? ['192.0.2.1'] : [] };
  engine.apply({ change: 'database-changed', databaseId: DATABASE_ID, name: 'quarry', properties });
}

/** The answer to a request with all these faults; the first of two faults in the same part of the request is used. */
async function replyWith(front: Front, faults: readonly Fault[]): Promise<Reply> {
  for (const { inEngine } of faults) inEngine?.(front.engine, true);
  const reply = await sendRequest(
    front,
    faults.reduceRight((request, { spoil }) => spoil?.(request) ?? request, GOOD),
  );
  for (const { inEngine } of faults) inEngine?.(front.engine, false);
  return reply;
}

function withHeader(request: TestRequest, name: string, value: string | null): TestRequest {
  const headers: Record<string, string> = { ...request.headers };
  if (value === null) delete headers[name];
  else headers[name] = value;
  return { ...request, headers };
}

const GOOD: TestRequest = {
  path: '/v1/query/count/entity',
  headers: JSON_HEADERS,
  body: '{"query-name":"a","query":[{"entity-id":{"equals":"x"}}]}',
};

t.test('a request with two faults gets the code of the check that comes first', async (t) => {
  const front = await startFront(t, { limits: LIMITS });
  t.equal((await sendRequest(front, GOOD)).status, 200, 'a request without a fault is answered');
  for (let early = 0; early < STAGES.length; early++) {
    for (const first of STAGES[early].faults) {
      t.equal(codeOf(await replyWith(front, [first])), first.code, STAGES[early].name);
      for (const later of STAGES.slice(early + 1)) {
        for (const second of later.faults) {
          const title = `${STAGES[early].name} before ${later.name}`;
          t.equal(codeOf(await replyWith(front, [first, second])), first.code, title);
        }
      }
    }
  }
  t.equal((await sendRequest(front, GOOD)).status, 200, 'a request without a fault is still answered');
});

async function codesOf(front: Front, requests: readonly TestRequest[]): Promise<number[]> {
  return Promise.all(requests.map(async (request) => codeOf(await sendRequest(front, request))));
}

t.test('every transport error has the HTTP status of the interface', async (t) => {
  const front = await startFront(t, { limits: LIMITS });
  const statuses: Record<number, number> = {};
  for (const fault of STAGES.flatMap((stage) => stage.faults)) {
    const reply = await replyWith(front, [fault]);
    statuses[codeOf(reply)] = reply.status;
    t.equal(reply.headers['content-type'], 'application/json');
  }
  t.strictSame(statuses, {
    500: 401,
    501: 401,
    502: 401,
    503: 403,
    504: 403,
    1002: 403,
    1500: 415,
    1501: 415,
    1502: 429,
    1503: 400,
    1505: 404,
    1506: 403,
    1507: 413,
  });
});

t.test('content types match in any letter case and with parameters', async (t) => {
  const front = await startFront(t);
  const types = [
    'application/json',
    'APPLICATION/Json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    ' application/json ;x=y',
  ];
  for (const type of types)
    t.equal((await sendRequest(front, withHeader(GOOD, 'Content-Type', type))).status, 200, type);
  const lowerCaseName = {
    ...GOOD,
    headers: { authorization: KEYS.read, 'content-type': 'application/json' },
  };
  t.equal((await sendRequest(front, lowerCaseName)).status, 200, 'header names in lower case');
  const wrong = ['application/jsonx', 'text/plain', 'application/sql', 'application/json/x', ';'];
  t.strictSame(
    await codesOf(
      front,
      wrong.map((type) => withHeader(GOOD, 'Content-Type', type)),
    ),
    wrong.map(() => 1501),
  );
});

t.test('a request without a body needs no content type', async (t) => {
  const front = await startFront(t);
  const headers = { Authorization: KEYS.read };
  t.equal((await sendRequest(front, { path: '/v1/dimension', headers })).status, 200, 'GET');
  t.equal(
    codeOf(await sendRequest(front, { method: 'POST', path: GOOD.path, headers })),
    1503,
    'POST without a body',
  );
  const zero = { method: 'POST', path: GOOD.path, headers: { ...headers, 'Content-Length': '0' } };
  t.equal(codeOf(await sendRequest(front, zero)), 1503, 'an empty body counts as no body');
  t.equal(
    codeOf(await sendRequest(front, { path: GOOD.path, headers, body: 'x' })),
    1500,
    'POST with a body',
  );
});

t.test('before the engine is ready, paths are checked and keys are not', async (t) => {
  const front = await startFront(t);
  front.engine.ready = false;
  const reply = await sendRequest(front, withHeader(GOOD, 'Authorization', 'no such key'));
  t.equal(codeOf(reply), 9004);
  t.equal(reply.status, 503);
  t.equal(reply.headers['retry-after'], '1');
  t.equal(codeOf(await sendRequest(front, { ...GOOD, path: '/v1/nowhere' })), 1505);
});

t.test('every state of the account other than active refuses every key with a code of its own', async (t) => {
  const front = await startFront(t);
  const states = { 'no-payment-method': 1000, suspended: 1001, banned: 1002, disabled: 1003 } as const;
  for (const [state, code] of Object.entries(states)) {
    front.engine.apply({ change: 'account-set', state: state as keyof typeof states });
    for (const key of [KEYS.master, KEYS.team]) {
      const reply = await sendRequest(front, withHeader(GOOD, 'Authorization', key));
      t.equal(codeOf(reply), code, state);
      t.equal(reply.status, 403);
    }
  }
  front.engine.apply({ change: 'account-set', state: 'active' });
  t.equal((await sendRequest(front, GOOD)).status, 200);
});

t.test(
  'a whitelist admits its addresses and host names, for the peer or for the client that a trusted proxy reports',
  async (t) => {
    const names: Record<string, readonly string[]> = { 'office.example': ['127.0.0.1'] };
    const lookUpHost = async (host: string): Promise<readonly string[]> => names[host] ?? [];
    const front = await startFront(t, {}, { lookUpHost });
    const codeUnder = async (addressesWhitelist: readonly string[]): Promise<number> => {
      const properties = { ...DEFAULT_PROPERTIES, addressesWhitelist };
      front.engine.apply({ change: 'database-changed', databaseId: DATABASE_ID, name: 'quarry', properties });
      await front.server.ready();
      const reply = await sendRequest(front, GOOD);
      return reply.status === 200 ? 200 : codeOf(reply);
    };
    t.equal(await codeUnder(['127.0.0.0/8']), 200);
    t.equal(await codeUnder(['192.0.2.1', '::ffff:127.0.0.1']), 200);
    t.equal(await codeUnder(['office.example']), 200);
    t.equal(await codeUnder(['elsewhere.example', '192.0.2.0/24']), 504);
    t.equal(await codeUnder(['::1']), 504);
    const reply = await sendRequest(front, withHeader(GOOD, 'X-Forwarded-For', '::1'));
    t.equal(codeOf(reply), 504, 'an address that the client itself reports is ignored');
    t.match(reply.body, '127.0.0.1', 'the answer names the address of the client');
  },
);

t.test('host names are looked up before the server reports that it is ready', async (t) => {
  let answer = (): void => undefined;
  const answered = new Promise<readonly string[]>((resolve) => {
    answer = () => resolve(['127.0.0.1']);
  });
  let elapsedMs = 0;
  const front = await startFront(t, {}, { lookUpHost: () => answered, elapsedMs: () => elapsedMs });
  const properties = { ...DEFAULT_PROPERTIES, addressesWhitelist: ['office.example'] };
  front.engine.apply({ change: 'database-changed', databaseId: DATABASE_ID, name: 'quarry', properties });
  const readiness = async (): Promise<number> => (await sendRequest(front, { path: '/readyz' })).status;
  t.equal(await readiness(), 503);
  t.equal(codeOf(await sendRequest(front, GOOD)), 504);
  elapsedMs = 2_000;
  t.equal(await readiness(), 200, 'a slow name server does not delay the start');
  elapsedMs = 1_000;
  t.equal(await readiness(), 503);
  answer();
  await front.server.ready();
  t.equal(await readiness(), 200);
  t.equal((await sendRequest(front, GOOD)).status, 200);
});

t.test('encodings match in any letter case, and unknown encodings are refused', (t) => {
  t.equal(encodingOf(''), 'identity');
  t.equal(encodingOf('Identity'), 'identity');
  t.equal(encodingOf('GZIP'), 'gzip');
  t.equal(encodingOf('x-gzip'), 'gzip');
  t.equal(encodingOf(' br '), 'br');
  t.equal(encodingOf('Zstd'), 'zstd');
  for (const header of ['compress', 'deflate', 'gzip, br']) {
    t.throws(() => encodingOf(header), { message: 'is not supported' }, header);
  }
  t.end();
});
