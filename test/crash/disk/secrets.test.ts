import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { hashOfKey, newKeyText } from '../../../src/catalog/index.js';
import { authenticate } from '../../../src/http/auth/keys.js';
import type { Sessions } from '../../../src/http/auth/sessions.js';
import { type TestRequest as HarnessAsk, RawConnection, requestBytes } from '../../http/harness.js';
import { type ApiRequest, JsonClient, type Reply } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';
import { contentsOf, secretsIn, strangeFiles, TRICK_NAMES } from './secrets.js';

t.setTimeout(120_000);

const FLAGS = ['--workers', '1', '--log-level', 'trace'];
const PASSWORD = 'Tr0ub4dor & 3 horses';
const OTHER_PASSWORD = 'another horse, quite wrong';

interface SecretServer {
  readonly parent: string;
  readonly dir: string;
}

/** The data directory is the only entry of its parent folder. */
function startServer(t: Test): SecretServer {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-secrets-'));
  t.teardown(() => fs.rmSync(parent, { recursive: true, force: true }));
  return { parent, dir: path.join(parent, 'data') };
}

async function serve(
  t: Test,
  dir: string,
): Promise<{ readonly server: ServerProcess; readonly client: JsonClient }> {
  const server = new ServerProcess({ dir, flags: FLAGS });
  t.teardown(() => server.kill());
  const client = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => client.close());
  return { server, client };
}

async function checkpoint(server: ServerProcess): Promise<void> {
  const countOf = (): number => server.output.split('"msg":"checkpoint"').length;
  const before = countOf();
  server.signal('SIGUSR2');
  while (countOf() === before) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function metricsOf(server: ServerProcess): Promise<string> {
  const { httpPort } = await server.serving;
  return (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
}

/** Number of sign-in attempts; each computes a hash. */
const attempts = (secret: string): ApiRequest[] => [
  { path: '/v1/session', body: { email: 'nobody@example.org', password: secret } },
  { path: '/v1/session', body: { email: 'ann@example.org', password: `${secret}x` } },
];

/** Requests with a secret in a wrong place. */
function misplaced(secret: string): ApiRequest[] {
  const query = [{ n: { gt: 1 } }];
  return [
    { path: `/v1/column?key=${encodeURIComponent(secret)}` },
    { path: '/v1/column', headers: { authorization: `Bearer ${secret}` } },
    { path: '/v1/column', headers: { authorization: `${secret}x` } },
    { path: '/v1/column', headers: { authorization: null, cookie: secret, 'x-api-key': secret } },
    { path: '/v1/insert', body: {}, headers: { authorization: null }, plain: true },
    { path: '/v1/insert', text: `{"e1":${secret}`, plain: true },
    { path: '/v1/query/count/entity', body: { 'query-name': 'q', query, key: secret } },
    { path: '/v1/users', body: { email: 'x@example.org', password: [secret] } },
    { path: '/v1/column', body: [], headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' } },
  ];
}

t.test('files, metrics and answers to others contain no key, session or password', async (t) => {
  const { dir } = startServer(t);
  const first = await serve(t, dir);
  const { client } = first;
  const { team, master, write, read } = first.server.keys();
  const secrets = new Map(Object.entries({ team, master, write, read, PASSWORD, OTHER_PASSWORD }));
  secrets.set(
    'a wrong key',
    newKeyText((count) => Buffer.alloc(count, 7)),
  );
  const make = async <T>(requestPath: string, body: object): Promise<T> =>
    client.succeed<T>({ path: requestPath, key: team, body });
  const plans = { 'query-load': 'normal', 'insertion-load': 'normal' };
  const created = await make<{ keys: Record<string, string> }>('/v1/database', {
    database: { name: 'b', type: 'test', description: 'this is kept as text', ...plans },
  });
  for (const [kind, text] of Object.entries(created.keys)) secrets.set(`${kind} of b`, text);
  const custom = { 'key-name': 'c', 'key-type': 'write-read' };
  const key = { 'database-name': 'quarry', 'custom-database-key': custom };
  secrets.set('custom', (await make<{ key: string }>('/v1/database/custom_key', key)).key);
  await make('/v1/permission_groups', {
    'group-name': 'g',
    'allowed-databases': ['quarry'],
    'allowed-permissions': [1],
  });
  await make('/v1/users', { email: 'ann@example.org', password: PASSWORD, 'permission-group': 'g' });
  const signIn = { email: 'ann@example.org', password: PASSWORD, 'database-name': 'quarry' };
  const session = await make<{ 'session-key': string }>('/v1/session', signIn);
  secrets.set('session', session['session-key']);
  const made = await runCommand(['keys', 'create', 'another', '--data-dir', dir]);
  secrets.set('team key of the command', made.stdout.trim());
  t.ok(
    [...secrets.values()].every((secret) => secret.length > 15),
    'all secrets are known',
  );

  const answers = new Map<string, string>();
  let sent = 0;
  const note = (reply: Reply): void => {
    answers.set(`answer ${sent++}`, JSON.stringify([reply.headers, reply.body]));
  };
  await client.succeed({ path: '/v1/insert', body: { e1: { n: 1 }, 'auto-create': ['column'] } });
  for (const [what, secret] of secrets) {
    note(await client.request({ path: '/v1/column', key: secret }));
    const isPassword = what.endsWith('PASSWORD');
    for (const request of [...misplaced(secret), ...(isPassword ? attempts(secret) : [])]) {
      // An answer may quote a secret that the client sent in the body; other text of the server may not contain it.
      if (!(isPassword && request.path.includes('?'))) note(await client.request(request));
    }
    if (what === 'custom') await checkpoint(first.server);
  }
  for (const path of ['/v1/database/custom_key', '/v1/database/retrieve_all']) {
    note(await client.request({ path, key: team }));
  }
  note(await client.request({ path: '/v1/database' }));
  const metrics = await metricsOf(first.server);
  await first.server.kill();
  const second = await serve(t, dir);
  note(await second.client.request({ path: '/v1/column', key: secrets.get('custom') }));
  await checkpoint(second.server);
  const listed = await runCommand(['keys', 'list', '--data-dir', dir]);
  t.equal(await second.server.end(), 0);
  const verified = await runCommand(['verify', dir]);

  const texts = new Map<string, string | Uint8Array>([
    ['the output', first.server.output],
    ['the output of the next start', second.server.output],
    ['the metrics', metrics],
    ['keys list', listed.output],
    ['verify', verified.output],
    ...contentsOf(dir),
    ...answers,
  ]);
  t.strictSame(secretsIn(secrets, texts), []);
  const retained = secretsIn(new Map([['a description', 'this is kept as text']]), texts);
  t.ok(retained.includes('a description in manifest'), 'texts of clients are found in the files');
  const logged = [...texts.values()].some((text) =>
    Buffer.from(text).includes('"endpoint":"GET /v1/column"'),
  );
  t.ok(logged, 'every request was logged');
  t.strictSame(strangeFiles(dir), []);
  t.equal(fs.statSync(path.join(dir, 'keys.json')).mode & 0o777, 0o600);
});

t.test('a key is 256 random bits, and all keys differ', (t) => {
  const texts = Array.from({ length: 1_000 }, () =>
    newKeyText((count) => globalThis.crypto.getRandomValues(new Uint8Array(count))),
  );
  t.equal(new Set(texts).size, texts.length);
  t.ok(texts.every((text) => /^[\w-]{43}$/.test(text) && Buffer.from(text, 'base64url').length === 32));
  let byteCount = 0;
  newKeyText((count) => {
    byteCount += count;
    return new Uint8Array(count);
  });
  t.equal(byteCount, 32);
  t.end();
});

t.test('a key is looked up by the hash of its full text, whatever prefix it shares with another key', (t) => {
  const right = newKeyText((count) => Buffer.alloc(count, 3));
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
  const looked: string[] = [];
  class Watched extends Map<string, unknown> {
    override get(key: string): unknown {
      looked.push(key);
      return super.get(key);
    }
  }
  const keys = new Watched([
    [hashOf(right), { kind: 'team', hash: hashOf(right), name: 'k', permissions: [] }],
  ]);
  const catalog = { keys, databases: new Map() } as never;
  const sessions = { find: () => null } as unknown as Sessions;
  t.match(authenticate(catalog, sessions, hashOfKey(right), 0), { kind: 'team' });
  const wrong = [
    right.slice(0, -1),
    `${right}x`,
    `${right.slice(0, -1)}_`,
    right.toUpperCase(),
    '',
    hashOf(right),
    '__proto__',
  ];
  for (const text of wrong)
    t.throws(() => authenticate(catalog, sessions, hashOfKey(text), 0), { code: 502 });
  t.strictSame(looked, [right, ...wrong].map(hashOf), 'each key is looked up once, only by its hash');
  t.end();
});

t.test(
  'files have names chosen by the server and are in its directory, whatever names clients choose',
  async (t) => {
    const { parent, dir } = startServer(t);
    const { server, client } = await serve(t, dir);
    const { team } = server.keys();
    const codes = new Set<string>();
    const send = async (one: ApiRequest): Promise<void> => {
      const { status, body } = await client.request(one);
      t.ok(status === 200 || (status >= 400 && status < 500), JSON.stringify([one, status, body]));
      codes.add(String(status));
    };
    const plans = { 'query-load': 'normal', 'insertion-load': 'normal' };
    for (const name of TRICK_NAMES) {
      await send({ path: '/v1/dimension', body: { name, 'api-name': name } });
      await send({ path: '/v1/dimension', body: { name } });
      await send({ path: '/v1/column', body: [{ name, type: 'string' }] });
      await send({
        path: '/v1/insert',
        body: { [name]: { dimension: name, [name]: 'x' }, 'auto-create': ['dimension', 'column'] },
      });
      await send({ path: '/v1/insert', body: { [name]: { 'any-word': name }, 'auto-create': ['column'] } });
      await send({ path: '/v1/query/saved', body: { name, type: 'count/entity/total', query: ['default'] } });
      await send({ path: '/v1/database', key: team, body: { database: { name, type: 'test', ...plans } } });
      const custom = {
        'database-name': 'quarry',
        'custom-database-key': { 'key-name': name, 'key-type': 'read-only' },
      };
      await send({ path: '/v1/database/custom_key', key: team, body: custom });
      await send({ path: '/v1/permission_groups', key: team, body: { 'group-name': name } });
    }
    await checkpoint(server);
    t.strictSame([...codes].sort(), ['200', '400'], 'some names are good, others are refused');
    t.strictSame(fs.readdirSync(parent), ['data']);
    t.strictSame(strangeFiles(dir), []);
    t.notOk(fs.existsSync('/tmp/quarry-was-here'));
    const word = '../../../../tmp/quarry-was-here';
    const query = { ids: [word] };
    t.match(await client.succeed({ path: '/v1/query/exists/entity', body: query }), { exists: [word] });
    t.equal(await server.end(), 0);
    t.match(await runCommand(['verify', dir]), { code: 0 });
  },
);

t.test('no header of an answer contains a line from a client', async (t) => {
  const { dir } = startServer(t);
  const { server, client } = await serve(t, dir);
  const { httpsPort } = await server.serving;
  const { master } = server.keys();
  await client.succeed({ path: '/v1/column', body: [{ name: 'n', type: 'integer' }] });
  const lines = [
    'x\r\n X-Injected: 1',
    'x\rX-Injected: 1',
    'x\nX-Injected: 1',
    'x\0X-Injected: 1',
    '\xe5\x98\x8a\xe5\x98\x8dX-Injected: 1',
  ];
  const injected = '%0d%0aX-Injected:%201';
  const requests: HarnessAsk[] = [
    ...lines.map((line) => ({ path: '/v1/column', headers: { 'X-Request-Id': line } })),
    ...lines.map((line) => ({ path: '/v1/column', headers: { 'Idempotency-Key': line, Accept: line } })),
    { path: `/v1/${injected}` },
    { path: `/v1/query/saved/${injected}` },
    { path: '/v1/column', headers: { 'Content-Type': `text/plain; ${lines[1]}` }, body: '[]' },
    {
      path: '/v1/column',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': lines[1] },
      body: '[]',
    },
    {
      path: '/v1/query/count/entity',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ 'query-name': lines[0], query: [] }),
    },
  ];
  for (const request of requests) {
    const connection = await RawConnection.open(httpsPort, true);
    connection.write(requestBytes({ ...request, headers: { Authorization: master, ...request.headers } }));
    // An invalid request may also be dropped.
    const reply = await Promise.race([
      connection.reply().catch(() => null),
      new Promise<null>((resolve) => setTimeout(() => resolve(null), 300)),
    ]);
    connection.socket.destroy();
    if (reply === null) continue;
    t.notOk('x-injected' in reply.headers, JSON.stringify([request, reply]));
    t.ok(Object.values(reply.headers).every((value) => /^[ -~]*$/.test(value)));
  }
});
