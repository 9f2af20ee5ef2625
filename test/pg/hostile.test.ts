/** Clients that misbehave: the others are answered, nothing is written by halves, and sessions end with their connections. */
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { int16, int32, kinds, message, RawClient, textOf } from './raw-client.js';
import { startPostgres } from './site.js';

const SYNC = message('S');
const MESSAGE_BYTES = 5 * 2 ** 20;

t.test('misbehaving clients do not disturb others', async (t) => {
  const fixture = await startPostgres(t);
  const { port, keys } = fixture;
  const other = await fixture.connect();
  const session = async (): Promise<RawClient> => {
    const client = new RawClient(port);
    t.teardown(() => client.close());
    t.ok(kinds(await client.start('quarry', keys.master)).endsWith('Z'));
    return client;
  };
  const answers = async (t: Test): Promise<void> => {
    t.strictSame((await other.query('SELECT count(*) AS n FROM pg_am')).rows, [{ n: '7' }]);
  };
  const opened = async (): Promise<number> => {
    const { httpPort } = await fixture.server.serving;
    const text = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
    return Number(/^quarry_pg_sessions_open (\d+)$/m.exec(text)?.[1]);
  };
  const closed = async (t: Test): Promise<void> => {
    while ((await opened()) > 1) await wait(20);
    await answers(t);
  };

  t.test('as many sessions as the limit are answered at once, and further ones are refused', async (t) => {
    const clients = Array.from({ length: 205 }, () => new RawClient(port));
    const started = await Promise.all(clients.map((client) => client.start('quarry', keys.master)));
    const isOpen = started.map((received) => kinds(received).endsWith('Z'));
    t.equal(isOpen.filter(Boolean).length, 199);
    const refused = started.filter((_, at) => !isOpen[at]).map((received) => textOf(received, 'E'));
    t.ok(refused.every((text) => text.includes('C53300')));
    const open = clients.filter((_, at) => isOpen[at]);
    const replies = await Promise.all(open.map((client) => client.send('Z', message('Q', 'SELECT 1'))));
    t.ok(replies.every((received) => kinds(received) === 'TDCZ'));
    for (const client of clients) client.close();
    await closed(t);
  });

  t.test('half-sent messages are bounded together', async (t) => {
    const head = Buffer.alloc(5);
    head.write('Q', 'latin1');
    head.writeInt32BE(MESSAGE_BYTES, 1);
    const clients = await Promise.all(Array.from({ length: 20 }, session));
    const half = Buffer.alloc(MESSAGE_BYTES - 1_000, 'x');
    const refusals = clients.map(async (client) => textOf(await client.send('E', head, half), 'E'));
    t.match(await Promise.race(refusals), /C53200/);
    await answers(t);
    for (const client of clients) client.close();
    await Promise.all(refusals);
    await closed(t);
  });

  t.test('connections that never authenticate leave capacity for others', async (t) => {
    const sockets = Array.from({ length: 300 }, () => net.connect(port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {}).write(Buffer.of(0, 0, 0));
    (await session()).close();
    for (const socket of sockets) socket.destroy();
    await closed(t);
  });

  t.test('a storm of cancel requests cancels nothing without the secret', async (t) => {
    const request = message('', int32(80_877_102, 1, 12_345));
    const running = other.query('SELECT count(*) AS n FROM generate_series(1, 300000) a WHERE a % 2 = 0');
    const storm = Array.from({ length: 500 }, async () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => {});
      const end = new Promise((resolve) => socket.once('close', resolve));
      socket.write(request);
      socket.resume();
      await end;
    });
    await Promise.all(storm);
    t.strictSame((await running).rows, [{ n: '150000' }]);
  });

  t.test('a COPY that is cut writes nothing, also if its end is no UTF-8', async (t) => {
    await other.query('CREATE TABLE cut (a text)');
    const copy = message('Q', 'COPY cut ("entity-id", a) FROM STDIN');
    const cut = await session();
    t.equal(kinds(await cut.send('G', copy)), 'G');
    cut.write(
      Buffer.concat([
        message('d', Buffer.from('1\tx\n2\ty\n')),
        message('d', Buffer.from('3')).subarray(0, 5),
      ]),
    );
    cut.close();
    await closed(t);
    const failing = await session();
    await failing.send('G', copy);
    const failed = await failing.send(
      'Z',
      message('d', Buffer.from('1\tx\n')),
      message('f', Buffer.of(0xff, 0)),
    );
    t.equal(kinds(failed), 'EZ');
    t.match(textOf(failed, 'E'), /C57014/);
    t.equal(kinds(await failing.send('Z', message('Q', 'SELECT 1'))), 'TDCZ', 'the session continues');
    t.strictSame((await other.query('SELECT count(*) AS n FROM cut')).rows, [{ n: '0' }]);
    failing.close();
    await closed(t);
  });

  t.test('statements and portals by the thousands end with 53200', async (t) => {
    const client = await session();
    const parses = Array.from({ length: 1_001 }, (_, at) => message('P', `s${at}`, 'SELECT 1', int16(0)));
    t.match(textOf(await client.send('Z', ...parses, SYNC), 'E'), /C53200/);
    await client.send('Z', message('Q', 'DEALLOCATE ALL'));
    const long = `SELECT 1${',1'.repeat(900)}`;
    const loop = Array.from({ length: 3_000 }, () => message('P', '', long, int16(0)));
    client.write(Buffer.concat(loop));
    t.ok(kinds(await client.send('Z', SYNC)).endsWith('1Z'), 'a client that never waits is answered');
    client.close();
    await closed(t);
  });

  t.test('wrong states of authentication end only their connection', async (t) => {
    const first = message('', int32(196_608), Buffer.from('user\0raw\0database\0quarry\0\0'));
    const wrong = [
      message('Q', 'SELECT 1'),
      message('p', Buffer.alloc(100, 255)),
      message('p', Buffer.alloc(0)),
      message('p', Buffer.alloc(20_000, 'x')),
      Buffer.concat([message('p', 'nonsense'), message('p', keys.master)]),
    ];
    for (const bytes of wrong) {
      const client = new RawClient(port);
      t.match(textOf(await client.send('E', first, bytes), 'E'), /C(08P01|28P01|22021)/);
      client.close();
    }
    await answers(t);
  });
});
