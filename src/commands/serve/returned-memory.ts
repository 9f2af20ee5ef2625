/**
 * Makes the allocator of the C library return the memory of large blocks to the system as soon as they are freed. By default
 * it retains blocks of up to 32 MiB once some were freed, in each thread: with a memory limit of 300 MiB, queries that spilled
 * their rows left the process at 560 MB; with this setting at 356 MB. Fresh memory costs more than reused memory, so
 * the setting is for small limits only. Node has no function for it, so this file calls the C library, on Linux only.
 */
import { createRequire } from 'node:module';
import type Koffi from 'koffi';
import { SMALL_PROCESS_BYTES } from '../../base/index.js';

const BLOCK_BYTES = 128 * 1024;
/** <malloc.h> of glibc. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;

/** Returns null, or the reason why the process may exceed its memory limit by more than it should. */
export function returnFreedMemory(memoryLimitBytes: number): string | null {
  if (memoryLimitBytes >= SMALL_PROCESS_BYTES || process.platform !== 'linux') return null;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof Koffi;
    const mallopt = koffi.load('libc.so.6').func('int mallopt(int, int)');
    const isSet =
      mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES) === 1 && mallopt(M_TRIM_THRESHOLD, BLOCK_BYTES) === 1;
    return isSet ? null : 'the C library refused the setting of its allocator';
  } catch (error) {
    return `koffi did not load: ${(error as Error).message.split('\n', 1)[0]}`;
  }
}
