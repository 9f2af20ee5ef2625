/** Logs truncated after any record, compared with the records that were written. */
import t from 'tap';
import { CorruptionError } from '../../src/base/index.js';
import { beginEmptyLog, copyLog, LogReplay } from '../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';
import { LOG_DIR, openLog, payloadFor, range, replay, sizeFor } from '../support/log-fixture.js';

const RECORD_COUNT = 40;

async function written(): Promise<FaultyDisk> {
  const disk = faultyDisk();
  const log = await openLog(disk, 1);
  for (const lsn of range(1, RECORD_COUNT)) {
    while (!log.hasCapacity(sizeFor(lsn))) await log.waitForCapacity(sizeFor(lsn));
    await log.append(payloadFor(lsn, sizeFor(lsn))).written;
  }
  await log.close();
  return disk;
}

async function lsnsIn(disk: FaultyDisk, dir: string, fromLsn: number): Promise<number[]> {
  const lsns: number[] = [];
  for await (const { lsn } of new LogReplay({ fs: disk, dir, fromLsn })) lsns.push(lsn);
  return lsns;
}

t.test(
  'a log that is truncated after a record ends with that record, wherever its files start',
  async (t) => {
    const disk = await written();
    for (const fromLsn of [1, 2, 15, RECORD_COUNT]) {
      for (const last of range(fromLsn, RECORD_COUNT + 1)) {
        const to = `/cut-${fromLsn}-${last}`;
        const copied = await copyLog({
          ...{ fs: disk, from: LOG_DIR, to, fromLsn },
          wants: ({ lsn }) => lsn <= last,
        });
        t.strictSame(copied, { lastLsn: Math.min(last, RECORD_COUNT), isCut: last < RECORD_COUNT });
        t.strictSame(await lsnsIn(disk, to, fromLsn), range(fromLsn, Math.min(last, RECORD_COUNT)));
      }
    }
  },
);

t.test('nothing is copied if no record is requested or there is none', async (t) => {
  const disk = await written();
  const common = { fs: disk, to: '/cut', wants: () => false };
  t.strictSame(await copyLog({ ...common, from: LOG_DIR, fromLsn: 5 }), { lastLsn: 4, isCut: true });
  t.strictSame(await copyLog({ ...common, from: '/absent', fromLsn: 5 }), { lastLsn: 4, isCut: false });
  const behind = { ...common, from: LOG_DIR, fromLsn: RECORD_COUNT + 1, wants: () => true };
  t.strictSame(await copyLog(behind), { lastLsn: RECORD_COUNT, isCut: false });
  t.strictSame(
    disk.files().filter((file) => file.startsWith('/cut')),
    [],
  );
});

t.test('missing files are reported', async (t) => {
  const disk = await written();
  const [, second] = disk.files().filter((file) => file.startsWith(LOG_DIR));
  await disk.remove(second);
  const cut = { fs: disk, from: LOG_DIR, to: '/cut', wants: () => true };
  await t.rejects(copyLog({ ...cut, fromLsn: 1 }), CorruptionError);
});

t.test('an empty log continues at its LSN and accepts records', async (t) => {
  const disk = faultyDisk();
  await beginEmptyLog(disk, LOG_DIR, 8, 99n);
  t.strictSame((await replay(disk, 8)).end, { nextLsn: 8, tornTail: null });
  const log = await openLog(disk, 8);
  await log.append(payloadFor(8, 20)).written;
  await log.close();
  t.strictSame((await replay(disk, 8)).lsns, [8]);
});
