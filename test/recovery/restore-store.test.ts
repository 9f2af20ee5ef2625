/**
 * Restores to an LSN and to a time, and the errors for unreachable targets. The restored data is verified in
 * test/crash/history/backups.test.ts.
 */
import t from 'tap';
import {
  applyChanges,
  type CatalogChange,
  catalogToPlain,
  EMPTY_CATALOG,
  hashOfKey,
} from '../../src/catalog/index.js';
import { encodeRecordPayload, type Manifest } from '../../src/format/index.js';
import {
  copyStore,
  type Restored,
  type RestoreTarget,
  readManifest,
  restoreStore,
} from '../../src/recovery/index.js';
import { Log, LogReplay } from '../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';

const BACKUP_LSN = 10;
const LAST_LSN = 30;
const TAKEN_MS = Date.UTC(2024, 0, 1);
/** Time of record `lsn`: one minute per record. */
const timeOf = (lsn: number): number => TAKEN_MS + (lsn - BACKUP_LSN) * 60_000;

const keyMade = (text: string): CatalogChange => ({
  change: 'key-created',
  key: { kind: 'team', hash: hashOfKey(text), name: text, permissions: [] },
});
const CATALOG = catalogToPlain(applyChanges(EMPTY_CATALOG, [keyMade('first')]));
const MANIFEST: Manifest = {
  ...{ storeId: 'a-store', checkpointLsn: BACKUP_LSN, shardCount: 1, createdMs: TAKEN_MS, catalog: CATALOG },
  files: [],
};

async function prepared(): Promise<FaultyDisk> {
  const disk = faultyDisk();
  await copyStore({ fs: disk, from: '/none', to: '/backup', manifest: MANIFEST, random64: () => 5n });
  await writeLog(disk, '/archive', LAST_LSN);
  return disk;
}

/**
 * Writes records 1 to `lastLsn`, each `laterMs` later than its time. Returns the names of the keys that they create, by
 * `lsn`.
 */
async function writeLog(
  disk: FaultyDisk,
  dir: string,
  lastLsn: number,
  laterMs = 0,
  keys: Readonly<Record<number, string>> = { 1: 'first' },
  checkpointLsn = 0,
): Promise<void> {
  const log = await Log.open({
    ...{ fs: disk, dir, durability: 'fsync', intervalMs: 5, nextLsn: 1, logFileBytes: 1_024 },
    ...{ random64: () => 5n, monotonicMs: () => 0, onFatal: () => {} },
  });
  for (let lsn = 1; lsn <= lastLsn; lsn++) {
    const changes = keys[lsn] === undefined ? [] : [keyMade(keys[lsn])];
    const payload = encodeRecordPayload({ type: 'catalog', timeMs: timeOf(lsn) + laterMs, changes });
    while (!log.hasCapacity(payload.length)) await log.waitForCapacity(payload.length);
    await log.append(payload).written;
    if (lsn === checkpointLsn) log.noteCheckpoint(lsn);
  }
  await log.close();
}

const restore = (
  disk: FaultyDisk,
  target: RestoreTarget | null,
  archive: string | null = '/archive',
): Promise<Restored> =>
  restoreStore({ fs: disk, backup: '/backup', archive, to: '/to', target, random64: () => 6n });

async function lastLsnIn(disk: FaultyDisk, manifest: Manifest | null = null, dir = '/to'): Promise<number> {
  let last = BACKUP_LSN;
  const source = { fs: disk, dir: `${dir}/log`, fromLsn: BACKUP_LSN + 1, manifest };
  for await (const { lsn } of new LogReplay(source)) last = lsn;
  return last;
}

t.test('the store ends with the requested record, or with the last one', async (t) => {
  const disk = await prepared();
  for (const target of [null, ...Array.from({ length: 21 }, (_, index) => ({ lsn: BACKUP_LSN + index }))]) {
    const copy = disk.afterCrash();
    const lsn = target?.lsn ?? LAST_LSN;
    t.strictSame(await restore(copy, target), {
      backupLsn: BACKUP_LSN,
      lsn,
      timeMs: lsn === BACKUP_LSN ? null : timeOf(lsn),
      snapshotBytes: 0,
      isCut: lsn < LAST_LSN,
      ...{ archiveEnd: null, tornTail: null },
    });
    t.equal(await lastLsnIn(copy.afterCrash()), lsn);
  }
});

t.test(
  "a store restored from an archive with later checkpoints, or from a backup's own log, starts",
  async (t) => {
    const disk = await prepared();
    await writeLog(disk, '/noting', LAST_LSN, 0, { 1: 'first' }, BACKUP_LSN + 5);
    for (const lastLsn of [BACKUP_LSN, BACKUP_LSN + 1, BACKUP_LSN + 8, LAST_LSN]) {
      const copy = disk.afterCrash();
      await restore(copy, { lsn: lastLsn }, '/noting');
      const manifest = await readManifest(copy, '/to');
      t.equal(manifest?.restoredLsn, lastLsn === BACKUP_LSN ? undefined : lastLsn);
      t.equal(await lastLsnIn(copy, manifest), lastLsn);
      // Restores from the restored store as a backup, whose own log contains the records.
      await restoreStore({
        fs: copy,
        backup: '/to',
        archive: null,
        to: '/2',
        target: null,
        random64: () => 7n,
      });
      t.equal(await lastLsnIn(copy, await readManifest(copy, '/2'), '/2'), lastLsn);
    }
  },
);

t.test('a backup whose own log ends below its checkpoint is damaged, and nothing is restored', async (t) => {
  const disk = faultyDisk();
  await copyStore({ fs: disk, from: '/none', to: '/backup', manifest: MANIFEST, random64: () => 5n });
  for (const file of disk.files().filter((file) => file.startsWith('/backup/log/'))) await disk.remove(file);
  await writeLog(disk, '/backup/log', BACKUP_LSN - 1);
  await t.rejects(restore(disk, null, null), {
    name: 'CorruptionError',
    reason: /the log ends at LSN 9, below the manifest's checkpoint at LSN 10/,
  });
  t.strictSame(
    disk.files().filter((file) => file.startsWith('/to/')),
    [],
  );
});

t.test('a restore to a time includes every request up to that time', async (t) => {
  const disk = await prepared();
  for (const [timeMs, lsn] of [
    [TAKEN_MS, BACKUP_LSN],
    [timeOf(11) - 1, BACKUP_LSN],
    [timeOf(11), 11],
    [timeOf(20) + 59_999, 20],
    [timeOf(LAST_LSN) + 1e9, LAST_LSN],
  ]) {
    const copy = disk.afterCrash();
    t.equal((await restore(copy, { timeMs })).lsn, lsn);
    t.equal(await lastLsnIn(copy), lsn);
  }
});

t.test('an unreachable target is refused, and nothing is written', async (t) => {
  const disk = await prepared();
  disk.put('/other/letter', Buffer.from('dear'));
  await writeLog(disk, '/data/log', 3);
  await writeLog(disk, '/gap', LAST_LSN);
  for (const file of disk.files().filter((file) => /^\/gap\/.*00[01]\d\.qlog$/.test(file)))
    await disk.remove(file);
  for (const [target, archive, message] of [
    [{ lsn: 9 }, '/archive', 'the backup contains everything up to LSN 10; LSN 9 requires an earlier backup'],
    [{ lsn: 31 }, '/archive', /there is no record 31: the last one is 30, in \/archive\/log-/],
    [null, '/absent', '/absent is not an archive: it does not exist'],
    [null, '/other', '/other is not an archive: it holds no log files'],
    [null, '/gap', /\/gap\/log-.*: records 11 to \d+ are missing/],
    [null, '/data', '/data is not an archive: it holds no log files; /data/log does'],
    [{ lsn: 11 }, null, /there is no record 11: the last one is 10, in \/backup\/log\/log-/],
    [
      { timeMs: TAKEN_MS - 1 },
      '/archive',
      /the backup was taken at 2024-01-01T00:00:00.000Z; 2023-12-31T.* requires an earlier backup/,
    ],
  ] as const) {
    await t.rejects(restore(disk, target, archive), { message }, `archive ${archive}`);
    t.strictSame(
      disk.files().filter((file) => file.startsWith('/to')),
      [],
    );
  }
});

t.test(
  'an archive that ends with the backup or before it adds nothing, and the result says so',
  async (t) => {
    const disk = await prepared();
    for (const last of [BACKUP_LSN, BACKUP_LSN - 1, 1]) {
      const copy = disk.afterCrash();
      await writeLog(copy, '/short', last);
      t.match(await restore(copy, null, '/short'), { lsn: BACKUP_LSN, isCut: false, archiveEnd: last });
      t.equal(await lastLsnIn(copy), BACKUP_LSN);
    }
  },
);

t.test(
  'a truncated last file ends with its last whole record, and the omitted bytes are reported',
  async (t) => {
    const disk = await prepared();
    const last =
      disk
        .files()
        .filter((file) => file.startsWith('/archive/'))
        .at(-1) ?? '';
    const bytes = disk.bytesOf(last);
    const records = bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
    disk.put(last, records.subarray(0, records.length - 20));
    const { lsn, tornTail } = await restore(disk, null);
    t.equal(lsn, LAST_LSN - 1);
    t.match(tornTail, { file: last, bytes: Number });
    const again = disk.afterCrash();
    for (const file of again.files()) if (file.startsWith('/to/')) await again.remove(file);
    t.match(await restore(again, { lsn: LAST_LSN - 2 }), { isCut: true, tornTail: null });
  },
);

t.test('an archive of another history is refused by its times, unless a record is named', async (t) => {
  const disk = await prepared();
  const hour = 3_600_000;
  for (const [laterMs, lastLsn, record] of [
    [hour, LAST_LSN, null],
    [-hour, LAST_LSN, null],
    [hour + 1, LAST_LSN, BACKUP_LSN],
    [hour + 1, BACKUP_LSN, BACKUP_LSN],
    [-hour - 60_001, LAST_LSN, BACKUP_LSN + 1],
    [-hour - 60_001, BACKUP_LSN, null],
  ] as const) {
    const copy = disk.afterCrash();
    await writeLog(copy, '/other', lastLsn, laterMs);
    if (record === null) t.match(await restore(copy, null, '/other'), { lsn: lastLsn });
    else {
      const message = new RegExp(`^/other is the archive of another store.* its record ${record} is of `);
      await t.rejects(restore(copy, { timeMs: timeOf(LAST_LSN) }, '/other'), { message });
      t.match(await restore(copy, { lsn: lastLsn }, '/other'), { lsn: lastLsn });
    }
  }
});

t.test('an archive from record 1 on that created none of the keys of the backup is refused', async (t) => {
  const disk = await prepared();
  for (const [keys, lastLsn, isOther] of [
    [{ 1: 'other' }, LAST_LSN, true],
    [{ 1: 'other' }, BACKUP_LSN, true],
    [{ 1: 'other', [BACKUP_LSN + 1]: 'first' }, LAST_LSN, true],
    [{ 1: 'other', [BACKUP_LSN]: 'first' }, LAST_LSN, false],
    [{ 1: 'other' }, BACKUP_LSN - 1, false],
  ] as const) {
    const copy = disk.afterCrash();
    await writeLog(copy, '/other', lastLsn, 0, keys);
    const message =
      '/other is the archive of another store: none of its records made a key that the backup has';
    if (isOther) await t.rejects(restore(copy, null, '/other'), { message });
    else t.match(await restore(copy, null, '/other'), { lsn: Math.max(lastLsn, BACKUP_LSN) });
  }
});

t.test('a backup without its log is refused, because the log may have contained records', async (t) => {
  const disk = await prepared();
  for (const file of disk.files()) if (file.startsWith('/backup/log/')) await disk.remove(file);
  await t.rejects(restore(disk, null, null), { message: /\/backup\/log.*should continue at LSN 11/ });
  t.match(await restore(disk, null), { lsn: LAST_LSN });
});

t.test('a backup is restored without an archive; other directories are refused', async (t) => {
  const disk = await prepared();
  t.match(await restore(disk, null, null), { backupLsn: BACKUP_LSN, lsn: BACKUP_LSN, timeMs: null });
  await t.rejects(
    restoreStore({
      fs: disk,
      backup: '/archive',
      archive: null,
      to: '/other',
      target: null,
      random64: () => 1n,
    }),
    { message: '/archive is neither a store nor a backup: it holds no manifest' },
  );
});
