/**
 * Generated columns, inserts, updates, deletes and queries. With any number of shards and workers and with either
 * kernels, the answers are those of the row-at-a-time model, before and after restarts from log, snapshot and both, and
 * after a start with another number of shards.
 * A longer run: node dist/test/metamorphic/shards.test.js --runs 50 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { ManualClock } from '../../src/base/index.js';
import type { EngineOptions } from '../../src/engine/index.js';
import { copyDir, makeDir, NOW_MS, SIMD_KERNELS, TestStore } from '../engine/store.js';
import { EXPIRY_MS, firstDifference, perform, type RequestedQuery, Scenario } from './scenario.js';

const { values: value } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [RUNS, SEED] = [Number(value.runs), Number(value.seed)];
t.comment(`seed ${SEED}, ${RUNS} runs`);
t.setTimeout(RUNS * 240_000);

interface Layout {
  readonly shardCount: number;
  readonly workerCount: number;
  readonly kernels: Uint8Array | null;
}
const LAYOUTS: readonly Layout[] = [
  { shardCount: 1, workerCount: 1, kernels: SIMD_KERNELS },
  { shardCount: 2, workerCount: 2, kernels: null },
  { shardCount: 5, workerCount: 2, kernels: SIMD_KERNELS },
  { shardCount: 5, workerCount: 1, kernels: null },
];
const nameOf = ({ shardCount, workerCount, kernels }: Layout): string =>
  `${shardCount} shards, ${workerCount} workers, ${kernels === null ? 'JS' : 'SIMD'} kernels`;
const optionsOf = (layout: Layout): Partial<EngineOptions> => ({ ...layout, logFileBytes: 8 * 2 ** 20 });

/** Expired events are removed after a start, not during it, so the queries are repeated until the events are gone. */
async function differenceInTheEnd(store: TestStore, requested: RequestedQuery): Promise<string | null> {
  let found = await firstDifference(store, requested);
  for (let tries = 0; found !== null && tries < 300; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    found = await firstDifference(store, requested);
  }
  return found;
}

for (let run = 0; run < RUNS; run++) {
  t.test(`run ${run} of seed ${SEED}`, async (t) => {
    const scenario = new Scenario(SEED + run);
    const zeros = scenario.afterAll.counts.filter((counts) => !/[1-9]\d*\]/.test(counts)).length;
    t.ok(zeros < scenario.afterAll.counts.length / 2, 'most requests match something');
    const steps = [...scenario.first, ...scenario.later, ...scenario.last];
    const changed = steps.map((step) => ('count' in step ? step.count : 0));
    t.ok(changed.filter((count) => count > 0).length > 8, `updates and deletes change ${changed}`);
    for (const layout of LAYOUTS) {
      await t.test(`${nameOf(layout)} answer as the model does`, async (t) => {
        const options = optionsOf(layout);
        const check = async (store: TestStore, requested: RequestedQuery, when: string): Promise<void> => {
          t.equal(await firstDifference(store, requested), null, when);
        };
        const dir = makeDir(t);
        const store = await TestStore.open(t, dir, options);
        await perform(store, scenario.first);
        await check(store, scenario.afterFirst, 'after the first part');
        await t.test('after a restart from the log only', async (t) => {
          const copy = await TestStore.open(t, copyDir(t, dir), options);
          t.equal(await firstDifference(copy, scenario.afterFirst), null);
        });
        await store.close();

        const again = await TestStore.open(t, dir, options);
        await check(again, scenario.afterFirst, 'after a restart from the snapshot');
        const checkpoint = again.engine.checkpoint();
        await perform(again, scenario.later);
        await checkpoint;
        await again.engine.checkpoint();
        await perform(again, scenario.last);
        await check(again, scenario.afterAll, 'after all parts');
        await t.test('after a restart from snapshot and log', async (t) => {
          const copy = await TestStore.open(t, copyDir(t, dir), options);
          t.equal(await firstDifference(copy, scenario.afterAll), null);
        });
        await again.close();

        const last = await TestStore.open(t, dir, options);
        await check(last, scenario.afterAll, 'after a restart from a snapshot of partly unchanged segments');
        await last.close();

        const clock = new ManualClock(NOW_MS);
        const oneMore = { ...options, shardCount: layout.shardCount + 1 };
        const late = await TestStore.open(t, dir, { ...oneMore, clock, expiryIntervalMs: 20 });
        clock.advance(EXPIRY_MS - NOW_MS);
        t.equal(
          await differenceInTheEnd(late, scenario.afterExpiry),
          null,
          'with one more shard and expired events',
        );
        const killed = copyDir(t, dir);
        await late.close();
        const copy = await TestStore.open(t, killed, oneMore);
        await check(copy, scenario.afterExpiry, 'expired events stay away');
      });
    }
  });
}
