import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import t, { type Test } from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { freePort, runCommand, ServerProcess } from '../../support/server-process.js';

const EXIT_CORRUPT = 3;
t.setTimeout(290_000);

function temporaryDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-files-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A server that is stopped at the end of the test, and a client with its master key. */
async function serve(
  t: Test,
  dir: string,
  ...flags: string[]
): Promise<{ server: ServerProcess; client: JsonClient }> {
  const server = new ServerProcess({ dir, flags });
  t.teardown(() => server.kill());
  const client = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => client.close());
  return { server, client };
}

/** `count` entities from `first` on, over two dimensions, with attributes, a list and events. */
function bodyOf(first: number, count: number): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (let index = first; index < first + count; index++) {
    body[`e-${index}`] = {
      ...(index % 3 === 0 ? { dimension: 'thirds' } : {}),
      name: `name-${index % 7}`,
      number: index,
      list: [`x${index % 5}`, `y${index % 4}`],
      visit: [
        { value: index % 11, date: '2022-02-02T02:02:02Z' },
        { value: 100 + (index % 2), date: '2023-03-03' },
      ],
    };
  }
  return { ...body, 'auto-create': ['dimension', 'column'] };
}

const insert = (client: JsonClient, first: number, count: number): Promise<unknown> =>
  client.succeed({ path: '/v1/insert', body: bodyOf(first, count) });

/** Answers that together contain all data. */
async function answersOf(client: JsonClient): Promise<unknown> {
  const between = ['2000-01-01', '2100-01-01'];
  const queries: unknown[] = [
    [{ name: { equals: 'name-3' } }],
    [{ number: { range: [10, 90] } }],
    [{ list: { equals: 'y2' } }],
    [{ visit: { equals: 4, between } }, 'and', { name: { 'not-equals': 'name-1' } }],
  ];
  const counts: unknown[] = [];
  for (const dimension of ['default', 'thirds']) {
    const body = queries.map((query, index) => ({ 'query-name': `q${index}`, dimension, query }));
    counts.push((await client.succeed<{ result: unknown }>({ path: '/v1/query/count/entity', body })).result);
  }
  const { result } = await client.succeed<{ result: unknown }>({ path: '/v1/query/count/entity/total' });
  return [...counts, result];
}

const filesBelow = (dir: string): string[] =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []));

/** A store with snapshot files, a manifest and a later log, closed by kill -9. */
async function makeStore(t: Test): Promise<string> {
  const dir = temporaryDir(t);
  const { server, client } = await serve(t, dir, '--shards', '2');
  await insert(client, 0, 200);
  server.signal('SIGUSR2');
  await server.wrote('"msg":"checkpoint"');
  await insert(client, 200, 50);
  await insert(client, 220, 100);
  await server.kill();
  return dir;
}

function firstFile(dir: string, pattern: RegExp): string {
  const found = filesBelow(dir).filter((file) => pattern.test(file));
  if (found.length === 0) throw new Error(`no file like ${pattern} in ${dir}`);
  return found.sort()[0];
}

/** Runs `serve` on a store that it must refuse, and returns the output. */
async function refusal(t: Test, dir: string): Promise<string> {
  const { code, signal, output } = await runCommand([
    'serve',
    '--data-dir',
    dir,
    '--https-port',
    '0',
    '--http-port',
    '0',
  ]);
  t.strictSame({ code, signal }, { code: EXIT_CORRUPT, signal: null }, 'the start ends with exit code 3', {
    output,
  });
  return output;
}

/** More bytes than all records of the store have; the rest of the log files is zeros. */
const WRITTEN_BYTES_MAX = 2 ** 20;

function bytesAt(file: string, position: number, count: number): Buffer {
  const descriptor = fs.openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(count);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, count, position));
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The size, modification time and first bytes of a file. */
function digestOf(file: string): string {
  const { size, mtimeNs } = fs.statSync(file, { bigint: true });
  return `${file} ${size} ${mtimeNs} ${crc32(bytesAt(file, 0, WRITTEN_BYTES_MAX))}`;
}

async function refusesAndNames(t: Test, dir: string, file: string): Promise<string> {
  const digest = (): string[] =>
    filesBelow(dir)
      .filter((each) => /\.(arrow|qlog)$|manifest$/.test(each))
      .map(digestOf);
  const before = digest();
  const output = await refusal(t, dir);
  t.ok(output.includes(file), 'the start names the file', { output });
  t.notMatch(output, /^ +at /m, 'and prints no stack');
  const verified = await runCommand(['verify', dir]);
  t.equal(verified.code, EXIT_CORRUPT, 'verify ends with exit code 3');
  t.ok(verified.output.includes(file), 'verify names the file', { output: verified.output });
  t.strictSame(digest(), before, 'nothing was changed');
  return output;
}

/** Increments the version in the header of a manifest or log file, and returns the new version. */
function raiseVersion(bytes: Buffer): number {
  const newer = bytes.readUInt16LE(6) + 1;
  bytes.writeUInt16LE(newer, 6);
  return newer;
}

async function refusesNewer(t: Test, dir: string, file: string, version: number): Promise<void> {
  const output = await refusal(t, dir);
  t.ok(output.includes(file), 'the start names the file', { output });
  t.match(output, new RegExp(`version ${version};.*newer release`));
}

function putBytes(file: string, position: number, bytes: Uint8Array): void {
  const descriptor = fs.openSync(file, 'r+');
  try {
    fs.writeSync(descriptor, bytes, 0, bytes.length, position);
  } finally {
    fs.closeSync(descriptor);
  }
}

const flipBit = (file: string, at: number): void =>
  putBytes(file, at, Uint8Array.of(bytesAt(file, at, 1)[0] ^ 0x10));

t.test('a store on disk', async (t) => {
  const good = await makeStore(t);
  let count = 0;
  const copy = (t: Test): string => {
    const dir = `${good}-${count++}`;
    // Log files are mostly zeros that need not be copied.
    execFileSync('cp', ['-r', '--sparse=always', good, dir]);
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    return dir;
  };

  const kinds: [name: string, pattern: RegExp, at: (size: number) => number][] = [
    ['the manifest', /manifest$/, (size) => size >> 1],
    ['a snapshot file of entities', /entities-.*\.arrow$/, (size) => size >> 1],
    ['a snapshot file of events', /events-.*\.arrow$/, (size) => size - 20],
    ['the header of the log file', /\.qlog$/, () => 10],
    // After the file header and the first record's header.
    ['a record of the log', /\.qlog$/, () => 32 + 40 + 100],
  ];
  for (const [name, pattern, at] of kinds) {
    t.test(`with a flipped bit in ${name} is refused with that file's name`, async (t) => {
      const dir = copy(t);
      const file = firstFile(dir, pattern);
      flipBit(file, at(fs.statSync(file).size));
      await refusesAndNames(t, dir, file);
    });
  }

  t.test(
    'with a flipped bit in its last record is refused, because no torn write leaves this state',
    async (t) => {
      const dir = copy(t);
      const file = firstFile(dir, /\.qlog$/);
      const end = bytesAt(file, 0, WRITTEN_BYTES_MAX).findLastIndex((byte) => byte !== 0);
      t.ok(end < WRITTEN_BYTES_MAX - 1, 'the records end within the compared bytes');
      flipBit(file, end - 50);
      t.match(await refusesAndNames(t, dir, file), /flipped bit/);
    },
  );

  t.test('with a missing snapshot file is refused with its name', async (t) => {
    const dir = copy(t);
    const file = firstFile(dir, /entities-.*\.arrow$/);
    fs.rmSync(file);
    t.match(await refusesAndNames(t, dir, file), /missing/);
  });

  t.test('with a missing log is refused', async (t) => {
    const dir = copy(t);
    for (const file of filesBelow(dir)) if (file.endsWith('.qlog')) fs.rmSync(file);
    t.match(await refusal(t, dir), /log.*missing/);
  });

  t.test('with a manifest of a newer format is refused as such', async (t) => {
    const dir = copy(t);
    const file = path.join(dir, 'manifest');
    const bytes = fs.readFileSync(file);
    const newer = raiseVersion(bytes);
    bytes.writeUInt32LE(crc32(bytes.subarray(12), crc32(bytes.subarray(0, 8))), 8);
    fs.writeFileSync(file, bytes);
    await refusesNewer(t, dir, file, newer);
  });

  t.test('with a log file of a newer format is refused as such', async (t) => {
    const dir = copy(t);
    const file = firstFile(dir, /\.qlog$/);
    const header = bytesAt(file, 0, 32);
    const newer = raiseVersion(header);
    header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
    putBytes(file, 0, header);
    await refusesNewer(t, dir, file, newer);
  });

  t.test('opens completely when it is undamaged', async (t) => {
    const { client } = await serve(t, copy(t));
    t.strictSame(
      (await client.succeed<{ result: unknown }>({ path: '/v1/query/count/entity/total' })).result,
      {
        total: 320,
      },
    );
  });
});

t.test(
  'a second process on the same directory ends with a clear message, and the first one continues',
  async (t) => {
    const dir = temporaryDir(t);
    const { server, client } = await serve(t, dir);
    await insert(client, 0, 10);
    const link = `${dir}-link`;
    fs.symlinkSync(dir, link);
    t.teardown(() => fs.rmSync(link));
    for (const second of [dir, link]) {
      const serving = await runCommand([
        'serve',
        '--data-dir',
        second,
        '--https-port',
        '0',
        '--http-port',
        '0',
      ]);
      t.not(serving.code, 0);
      t.match(serving.output, /is in use by the process with pid \d+/);
      t.notMatch(serving.output, /^ +at /m, 'no stack');
      const verifying = await runCommand(['verify', second]);
      t.not(verifying.code, 0);
      t.match(verifying.output, /is in use by/);
    }
    await insert(client, 10, 10);
    const { result } = await client.succeed<{ result: unknown }>({ path: '/v1/query/count/entity/total' });
    t.strictSame(result, { total: 20 });
    t.equal(await server.end(), 0);
  },
);

t.test('SIGTERM under load ends with code 0, and every acknowledged write is kept', async (t) => {
  const dir = temporaryDir(t);
  const { server, client } = await serve(t, dir);
  const acknowledged: string[] = [];
  let next = 0;
  const writer = async (): Promise<void> => {
    for (;;) {
      const ordinal = next++;
      const { status } = await client.request({
        path: '/v1/insert',
        body: bodyOf(ordinal * 100, 100),
        plain: ordinal % 2 === 0,
      });
      if (status === 200) acknowledged.push(`e-${ordinal * 100 + 1}`, `e-${ordinal * 100 + 98}`);
      else t.equal(status, 503);
    }
  };
  const writers = Array.from({ length: 4 }, () => writer().catch(() => {}));
  while (acknowledged.length < 40) await new Promise((resolve) => setTimeout(resolve, 5));
  const ended = server.end();
  server.signal('SIGTERM');
  server.signal('SIGINT');
  t.equal(await ended, 0);
  await Promise.all(writers);
  t.match(await runCommand(['verify', dir]), { code: 0, output: /sound\n$/ });

  const again = await serve(t, dir);
  const missing: string[] = [];
  for (const dimension of ['default', 'thirds']) {
    const ids = acknowledged.filter((id) => (Number(id.slice(2)) % 3 === 0) === (dimension === 'thirds'));
    for (let at = 0; at < ids.length; at += 100) {
      const body = { dimension, ids: ids.slice(at, at + 100) };
      const answer = await again.client.succeed<{ 'not-exists': string[] }>({
        path: '/v1/query/exists/entity',
        body,
      });
      missing.push(...answer['not-exists']);
    }
  }
  t.strictSame(missing, []);
});

t.test(
  'during log replay the server answers 503 and writes nothing, and SIGTERM ends it with code 0',
  async (t) => {
    const dir = temporaryDir(t);
    const first = await serve(t, dir);
    for (let index = 0; index < 60; index++) await insert(first.client, index * 1000, 1000);
    const before = await answersOf(first.client);
    await first.server.kill();

    const httpPort = await freePort();
    const key = first.server.keys().master;
    const probe = new JsonClient({ httpPort, httpsPort: httpPort }, key);
    t.teardown(() => probe.close());
    const server = new ServerProcess({ dir, httpPort });
    t.teardown(() => server.kill());
    const [readiness, live, refused] = [new Set<number>(), new Set<number>(), new Set<string>()];
    let serving = false;
    server.serving.then(() => {
      serving = true;
    });
    while (!serving) {
      const ready = await probe.request({ path: '/readyz', plain: true }).catch(() => null);
      if (ready === null) continue;
      readiness.add(ready.status);
      live.add((await probe.request({ path: '/livez', plain: true })).status);
      if (ready.status === 200) continue;
      const { status, body } = await probe.request({
        path: '/v1/insert',
        body: { 'e-1': { name: 'x' } },
        plain: true,
      });
      // The server may have become ready meanwhile.
      if (status !== 200) refused.add(`${status} ${(body as { errors: { code: number }[] }).errors[0].code}`);
      else serving = true;
    }
    t.ok(readiness.has(503), 'not ready at first');
    t.strictSame([...live], [200]);
    t.strictSame([...refused], ['503 9004']);
    const { httpsPort } = await server.serving;
    const client = new JsonClient({ httpPort, httpsPort }, key);
    t.teardown(() => client.close());
    t.equal((await probe.request({ path: '/readyz', plain: true })).status, 200);
    await client.succeed({ path: '/v1/insert', body: bodyOf(1, 1) });
    t.strictSame(await answersOf(client), before);
    await server.kill();

    const starting = new ServerProcess({ dir, httpPort });
    t.teardown(() => starting.kill());
    while ((await probe.request({ path: '/readyz', plain: true }).catch(() => null)) === null) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    starting.signal('SIGUSR2');
    starting.signal('SIGTERM');
    t.strictSame(await starting.ended, { code: 0, signal: null });
    t.match(await runCommand(['verify', dir]), { code: 0 });
  },
);

t.test('a read-only directory is refused with a message that names it', async (t) => {
  const dir = temporaryDir(t);
  const { server } = await serve(t, dir);
  t.equal(await server.end(), 0);
  // Root may write anywhere, so the server runs as another user.
  const isRoot = process.getuid?.() === 0;
  fs.chmodSync(dir, 0o555);
  t.teardown(() => fs.chmodSync(dir, 0o755));
  const refused = new ServerProcess({ dir, ...(isRoot ? { uid: 65_534 } : {}) });
  const { code } = await refused.ended;
  t.not(code, 0);
  t.match(refused.output, /EACCES|EPERM|EROFS|belongs to another user/);
  t.ok(refused.output.includes(dir), 'the directory is named');
  fs.chmodSync(dir, 0o755);
  t.match(await runCommand(['verify', dir]), { code: 0 });
});

t.test(
  'consecutive starts with different numbers of shards and workers return the same answers',
  async (t) => {
    const dir = temporaryDir(t);
    let expected: unknown = null;
    let next = 0;
    for (const [shards, workers, ending] of [
      [null, 2, 'kill'],
      [null, 1, 'kill'],
      [1, 2, 'end'],
      [2, 1, 'kill'],
      [5, 2, 'kill'],
      [1, 1, 'end'],
      [null, 2, 'end'],
    ] as const) {
      const flags = ['--workers', String(workers), ...(shards === null ? [] : ['--shards', String(shards)])];
      const { server, client } = await serve(t, dir, ...flags);
      const context = flags.join(' ');
      if (expected !== null) t.strictSame(await answersOf(client), expected, context);
      await insert(client, next, 150);
      // Half of the next entities exist already.
      next += 75;
      expected = await answersOf(client);
      if (ending === 'end') t.equal(await server.end(), 0, context);
      else await server.kill();
      t.match(await runCommand(['verify', dir]), { code: 0 }, context);
    }
  },
);
