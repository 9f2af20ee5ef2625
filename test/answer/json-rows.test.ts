import t from 'tap';
import { rowEncoder } from '../../src/answer/index.js';
import { Prng } from '../../src/base/index.js';
import { cuts, type GeneratedRows, generateRows, tokenOf } from './generated-rows.js';

const SEED = 41;
t.comment(`seed ${SEED}`);

/** The JSON object of a row, built from the values alone. */
function rowText({ fields, rows }: GeneratedRows, row: number): string {
  const members = fields.map((field, column) => {
    const value = rows[row][column];
    const quoted = ['text', 'date', 'datetime'].includes(field.type.type);
    const token = value === null ? 'null' : tokenOf(field, value);
    return `${JSON.stringify(field.name)}:${value !== null && quoted ? JSON.stringify(token) : token}`;
  });
  return `{${members.join()}}`;
}

t.test('rows are a list with their count, regardless of the parts', async (t) => {
  for (const rowCount of [0, 1, 300]) {
    const prng = new Prng(SEED + rowCount);
    const generated = generateRows(prng, rowCount);
    const encoder = rowEncoder('json', generated.fields);
    const parts = cuts(prng, rowCount);
    let written = 0;
    const bytes = parts.map(([from, to]) => {
      const part = encoder.rows(generated.columns, from, to, written === 0);
      if (to > from && written === 0) {
        t.same(
          encoder.asFirst(encoder.rows(generated.columns, from, to, false)),
          part,
          'produced by the first writer',
        );
      }
      written += to - from;
      return part;
    });
    const text = Buffer.concat([encoder.head(), ...bytes, encoder.tail(rowCount)]).toString();
    const rows = Array.from({ length: rowCount }, (_, row) => rowText(generated, row));
    t.equal(text, `"result":[${rows.join()}],"count":${rowCount}`);
    t.equal(JSON.parse(`{${text}}`).result.length, rowCount, 'it is JSON');
  }
});

t.test('NDJSON has one row per line and nothing else', async (t) => {
  const generated = generateRows(new Prng(SEED), 200);
  const encoder = rowEncoder('ndjson', generated.fields);
  const parts = cuts(new Prng(SEED), 200).map(([from, to]) =>
    encoder.rows(generated.columns, from, to, true),
  );
  const text = Buffer.concat([encoder.head(), ...parts, encoder.tail(200)]).toString();
  t.equal(text, Array.from({ length: 200 }, (_, row) => `${rowText(generated, row)}\n`).join(''));
});

t.test('the input is not changed', async (t) => {
  const generated = generateRows(new Prng(SEED), 50);
  const encoder = rowEncoder('ndjson', generated.fields);
  const first = encoder.rows(generated.columns, 0, 10, true);
  const copy = first.slice();
  encoder.rows(generated.columns, 10, 50, false);
  t.same(first, copy);
  t.equal(first.buffer.byteLength, first.length, 'the part does not retain other memory');
});
