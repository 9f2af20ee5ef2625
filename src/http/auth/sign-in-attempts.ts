/**
 * How often somebody may try to sign in: failures are counted by email and client together, so that nobody locks a
 * user out who signs in from elsewhere.
 * Invariants: after ATTEMPTS_PER_MINUTE failures nothing more is told of a password for the rest of the minute, however
 * many attempts were under way; what stands in memory is bounded, and no email is kept in it.
 */
import { hashOfKey } from '../../catalog/index.js';
import { RateExceeded, Window } from '../limits/rate-window.js';
import { clientNetwork } from './address-set.js';

const ATTEMPTS_PER_MINUTE = 10;
const WINDOWS_MAX = 10_000;

export class SignInAttempts {
  /** Milliseconds of a clock that never goes back. */
  readonly #elapsedMs: () => number;
  /** By email and client, the one that began first ahead. */
  readonly #windows = new Map<string, Window>();

  #refusedCount = 0;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Throws RateExceeded when too many have failed within a minute. `client` is the text of an address. */
  check(email: string, client: string): void {
    const window = this.#windows.get(placeOf(email, client));
    if (window === undefined) return;
    const figures = window.figures(this.#elapsedMs());
    if (figures.remaining > 0) return;
    this.#refusedCount++;
    throw new RateExceeded(
      `more than ${ATTEMPTS_PER_MINUTE} attempts to sign in with this email failed in a minute`,
      figures,
    );
  }

  /** Counts an attempt that failed. */
  failed(email: string, client: string): void {
    const place = placeOf(email, client);
    const elapsedMs = this.#elapsedMs();
    let window = this.#windows.get(place);
    if (window === undefined || window.isOver(elapsedMs)) {
      window = new Window();
      window.limit = ATTEMPTS_PER_MINUTE;
      this.#windows.delete(place);
      this.#makeRoom(elapsedMs);
      this.#windows.set(place, window);
    }
    window.take(1, elapsedMs);
  }

  /** Windows that are over go, and the oldest one when all are younger. */
  #makeRoom(elapsedMs: number): void {
    for (const [place, window] of this.#windows) {
      if (!window.isOver(elapsedMs) && this.#windows.size < WINDOWS_MAX) break;
      this.#windows.delete(place);
    }
  }
}

function placeOf(email: string, client: string): string {
  return `${clientNetwork(client)} ${hashOfKey(email)}`;
}
