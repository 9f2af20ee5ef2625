import t from 'tap';
import { type MemoryAccount, Prng, runToEnd } from '../../src/base/index.js';
import { groupRuns } from '../../src/plan/group-runs.js';
import { mergeMemory } from '../../src/plan/merge-memory.js';

const SEED = 173_205;
t.comment(`seed ${SEED}`);

const enough = (): MemoryAccount => mergeMemory(2 ** 30);

const upTo = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, index) => index);

t.test('entries of one group are adjacent in their original order, and groups ascend', async (t) => {
  const prng = new Prng(SEED);
  for (const bound of [1, 2, 3, 2 ** 12, 70_000, 2 ** 23, 2 ** 32]) {
    for (const count of [1, 2, 1_000]) {
      const groupKeys = Uint32Array.from({ length: count }, () => prng.below(bound));
      const byGroupKey = new Map<number, number[]>();
      groupKeys.forEach((groupKey, entry) => {
        byGroupKey.set(groupKey, [...(byGroupKey.get(groupKey) ?? []), entry]);
      });
      const expected = [...byGroupKey].sort(([a], [b]) => a - b);
      const { groupKeys: found, starts, order } = runToEnd(groupRuns(groupKeys, upTo(count), enough()));
      t.strictSame(
        [...found].map((groupKey, run) => [groupKey, [...order.subarray(starts[run], starts[run + 1])]]),
        expected,
        `${count} entries below ${bound}`,
      );
      t.equal(starts.length, expected.length + 1);
    }
  }
});

t.test('entries without group keys form one run, and no entries form none', async (t) => {
  t.strictSame(runToEnd(groupRuns(null, upTo(3), enough())), {
    groupKeys: Uint32Array.of(0),
    starts: Uint32Array.of(0, 3),
    order: Uint32Array.of(0, 1, 2),
  });
  for (const groupKeys of [null, new Uint32Array(4)]) {
    t.strictSame(runToEnd(groupRuns(groupKeys, upTo(0), enough())), {
      groupKeys: new Uint32Array(0),
      starts: Uint32Array.of(0),
      order: new Uint32Array(0),
    });
  }
});

t.test('entries that are not listed are in no run', async (t) => {
  const entries = Uint32Array.of(1, 2, 4);
  t.strictSame(runToEnd(groupRuns(Uint32Array.of(9, 7, 5, 5, 7), entries, enough())), {
    groupKeys: Uint32Array.of(5, 7),
    starts: Uint32Array.of(0, 1, 3),
    order: Uint32Array.of(2, 1, 4),
  });
  t.strictSame(entries, Uint32Array.of(1, 2, 4), 'the list is unchanged');
});

t.test('the task reserves no more memory than the limit', async (t) => {
  const groupKeys = upTo(1_000);
  t.throws(() => runToEnd(groupRuns(groupKeys, groupKeys, mergeMemory(7_999))), { code: 9006 });
  t.throws(() => runToEnd(groupRuns(groupKeys, groupKeys, mergeMemory(16_000))), { code: 9006 });
  t.equal(runToEnd(groupRuns(groupKeys, groupKeys, mergeMemory(24_000))).groupKeys.length, 1_000);
});
