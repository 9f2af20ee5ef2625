/** The least and greatest of long texts, many of which are replaced. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { BestTexts } from '../../../../src/exec/aggregate/states/aggregate-best-texts.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { fromWire, valueAt } from '../../../../src/vector/index.js';

const SEED = 264_575;
t.comment(`seed ${SEED}`);

const GROUPS = 3;

t.test('compaction removes replaced texts and keeps all others', (t) => {
  const prng = new Prng(SEED);
  const run = new QueryRun(null, 0, 2 ** 30);
  const memory = run.child();
  const best = new BestTexts('max', memory);
  best.reserve(GROUPS + 1);
  const expected = new Array<string | null>(GROUPS + 1).fill(null);
  for (let round = 0; round < 2_000; round++) {
    // Later texts tend to be better.
    const text = `${String(round + prng.below(50)).padStart(6, '0')}${'x'.repeat(prng.below(2_000))}`;
    const group = prng.between(1, GROUPS - 1);
    const bytes = Buffer.from(`..${text}`);
    best.offer(group, bytes, 2, bytes.length);
    const stored = expected[group];
    if (stored === null || text > stored) expected[group] = text;
  }
  t.ok(memory.reservedBytes < 400_000, `${memory.reservedBytes} bytes for ${GROUPS} texts`);
  const answer = fromWire(best.texts(GROUPS, run));
  t.strictSame(
    Array.from({ length: GROUPS }, (_, group) => valueAt(answer, group)),
    expected.slice(1),
  );
  t.end();
});
