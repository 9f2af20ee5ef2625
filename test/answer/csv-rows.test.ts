import t from 'tap';
import { rowEncoder } from '../../src/answer/index.js';
import { Prng } from '../../src/base/index.js';
import { type Field, type Value, vectorOf } from '../../src/vector/index.js';
import { cuts, generateRows, tokenOf } from './generated-rows.js';

const SEED = 43;
t.comment(`seed ${SEED}`);

/** Parses CSV text strictly by RFC 4180 into fields of the form [text, wasQuoted]. */
function parseCsv(text: string): (readonly [string, boolean])[][] {
  const lines: (readonly [string, boolean])[][] = [];
  const value = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let line: (readonly [string, boolean])[] = [];
  while (value.lastIndex < text.length) {
    const { lastIndex } = value;
    const match = value.exec(text);
    if (match === null)
      throw new Error(`no cell at ${lastIndex}: ${JSON.stringify(text.slice(lastIndex, lastIndex + 40))}`);
    line.push(match[1] === undefined ? [match[2], false] : [match[1].replaceAll('""', '"'), true]);
    if (match[3] === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

t.test('an RFC 4180 reader returns every value, and missing values differ from empty texts', async (t) => {
  const rowCount = 300;
  const prng = new Prng(SEED);
  const generated = generateRows(prng, rowCount);
  const encoder = rowEncoder('csv', generated.fields);
  const parts = cuts(prng, rowCount).map(([from, to]) =>
    encoder.rows(generated.columns, from, to, from === 0),
  );
  const text = Buffer.concat([encoder.head(), ...parts, encoder.tail(rowCount)]).toString();
  const [names, ...lines] = parseCsv(text);
  t.strictSame(
    names.map(([name]) => name),
    generated.fields.map(({ name }) => name),
  );
  const valueText = (field: Field, [value, quoted]: readonly [string, boolean]): string | null => {
    if (value === '' && !quoted) return null;
    if (field.type.type === 'json' && !quoted) return 'JSON without quotes';
    return value;
  };
  t.strictSame(
    lines.map((values) => values.map((value, column) => valueText(generated.fields[column], value))),
    generated.rows.map((row) =>
      row.map((value, column) => (value === null ? null : tokenOf(generated.fields[column], value))),
    ),
  );
});

t.test('values are quoted only where necessary', async (t) => {
  const fields: Field[] = [
    { name: 'a,b', type: { type: 'text' } },
    { name: '', type: { type: 'json' } },
    { name: 'n', type: { type: 'integer' } },
  ];
  const columns: Value[][] = [
    ['plain', '', null, 'say "hi"', 'a\nb', ' x '],
    ['[]', '["a"]', null, '[1,2]', '[]', '[]'],
    [1n, -2n, null, 3n, 4n, 5n],
  ];
  const encoder = rowEncoder('csv', fields);
  const vectors = columns.map((values, index) => vectorOf(fields[index].type, values));
  t.equal(
    Buffer.concat([encoder.head(), encoder.rows(vectors, 0, 6, true), encoder.tail(6)]).toString(),
    [
      '"a,b","",n',
      'plain,"[]",1',
      '"","[""a""]",-2',
      ',,',
      '"say ""hi""","[1,2]",3',
      '"a\nb","[]",4',
      ' x ,"[]",5',
      '',
    ].join('\r\n'),
  );
});
