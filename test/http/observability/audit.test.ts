import { pino } from 'pino';
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { hashOfKey } from '../../../src/catalog/index.js';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import { SPEC_LIMITS } from '../../../src/http/index.js';
import { Audit, isAdministrative } from '../../../src/http/observability/audit.js';
import { DATABASE_ID, KEYS } from '../fake-engine.js';
import {
  type Front,
  RawConnection,
  requestBytes,
  sendRequest,
  startFront,
  type TestRequest,
} from '../harness.js';
import { cheapHash, userIn } from '../team-call.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HEADERS = { ...JSON_TYPE, Authorization: KEYS.master };
const TEAM = { ...JSON_TYPE, Authorization: KEYS.team };
const MASTER = { key: `master-${hashOfKey(KEYS.master).slice(0, 8)}` };
const FIRST_TEAM = { key: `team-${hashOfKey(KEYS.team).slice(0, 8)}`, keyName: 'first' };
const COLUMN: TestRequest = {
  path: '/v1/column',
  headers: HEADERS,
  body: '[{"name":"age","type":"integer"}]',
};

type Entry = Readonly<Record<string, unknown>>;

function auditOf(front: Front): Entry[] {
  return front.logLines
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly audit: Entry })
    .filter(({ msg }) => msg === 'audit')
    .map(({ audit }) => audit);
}

t.test('exactly the administrative changes and sign-ins are audited', (t) => {
  const rows =
    /^\/v1\/(insert|update|delete|quarantine|sql|data_extraction|query\/(count|exists|aggregation|top_values|funnel|retention|lifecycle|stickiness|actives|sequence|sessions|flow|overlap|compare|timeline)|segment\/:segment_name\/ids)/;
  for (const endpoint of ENDPOINTS) {
    const expected = endpoint.method !== 'GET' && !rows.test(endpoint.path);
    t.equal(isAdministrative(endpoint), expected, `${endpoint.method} ${endpoint.path}`);
  }
  t.end();
});

t.test('a change has a line with the caller, the change and its result', async (t) => {
  const front = await startFront(t);
  await sendRequest(front, { ...COLUMN, headers: { ...HEADERS, 'X-Request-Id': 'mine' } });
  await sendRequest(front, COLUMN);
  t.match(auditOf(front), [
    {
      who: MASTER,
      what: 'POST /v1/column',
      outcome: 'done',
      changes: [
        {
          change: 'column-created',
          databaseId: DATABASE_ID,
          database: 'quarry',
          dimension: 'default',
          column: 'age',
        },
      ],
      requestId: 'mine',
      client: '127.0.0.1',
      status: 200,
    },
    { who: MASTER, what: 'POST /v1/column', outcome: 'refused', changes: [], status: 400, code: 3003 },
  ]);
});

t.test('a line contains no password, no new key and no other members of the body', async (t) => {
  const front = await startFront(t);
  const password = 'Tr0ub4dor & 3 horses';
  const user = { email: 'ann@example.org', password, 'first-name': 'Ann-Sophie' };
  await sendRequest(front, { path: '/v1/users', headers: TEAM, body: JSON.stringify(user) });
  const key = { 'key-name': 'ci', 'key-type': 'write-read', description: 'for the builds' };
  const made = await sendRequest(front, {
    ...{ path: '/v1/database/custom_key', headers: TEAM },
    body: JSON.stringify({ 'database-name': 'quarry', 'custom-database-key': key }),
  });
  const text = (JSON.parse(made.body) as { key: string }).key;
  t.match(text, /^[\w-]{43}$/);
  t.match(auditOf(front), [
    { who: FIRST_TEAM, what: 'POST /v1/users', changes: [{ change: 'user-set', email: 'ann@example.org' }] },
    {
      who: FIRST_TEAM,
      changes: [
        {
          change: 'key-created',
          key: `custom-${hashOfKey(text).slice(0, 8)}`,
          keyName: 'ci',
          database: 'quarry',
        },
      ],
    },
  ]);
  const all = front.logLines.join('');
  for (const secret of [password, text, hashOfKey(text), 'Ann-Sophie', 'for the builds', 'scrypt']) {
    t.notOk(all.includes(secret), secret);
  }
});

t.test('refused attempts are audited; attempts of unknown callers and queries are not', async (t) => {
  const front = await startFront(t);
  await sendRequest(front, { ...COLUMN, headers: { ...JSON_TYPE, Authorization: KEYS.read } });
  await sendRequest(front, { ...COLUMN, headers: { ...JSON_TYPE, Authorization: 'nobody' } });
  await sendRequest(front, { ...COLUMN, headers: JSON_TYPE });
  await sendRequest(front, { path: '/v1/column', headers: HEADERS });
  await sendRequest(front, { path: '/v1/insert', headers: HEADERS, body: '{}' });
  t.match(auditOf(front), [
    { who: { key: `read-${hashOfKey(KEYS.read).slice(0, 8)}` }, outcome: 'refused', status: 403, code: 503 },
  ]);
  t.equal(auditOf(front).length, 1);
});

t.test('sign-in attempts are audited if the password was checked', async (t) => {
  const front = await startFront(t, { limits: SPEC_LIMITS });
  const right = 'Tr0ub4dor & 3 horses';
  userIn(front.engine, [DATABASE_ID], cheapHash(right));
  const signIn = async (email: string, password: string, more: object = {}): Promise<void> => {
    const body = JSON.stringify({ email, password, ...more });
    const { body: answer } = await sendRequest(front, { path: '/v1/session', headers: JSON_TYPE, body });
    keys.push((JSON.parse(answer) as { 'session-key'?: string })['session-key'] ?? '');
  };
  const keys: string[] = [];
  const email = 'ann@example.org';
  await signIn(email, right);
  await signIn(email, right, { 'database-name': 'other' });
  for (let round = 0; round < 12; round++) await signIn(email, 'wrong horses');
  await signIn('pass word typed here', right);
  const line = { who: { key: 'user', keyName: email }, what: 'POST /v1/session', client: '127.0.0.1' };
  const failed = { ...line, outcome: 'refused', status: 401, code: 502, changes: [] };
  t.match(auditOf(front), [
    { ...line, outcome: 'done', status: 200 },
    { ...line, outcome: 'refused', status: 403, code: 503 },
    ...Array(10).fill(failed),
  ]);
  t.equal(auditOf(front).length, 12, 'barred attempts and attempts of unknown users have no line');
  const all = front.logLines.join('');
  for (const secret of [right, keys[0], hashOfKey(keys[0]), 'wrong horses', 'pass word', 'scrypt']) {
    t.notOk(all.includes(secret), secret);
  }
});

t.test('columns that an insert creates are audited with the insert', async (t) => {
  const front = await startFront(t);
  const column = { id: 1, name: 'Age', apiName: 'age' } as never;
  front.engine.onInsert = async (_bytes, { created }) => {
    created?.([{ change: 'column-created', databaseId: DATABASE_ID, dimensionId: 1, column }]);
    return { entityCount: 1, valueCount: 1 };
  };
  await sendRequest(front, { path: '/v1/insert', headers: HEADERS, body: '{}' });
  t.match(auditOf(front), [
    {
      who: MASTER,
      what: 'POST /v1/insert',
      outcome: 'done',
      changes: [{ change: 'column-created', column: 'age' }],
    },
  ]);
});

t.test('a failed change and a change whose client disconnected are audited', async (t) => {
  const front = await startFront(t);
  const change = front.engine.change.bind(front.engine);
  front.engine.change = () => Promise.reject(new QuarryError(9002));
  await sendRequest(front, COLUMN);
  t.match(auditOf(front), [{ outcome: 'failed', status: 503, code: 9002, changes: [] }]);
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let goOn = (): void => {};
  const blocked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  front.engine.change = async (decide) => {
    begin();
    await blocked;
    return change(decide);
  };
  const connection = await RawConnection.open(front.httpsPort, true);
  connection.write(requestBytes(COLUMN));
  await begun;
  connection.socket.destroy();
  while (!/quarry_http_aborted_total 1\n/.test((await sendRequest(front, { path: '/metrics' })).body));
  goOn();
  while (auditOf(front).length < 2) await new Promise((resolve) => setImmediate(resolve));
  t.match(auditOf(front)[1], { outcome: 'done', status: 200, changes: [{ column: 'age' }] });
});

t.test('the audit file has the same lines with their times, regardless of the log level', (t) => {
  const lines: string[] = [];
  const audit = new Audit(pino({ level: 'silent' }), { write: (line) => lines.push(line) }, () => 86_400_000);
  const entry = { who: 'admin socket', what: 'account', outcome: 'done', changes: [] } as const;
  audit.write({ ...entry, note: 'two\nlines' });
  t.strictSame(lines, [
    JSON.stringify({ time: '1970-01-02T00:00:00.000Z', audit: { ...entry, note: 'two\nlines' } }),
  ]);
  t.notMatch(lines[0], '\n');
  t.end();
});
