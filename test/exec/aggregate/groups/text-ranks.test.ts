import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { textRanks } from '../../../../src/exec/aggregate/groups/text-ranks.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { Texts } from '../../../../src/vector/index.js';

const SEED = 27_182;
t.comment(`seed ${SEED}`);

const LETTERS = ['a', 'b', '\u0000', '\uffff', '\u{10000}', 'ß', '1'];

t.test('ranks ascend with the bytes of the texts, and equal texts have the same rank', async (t) => {
  const prng = new Prng(SEED);
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  for (let round = 0; round < 60; round++) {
    const stem = prng.pick(['', 'a long shared prefix', '\u0000\u0000']);
    const letters = prng.pick([LETTERS, ['a', '\u0000']]);
    const strings = Array.from({ length: prng.pick([0, 1, 10, 200, 3_000]) }, () => {
      const length = prng.below(prng.pick([3, 9, 20]));
      return stem + Array.from({ length }, () => prng.pick(letters)).join('');
    });
    const memory = run.child();
    const ranks = textRanks(Texts.ofStrings(strings).utf8, strings.length, memory);
    memory.releaseAll();
    const distinct = [...new Set(strings)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const positions = new Map(distinct.map((text, rank) => [text, rank]));
    t.strictSame(
      [...ranks],
      strings.map((text) => positions.get(text)),
      `round ${round}`,
    );
  }
  t.equal(run.reservedBytes, 0);
});
