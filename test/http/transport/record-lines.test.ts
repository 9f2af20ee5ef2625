import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  CsvRecordLines,
  JsonRecordLines,
  type RecordLines,
} from '../../../src/http/transport/record-lines.js';
import { QUOTED_BREAK } from '../../../src/ingest/index.js';

/** The bytes after `lines` has changed them in chunks of random lengths. */
function changed(text: string, lines: RecordLines, random: Prng): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; ) {
    const length = random.between(1, 9);
    lines.change(bytes.subarray(at, at + length));
    at += length;
  }
  return bytes;
}

const valuesIn = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);

t.test('records of JSON become lines, however they are written', async (t) => {
  const seed = 31_337;
  const random = new Prng(seed);
  const texts = ['x', '[', ']', '{', '}', ',', '"', '\\', '\n', ',\\"[', 'ü😀', ''];
  const value = (depth: number): unknown => {
    const kind = random.between(0, depth > 2 ? 1 : 3);
    if (kind === 0) return random.pick(texts);
    if (kind === 1) return random.pick([1, -2.5, true, null]);
    const items = Array.from({ length: random.between(0, 3) }, () => value(depth + 1));
    return kind === 2 ? items : Object.fromEntries(items.map((item, at) => [random.pick(texts) + at, item]));
  };
  for (let round = 0; round < 1_000; round++) {
    const records = Array.from({ length: random.between(0, 6) }, () => ({ id: value(1), more: value(1) }));
    const indent = random.pick([0, 1, 2]);
    const bodies = [
      JSON.stringify(records, null, indent),
      records.map((record) => JSON.stringify(record, null, indent)).join('\n'),
      `\n ${JSON.stringify(records, null, indent)}\r\n`,
    ];
    for (const body of bodies) {
      const lines = new JsonRecordLines();
      const bytes = changed(body, lines, random);
      const text = new TextDecoder().decode(bytes);
      const problem = lines.end();
      if (problem !== null || JSON.stringify(valuesIn(text)) !== JSON.stringify(records)) {
        return t.fail(`seed ${seed}, round ${round}: ${problem}`, { body, text });
      }
      if (bytes.length !== Buffer.byteLength(body))
        return t.fail(`seed ${seed}, round ${round}: the length changed`);
    }
  }
  t.pass();
});

t.test('a body of JSON that ends too early is seen', async (t) => {
  for (const [body, isWhole] of [
    ['[{"a":1},', false],
    ['[{"a":1}', false],
    ['{"a":', false],
    ['{"a":"x', false],
    ['[]', true],
    ['', true],
    ['[{"a":1}]', true],
  ] as const) {
    const lines = new JsonRecordLines();
    changed(body, lines, new Prng(1));
    t.equal(lines.end() === null, isWhole, body);
  }
});

t.test('line breaks inside quoted values of CSV do not end a line', async (t) => {
  const seed = 777;
  const random = new Prng(seed);
  const texts = ['x', '', 'a"b', '"', 'two\nlines', '\n', 'a,b', 'ü', '5" disk'];
  for (let round = 0; round < 1_000; round++) {
    const delimiter = random.pick([',', ';']);
    const rows = Array.from({ length: random.between(1, 5) }, () =>
      Array.from({ length: 3 }, () => random.pick(texts)),
    );
    const quotedText = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    // A quote inside a value that is not quoted has no meaning.
    const written = (text: string): string =>
      /^"|[\n,;]/.test(text) || random.chance(0.3) ? quotedText(text) : text;
    const lines = rows.map((row) => row.map(written).join(delimiter));
    const recordLines = new CsvRecordLines(delimiter);
    const bytes = changed(`${lines.join('\n')}\n`, recordLines, random);
    const got = Buffer.from(bytes).toString('latin1').split('\n').slice(0, -1);
    const wanted = lines.map((line) =>
      Buffer.from(line).toString('latin1').replaceAll('\n', String.fromCharCode(QUOTED_BREAK)),
    );
    if (recordLines.end() !== null || JSON.stringify(got) !== JSON.stringify(wanted)) {
      return t.fail(`seed ${seed}, round ${round}`, { lines, got });
    }
  }
  const open = new CsvRecordLines(',');
  changed('a,"b', open, random);
  t.ok(open.end()?.includes('quoted'));
  const invalid = new CsvRecordLines(',');
  const bytes = Uint8Array.of(0x61, QUOTED_BREAK, 0x62);
  invalid.change(bytes);
  t.not(bytes[1], QUOTED_BREAK, 'a byte that is not UTF-8 does not become a line break');
});
