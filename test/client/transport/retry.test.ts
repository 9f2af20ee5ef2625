/** The decision to send a request again, by policies that are plain data. */
import t from 'tap';
import { type Refusal, type RetryPolicy, sleep } from '../../../src/client/transport/index.js';
import { waitBefore } from '../../../src/client/transport/retry.js';

const BASE: RetryPolicy = { retriesMax: 3, firstWaitMs: 100, waitMsMax: 250, jitter: [0.5, 1.5] };

const refused = (status: number, code: number | null, retryAfterSeconds: number | null = null): Refusal => ({
  ...{ status, text: '', requestId: null, retryAfterSeconds },
  faults: code === null ? [] : [{ code, message: '' }],
});

/** The wait after `attempts` failed ones, with the random number 0.25. */
function wait(
  policy: Partial<RetryPolicy>,
  refusal: Refusal | null,
  repeatable = true,
  attempts = 1,
): number | null {
  const retries = { policy: { ...BASE, ...policy }, random: () => 0.25 };
  return waitBefore(retries, { refusal, error: new Error() }, attempts, repeatable);
}

t.test('waits double up to their limit and end with the last retry', (t) => {
  t.strictSame(
    [1, 2, 3, 4].map((attempts) => wait({}, null, true, attempts)),
    [75, 150, 187.5, null],
  );
  t.equal(wait({ retriesMax: Number.POSITIVE_INFINITY }, null, true, 5_000), 187.5);
  t.end();
});

t.test('a wait follows the Retry-After of the server', (t) => {
  t.equal(wait({ statuses: [429] }, refused(429, 1502, 7)), 7_075);
  t.end();
});

t.test('a request without an answer is sent again only if it is repeatable', (t) => {
  t.strictSame([wait({}, null, true), wait({}, null, false)], [75, null]);
  t.end();
});

t.test('a refusal is retried by its code, its status, the status of a proxy, or its Retry-After', (t) => {
  t.equal(wait({}, refused(503, 9004, 1)), null, 'by none');
  t.equal(wait({ codes: [9004] }, refused(503, 9004), false), 75);
  t.equal(wait({ codes: [9004] }, refused(503, 9006)), null);
  t.equal(wait({ statuses: [503] }, refused(503, 9006), false), 75);
  t.equal(wait({ statuses: [503] }, refused(400, 9006)), null);
  t.equal(wait({ proxyStatuses: [503] }, refused(503, null)), 75);
  t.equal(wait({ proxyStatuses: [503] }, refused(503, null), false), null, 'not repeatable');
  t.equal(wait({ proxyStatuses: [503] }, refused(503, 9006)), null, 'of the server itself');
  t.equal(wait({ retryAfter: true }, refused(400, 2011, 0), false), 75);
  t.equal(wait({ retryAfter: true }, refused(429, 1502)), null);
  t.end();
});

t.test('a pause ends with its signal, also if that was aborted before', async (t) => {
  const stop = new AbortController();
  const pause = sleep(60_000, stop.signal);
  stop.abort(new Error('enough'));
  await t.rejects(pause, { message: 'enough' });
  await t.rejects(sleep(60_000, stop.signal), { message: 'enough' });
});
