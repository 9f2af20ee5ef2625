import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { emptySpoolDir, Spool, SpoolStore, spooled } from '../../../src/engine/query/spool.js';
import { type FileSystem, NodeFileSystem } from '../../../src/io/index.js';
import { faultyDisk } from '../../support/faulty-disk.js';

const DIR = '/store/spool';
const KIB = 1_024;

interface Made {
  readonly spool: Spool;
  readonly store: SpoolStore;
}

function make(fs: FileSystem, dir = DIR, store = new SpoolStore(), memoryBytesMax = 4 * KIB): Made {
  return { spool: new Spool({ fs, dir, memoryBytesMax, store }), store };
}

const part = (prng: Prng, bytesMax: number): Uint8Array =>
  Uint8Array.from({ length: prng.below(bytesMax + 1) }, () => prng.below(256));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function readAll(spool: Spool): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const one of spool.parts()) parts.push(one);
  return Buffer.concat(parts);
}

/** The real disk, in a folder of the test. */
function realDisk(t: Test): { fs: FileSystem; dir: string } {
  return { fs: new NodeFileSystem(), dir: path.join(t.testdir(), 'spool') };
}

t.test('parts are read in the order of writing, whether the writer or the reader is faster', async (t) => {
  const seed = 11;
  const real = realDisk(t);
  for (let round = 0; round < 40; round++) {
    const prng = new Prng(seed + round);
    const disk = faultyDisk();
    const { spool, store } = round % 2 === 0 ? make(disk) : make(real.fs, real.dir);
    const parts = Array.from({ length: prng.below(60) }, () => part(prng, prng.pick([10, KIB, 6 * KIB])));
    const [writerRests, readerRests] = [prng.pick([0, 0.5, 1]), prng.pick([0, 0.5, 1])];
    const write = async (): Promise<void> => {
      for (const one of parts) {
        if (prng.chance(writerRests)) await turn();
        await spool.write(one);
      }
      spool.end();
    };
    const read = async (): Promise<Buffer> => {
      const found: Uint8Array[] = [];
      for await (const one of spool.parts()) {
        found.push(one);
        if (prng.chance(readerRests)) await turn();
      }
      return Buffer.concat(found);
    };
    const [, found] = await Promise.all([write(), read()]);
    t.ok(found.equals(Buffer.concat(parts)), `seed ${seed + round}`);
    t.equal(store.reservedBytes, 0, 'the disk space is released');
    t.strictSame(disk.files(), []);
  }
  t.strictSame(fs.readdirSync(real.dir), []);
});

t.test('memory is bounded, and only parts beyond the bound are written to disk', async (t) => {
  const disk = faultyDisk();
  const { spool, store } = make(disk);
  const parts = Array.from({ length: 20 }, (_, index) => new Uint8Array(KIB).fill(index));
  for (const [index, one] of parts.entries()) {
    await spool.write(one);
    t.ok(spool.memoryBytes <= 4 * KIB);
    t.equal(store.reservedBytes, Math.max(0, index - 3) * KIB);
  }
  t.equal(disk.callCounts.get('writev'), 16);
  spool.end();
  t.ok((await readAll(spool)).equals(Buffer.concat(parts)));
  t.equal(spool.memoryBytes, 0);
});

t.test('a part larger than the memory is accepted if no other part waits', async (t) => {
  const disk = faultyDisk();
  const { spool } = make(disk);
  await spool.write(new Uint8Array(9 * KIB).fill(1));
  t.equal(disk.steps, 0);
  spool.end();
  t.equal((await readAll(spool)).length, 9 * KIB);
});

t.test('a file that was read to its end is reused from its beginning', async (t) => {
  const disk = faultyDisk();
  const { spool, store } = make(disk);
  const parts = spool.parts();
  for (let round = 0; round < 10; round++) {
    for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB).fill(round * 8 + index));
    for (let index = 0; index < 8; index++) {
      const { value } = await parts.next();
      t.strictSame(value, new Uint8Array(KIB).fill(round * 8 + index));
    }
    t.equal(store.reservedBytes, 4 * KIB, 'the file is no larger than one round');
  }
  await parts.return();
});

t.test('the file has no name while it is in use', async (t) => {
  const { fs: real, dir } = realDisk(t);
  const { spool } = make(real, dir);
  for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB).fill(index));
  t.strictSame(fs.readdirSync(dir), []);
  spool.end();
  t.equal((await readAll(spool)).length, 8 * KIB);
});

t.test('where an open file cannot be unlinked, it is removed at the end', async (t) => {
  let isOpen = true;
  const disk = faultyDisk({ fault: (_step, call) => (call === 'remove' && isOpen ? 'EBUSY' : undefined) });
  const { spool } = make(disk);
  for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB));
  t.strictSame(disk.files(), [`${DIR}/answer-1`]);
  isOpen = false;
  spool.end();
  await readAll(spool);
  t.strictSame(disk.files(), []);
});

t.test('files of a killed process are removed at start', async (t) => {
  const disk = faultyDisk();
  disk.put(`${DIR}/answer-1`, new Uint8Array(5));
  disk.put(`${DIR}/answer-7`, new Uint8Array(5));
  disk.put('/store/log/1', new Uint8Array(5));
  await emptySpoolDir(disk, DIR);
  t.strictSame(disk.files(), ['/store/log/1']);
  await emptySpoolDir(disk, '/store/absent');
});

t.test(
  'a spool beyond the shared disk limit is refused with 9006, and the other spools continue',
  async (t) => {
    const disk = faultyDisk();
    const store = new SpoolStore(10 * KIB);
    const [{ spool: first }, { spool: second }] = [make(disk, DIR, store), make(disk, DIR, store)];
    for (let index = 0; index < 12; index++) await first.write(new Uint8Array(KIB));
    t.equal(store.reservedBytes, 8 * KIB);
    for (let index = 0; index < 6; index++) await second.write(new Uint8Array(KIB));
    const refusal = { code: 9006, message: 'answers that wait for their clients take too much disk' };
    await t.rejects(async () => second.write(new Uint8Array(KIB)), refusal, 'the writer gets the error');
    await t.rejects(async () => second.write(new Uint8Array(1)), refusal, 'at every later write');
    await t.rejects(readAll(second), refusal, 'the reader gets the error');
    t.equal(store.reservedBytes, 8 * KIB, 'the disk space of the refused spool is released');
    first.end();
    t.equal((await readAll(first)).length, 12 * KIB);
    t.equal(store.reservedBytes, 0);
  },
);

t.test('at every call a full disk is 9002 and a failing disk is 189', async (t) => {
  for (const [code, wanted] of [
    ['ENOSPC', 9002],
    ['EDQUOT', 9002],
    ['EIO', 189],
  ] as const) {
    for (let at = 0; ; at++) {
      const disk = faultyDisk({
        fault: (step, call) => (step === at && call !== 'remove' ? code : undefined),
      });
      const { spool, store } = make(disk);
      const write = async (): Promise<void> => {
        for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB).fill(index));
        spool.end();
      };
      const written = await write().catch((error: QuarryError) => error.code);
      const read = await readAll(spool).catch((error: QuarryError) => error.code);
      await spool.close();
      t.equal(store.reservedBytes, 0, 'all disk space is released');
      t.strictSame(disk.files(), []);
      if (written === undefined && typeof read !== 'number') {
        if (disk.steps <= at) break;
        continue;
      }
      t.equal(read, wanted, `${code} at step ${at}`);
      t.ok(written === wanted || written === undefined, 'a failed read is not reported to the writer');
    }
  }
  const full = faultyDisk();
  full.capacityBytes = 0;
  const { spool } = make(full);
  const write = async (): Promise<void> => {
    for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB));
  };
  await t.rejects(write(), { code: 9002 });
});

t.test('a reader that leaves releases all resources, and the next write fails', async (t) => {
  for (const waits of [false, true]) {
    const disk = faultyDisk();
    const { spool, store } = make(disk);
    const parts = spool.parts();
    let waiting: Promise<IteratorResult<Uint8Array, void>> | null = null;
    if (waits) waiting = parts.next();
    else for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB));
    await parts.return();
    t.strictSame(await waiting, waits ? { done: true, value: undefined } : null);
    t.equal(spool.memoryBytes, 0);
    t.equal(store.reservedBytes, 0);
    t.strictSame(disk.files(), []);
    await t.rejects(async () => spool.write(new Uint8Array(1)), { code: 9005 });
    t.strictSame(await parts.next(), { done: true, value: undefined });
  }
});

t.test('a reader that leaves during a disk operation waits for its end', async (t) => {
  const { fs: real, dir } = realDisk(t);
  for (let round = 0; round < 20; round++) {
    const { spool, store } = make(real, dir);
    const writing = (async () => {
      for (let index = 0; index < 200; index++) await spool.write(new Uint8Array(KIB).fill(index));
    })();
    const notified = t.rejects(writing, { code: 9005 });
    const parts = spool.parts();
    for (let index = 0; index < round; index++) await parts.next();
    const pending = parts.next();
    await parts.return();
    t.equal(store.reservedBytes, 0);
    await notified;
    await pending;
  }
  t.strictSame(fs.readdirSync(dir), []);
});

t.test('a failed writer ends the reading at once, including waiting parts', async (t) => {
  const disk = faultyDisk();
  const { spool, store } = make(disk);
  for (let index = 0; index < 8; index++) await spool.write(new Uint8Array(KIB));
  const parts = spool.parts();
  t.equal((await parts.next()).done, false);
  spool.fail(new QuarryError(9005, 'too long'));
  await t.rejects(parts.next(), { code: 9005, message: 'too long' });
  await spool.close();
  t.equal(store.reservedBytes, 0);
  const waiting = make(disk).spool;
  const next = waiting.parts().next();
  waiting.fail(new Error('a bug'));
  await t.rejects(next, { message: 'a bug' });
});

t.test('a spool delivers the produced parts or the error of the producer', async (t) => {
  const good = spooled(make(faultyDisk()).spool, async (into) => {
    for (let index = 0; index < 9; index++) await into.write(Uint8Array.of(index));
  });
  const found: number[] = [];
  for await (const one of good) found.push(...one);
  t.strictSame(found, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const bad = spooled(make(faultyDisk()).spool, async (into) => {
    await into.write(Uint8Array.of(1));
    throw new QuarryError(9006);
  });
  await t.rejects(
    (async () => {
      for await (const one of bad) t.equal(one.length, 1);
    })(),
    { code: 9006 },
  );
  let stopped: unknown = null;
  const left = spooled(make(faultyDisk()).spool, async (into) => {
    try {
      for (;;) {
        await into.write(new Uint8Array(KIB));
        await turn();
      }
    } catch (error) {
      stopped = error;
      throw error;
    }
  });
  await left.next();
  await left.return();
  while (stopped === null) await turn();
  t.match(stopped, { code: 9005, message: 'the client has disconnected' });
});

t.test('a writer waits for a reader that keeps up, and writes to the file after its timeout', async (t) => {
  const disk = faultyDisk();
  const patient = (readerTimeoutMs: number, store = new SpoolStore()): Made => ({
    spool: new Spool({
      fs: disk,
      dir: DIR,
      memoryBytesMax: 4 * KIB,
      readerTimeoutMs,
      store,
    }),
    store,
  });
  const parts = Array.from({ length: 20 }, (_, at) => new Uint8Array(3 * KIB).fill(at));
  const writeAll = async (spool: Spool): Promise<void> => {
    for (const one of parts) await spool.write(one);
    spool.end();
  };

  const retained = patient(60_000);
  const written = writeAll(retained.spool);
  const found: Uint8Array[] = [];
  for await (const one of retained.spool.parts()) {
    found.push(one);
    await turn();
  }
  await written;
  t.strictSame(found, parts);
  t.equal(retained.store.nextName(), 'answer-1', 'there was no file');

  const tired = patient(5);
  await writeAll(tired.spool);
  t.ok(tired.store.reservedBytes >= 19 * 3 * KIB, 'without a reader all parts but the first are in the file');
  t.strictSame(await readAll(tired.spool), Buffer.concat(parts));
  t.equal(tired.store.reservedBytes, 0);
});

t.test('a writer that waits for space fails at once when the reader leaves', async (t) => {
  const spool = new Spool({
    fs: faultyDisk(),
    dir: DIR,
    memoryBytesMax: 4 * KIB,
    readerTimeoutMs: 600_000,
    store: new SpoolStore(),
  });
  await spool.write(new Uint8Array(4 * KIB));
  const waiting = spool.write(new Uint8Array(KIB));
  await turn();
  await spool.close();
  await t.rejects(async () => waiting, { code: 9005 });
  const failing = new Spool({
    fs: faultyDisk(),
    dir: DIR,
    memoryBytesMax: 4 * KIB,
    readerTimeoutMs: 600_000,
    store: new SpoolStore(),
  });
  await failing.write(new Uint8Array(4 * KIB));
  const other = failing.write(new Uint8Array(KIB));
  failing.fail(new QuarryError(9006, 'too much'));
  await t.rejects(async () => other, { code: 9006 });
});

t.test('`done` is called for parts that are in the file and for parts that will not be read', async (t) => {
  const notified: Uint8Array[] = [];
  const spool = new Spool({
    fs: faultyDisk(),
    dir: DIR,
    memoryBytesMax: 4 * KIB,
    store: new SpoolStore(),
    done: (one) => {
      notified.push(one);
      one.fill(0xff);
    },
  });
  const parts = Array.from({ length: 6 }, (_, at) => new Uint8Array(2 * KIB).fill(at));
  const wanted = parts.map((one) => one.slice());
  for (const one of parts.slice(0, 4)) await spool.write(one);
  t.strictSame(notified, parts.slice(2, 4), 'two parts fill the memory, two are in the file');
  const reading = spool.parts();
  for (let at = 0; at < 4; at++) t.strictSame((await reading.next()).value, wanted[at]);
  t.equal(notified.length, 2, 'the reader reports the parts that were read');
  await spool.write(parts[4]);
  await spool.write(parts[5]);
  await spool.close();
  t.strictSame(notified, parts.slice(2), 'the last two parts were discarded');
});
