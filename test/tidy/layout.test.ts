/** Folders stay small enough to survey: a folder contains at most about 25 files directly. */
import t from 'tap';
import { filesUnder } from './source.js';

const FILES_MAX = 26;

/** Folders that directly contain more than `max` files, with the number of files. */
function crowded(files: readonly string[], max: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > max));
}

t.test('no folder of src and test contains many files directly', async (t) => {
  t.strictSame([...crowded(['a/b/1', 'a/b/2', 'a/3'], 1).keys()], ['a/b']);
  const found = crowded([...filesUnder('src'), ...filesUnder('test')], FILES_MAX);
  t.strictSame([...found.keys()].sort(), []);
});
