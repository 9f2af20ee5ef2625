/** Sort keys of strings, by rank and by prefix. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ranksPay, TextKey } from '../../../src/exec/extract/text-key.js';
import { Dictionary } from '../../../src/storage/index.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS } from '../../storage/stored.js';
import { Extraction, generateValue, unbounded } from './extraction.js';

const SEED = 2_236;
t.comment(`seed ${SEED}`);

const [, , , TEXTS] = COLUMNS;

const sign = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

t.test(
  'rows and positions have the same order by rank and by prefix, ascending and descending',
  async (t) => {
    const prng = new Prng(SEED);
    const extraction = new Extraction(null, 1);
    for (let at = 0; at < 150; at++) {
      const latest = prng.chance(0.2) ? null : generateValue(prng, TEXTS, true);
      extraction.insert([{ id: `e${at}`, fields: [{ column: TEXTS, latest }] }]);
    }
    const shard = extraction.shards[0].dimension(KEY);
    const texts = [
      ...Array.from({ length: 40 }, () => generateValue(prng, TEXTS, true) as string),
      '',
      'zz',
      null,
    ];
    for (const descending of [false, true]) {
      const [ranked, plain] = [true, false].map(
        (ranks) => new TextKey(shard, TEXTS.id, descending, 0, ranks, unbounded()),
      );
      const orderOf = (key: TextKey, a: number, b: number): number =>
        sign(key.number(a), key.number(b)) || Math.sign(key.compareTied(a, b));
      const faults: string[] = [];
      for (let a = 0; a < 150; a++) {
        for (let b = 0; b < 150; b++) {
          const [valueA, valueB] = [ranked.value(a), ranked.value(b)];
          let wanted = 0;
          if (valueA === null || valueB === null) wanted = Number(valueA === null) - Number(valueB === null);
          else
            wanted =
              Buffer.compare(Buffer.from(String(valueA)), Buffer.from(String(valueB))) *
              (descending ? -1 : 1);
          if (orderOf(ranked, a, b) !== (wanted || 0)) faults.push(`ranks: ${valueA}, ${valueB}`);
          if (orderOf(plain, a, b) !== (wanted || 0)) faults.push(`first bytes: ${valueA}, ${valueB}`);
        }
      }
      for (const text of texts) {
        const position = { id: 'x', score: 0, distanceKm: 0, values: [text] };
        for (let row = 0; row < 150; row++) {
          const [byRank, byBytes] = [ranked, plain].map((key) => {
            const bound = key.bound(position);
            return sign(key.number(row), bound.number) || Math.sign(bound.compareTied(row));
          });
          if (byRank !== byBytes) faults.push(`${text}: ${byRank} by rank, ${byBytes} by prefix`);
        }
      }
      t.strictSame(faults.slice(0, 3), []);
    }
  },
);

t.test('rows of a shard without the column sort after every text', async (t) => {
  const extraction = new Extraction(null, 1);
  extraction.insert([{ id: 'one', fields: [] }]);
  const key = new TextKey(extraction.shards[0].dimension(KEY), 4, true, 0, true, unbounded());
  const bound = key.bound({ id: 'x', score: 0, distanceKm: 0, values: ['a'] });
  t.ok(key.number(0) > bound.number);
});

t.test('a dictionary is ranked for many rows, but not for a few rows or if it is too large', async (t) => {
  const dictionary = new Dictionary();
  for (let code = 1; code < 100; code++) {
    dictionary.intern(code, Buffer.from(String(code)), 0, String(code).length);
  }
  t.equal(ranksPay(dictionary, 1_000), true);
  t.equal(ranksPay(dictionary, 10), false);
  t.equal(ranksPay(undefined, 1_000), false);
});
