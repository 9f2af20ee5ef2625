import t from 'tap';
import { columnsOfWords, MemoryAccount, Prng, runToEnd, sortEntries } from '../../src/base/index.js';

const SEED = 577_215;
t.comment(`seed ${SEED}`);

const account = (bytes: number): MemoryAccount => new MemoryAccount(bytes, () => 'too little memory');

/** Words of one distribution: any, few different ones, equal high bits, or half of them equal. */
function generatedWord(prng: Prng, shape: number): number {
  switch (shape) {
    case 0:
      return prng.u32();
    case 1:
      return prng.below(3);
    case 2:
      return 0xffff_0000 + prng.below(2 ** 16);
    case 3:
      return prng.below(2) === 0 ? 7 : prng.u32();
    default:
      return 5;
  }
}

t.test('entries are sorted by their words, and ties keep their order', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 150; round++) {
    const count = prng.pick([0, 1, 2, 13, 300, 20_000, 100_000].slice(0, round % 10 === 0 ? 7 : 5));
    const words = Array.from({ length: 1 + prng.below(3) }, () => {
      const shape = prng.below(5);
      return Uint32Array.from({ length: count }, () => generatedWord(prng, shape));
    });
    const memory = account(2 ** 22);
    const entries = Uint32Array.from({ length: count }, (_, entry) => entry);
    runToEnd(sortEntries(columnsOfWords(words), entries, memory));
    const isAfter = (a: number, b: number): boolean => {
      for (const column of words) if (column[a] !== column[b]) return column[a] > column[b];
      return a >= b;
    };
    const wrong = entries.findIndex((entry, at) => at > 0 && isAfter(entries[at - 1], entry));
    t.equal(wrong, -1, `round ${round}: ${count} entries`);
    t.equal(new Set(entries).size, count, 'no entry is lost');
    t.equal(memory.reservedBytes, 0);
  }
});

t.test('the memory of a sort is refused before it is allocated', async (t) => {
  const memory = account(1_000);
  const words = [new Uint32Array(1_000)];
  t.throws(() => runToEnd(sortEntries(columnsOfWords(words), new Uint32Array(1_000), memory)), {
    code: 9006,
  });
  t.equal(memory.reservedBytes, 0);
});
