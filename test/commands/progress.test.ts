/** The progress of long tasks: a bar on a terminal, lines elsewhere. */
import { PassThrough } from 'node:stream';
import t from 'tap';
import { formatBytes, type Output, startBar, startProgress, type Work } from '../../src/commands/progress.js';

const ROWS: Work = { what: 'flights', total: 1_000, unit: 'rows' };
const BYTES: Work = { what: 'verify', total: 3e9, unit: 'bytes' };

/** A stream that records its output; a terminal is wide enough for any bar. */
function outputOf(isTTY: boolean): { out: Output; text: () => string } {
  const out = Object.assign(new PassThrough(), {
    isTTY,
    columns: 200,
    cursorTo() {},
    clearLine() {},
    moveCursor() {},
  });
  let text = '';
  out.on('data', (part: Buffer) => {
    text += part.toString();
  });
  return { out, text: () => text };
}

t.test('without a terminal a line is written after every tenth', (t) => {
  const { out, text } = outputOf(false);
  let nowMs = 0;
  const progress = startProgress(out, ROWS, () => nowMs);
  for (let row = 0; row < 1_000; row += 50) {
    nowMs += 10;
    progress.add(50, 5_000);
  }
  progress.stop();
  const lines = text().split('\n');
  t.equal(lines.length, 11);
  t.equal(lines[0], '  flights: 100 of 1,000 | 5,000 flights/s | 0.5 MB/s');
  t.equal(lines[9], '  flights: 1,000 of 1,000 | 5,000 flights/s | 0.5 MB/s');
  t.end();
});

t.test('on a terminal the bar of rows or bytes ends full', (t) => {
  for (const [work, shown] of [
    [ROWS, '100% | 1,000/1,000 | 1,000 flights/s | 1.0 MB/s'],
    [BYTES, '100% | 3.0 GB/3.0 GB | 3000.0 MB/s'],
  ] as const) {
    const { out, text } = outputOf(true);
    let nowMs = 0;
    const progress = startBar(out, work, () => nowMs);
    nowMs = 1_000;
    progress.add(work.total, 1e6);
    progress.stop();
    t.ok(text().includes(shown), text());
    t.notMatch(text(), /NaN|undefined|NULL/);
  }
  t.end();
});

t.test('a bar is drawn only on a terminal, and not for an empty task', (t) => {
  for (const [isTTY, total] of [
    [false, 10],
    [true, 0],
  ] as const) {
    const { out, text } = outputOf(isTTY);
    const progress = startBar(out, { ...BYTES, total }, () => 0);
    progress.add(total);
    progress.stop();
    t.equal(text(), '');
  }
  t.end();
});

t.test('bytes are shown in decimal units', (t) => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [99_400, '99.4 kB'],
    [99_500, '100 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [67_108_864, '67.1 MB'],
    [5e12, '5.0 TB'],
    [5e18, '5000 PB'],
  ] as const) {
    t.equal(formatBytes(bytes), text);
  }
  t.end();
});

t.test('lines that are written aside are lines of their own', (t) => {
  const { out, text } = outputOf(true);
  const bar = startBar(out, ROWS, () => 0);
  bar.add(500);
  bar.aside(() => out.write('waiting\n'));
  bar.stop();
  t.match(text(), '\r\u001b[Kwaiting\n', 'the line of the bar is cleared before');
  t.ok(text().indexOf('flights') < text().indexOf('waiting'));
  t.ok(text().lastIndexOf('flights') > text().indexOf('waiting'), 'the bar is drawn again');
  const plain = outputOf(false);
  startProgress(plain.out, ROWS, () => 0).aside(() => plain.out.write('waiting\n'));
  t.equal(plain.text(), 'waiting\n');
  t.end();
});
