/**
 * The server's part of SCRAM-SHA-256 (RFC 5802, 7677), by which a client proves that it knows a key without sending it.
 * Every key has the same salt, so the key need not be known before the proof: it is tried with the keys of the database.
 *
 *   client -> server  n,,n=USER,r=NONCE
 *   server -> client  r=NONCE and more,s=SALT,i=ITERATIONS
 *   client -> server  c=biws,r=NONCE and more,p=PROOF
 *   server -> client  v=SIGNATURE
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type KeySecrets, SCRAM_ITERATIONS, SCRAM_SALT } from '../../catalog/index.js';
import { ProtocolError } from './errors.js';

export const SCRAM = 'SCRAM-SHA-256';

/** The key that the client knows, and the message that proves to the client that the server knows it as well. */
export interface ScramOutcome {
  readonly hash: string;
  readonly reply: string;
}

const malformed = (what: string): ProtocolError => new ProtocolError('08P01', `SCRAM: ${what}`);

export class ScramExchange {
  readonly #serverNonce: string;
  #nonce = '';
  /** The header of the first message, which the second one repeats in base64. */
  #header = '';
  /** The two messages so far, without that header. */
  #messages = '';

  /** `serverNonce`: random text without a comma. */
  constructor(serverNonce: string) {
    this.#serverNonce = serverNonce;
  }

  /** Reads the client's first message and returns the server's. Throws 08P01. */
  first(message: string): string {
    // p= asks for channel binding, which is offered only as SCRAM-SHA-256-PLUS.
    const found = /^([ny],,)(n=[^,]*,r=([\x21-\x2b\x2d-\x7e]+)(?:,.*)?)$/s.exec(message);
    if (found === null) throw malformed('the first message of the client is not valid');
    const [, header, bare, nonce] = found;
    this.#header = header;
    this.#nonce = `${nonce}${this.#serverNonce}`;
    const reply = `r=${this.#nonce},s=${SCRAM_SALT.toString('base64')},i=${SCRAM_ITERATIONS}`;
    this.#messages = `${bare},${reply}`;
    return reply;
  }

  /** Reads the client's second message; null = it proves none of the keys. Throws 08P01. */
  final(message: string, keys: readonly KeySecrets[]): ScramOutcome | null {
    const found = /^(c=([^,]*),r=([^,]*)(?:,.*)?),p=([A-Za-z0-9+/]{43}=)$/s.exec(message);
    if (found === null) throw malformed('the second message of the client is not valid');
    const [, withoutProof, header, nonce, proof] = found;
    if (nonce !== this.#nonce || header !== Buffer.from(this.#header).toString('base64')) {
      throw malformed('the second message of the client does not belong to the first');
    }
    const signed = `${this.#messages},${withoutProof}`;
    const proofBytes = Buffer.from(proof, 'base64');
    for (const { hash, scram } of keys) {
      const storedKey = Buffer.from(scram.storedKey, 'base64');
      const signature = createHmac('sha256', storedKey).update(signed).digest();
      const clientKey = proofBytes.map((byte, at) => byte ^ signature[at]);
      if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), storedKey)) continue;
      const serverKey = Buffer.from(scram.serverKey, 'base64');
      return { hash, reply: `v=${createHmac('sha256', serverKey).update(signed).digest('base64')}` };
    }
    return null;
  }
}
