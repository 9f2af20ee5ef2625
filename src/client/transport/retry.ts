/** Decides whether a request that failed is sent again, and when. */
import { NO_CODE, type Refusal } from './refusal.js';

/**
 * The failures after which a request is sent again, and the waits in between. A wait is a random multiple of a time that
 * doubles, in addition to the server's Retry-After.
 */
export interface RetryPolicy {
  /** Maximum number of attempts after the first. */
  readonly retriesMax: number;
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
  /** Lowest and highest random factor of a wait. */
  readonly jitter: readonly [number, number];
  /** Refusals with one of these codes are retried. */
  readonly codes?: readonly number[];
  /** Refusals with one of these statuses are retried, whatever their code. */
  readonly statuses?: readonly number[];
  /** Refusals by a proxy, which sends no codes, with one of these statuses are retried if the request is repeatable. */
  readonly proxyStatuses?: readonly number[];
  /** Refusals with a Retry-After are retried. */
  readonly retryAfter?: boolean;
}

/** Why a request failed. */
export interface Failure {
  /** null = no complete answer came. */
  readonly refusal: Refusal | null;
  /** The error with which the request rejects if it is not sent again. */
  readonly error: Error;
}

export interface Retries {
  readonly policy: RetryPolicy;
  /** Uniform in [0, 1); Math.random by default. */
  readonly random?: () => number;
  /** Waits before the next attempt; `sleep` by default. If it rejects, the request does. */
  readonly pause?: (waitMs: number, signal: AbortSignal, failure: Failure) => Promise<void>;
}

/** Milliseconds to wait before the next attempt after `attempts` failed ones; null = no further attempt. */
export function waitBefore(
  { policy, random = Math.random }: Retries,
  { refusal }: Failure,
  attempts: number,
  repeatable: boolean,
): number | null {
  if (attempts > policy.retriesMax) return null;
  if (refusal === null ? !repeatable : !isRetried(policy, refusal, repeatable)) return null;
  const [low, high] = policy.jitter;
  const limitMs = Math.min(policy.waitMsMax, policy.firstWaitMs * 2 ** (attempts - 1));
  return (refusal?.retryAfterSeconds ?? 0) * 1_000 + limitMs * (low + random() * (high - low));
}

function isRetried(policy: RetryPolicy, refusal: Refusal, repeatable: boolean): boolean {
  const { codes = [], statuses = [], proxyStatuses = [], retryAfter = false } = policy;
  const { status, retryAfterSeconds } = refusal;
  const code = refusal.faults[0]?.code ?? NO_CODE;
  return (
    codes.includes(code) ||
    statuses.includes(status) ||
    (code === NO_CODE && repeatable && proxyStatuses.includes(status)) ||
    (retryAfter && retryAfterSeconds !== null)
  );
}

/** Rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
