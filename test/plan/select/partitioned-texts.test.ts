/** Different texts of several lists, against a set of strings. */
import t from 'tap';
import { hashBytes, Prng } from '../../../src/base/index.js';
import { TEXT_PARTITIONS } from '../../../src/ir/index.js';
import { MemoryBudget } from '../../../src/plan/memory-budget.js';
import { countPartitioned, type PartitionedList } from '../../../src/plan/select/partitioned-texts.js';
import { runToEnd } from '../../../src/plan/slices.js';
import { collidingWords } from '../../support/colliding.js';

const SEED = 90_210;
t.comment(`seed ${SEED}`);

const enough = (): MemoryBudget => new MemoryBudget(2 ** 30);
const hashOf = (text: Uint8Array): number => hashBytes(text, 0, text.length);

function listOf(texts: readonly Uint8Array[]): PartitionedList {
  const sorted = [...texts].sort((a, b) => (hashOf(a) % TEXT_PARTITIONS) - (hashOf(b) % TEXT_PARTITIONS));
  const offsets = new Uint32Array(texts.length + 1);
  const partitions = new Uint32Array(TEXT_PARTITIONS + 1);
  sorted.forEach((text, at) => {
    offsets[at + 1] = offsets[at] + text.length;
    partitions[(hashOf(text) % TEXT_PARTITIONS) + 1]++;
  });
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++) {
    partitions[partition + 1] += partitions[partition];
  }
  const bytes = new Uint8Array(Buffer.concat(sorted));
  return { offsets, bytes, hashes: Uint32Array.from(sorted, hashOf), partitions };
}

t.test('texts that stand in several lists count once', async (t) => {
  for (const listCount of [1, 2, 3, 7]) {
    for (const [count, range] of [
      [0, 1],
      [3, 4],
      [200, 300],
      [6_000, 9_000],
      [6_000, 2 ** 30],
    ]) {
      const prng = new Prng(SEED + listCount * count);
      const strings = Array.from({ length: listCount }, () => {
        const own = new Set(
          Array.from({ length: count }, () => `${'é'.repeat(prng.below(3))}${prng.below(range)}`),
        );
        return prng.chance(0.5) ? own.add('') : own;
      });
      const lists = strings.map((own) => listOf([...own].map((text) => Buffer.from(text))));
      const expected = new Set(strings.flatMap((own) => [...own])).size;
      t.equal(runToEnd(countPartitioned(lists, enough())), expected, `${listCount} lists of ${count}`);
    }
  }
});

t.test('a few texts of one hash are told apart, many are left to another way', async (t) => {
  const textsOf = (from: number, to: number): Uint8Array[] => {
    const bytes = new Uint8Array(collidingWords(to).buffer);
    return Array.from({ length: to - from }, (_, at) => bytes.slice((from + at) * 8, (from + at + 1) * 8));
  };
  t.equal(new Set(textsOf(0, 20).map(hashOf)).size, 1);
  t.equal(runToEnd(countPartitioned([listOf(textsOf(0, 8)), listOf(textsOf(4, 12))], enough())), 12);
  t.equal(
    runToEnd(countPartitioned([listOf(textsOf(0, 4_000)), listOf(textsOf(2_000, 6_000))], enough())),
    null,
  );
});

t.test('a table that finds no room is refused', async (t) => {
  const lists = [listOf(Array.from({ length: 1_000 }, (_, text) => Buffer.from(`${text}`)))];
  t.throws(() => runToEnd(countPartitioned(lists, new MemoryBudget(50))), { code: 9006 });
});
