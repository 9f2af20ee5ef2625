import t from 'tap';
import type { Cancellation } from '../../../src/base/index.js';
import { RunningQuery } from '../../../src/engine/query/running-query.js';
import { StopFlags } from '../../../src/engine/query/stop-flags.js';
import type { LaneApi } from '../../../src/engine/workers/worker-client.js';
import type { LaneSet } from '../../../src/engine/workers/worker-clients.js';

const LIMITS = { timeoutMs: 60_000, bytesMax: 1_000 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A set of lanes that answer nothing by themselves. */
function lanesOf(count: number): LaneSet {
  const all = Array.from({ length: count }, (_, index) => ({ index }) as unknown as LaneApi);
  const lanes: Pick<LaneSet, 'all' | 'stopFlags' | 'ask'> = {
    all,
    stopFlags: new StopFlags(),
    ask: (answer) => answer,
  };
  return lanes as LaneSet;
}

function cancellationOf(): Cancellation & { act: (() => void) | null } {
  return {
    isCancelled: false,
    act: null,
    onCancel(act) {
      this.act = act;
    },
  };
}

const flagOf = (lanes: LaneSet, slot: number): number =>
  Atomics.load(new Int32Array(lanes.stopFlags.shared), slot);

t.test('every lane is asked with its part of the memory, and answers keep their places', async (t) => {
  const query = new RunningQuery(lanesOf(3), LIMITS, null);
  const asked: number[] = [];
  const answers = await query.ask(async ({ index }, { bytesMax }) => {
    asked.push(bytesMax);
    for (let wait = 3 - index; wait > 0; wait--) await turn();
    return index;
  });
  t.strictSame(answers, [0, 1, 2]);
  t.strictSame(asked, [333, 333, 333]);
  query.end();
});

t.test(
  'a query that is stopped tells the lanes, and its slot goes back when all have answered',
  async (t) => {
    const lanes = lanesOf(2);
    const cancellation = cancellationOf();
    const query = new RunningQuery(lanes, LIMITS, cancellation);
    const release: (() => void)[] = [];
    let slot = 0;
    const asked = query.ask((_lane, bounds) => {
      slot = bounds.slot;
      return new Promise<null>((resolve) => release.push(() => resolve(null)));
    });
    t.equal(flagOf(lanes, slot), 0);
    cancellation.act?.();
    t.equal(flagOf(lanes, slot), 1);
    await t.rejects(asked, { code: 9005 });
    query.end();
    t.not(lanes.stopFlags.take(), slot, 'the lanes still look at it');
    for (const answer of release) answer();
    await turn();
    t.equal(flagOf(lanes, slot), 0);
    t.equal(lanes.stopFlags.take(), slot, 'it is free again');
    await t.rejects(
      query.ask(() => Promise.resolve(null)),
      { code: 9005 },
      'nothing is asked any more',
    );
  },
);

t.test('a lane that refuses stops the others', async (t) => {
  const lanes = lanesOf(2);
  const query = new RunningQuery(lanes, LIMITS, null);
  let slot = 0;
  const asked = query.ask(({ index }, bounds) => {
    slot = bounds.slot;
    return index === 0 ? Promise.reject(new Error('refused')) : turn();
  });
  await t.rejects(asked, { message: 'refused' });
  t.equal(flagOf(lanes, slot), 1);
  query.end();
});

t.test('work in slices ends between two of them when the time is over, also on a busy thread', async (t) => {
  const query = new RunningQuery(lanesOf(1), { ...LIMITS, timeoutMs: 20 }, null);
  let slices = 0;
  function* work(): Generator<undefined> {
    for (;;) {
      slices++;
      const until = performance.now() + 5;
      while (performance.now() < until);
      yield;
    }
  }
  await t.rejects(query.inSlices(work()), { code: 9005 });
  t.ok(slices >= 1);
  query.end();
});

t.test('a query that is stopped while it waits for a place leaves the place when it comes', async (t) => {
  const cancellation = cancellationOf();
  const query = new RunningQuery(lanesOf(1), LIMITS, cancellation);
  let enter = (): void => {};
  let left = 0;
  const entering = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const entered = query.entered(entering, () => left++);
  cancellation.act?.();
  await t.rejects(entered, { code: 9005 });
  t.equal(left, 0);
  enter();
  await turn();
  t.equal(left, 1);
  query.end();
});
