/** Restores to an LSN and to a time; what cannot be reached is said. The data are looked at in test/crash/backups.test.ts. */
import t from 'tap';
import { encodeRecordPayload, type Manifest } from '../../src/format/index.js';
import { copyStore, type Restored, type RestoreTarget, restoreStore } from '../../src/recovery/index.js';
import { Log, LogReplay } from '../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';

const BACKUP_LSN = 10;
const LAST_LSN = 30;
const TAKEN_MS = Date.UTC(2024, 0, 1);
/** Of record `lsn`: a minute each. */
const timeOf = (lsn: number): number => TAKEN_MS + (lsn - BACKUP_LSN) * 60_000;

const MANIFEST: Manifest = {
  ...{ storeId: 'a-store', checkpointLsn: BACKUP_LSN, shardCount: 1, createdMs: TAKEN_MS, catalog: {} },
  files: [],
};

async function prepared(): Promise<FaultyDisk> {
  const disk = faultyDisk();
  const random64 = (): bigint => 5n;
  await copyStore({ fs: disk, from: '/none', to: '/backup', manifest: MANIFEST, random64 });
  const log = await Log.open({
    ...{ fs: disk, dir: '/archive', durability: 'fsync', intervalMs: 5, nextLsn: 1, logFileBytes: 1_024 },
    ...{ random64, monotonicMs: () => 0, onFatal: () => {} },
  });
  for (let lsn = 1; lsn <= LAST_LSN; lsn++) {
    const payload = encodeRecordPayload({ type: 'catalog', timeMs: timeOf(lsn), changes: [] });
    while (!log.hasRoom(payload.length)) await log.room(payload.length);
    await log.append(payload).written;
  }
  await log.close();
  return disk;
}

const restore = (
  disk: FaultyDisk,
  target: RestoreTarget | null,
  archive: string | null = '/archive',
): Promise<Restored> =>
  restoreStore({ fs: disk, backup: '/backup', archive, to: '/to', target, random64: () => 6n });

async function lastLsnIn(disk: FaultyDisk): Promise<number> {
  let last = BACKUP_LSN;
  for await (const { lsn } of new LogReplay({ fs: disk, dir: '/to/log', fromLsn: BACKUP_LSN + 1 }))
    last = lsn;
  return last;
}

t.test('the store ends with the record that is wanted, or with the last one', async (t) => {
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
    });
    t.equal(await lastLsnIn(copy.afterCrash()), lsn);
  }
});

t.test('a time takes every request that came until then', async (t) => {
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

t.test('what is out of reach is refused, and nothing is left', async (t) => {
  const disk = await prepared();
  for (const [target, archive, message] of [
    [{ lsn: 9 }, '/archive', 'the backup holds everything up to LSN 10; for 9 an earlier one is needed'],
    [{ lsn: 31 }, '/archive', /there is no record 31: the last one is 30, in \/archive\/log-/],
    [{ lsn: 11 }, '/empty', 'there is no record 11: the last one is 10, and /empty holds no log files'],
    [{ lsn: 11 }, null, /there is no record 11: the last one is 10, in \/backup\/log\/log-/],
    [
      { timeMs: TAKEN_MS - 1 },
      '/archive',
      /the backup was taken at 2024-01-01T00:00:00.000Z; for 2023-12-31T/,
    ],
  ] as const) {
    await t.rejects(restore(disk, target, archive), { message });
    t.strictSame(
      disk.files().filter((file) => file.startsWith('/to')),
      [],
    );
  }
});

t.test('a backup alone is restored as it is; what is none is refused', async (t) => {
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
    { message: '/archive is no backup: it holds no manifest' },
  );
});
