/** Copies of a store at rest: the copied content, refusals, and removal of a failed copy. */
import { crc32 } from 'node:zlib';
import t from 'tap';
import { CorruptionError } from '../../src/base/index.js';
import type { Manifest } from '../../src/format/index.js';
import { copyStore, readManifest } from '../../src/recovery/index.js';
import { LogReplay } from '../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';

const FILES: readonly (readonly [path: string, text: string])[] = [
  ['snapshot/d1-1/entities.arrow', 'entities of one'],
  ['snapshot/d1-1/events.arrow', 'events of one'],
  ['snapshot/d2-1/entities.arrow', ''],
];
const DEDUPLICATION_FILE = { path: 'snapshot/once/once.qonce', entryCount: 1, bytes: 4 };
const LSN = 41;

const MANIFEST: Manifest = {
  storeId: 'a-store',
  checkpointLsn: LSN,
  shardCount: 2,
  createdMs: 1_600_000_000_000,
  catalog: { version: 1 },
  once: DEDUPLICATION_FILE,
  files: FILES.map(([path, text], segment) => ({
    ...{ path, kind: 'entities', databaseId: 1, dimensionId: 1, columnId: 0, shard: 0, segment, rowCount: 1 },
    bytes: text.length,
    crc32: crc32(Buffer.from(text)),
  })),
};

function storeOn(disk: FaultyDisk): FaultyDisk {
  for (const [path, text] of FILES) disk.put(`/from/${path}`, Buffer.from(text));
  disk.put(`/from/${DEDUPLICATION_FILE.path}`, Buffer.from('once'));
  return disk;
}

const copy = (disk: FaultyDisk, manifest = MANIFEST): Promise<number> =>
  copyStore({ fs: disk, from: '/from', to: '/to', manifest, random64: () => 5n });

const filesIn = (disk: FaultyDisk): string[] => disk.files().filter((file) => file.startsWith('/to/'));

t.test('a copy contains the files, the manifest and a log that continues after them', async (t) => {
  const disk = storeOn(faultyDisk());
  t.equal(await copy(disk), FILES.reduce((sum, [, text]) => sum + text.length, 0) + DEDUPLICATION_FILE.bytes);
  const after = disk.afterCrash();
  t.strictSame(await readManifest(after, '/to'), { usage: undefined, ...MANIFEST });
  for (const [path, text] of FILES) t.equal(Buffer.from(after.bytesOf(`/to/${path}`)).toString(), text);
  t.equal(Buffer.from(after.bytesOf(`/to/${DEDUPLICATION_FILE.path}`)).toString(), 'once');
  const replay = new LogReplay({ fs: after, dir: '/to/log', fromLsn: LSN + 1 });
  for await (const { lsn } of replay) t.fail(`record ${lsn}`);
  t.equal(replay.end.nextLsn, LSN + 1);
});

t.test('nothing is written to a directory that is not empty', async (t) => {
  const disk = storeOn(faultyDisk());
  disk.put('/to/letter', Buffer.from('dear'));
  await t.rejects(copy(disk), { message: '/to is not empty' });
  t.strictSame(filesIn(disk), ['/to/letter']);
});

t.test('a damaged, short or missing file is named, and the copy is removed', async (t) => {
  const [path, text] = FILES[1];
  for (const found of [text.replace('e', 'E'), text.slice(1), `${text}!`]) {
    const disk = storeOn(faultyDisk());
    disk.put(`/from/${path}`, Buffer.from(found));
    const error = await copy(disk).catch((error) => error);
    t.ok(error instanceof CorruptionError && error.message.includes(`/from/${path}`), String(error));
    t.strictSame(filesIn(disk), []);
  }
  const disk = storeOn(faultyDisk());
  await disk.remove(`/from/${path}`);
  await t.rejects(
    copy(disk),
    new CorruptionError(`/from/${path}`, 0, 'the manifest names this file, but it is missing'),
  );
  t.strictSame(filesIn(disk), []);
});

t.test('a path in a manifest that leads out of the directory is refused', async (t) => {
  for (const path of ['../secret', 'snapshot/../../x', '/etc/passwd', 'snapshot/a', 'snapshot//a/../b']) {
    const disk = storeOn(faultyDisk());
    const files = [{ ...MANIFEST.files[0], path }];
    await t.rejects(copy(disk, { ...MANIFEST, files }), {
      message: `${path} is not a path of a snapshot file`,
    });
    t.strictSame(filesIn(disk), []);
  }
});

t.test('a full disk or a disk fault in any call leaves no files', async (t) => {
  let count = 0;
  for (let at = 0; ; at++) {
    let isMet = false;
    const fault = (step: number, _call: string, file: string): string | undefined => {
      if (isMet || step !== at || !file.startsWith('/to')) return undefined;
      isMet = true;
      return 'ENOSPC';
    };
    const disk = storeOn(faultyDisk({ fault }));
    const error = await copy(disk).catch((error) => error);
    if (isMet && typeof error !== 'number') {
      count++;
      t.match(error, { code: 'ENOSPC' });
      t.strictSame(filesIn(disk), []);
    }
    if (disk.steps < at) break;
  }
  t.ok(count > 15, `${count} calls`);
});
