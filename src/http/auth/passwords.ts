/**
 * Passwords as hashes: scrypt, with parameters and salt in the text, so that they may change without a migration.
 * Form  scrypt$log2(N)$r$p$salt$hash, salt and hash in base64url.
 * Invariants: a password is never kept, logged or put into a message; at most RUNNING_MAX hashes are worked out at a
 * time (each takes 32 MiB), and at most WAITING_MAX wait.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { QuarryError, type RandomBytes } from '../../base/index.js';

const LOG_N = 15;
const BLOCK_SIZE = 8;
const PARALLEL = 3;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const RUNNING_MAX = 2;
const WAITING_MAX = 100;
/** Only parameters that scrypt can be given (2^10 to 2^20, 2 to 32, 1 to 16) are of the form. */
const FORM = /^scrypt\$(1\d|20)\$([2-9]|[12]\d|3[0-2])\$([1-9]|1[0-6])\$([\w-]+)\$([\w-]+)$/;

/** Rejects only when the machine cannot work it out. */
type Derive = (password: string, salt: Buffer, options: ScryptOptions) => Promise<Buffer>;

export class PasswordHasher {
  readonly #scrypt: Derive;
  #running = 0;
  /** Each is given the place of one that is done. */
  readonly #waiting: (() => void)[] = [];

  constructor(derive: Derive = deriveByScrypt) {
    this.#scrypt = derive;
  }

  /** The text that is kept of a password. Rejects with 9003 when too many are being worked out. */
  async hash(password: string, randomBytes: RandomBytes): Promise<string> {
    const salt = Buffer.from(randomBytes(SALT_BYTES));
    const hash = await this.#derive(password, salt, LOG_N, BLOCK_SIZE, PARALLEL);
    const parts = [
      'scrypt',
      LOG_N,
      BLOCK_SIZE,
      PARALLEL,
      salt.toString('base64url'),
      hash.toString('base64url'),
    ];
    return parts.join('$');
  }

  /** Whether `kept` is of that password; takes as long when `kept` is null, which no password fits. Rejects with 9003. */
  async fits(password: string, kept: string | null): Promise<boolean> {
    const parts = kept === null ? null : FORM.exec(kept);
    if (parts === null) {
      await this.#derive(password, Buffer.alloc(SALT_BYTES), LOG_N, BLOCK_SIZE, PARALLEL);
      return false;
    }
    const [logN, blockSize, parallel] = parts.slice(1, 4).map(Number);
    const hash = await this.#derive(password, Buffer.from(parts[4], 'base64url'), logN, blockSize, parallel);
    const expected = Buffer.from(parts[5], 'base64url');
    return hash.length === expected.length && timingSafeEqual(hash, expected);
  }

  async #derive(
    password: string,
    salt: Buffer,
    logN: number,
    blockSize: number,
    parallel: number,
  ): Promise<Buffer> {
    await this.#turn();
    try {
      const options = { N: 2 ** logN, r: blockSize, p: parallel, maxmem: 256 * blockSize * 2 ** logN };
      return await this.#scrypt(password.normalize('NFKC'), salt, options);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < RUNNING_MAX) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= WAITING_MAX) throw new QuarryError(9003, 'too many passwords at once');
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

function deriveByScrypt(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
