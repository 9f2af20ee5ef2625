/**
 * Hashes of passwords by scrypt. The text of a hash holds its parameters and salt, so they can change without a migration.
 * Form  scrypt$log2(N)$r$p$salt$hash, salt and hash in base64url.
 * Invariants: a password is never stored, logged or put into a message. At most RUNNING_MAX hashes are computed at a time
 * (each takes 32 MiB), and at most WAITING_MAX wait.
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
/** Matches only parameters in the ranges 2^10 to 2^20, 2 to 32, 1 to 16. */
const FORM = /^scrypt\$(1\d|20)\$([2-9]|[12]\d|3[0-2])\$([1-9]|1[0-6])\$([\w-]+)\$([\w-]+)$/;

/** Rejects only if the machine cannot compute the hash. */
type Derive = (password: string, salt: Buffer, options: ScryptOptions) => Promise<Buffer>;

export class PasswordHasher {
  readonly #scrypt: Derive;
  #running = 0;
  /** Resolvers of waiting computations; each starts when another one ends. */
  readonly #waiting: (() => void)[] = [];

  constructor(derive: Derive = deriveByScrypt) {
    this.#scrypt = derive;
  }

  /** The hash to store for a password. Rejects with 9003 if too many computations wait. */
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

  /** True if `storedHash` is a hash of the password. null matches no password and takes as long. Rejects with 9003. */
  async fits(password: string, storedHash: string | null): Promise<boolean> {
    const parts = storedHash === null ? null : FORM.exec(storedHash);
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
