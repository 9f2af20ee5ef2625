/** IDs made of row numbers, and files of bad rows, of several files of one import. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { badFilesOf, rowNameOf } from '../../../src/commands/import/derived-names.js';
import { startServer } from '../../demo/server.js';
import { accessOf, importing, selected } from './importing.js';

const server = await startServer('--workers', '1');
t.teardown(() => server.stop());
const importInto = (dimension: string, ...words: readonly string[]) =>
  importing(accessOf(server), ['--dimension', dimension, ...words]);

t.test('only extensions of formats and compressions are cut from the prefix of IDs', (t) => {
  for (const [name, prefix] of [
    ['log.2026-01.csv', 'log.2026-01'],
    ['a/b.c/People.CSV.GZ', 'People'],
    ['v1.2.parquet', 'v1.2'],
    ['x.ndjson.zst', 'x'],
    ['x.json', 'x'],
    ['app.v2', 'app.v2'],
    ['.csv', '.csv'],
    ['.hidden.tsv', '.hidden'],
    ['archive.gz', 'archive'],
    ['https://h/2025/data.v1.csv?x=1', 'data.v1'],
    ['https://h/', 'download'],
    ['-', 'stdin'],
  ]) {
    t.equal(rowNameOf(name), prefix, name);
  }
  t.end();
});

t.test('files whose rows would get the same IDs are refused before a row is sent', async (t) => {
  const dir = t.testdir({
    north: { 'data.csv': 'city,n\na,1\n' },
    south: { 'Data.csv': 'city,n\nb,2\n' },
    west: { 'data.csv': 'id,n\nw,3\n' },
    east: { 'data.csv.gz': '' },
    'log.2026-01.csv': 'city,n\na,1\n',
    'log.2026-02.csv': 'city,n\nb,2\n',
  });
  const rows = Array.from({ length: 300_000 }, (_, row) => `e${row},${row}\n`).join('');
  fs.writeFileSync(path.join(dir, 'east/data.csv.gz'), gzipSync(`id,n\n${rows}`));
  const file = (name: string): string => path.join(dir, name);
  const message = /data\.csv and .*Data\.csv would get the same IDs, Data:1 and so on, .*--id/;
  await t.rejects(importInto('same', file('north/data.csv'), file('south/Data.csv')), { message });
  await t.rejects(importInto('same', '--dry-run', file('west/data.csv'), file('*th/*.csv')), { message });
  await t.rejects(importInto('same', '--id', ':line', file('west/data.csv'), file('north/data.csv')), {
    message: /would get the same IDs/,
  });
  await t.rejects(selected(server, 'SELECT * FROM [same]'), 'the dimension was not made');

  const mixed = [file('north/data.csv'), file('west/data.csv'), file('east/data.csv.gz'), '--limit', '1'];
  t.equal((await importInto('mixed', ...mixed)).bad, 0, 'one of the files has no ID');
  t.equal((await importInto('named', '--id', 'city', file('north/data.csv'), file('south/Data.csv'))).bad, 0);
  t.equal((await importInto('logs', file('log.*.csv'))).bad, 0);
  const idsOf = (dimension: string) =>
    selected(server, `SELECT [entity-id] AS id FROM [${dimension}] ORDER BY 1`);
  t.strictSame(await idsOf('mixed'), [{ id: 'data:1' }, { id: 'e0' }, { id: 'w' }]);
  t.strictSame(await idsOf('named'), [{ id: 'a' }, { id: 'b' }]);
  t.strictSame(await idsOf('logs'), [{ id: 'log.2026-01:1' }, { id: 'log.2026-02:1' }]);
});

t.test('every file of an import has its own file of bad rows', async (t) => {
  const web = http.createServer(({ url }, response) => {
    response.end(`id,n\n${url},1\nlong,${url},2\n`);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  t.teardown(() => web.close());
  const at = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const dir = t.testdir({ 'data.csv': 'id,n\nlocal,1\nlong,local,2\n' });
  const before = process.cwd();
  process.chdir(dir);
  t.teardown(() => process.chdir(before));
  const words = [`${at}/2025/data.csv`, `${at}/2026/data.csv`, 'data.csv'];
  t.equal((await importInto('years', ...words)).bad, 3);
  for (const [file, text] of [
    ['data.csv.bad.ndjson', 'long,local,2'],
    ['data.csv-2.bad.ndjson', 'long,/2025/data.csv,2'],
    ['data.csv-3.bad.ndjson', 'long,/2026/data.csv,2'],
  ]) {
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
    t.equal(lines.length, 1, file);
    t.ok(lines[0].includes(text), lines[0]);
  }
  const fileOf = badFilesOf(['https://a/x.csv', 'https://b/x.csv', 'x.csv-2', '-', 'stdin']);
  const files = ['https://a/x.csv', 'https://b/x.csv', 'x.csv-2', '-', 'stdin'].map((name) =>
    path.basename(fileOf(name), '.bad.ndjson'),
  );
  t.strictSame(files, ['x.csv', 'x.csv-3', 'x.csv-2', 'stdin-2', 'stdin']);
});
