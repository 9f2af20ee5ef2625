/**
 * Runs several test files in one process, one after another: a process costs half a second of CPU before its first
 * test. TEST_FILES names them, one path per line. The TAP output is that of one file.
 */
import path from 'node:path';
import t from 'tap';

const { TEST_FILES = '', TAP_TIMEOUT } = process.env;

/** The tests of the files wait while this test runs; without it tap could end after the tests of one file. */
t.test('the files are loaded', async (loading) => {
  for (const file of TEST_FILES.split('\n')) {
    t.comment(`file ${file}`);
    await loading.resolves(import(path.resolve(file)), file);
    // A file may set its own timeout. Here the files share the time that the runner allows.
    t.setTimeout(Number(TAP_TIMEOUT) * 1000);
  }
});
