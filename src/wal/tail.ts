/**
 * The verdict on a place where a log should go on and does not: its end, a torn tail, or corruption.
 * A tear is the trace of a write that was never synced, so never acknowledged. Whatever speaks against that (a later
 * file, a later record written after the place was synced, a single changed bit) makes it corruption: the store then
 * refuses to open rather than drop what it acknowledged.
 */
import { CorruptionError } from '../base/index.js';
import { type Frame, findBitFlip, findLaterFrame } from '../format/index.js';
import type { FileHandle } from '../io/index.js';
import type { LogFileName } from './names.js';

export interface EndOfLog {
  readonly handle: FileHandle;
  readonly path: string;
  /** Where the record `lsn` should begin, and what was found there instead. */
  readonly offset: number;
  readonly lsn: number;
  readonly logId: bigint;
  readonly frame: Exclude<Frame, { kind: 'ok' }>;
  readonly nextFile: LogFileName | undefined;
}

/** Bytes of the torn tail, 0 when the log simply ends there. Throws CorruptionError. */
export async function judgeEnd(end: EndOfLog): Promise<number> {
  const { handle, path, offset, lsn, logId, frame, nextFile } = end;
  const rest = Buffer.allocUnsafeSlow(Math.max(0, (await handle.size()) - offset));
  await handle.read(rest, offset);
  const found = frame.kind === 'bad' ? `record ${lsn} is bad: ${frame.reason}` : `record ${lsn} is missing`;
  const flip = frame.kind === 'bad' ? findBitFlip(rest, 0, lsn, logId) : null;
  if (flip !== null) {
    const place = `bit ${flip.bit} of byte ${offset + flip.offset}`;
    throw new CorruptionError(
      path,
      offset,
      `${found}; it is valid with ${place} changed: a flipped bit, no torn write`,
    );
  }
  if (nextFile !== undefined) {
    throw new CorruptionError(
      path,
      offset,
      `${found}, but the log goes on at LSN ${nextFile.firstLsn} in ${nextFile.path}`,
    );
  }
  for (let later = findLaterFrame(rest, 0, lsn, logId); later !== null; ) {
    if (later.syncedLsn >= lsn) {
      const proof = `record ${later.lsn} at byte ${offset + later.offset} proves that it was once synced`;
      throw new CorruptionError(path, offset, `${found}; ${proof}`);
    }
    later = findLaterFrame(rest, later.next, lsn, logId);
  }
  return lastNonZero(rest) + 1;
}

/** Index of the last byte that is not 0, or -1. */
function lastNonZero(bytes: Buffer): number {
  const zeros = Buffer.alloc(65_536);
  let end = bytes.byteLength;
  for (const step of [zeros.byteLength, 512, 1]) {
    while (end >= step && bytes.compare(zeros, 0, step, end - step, end) === 0) end -= step;
  }
  return end - 1;
}
