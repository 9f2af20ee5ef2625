/**
 * A log on a faulty disk, for tests: records with payloads derived from their LSN, and the records that a later start
 * finds.
 */
import { Prng } from '../../src/base/index.js';
import type { FileSystem } from '../../src/io/index.js';
import { Log, type LogEnd, type LogOptions, LogReplay, type LogReplayOptions } from '../../src/wal/index.js';

export const LOG_DIR = '/log';

/** A payload of `bytes` bytes (at least 8) that is different for every LSN and has no zero sector. */
export function payloadFor(lsn: number, bytes: number): Uint8Array {
  const prng = new Prng(lsn);
  const payload = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at++) payload[at] = prng.between(1, 255);
  new DataView(payload.buffer).setUint32(0, lsn, true);
  return payload;
}

/** Sizes that differ from record to record, some larger than a sector. */
export const sizeFor = (lsn: number): number => 8 + ((lsn * 97) % 700);

export async function openLog(fs: FileSystem, nextLsn: number, more: Partial<LogOptions> = {}): Promise<Log> {
  const prng = new Prng(nextLsn * 7 + 3);
  return Log.open({
    fs,
    dir: LOG_DIR,
    durability: 'fsync',
    intervalMs: 5,
    nextLsn,
    logFileBytes: 4_096,
    fullRetryMs: 5,
    random64: () => BigInt(prng.u32()) * 2n ** 32n + BigInt(prng.u32()),
    monotonicMs: () => 0,
    onFatal: () => {},
    ...more,
  });
}

export interface Found {
  readonly lsns: number[];
  readonly payloads: Uint8Array[];
  readonly end: LogEnd;
}

/** Reads the log from `fromLsn` on and repairs it, as a start does. */
export async function replay(
  fs: FileSystem,
  fromLsn = 1,
  pieceBytes?: number,
  manifest: LogReplayOptions['manifest'] = null,
): Promise<Found> {
  const reading = new LogReplay({ fs, dir: LOG_DIR, fromLsn, manifest, ...(pieceBytes && { pieceBytes }) });
  const lsns: number[] = [];
  const payloads: Uint8Array[] = [];
  for await (const { lsn, payload } of reading) {
    lsns.push(lsn);
    payloads.push(payload);
  }
  return { lsns, payloads, end: await reading.repair() };
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
