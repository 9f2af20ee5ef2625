import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import t from 'tap';
import { repeatBody } from '../../native-bench/data/bodies.js';
import type { Target } from '../../native-bench/load/connection.js';
import { checkHolds, checkInsert, runLoad } from '../../native-bench/load/load.js';

/** Starts a server that answers every chunk with `answer` in pieces; returns the target and the chunks read. */
async function answering(t: Tap, answer: string): Promise<{ target: Target; read: string[] }> {
  const read: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (part) => {
      read.push(part.toString());
      for (let at = 0; at < answer.length; at += 7) socket.write(answer.slice(at, at + 7));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    target: { url: `http://127.0.0.1:${port}`, path: '/v1/x', key: 'secret', certificate: null },
    read,
  };
}

type Tap = { teardown(handler: () => void): void };
const http = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nX: y\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

t.test('a load sends and counts every body once, and parses answers that arrive in pieces', async (t) => {
  const { target, read } = await answering(t, http('200 OK', '{"result": {"q": 42}}'));
  const result = await runLoad(target, repeatBody(Buffer.from('{"a":1}'), 20), 3, checkHolds('"q":42'));
  t.equal(result.requests, 20);
  t.equal(result.bytes, 140);
  t.equal(read.length, 20);
  t.match(read[0], /^POST \/v1\/x HTTP\/1\.1\r\n/);
  t.match(read[0], /Authorization: secret\r\n/);
  t.match(read[0], /Content-Length: 7\r\n\r\n\{"a":1\}$/);
});

t.test('a load ends at the first wrong answer and shows it', async (t) => {
  const refusing = await answering(t, http('400 Bad Request', '{"errors":[{"code":2011}]}'));
  await t.rejects(
    runLoad(refusing.target, repeatBody(Buffer.from('{}'), 5), 1, checkInsert),
    /HTTP 400.*2011/,
  );
  t.equal(refusing.read.length, 1);
  const miscounting = await answering(t, http('200 OK', '{"inserted-entities": 1}'));
  await t.rejects(
    runLoad(miscounting.target, repeatBody(Buffer.from('{}'), 5), 1, checkInsert),
    /0 entities sent/,
  );
});
