/** Measures the rate and the latency of work that several connections do concurrently, each one item after another. */

export interface Measured {
  readonly count: number;
  readonly seconds: number;
  /** Percentiles of the time of one item, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Pace {
  readonly connections: number;
  readonly elapsedMs: () => number;
  readonly stop: AbortSignal;
}

/** Repeats `work` on every connection until it returns false. If one rejects, rejects with its error when all have ended. */
export async function measure(
  { connections, elapsedMs, stop }: Pace,
  work: () => Promise<boolean>,
): Promise<Measured> {
  const times: number[] = [];
  const startMs = elapsedMs();
  let failed = false;
  const one = async (): Promise<void> => {
    while (!failed) {
      stop.throwIfAborted();
      const fromMs = elapsedMs();
      const more = await work().catch((error) => {
        failed = true;
        throw error;
      });
      if (!more) return;
      times.push(elapsedMs() - fromMs);
    }
  };
  const endings = await Promise.allSettled(Array.from({ length: connections }, one));
  const seconds = (elapsedMs() - startMs) / 1000;
  const wrong = endings.find((ending) => ending.status === 'rejected');
  stop.throwIfAborted();
  if (wrong !== undefined) throw wrong.reason;
  return { count: times.length, seconds, ...percentiles(times) };
}

/** Percentiles of unsorted times: the least time that is not exceeded by that percentage of them. */
export function percentiles(times: readonly number[]): Pick<Measured, 'p50Ms' | 'p99Ms'> {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number =>
    sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
