import t from 'tap';
import { isText, readForm } from '../../../src/commands/export/format.js';

const form = (file: string | null, format?: string, compression?: string) =>
  readForm({ format, compression }, file);

t.test('the file name determines format and compression', (t) => {
  const detected: Record<string, unknown> = {
    'a.ndjson': { format: 'ndjson', compression: 'none' },
    '/x.csv/B.JSONL.GZ': { format: 'ndjson', compression: 'gzip' },
    'a.b.csv.zst': { format: 'csv', compression: 'zstd' },
    'a.arrows': { format: 'arrow', compression: 'none' },
    'a.arrow': { format: 'arrow-file', compression: 'none' },
    'a.feather.zst': { format: 'arrow-file', compression: 'zstd' },
    'a.parquet': { format: 'parquet', compression: 'snappy' },
  };
  for (const [file, wanted] of Object.entries(detected)) t.strictSame(form(file), wanted, file);
  t.strictSame(form(null), { format: 'ndjson', compression: 'none' });
  t.end();
});

t.test('flags override the file name', (t) => {
  t.strictSame(form('a.csv', 'parquet', 'zstd'), { format: 'parquet', compression: 'zstd' });
  t.strictSame(form('a.csv.gz', undefined, 'none'), { format: 'csv', compression: 'none' });
  t.strictSame(form('dump', 'insert'), { format: 'insert', compression: 'none' });
  t.end();
});

t.test('unknown formats and wrong combinations are refused', (t) => {
  t.match(form('dump'), {
    wrong: /^dump: the format cannot be derived from the name \(\.ndjson, .*\): use --format$/,
  });
  t.match(form('dump.gz'), { wrong: /the format cannot be derived from the name/ });
  t.match(form(null, 'parket'), {
    wrong: /^--format: expected one of .* not "parket"; did you mean parquet\?$/,
  });
  t.match(form(null, 'csv', 'lzma'), { wrong: /^--compression: expected one of/ });
  t.match(form('a.csv', undefined, 'snappy'), { wrong: '--compression: snappy is for Parquet only' });
  t.match(form('a.parquet.gz'), { wrong: /compressed internally/ });
  t.end();
});

t.test('only plain text is written to a terminal', (t) => {
  t.ok(isText({ format: 'csv', compression: 'none' }));
  t.notOk(isText({ format: 'csv', compression: 'gzip' }));
  t.notOk(isText({ format: 'arrow', compression: 'none' }));
  t.end();
});
