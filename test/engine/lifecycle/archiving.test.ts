/** Archiving of the log files of an idle store, and starts with an unusable archive. */
import t from 'tap';
import type { Engine } from '../../../src/engine/index.js';
import { AUTO, insert } from '../../crash/disk/life.js';
import { openEngine } from '../../crash/history/engine-fixture.js';
import { FaultyDisk } from '../../support/faulty-disk.js';

const SEED = 11;
const ARCHIVING = { archiveDir: '/archive', archiveIntervalMs: 2 };
const archived = (disk: FaultyDisk): string[] => disk.files().filter((file) => file.startsWith('/archive/'));

/** Waits until `holds` returns true; the timeout of the test limits the wait. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const one = (engine: Engine, id: string): Promise<unknown> => insert({ [id]: { tag: 'x' }, ...AUTO })(engine);

t.test('writes reach the archive soon, and an idle store then writes nothing more', async (t) => {
  const disk = new FaultyDisk({ seed: SEED });
  const { engine } = await openEngine(disk, 1, SEED, 1, ARCHIVING);
  await one(engine, 'a');
  await until(() => archived(disk).length > 0);
  const { archivedFileCount, lsnAppended } = engine.stats();
  t.ok(archivedFileCount > 0);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  const later = engine.stats().lsnAppended;
  t.ok(later <= lsnAppended + 1, `${lsnAppended} and then ${later}`);
  await one(engine, 'b');
  await until(() => engine.stats().archivedFileCount > archivedFileCount);
  await engine.close();
  t.match(engine.stats(), { archiveWaitingCount: 0, archiveFailureCount: 0 });
});

t.test('a store with the archive of another history does not start and is not changed', async (t) => {
  const disk = new FaultyDisk({ seed: SEED });
  const first = await openEngine(disk, 1, SEED, 1, ARCHIVING);
  await one(first.engine, 'a');
  await first.engine.close();
  const files = disk.files();
  const other = { ...ARCHIVING, dir: '/other' };
  // The message names the first record of the last file, and files are switched by time.
  const last = Math.max(...archived(disk).map((file) => Number(/log-(\d+)/.exec(file)?.[1])));
  await t.rejects(openEngine(disk, 1, SEED, 1, other), {
    message: `the archive /archive contains record ${last}, which this store has not written: use a separate folder for each store`,
  });
  t.strictSame(disk.files(), files);
  const again = await openEngine(disk, 1, SEED, 1, ARCHIVING);
  await again.engine.close();
});

t.test('writes continue while the archive cannot be written, and the archive catches up later', async (t) => {
  let isFull = true;
  const fault = (_step: number, call: string, file: string): string | undefined =>
    isFull && call === 'writev' && file.startsWith('/archive/') ? 'ENOSPC' : undefined;
  const disk = new FaultyDisk({ seed: SEED, fault });
  const { engine } = await openEngine(disk, 1, SEED, 1, ARCHIVING);
  for (let ordinal = 0; ordinal < 5; ordinal++) await one(engine, `a${ordinal}`);
  await until(() => engine.stats().archiveFailureCount > 0);
  await engine.checkpoint();
  t.ok(engine.stats().archiveWaitingCount > 0);
  isFull = false;
  await one(engine, 'b');
  await engine.close();
  t.match(engine.stats(), { archiveWaitingCount: 0 });
  t.ok(archived(disk).length > 0);
});
