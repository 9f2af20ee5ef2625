import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ResultCache } from '../../../src/engine/query/result-cache.js';

const SEED = 271_828;
t.comment(`seed ${SEED}`);

t.test('a cached answer is returned only for its key and version', async (t) => {
  const cache = new ResultCache(1_000_000);
  cache.put('a', 7, { value: 'first', startedMs: 5 }, 5);
  t.strictSame(cache.get('a', 7), { value: 'first', startedMs: 5 });
  t.equal(cache.get('a', 8), null, 'the data changed');
  t.equal(cache.get('b', 7), null);
  cache.put('a', 8, { value: 'second', startedMs: 6 }, 6);
  t.equal(cache.get('a', 7), null, 'only the newest version is cached');
  t.equal(cache.hitCount, 1);
  t.equal(cache.missCount, 3);
});

t.test('the cache never exceeds its size and keeps the most recently used answers', async (t) => {
  const prng = new Prng(SEED);
  const cache = new ResultCache(20_000);
  /** The keys that may be cached, in the order of their last use. */
  const used: string[] = [];
  for (let step = 0; step < 3_000; step++) {
    const key = `key ${prng.below(200)}`;
    if (prng.chance(0.5)) cache.put(key, 1, { value: key, startedMs: step }, prng.below(1_000));
    else if (cache.get<string>(key, 1)?.value !== key) continue;
    const before = used.indexOf(key);
    if (before >= 0) used.splice(before, 1);
    used.push(key);
    if (cache.bytes > 20_000) t.fail(`${cache.bytes} bytes at step ${step}`);
  }
  // An entry has at most 1,300 bytes, so the last 15 used entries always fit.
  for (const key of used.slice(-15)) t.equal(cache.get<string>(key, 1)?.value, key);
});

t.test('an answer that would occupy a large part of the cache is not cached', async (t) => {
  const cache = new ResultCache(10_000);
  cache.put('large', 1, { value: 'x', startedMs: 0 }, 2_000);
  t.equal(cache.get('large', 1), null);
  t.equal(cache.bytes, 0);
});
