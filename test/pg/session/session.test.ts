/**
 * The extended protocol, message by message: partial reads of portals, descriptions without parameter values, errors up to
 * Sync.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { Connection, type ConnectionContext } from '../../../src/pg/connection.js';
import { PostgresCounters } from '../../../src/pg/counters.js';
import { PasswordAuthentication } from '../../../src/pg/protocol/authentication.js';
import { runCommand } from '../../support/server-process.js';
import { DRIVERS } from '../driver-statements.js';
import { int16, int32, kinds, message, RawClient, textOf } from '../raw-client.js';
import { refusal, startPostgres } from '../site.js';

const SYNC = message('S');
const parse = (name: string, text: string, ...typeIds: readonly number[]): Buffer =>
  message('P', name, text, int16(typeIds.length), int32(...typeIds));
const bind = (portal: string, statement: string, formats: readonly number[] = []): Buffer =>
  message('B', portal, statement, int16(0, 0, formats.length, ...formats));
const execute = (portal: string, rowsMax: number): Buffer => message('E', portal, int32(rowsMax));

t.test('the extended protocol', async (t) => {
  const fixture = await startPostgres(t);
  const ids = Array.from({ length: 5 }, (_, at) => `"e${at}":{"n":${at}}`);
  await fixture.https.request({
    method: 'POST',
    path: '/v1/insert',
    text: `{"auto-create":["column"],${ids.join()}}`,
  });
  const client = new RawClient(fixture.port);
  t.teardown(() => client.close());
  t.equal(kinds(await client.start('quarry', fixture.keys.read)), `RR${'S'.repeat(11)}KZ`);
  const rows = 'SELECT n FROM "default" ORDER BY n';

  t.test('a portal returns its rows in parts and, in a transaction, is kept after Sync', async (t) => {
    await client.send('Z', message('Q', 'BEGIN'));
    const first = await client.send(
      'Z',
      parse('s', rows),
      bind('p', 's'),
      message('D', Buffer.from('P'), 'p'),
      execute('p', 2),
      SYNC,
    );
    t.equal(kinds(first), '12TDDsZ');
    t.equal(first.at(-1)?.body.toString(), 'T');
    t.equal(kinds(await client.send('Z', execute('p', 2), SYNC)), 'DDsZ');
    t.equal(kinds(await client.send('Z', execute('p', 2), SYNC)), 'DCZ');
    await client.send('Z', message('Q', 'COMMIT'));
    t.match(
      textOf(await client.send('Z', execute('p', 2), SYNC), 'E'),
      /34000/,
      'the portal ended with the transaction',
    );
  });

  t.test('Describe infers the types of open parameters and of rows before values are known', async (t) => {
    const text = 'SELECT n, "entity-id" FROM "default" WHERE n > $1 AND "entity-id" = $2 LIMIT $3';
    const received = await client.send('Z', parse('', text, 20), message('D', Buffer.from('S'), ''), SYNC);
    t.equal(kinds(received), '1tTZ');
    t.equal(textOf(received, 't'), Buffer.concat([int16(3), int32(20, 25, 20)]).toString('latin1'));
    t.match(textOf(received, 'T'), /n\0[\s\S]*entity-id\0/);
    const empty = await client.send(
      'Z',
      parse('', ''),
      message('D', Buffer.from('S'), ''),
      bind('', ''),
      execute('', 0),
      SYNC,
    );
    t.equal(kinds(empty), '1tn2IZ');
  });

  t.test('binary integers have eight bytes', async (t) => {
    const received = await client.send(
      'Z',
      parse('', `${rows} LIMIT 2`),
      bind('', '', [1]),
      execute('', 0),
      SYNC,
    );
    t.equal(kinds(received), '12DDCZ');
    const value = received[3].body;
    t.strictSame([value.readInt16BE(0), value.readInt32BE(2), value.readBigInt64BE(6)], [1, 8, 1n]);
  });

  t.test('after an error, messages are skipped up to Sync', async (t) => {
    const received = await client.send(
      'Z',
      parse('', 'SELECT nix FROM "default"'),
      bind('', ''),
      execute('', 0),
      bind('', ''),
      execute('', 0),
      SYNC,
    );
    t.equal(kinds(received), '12EZ');
    t.match(textOf(received, 'E'), /C42703\0[\s\S]*P8\0/);
    t.equal(
      kinds(
        await client.send(
          'Z',
          parse('', rows),
          bind('', ''),
          execute('', 1),
          message('C', Buffer.from('P'), ''),
          SYNC,
        ),
      ),
      '12Ds3Z',
    );
  });

  t.test('a text that is not UTF-8 is refused, and the session continues', async (t) => {
    const text = Buffer.from("SELECT '\xff\xfe'\0", 'latin1');
    const simple = await client.send('Z', message('Q', text));
    t.equal(kinds(simple), 'EZ');
    t.match(textOf(simple, 'E'), /C22021/);
    const extended = await client.send('Z', message('P', '', text, int16(0)), bind('', ''), SYNC);
    t.equal(kinds(extended), 'EZ');
    t.match(textOf(extended, 'E'), /C22021/);
    const value = message('B', '', '', int16(0, 1), int32(2), text.subarray(8, 10), int16(0));
    const parameter = await client.send('Z', parse('', 'SELECT $1::text', 25), value, execute('', 0), SYNC);
    t.equal(kinds(parameter), '12EZ');
    t.match(textOf(parameter, 'E'), /C22021/);
    t.equal(kinds(await client.send('Z', message('Q', 'SELECT 1'))), 'TDCZ');
  });

  t.test('portals and prepared statements of a session are limited', async (t) => {
    const many = Array.from({ length: 30 }, (_, at) => bind(`p${at}`, 's'));
    t.match(textOf(await client.send('Z', ...many, SYNC), 'E'), /53200/);
    t.match(textOf(await client.send('Z', bind('', 'none'), SYNC), 'E'), /26000/);
    t.equal(kinds(await client.send('Z', bind('', 's'), execute('', 0), SYNC)), '2DDDDDCZ');
  });

  t.test('/metrics counts connections, and statements by outcome', async (t) => {
    const stats = async (): Promise<readonly number[]> => {
      const { httpPort } = await fixture.server.serving;
      const text = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
      const names = ['statements_total{outcome="answered"}', 'statements_total{outcome="refused"}'];
      return [...names, 'refused_total', 'sessions_open'].map((name) => {
        const line = text.split('\n').find((one) => one.startsWith(`quarry_pg_${name} `));
        return Number(line?.split(' ').at(-1));
      });
    };
    const before = await stats();
    await client.send('Z', message('Q', 'SELECT 1; SHOW search_path; SELECT nix'));
    await refusal(fixture.connect('nonsense'));
    await fixture.connect();
    const after = await stats();
    t.strictSame(
      after.map((value, at) => value - before[at]),
      [2, 1, 1, 1],
    );
  });

  t.test('Describe does not run statements that have an effect', async (t) => {
    const describedOnly = (text: string) =>
      client.send('Z', parse('', text), bind('', ''), message('D', Buffer.from('P'), ''), SYNC);
    const done = (text: string) =>
      client.send(
        'Z',
        parse('', text),
        bind('', ''),
        message('D', Buffer.from('P'), ''),
        execute('', 0),
        SYNC,
      );
    t.equal(kinds(await describedOnly('BEGIN')), '12nZ');
    t.equal(textOf(await done('BEGIN'), 'Z'), 'T');
    t.equal(textOf(await describedOnly('COMMIT'), 'Z'), 'T');
    const ended = await done('COMMIT');
    t.strictSame([kinds(ended), textOf(ended, 'Z')], ['12nCZ', 'I']);
    t.equal(kinds(await done('DISCARD ALL')), '12nCZ');
  });

  t.test('initial queries of drivers and tools are answered, in text and in binary', async (t) => {
    for (const [driver, statements] of Object.entries(DRIVERS)) {
      for (const { text, values = [], rows: wanted, asText } of statements) {
        const parameters = values.flatMap((value) => [int32(value.length), Buffer.from(value)]);
        for (const format of asText ? [0] : [0, 1]) {
          const received = await client.send(
            'Z',
            parse('', text),
            message('D', Buffer.from('S'), ''),
            message('B', '', '', int16(0, values.length), ...parameters, int16(1, format)),
            message('D', Buffer.from('P'), ''),
            execute('', 0),
            SYNC,
          );
          const name = `${driver}, format ${format}: ${text.slice(0, 120)}`;
          t.match(kinds(received), /^1t[Tn]2[Tn]N?D*[CI]Z$/, `${name} ${textOf(received, 'E')}`);
          if (wanted !== undefined) t.equal(kinds(received).replace(/[^D]/g, '').length, wanted, name);
        }
      }
    }
  });
});

t.test('rate limits and the account state apply to a session as to requests over HTTPS', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-pg-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const limits = path.join(dir, 'limits.toml');
  fs.writeFileSync(limits, '[requests-per-minute]\n"POST /v1/sql" = 2\n');
  const fixture = await startPostgres(t, ['--limits', limits]);
  const client = await fixture.connect();
  const select = (): Promise<unknown> => client.query('SELECT 1 AS one');
  const overHttps = await fixture.https.request({
    method: 'POST',
    path: '/v1/sql',
    text: 'SELECT 1',
    headers: { 'content-type': 'application/sql' },
  });
  t.equal(overHttps.status, 200);
  await select();
  t.match(await refusal(select()), { code: '53400', detail: 'error 1502' });
  const reader = await fixture.connect(fixture.keys.read);
  await reader.query('SELECT 1 AS one');
  await client.query('SHOW server_version');
  t.equal((await runCommand(['account', 'suspended', '--data-dir', fixture.server.dir])).code, 0);
  t.match(await refusal(select()), { code: '28000', detail: 'error 1001' });
  t.equal((await refusal(fixture.connect())).code, '28000');
});

t.test('a key is never requested over a network without TLS', async (t) => {
  const hall = {
    limits: { messageBytesMax: 1_000, startSecondsMax: 5, idleSecondsMax: 5, stallSecondsMax: 5 },
    leave: () => {},
    hasCapacity: () => true,
    authentication: () => new PasswordAuthentication(),
    counters: new PostgresCounters(),
  } as unknown as ConnectionContext;
  const connectFrom = async (address: string): Promise<string> => {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      Object.defineProperty(socket, 'remoteAddress', { value: address });
      new Connection(hall, socket, 1);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new RawClient((server.address() as net.AddressInfo).port);
    const words = Buffer.concat([int32(196_608), Buffer.from('user\0raw\0\0')]);
    const received = await client.send(address.startsWith('192') ? 'E' : 'R', message('', words));
    client.close();
    await new Promise((resolve) => server.close(resolve));
    return kinds(received) === 'E' ? textOf(received, 'E') : kinds(received);
  };
  t.match(await connectFrom('192.0.2.1'), /28000\0[\s\S]*sslmode=require/);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    t.equal(await connectFrom(address), 'R', address);
});
