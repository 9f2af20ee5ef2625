import { crc32 } from 'node:zlib';
import t, { type Test } from 'tap';
import { type CorruptionError, Prng } from '../../src/base/index.js';
import { encodeLogFileHeader, LOG_FILE_HEADER_BYTES } from '../../src/format/index.js';
import { beginEmptyLog, LogReplay, type LogReplayOptions } from '../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';
import { LOG_DIR, openLog, payloadFor, range, replay, sizeFor } from '../support/log-fixture.js';

const SEED = 31_337;
t.comment(`seed ${SEED}`);

/** A closed log of `count` records, each synced separately, truncated after the last record. */
async function writtenLog(count: number, logFileBytes = 65_536, size = sizeFor): Promise<FaultyDisk> {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { logFileBytes });
  for (const lsn of range(1, count)) {
    while (!log.hasCapacity(700)) await log.waitForCapacity(700);
    await log.append(payloadFor(lsn, size(lsn))).written;
  }
  await log.close();
  await replay(disk);
  return disk;
}

/** The offset of each record, and the end of the last one. */
async function offsets(disk: FaultyDisk): Promise<{ file: string; offset: number }[]> {
  const found: { file: string; offset: number }[] = [];
  for await (const { file, offset } of new LogReplay({ fs: disk, dir: LOG_DIR, fromLsn: 1 }))
    found.push({ file, offset });
  return found;
}

async function refusal(
  t: Test,
  disk: FaultyDisk,
  fromLsn = 1,
  manifest: LogReplayOptions['manifest'] = null,
): Promise<CorruptionError | null> {
  const before = disk.files().map((file) => [file, Buffer.from(disk.bytesOf(file)).toString('hex')]);
  try {
    await replay(disk, fromLsn, undefined, manifest);
    return null;
  } catch (error) {
    t.strictSame(
      disk.files().map((file) => [file, Buffer.from(disk.bytesOf(file)).toString('hex')]),
      before,
    );
    return error as CorruptionError;
  }
}

t.test('an empty directory is an empty log', async (t) => {
  t.strictSame((await replay(faultyDisk())).end, { nextLsn: 1, tornTail: null });
});

t.test('replay from any LSN returns the records from there on, for any read size', async (t) => {
  const disk = await writtenLog(40, 4_096);
  for (const fromLsn of [1, 2, 17, 39, 40, 41, 90]) {
    for (const pieceBytes of [8, 64, 1_000, 65_536]) {
      const found = await replay(disk, fromLsn, pieceBytes);
      t.strictSame(found.lsns, range(fromLsn, 40));
      t.ok(
        found.payloads.every(
          (payload, index) => payload.byteOffset % 8 === 0 && same(payload, fromLsn + index),
        ),
      );
      t.equal(found.end.nextLsn, Math.max(41, fromLsn));
    }
  }
  function same(payload: Uint8Array, lsn: number): boolean {
    return Buffer.compare(payload, payloadFor(lsn, sizeFor(lsn))) === 0;
  }
});

t.test(
  'a log that is truncated or zeroed from any byte of its last records keeps every earlier record',
  async (t) => {
    const disk = await writtenLog(6);
    const records = await offsets(disk);
    const { file } = records[0];
    const whole = disk.bytesOf(file);
    for (let cut = records[3].offset; cut <= whole.length; cut++) {
      for (const bytes of [whole.slice(0, cut), Uint8Array.from(whole).fill(0, cut)]) {
        const found = faultyDisk();
        found.put(file, bytes);
        const ends = [...records.slice(1).map(({ offset }) => offset), whole.length];
        const retainedCount = records.filter(
          ({ offset }, index) =>
            Buffer.compare(bytes.subarray(offset, ends[index]), whole.subarray(offset, ends[index])) === 0,
        ).length;
        // Zeros after record 4 without record 5 look like the end of the log: no later record proves a sync.
        const { lsns, end } = await replay(found);
        if (lsns.length !== retainedCount || end.nextLsn !== retainedCount + 1)
          t.fail(`cut at ${cut}: ${lsns}`);
        if ((await replay(found)).end.tornTail !== null) t.fail(`cut at ${cut}: not repaired`);
        const log = await openLog(found, end.nextLsn);
        await log.append(payloadFor(end.nextLsn, 20)).written;
        await log.close();
        if ((await replay(found)).lsns.length !== retainedCount + 1)
          t.fail(`cut at ${cut}: does not continue`);
      }
    }
    t.pass(`${whole.length - records[3].offset} cuts`);
  },
);

t.test('any single flipped bit of the log is reported, or is outside all records', async (t) => {
  const disk = await writtenLog(5, 4_096, () => 100);
  const records = await offsets(disk);
  const { file } = records[0];
  const written = disk.bytesOf(file);
  const whole = new Uint8Array(written.length + 64);
  whole.set(written);
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const at = bit >> 3;
    const flipped = whole.slice();
    flipped[at] ^= 1 << (bit & 7);
    const found = faultyDisk();
    found.put(file, flipped);
    try {
      const { lsns } = await replay(found);
      if (at < written.length || lsns.length !== 5)
        t.fail(`the flip of bit ${bit & 7} of byte ${at} was not detected`);
    } catch (error) {
      const { name, file: named, offset, reason } = error as CorruptionError;
      const record = records.findLastIndex((record) => record.offset <= at);
      const expected = record === -1 ? 0 : records[record].offset;
      if (name !== 'CorruptionError' || named !== file || offset !== expected) t.fail(`byte ${at}: ${error}`);
      if (record >= 0 && !reason.includes(`bit ${bit & 7} of byte ${at} `)) t.fail(`byte ${at}: ${reason}`);
    }
  }
  t.pass(`${whole.length * 8} bits`);
});

t.test(
  'damage to a record that a later record proves to be synced is refused, and nothing is changed',
  async (t) => {
    const prng = new Prng(SEED);
    const disk = await writtenLog(8);
    const records = await offsets(disk);
    const { file } = records[0];
    const whole = disk.bytesOf(file);
    for (let round = 0; round < 60; round++) {
      const record = prng.below(7);
      const { offset } = records[record];
      const bytes = whole.slice();
      const from = prng.between(offset, records[record + 1].offset - 1);
      const to =
        round % 3 === 0 ? records[record + 1].offset : Math.min(from + 40, records[record + 1].offset);
      if (round % 2 === 0) bytes.fill(0, round % 3 === 0 ? offset : from, to);
      else for (let at = from; at < to; at++) bytes[at] = prng.below(256);
      if (Buffer.compare(bytes, whole) === 0) continue;
      const found = faultyDisk();
      found.put(file, bytes);
      const error = await refusal(t, found);
      t.equal(error?.name, 'CorruptionError', `round ${round}`);
      t.strictSame([error?.file, error?.offset], [file, offset]);
    }
  },
);

t.test('a torn record is truncated even if later records of its group are whole', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { logFileBytes: 65_536 });
  await log.append(payloadFor(1, 300)).written;
  for (const lsn of range(2, 6)) log.append(payloadFor(lsn, 900));
  await log.close();
  const records = await offsets(disk);
  const bytes = disk.bytesOf(records[0].file);
  bytes.fill(0, records[2].offset + 100, records[2].offset + 700);
  disk.put(records[0].file, bytes);
  const found = await replay(disk);
  t.strictSame(found.lsns, [1, 2]);
  t.strictSame(found.end.tornTail?.offset, records[2].offset);
  const next = await openLog(disk, 3);
  await next.append(payloadFor(3, 900)).written;
  await next.close();
  t.strictSame((await replay(disk)).lsns, [1, 2, 3]);
});

t.test('a missing file in the chain, a missing first file and a lost log are refused', async (t) => {
  for (const missing of ['first', 'middle', 'all'] as const) {
    const disk = await writtenLog(40, 4_096);
    const files = disk.files();
    t.ok(files.length > 3);
    for (const file of missing === 'all' ? files : [files[missing === 'first' ? 0 : 1]])
      await disk.remove(file);
    const error = await refusal(t, disk, missing === 'all' ? 5 : 1);
    t.equal(error?.name, 'CorruptionError', missing);
    t.match(error?.reason, /missing/);
  }
});

t.test(
  'a log that ends below the checkpoint is refused, wherever it is truncated; other logs are accepted',
  async (t) => {
    const LAST_LSN = 37;
    const disk = await writtenLog(LAST_LSN, 4_096);
    const records = await offsets(disk);
    const { file } = records[records.length - 1];
    const own = records.filter((record) => record.file === file).map(({ offset }) => offset);
    const whole = disk.bytesOf(file);
    const firstLsn = LAST_LSN + 1 - own.length;
    t.ok(firstLsn > 4 && own.length > 1, `record ${firstLsn} is the first of the last file`);
    for (let cut = LOG_FILE_HEADER_BYTES; cut <= whole.length; cut += cut < own[1] ? 7 : 61) {
      for (const bytes of [whole.slice(0, cut), Uint8Array.from(whole).fill(0, cut)]) {
        const ends = [...own.slice(1), whole.length];
        const retained = ends.findIndex(
          (end, index) =>
            Buffer.compare(bytes.subarray(own[index], end), whole.subarray(own[index], end)) !== 0,
        );
        const lastLsn = retained === -1 ? LAST_LSN : firstLsn - 1 + retained;
        for (const checkpointLsn of [firstLsn - 1, lastLsn, lastLsn + 1, LAST_LSN + 1]) {
          const found = disk.afterKill();
          found.put(file, bytes);
          const error = await refusal(t, found, checkpointLsn + 1, { checkpointLsn });
          const reason = `the log ends at LSN ${lastLsn}, below the manifest's checkpoint at LSN ${checkpointLsn}: acknowledged records are lost`;
          const wanted = checkpointLsn > lastLsn ? [file, own[retained] ?? whole.length, reason] : null;
          const is = error && [error.file, error.offset, error.reason];
          if (JSON.stringify(is) !== JSON.stringify(wanted)) t.fail(`cut at ${cut}: ${is}, not ${wanted}`);
        }
      }
    }
    t.pass(`${whole.length} bytes`);
  },
);

t.test(
  'a log without its newest file is refused if the checkpoint includes records of that file',
  async (t) => {
    const disk = await writtenLog(40, 4_096);
    const records = await offsets(disk);
    const newest = records[records.length - 1].file;
    const lastLsn = records.findIndex(({ file }) => file === newest);
    await disk.remove(newest);
    for (const checkpointLsn of [lastLsn - 1, lastLsn, lastLsn + 1, 40]) {
      const error = await refusal(t, disk, checkpointLsn + 1, { checkpointLsn });
      if (checkpointLsn <= lastLsn) t.equal(error, null);
      else
        t.match(error, { name: 'CorruptionError', file: records[lastLsn - 1].file, reason: /ends at LSN/ });
    }
  },
);

t.test('a log started after its checkpoint has no record, and is accepted', async (t) => {
  const disk = faultyDisk();
  await beginEmptyLog(disk, LOG_DIR, 13, 5n);
  t.strictSame((await replay(disk, 13, undefined, { checkpointLsn: 12 })).end, {
    nextLsn: 13,
    tornTail: null,
  });
  t.match(await refusal(t, disk, 14, { checkpointLsn: 13 }), { reason: /ends at LSN 12, below .* LSN 13/ });
});

t.test('a manifest older than a checkpoint that a record notes is refused', async (t) => {
  const disk = faultyDisk();
  const log = await openLog(disk, 1, { logFileBytes: 65_536 });
  const append = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) {
      const { lsn, written } = log.append(payloadFor(log.stats().lsnAppended + 1, 40));
      await written;
      t.ok(lsn > 0);
    }
  };
  await append(10);
  log.noteCheckpoint(8);
  await append(5);
  log.noteCheckpoint(15);
  await append(5);
  t.throws(() => log.noteCheckpoint(21), /holds records that the log does not have/);
  await log.close();
  // A later process reads the checkpoint from the manifest.
  const again = await openLog(disk, 21, { checkpointLsn: 15 });
  await again.append(payloadFor(21, 40)).written;
  await again.close();
  const records = await offsets(disk);
  for (const [manifest, refused] of [
    [{ checkpointLsn: 0 }, [11, 8]],
    [{ checkpointLsn: 7 }, [11, 8]],
    [{ checkpointLsn: 8 }, [16, 15]],
    [{ checkpointLsn: 14 }, [16, 15]],
    [{ checkpointLsn: 15 }, null],
    [{ checkpointLsn: 21 }, null],
    [{ checkpointLsn: 8, restoredLsn: 15 }, [16, 15]],
    [{ checkpointLsn: 8, restoredLsn: 20 }, [21, 15]],
    [{ checkpointLsn: 8, restoredLsn: 21 }, null],
  ] as const) {
    const { checkpointLsn } = manifest;
    const error = await refusal(t, disk, checkpointLsn + 1, manifest);
    if (refused === null) {
      t.equal(error, null, JSON.stringify(manifest));
      continue;
    }
    const [lsn, noted] = refused;
    t.match(error, {
      name: 'CorruptionError',
      ...records[lsn - 1],
      reason: `record ${lsn} notes a checkpoint at LSN ${noted}, but the manifest's checkpoint is at LSN ${checkpointLsn}: the manifest is older than the log`,
    });
  }
});

t.test('files below the first requested LSN are not required and not read', async (t) => {
  const disk = await writtenLog(40, 4_096);
  const [first, second] = disk.files();
  disk.put(first, new Uint8Array(10).fill(1));
  await disk.remove(second);
  t.strictSame((await replay(disk, 35)).lsns, range(35, 40));
});

t.test('a bad record at the end of a file that is not the last is refused', async (t) => {
  const disk = await writtenLog(40, 4_096);
  const records = await offsets(disk);
  const last = records.findLastIndex(({ file }) => file === records[0].file);
  const bytes = disk.bytesOf(records[0].file);
  disk.put(records[0].file, bytes.fill(0, records[last].offset));
  t.match(await refusal(t, disk), {
    name: 'CorruptionError',
    offset: records[last].offset,
    reason: /continues at LSN/,
  });
});

t.test('a file of a newer format version is refused with a clear message', async (t) => {
  const disk = await writtenLog(2);
  const [file] = disk.files();
  const bytes = disk.bytesOf(file);
  bytes.set(withVersion(bytes.subarray(0, LOG_FILE_HEADER_BYTES), 4));
  disk.put(file, bytes);
  await t.rejects(replay(disk), {
    name: 'NewerFormatError',
    message: /log file of format version 4.*up to version 3/,
  });
});

t.test('a file of the first format version is read correctly', async (t) => {
  const disk = await writtenLog(2);
  const written = await replay(disk);
  const [file] = disk.files();
  const bytes = disk.bytesOf(file);
  bytes.set(withVersion(bytes.subarray(0, LOG_FILE_HEADER_BYTES), 1));
  disk.put(file, bytes);
  t.strictSame(await replay(disk), written);
});

t.test('a file whose name differs from its first LSN is refused', async (t) => {
  const disk = faultyDisk();
  disk.put(`${LOG_DIR}/log-0000000000000001.qlog`, encodeLogFileHeader(5n, 3));
  t.match(await refusal(t, disk), { name: 'CorruptionError', reason: /begins at LSN 3, its name at LSN 1/ });
});

t.test('stale bytes after the last record are not records', async (t) => {
  const disk = await writtenLog(4);
  const older = faultyDisk();
  const log = await openLog(older, 1, { random64: () => 99n, logFileBytes: 65_536 });
  for (const lsn of range(1, 8)) await log.append(payloadFor(lsn, sizeFor(lsn))).written;
  await log.close();
  const [file] = disk.files();
  const stale = older.bytesOf(older.files()[0]);
  const bytes = disk.bytesOf(file);
  const mixed = stale.slice();
  mixed.set(bytes);
  disk.put(file, mixed);
  const found = await replay(disk);
  t.strictSame(found.lsns, range(1, 4));
  t.equal(found.end.tornTail?.offset, bytes.length);
});

t.test('reading changes nothing, and the end is known only after everything was read', async (t) => {
  const disk = await writtenLog(3);
  const [file] = disk.files();
  const bytes = disk.bytesOf(file).slice(0, -5);
  disk.put(file, bytes);
  const reading = new LogReplay({ fs: disk, dir: LOG_DIR, fromLsn: 1 });
  t.throws(() => reading.end, /when all its records were read/);
  for await (const { lsn } of reading) if (lsn === 1) break;
  t.throws(() => reading.end, /when all its records were read/);
  for await (const _ of reading);
  t.equal(reading.end.nextLsn, 3);
  t.same(disk.bytesOf(file), bytes);
});

function withVersion(header: Uint8Array, version: number): Uint8Array {
  const bytes = Buffer.from(header);
  bytes.writeUInt16LE(version, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  return bytes;
}
