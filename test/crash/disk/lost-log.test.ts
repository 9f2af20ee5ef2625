/**
 * A log that does not reach the manifest's checkpoint, that lacks a file, or that is newer than the manifest, of the real
 * process: `serve` and `verify` end with exit code 3, name the file, the LSN found and the LSN expected, and change nothing.
 * Similar states that a crash leaves are accepted with every acknowledged entity.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';
import { COMMANDS, copyStore, everythingBelow, filesLike } from './directories.js';

t.setTimeout(290_000);

const LOG_FILE = /\.qlog$/;
const BATCH_ENTITIES = 1_000;
/** The header of a log file, and the header and part of the payload of the first record. */
const CUT_BYTES = 500;

const rootDir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-lost-log-'));
t.teardown(() => fs.rmSync(rootDir, { recursive: true, force: true }));
let storeCount = 0;
const newDir = (): string => path.join(rootDir, `store-${storeCount++}`);

interface Session {
  readonly server: ServerProcess;
  readonly client: JsonClient;
  /** The next `BATCH_ENTITIES` entities. */
  readonly insert: () => Promise<void>;
  readonly checkpoint: () => Promise<void>;
  /** Writes a record that changes the catalog but no entity. */
  readonly addColumn: (name: string) => Promise<void>;
}

/** Runs `use` on a server that opens `dir` with `entityCount` entities, and kills the server. */
async function withServer(dir: string, entityCount: number, use: (session: Session) => Promise<void>) {
  const server = new ServerProcess({ dir, flags: ['--shards', '2', '--workers', '1'] });
  try {
    const serving = await server.serving;
    const client = new JsonClient(serving, server.keys().master);
    let next = entityCount;
    let checkpoints = 0;
    await use({
      server,
      client,
      insert: async () => {
        const ids = Array.from({ length: BATCH_ENTITIES }, () => `e${next++}`);
        const entities = ids.map((id, at) => [id, { n: at, city: `c${at % 7}` }]);
        await client.succeed({
          path: '/v1/insert',
          body: { ...Object.fromEntries(entities), 'auto-create': ['column'] },
        });
      },
      checkpoint: async () => {
        checkpoints++;
        server.signal('SIGUSR2');
        while (server.output.split('"msg":"checkpoint"').length <= checkpoints) await setTimeout(1);
      },
      addColumn: async (name) => {
        await client.succeed({ path: '/v1/column', body: [{ name, type: 'integer' }] });
      },
    });
    client.close();
  } finally {
    await server.kill();
  }
}

async function entityCount(t: Test, dir: string): Promise<number> {
  let count = -1;
  await withServer(dir, 0, async ({ client }) => {
    const path = '/v1/query/count/entity/total';
    count = (await client.succeed<{ result: { total: number } }>({ path })).result.total;
  });
  t.match(await runCommand(COMMANDS.verify(dir)), { code: 0, output: /sound\n$/ });
  return count;
}

/**
 * Checks that `serve` and `verify` refuse the store with a message that names `file` and matches `why`, and change
 * nothing.
 */
async function isRefused(t: Test, dir: string, file: string, why: RegExp): Promise<void> {
  const before = everythingBelow(dir);
  for (const name of ['verify', 'serve']) {
    const { code, output } = await runCommand(COMMANDS[name](dir));
    t.equal(code, 3, `${name}: ${output}`);
    t.ok(output.includes(`${file} is corrupt at byte `), `${name} names the file`, { output });
    t.match(output, why, name);
    t.notMatch(output, /^ +at /m, `${name} prints no stack`);
    t.strictSame(everythingBelow(dir), before, `${name} changes nothing`);
  }
}

t.test('a log that ends below the checkpoint of the manifest is refused', async (t) => {
  const dir = newDir();
  await withServer(dir, 0, async ({ insert, checkpoint }) => {
    for (let batch = 0; batch < 10; batch++) await insert();
    await checkpoint();
    for (let batch = 0; batch < 4; batch++) await insert();
  });
  const checkpointLsn = Number(
    /checkpoint at LSN (\d+)/.exec((await runCommand(COMMANDS.verify(dir))).stdout)?.[1],
  );
  const cut = newDir();
  copyStore(dir, cut);
  const [file] = filesLike(cut, LOG_FILE);
  fs.truncateSync(file, CUT_BYTES);
  const found = /the log ends at LSN (\d+), below the manifest's checkpoint at LSN (\d+): acknowledged/;
  await isRefused(t, cut, file, found);
  const [, foundLsn, wantedLsn] = found.exec((await runCommand(COMMANDS.verify(cut))).stdout) ?? [];
  t.equal(Number(wantedLsn), checkpointLsn);
  t.equal(Number(foundLsn), 0);
  t.equal(await entityCount(t, dir), 14 * BATCH_ENTITIES);
});

t.test('a log without any one of its files is refused', async (t) => {
  const dir = newDir();
  // Each start begins a log file; a checkpoint keeps the files with later records, and the newest one.
  await withServer(dir, 0, async ({ insert }) => insert());
  await withServer(dir, 1_000, async ({ insert }) => insert());
  await withServer(dir, 2_000, async ({ insert }) => insert());
  const files = filesLike(dir, LOG_FILE);
  t.equal(files.length, 3);
  for (const [missing, [named, why]] of [
    [0, [1, /records 1 to \d+ are missing: no log file contains them/]],
    [1, [0, /record \d+ is missing, but the log continues at LSN \d+ in /]],
  ] as const) {
    const copy = newDir();
    copyStore(dir, copy);
    const [names] = [filesLike(copy, LOG_FILE)];
    fs.rmSync(names[missing]);
    await isRefused(t, copy, names[named], why);
  }
  // A checkpoint whose process ends before the older log files are removed.
  const older = files.slice(0, 2).map((file) => [file, fs.readFileSync(file)] as const);
  await withServer(dir, 3_000, async ({ insert, checkpoint }) => {
    await insert();
    await checkpoint();
  });
  const [newest] = filesLike(dir, LOG_FILE);
  for (const [file, bytes] of older) fs.writeFileSync(file, bytes);
  const copy = newDir();
  copyStore(dir, copy);
  t.equal(await entityCount(t, copy), 4 * BATCH_ENTITIES);
  const last = newDir();
  copyStore(dir, last);
  fs.rmSync(path.join(last, 'log', path.basename(newest)));
  const named = path.join(last, 'log', path.basename(files[1]));
  await isRefused(t, last, named, /the log ends at LSN \d+, below the manifest's checkpoint at LSN \d+/);
});

t.test('a manifest that is older than the checkpoints that the log notes is refused', async (t) => {
  const dir = newDir();
  const older = path.join(rootDir, 'older-manifest');
  await withServer(dir, 0, async ({ insert, checkpoint, addColumn }) => {
    await insert();
    await checkpoint();
    fs.copyFileSync(path.join(dir, 'manifest'), older);
    // The second checkpoint has no new segment, so every file that the first manifest names is still there.
    await addColumn('later');
    await checkpoint();
    await addColumn('latest');
  });
  const copy = newDir();
  copyStore(dir, copy);
  t.equal(await entityCount(t, copy), BATCH_ENTITIES);
  const damaged = newDir();
  copyStore(dir, damaged);
  fs.copyFileSync(older, path.join(damaged, 'manifest'));
  const [file] = filesLike(damaged, LOG_FILE);
  await isRefused(
    t,
    damaged,
    file,
    /record (\d+) notes a checkpoint at LSN (\d+), but the manifest's checkpoint is at LSN (\d+)/,
  );
});

t.test(
  'a restored store is valid, although its records note checkpoints of the original store',
  async (t) => {
    const dir = newDir();
    const [backup, archive, restored, again] = [newDir(), newDir(), newDir(), newDir()];
    await withServer(dir, 0, async ({ insert, checkpoint, server }) => {
      await insert();
      t.match(await runCommand(['backup', backup, '--data-dir', dir]), { code: 0 });
      await insert();
      await checkpoint();
      await insert();
      await server.kill();
    });
    fs.cpSync(path.join(dir, 'log'), archive, { recursive: true, filter: (file) => !file.endsWith('.tmp') });
    t.match(await runCommand(['restore', backup, '--data-dir', restored, '--archive', archive]), { code: 0 });
    t.match(await runCommand(['restore', restored, '--data-dir', again]), { code: 0 });
    for (const store of [restored, again]) {
      fs.copyFileSync(path.join(dir, 'keys.json'), path.join(store, 'keys.json'));
      t.equal(await entityCount(t, store), 3 * BATCH_ENTITIES);
      // The second start reads the files of the first one, and the third start those of a checkpoint.
      await withServer(store, 3_000, async ({ insert, checkpoint }) => {
        await insert();
        await checkpoint();
        await insert();
      });
      t.equal(await entityCount(t, store), 5 * BATCH_ENTITIES);
    }
  },
);
