/**
 * Several test files in one process, one after the other: a process costs half a second of CPU before its first test.
 * TEST_FILES names them, a path a line; the TAP that comes out is that of one file.
 */
import path from 'node:path';
import t from 'tap';

const { TEST_FILES = '', TAP_TIMEOUT } = process.env;

/** While this test runs, those of the files wait; without it tap could take the end of one file's for the end. */
t.test('the files are loaded', async (loading) => {
  for (const file of TEST_FILES.split('\n')) {
    t.comment(`file ${file}`);
    await loading.resolves(import(path.resolve(file)), file);
    // A file may bound itself; together they have the time that the runner gives.
    t.setTimeout(Number(TAP_TIMEOUT) * 1000);
  }
});
