/** Replacement of the manifest with a crash at every point, and removal of files after it. */
import fs from 'node:fs';
import t from 'tap';
import type { Manifest } from '../../src/format/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { readManifest, removeUnreferenced, swapManifest } from '../../src/recovery/index.js';
import { faultyDisk } from '../support/faulty-disk.js';

const DIR = '/store';

const manifestOf = (checkpointLsn: number, paths: readonly string[] = []): Manifest => ({
  storeId: 'a-store',
  checkpointLsn,
  shardCount: 2,
  createdMs: 1_600_000_000_000,
  catalog: { version: 1 },
  files: paths.map((path, segment) => ({
    path,
    kind: 'entities',
    databaseId: 1,
    dimensionId: 1,
    columnId: 0,
    shard: 0,
    segment,
    rowCount: 1,
    bytes: 1,
    crc32: 1,
  })),
});

t.test('a crash at any step of a replacement leaves the old or the new manifest, whole', async (t) => {
  for (let seed = 0; seed < 20; seed++) {
    for (let crashAtStep = 0; ; crashAtStep++) {
      const first = faultyDisk({ seed });
      await swapManifest(first, DIR, manifestOf(1));
      const disk = first.afterCrash({ seed, crashAtStep });
      const swapped = await swapManifest(disk, DIR, manifestOf(2)).then(
        () => true,
        () => false,
      );
      const found = (await readManifest(disk.afterCrash(), DIR))?.checkpointLsn;
      if (swapped) t.equal(found, 2);
      else t.ok(found === 1 || found === 2, `step ${crashAtStep}: ${found}`);
      if (swapped) break;
    }
  }
});

t.test('a store without a manifest has none', async (t) => {
  t.equal(await readManifest(faultyDisk(), DIR), null);
});

t.test('only snapshot files that the manifest does not name are removed', async (t) => {
  const dir = t.testdir({
    manifest: '',
    log: { 'log-1': '' },
    snapshot: {
      'd1-1': { 'kept.arrow': '', 'old.arrow': '' },
      'd1-2': { 'old.arrow': '', 'also-kept.arrow': '' },
      '.DS_Store': '',
    },
  });
  const retained = ['snapshot/d1-1/kept.arrow', 'snapshot/d1-2/also-kept.arrow'];
  await removeUnreferenced(new NodeFileSystem(), dir, [manifestOf(1, retained)]);
  const files = fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());
  const names = ['.DS_Store', 'also-kept.arrow', 'kept.arrow', 'log-1', 'manifest'];
  t.strictSame(files.map(({ name }) => name).sort(), names);
});

t.test('empty folders are removed, and files that the manifest names stay', async (t) => {
  const dir = t.testdir({
    snapshot: {
      'd1-1': { 'old.arrow': '', 'older.arrow': '' },
      'd1-2': { 'kept.arrow': '' },
      'd2-1': {},
      once: { 'old.once': '', 'new.once': '' },
    },
  });
  const deduplicationFile = { path: 'snapshot/once/new.once', entryCount: 1, bytes: 1 };
  await removeUnreferenced(new NodeFileSystem(), dir, [
    { ...manifestOf(1, ['snapshot/d1-2/kept.arrow']), once: deduplicationFile },
  ]);
  const left = fs.readdirSync(`${dir}/snapshot`, { recursive: true }) as string[];
  t.strictSame(left.sort(), ['d1-2', 'd1-2/kept.arrow', 'once', 'once/new.once']);
});
