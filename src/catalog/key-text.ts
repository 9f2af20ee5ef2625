/**
 * Key texts: 256 random bits in base64url. What is stored proves that a client knows a key, but does not reveal the key: its
 * hash, and what SCRAM-SHA-256 needs (RFC 5802, 7677).
 */
import { createHash, createHmac, hash, pbkdf2Sync } from 'node:crypto';

const KEY_BYTES = 32;

/** The fewest iterations that RFC 7677 allows: a key cannot be guessed, unlike a password. */
export const SCRAM_ITERATIONS = 4_096;
/** The same for all keys, because the server learns which key is meant only from the proof; random keys need none. */
export const SCRAM_SALT = createHash('sha256').update('quarry keys').digest().subarray(0, 16);

/** Verifies that a client knows a key, as in RFC 5802; both in base64. */
export interface ScramVerifier {
  readonly storedKey: string;
  readonly serverKey: string;
}

/** What is stored of a key's text. */
export interface KeySecrets {
  readonly hash: string;
  readonly scram: ScramVerifier;
}

/** SHA-256 of a key's text, lower-case hex. */
export const hashOfKey = (text: string): string => hash('sha256', text, 'hex');

/** The text of a key, or the hash of a key that the client has proved to know. */
export type PresentedKey = string | { readonly hash: string };

export const hashOfPresented = (key: PresentedKey): string =>
  typeof key === 'string' ? hashOfKey(key) : key.hash;

/** Takes a few milliseconds. */
export function secretsOfKey(text: string): KeySecrets {
  const salted = pbkdf2Sync(text, SCRAM_SALT, SCRAM_ITERATIONS, KEY_BYTES, 'sha256');
  const derived = (label: string): Buffer => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(derived('Client Key')).digest('base64');
  return {
    hash: hashOfKey(text),
    scram: { storedKey, serverKey: derived('Server Key').toString('base64') },
  };
}

export function newKeyText(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
}
