/** Cipher suites that the server accepts, tried one by one at both of its TLS ports. */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import t from 'tap';
import { TLS_1_2_CIPHERS } from '../../src/base/index.js';
import { startPostgres } from '../pg/site.js';

/** The first message of a Postgres client that requests TLS. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

type Dial = () => Promise<net.Socket>;

/** Name of the negotiated suite; null if there is none. */
async function agreed(dial: Dial, options: tls.ConnectionOptions): Promise<string | null> {
  const plain = await dial();
  const socket = tls.connect({ ...options, socket: plain, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol()} ${socket.getCipher().name}`;
  } catch {
    return null;
  } finally {
    socket.destroy();
    plain.destroy();
  }
}

t.test('both ports accept only suites with ephemeral keys and authenticated encryption', async (t) => {
  const site = await startPostgres(t);
  const { httpsPort } = await site.server.serving;
  const https: Dial = async () => {
    const socket = net.connect(httpsPort, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const postgres: Dial = async () => {
    const socket = net.connect(site.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(SSL_REQUEST);
    const [answer] = await once(socket, 'data');
    t.equal(String(answer), 'S');
    return socket;
  };
  const all = tls.getCiphers().map((name) => name.toUpperCase());
  const older = all.filter((name) => !name.startsWith('TLS_'));
  t.ok(older.includes('ECDHE-ECDSA-AES128-SHA'), 'this client offers CBC with SHA-1');
  // The certificate of the test has an ECDSA key.
  const expected = TLS_1_2_CIPHERS.filter((name) => name.includes('-ECDSA-')).sort();
  for (const [port, dial] of [
    ['HTTPS', https],
    ['Postgres', postgres],
  ] as const) {
    const taken: string[] = [];
    for (const name of older) {
      const only = { ciphers: `${name}:@SECLEVEL=0`, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
      const found = await agreed(dial, only);
      if (found !== null) taken.push(found);
    }
    t.strictSame(
      taken.sort(),
      expected.map((name) => `TLSv1.2 ${name}`),
      port,
    );
    t.match(await agreed(dial, {}), /^TLSv1\.3 TLS_/, port);
    t.equal(
      await agreed(dial, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }),
      null,
    );
  }
});
