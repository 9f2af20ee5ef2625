/** Reads of a log during writes: incomplete records are read again, and damaged records are reported. */
import t from 'tap';
import { recordsFrom, recordsOfFile } from '../../src/inspect/index.js';
import type { FileHandle, FileSystem } from '../../src/io/index.js';
import type { LogEnd } from '../../src/wal/index.js';
import { faultyDisk } from '../support/faulty-disk.js';
import { LOG_DIR, openLog, payloadFor, range, sizeFor } from '../support/log-fixture.js';

const RECORDS = 12;

/** The only file of a log with records 1 to RECORDS, each synced separately. */
async function writtenLog(): Promise<{
  disk: FileSystem;
  file: string;
  bytes: Uint8Array;
  offsets: number[];
}> {
  const disk = faultyDisk({});
  const log = await openLog(disk, 1, { logFileBytes: 65_536 });
  for (const lsn of range(1, RECORDS)) await log.append(payloadFor(lsn, sizeFor(lsn))).written;
  await log.close();
  const names = await disk.list(LOG_DIR);
  const file = `${LOG_DIR}/${names.find((name) => name.endsWith('.qlog'))}`;
  const offsets: number[] = [];
  for await (const { offset } of recordsOfFile(disk, file, () => {})) offsets.push(offset);
  return { disk, file, bytes: await disk.readFile(file), offsets };
}

/** A disk on which each opening of the file finds the next of `contents`, and finally always the last one. */
function showing(disk: FileSystem, file: string, contents: readonly Uint8Array[]): FileSystem {
  let opened = 0;
  return new Proxy(disk, {
    get(target, name) {
      if (name !== 'open') return Reflect.get(target, name).bind(target);
      return async (path: string, mode: 'read'): Promise<Partial<FileHandle>> => {
        if (path !== file) return target.open(path, mode);
        const bytes = contents[Math.min(opened++, contents.length - 1)];
        return {
          async read(into, position) {
            const part = bytes.subarray(position, position + into.byteLength);
            into.set(part);
            return part.byteLength;
          },
          size: async () => bytes.byteLength,
          close: async () => {},
        };
      };
    },
  });
}

async function read(fs: FileSystem): Promise<{ lsns: number[]; end: LogEnd | null }> {
  let end: LogEnd | null = null;
  const lsns: number[] = [];
  const ended = (at: LogEnd): void => {
    end = at;
  };
  for await (const { lsn } of recordsFrom({ fs, dir: LOG_DIR, fromLsn: 1 }, ended)) lsns.push(lsn);
  return { lsns, end };
}

/** The bytes without the second half of the record at `offset`. */
function halved(bytes: Uint8Array, offset: number, next: number): Uint8Array {
  const half = bytes.slice();
  half.fill(0, (offset + next) >> 1, next);
  return half;
}

t.test('a record that was incomplete at the first read is returned after it is read again', async (t) => {
  const { disk, file, bytes, offsets } = await writtenLog();
  // Record 5 is from an earlier time than the records after it, as two reads of one file may find it.
  const raced = halved(bytes, offsets[4], offsets[5]);
  const { lsns, end } = await read(showing(disk, file, [raced, bytes]));
  t.strictSame(lsns, range(1, RECORDS));
  t.strictSame(end, { nextLsn: RECORDS + 1, tornTail: null });
  const twice = halved(bytes, offsets[7], offsets[8]);
  t.strictSame((await read(showing(disk, file, [raced, twice, bytes]))).lsns, range(1, RECORDS));
});

t.test('a permanently damaged record is reported with file and offset', async (t) => {
  const { disk, file, bytes, offsets } = await writtenLog();
  await t.rejects(read(showing(disk, file, [halved(bytes, offsets[4], offsets[5])])), {
    name: 'CorruptionError',
    file,
    offset: offsets[4],
  });
});

t.test('an incomplete last record is not an error, and is reported', async (t) => {
  const { disk, file, bytes, offsets } = await writtenLog();
  const torn = bytes.slice();
  torn.fill(0, offsets[RECORDS - 1] + 100);
  const { lsns, end } = await read(showing(disk, file, [torn]));
  t.strictSame(lsns, range(1, RECORDS - 1));
  t.match(end, { nextLsn: RECORDS, tornTail: { file, offset: offsets[RECORDS - 1], bytes: 100 } });
});

t.test('during writes every read returns the records so far, in order, without an error', async (t) => {
  const disk = faultyDisk({});
  const log = await openLog(disk, 1, { logFileBytes: 65_536 });
  let writing = true;
  const writer = (async () => {
    for (const lsn of range(1, 300)) await log.append(payloadFor(lsn, sizeFor(lsn))).written;
    await log.close();
    writing = false;
  })();
  let readings = 0;
  let before = 0;
  do {
    const { lsns } = await read(disk);
    t.strictSame(lsns, range(1, lsns.length));
    t.ok(lsns.length >= before, 'no record is lost');
    before = lsns.length;
    readings++;
  } while (writing);
  await writer;
  t.ok(readings > 3, `${readings} readings`);
  t.strictSame((await read(disk)).lsns, range(1, 300));
});
