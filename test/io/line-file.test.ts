import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { LineFile } from '../../src/io/index.js';

function newPath(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-lines-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  return path.join(dir, 'audit.log');
}

/** Records the notifications to the owner of the file. */
function recordedEvents() {
  const words: string[] = [];
  return {
    words,
    onTrouble: (error: Error) => void words.push(error.message.split(':')[0]),
    onRecovered: (lostCount: number) => void words.push(`again, ${lostCount} lost`),
  };
}

const textOf = (file: string): string => fs.readFileSync(file, 'utf8');

t.test(
  'lines are complete and in order, in a file that only its owner can read, across openings',
  async (t) => {
    const file = newPath(t);
    const events = recordedEvents();
    const first = await LineFile.open({ path: file, ...events });
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index} ${'\u00e9'.repeat(index)}`);
    for (const line of lines) first.write(line);
    await first.close();
    t.equal(fs.statSync(file).mode & 0o777, 0o600);
    const second = await LineFile.open({ path: file, ...events });
    second.write('at last');
    await second.close();
    t.equal(textOf(file), [...lines, 'at last', ''].join('\n'));
    t.strictSame(events.words, []);
  },
);

t.test('after a cut line the next one starts on a new line', async (t) => {
  const file = newPath(t);
  fs.writeFileSync(file, 'whole\ncut');
  const lines = await LineFile.open({ path: file, ...recordedEvents() });
  lines.write('next');
  await lines.close();
  t.equal(textOf(file), 'whole\ncut\nnext\n');
});

t.test('after a rename, reopen continues in a new file, and no line is lost', async (t) => {
  const file = newPath(t);
  const lines = await LineFile.open({ path: file, ...recordedEvents() });
  lines.write('1');
  await lines.settled();
  fs.renameSync(file, `${file}.1`);
  lines.write('2');
  await lines.settled();
  t.equal(textOf(`${file}.1`), '1\n2\n', 'the old file is used before the reopening');
  lines.reopen();
  lines.write('3');
  await lines.close();
  t.equal(textOf(`${file}.1`) + textOf(file), '1\n2\n3\n');
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
});

t.test('a write failure is reported once, and so is the recovery', async (t) => {
  const file = newPath(t);
  const events = recordedEvents();
  const lines = await LineFile.open({ path: file, ...events });
  fs.rmSync(file);
  fs.mkdirSync(file);
  lines.reopen();
  await lines.settled();
  for (const line of ['a', 'b', 'c']) {
    lines.write(line);
    await lines.settled();
  }
  t.strictSame(events.words, ['EISDIR']);
  fs.rmdirSync(file);
  lines.write('d');
  await lines.close();
  t.strictSame(events.words, ['EISDIR', 'again, 3 lost']);
  t.equal(textOf(file), 'd\n');
});

t.test('the number of lines waiting for the disk is limited', async (t) => {
  const file = newPath(t);
  const events = recordedEvents();
  const lines = await LineFile.open({ path: file, waitingMax: 2, ...events });
  for (let index = 0; index < 10; index++) lines.write(String(index));
  await lines.settled();
  t.strictSame(events.words, ['the disk does not keep up', 'again, 7 lost']);
  t.equal(textOf(file), '0\n1\n2\n', 'one line is being written, two wait');
  await lines.close();
});

t.test('a full disk loses lines and is reported; a missing directory is refused', async (t) => {
  await t.rejects(
    LineFile.open({ path: path.join(path.dirname(newPath(t)), 'no', 'x'), ...recordedEvents() }),
    {
      code: 'ENOENT',
    },
  );
  const events = recordedEvents();
  const full = await LineFile.open({ path: '/dev/full', ...events });
  full.write('x');
  await full.settled();
  t.strictSame(events.words, ['ENOSPC']);
  await full.close();
});
