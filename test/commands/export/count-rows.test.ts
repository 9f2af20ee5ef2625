import t from 'tap';
import { countLines, csvRowCounter } from '../../../src/commands/export/count-rows.js';

t.test('CSV rows are counted without the header and without line breaks within quotes', (t) => {
  const bytes = Buffer.from('a,"b\nc"\r\n1,"x""\n""y"\r\n2,\r\n3,"\r\n"\r\n');
  for (let size = 1; size <= bytes.length; size++) {
    const count = csvRowCounter();
    let rows = 0;
    for (let at = 0; at < bytes.length; at += size) rows += count(bytes.subarray(at, at + size));
    t.equal(rows, 3, `${size}`);
  }
  t.end();
});

t.test('the rows of NDJSON are its lines', (t) => {
  t.equal(countLines(Buffer.from('{}\n{}\n')), 2);
  t.equal(countLines(Buffer.from('')), 0);
  t.end();
});
