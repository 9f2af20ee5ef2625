import fc from 'fast-check';
import t from 'tap';
import { isBlank, onOneLine, StatementReader } from '../../../src/commands/sql/statements.js';

function all(parts: readonly string[]): string[] {
  const reader = new StatementReader();
  return [...parts.flatMap((part) => reader.take(part)), reader.rest()].filter((one) => one !== '');
}

const TEXT = `SELECT ';', "a;b", [c;d], 'it''s;' -- not ; here
FROM t; /* nor ; /* nested ; */ ; */ SELECT 2;
;; -- nothing
UPDATE t SET a = '--' ; DELETE FROM t`;
const WANTED = [
  `SELECT ';', "a;b", [c;d], 'it''s;' -- not ; here\nFROM t`,
  '/* nor ; /* nested ; */ ; */ SELECT 2',
  "-- nothing\nUPDATE t SET a = '--'",
  'DELETE FROM t',
];

t.test('a statement ends at a ; outside of quotes, brackets and comments', (t) => {
  t.strictSame(all([TEXT]), WANTED);
  t.end();
});

t.test('the statements are the same wherever the text is split', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length), { maxLength: 12 }), (cuts) => {
      const offsets = [0, ...cuts.sort((a, b) => a - b), TEXT.length];
      const parts = offsets.slice(1).map((end, index) => TEXT.slice(offsets[index], end));
      return JSON.stringify(all(parts)) === JSON.stringify(WANTED);
    }),
    { seed: 5, numRuns: 200 },
  );
  t.end();
});

t.test('white space and comments are not a statement', (t) => {
  for (const text of ['', ' \n\t', '-- a', '/* b */ -- c', '/* open']) t.ok(isBlank(text), text);
  for (const text of ['x', '-- a\nx', "''"]) t.notOk(isBlank(text), text);
  t.end();
});

t.test('a statement that is joined into one line keeps its meaning', (t) => {
  t.equal(onOneLine("SELECT a, -- the a\n   'x  y' /* b */\nFROM t"), "SELECT a, 'x  y' FROM t");
  t.equal(onOneLine('  SELECT\t1  '), 'SELECT 1');
  t.end();
});
