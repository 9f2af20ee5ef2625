import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { csvSource } from '../../../../src/commands/import/formats/csv.js';
import { LINE_BYTES_MAX } from '../../../../src/commands/import/text/text-block.js';

interface Rows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly broken: readonly { readonly row: number; readonly line: number; readonly reason: string }[];
  readonly lines: readonly number[];
}

async function* inParts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readCsv(bytes: Uint8Array, partBytes = 2 ** 16, delimiter = ','): Promise<Rows> {
  const source = await csvSource(inParts(bytes, partBytes), 'it', { delimiter, header: null });
  const all = { rows: [] as unknown[][], broken: [] as Rows['broken'][number][], lines: [] as number[] };
  const used = source.columns.map((_, index) => index);
  for await (const block of source.blocks(0, used)) {
    for (let row = 0; row < block.count; row++) all.rows.push(block.columns.map((column) => column[row]));
    all.broken.push(...block.broken.map(({ row, line, reason }) => ({ row, line, reason })));
    all.lines.push(...Array.from(block.lines ?? []));
  }
  return { names: source.columns.map(({ name }) => name), ...all };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

t.test('generated fields are read back unchanged, however the bytes are split', async (t) => {
  const random = new Prng(3);
  const letters = ['a', 'b', '"', ',', '\n', '\r\n', 'é', '✓', '😀', ' ', ''];
  const field = (): string => Array.from({ length: random.below(6) }, () => random.pick(letters)).join('');
  for (let round = 0; round < 60; round++) {
    const rows = Array.from({ length: random.between(1, 30) }, () => [`x${field()}`, field(), field()]);
    const written = (text: string): string =>
      /[",\r\n]/.test(text) || random.chance(0.3) ? `"${text.replaceAll('"', '""')}"` : text;
    const end = random.pick(['\n', '\r\n']);
    const lines = rows.map((row) => row.map(written).join(','));
    const mark = random.chance(0.5) ? '\uFEFF' : '';
    const text = `${mark}one,two,three${end}${lines.join(end)}${random.chance(0.5) ? end : ''}`;
    const read = await readCsv(bytesOf(text), random.between(1, 40));
    t.strictSame(read.rows, rows, `round ${round}`);
    t.strictSame(read.broken, [], `round ${round}`);
  }
});

t.test('broken rows are reported by row and line, and the rows around them are read', async (t) => {
  const text = 'a,b\n1,2\n3\n4,5,6\n"x\ny",7\n\n8,b"ad\n"open"ed,9\n10,11\n';
  const { rows, broken, lines } = await readCsv(bytesOf(text));
  t.strictSame(rows, [
    ['1', '2'],
    ['x\ny', '7'],
    ['10', '11'],
  ]);
  t.strictSame(lines, [2, 5, 10]);
  t.strictSame(broken, [
    { row: 2, line: 3, reason: '1 fields, but the header has 2' },
    { row: 3, line: 4, reason: '3 fields, but the header has 2' },
    { row: 5, line: 8, reason: 'a field that does not begin with a quote contains one' },
    { row: 6, line: 9, reason: 'a closing quote is followed by other text' },
  ]);
});

t.test('a quote that is never closed makes only its own line bad', async (t) => {
  const { rows, broken } = await readCsv(bytesOf('a,b\n1,2\n"3,4\n5,6\n'), 3);
  t.strictSame(rows, [
    ['1', '2'],
    ['5', '6'],
  ]);
  t.strictSame(broken, [{ row: 2, line: 3, reason: 'a quote is never closed' }]);
});

t.test('columns without a name or with equal names get distinct names', async (t) => {
  const { names, rows } = await readCsv(bytesOf('a,,a, a \n1,2,3,4\n'));
  t.strictSame(names, ['a', 'column-2', 'a-2', 'a-3']);
  t.strictSame(rows, [['1', '2', '3', '4']]);
});

t.test('a file with only a header has no rows, and an empty file is refused', async (t) => {
  t.strictSame((await readCsv(bytesOf('a,b\n'))).rows, []);
  await t.rejects(readCsv(bytesOf('')), { message: /is empty/ });
});

t.test('an overlong line is one broken row and is not held in memory', async (t) => {
  const long = Buffer.alloc(20 * LINE_BYTES_MAX, 'x');
  const { rows, broken } = await readCsv(Buffer.concat([bytesOf('a\n1\n'), long, bytesOf('\n2\n')]));
  t.strictSame(rows, [['1'], ['2']]);
  t.strictSame(broken, [{ row: 2, line: 3, reason: 'the line is longer than 1 MiB' }]);
});

t.test('invalid UTF-8 affects no other line', async (t) => {
  const { rows } = await readCsv(Buffer.concat([bytesOf('a\nü\n'), Buffer.from([0xfc, 10]), bytesOf('ü\n')]));
  t.strictSame(rows, [['ü'], ['\udcfc'], ['ü']]);
});
