/** Identifiers use one word for one thing: none contains an abandoned word (words.ts). */
import t from 'tap';
import { filesUnder, parse, read } from './source.js';
import { ABANDONED, wordBreaches, wordsOf } from './words.js';

const breaches = (file: string, text: string): string[] => wordBreaches(file, parse(file, text).tree);

t.test('an identifier is split into its words', async (t) => {
  t.strictSame(wordsOf('#readHTTPLineOf2'), ['read', 'http', 'line', 'of2']);
  t.strictSame(wordsOf('ROWS_MAX'), ['rows', 'max']);
});

t.test('a name that contains an abandoned word is found', async (t) => {
  for (const text of [
    'const laneCount = 1;',
    'class QuerySeats {}',
    'class A { #askers = 1; }',
    'interface A { onHangUp: number }',
    'function f(told: number) {}',
    'const { a: figures } = b;',
    'type FrontDoor = string;',
  ]) {
    t.equal(breaches('src/engine/x.ts', text).length, 1, text);
  }
  t.strictSame(
    breaches('src/engine/x.ts', 'const planetCount = indoors.lane;'),
    [],
    'uses are not declarations',
  );
  t.strictSame(breaches('src/kernels/js/x.ts', 'const laneCount = 4;'), [], 'SIMD lanes');
});

t.test('no source, test or benchmark declares a name with an abandoned word', async (t) => {
  const files = ['src', 'test', 'native-bench']
    .flatMap(filesUnder)
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.startsWith('src/kernels/wasm/'));
  t.ok(files.length > 1000, `${files.length} files`);
  t.strictSame(
    files.flatMap((file) => wordBreaches(file, parse(file, read(file)).tree)),
    [],
  );
  t.ok(ABANDONED.size > 0);
});
