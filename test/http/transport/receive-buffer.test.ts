/**
 * The number of bytes that one turn of the event loop reads from a sender on another thread that is faster than the
 * handler.
 */
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { limitReceiveBuffer } from '../../../src/http/transport/receive-buffer.js';
import { type Listener, openListener, type Response } from '../../../src/http/transport/uws.js';

const KIB = 1024;
const BODY_BYTES = 24 * KIB * KIB;
const SETTINGS = { host: '127.0.0.1', port: 0, tls: null };

/** Sends one body of zeros as fast as it can. */
const SENDER = `
const { workerData: { port, bodyBytes } } = require('node:worker_threads');
const socket = require('node:net').connect(port, '127.0.0.1');
const piece = Buffer.alloc(1024 * 1024);
let left = bodyBytes;
const send = () => {
  while (left > 0) {
    left -= piece.length;
    if (!socket.write(piece)) return;
  }
};
socket.on('drain', send);
socket.on('data', () => socket.destroy());
socket.write('POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: ' + bodyBytes + '\\r\\n\\r\\n');
send();
`;

/** Works for `ms` on each chunk, and pauses the body from its first chunk in a turn to the next turn. */
class SlowReader {
  bytesInTurnMax = 0;
  #bytesInTurn = 0;

  handle(response: Response, ms: number): void {
    let isOver = false;
    response.onAborted(() => {
      isOver = true;
    });
    response.onData((chunk, last) => {
      if (this.#bytesInTurn === 0) {
        if (!last) response.pause();
        setImmediate(() => {
          this.#bytesInTurn = 0;
          if (!isOver) response.resume();
        });
      }
      this.#bytesInTurn += chunk.byteLength;
      this.bytesInTurnMax = Math.max(this.bytesInTurnMax, this.#bytesInTurn);
      const untilMs = performance.now() + ms;
      while (performance.now() < untilMs);
      if (!last) return;
      isOver = true;
      response.end();
    });
  }
}

async function sent(port: number): Promise<void> {
  const sender = new Worker(SENDER, { eval: true, workerData: { port, bodyBytes: BODY_BYTES } });
  await new Promise((resolve, reject) => {
    sender.on('exit', resolve);
    sender.on('error', reject);
  });
}

const options = process.platform === 'linux' ? {} : { skip: 'the receive buffer has a limit on Linux only' };

t.test('a turn of the event loop reads less than 512 KiB from a fast sender', options, async (t) => {
  const reader = new SlowReader();
  const handle = (response: Response): void => reader.handle(response, 5);
  const listeners: Listener[] = [openListener(SETTINGS, handle)];
  const [{ port }] = listeners;
  t.teardown(() => {
    for (const listener of listeners) listener.closeConnections();
  });
  await sent(port);
  t.ok(reader.bytesInTurnMax > 0 && reader.bytesInTurnMax < 512 * KIB, `${reader.bytesInTurnMax} bytes`);
  reader.bytesInTurnMax = 0;
  listeners.push(openListener({ ...SETTINGS, port }, handle, listeners[0]));
  await sent(port);
  t.ok(
    reader.bytesInTurnMax > 0 && reader.bytesInTurnMax < 512 * KIB,
    `a listener that took over the port: ${reader.bytesInTurnMax} bytes`,
  );
  t.strictSame(
    listeners.map(({ unlimitedReason }) => unlimitedReason),
    [null, null],
  );
});

t.test('a port without a listener is reported', options, async (t) => {
  const server = net.createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
  });
  t.equal(limitReceiveBuffer(port), null);
  await new Promise((resolve) => server.close(resolve));
  t.equal(limitReceiveBuffer(port), `no listening socket of port ${port} was found`);
});
