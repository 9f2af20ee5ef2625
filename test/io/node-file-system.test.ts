import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { partsAfter } from '../../src/io/node-file-system.js';

const SEED = 12;
t.comment(`seed ${SEED}`);
const disk = new NodeFileSystem();

t.test('many parts are written contiguously at the position, and read back', async (t) => {
  const prng = new Prng(SEED);
  const file = path.join(t.testdir(), 'parts');
  const parts = Array.from({ length: 3_000 }, () =>
    Uint8Array.from({ length: prng.below(40) }, () => prng.below(256)),
  );
  const whole = Buffer.concat(parts);
  const handle = await disk.open(file, 'create');
  await handle.writev(parts, 100);
  await handle.writev([], 0);
  await handle.dataSync();
  t.equal(await handle.size(), 100 + whole.length);
  const into = new Uint8Array(whole.length + 50);
  t.equal(await handle.read(into, 100), whole.length, 'fewer bytes only at the end of the file');
  t.ok(whole.equals(into.subarray(0, whole.length)));
  await handle.truncate(104);
  t.equal(await handle.size(), 104);
  await handle.close();
  t.same(await disk.readFile(file), Buffer.concat([Buffer.alloc(100), whole.subarray(0, 4)]));
});

t.test('after a short write exactly the remaining bytes are written', async (t) => {
  const prng = new Prng(SEED);
  const parts = Array.from({ length: 6 }, () =>
    Uint8Array.from({ length: prng.below(5) }, () => prng.below(256)),
  );
  const whole = Buffer.concat(parts);
  for (let count = 0; count <= whole.length; count++) {
    const rest = partsAfter(parts, count);
    t.ok(rest.every((part) => part.length > 0));
    t.ok(Buffer.concat(rest).equals(whole.subarray(count)), `after ${count} bytes`);
  }
});

t.test('opening: create empties, read-write keeps, an absent file is ENOENT', async (t) => {
  const dir = t.testdir({ old: 'abc' });
  const retained = await disk.open(path.join(dir, 'old'), 'read-write');
  t.equal(await retained.size(), 3);
  await retained.close();
  const emptied = await disk.open(path.join(dir, 'old'), 'create');
  t.equal(await emptied.size(), 0);
  await emptied.close();
  for (const mode of ['read', 'read-write'] as const) {
    await t.rejects(disk.open(path.join(dir, 'absent'), mode), { code: 'ENOENT' });
  }
});

t.test('writeFile replaces the whole file and sets the requested mode', async (t) => {
  const dir = t.testdir({ keys: 'a much longer text' });
  const file = path.join(dir, 'keys');
  await disk.writeFile(file, Buffer.from('short'), 0o600);
  t.equal(fs.readFileSync(file, 'utf8'), 'short');
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
});

t.test(
  'list is sorted, and empty for an absent folder; rename, remove, exists and makeDir work',
  async (t) => {
    const dir = t.testdir({ b: '1', a: '2' });
    t.strictSame(await disk.list(dir), ['a', 'b']);
    t.strictSame(await disk.list(path.join(dir, 'absent')), []);
    await t.rejects(disk.list(path.join(dir, 'a')), { code: 'ENOTDIR' });
    await disk.rename(path.join(dir, 'b'), path.join(dir, 'a'));
    t.strictSame(await disk.list(dir), ['a']);
    t.equal(fs.readFileSync(path.join(dir, 'a'), 'utf8'), '1');
    await disk.makeDir(path.join(dir, 'x/y'));
    await disk.makeDir(path.join(dir, 'x/y'));
    await disk.syncDir(path.join(dir, 'x'));
    t.strictSame(
      [await disk.exists(path.join(dir, 'x/y')), await disk.exists(path.join(dir, 'z'))],
      [true, false],
    );
    await disk.remove(path.join(dir, 'a'));
    await t.rejects(disk.remove(path.join(dir, 'a')), { code: 'ENOENT' });
  },
);

t.test(
  'removeDir removes an empty folder, and ignores an absent folder and one that is not empty',
  async (t) => {
    const dir = t.testdir({ empty: {}, full: { file: '' }, file: '' });
    for (const name of ['empty', 'full', 'absent']) await disk.removeDir(path.join(dir, name));
    t.strictSame(fs.readdirSync(dir).sort(), ['file', 'full']);
    await t.rejects(disk.removeDir(path.join(dir, 'file')), { code: 'ENOTDIR' });
  },
);

/** A file system whose first `failing` syncs of folders fail, and which records the later ones. */
class FailingSyncs extends NodeFileSystem {
  readonly synced: string[] = [];
  failing: number;

  constructor(failing: number) {
    super();
    this.failing = failing;
  }

  override async syncDir(dir: string): Promise<void> {
    if (this.failing-- > 0) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
    await super.syncDir(dir);
    this.synced.push(dir);
  }
}

t.test(
  'makeDir syncs every folder that it found or created, also after an earlier call failed',
  async (t) => {
    const dir = t.testdir();
    const names = [dir, path.join(dir, 'x'), path.join(dir, 'x/y')];
    for (let failing = 0; failing < 4; failing++) {
      fs.rmSync(path.join(dir, 'x'), { recursive: true, force: true });
      const disk = new FailingSyncs(failing);
      const outcomes: string[] = [];
      for (let attempt = 0; attempt < 6; attempt++) {
        outcomes.push(
          await disk.makeDir(path.join(dir, 'x/y/z')).then(
            () => 'made',
            (error) => error.code,
          ),
        );
      }
      t.strictSame(outcomes.slice(0, failing + 1), [...Array(failing).fill('EIO'), 'made']);
      t.ok(fs.statSync(path.join(dir, 'x/y/z')).isDirectory());
      for (const name of names) t.ok(disk.synced.includes(name), `${failing} fail, ${name} is synced`);
    }
  },
);

t.test('makeDir needs no access to the parent of an existing folder', async (t) => {
  const dir = t.testdir({ there: {} });
  const disk = new (class extends NodeFileSystem {
    override async syncDir(at: string): Promise<void> {
      if (at === dir) throw Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });
      await super.syncDir(at);
    }
  })();
  await disk.makeDir(path.join(dir, 'there'));
  await disk.makeDir(path.join(dir, 'there/made'));
  t.ok(fs.existsSync(path.join(dir, 'there/made')));
  await t.rejects(disk.makeDir(path.join(dir, 'made')), { code: 'EACCES' });
});

t.test(
  'a write that the system accepts in small pieces is completed, and a write of zero bytes is an error',
  async (t) => {
    const real = fs.writev as (fd: number, parts: readonly Uint8Array[], at: number, done: unknown) => void;
    t.teardown(() => Object.assign(fs, { writev: real }));
    const whole = Buffer.from(Array.from({ length: 500 }, (_, at) => at % 251));
    const parts = [whole.subarray(0, 7), whole.subarray(7, 8), whole.subarray(8, 300), whole.subarray(300)];
    const file = path.join(t.testdir(), 'pieces');
    const takes = (count: number) => (fd: number, value: readonly Uint8Array[], at: number, done: unknown) =>
      real(fd, [Buffer.concat(value).subarray(0, count)], at, done);
    for (const count of [1, 6, 7, 8, 299]) {
      Object.assign(fs, { writev: takes(count) });
      const handle = await disk.open(file, 'create');
      await handle.writev(parts, 3);
      await handle.close();
      t.ok(fs.readFileSync(file).subarray(3).equals(whole), `${count} bytes at a time`);
      await disk.writeFile(file, whole);
      t.ok(fs.readFileSync(file).equals(whole));
    }
    Object.assign(fs, { writev: takes(0) });
    await t.rejects(disk.writeFile(file, whole), { code: 'EIO' });
  },
);
