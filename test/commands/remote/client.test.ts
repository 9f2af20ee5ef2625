/** Requests of commands to a server: answers, refusals, certificates, and servers that are not reachable. */
import fs from 'node:fs';
import type { RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { RemoteClient, type RemoteRequest } from '../../../src/commands/remote/index.js';
import { ensureCertificate } from '../../../src/http/index.js';
import { NodeFileSystem } from '../../../src/io/index.js';

/** Starts a server with the handler `handle`; returns a client that trusts its certificate if `trusts`. */
async function clientOf(t: Test, handle: RequestListener, trusts = true): Promise<RemoteClient> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-remote-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const { certFile, keyFile } = await ensureCertificate(new NodeFileSystem(), dir, Date.now());
  const cert = fs.readFileSync(certFile, 'utf8');
  const server = https.createServer({ cert, key: fs.readFileSync(keyFile) }, handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new RemoteClient({ url, certificate: trusts ? cert : null }, 2);
  t.teardown(() => client.close());
  return client;
}

const REQUEST: RemoteRequest = { method: 'POST', path: '/v1/insert', key: 'k1', body: '{}' };

t.test('bodies are sent as text, bytes or a stream, with the key and the content type', async (t) => {
  const client = await clientOf(t, async (request, response) => {
    const { authorization, 'content-type': type, 'content-length': length = null } = request.headers;
    const body = await text(request);
    response.end(JSON.stringify({ method: request.method, authorization, type, length, body }));
  });
  const sent = { method: 'POST', authorization: 'k1', type: 'application/json', body: 'é' };
  t.strictSame(await client.json({ ...REQUEST, body: 'é' }), { ...sent, length: '2' });
  t.strictSame(await client.json({ ...REQUEST, body: Buffer.from('é') }), { ...sent, length: '2' });
  const stream = { ...REQUEST, contentType: 'application/x-ndjson', body: Readable.from(['a', 'b']) };
  t.strictSame(await client.json(stream), {
    ...sent,
    type: 'application/x-ndjson',
    length: null,
    body: 'ab',
  });
  t.match(await client.json({ method: 'GET', path: '/', key: 'k1' }), { method: 'GET', body: '' });
});

t.test('a refusal has the message of the server and the time until a retry', async (t) => {
  const client = await clientOf(t, (request, response) => {
    if (request.url === '/busy') response.writeHead(429, { 'Retry-After': '7' });
    else response.writeHead(request.url === '/odd' ? 502 : 400);
    response.end(
      request.url === '/odd' ? '<html>' : '{"errors":[{"code":2011,"message":"too far"}],"status":"error"}',
    );
  });
  const refusal = {
    name: 'RemoteError',
    code: 2011,
    reason: 'too far',
    retryAfterSeconds: null,
    status: 400,
  };
  await t.rejects(client.json(REQUEST), {
    ...refusal,
    message: 'POST /v1/insert: HTTP 400, code 2011: too far',
  });
  await t.rejects(client.json({ ...REQUEST, path: '/busy' }), {
    ...refusal,
    status: 429,
    retryAfterSeconds: 7,
  });
  await t.rejects(client.json({ ...REQUEST, path: '/odd' }), { status: 502, code: null, reason: '<html>' });
});

t.test('a truncated answer, a closed port and an unknown certificate give different errors', async (t) => {
  const cutting = await clientOf(t, (_request, response) => {
    response.write('{"half":');
    setImmediate(() => response.destroy());
  });
  await t.rejects(cutting.json(REQUEST), {
    name: 'UnreachableError',
    message: /the connection was cut|aborted/,
  });
  const strange = await clientOf(t, (_request, response) => response.end('{}'), false);
  await t.rejects(strange.json(REQUEST), {
    name: 'UnreachableError',
    message: /self-signed: name it with --ca/,
  });
  const closed = new RemoteClient({ url: 'https://127.0.0.1:1', certificate: null }, 1);
  await t.rejects(closed.json(REQUEST), { name: 'UnreachableError', message: /is the server running\?/ });
});

t.test('an answer is read as a stream', async (t) => {
  const client = await clientOf(t, (_request, response) => response.end('x'.repeat(100_000)));
  const stream = await client.stream({ method: 'GET', path: '/', key: 'k1' });
  t.equal(stream.headers.get('Content-Length'), '100000');
  t.equal((await text(stream.bytes)).length, 100_000);
});
