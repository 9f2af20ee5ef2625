/**
 * Line keys: 16 bytes that name a line of an insert, by which a repeat is recognized. A list of keys has them one after the
 * other, and 16 zero bytes stand for a line without a key. A half of a SHA-256: two texts have the same key never in practice.
 */
import { hash } from 'node:crypto';

export const LINE_KEY_BYTES = 16;

/** The key of `text` among those of `scope`. Different scopes have different keys for the same text. */
export function lineKeyOf(scope: readonly (string | number)[], text: string): Uint8Array {
  return hash('sha256', `${JSON.stringify(scope)}${text}`, 'buffer').subarray(0, LINE_KEY_BYTES);
}

/** Whether the line at index `line` has a key. */
export function hasLineKey(keys: Uint8Array, line: number): boolean {
  for (let at = line * LINE_KEY_BYTES; at < (line + 1) * LINE_KEY_BYTES; at++)
    if (keys[at] !== 0) return true;
  return false;
}

/** The keys of `keys` without those of lines without a key. */
export function presentLineKeys(keys: Uint8Array): Uint8Array {
  const present = new Uint8Array(keys.length);
  let end = 0;
  for (let line = 0; line < keys.length / LINE_KEY_BYTES; line++) {
    if (!hasLineKey(keys, line)) continue;
    present.set(keys.subarray(line * LINE_KEY_BYTES, (line + 1) * LINE_KEY_BYTES), end);
    end += LINE_KEY_BYTES;
  }
  return present.slice(0, end);
}
