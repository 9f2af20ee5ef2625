import t from 'tap';
import type { QuarryError } from '../../src/base/index.js';
import type { DiskCall, FaultyDisk } from '../support/faulty-disk.js';
import { faultyDisk } from '../support/faulty-disk.js';
import { LOG_DIR, openLog, payloadFor, range, replay, sizeFor } from '../support/log-fixture.js';

const names = (files: string[]): string[] => files.filter((file) => file.endsWith('.qlog'));
const settled = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (error: Error) => error.message,
  );
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

t.test(
  'records get consecutive LSNs across many files, and are read in order after they are acknowledged',
  async (t) => {
    const disk = faultyDisk();
    const log = await openLog(disk, 1);
    for (const lsn of range(1, 60)) {
      const payload = payloadFor(lsn, sizeFor(lsn));
      while (!log.hasCapacity(payload.length)) await log.waitForCapacity(payload.length);
      const appended = log.append(payload);
      t.equal(appended.lsn, lsn);
      await appended.written;
      t.equal(log.stats().lsnDurable, lsn);
    }
    const { fileCount, recordCount, lsnAppended } = log.stats();
    t.ok(fileCount > 3);
    t.strictSame([recordCount, lsnAppended], [60, 60]);
    await log.close();
    const found = await replay(disk);
    t.strictSame(found.lsns, range(1, 60));
    for (const lsn of range(1, 60)) t.same([...found.payloads[lsn - 1]], [...payloadFor(lsn, sizeFor(lsn))]);
    t.strictSame(found.end, { nextLsn: 61, tornTail: null });
  },
);

t.test('records appended together share one sync', async (t) => {
  const log = await openLog(faultyDisk(), 1, { logFileBytes: 65_536 });
  const appended = range(1, 50).map((lsn) => log.append(payloadFor(lsn, 100)));
  await Promise.all(appended.map(({ written }) => written));
  t.equal(log.stats().fsyncCount, 1);
  await log.close();
});

t.test('records appended during a sync wait for the next one, which writes all of them', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { logFileBytes: 65_536 });
  await log.append(payloadFor(1, 50)).written;
  await turns(20);
  const syncCalls = disk.callCounts.get('dataSync') ?? 0;
  const first = log.append(payloadFor(2, 50)).written;
  while (disk.callCounts.get('dataSync') === syncCalls) await Promise.resolve();
  const later = range(3, 40).map((lsn) => log.append(payloadFor(lsn, 50)).written);
  await first;
  t.strictSame([log.stats().lsnDurable, log.stats().fsyncCount], [2, 2]);
  await Promise.all(later);
  t.strictSame([log.stats().lsnDurable, log.stats().fsyncCount], [40, 3]);
  const { fsyncSeconds, groupRecords } = log.times();
  t.equal(fsyncSeconds.count, 3);
  t.strictSame([groupRecords.count, groupRecords.sum], [3, 40], 'each record is in one group');
  t.strictSame(
    groupRecords.counts,
    [2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    'two groups of 1 record, one of 38',
  );
  await log.close();
});

t.test('dropBefore removes whole files below the LSN and keeps all later records', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1);
  for (const lsn of range(1, 60)) {
    while (!log.hasCapacity(700)) await log.waitForCapacity(700);
    await log.append(payloadFor(lsn, 500)).written;
  }
  const before = names(disk.files());
  t.ok(before.length > 5);
  await log.dropBefore(30);
  const after = names(disk.files());
  t.ok(after.length < before.length);
  t.strictSame((await replay(disk, 30)).lsns, range(30, 60));
  await log.dropBefore(1_000);
  t.equal(names(disk.files()).length, 1, 'the file that is being written stays');
  await log.append(payloadFor(61, 100)).written;
  await log.close();
  const next = await openLog(disk, 62);
  await next.dropBefore(1_000);
  t.equal(names(disk.files()).length, 1, 'the newest file stays if no other file was started');
  await next.append(payloadFor(62, 100)).written;
  await next.dropBefore(62);
  t.equal(names(disk.files()).length, 1);
  await next.close();
  t.strictSame((await replay(disk, 62)).lsns, [62]);
});

t.test(
  'on a full disk appends are refused with 9002 and without an LSN, and succeed when space returns',
  async (t) => {
    const disk = faultyDisk();
    disk.capacityBytes = 10_000;
    const log = await openLog(disk, 1);
    t.equal(log.diskIsFull, false);
    let nextLsn = 1;
    let refusals = 0;
    for (let round = 0; round < 200 && refusals < 5; round++) {
      try {
        await log.waitForCapacity(500);
        const { lsn, written } = log.append(payloadFor(nextLsn, 500));
        t.equal(lsn, nextLsn++);
        await written;
      } catch (error) {
        t.equal((error as QuarryError).code, 9002);
        t.throws(() => log.append(payloadFor(nextLsn, 500)), { code: 9002 });
        refusals++;
      }
    }
    t.equal(refusals, 5);
    t.equal(log.diskIsFull, true);
    t.equal(log.stats().lsnAppended, nextLsn - 1);
    t.strictSame((await replay(disk.afterCrash())).lsns, range(1, nextLsn - 1));
    disk.capacityBytes = 100_000;
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const lsn of range(nextLsn, nextLsn + 9)) {
      while (!log.hasCapacity(500)) await log.waitForCapacity(500);
      t.equal(log.append(payloadFor(lsn, 500)).lsn, lsn);
    }
    t.equal(log.diskIsFull, false);
    await log.close();
    t.strictSame((await replay(disk)).lsns, range(1, nextLsn + 9));
  },
);

/** Sizes of the existing files, in the order of their names. */
const sizes = (disk: FaultyDisk, kind: string): number[] =>
  disk
    .files()
    .filter((file) => file.endsWith(kind))
    .map((file) => disk.bytesOf(file).byteLength);

t.test('each time a file fills up, the next files are twice as large, up to the maximum', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { firstLogFileBytes: 1_024, logFileBytes: 5_000 });
  await turns(20);
  t.strictSame(sizes(disk, '.tmp'), [1_024, 1_024]);
  for (const lsn of range(1, 40)) {
    while (!log.hasCapacity(300)) await log.waitForCapacity(300);
    await log.append(payloadFor(lsn, 300)).written;
  }
  t.strictSame(sizes(disk, '.qlog').slice(0, 6), [1_024, 1_024, 1_024, 2_048, 4_096, 5_000]);
  await log.close();
  t.strictSame((await replay(disk)).lsns, range(1, 40));
});

t.test(
  'a record that does not fit into a prepared file gets a new one; if that fails, smaller records are still accepted',
  async (t) => {
    const disk = faultyDisk();
    const options = { firstLogFileBytes: 1_024, logFileBytes: 65_536, fullRetryMs: 5 };
    const log = await openLog(disk, 1, options);
    await turns(20);
    t.equal(log.hasCapacity(10_000), false);
    t.throws(() => log.append(payloadFor(1, 10_000)), { code: 9002 });
    // Two records wait for one file: the second requests another.
    await Promise.all(
      [1, 2].map(async () => {
        while (!log.hasCapacity(10_000)) await log.waitForCapacity(10_000);
        await log.append(payloadFor(log.stats().lsnAppended + 1, 10_000)).written;
      }),
    );
    t.ok(Math.max(...sizes(disk, '.qlog')) > 10_000);
    await turns(20);
    t.equal(log.hasCapacity(10_000), true, 'the next file is prepared in advance');
    t.equal(sizes(disk, '.tmp').length, 2, 'small files are removed');

    disk.capacityBytes = disk.files().reduce((sum, file) => sum + disk.bytesOf(file).byteLength, 0) + 30_000;
    await t.rejects(log.waitForCapacity(60_000), { code: 9002 });
    await log.append(payloadFor(3, 300)).written;
    await t.rejects(
      async () => {
        for (;;) await log.waitForCapacity(60_000);
      },
      { code: 9002 },
    );
    disk.capacityBytes = Number.POSITIVE_INFINITY;
    await new Promise((resolve) => setTimeout(resolve, 20));
    while (!log.hasCapacity(60_000)) await log.waitForCapacity(60_000);
    await log.append(payloadFor(4, 60_000)).written;
    await t.rejects(async () => log.waitForCapacity(70_000), /no log file has/);
    await log.close();
    t.strictSame((await replay(disk)).lsns, range(1, 4));
  },
);

t.test('a log opens on a full disk, refuses records, and accepts them after files are dropped', async (t) => {
  const disk = faultyDisk();
  const first = await openLog(disk, 1);
  for (const lsn of range(1, 20)) {
    while (!first.hasCapacity(700)) await first.waitForCapacity(700);
    await first.append(payloadFor(lsn, 700)).written;
  }
  await first.close();
  disk.capacityBytes = 17_000;
  const log = await openLog(disk, 21, { fullRetryMs: 1e6 });
  t.equal(log.hasCapacity(100), false);
  t.throws(() => log.append(payloadFor(21, 100)), { code: 9002 });
  await t.rejects(log.waitForCapacity(100), { code: 9002 });
  await log.dropBefore(21);
  await turns(20);
  t.equal(log.append(payloadFor(21, 100)).lsn, 21);
  await log.close();
  t.strictSame((await replay(disk, 21)).lsns, [21]);
});

for (const failing of ['dataSync', 'writev'] as const) {
  for (const code of ['EIO', 'ENOSPC']) {
    t.test(
      `a failed ${failing} of records (${code}) ends the log: waiting and later records are rejected`,
      async (t) => {
        let armed = false;
        let failures = 0;
        const fatal: string[] = [];
        const fault = (_step: number, call: DiskCall) => {
          if (!armed || call !== failing) return undefined;
          failures++;
          return code;
        };
        const disk = faultyDisk({ fault });
        const log = await openLog(disk, 1, {
          logFileBytes: 65_536,
          onFatal: (error) => fatal.push(error.message),
        });
        await log.append(payloadFor(1, 100)).written;
        await turns(20);
        armed = true;
        const waiting = [log.append(payloadFor(2, 100)).written];
        await Promise.resolve();
        waiting.push(log.append(payloadFor(3, 100)).written, log.sync());
        const outcomes = await Promise.all(waiting.map(settled));
        for (const outcome of outcomes) t.match(outcome, new RegExp(`^${code}`));
        t.equal(failures, 1, 'nothing was retried');
        t.equal(fatal.length, 1, 'onFatal was called once');
        t.throws(() => log.append(payloadFor(4, 100)), { code });
        await t.rejects(log.waitForCapacity(1), { code });
        await t.rejects(log.close(), { code });
        t.equal(failures, 1);
        const found = await replay(disk.afterCrash());
        t.ok(found.lsns.length >= 1 && found.lsns.length <= 3);
        t.strictSame(found.lsns, range(1, found.lsns.length));
      },
    );
  }
}

t.test('a disk fault other than a full disk during preparation of a file also ends the log', async (t) => {
  const fatal: string[] = [];
  const disk = faultyDisk({ fault: (_step, call) => (call === 'dataSync' ? 'EIO' : undefined) });
  await t.rejects(openLog(disk, 1, { onFatal: (error) => fatal.push(error.message) }), { code: 'EIO' });
  t.equal(fatal.length, 1);
});

t.test('with durability interval a record is acknowledged when written, and synced soon after', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { durability: 'interval', intervalMs: 1, logFileBytes: 65_536 });
  await log.append(payloadFor(1, 100)).written;
  while (log.stats().lsnDurable < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  t.equal(log.stats().fsyncCount, 1);
  await log.close();
});

t.test('with durability none nothing is synced until sync, a new file or close', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { durability: 'none' });
  await log.append(payloadFor(1, 1_000)).written;
  t.equal(log.stats().fsyncCount, 0);
  await log.sync();
  t.strictSame([log.stats().fsyncCount, log.stats().lsnDurable], [1, 1]);
  for (const lsn of range(2, 5)) await log.append(payloadFor(lsn, 1_000)).written;
  t.ok(log.stats().lsnDurable >= 3, 'the first file was synced when it was full');
  t.ok(log.stats().lsnDurable < 5);
  await log.close();
  t.equal(log.stats().lsnDurable, 5);
});

t.test('close writes the queue and removes the prepared files; a later append is a bug', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1);
  log.append(payloadFor(1, 100));
  await log.close();
  t.strictSame(disk.files(), [`${LOG_DIR}/log-0000000000000001.qlog`]);
  t.throws(() => log.append(payloadFor(2, 100)), /closed log/);
  t.strictSame((await replay(disk)).lsns, [1]);
});

t.test('a record that exceeds every log file is refused as a bug, before it gets an LSN', async (t) => {
  const log = await openLog(faultyDisk(), 1);
  t.throws(() => log.append(new Uint8Array(5_000)), /does not fit in a log file of 4096/);
  t.equal(log.append(payloadFor(1, 100)).lsn, 1);
  await log.close();
});

t.test('a file whose removal failed is removed by the next call', async (t) => {
  let isBroken = true;
  const fault = (_step: number, call: string): string | undefined =>
    isBroken && call === 'remove' ? 'EIO' : undefined;
  const disk = faultyDisk({ fault });
  const log = await openLog(disk, 1);
  for (const lsn of range(1, 30)) {
    while (!log.hasCapacity(sizeFor(lsn))) await log.waitForCapacity(sizeFor(lsn));
    await log.append(payloadFor(lsn, sizeFor(lsn))).written;
  }
  const before = names(disk.files());
  await t.rejects(log.dropBefore(30), { code: 'EIO' });
  t.strictSame(names(disk.files()), before);
  isBroken = false;
  await log.dropBefore(30);
  t.equal(names(disk.files()).length, 1);
  t.equal(log.stats().fileCount, 1);
  await log.close();
});
