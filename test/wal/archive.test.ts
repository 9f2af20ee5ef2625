/** Copies of completed log files: when they are made, what waits for them, and which directories are refused. */
import t from 'tap';
import { LogArchive, LogReplay } from '../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';
import { LOG_DIR, openLog, payloadFor, range, sizeFor } from '../support/log-fixture.js';

const ARCHIVE_DIR = '/archive';
const namesIn = (disk: FaultyDisk, dir: string): string[] =>
  disk
    .files()
    .filter((file) => file.startsWith(`${dir}/`) && file.endsWith('.qlog'))
    .map((file) => file.slice(dir.length + 1));

const archiveOn = (disk: FaultyDisk, failures: Error[] = []): LogArchive =>
  new LogArchive({ fs: disk, dir: ARCHIVE_DIR, retryMs: 1, onFailure: (error) => void failures.push(error) });

async function write(disk: FaultyDisk, archive: LogArchive | null, from: number, to: number): Promise<void> {
  const log = await openLog(disk, from, { archive });
  for (const lsn of range(from, to)) {
    while (!log.hasCapacity(sizeFor(lsn))) await log.waitForCapacity(sizeFor(lsn));
    await log.append(payloadFor(lsn, sizeFor(lsn))).written;
  }
  await log.close();
}

async function lsnsIn(disk: FaultyDisk, dir: string): Promise<number[]> {
  const lsns: number[] = [];
  for await (const { lsn, payload } of new LogReplay({ fs: disk, dir, fromLsn: 1 })) {
    t.same([...payload], [...payloadFor(lsn, sizeFor(lsn))]);
    lsns.push(lsn);
  }
  return lsns;
}

t.test(
  'every record is in the archive after the log is closed, including files of an earlier start',
  async (t) => {
    const disk = faultyDisk();
    await write(disk, null, 1, 20);
    await write(disk, archiveOn(disk), 21, 60);
    t.strictSame(await lsnsIn(disk, ARCHIVE_DIR), range(1, 60));
    t.strictSame(namesIn(disk, ARCHIVE_DIR), namesIn(disk, LOG_DIR));
  },
);

t.test('a file is removed from the log only when the archive has it', async (t) => {
  let isBroken = true;
  const fault = (_step: number, _call: string, file: string): string | undefined =>
    isBroken && file.startsWith(ARCHIVE_DIR) ? 'EIO' : undefined;
  const disk = faultyDisk({ fault });
  const failures: Error[] = [];
  const archive = archiveOn(disk, failures);
  await write(disk, null, 1, 40);
  const log = await openLog(disk, 41, { archive });
  const before = namesIn(disk, LOG_DIR);
  t.equal(await log.dropBefore(41), false);
  t.strictSame(namesIn(disk, LOG_DIR), before, 'no file is removed while the archive fails');
  t.ok(failures.length > 0 && archive.stats.failureCount === failures.length);
  t.equal(archive.stats.waitingCount, before.length);
  await log.append(payloadFor(41, sizeFor(41))).written;
  isBroken = false;
  await log.dropBefore(41);
  t.strictSame(namesIn(disk, LOG_DIR), ['log-0000000000000041.qlog']);
  t.strictSame(namesIn(disk, ARCHIVE_DIR), before);
  t.strictSame(archive.stats.waitingCount, 0);
  await log.close();
  t.strictSame(await lsnsIn(disk, ARCHIVE_DIR), range(1, 41));
});

t.test('an archive that extends beyond the log has another history', async (t) => {
  const disk = faultyDisk();
  await write(disk, archiveOn(disk), 1, 30);
  for (const nextLsn of [31, 32, 500]) await archiveOn(disk).checkHistory(nextLsn);
  for (const nextLsn of [1, 2, 17, 30]) {
    await t.rejects(archiveOn(disk).checkHistory(nextLsn), {
      message: /the archive \/archive contains record \d+, which this store has not written/,
    });
  }
  await archiveOn(faultyDisk()).checkHistory(1);
});

t.test('an existing file with the same name and other content is never overwritten', async (t) => {
  const disk = faultyDisk();
  const other = Buffer.from('other values');
  disk.put(`${ARCHIVE_DIR}/log-0000000000000001.qlog`, other);
  const failures: Error[] = [];
  await write(disk, archiveOn(disk, failures), 1, 3);
  t.match(failures[0], { message: /the file differs from the log's/ });
  t.same(Buffer.from(disk.bytesOf(`${ARCHIVE_DIR}/log-0000000000000001.qlog`)), other);
});

t.test('a crash at any step leaves only whole files in the archive', async (t) => {
  const seed = 7;
  t.comment(`seed ${seed}`);
  let step = 0;
  for (; ; step++) {
    const disk = faultyDisk({ seed: seed + step, crashAtStep: step });
    await write(disk, archiveOn(disk), 1, 25).catch(() => {});
    if (!disk.crashed) break;
    const after = disk.afterCrash();
    if (namesIn(after, ARCHIVE_DIR).length === 0) continue;
    const archived = await lsnsIn(after, ARCHIVE_DIR);
    if (archived.length === 0 || archived.some((lsn, index) => lsn !== index + 1)) {
      t.fail(`step ${step}: ${archived}`);
    }
  }
  t.ok(step > 50, `${step} steps`);
});
