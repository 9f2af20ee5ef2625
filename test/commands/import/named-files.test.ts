/** Directories, patterns, addresses of the web and standard input as the files of an import, and empty texts in them. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import { namedFiles } from '../../../src/commands/import/named-files.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import { startServer } from '../../demo/server.js';
import { accessOf, importing, selected } from './importing.js';

const server = await startServer('--workers', '1');
t.teardown(() => server.stop());
const importInto = (dimension: string, words: readonly string[], stdin: Iterable<Uint8Array> = []) =>
  importing(accessOf(server), ['--dimension', dimension, ...words], stdin);
const idsOf = async (dimension: string): Promise<unknown[]> =>
  (await selected(server, `SELECT [entity-id] AS id FROM [${dimension}] ORDER BY 1`)).map(
    (row) => (row as { id: string }).id,
  );

const csv = (...ids: readonly string[]): string => `id,n\n${ids.map((id) => `${id},1\n`).join('')}`;

t.test('directories and patterns name their files, in order', async (t) => {
  const dir = t.testdir({
    '2026-02.csv': csv('b'),
    '2026-01.csv': csv('a'),
    '2025-12.csv': csv('c'),
    '.hidden.csv': csv('h'),
    'notes.md': 'x',
    '2026-01.csv.bad.ndjson': '{}',
    '2026-01.csv.import.json': '{}',
    'packed.ndjson.gz': '',
    more: { 'x.csv': csv('d'), 'y.csv': csv('e') },
    nothing: { 'a.txt': '' },
    'odd[1].csv': csv('o'),
  });
  fs.writeFileSync(path.join(dir, 'packed.ndjson.gz'), gzipSync('{"id":"p","n":1}\n'));
  const named = (...names: readonly string[]) => namedFiles(names, new NodeFileSystem());
  const found = async (name: string): Promise<string[]> =>
    (await named(path.join(dir, name))).map((file) => path.relative(dir, file));
  t.strictSame(await found('2026-*.csv'), ['2026-01.csv', '2026-02.csv'], 'files of bad rows are left out');
  t.strictSame(await found('202[56]-?2.csv'), ['2025-12.csv', '2026-02.csv']);
  t.strictSame(await found('202[!5]*.csv'), ['2026-01.csv', '2026-02.csv']);
  t.strictSame(await found('*/[x-y].csv'), ['more/x.csv', 'more/y.csv']);
  t.strictSame(await found('.h*'), ['.hidden.csv']);
  t.strictSame(await found('odd[1].csv'), ['odd[1].csv'], 'a file of that name is meant');
  t.strictSame(await found('absent.csv'), ['absent.csv'], 'opening it says that it is absent');
  await t.rejects(found('*.tsv'), { message: /^no file matches / });
  await t.rejects(found('nothing'), { message: /has no file whose name ends in one of \.csv/ });
  t.strictSame(await named('-', 'https://a/b.csv?x=1'), ['-', 'https://a/b.csv?x=1']);
  t.equal((await named(path.join(dir, '2026-01.csv'), path.join(dir, '2026-*.csv'))).length, 2, 'once each');

  await importInto('whole', [dir]);
  t.strictSame(await idsOf('whole'), ['a', 'b', 'c', 'h', 'o', 'p']);
  await importInto('some', [path.join(dir, '2026-*.csv')]);
  t.strictSame(await idsOf('some'), ['a', 'b']);
  await t.rejects(importInto('some', [dir, '--bad', 'x']), { message: /single file, not with 6/ });
});

t.test('files are read from addresses, Parquet too, and from standard input', async (t) => {
  const parquet = Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: ['p1', 'p2'], type: 'STRING' },
        { name: 'note', data: ['', null], type: 'STRING' },
        { name: 'n', data: [1, 2], type: 'INT32' },
      ],
    }),
  );
  const web = http.createServer(({ url }, response) => {
    if (url === '/data/a.csv?token=1') response.end(csv('a'));
    else if (url === '/moved') response.writeHead(302, { location: '/data/a.csv?token=1' }).end();
    else if (url === '/p.parquet') response.end(parquet);
    else if (url === '/cut.csv') {
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write(csv('x'), () => response.destroy());
    } else response.writeHead(404).end('no');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  t.teardown(() => web.close());
  const at = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const dir = t.testdir();
  const before = process.cwd();
  process.chdir(dir);
  t.teardown(() => process.chdir(before));

  const { output } = await importInto('web', [`${at}/data/a.csv?token=1`]);
  t.match(output, /a\.csv\?token=1: CSV, \d+ B\n/);
  await importInto('web-moved', [`${at}/moved`]);
  const read = await importInto('web-parquet', [`${at}/p.parquet`]);
  t.match(read.output, /of Arrow\n/, 'in columns');
  t.strictSame(await idsOf('web'), ['a']);
  t.strictSame(await idsOf('web-moved'), ['a']);
  t.strictSame(await idsOf('web-parquet'), ['p1', 'p2']);
  await t.rejects(importInto('web', [`${at}/absent.csv`]), {
    message: /absent\.csv cannot be read: HTTP 404/,
  });
  await t.rejects(importInto('web', [`${at}/cut.csv`]), { message: /the connection ended after \d+ bytes/ });
  await t.rejects(importInto('web', ['http://127.0.0.1:1/x.csv']), {
    message: /cannot be read: .*ECONNREFUSED|bad port/,
  });
  t.strictSame(fs.readdirSync(dir), [], 'nothing is left beside');

  await importInto('piped', ['-'], [Buffer.from('id;n\ns;1\n')]);
  t.strictSame(await idsOf('piped'), ['s']);
});

t.test('empty texts are named where they become NULL', async (t) => {
  const dir = t.testdir({
    'a.csv': 'id,note,n\n1,"",2\n2,,3\n3,"",7\n4,"a "" b",""\n',
    'b.ndjson': '{"id":"1","note":""}\n{"id":"2","note":null}\n{"id":"3","note":"x"}\n',
    'c.parquet': '',
  });
  const file = (name: string): string => path.join(dir, name);
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: ['1', '2', '3', '4'], type: 'STRING' },
      { name: 'note', data: ['', 'x', null, ''], type: 'STRING' },
    ],
  });
  fs.writeFileSync(file('c.parquet'), Buffer.from(bytes));
  const note = (count: string, name = 'note') =>
    `column "${name}": ${count} imported as NULL, because Quarry stores none (--null '' says that it is meant so)\n`;
  const ofCsv = await importInto('empty-csv', [file('a.csv')]);
  t.ok(ofCsv.output.includes(note('2 empty texts were')), ofCsv.output);
  t.ok(ofCsv.output.includes(note('1 empty text was', 'n')), ofCsv.output);
  t.strictSame(await selected(server, 'SELECT COUNT(*) AS c FROM [empty-csv] WHERE note IS NULL'), [
    { c: 3 },
  ]);
  t.ok((await importInto('empty-ndjson', [file('b.ndjson')])).output.includes(note('1 empty text was')));
  const columns = await importInto('empty-parquet', [file('c.parquet')]);
  t.match(columns.output, /of Arrow\n/);
  t.ok(columns.output.includes(note('2 empty texts were')), columns.output);
  const rows = await importInto('empty-rows', ['--null', 'zz', file('c.parquet')]);
  t.match(rows.output, /of JSON\n/);
  t.ok(rows.output.includes(note('2 empty texts were')), rows.output);
  t.notMatch((await importInto('empty-meant', ['--null', '', file('a.csv')])).output, /empty text/);
});
