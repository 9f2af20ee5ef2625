/** The progress of a copy, measured from its files, which the test writes step by step. */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { type CopiedFile, showCopy } from '../../../src/commands/admin/copy-progress.js';
import { directoryFor } from '../command-run.js';

const FILES: readonly CopiedFile[] = [
  { path: 'snapshot/d1-1/a.arrow', bytes: 1_000 },
  { path: 'snapshot/d1-1/b.arrow', bytes: 3_000 },
  { path: 'snapshot/d2-1/c.arrow', bytes: 6_000 },
];

/** Shows the progress of a copy that the test ends by `end`. */
function shownCopy(to: string, files: () => Promise<readonly CopiedFile[] | null>) {
  const out = new PassThrough();
  let text = '';
  out.on('data', (part: Buffer) => {
    text += part.toString();
  });
  let end = (_how: 'whole' | Error): void => {};
  const copying = new Promise<string>((resolve, reject) => {
    end = (how) => (how === 'whole' ? resolve('copied') : reject(how));
  });
  const shown = showCopy({ what: 'backup', to, files, out, lookEveryMs: 1 }, copying);
  /** Resolves with the lines, without rates, when there are `count` of them. */
  const lines = async (count: number): Promise<string[]> => {
    while (text.split('\n').length <= count) await new Promise((resolve) => setTimeout(resolve, 1));
    return text.split('\n').map((line) => line.split(' | ')[0]);
  };
  return { shown, end, lines, text: () => text };
}

function write(dir: string, name: string, bytes: number): void {
  const file = path.join(dir, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.alloc(bytes));
}

t.test('files are counted in order as they grow, and all of them when the copy is complete', async (t) => {
  const to = directoryFor(t);
  let known: readonly CopiedFile[] | null = null;
  const { shown, end, lines } = shownCopy(to, async () => known);
  write(to, FILES[0].path, 1_000);
  known = FILES;
  t.strictSame(await lines(1), ['  backup: 1.0 kB of 10.0 kB', '']);
  write(to, FILES[1].path, 1_500);
  t.equal((await lines(2))[1], '  backup: 2.5 kB of 10.0 kB');
  write(to, FILES[1].path, 3_000);
  t.equal((await lines(3))[2], '  backup: 4.0 kB of 10.0 kB');
  end('whole');
  t.equal(await shown, 'copied');
  t.strictSame((await lines(4)).slice(3), ['  backup: 10.0 kB of 10.0 kB', '']);
});

t.test('the bar of a failed copy stops, and unreadable files are not shown', async (t) => {
  const to = directoryFor(t);
  let callCount = 0;
  const { shown, end, text } = shownCopy(to, async () => {
    callCount++;
    throw new Error('no manifest');
  });
  while (callCount < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  end(new Error('the disk is full'));
  await t.rejects(shown, { message: 'the disk is full' });
  t.equal(text(), '');
});

t.test('nothing is shown for a copy that ends at once or has no files', async (t) => {
  const to = directoryFor(t);
  const quick = shownCopy(to, async () => FILES);
  quick.end('whole');
  await quick.shown;
  t.equal(quick.text(), '');
  let callCount = 0;
  const empty = shownCopy(to, async () => {
    callCount++;
    return [];
  });
  while (callCount < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  empty.end('whole');
  await empty.shown;
  t.equal(empty.text(), '');
});
