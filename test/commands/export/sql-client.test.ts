/** Incomplete answers and temporary refusals, from a server whose answers the test writes. */
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { exportCommand } from '../../../src/commands/export/export-command.js';
import { directoryFor, type Run, runnerOf } from '../command-run.js';

async function runAgainst(t: Test, handle: RequestListener): Promise<{ run: Run; dir: string }> {
  const server = http.createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const dir = directoryFor(t);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { run: runnerOf(exportCommand, { url, certificate: '', masterKey: 'k' }, dir), dir };
}

t.test('an incomplete answer is an error and never a shorter file', async (t) => {
  const { run, dir } = await runAgainst(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('a\r\n1\r\n', () => response.destroy());
  });
  for (const name of ['a.csv', 'a.csv.gz', 'a.ndjson.zst', 'a.arrow', 'a.parquet']) {
    const ran = await run(['--sql', 'SELECT a', '-o', path.join(dir, name)]);
    t.equal(ran.code, null, name);
    t.match(ran.error?.message, /the answer is incomplete|Expected to read|Unexpected/, name);
  }
  const ran = await run(['--sql', 'SELECT a', '--format', 'csv']);
  t.match(ran.error?.message, /^http:\/\/127\.0\.0\.1:\d+: the answer is incomplete/);
});

t.test('a refusal with Retry-After is retried after that time', async (t) => {
  let requestCount = 0;
  const { run } = await runAgainst(t, (_request, response) => {
    if (requestCount++ > 0) response.writeHead(200, { 'content-type': 'text/csv' }).end('a\r\n1\r\n');
    else
      response.writeHead(429, { 'retry-after': '0' }).end('{"errors":[{"code":1502,"message":"too many"}]}');
  });
  t.match(await run(['--sql', 'SELECT a', '--format', 'csv']), { code: 0, out: Buffer.from('a\r\n1\r\n') });
  t.equal(requestCount, 2);
});
