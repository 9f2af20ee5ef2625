import t from 'tap';
import { MemoryAccount, Prng, runToEnd } from '../../src/base/index.js';
import { rankTexts, Texts, type TextVector } from '../../src/vector/index.js';

const SEED = 693_147;
t.comment(`seed ${SEED}`);

const LETTERS = ['a', 'b', '\u0000', '\uffff', '\u{10000}', 'ß', '1'];

t.test(
  'ranks ascend with the bytes of the texts that occur, and equal texts have the same rank',
  async (t) => {
    const prng = new Prng(SEED);
    const memory = new MemoryAccount(2 ** 24, () => 'too little memory');
    for (let round = 0; round < 200; round++) {
      const stem = prng.pick(['', 'a long shared prefix', '\u0000\u0000']);
      const letters = prng.pick([LETTERS, ['a', '\u0000']]);
      const strings = Array.from({ length: prng.pick([1, 10, 200, 3_000]) }, () => {
        const length = prng.below(prng.pick([3, 9, 20]));
        return stem + Array.from({ length }, () => prng.pick(letters)).join('');
      });
      const hasCodes = prng.below(2) === 0;
      const count = hasCodes ? prng.pick([0, 1, 40, 4_000]) : strings.length;
      const codes = hasCodes ? Uint32Array.from({ length: count }, () => prng.below(strings.length)) : null;
      const valid = prng.below(2) === 0 ? null : Uint8Array.from({ length: count }, () => prng.below(2));
      const vector: TextVector = { kind: 'text', count, valid, codes, texts: Texts.ofStrings(strings) };
      const { ranks, max } = runToEnd(rankTexts(vector, memory));
      const isValid = (row: number): boolean => valid === null || valid[row] === 1;
      const texts = Array.from({ length: count }, (_, row) => strings[codes === null ? row : codes[row]]);
      const distinct = [...new Set(texts.filter((_, row) => isValid(row)))];
      distinct.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const positions = new Map(distinct.map((text, position) => [text, position]));
      const wrong = texts.findIndex((text, row) =>
        isValid(row) ? ranks[row] !== positions.get(text) : ranks[row] > max,
      );
      t.equal(wrong, -1, `round ${round}`);
      t.equal(max, Math.max(distinct.length - 1, 0));
      t.equal(memory.reservedBytes, count * 4);
      memory.releaseAll();
    }
  },
);
