import t from 'tap';
import { type MemoryAccount, Prng, QuarryError, runToEnd } from '../../../src/base/index.js';
import { mergeMemory } from '../../../src/plan/merge-memory.js';
import { countDifferent, type Equality, firstEntries } from '../../../src/plan/select/equal-entries.js';

const SEED = 271_828;
t.comment(`seed ${SEED}`);

const enough = (): MemoryAccount => mergeMemory(2 ** 30);

/** Entries are equal if their values are; counts the comparisons. */
function equalityOf(values: ArrayLike<number>): Equality & { readonly compared: () => number } {
  let compared = 0;
  const same = (a: number, b: number): boolean => {
    compared++;
    return values[a] === values[b];
  };
  return {
    same,
    allSame: (a, b, count) => {
      for (let index = 0; index < count; index++) if (!same(a[index], b[index])) return false;
      return true;
    },
    order: (a, b) => {
      compared++;
      return values[a] - values[b];
    },
    compared: () => compared,
  };
}

function expectedFirsts(values: ArrayLike<number>): Uint32Array {
  const firsts = new Map<number, number>();
  return Uint32Array.from(values, (value, entry) => {
    if (!firsts.has(value)) firsts.set(value, entry);
    return firsts.get(value) ?? entry;
  });
}

const mixed = (value: number): number => Math.imul(value ^ (value >>> 15), 0x9e3779b1) >>> 0;

/** Kinds of hashes. */
const HASHES: Readonly<Record<string, (value: number) => number>> = {
  'well spread': mixed,
  'a few bits only': (value) => mixed(value) & 0xff,
  'all the same': () => 77,
  'of one partition': (value) => (mixed(value) << 11) >>> 0,
  'of one slot': (value) => (mixed(value) & 0xff800000) >>> 0,
};

for (const [what, hashOf] of Object.entries(HASHES)) {
  t.test(`the first of all equal entries is found among hashes that are ${what}`, async (t) => {
    const prng = new Prng(SEED);
    for (const count of [0, 1, 2, 100, 4_096, 4_097, 30_000]) {
      for (const range of [1, 50, 1_000_000]) {
        const values = Uint32Array.from({ length: count }, () => prng.below(range));
        const hashes = values.map(hashOf);
        const expected = expectedFirsts(values);
        const firsts = runToEnd(firstEntries(hashes.slice(), equalityOf(values), enough()));
        // Compared as one boolean: the difference of two lists would take minutes to print.
        t.equal(
          Buffer.compare(Buffer.from(firsts.buffer), Buffer.from(expected.buffer)),
          0,
          `${count} below ${range}`,
        );
        const different = runToEnd(countDifferent(hashes, equalityOf(values), enough()));
        t.equal(different, new Set(values).size);
      }
    }
  });

  t.test(`hashes that are ${what} cost no more than n log n comparisons`, async (t) => {
    const count = 2 ** 15;
    const values = Uint32Array.from({ length: count }, (_, entry) => entry >>> 1);
    const equality = equalityOf(values);
    runToEnd(firstEntries(values.map(hashOf), equality, enough()));
    t.ok(equality.compared() < count * 36, `${equality.compared()} comparisons`);
  });
}

t.test('memory is reserved first', async (t) => {
  const values = Uint32Array.from({ length: 10_000 }, (_, entry) => entry);
  const work = (bytes: number) => () =>
    runToEnd(firstEntries(values.slice(), equalityOf(values), mergeMemory(bytes)));
  for (const bytes of [0, 40_000, 80_000, 160_000]) t.throws(work(bytes), QuarryError);
  t.doesNotThrow(work(1_000_000));
});
