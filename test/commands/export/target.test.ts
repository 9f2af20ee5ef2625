import { Writable } from 'node:stream';
import t from 'tap';
import { ReaderGoneError, writeFile, writeOutput } from '../../../src/commands/export/target.js';
import { FaultyDisk } from '../../support/faulty-disk.js';

async function* parts(count: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield new Uint8Array(bytes).fill(index);
}

t.test('after a crash at any step the file is complete or absent', async (t) => {
  for (let crashAtStep = 0; ; crashAtStep++) {
    const disk = new FaultyDisk({ crashAtStep, seed: 7 });
    const ended = await writeFile(disk, '/d/rows', parts(3, 700_000), false).catch((error: Error) => error);
    const after = disk.afterCrash();
    if (await after.exists('/d/rows'))
      t.equal((await after.readFile('/d/rows')).length, 2_100_000, `step ${crashAtStep}`);
    if (!(ended instanceof Error)) {
      t.equal(ended, 2_100_000);
      t.ok(crashAtStep > 3, 'some steps were tried');
      return;
    }
  }
});

t.test('a full disk is reported, and no part of the file remains on it', async (t) => {
  const disk = new FaultyDisk({});
  disk.capacityBytes = 1_000_000;
  const written = writeFile(disk, '/d/rows', parts(5, 700_000), false);
  await t.rejects(written, { message: /^the disk is full: \/d\/rows was not written/ });
  t.strictSame(await disk.list('/d'), []);
});

t.test('any failed call leaves no part of the file', async (t) => {
  for (const failing of ['writev', 'dataSync', 'close', 'rename', 'syncDir'] as const) {
    const disk = new FaultyDisk({ fault: (_step, call) => (call === failing ? 'EIO' : undefined) });
    await t.rejects(writeFile(disk, '/d/rows', parts(2, 10), false), { code: 'EIO' }, failing);
    t.strictSame(
      (await disk.list('/d')).filter((name) => name.endsWith('.part')),
      [],
      failing,
    );
  }
});

t.test('a failed export leaves the old file unchanged', async (t) => {
  const disk = new FaultyDisk({});
  await disk.writeFile('/d/rows', Buffer.from('old'));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('new');
    throw new Error('cut');
  }
  await t.rejects(writeFile(disk, '/d/rows', broken(), true), { message: 'cut' });
  t.strictSame(await disk.list('/d'), ['rows']);
  t.equal(Buffer.from(await disk.readFile('/d/rows')).toString(), 'old');
});

t.test('a file that another process created meanwhile is not replaced', async (t) => {
  const disk = new FaultyDisk({});
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('mine');
    await disk.writeFile('/d/rows', Buffer.from('theirs'));
  }
  await t.rejects(writeFile(disk, '/d/rows', slow(), false), { message: /exists already/ });
  t.equal(Buffer.from(await disk.readFile('/d/rows')).toString(), 'theirs');
});

t.test('the output ends when its reader closes, and no further part is requested', async (t) => {
  let taken = 0;
  const out = new Writable({
    write(_part, _encoding, done) {
      taken++;
      done(taken < 3 ? null : Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  await t.rejects(writeOutput(out, parts(10, 10)), ReaderGoneError);
  t.equal(taken, 3);
});

t.test('a part is written to standard output before the next part is requested', async (t) => {
  let partCount = 0;
  let written = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for (; partCount < 20; partCount++) {
      t.equal(written, partCount);
      yield new Uint8Array(8);
    }
  }
  const out = new Writable({
    write(_part, _encoding, done) {
      setImmediate(() => {
        written++;
        done();
      });
    },
  });
  t.equal(await writeOutput(out, watched()), 160);
});
