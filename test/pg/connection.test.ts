/** Malformed input and misbehaving clients: the server continues and reports errors. */
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { refusal, startPostgres } from './site.js';

const SEED = 20_261_122;
const ROUNDS = 150;
const CONNECTIONS = 1_050;

/** Sends `bytes` and returns the reply up to the end of the connection or a pause. */
async function sent(port: number, bytes: Uint8Array, msMax = 300): Promise<Buffer> {
  const parts: Buffer[] = [];
  const socket = net.connect(port, '127.0.0.1');
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {});
  socket.write(bytes);
  await Promise.race([new Promise((resolve) => socket.once('close', resolve)), wait(msMax)]);
  socket.destroy();
  return Buffer.concat(parts);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const startup = (...words: readonly string[]): Buffer => {
  const body = Buffer.concat([int32(196_608), Buffer.from(`${words.join('\0')}\0\0`)]);
  return Buffer.concat([int32(body.length + 4), body]);
};
const message = (kind: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);

t.test('malformed input does not affect other clients', async (t) => {
  const fixture = await startPostgres(t);
  const { port, keys } = fixture;
  const client = await fixture.connect();
  const works = async (): Promise<void> => {
    t.strictSame((await client.query('SELECT 1 AS one')).rows, [{ one: '1' }]);
  };
  const authentication = Buffer.concat([
    startup('user', 'x', 'database', 'quarry'),
    message('p', Buffer.from(`${keys.read}\0`)),
  ]);

  t.test('a connection that does not begin with a startup message is refused and closed', async (t) => {
    t.match((await sent(port, Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toString(), /08P01/);
    t.match((await sent(port, int32(2 ** 31 - 1))).toString(), /08P01/);
    t.match((await sent(port, Buffer.concat([int32(8), int32(131_072)]))).toString(), /version 2.0/);
    t.match(
      (await sent(port, startup('user', 'x', 'database', 'other', 'options', '-c x=y'))).toString('latin1'),
      /^R/,
    );
    const early = Buffer.concat([int32(8), int32(80_877_103), Buffer.from('something before TLS')]);
    t.match((await sent(port, early)).toString(), /unexpected data before TLS/);
    await works();
  });

  t.test('oversized and malformed messages of a session are refused', async (t) => {
    const huge = Buffer.concat([authentication, Buffer.from('Q'), int32(2 ** 30)]);
    t.match((await sent(port, huge)).toString('latin1'), /08P01/);
    const cut = Buffer.concat([authentication, message('P', Buffer.from('no end'))]);
    t.match((await sent(port, cut)).toString('latin1'), /is not terminated/);
    const parse = message('P', Buffer.from('\0SELECT 1\0\0\0'));
    const counts = Buffer.concat([
      authentication,
      parse,
      message('B', Buffer.from('\0\0\0\0\xff\xff', 'latin1')),
      message('S', Buffer.alloc(0)),
    ]);
    t.match((await sent(port, counts)).toString('latin1'), /too short for its fields/);
    const notText = Buffer.concat([authentication, message('Q', Buffer.of(0xff, 0xfe, 0))]);
    t.match((await sent(port, notText)).toString('latin1'), /22021/);
    await works();
  });

  t.test('a half-closed session is closed', async (t) => {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.end(authentication);
    await new Promise((resolve) => socket.once('end', resolve));
    t.match(Buffer.concat(parts).toString('latin1'), /server_version/);
    await works();
  });

  t.test('random messages after authentication, truncated anywhere, do not disturb the server', async (t) => {
    const prng = new Prng(SEED);
    const kinds = 'QPBDECSHXdcfF?';
    for (let round = 0; round < ROUNDS; round += 15) {
      await Promise.all(
        Array.from({ length: 15 }, () => {
          const parts: Buffer[] = prng.chance(0.8) ? [authentication] : [];
          for (let at = prng.below(6); at >= 0; at--) {
            const body = Buffer.from(
              Array.from({ length: prng.below(60) }, () => prng.pick([0, 0, 1, 65, 255, 36, 49])),
            );
            parts.push(message(kinds[prng.below(kinds.length)], body));
          }
          const bytes = Buffer.concat(parts);
          return sent(port, bytes.subarray(0, prng.below(bytes.length + 1)), 60);
        }),
      );
    }
    await works();
    t.notMatch(fixture.server.output, /unexpected error/);
  });

  t.test('connections beyond the limit are refused until others close', async (t) => {
    const sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => {});
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await works();
    t.equal((await refusal(fixture.connect(keys.read, { ssl: false }))).code, '53300');
    for (const socket of sockets) socket.destroy();
    await wait(300);
    t.strictSame((await (await fixture.connect(keys.read)).query('SELECT 2 AS two')).rows, [{ two: '2' }]);
  });

  t.notOk(fixture.server.output.includes(keys.read), 'no key in the log');
});
