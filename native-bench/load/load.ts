/**
 * Sends the bodies of a source over several connections, one request in flight on each, checks every answer and reports
 * rates and answer times. The first wrong answer ends the load with an error that shows it.
 */
import type { Body, BodySource } from '../data/bodies.js';
import { sleep } from '../measure.js';
import { Connection, type HttpAnswer, type Target } from './connection.js';

export interface LoadResult {
  readonly requests: number;
  readonly entities: number;
  /** Bytes of bodies, without HTTP heads. */
  readonly bytes: number;
  readonly seconds: number;
  readonly entitiesPerSecond: number;
  /** 10^6 bytes. */
  readonly megabytesPerSecond: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Describes the error of an answer; null = the answer is right. */
export type Check = (answer: HttpAnswer, body: Body) => string | null;

/** Requires HTTP 200 and as many inserted entities as the body holds. */
export const checkInsert: Check = (answer, body) => {
  if (answer.status !== 200) return `HTTP ${answer.status}: ${answer.body}`;
  const inserted = /"inserted-entities": ?(\d+)/.exec(answer.body);
  return inserted !== null && Number(inserted[1]) === body.entityCount
    ? null
    : `${body.entityCount} entities sent, answered ${answer.body}`;
};

/** Requires HTTP 200 and an answer that contains `expected`, ignoring blanks. */
export const checkHolds =
  (expected: string): Check =>
  (answer) =>
    answer.status === 200 && answer.body.replaceAll(/\s/g, '').includes(expected)
      ? null
      : `HTTP ${answer.status}: ${answer.body} instead of ${expected}`;

/** The quantile `share` of the ascending values; 0 without values. */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted.length === 0 ? 0 : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/**
 * Rejects at the first wrong answer or broken connection; requests in flight may have taken effect. `perSecond` limits the
 * rate of bodies; absent = as fast as the answers arrive.
 */
export async function runLoad(
  target: Target,
  source: BodySource,
  connectionCount: number,
  check: Check,
  perSecond = Number.POSITIVE_INFINITY,
): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () => Connection.open(target)),
  );
  const times: number[] = [];
  let entities = 0;
  let bytes = 0;
  const startMs = performance.now();
  let taken = 0;
  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (let body = source.next(); body !== null; body = source.next()) {
          const early = startMs + (taken++ * 1000) / perSecond - performance.now();
          if (early > 0) await sleep(early);
          const sentMs = performance.now();
          const answer = await connection.post(body.bytes);
          times.push(performance.now() - sentMs);
          const wrong = check(answer, body);
          if (wrong !== null) throw new Error(wrong);
          entities += body.entityCount;
          bytes += body.bytes.length;
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
    source.close();
  }
  const seconds = (performance.now() - startMs) / 1000;
  const sorted = Float64Array.from(times).sort();
  return {
    requests: times.length,
    entities,
    bytes,
    seconds,
    entitiesPerSecond: entities / seconds,
    megabytesPerSecond: bytes / 1e6 / seconds,
    requestsPerSecond: times.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
  };
}
