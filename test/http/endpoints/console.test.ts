/** The files of the console over the real front end: access, compression, caching and content security policy. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import t, { type Test } from 'tap';
import { ConsoleFiles } from '../../../src/http/index.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import { codeOf, type Front, RawConnection, requestBytes, sendRequest, startFront } from '../harness.js';

const PAGE = '<!doctype html><title>console</title>';
const SCRIPT = 'console.log(1);'.repeat(100);

async function startConsole(t: Test): Promise<Front> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-console-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  fs.mkdirSync(path.join(dir, 'assets'));
  fs.writeFileSync(path.join(dir, 'index.html'), PAGE);
  const script = path.join(dir, 'assets/index-abc.js');
  fs.writeFileSync(script, SCRIPT);
  fs.writeFileSync(`${script}.br`, zlib.brotliCompressSync(SCRIPT));
  fs.writeFileSync(`${script}.gz`, zlib.gzipSync(SCRIPT));
  fs.writeFileSync(path.join(dir, 'assets/notes.txt'), 'a file type that is not served');
  return startFront(t, {}, { consoleFiles: await ConsoleFiles.read(new NodeFileSystem(), dir) });
}

t.test(
  'the page is served with and without a slash and without a key, has security headers and is always revalidated',
  async (t) => {
    const front = await startConsole(t);
    for (const at of ['/console', '/console/']) {
      const reply = await sendRequest(front, { path: at });
      t.strictSame([reply.status, reply.body], [200, PAGE], at);
      t.match(reply.headers, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        vary: 'Accept-Encoding',
      });
    }
    const head = await startFront(t);
    t.equal(
      codeOf(await sendRequest(head, { path: '/console' })),
      1505,
      'a build without a console does not serve it',
    );
  },
);

t.test('the root of HTTPS redirects to the console if the build has one', async (t) => {
  const front = await startConsole(t);
  for (const method of ['GET', 'HEAD']) {
    const connection = await RawConnection.open(front.httpsPort, true);
    connection.write(requestBytes({ method, path: '/' }));
    const { status, headers, body } = await connection.reply();
    t.strictSame([status, headers.location, body], [302, '/console', ''], method);
    connection.socket.destroy();
  }
  t.equal(codeOf(await sendRequest(front, { path: '/', method: 'POST', body: '' })), 1505);
  t.equal(codeOf(await sendRequest(front, { path: '/', plain: true })), 1506);
  t.equal(codeOf(await sendRequest(await startFront(t), { path: '/' })), 1505, 'a build without a console');
});

t.test('an unchanged file is not sent again', async (t) => {
  const front = await startConsole(t);
  const { etag } = (await sendRequest(front, { path: '/console' })).headers;
  for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await sendRequest(front, { path: '/console', headers: { 'If-None-Match': tags } });
    t.strictSame([again.status, again.body, again.headers.etag], [304, '', etag], tags);
  }
  t.equal(
    (await sendRequest(front, { path: '/console', headers: { 'If-None-Match': '"other"' } })).status,
    200,
  );
});

t.test('assets with a hash in their names are immutable, and compressed as the client accepts', async (t) => {
  const front = await startConsole(t);
  const at = '/console/assets/index-abc.js';
  const get = (accepted: string) =>
    sendRequest(front, { path: at, headers: { 'Accept-Encoding': accepted } });
  const encodings = await Promise.all(
    ['gzip, br', 'gzip', '', 'zstd'].map(async (accepted) => {
      const { headers } = await get(accepted);
      t.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      return [headers['content-encoding'], Number(headers['content-length'])];
    }),
  );
  const [br, gz] = [zlib.brotliCompressSync(SCRIPT).length, zlib.gzipSync(SCRIPT).length];
  t.strictSame(encodings, [
    ['br', br],
    ['gzip', gz],
    [undefined, SCRIPT.length],
    [undefined, SCRIPT.length],
  ]);
  t.equal((await get('')).body, SCRIPT);
});

t.test('plain HTTP, other methods and missing files are refused', async (t) => {
  const front = await startConsole(t);
  t.equal(codeOf(await sendRequest(front, { path: '/console', plain: true })), 1506);
  t.equal(codeOf(await sendRequest(front, { path: '/console/assets/index-abc.js', plain: true })), 1506);
  t.equal(codeOf(await sendRequest(front, { path: '/console', method: 'POST', body: 'x' })), 1505);
  for (const at of [
    '/console/nothing.js',
    '/console/index.html.br',
    '/console/assets/notes.txt',
    '/console/../keys.json',
    '/console/assets/..%2f..%2fkeys.json',
    '/console/%00',
    '/consoles',
  ]) {
    t.equal(codeOf(await sendRequest(front, { path: at })), 1505, at);
  }
});
