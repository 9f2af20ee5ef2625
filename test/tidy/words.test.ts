/** Identifiers and file names use one word for one thing: none contains an abandoned word (words.ts). */
import t from 'tap';
import { filesUnder, parse, read } from './source.js';
import { ABANDONED, fileNameBreaches, wordBreaches, wordsOf } from './words.js';

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

t.test('a file name that contains an abandoned word is found', async (t) => {
  for (const file of [
    'src/console/ask/draft.ts',
    'src/commands/admin/ask-store.test.ts',
    'src/plan/cellRuns.ts',
  ]) {
    t.equal(fileNameBreaches(file).length, 1, file);
  }
  t.strictSame(fileNameBreaches('src/plan/task-runs.ts'), []);
  t.strictSame(fileNameBreaches('src/kernels/wasm/_lanes.ts'), [], 'SIMD lanes');
});

t.test('no file of sources, tests or benchmarks has an abandoned word in its name', async (t) => {
  const files = ['src', 'test', 'native-bench'].flatMap(filesUnder);
  t.ok(files.length > 1000, `${files.length} files`);
  t.strictSame(files.flatMap(fileNameBreaches), []);
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
