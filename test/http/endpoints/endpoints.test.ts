import t from 'tap';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import { KEYS } from '../fake-engine.js';
import { codeOf, sendRequest, startFront } from '../harness.js';

t.test('every method and path is in the table once, without a trailing slash', (t) => {
  const names = ENDPOINTS.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  t.equal(new Set(names).size, names.length);
  t.notOk(names.some((name) => name.endsWith('/')));
  t.end();
});

t.test('an unknown path or a wrong method is answered with 1505 and named', async (t) => {
  const front = await startFront(t);
  const headers = { Authorization: KEYS.master };
  const others = [
    '/',
    '/v1',
    '/v1/',
    '/v2/insert',
    '/v1/insert/x',
    '/v1//insert',
    '/v1/query/saved//',
    '/v1/dimension//',
  ];
  for (const path of others) {
    const reply = await sendRequest(front, { path, headers });
    t.equal(codeOf(reply), 1505, path);
    t.equal(reply.status, 404);
  }
  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE']) {
    const reply = await sendRequest(front, { method, path: '/v1/dimension', headers });
    t.equal(codeOf(reply), 1505, method);
    t.match(reply.body, method);
  }
});

t.test('a trailing slash and a query string change nothing', async (t) => {
  const front = await startFront(t);
  const headers = { Authorization: KEYS.master };
  for (const path of ['/v1/dimension', '/v1/dimension/', '/v1/dimension?x=1', '/v1/dimension/?x=1']) {
    t.strictSame(
      JSON.parse((await sendRequest(front, { path, headers })).body).dimensions,
      ['default'],
      path,
    );
  }
  for (const path of ['/readyz', '/readyz/', '/livez/', '/metrics/']) {
    t.equal((await sendRequest(front, { path })).status, 200, path);
  }
});
