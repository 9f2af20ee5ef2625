/** The texts of keys: 256 random bits in base64url, of which only the hash is kept. */
import { createHash } from 'node:crypto';

const KEY_BYTES = 32;

/** SHA-256 of a key's text, lower-case hex: all that is kept of it. */
export const hashOfKey = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

export function newKeyText(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
}
