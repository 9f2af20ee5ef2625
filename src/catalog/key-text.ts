/** Key texts: 256 random bits in base64url. Only the hash is stored. */
import { createHash } from 'node:crypto';

const KEY_BYTES = 32;

/** SHA-256 of a key's text, lower-case hex. */
export const hashOfKey = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

export function newKeyText(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
}
