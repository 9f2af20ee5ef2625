/** Files that a backup reads are kept until it has copied them. Crashes during checkpoints are in test/crash. */
import t from 'tap';
import { verifyStore } from '../../../src/inspect/index.js';
import type { FileSystem } from '../../../src/io/index.js';
import { AUTO, insert } from '../../crash/disk/life.js';
import { openEngine, STORE_DIR } from '../../crash/history/engine-fixture.js';
import { FaultyDisk } from '../../support/faulty-disk.js';

const SEED = 5;

/** A disk on which the first file below `dir` is not opened before `go` is called. */
function waitingDisk(
  disk: FaultyDisk,
  dir: string,
): { fs: FileSystem; reached: Promise<void>; go: () => void } {
  let go = (): void => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  let arrive = (): void => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const fs = new Proxy<FileSystem>(disk, {
    get: (target, name) => {
      if (name !== 'open') return Reflect.get(target, name).bind(target);
      return async (file: string, mode: 'read' | 'read-write' | 'create') => {
        if (file.startsWith(dir)) {
          arrive();
          await released;
        }
        return target.open(file, mode);
      };
    },
  });
  return { fs, reached, go };
}

const snapshotFiles = (disk: FaultyDisk): string[] =>
  disk.files().filter((file) => file.startsWith(`${STORE_DIR}/snapshot/`));

t.test('checkpoints during a backup keep the files that it copies; after it they are removed', async (t) => {
  const disk = new FaultyDisk({ seed: SEED });
  const { fs, reached, go } = waitingDisk(disk, '/backup/');
  const { engine } = await openEngine(disk, 1, SEED, 1, { fs });
  await insert({ a: { tag: 'x' }, ...AUTO })(engine);
  const backup = engine.backup('/backup');
  await reached;
  const copied = snapshotFiles(disk);
  t.ok(copied.length > 0);
  await insert({ a: { tag: 'y' }, b: { tag: 'z' } })(engine);
  await engine.checkpoint();
  const both = snapshotFiles(disk);
  t.ok(both.length > copied.length);
  t.strictSame(
    copied.filter((file) => !both.includes(file)),
    [],
    'all files that the backup copies exist',
  );
  go();
  const { lsn } = await backup;
  t.strictSame(
    snapshotFiles(disk).filter((file) => copied.includes(file)),
    [],
    'files that only the backup needed were removed',
  );
  const report = await verifyStore(disk, '/backup');
  t.match(report, { faults: [], checkpointLsn: lsn, lastLsn: lsn });
  await engine.close();
  t.strictSame((await verifyStore(disk, STORE_DIR)).faults, []);
});

t.test('a backup is aborted by its signal and when the engine closes, and leaves no files', async (t) => {
  for (const how of ['signal', 'close'] as const) {
    const disk = new FaultyDisk({ seed: SEED });
    const { fs, reached, go } = waitingDisk(disk, '/backup/');
    const { engine } = await openEngine(disk, 1, SEED, 1, { fs });
    await insert({ a: { tag: 'x' }, ...AUTO })(engine);
    const abort = new AbortController();
    const backup = engine.backup('/backup', abort.signal);
    const refused = t.rejects(backup, { message: 'the server is stopping; the backup was aborted' });
    await reached;
    const closed = how === 'close' ? engine.close() : null;
    if (how === 'signal') abort.abort();
    go();
    await refused;
    await (closed ?? engine.close());
    t.strictSame(
      disk.files().filter((file) => file.startsWith('/backup')),
      [],
    );
  }
});
