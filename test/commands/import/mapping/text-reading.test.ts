/** Files as spreadsheets and other programs write them: delimiters, encodings, decimal commas, dates, marks for missing values. */
import fs from 'node:fs';
import path from 'node:path';
import { DateDay, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import t from 'tap';
import { detectDelimiter } from '../../../../src/commands/import/formats/delimiter.js';
import { readImportLine } from '../../../../src/commands/import/import-options.js';
import { proposalFor } from '../../../../src/commands/import/mapping/proposals.js';
import { pointed } from '../../../../src/commands/import/mapping/text-reading.js';
import { startServer } from '../../../demo/server.js';
import { accessOf, importing, selected } from '../importing.js';

const server = await startServer('--workers', '1');
t.teardown(() => server.stop());
const dir = t.testdir();
let files = 0;

/** Imports a file with that content into a new dimension. */
async function imported(bytes: Uint8Array | string, words: readonly string[] = [], ending = 'csv') {
  const dimension = `local-${files++}`;
  const file = path.join(dir, `${dimension}.${ending}`);
  fs.writeFileSync(file, bytes);
  const { bad, output } = await importing(accessOf(server), ['--dimension', dimension, ...words, file]);
  const all = await selected(server, `SELECT * FROM [${dimension}] ORDER BY [entity-id]`);
  const rows = all.map((row) => {
    const { score: _score, ...values } = row as Record<string, unknown>;
    return values;
  });
  return { bad, output, rows, badFile: `${file}.bad.ndjson` };
}

const ROWS = [
  { 'entity-id': '1', name: 'a, b', price: 1.5 },
  { 'entity-id': '2', name: 'c', price: 20.25 },
];

t.test('the delimiter is detected and shown', async (t) => {
  for (const [delimiter, shown] of [
    [';', 'CSV, delimiter ;,'],
    ['\t', 'CSV, delimiter tab,'],
    ['|', 'CSV, delimiter |,'],
    [',', 'CSV,'],
  ]) {
    const lines = [
      ['id', 'name', 'price'],
      ['1', delimiter === ',' ? '"a, b"' : 'a, b', '1.50'],
      ['2', 'c', '20.25'],
    ];
    const { bad, output, rows } = await imported(lines.map((line) => line.join(delimiter)).join('\r\n'));
    t.equal(bad, 0, shown);
    t.ok(output.includes(`.csv: ${shown}`), output);
    t.strictSame(rows, ROWS, shown);
  }
});

t.test('of several possible delimiters, the one that divides the rows alike is taken', (t) => {
  for (const [head, usual, expected] of [
    ['a;b\n1,5;2\n1;2,5\n', ',', ';'],
    ['a,b;c\n1,2;3\n4,5;6\n7;8\n', ',', ';'],
    ['a,b;c;d\n1,2;3;4\n', ',', ';'],
    ['a,b\tc\n1,2\t3\n', '\t', '\t'],
    ['a;b\n1|2;3\n', ',', ';'],
    ['text\nhello; world\nx\n', ',', ','],
    ['a|b|c\n"x|y"|2|3\n', ',', '|'],
    ['"a\nb";c\n"1\n2";3\n', ',', ';'],
    ['a,b\n1,2\n', '\t', ','],
    ['a\tb, c\n1\t2\n', '\t', '\t'],
    ['\uFEFFa;b\n\n1;2\n', ',', ';'],
    ['a;b;c\n1;2;"3', ',', ';'],
    ['', ',', ','],
  ] as const) {
    t.equal(detectDelimiter(head, false, usual, 'x.csv'), expected, JSON.stringify(head));
  }
  t.end();
});

t.test('two delimiters that divide the rows alike are refused, and --delimiter decides', async (t) => {
  for (const [head, usual, message] of [
    [
      'a,b;c\n1,2;3\n',
      ',',
      /^x\.csv: , and ; divide the first rows into equally many fields: .* --delimiter$/,
    ],
    ['a,b\tc\n1,2\t3\n', ',', /^x\.csv: , and a tab divide/],
    ['a;b|c\n1;2|3\n', ',', /^x\.csv: ; and \| divide/],
    ['a;b|c\n1;2|3\n', '\t', /^x\.csv: ; and \| divide/],
  ] as const) {
    t.throws(() => detectDelimiter(head, true, usual, 'x.csv'), { message }, JSON.stringify(head));
  }
  const text = 'id;name, first\n1;Smith, J\n';
  await t.rejects(imported(text), { message: /\.csv: , and ; divide .* --delimiter$/ });
  const { rows } = await imported(text, ['--delimiter', ';']);
  t.strictSame(rows, [{ 'entity-id': '1', 'name-first': 'smith, j' }]);
});

t.test('encodings are named by --encoding or by the byte order mark', async (t) => {
  const text = 'id;name\n1;Zürich €\n2;Łódź\n';
  const expected = ['zürich €', 'łódź'];
  const names = (rows: unknown[]): unknown[] => rows.map((row) => (row as { name: string }).name);
  const marked = `\uFEFF${text}`;
  const swapped = Buffer.from(marked, 'utf16le').swap16();
  t.strictSame(names((await imported(Buffer.from(marked, 'utf16le'))).rows), expected);
  const big = await imported(swapped);
  t.strictSame(names(big.rows), expected);
  t.match(big.output, /CSV, delimiter ;, utf-16be,/);
  t.strictSame(
    names((await imported(Buffer.from(text, 'utf16le'), ['--encoding', 'utf-16'])).rows),
    expected,
  );
  t.strictSame(names((await imported(swapped, ['--encoding', 'utf-16'])).rows), expected);
  const latin = Buffer.from('id;name\n1;Z\xfcrich\n2;x\n', 'latin1');
  t.strictSame(names((await imported(latin, ['--encoding', 'latin-1'])).rows), ['zürich', 'x']);
  const lines = await imported(
    Buffer.from('{"id":"1","name":"\xfc"}\n', 'latin1'),
    ['--encoding', 'latin-1'],
    'ndjson',
  );
  t.strictSame(names(lines.rows), ['ü']);

  const wrong = await imported(latin);
  t.equal(wrong.bad, 1);
  t.match(fs.readFileSync(wrong.badFile, 'utf8'), /not valid UTF-8 .*--encoding latin-1/);
  const odd = Buffer.concat([Buffer.from(marked, 'utf16le'), Buffer.of(0x41)]);
  await t.rejects(imported(odd), { message: /is not valid utf-16le: bytes \d+ to \d+ cannot be decoded/ });
  t.match(readImportLine(['--encoding', 'ebcdic', 'x']), { wrong: /^--encoding: expected one of utf-8,/ });
});

t.test('numbers with decimal commas are proposed, and read with --decimal ,', async (t) => {
  const text = 'id;price;count\n1;1.234,50;1.000\n2;-0,25;7\n3;12;2\n';
  const proposed = await imported(text);
  t.match(
    proposed.output,
    /note: price holds numbers such as 1\.234,50: --decimal , imports them as numbers/,
  );
  const { rows, bad, output } = await imported(text, ['--decimal', ',']);
  t.equal(bad, 0, output);
  t.strictSame(rows, [
    { 'entity-id': '1', price: 1234.5, count: 1000 },
    { 'entity-id': '2', price: -0.25, count: 7 },
    { 'entity-id': '3', price: 12, count: 2 },
  ]);
  const wrong = await imported('id;price\n1;1,5\n2;1.5\n', ['--decimal', ',', '--type', 'price=decimal']);
  t.equal(wrong.bad, 1, '1.5 is neither');
  t.match(fs.readFileSync(wrong.badFile, 'utf8'), /\\"1\.5\\" is not a valid number with a decimal comma/);
  for (const [number, expected] of [
    ['1.234.567,8', '1234567.8'],
    ["1'234", '1234'],
    ['1 234,5', '1234.5'],
    ['1\u202f234', '1234'],
    [',5', '0.5'],
    ['-3', '-3'],
    ['1.23', null],
    ['1.234 567', null],
    ['1234.567', null],
    ['1,2,3', null],
    ['', null],
    ['-', null],
    ['x', null],
  ] as const) {
    t.equal(pointed(number), expected, number);
  }
  t.match(readImportLine(['--decimal', ';', 'x']), { wrong: /^--decimal: expected , or \./ });
});

t.test('local dates are proposed if all values fit, and read with --date-format', async (t) => {
  const text = 'id,born,seen\n1,31.12.1999,1/2/2024 3:04 PM\n2,01.02.2000,11/12/2024 12:00 AM\n';
  const proposed = await imported(text);
  t.match(
    proposed.output,
    /note: born holds dates such as 31\.12\.1999: --date-format DD\.MM\.YYYY imports them as dates\n/,
  );
  t.match(
    proposed.output,
    /seen holds dates .*--date-format 'DD\/MM\/YYYY HH12:MI AM' or --date-format 'MM\/DD\/YYYY HH12:MI AM' .*choose/,
  );
  const words = ['--date-format', 'DD.MM.YYYY', '--date-format', 'MM/DD/YYYY HH12:MI AM'];
  const { rows, bad } = await imported(text, words);
  t.equal(bad, 0);
  t.strictSame(rows, [
    { 'entity-id': '1', born: '1999-12-31', seen: '2024-01-02T15:04:00Z' },
    { 'entity-id': '2', born: '2000-02-01', seen: '2024-11-12T00:00:00Z' },
  ]);
  const event = await imported('user;page;at\nu;/a;31.12.1999 10:00\n', [
    ...['--id', 'user', '--event', 'page:page:at', '--date-format', 'DD.MM.YYYY HH24:MI'],
  ]);
  t.equal(event.bad, 0);
  const [{ dimension }] = [{ dimension: `local-${files - 1}` }];
  t.strictSame(await selected(server, `SELECT [page.date] AS at FROM [${dimension}]`), [
    { at: '1999-12-31T10:00:00Z' },
  ]);
  const wrong = await imported('id,born\n1,31.12.1999\n2,31.02.1999\n', [
    ...['--date-format', 'DD.MM.YYYY', '--type', 'born=date'],
  ]);
  t.equal(wrong.bad, 1);
  t.match(fs.readFileSync(wrong.badFile, 'utf8'), /not a valid date YYYY-MM-DD or DD\.MM\.YYYY/);
  t.match(readImportLine(['--date-format', 'hello', 'x']), { wrong: /^--date-format: / });
  t.equal(proposalFor(['31.12.1999', '32.12.1999'], new Set()), null, 'one is no date');
  t.equal(
    proposalFor(['31.12.1999', 'n/a'], new Set(['n/a'])) === null,
    false,
    'what is NULL does not count',
  );
  t.equal(proposalFor(['word', '1,5'], new Set()), null);
});

t.test(
  'the format of --date-format comes before ISO 8601, except for dates that a schema marks',
  async (t) => {
    const words = ['--date-format', 'YYYY-DD-MM'];
    const expected = [{ 'entity-id': '1', day: '2024-02-01', moment: '2024-02-01T00:00:00Z' }];
    const types = ['--type', 'day=date', '--type', 'moment=datetime'];
    for (const [text, ending] of [
      ['id,day,moment\n1,2024-01-02,2024-01-02\n', 'csv'],
      ['{"id":"1","day":"2024-01-02","moment":"2024-01-02"}\n', 'ndjson'],
    ]) {
      t.strictSame((await imported(text, [...words, ...types], ending)).rows, expected, ending);
      const [{ day }] = (await imported(text, words, ending)).rows;
      t.equal(day, '2024-02-01', `${ending}, guessed`);
    }
    const timed = await imported(
      '{"id":"1","at":"2024-01-02"}\n',
      ['--date-format', 'YYYY-DD-MM', '--date-format', 'YYYY-DD-MM HH24:MI'],
      'ndjson',
    );
    t.match(timed.output, /at +at +date /);
    const either = await imported('id,day\n1,2024-01-02\n2,31.12.1999\n', ['--date-format', 'DD.MM.YYYY']);
    t.strictSame(
      either.rows.map(({ day }) => day),
      ['2024-01-02', '1999-12-31'],
      'ISO 8601 where the format does not fit',
    );
    const typed = new Table({
      id: vectorFromArray(['1'], new Utf8()),
      day: vectorFromArray([new Date('2024-01-02')], new DateDay()),
      text: vectorFromArray(['2024-01-02'], new Utf8()),
    });
    const ofSchema = await imported(tableToIPC(typed, 'file'), [...words, '--type', 'text=date'], 'arrow');
    t.strictSame(ofSchema.rows, [{ 'entity-id': '1', day: '2024-01-02', text: '2024-02-01' }]);
  },
);

t.test('one n/a among numbers is reported and imported as NULL; among texts it is a text', async (t) => {
  const lines = Array.from(
    { length: 2_000 },
    (_, row) => `${row},${row === 1_234 ? 'n/a' : row},w${row % 3},${row % 2 === 0 ? 'none' : 'some'}`,
  );
  const text = `id,n,word,kind\n${lines.join('\n')}\n`;
  const { rows, bad, output } = await imported(text);
  t.equal(bad, 0);
  t.match(output, /n +n +integer /);
  t.match(output, /note: n: "n\/a" in 1 of 2,?000 values is likely a NULL and is imported as one/);
  const found = rows.filter((row) => (row as { n: number | null }).n === null);
  t.strictSame(found.length, 1);
  t.match(found[0], { 'entity-id': '1234', kind: 'none' });
  const texts = await imported(text, ['--type', 'n=string']);
  t.notMatch(texts.output, /likely/);
  t.equal(texts.rows.filter((row) => (row as { n: string }).n === 'n/a').length, 1);
  const mixed = await imported('id,n\n1,5\n2,soon\n');
  t.match(mixed.output, /n +n +string/, 'other words make a column of texts');
});

t.test(
  '200 amounts with two places are decimal(2), which is named; fewer have places to spare',
  async (t) => {
    const lines = (count: number, cut: string): string =>
      Array.from(
        { length: count },
        (_, row) => `${row}${cut}1${row % 2 === 0 ? '' : '2'}.50${cut}0.5\n`,
      ).join('');
    const csv = (count: number): string => `id,price,rate\n${lines(count, ',')}`;
    const { output } = await imported(csv(200));
    t.match(output, /price +price +decimal\(2\)/);
    t.match(
      output,
      /note: price: the first 200 values all have two decimal places, so .* decimal\(2\).*--type price=/,
    );
    t.match(output, /rate +rate +decimal\(6\)/);
    const few = await imported(csv(199));
    t.match(few.output, /price +price +decimal\(6\)/);
    t.notMatch(few.output, /two decimal places/);
    const flagged = await imported(csv(200), ['--type', 'price=decimal(4)']);
    t.match(flagged.output, /price +price +decimal\(4\)/);
    t.notMatch(flagged.output, /two decimal places/);
    const late = await imported(`id,price\n1,1.50\n2,2.25\n3,0.125\n`);
    t.equal(late.bad, 0);
    t.equal(late.rows[2].price, 0.125);
    const comma = `id;price\n${lines(200, ';').replaceAll(';0.5', '').replaceAll('.', ',')}`;
    t.match((await imported(comma, ['--decimal', ','])).output, /decimal\(2\)/);
  },
);
