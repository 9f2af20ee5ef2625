/**
 * Decides what an offset without the expected record is: the end of the log, a torn tail, or corruption.
 * A tear is left by a write that was never synced, so never acknowledged. Evidence against a tear (a later
 * file, a later record written after this offset was synced, a single flipped bit) makes it corruption: the store then
 * refuses to open rather than drop acknowledged records.
 */
import { CorruptionError } from '../base/index.js';
import { type Frame, findBitFlip, findLaterFrame } from '../format/index.js';
import type { FileHandle } from '../io/index.js';
import type { LogFileName } from './names.js';

export interface EndOfLog {
  readonly handle: FileHandle;
  readonly path: string;
  /** The offset at which the record `lsn` should begin. */
  readonly offset: number;
  readonly lsn: number;
  readonly logId: bigint;
  readonly frame: Exclude<Frame, { kind: 'ok' }>;
  readonly nextFile: LogFileName | undefined;
}

/** Bytes of the torn tail, 0 when the log ends there. Throws CorruptionError. */
export async function judgeEnd(end: EndOfLog): Promise<number> {
  const { handle, path, offset, lsn, logId, frame, nextFile } = end;
  const rest = Buffer.allocUnsafeSlow(Math.max(0, (await handle.size()) - offset));
  await handle.read(rest, offset);
  const found = frame.kind === 'bad' ? `record ${lsn} is bad: ${frame.reason}` : `record ${lsn} is missing`;
  const flip = frame.kind === 'bad' ? findBitFlip(rest, 0, lsn, logId) : null;
  if (flip !== null) {
    const position = `bit ${flip.bit} of byte ${offset + flip.offset}`;
    throw new CorruptionError(
      path,
      offset,
      `${found}; it is valid with ${position} changed: a flipped bit, not a torn write`,
    );
  }
  if (nextFile !== undefined) {
    throw new CorruptionError(
      path,
      offset,
      `${found}, but the log continues at LSN ${nextFile.firstLsn} in ${nextFile.path}`,
    );
  }
  for (let later = findLaterFrame(rest, 0, lsn, logId); later !== null; ) {
    if (later.syncedLsn >= lsn) {
      const proof = `record ${later.lsn} at byte ${offset + later.offset} proves that it was synced`;
      throw new CorruptionError(path, offset, `${found}; ${proof}`);
    }
    later = findLaterFrame(rest, later.next, lsn, logId);
  }
  return lastNonZero(rest) + 1;
}

/** Returns the index of the last nonzero byte, or -1. */
function lastNonZero(bytes: Buffer): number {
  const zeros = Buffer.alloc(65_536);
  let end = bytes.byteLength;
  for (const step of [zeros.byteLength, 512, 1]) {
    while (end >= step && bytes.compare(zeros, 0, step, end - step, end) === 0) end -= step;
  }
  return end - 1;
}
