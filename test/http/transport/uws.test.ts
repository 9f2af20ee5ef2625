/** Behavior of uWebSockets.js that the server relies on and that involves no handler. */

import { once } from 'node:events';
import t from 'tap';
import { RawConnection, startFront } from '../harness.js';

t.test('a request without Host gets 400 at once, and its connection is closed', async (t) => {
  const front = await startFront(t);
  for (const overTls of [false, true]) {
    const port = overTls ? front.httpsPort : front.httpPort;
    const connection = await RawConnection.open(port, overTls);
    let text = '';
    connection.socket.on('data', (bytes: Buffer) => {
      text += bytes;
    });
    const closed = once(connection.socket, 'close');
    connection.write('GET /livez HTTP/1.1\r\n\r\n');
    await closed;
    t.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
  }
});
