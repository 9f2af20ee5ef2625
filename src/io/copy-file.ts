/** Copies a file through the FileSystem port, in steps between which other work can run. */
import type { FileHandle, FileSystem } from './file-system.js';

const STEP_BYTES = 2 ** 20;

/** Aborts a copy between two steps by throwing. */
export type CheckCopy = () => void;

export interface Copy {
  readonly fs: FileSystem;
  readonly from: string;
  readonly to: string;
  /** The number of bytes to copy from the start; absent = all. */
  readonly bytes?: number;
  /** Receives each step's bytes, which are valid until it returns. */
  readonly see?: (bytes: Uint8Array) => void;
  readonly check?: CheckCopy;
}

/**
 * Creates or replaces `to` and syncs its contents, not its name. Resolves with the number of bytes copied, which is smaller than
 * requested if the file is shorter.
 */
export async function copyFile({ fs, from, to, bytes, see, check }: Copy): Promise<number> {
  const source = await fs.open(from, 'read');
  try {
    const target = await fs.open(to, 'create');
    try {
      const copied = await copyBytes(source, target, bytes ?? Number.POSITIVE_INFINITY, see, check);
      await target.dataSync();
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyBytes(
  source: FileHandle,
  target: FileHandle,
  wanted: number,
  see: Copy['see'],
  check: Copy['check'],
): Promise<number> {
  const step = new Uint8Array(Math.min(STEP_BYTES, wanted));
  let at = 0;
  while (at < wanted) {
    check?.();
    const read = await source.read(step.subarray(0, Math.min(step.length, wanted - at)), at);
    if (read === 0) break;
    const part = step.subarray(0, read);
    see?.(part);
    await target.writev([part], at);
    at += read;
  }
  return at;
}
