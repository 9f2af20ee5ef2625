/** The history of statistics, compared with a list of everything that happened, and its endpoint. */
import t from 'tap';
import { ManualClock, Prng, SECONDS_BOUNDS } from '../../../src/base/index.js';
import { NO_USAGE } from '../../../src/engine/index.js';
import { NO_REFUSALS } from '../../../src/http/limits/limits.js';
import { Metrics } from '../../../src/http/observability/metrics.js';
import { SAMPLE_SECONDS, StatsHistory } from '../../../src/http/observability/stats-history.js';
import { DATABASE_ID, FakeEngine } from '../fake-engine.js';
import { codeOf, sendRequest, startFront } from '../harness.js';

const QUERIES = ['POST /v1/query/count/entity', 'POST /v1/sql'];
const STARTED_MS = Date.UTC(2026, 0, 5, 12);
const HOUR_SAMPLES = 3_600 / SAMPLE_SECONDS;

function historyOfServer() {
  const engine = new FakeEngine();
  const clock = new ManualClock(STARTED_MS);
  const none = (): number => 0;
  const metrics = new Metrics(engine, {
    ...{ openRequests: none, liveStreams: none, reservedBodyBytes: none },
    refusals: () => NO_REFUSALS,
  });
  const history = new StatsHistory({
    totals: () => metrics.totals(new Set(QUERIES)),
    nowMs: () => clock.nowMs(),
    elapsedMs: () => clock.monotonicMs(),
  });
  const insert = (entities: number, values: number): void => {
    const { insertedEntityCount, insertedValueCount } = engine.usage(DATABASE_ID);
    engine.usages.set(DATABASE_ID, {
      ...NO_USAGE,
      insertedEntityCount: insertedEntityCount + entities,
      insertedValueCount: insertedValueCount + values,
    });
  };
  return { engine, clock, metrics, history, insert };
}

/** The smallest bound at or above the value in the middle, or above 95% of the values. */
function quantileOf(seconds: readonly number[], share: number): number | null {
  if (seconds.length === 0) return null;
  const sorted = [...seconds].sort((a, b) => a - b);
  const value = sorted[Math.ceil(share * sorted.length) - 1];
  return SECONDS_BOUNDS.find((bound) => bound >= value) ?? SECONDS_BOUNDS[SECONDS_BOUNDS.length - 1];
}

t.test('each sample has what happened since the one before it, and an hour of samples is kept', async (t) => {
  const seed = 20_261;
  const random = new Prng(seed);
  const { engine, clock, metrics, history, insert } = historyOfServer();
  const expected: object[] = [];
  let isFirst = true;
  for (let round = 0; round < HOUR_SAMPLES + 200; round++) {
    const [entities, values] = [random.u32() % 1_000, random.u32() % 10_000];
    insert(entities, values);
    const times = Array.from({ length: random.u32() % 5 }, () => 12 * random.unit() ** 9);
    for (const seconds of times) metrics.answered(QUERIES[random.u32() % 2], DATABASE_ID, 200, seconds);
    metrics.answered('POST /v1/insert', DATABASE_ID, 200, 9);
    // Sometimes the timer is late.
    const seconds = random.u32() % 50 === 0 ? 100 : SAMPLE_SECONDS;
    clock.advance(seconds * 1000);
    if (random.u32() % 100 === 0) clock.jump(-3_600_000);
    engine.ready = random.u32() % 100 !== 0;
    history.sample();
    const rate = (total: number): number => Number((total / seconds).toFixed(3));
    if (engine.ready && !isFirst) {
      expected.push({
        at: clock.monotonicMs(),
        row: [rate(entities), rate(values), rate(times.length)],
        quantiles: [quantileOf(times, 0.5), quantileOf(times, 0.95)],
      });
    }
    isFirst = !engine.ready;
  }
  const { samples, last, ...rest } = history.list('');
  t.strictSame(rest, { started: '2026-01-05T12:00:00.000Z', 'interval-seconds': SAMPLE_SECONDS });
  t.equal(last, expected.length);
  const offsetMs = clock.nowMs() - clock.monotonicMs();
  const found = samples['unix-seconds'].map((seconds, at) => ({
    at: Math.round(seconds * 1000) - offsetMs,
    row: [
      samples['entities-per-second'][at],
      samples['values-per-second'][at],
      samples['queries-per-second'][at],
    ],
    quantiles: [samples['median-seconds'][at], samples['p95-seconds'][at]],
  }));
  t.strictSame(found, expected.slice(-HOUR_SAMPLES), `seed ${seed}`);
  t.strictSame([...new Set(samples['memory-bytes'])], [10]);
  const newer = history.list(`after=${last - 3}`);
  for (const [name, values] of Object.entries(newer.samples)) {
    t.strictSame(values, samples[name as keyof typeof samples].slice(-3), name);
  }
  t.strictSame(history.list(`after=${last}`).samples['unix-seconds'], []);
  t.strictSame(history.list('after=999999').samples['unix-seconds'], []);
});

t.test('a deleted database, whose inserts leave the totals, gives no negative rate', async (t) => {
  const { engine, clock, history, insert } = historyOfServer();
  insert(100, 200);
  history.sample();
  engine.usages.clear();
  clock.advance(1_000);
  history.sample();
  const { samples } = history.list('');
  t.strictSame([samples['entities-per-second'], samples['values-per-second']], [[0], [0]]);
});

t.test(
  'the endpoint needs no key, on both ports, and refuses parameters that it does not know',
  async (t) => {
    const front = await startFront(t);
    for (const plain of [true, false]) {
      const reply = await sendRequest(front, { path: '/metrics/history', plain });
      t.equal(reply.status, 200);
      const { started, ...rest } = JSON.parse(reply.body);
      t.ok(Math.abs(Date.parse(started) - Date.now()) < 600_000, started);
      t.match(rest, { 'interval-seconds': SAMPLE_SECONDS, samples: { 'memory-bytes': [] } });
    }
    for (const [query, code] of [
      ['since=5', 4049],
      ['after=', 9101],
      ['after=-1', 9101],
      ['after=1.5', 9101],
    ] as const) {
      t.equal(codeOf(await sendRequest(front, { path: `/metrics/history?${query}` })), code, query);
    }
    t.equal(codeOf(await sendRequest(front, { path: '/metrics/history', body: '{}' })), 1505);
  },
);
