/** Administrative requests to a running server, to one that starts or stops, and to the store of a stopped one. */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { AdminAnswer, AdminRequest } from '../../../src/commands/admin/admin-request.js';
import { administerStore } from '../../../src/commands/admin/administer-store.js';
import type { ServerDependencies } from '../../../src/commands/serve/create-engine.js';
import { type RunningServer, startServer } from '../../../src/commands/serve/serve.js';
import type { ServeConfig } from '../../../src/commands/serve/serve-config.js';
import { lockDirectory } from '../../../src/io/index.js';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';

const DEPENDENCIES: ServerDependencies = {
  release: '0.0.0-test',
  log: pino({ level: 'silent' }),
  workerFile: fileURLToPath(new URL('../../../src/worker/entry.js', import.meta.url)),
  parquetThreadFile: '',
  kernelsFile: null,
  consoleDir: null,
  onFatal: (error) => {
    throw error;
  },
};

const configOf = (dataDir: string): ServeConfig => ({
  dataDir,
  host: '127.0.0.1',
  httpsPort: 0,
  httpPort: 0,
  pgPort: null,
  pgAuth: 'password',
  workers: 1,
  shards: null,
  memoryLimitBytes: 2 ** 30,
  durability: 'none',
  archiveDir: null,
  limits: null,
  spillBytesMax: 16 * 2 ** 30,
  idempotencyEntries: 1_000,
  lineKeys: 1_000,
  querySeconds: 30,
  cert: null,
  key: null,
  trustProxy: [],
  inlets: [],
  logLevel: 'silent',
  slowQueryMs: null,
  auditLog: null,
});

function temporaryDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-commands-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const template = temporaryDir(t);
t.before(async () => (await startServer(configOf(template), DEPENDENCIES)).close());

/** A new store that no server has open. */
function store(t: Test): string {
  const dir = temporaryDir(t);
  fs.cpSync(template, dir, { recursive: true });
  return dir;
}

async function serve(t: Test, dir: string): Promise<{ server: ServerProcess; client: JsonClient }> {
  const server = new ServerProcess({ dir, flags: ['--workers', '1'] });
  t.teardown(() => server.kill());
  const client = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => client.close());
  return { server, client };
}

/** Runs `serve` inside this process. */
async function serveHere(t: Test, dir: string): Promise<RunningServer> {
  const server = await startServer(configOf(dir), DEPENDENCIES);
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  t.teardown(close);
  return { ...server, close };
}

const administer = (dir: string, request: AdminRequest): Promise<AdminAnswer> =>
  administerStore(configOf(dir), request, DEPENDENCIES);

const account = (dir: string, state: 'active' | 'suspended' | 'banned' | null = null): Promise<AdminAnswer> =>
  administer(dir, { do: 'account', state });

const create = (dir: string, name: string): Promise<AdminAnswer> =>
  administer(dir, { do: 'create-key', name, permissions: [] });

async function rotate(dir: string, kind: 'read' | 'write'): Promise<string> {
  const answer = await administer(dir, { do: 'rotate-key', kind, database: 'quarry' });
  if (answer.answer !== 'key') throw new Error(JSON.stringify(answer));
  return answer.text;
}

async function teamNames(dir: string): Promise<string[]> {
  const answer = await administer(dir, { do: 'list-keys' });
  if (answer.answer !== 'keys') throw new Error(JSON.stringify(answer));
  return answer.keys.team.map(({ name }) => name).sort();
}

/** The HTTP status of a count with the key. */
async function statusWith(client: JsonClient, key: string): Promise<number> {
  return (await client.request({ path: '/v1/query/count/entity/total', key })).status;
}

t.test('a running server applies a change at once, and the change survives kill -9', async (t) => {
  const dir = store(t);
  const { server, client } = await serve(t, dir);
  const { read, master } = server.keys();
  t.equal(await statusWith(client, read), 200);
  const newRead = await rotate(dir, 'read');
  t.equal(await statusWith(client, read), 401, 'the old key is revoked');
  t.equal(await statusWith(client, newRead), 200, 'the new key is valid');
  t.equal(await statusWith(client, master), 200, 'the other keys are unchanged');
  t.match(await create(dir, 'ci'), { answer: 'key', voided: 0 });
  t.match(await account(dir, 'suspended'), { state: 'suspended' });
  t.equal(await statusWith(client, newRead), 403, 'requests of a suspended account are refused');
  await server.kill();

  t.match(await account(dir), { state: 'suspended' }, 'without a server');
  t.strictSame(await teamNames(dir), ['ci', 'first']);
  const newWrite = await rotate(dir, 'write');
  t.match(await account(dir, 'active'), { state: 'active' });

  const again = await serve(t, dir);
  t.match(await account(dir), { state: 'active' });
  t.equal(await statusWith(again.client, read), 401);
  t.equal(await statusWith(again.client, newRead), 200);
  t.equal(await statusWith(again.client, newWrite), 403, 'a write key may not count');
  for (const key of [newRead, newWrite])
    t.notOk(again.server.output.includes(key), 'no log line holds a key');
  t.equal(await again.server.end(), 0);
  t.notOk(fs.existsSync(path.join(dir, 'admin.sock')), 'a stop removes the socket');
});

t.test('concurrent commands run one after another, each exactly once', async (t) => {
  const dir = store(t);
  const server = await serveHere(t, dir);
  const names = Array.from({ length: 10 }, (_, index) => `k${index}`);
  const all = (run: readonly string[]): Promise<AdminAnswer[]> =>
    Promise.all(run.map((name) => create(dir, name)));
  for (const answer of await all(names)) t.match(answer, { answer: 'key' });
  const same = (await all(['same', 'same', 'same'])).map(({ answer }) => answer);
  t.strictSame(same.sort(), ['key', 'refused', 'refused']);
  await server.close();
  for (const answer of await all(['x', 'y', 'z'])) t.match(answer, { answer: 'key' }, 'without a server');
  t.strictSame(await teamNames(dir), ['first', ...names, 'same', 'x', 'y', 'z'].sort());
});

t.test('a command that runs while the server starts waits for the server', async (t) => {
  const dir = store(t);
  const server = new ServerProcess({ dir });
  t.teardown(() => server.kill());
  // The pid is written immediately after the lock is taken.
  while (!fs.existsSync(path.join(dir, 'quarry.pid'))) await new Promise((resolve) => setTimeout(resolve, 1));
  t.match(await create(dir, 'early'), { answer: 'key' });
  await server.serving;
  t.match(await create(dir, 'early'), { answer: 'refused' });
  t.equal(await server.end(), 0);
});

t.test(
  'commands that run while the server stops succeed or report that their outcome is unknown',
  async (t) => {
    const dir = store(t);
    const server = await serveHere(t, dir);
    const names = Array.from({ length: 8 }, (_, index) => `k${index}`);
    const outcomes = await Promise.all(
      names.map(async (name, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 2));
        if (index === 3) server.close();
        return create(dir, name).then(
          ({ answer }) => answer,
          (error: Error) => error.message,
        );
      }),
    );
    const made = await teamNames(dir);
    for (const [index, outcome] of outcomes.entries()) {
      const name = names[index];
      if (outcome === 'key') t.ok(made.includes(name), name);
      else if (outcome.includes('try again later')) t.notOk(made.includes(name), name);
      else t.match(outcome, /may or may not have been executed/, name);
    }
  },
);

t.test('a change without a server is written to the audit log, if there is one', async (t) => {
  const dir = store(t);
  const auditLog = path.join(temporaryDir(t), 'audit.log');
  const config: ServeConfig = { ...configOf(dir), auditLog };
  await administerStore(config, { do: 'list-keys' }, DEPENDENCIES);
  const made = await administerStore(config, { do: 'create-key', name: 'ci', permissions: [] }, DEPENDENCIES);
  if (made.answer !== 'key') throw new Error(made.answer);
  t.match(await administerStore(config, { do: 'delete-key', name: 'none', force: true }, DEPENDENCIES), {
    answer: 'refused',
  });
  const text = fs.readFileSync(auditLog, 'utf8');
  const by = { who: 'command line' };
  t.match(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).audit),
    [
      {
        ...{ ...by, what: 'create-key', outcome: 'done' },
        changes: [{ change: 'key-created', keyName: 'ci' }],
      },
      { ...by, what: 'delete-key', outcome: 'refused', changes: [] },
    ],
  );
  t.notOk(text.includes(made.text));
  const unusable = { ...config, auditLog: dir };
  await t.rejects(administerStore(unusable, { do: 'account', state: 'banned' }, DEPENDENCIES), {
    message: /^audit-log: .* cannot be opened/,
  });
  t.match(await account(dir), { state: 'active' }, 'a change that cannot be audited is not made');
});

t.test('a directory locked by a process that does not answer is refused after a wait', async (t) => {
  const dir = store(t);
  const lock = await lockDirectory(dir);
  t.teardown(() => lock.release());
  await t.rejects(administerStore(configOf(dir), { do: 'account', state: 'banned' }, DEPENDENCIES, 300), {
    message: new RegExp(`in use by the process with pid ${process.pid}.*does not answer.*try again later`),
  });
  await lock.release();
  t.match(await account(dir), { state: 'active' }, 'nothing was changed');
});

t.test('a directory without a store is refused and left unchanged', async (t) => {
  const dir = path.join(temporaryDir(t), 'empty');
  await t.rejects(account(dir, 'banned'), { message: `the data directory ${dir} does not exist` });
  t.notOk(fs.existsSync(dir));
  fs.mkdirSync(dir);
  await t.rejects(account(dir, 'banned'), { message: /holds no store/ });
  t.strictSame(fs.readdirSync(dir), []);
  const file = path.join(dir, 'file');
  fs.writeFileSync(file, 'text');
  await t.rejects(account(file), { code: 'ENOTDIR' });
});

t.test('a corrupt store is refused and left unchanged', async (t) => {
  const dir = store(t);
  const manifest = path.join(dir, 'manifest');
  const bytes = fs.readFileSync(manifest);
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(manifest, bytes);
  await t.rejects(account(dir, 'banned'), { name: 'CorruptionError', message: new RegExp(manifest) });
  t.strictSame(fs.readFileSync(manifest), bytes);
  t.notOk(fs.existsSync(path.join(dir, 'quarry.pid')), 'the lock was released');
});

t.test('the store of another user is not opened', { skip: process.getuid?.() !== 0 }, async (t) => {
  const dir = store(t);
  fs.chownSync(path.join(dir, 'manifest'), 1, 1);
  await t.rejects(account(dir, 'banned'), { message: /belongs to another user/ });
});

t.test('the server continues after any input on the socket', async (t) => {
  const dir = store(t);
  await serveHere(t, dir);
  const file = path.join(dir, 'admin.sock');
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
  const write = (bytes: string | Buffer): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect(file, () => socket.end(bytes));
      let text = '';
      socket.on('data', (part) => {
        text += part.toString();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
  const refused = (why: string): RegExp => new RegExp(`^{"answer":"refused","message":"${why}.*"}\n$`);
  t.match(await write('{"do":\n'), refused('the line is not JSON'));
  t.match(await write(Buffer.from([0xff, 0xfe, 0x00, 0x0a])), refused('the line is not JSON'));
  t.match(await write('{"do":"drop"}\n'), refused(''));
  t.match(await write('{"do":"account","state":"banned","more":1}\n'), refused('account takes no'));
  t.match(await write('{"do":"rotate-key","kind":"read","database":7}\n'), refused('the name of a database'));
  t.match(await write('x'.repeat(10 * 2 ** 20)), refused('the line is too long'));
  t.equal(await write('{"do":"account","state":"banned"}'), '', 'a truncated line has no effect');
  t.equal(await write('{"do":"account","state":null}\n'), '{"answer":"account","state":"active"}\n');
  t.match(await create(dir, 'after'), { answer: 'key' }, 'later requests are answered');
});
