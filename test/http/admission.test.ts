import t from 'tap';
import { KEYS } from './fake-engine.js';
import { type Ask, ask, codeOf, type Front, startFront } from './harness.js';

const JSON_HEADERS = { Authorization: KEYS.master, 'Content-Type': 'application/json' };

/** One fault per stage of the checks; a request that has several gets the code of the earliest stage. */
const STAGES: readonly { readonly name: string; readonly faults: readonly Fault[] }[] = [
  { name: 'transport', faults: [{ code: 1506, spoil: (ask) => ({ ...ask, plain: true }) }] },
  { name: 'path', faults: [{ code: 1505, spoil: (ask) => ({ ...ask, path: '/v1/nowhere' }) }] },
  { name: 'method', faults: [{ code: 1505, spoil: (ask) => ({ ...ask, method: 'PUT' }) }] },
  {
    name: 'key',
    faults: [
      { code: 500, spoil: (ask) => withHeader(ask, 'Authorization', null) },
      { code: 501, spoil: (ask) => withHeader(ask, 'Authorization', '') },
      { code: 502, spoil: (ask) => withHeader(ask, 'Authorization', 'no such key') },
      { code: 503, spoil: (ask) => withHeader(ask, 'Authorization', KEYS.write) },
      { code: 503, spoil: (ask) => withHeader(ask, 'Authorization', KEYS.team) },
    ],
  },
  {
    name: 'content type',
    faults: [
      { code: 1500, spoil: (ask) => withHeader(ask, 'Content-Type', null) },
      { code: 1501, spoil: (ask) => withHeader(ask, 'Content-Type', 'text/json') },
      { code: 1501, spoil: (ask) => withHeader(ask, 'Content-Encoding', 'zstd') },
    ],
  },
  {
    name: 'length',
    faults: [
      { code: 1507, spoil: (ask) => withHeader(ask, 'Content-Length', '5242881') },
      { code: 1507, spoil: (ask) => withHeader(ask, 'Content-Length', '99999999999999999999') },
    ],
  },
  { name: 'body', faults: [{ code: 1503, spoil: (ask) => ({ ...ask, body: '{"a":' }) }] },
];

interface Fault {
  readonly code: number;
  readonly spoil: (ask: Ask) => Ask;
}

function withHeader(request: Ask, name: string, value: string | null): Ask {
  const headers: Record<string, string> = { ...request.headers };
  if (value === null) delete headers[name];
  else headers[name] = value;
  return { ...request, headers };
}

const GOOD: Ask = {
  path: '/v1/query/count/entity',
  headers: JSON_HEADERS,
  body: '{"query-name":"a","query":[{"entity-id":{"equals":"x"}}]}',
};

t.test('a request with two faults gets the code of the check that comes first', async (t) => {
  const front = await startFront(t);
  t.equal((await ask(front, GOOD)).status, 200, 'without a fault it is answered');
  for (let early = 0; early < STAGES.length; early++) {
    for (const first of STAGES[early].faults) {
      t.equal(codeOf(await ask(front, first.spoil(GOOD))), first.code, STAGES[early].name);
      for (const later of STAGES.slice(early + 1)) {
        for (const second of later.faults) {
          const reply = await ask(front, second.spoil(first.spoil(GOOD)));
          t.equal(codeOf(reply), first.code, `${STAGES[early].name} before ${later.name}`);
        }
      }
    }
  }
});

async function codesOf(front: Front, asks: readonly Ask[]): Promise<number[]> {
  return Promise.all(asks.map(async (request) => codeOf(await ask(front, request))));
}

t.test('every transport error has the HTTP status of the interface', async (t) => {
  const front = await startFront(t);
  const statuses: Record<number, number> = {};
  for (const fault of STAGES.flatMap((stage) => stage.faults)) {
    const reply = await ask(front, fault.spoil(GOOD));
    statuses[codeOf(reply)] = reply.status;
    t.equal(reply.headers['content-type'], 'application/json');
  }
  t.strictSame(statuses, {
    500: 401,
    501: 401,
    502: 401,
    503: 403,
    1500: 415,
    1501: 415,
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
    t.equal((await ask(front, withHeader(GOOD, 'Content-Type', type))).status, 200, type);
  const lowerCaseName = {
    ...GOOD,
    headers: { authorization: KEYS.read, 'content-type': 'application/json' },
  };
  t.equal((await ask(front, lowerCaseName)).status, 200, 'header names in lower case');
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
  t.equal((await ask(front, { path: '/v1/dimension', headers })).status, 200, 'GET');
  t.equal(
    codeOf(await ask(front, { method: 'POST', path: GOOD.path, headers })),
    1503,
    'POST without a body',
  );
  const zero = { method: 'POST', path: GOOD.path, headers: { ...headers, 'Content-Length': '0' } };
  t.equal(codeOf(await ask(front, zero)), 1503, 'a body of no bytes is none');
  t.equal(codeOf(await ask(front, { path: GOOD.path, headers, body: 'x' })), 1500, 'POST with a body');
});

t.test('before the engine is ready paths are checked but keys are not', async (t) => {
  const front = await startFront(t);
  front.engine.ready = false;
  const reply = await ask(front, withHeader(GOOD, 'Authorization', 'no such key'));
  t.equal(codeOf(reply), 9004);
  t.equal(reply.status, 503);
  t.equal(reply.headers['retry-after'], '1');
  t.equal(codeOf(await ask(front, { ...GOOD, path: '/v1/nowhere' })), 1505);
});
