/** A cached statement equals the result of parsing its text, in any order of texts. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { readScript } from '../../src/sql/script.js';
import { ScriptCache } from '../../src/sql/script-cache.js';

const SEED = 1_313;
t.comment(`seed ${SEED}`);

t.test('a text is parsed once, and again after its eviction', async (t) => {
  const cache = new ScriptCache();
  const text = 'SELECT word, COUNT(*) FROM [default] GROUP BY word';
  const first = cache.read(text);
  t.strictSame(first, readScript(text));
  t.equal(cache.read(text), first);
  const longer = `SELECT '${'x'.repeat(7_000)}'`;
  for (let other = 0; other < 12; other++) cache.read(`${longer}, ${other}`);
  t.equal(cache.read(text), first, 'it was used recently');
  for (let other = 0; other < 40; other++) cache.read(`${longer}, ${other}`);
  const again = cache.read(text);
  t.not(again, first);
  t.strictSame(again, first);
});

t.test('cached texts in any order give the same result as parsing', async (t) => {
  const prng = new Prng(SEED);
  const cache = new ScriptCache();
  const texts = Array.from(
    { length: 60 },
    (_, number) => `SELECT n + ${number}, '${'y'.repeat(prng.below(6_000))}' FROM [default] LIMIT ${number}`,
  );
  for (let round = 0; round < 400; round++) {
    const text = prng.pick(texts);
    const found = cache.read(text);
    if (JSON.stringify(found) !== JSON.stringify(readScript(text))) t.fail(text.slice(0, 40));
  }
});

t.test('writes, long texts and refused texts are not cached', async (t) => {
  const cache = new ScriptCache();
  for (const text of ["DELETE FROM [default] WHERE word = 'w'", `SELECT '${'x'.repeat(9_000)}'`]) {
    const first = cache.read(text);
    t.strictSame(first, readScript(text));
    t.not(cache.read(text), first);
  }
  for (let round = 0; round < 2; round++) t.throws(() => cache.read('SELECT FROM'), { code: 6000 });
});
