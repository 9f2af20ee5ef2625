/**
 * Limits failed attempts to sign in. Failures are counted per pair of email and client, so that a client cannot lock out a
 * user who signs in from another address.
 * Invariants: after ATTEMPTS_PER_MINUTE failures no attempt reveals whether a password is right for the rest of the minute,
 * however many attempts are under way. Memory is limited, and emails are stored as hashes only.
 */
import { hashOfKey } from '../../catalog/index.js';
import { RateExceeded, RateWindow } from '../limits/rate-window.js';
import { clientNetwork } from './address-set.js';

const ATTEMPTS_PER_MINUTE = 10;
const WINDOWS_MAX = 10_000;

export class SignInAttempts {
  /** Milliseconds of a monotonic clock. */
  readonly #elapsedMs: () => number;
  /** By email and client, oldest first. */
  readonly #windows = new Map<string, RateWindow>();

  #refusedCount = 0;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Throws RateExceeded if too many attempts have failed within a minute. `client` is the text of an address. */
  check(email: string, client: string): void {
    const window = this.#windows.get(windowKeyOf(email, client));
    if (window === undefined) return;
    const rateStatus = window.status(this.#elapsedMs());
    if (rateStatus.remaining > 0) return;
    this.#refusedCount++;
    throw new RateExceeded(
      `more than ${ATTEMPTS_PER_MINUTE} attempts to sign in with this email failed in a minute`,
      rateStatus,
    );
  }

  /** Counts an attempt that failed. */
  failed(email: string, client: string): void {
    const key = windowKeyOf(email, client);
    const elapsedMs = this.#elapsedMs();
    let window = this.#windows.get(key);
    if (window === undefined || window.isOver(elapsedMs)) {
      window = new RateWindow();
      window.limit = ATTEMPTS_PER_MINUTE;
      this.#windows.delete(key);
      this.#removeOldWindows(elapsedMs);
      this.#windows.set(key, window);
    }
    window.tryCount(1, elapsedMs);
  }

  /** Removes windows that are over, and the oldest ones while there are WINDOWS_MAX. */
  #removeOldWindows(elapsedMs: number): void {
    for (const [key, window] of this.#windows) {
      if (!window.isOver(elapsedMs) && this.#windows.size < WINDOWS_MAX) break;
      this.#windows.delete(key);
    }
  }
}

function windowKeyOf(email: string, client: string): string {
  return `${clientNetwork(client)} ${hashOfKey(email)}`;
}
