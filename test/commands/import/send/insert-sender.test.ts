/** The retries of an import: a server whose answers the test writes, and a clock of the test's own. */
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { InsertSender } from '../../../../src/commands/import/send/insert-sender.js';
import { RemoteClient } from '../../../../src/commands/remote/index.js';

type Answer = (response: ServerResponse) => void;

const refusal =
  (status: number, code: number, retryAfter?: string): Answer =>
  (response) =>
    response
      .writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter })
      .end(JSON.stringify({ errors: [{ code, message: 'no' }] }));
const cut: Answer = (response) => response.destroy();
const success: Answer = (response) => response.end('{"inserted-entities":1}');

/** A sender whose server gives the answers in order, the last one for ever, and whose clock advances at every reading. */
async function senderFor(
  t: Test,
  answers: Answer[],
  options: { stepMs?: number; signal?: AbortSignal } = {},
) {
  const keys: unknown[] = [];
  const notes: string[] = [];
  const server = http.createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    (answers.length > 1 ? answers.shift() : answers[0])?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new RemoteClient({ url, certificate: null }, 1);
  t.teardown(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  let nowMs = 0;
  const sender = new InsertSender({
    ...{ client, key: 'k', random: () => 0, retrySeconds: 10, note: (text: string) => notes.push(text) },
    elapsedMs: () => {
      nowMs += options.stepMs ?? 0;
      return nowMs;
    },
    signal: options.signal ?? new AbortController().signal,
  });
  return { keys, notes, post: () => sender.post(Buffer.from('{}'), 'key-1') };
}

t.test('an insert is repeated under its key until it is answered, and one wait is reported', async (t) => {
  const { post, keys, notes } = await senderFor(t, [cut, refusal(503, 9006), success]);
  t.strictSame(await post(), { 'inserted-entities': 1 });
  t.strictSame(keys, ['key-1', 'key-1', 'key-1']);
  t.equal(notes.length, 1);
  t.match(notes[0], /^waiting: http:/);
});

t.test('a permanent refusal is not repeated', async (t) => {
  const { post, keys } = await senderFor(t, [refusal(400, 2011)]);
  await t.rejects(post(), { name: 'RemoteError', code: 2011 });
  t.equal(keys.length, 1);
});

t.test('a Retry-After above 120 s ends the import', async (t) => {
  const { post, keys } = await senderFor(t, [refusal(429, 1502, '121')]);
  await t.rejects(post(), { message: /requests a pause of 121 s: run the same command again after it/ });
  t.equal(keys.length, 1);
});

t.test('an import ends after its time without an answer', async (t) => {
  const { post, keys } = await senderFor(t, [cut], { stepMs: 6_000 });
  await t.rejects(post(), { message: /^no insert was accepted for 10 s: / });
  t.equal(keys.length, 2);
});

t.test('an abort ends the wait', async (t) => {
  const stop = new AbortController();
  const { post } = await senderFor(t, [refusal(429, 1502, '60')], { signal: stop.signal });
  const posted = post();
  setTimeout(() => stop.abort(new Error('stopped')), 50);
  await t.rejects(posted, { message: 'stopped' });
  await t.rejects(post(), { message: 'stopped' });
});
