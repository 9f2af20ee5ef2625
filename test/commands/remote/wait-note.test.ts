/** A command that waits for a limit of the server says so, and why. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { RemoteClient, waiting } from '../../../src/commands/remote/index.js';
import { waitText } from '../../../src/commands/remote/wait-note.js';

t.test('each wait is noted with its reason', async (t) => {
  let requests = 0;
  const server = http.createServer((_, response) => {
    requests++;
    if (requests > 2) return response.end('{"ok":true}');
    const errors = [{ code: 1502, message: 'too many requests' }];
    return response
      .writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' })
      .end(JSON.stringify({ status: 'error', errors }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const notes: string[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new RemoteClient(
    { url, certificate: null },
    1,
    waiting((text) => notes.push(text)),
  );
  t.teardown(() => client.close());
  t.strictSame(await client.json({ method: 'GET', path: '/x', key: 'k' }), { ok: true });
  t.equal(notes.length, 2);
  t.match(notes[0], /^waiting a moment: GET \/x: HTTP 429, code 1502: too many requests$/);
});

t.test('the seconds are rounded up', (t) => {
  const error = new Error('why');
  t.equal(waitText(999, { error }), 'waiting a moment: why');
  t.equal(waitText(1_000, { error }), 'waiting 1 s: why');
  t.equal(waitText(12_001, { error }), 'waiting 13 s: why');
  t.end();
});
