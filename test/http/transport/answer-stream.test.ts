/** Streamed answers over both ports of a real server. */
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { RowStream } from '../../../src/answer/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { Spool, SpoolStore, spooled } from '../../../src/engine/query/spool.js';
import { ENDPOINTS, type Endpoint } from '../../../src/http/endpoints/endpoints.js';
import type { DatabaseCall } from '../../../src/http/endpoints/handlers/handler.js';
import type { HttpSettings } from '../../../src/http/index.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import { KEYS } from '../fake-engine.js';
import {
  codeOf,
  type Front,
  RawConnection,
  requestBytes,
  sendRequest,
  startFront,
  type TestRequest,
} from '../harness.js';

const KIB = 1_024;
const MIB = 2 ** 20;
const HEADERS = { Authorization: KEYS.master, 'Content-Type': 'application/json' };

const PATH = '/v1/data_extraction/result';

function rowsAs(accept: string | null): TestRequest {
  const headers = accept === null ? HEADERS : { ...HEADERS, Accept: accept };
  return { path: PATH, headers, body: '{}' };
}

type Parts = AsyncGenerator<Uint8Array, void, void>;

/** A front end whose extractions stream the parts that `make` returns. */
async function startStreaming(
  t: Test,
  make: (call: DatabaseCall) => Parts,
  settings: Partial<HttpSettings> = {},
): Promise<Front> {
  const streaming = (endpoint: Endpoint): Endpoint => {
    if (endpoint.scope !== 'database' || endpoint.path !== PATH) return endpoint;
    const handler = (call: DatabaseCall): { rows: RowStream } => ({
      // A part is overwritten after it was sent, because the server must not refer to its bytes any longer.
      rows: { format: call.format, parts: make(call), done: (part) => void part.fill(0xff) },
    });
    return { ...endpoint, handler, plainHttp: true };
  };
  return startFront(t, settings, { endpoints: ENDPOINTS.map(streaming) });
}

async function* partsOf(...parts: readonly (string | Uint8Array | Error)[]): Parts {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
    await pause(1);
  }
}

/** Decodes an answer in chunks from the received bytes. */
class ChunkReader {
  head = '';
  content: Buffer[] = [];
  #rest = Buffer.alloc(0);
  /** The last chunk was received. */
  whole = false;

  add(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (this.head === '') {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.head = this.#rest.toString('latin1', 0, end + 2);
      this.#rest = this.#rest.subarray(end + 4);
    }
    while (!this.whole) {
      const line = this.#rest.indexOf('\r\n');
      if (line === -1) return;
      const size = Number.parseInt(this.#rest.toString('latin1', 0, line), 16);
      if (!(size >= 0)) throw new Error('the received bytes are not the start of a chunk');
      if (this.#rest.length < line + 2 + size + 2) return;
      this.content.push(this.#rest.subarray(line + 2, line + 2 + size));
      this.whole = size === 0;
      this.#rest = this.#rest.subarray(line + 2 + size + 2);
    }
  }

  get text(): string {
    return Buffer.concat(this.content).toString();
  }
}

/** Sends the request and reads its chunked answer on this connection. */
async function readChunks(connection: RawConnection, request: TestRequest): Promise<ChunkReader> {
  const reader = new ChunkReader();
  const { socket } = connection;
  socket.removeAllListeners('data');
  const over = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      reader.add(bytes);
      if (reader.whole) resolve();
    });
    void connection.closed.then(() => resolve());
  });
  connection.write(requestBytes(request));
  await over;
  return reader;
}

async function overBoth(
  t: Test,
  front: Front,
  run: (connection: RawConnection, t: Test) => Promise<void>,
): Promise<void> {
  for (const overTls of [true, false]) {
    await t.test(overTls ? 'over HTTPS' : 'over HTTP', async (t) => {
      const connection = await RawConnection.open(overTls ? front.httpsPort : front.httpPort, overTls);
      await run(connection, t);
      connection.socket.destroy();
    });
  }
}

async function metric(front: Front, name: string): Promise<number> {
  const { body } = await sendRequest(front, { path: '/metrics' });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

t.test('a short answer has a Content-Length and the content type of its format', async (t) => {
  const front = await startStreaming(t, () => partsOf('"result":[', '],"count":0'));
  await overBoth(t, front, async (connection, t) => {
    connection.write(requestBytes(rowsAs(null)));
    const json = await connection.reply();
    t.equal(json.headers['content-type'], 'application/json');
    t.match(json.body, /^\{"status":"success","result":\[\],"count":0,"took":0\.\d{6}\}$/);
    for (const [accept, type] of [
      ['text/csv', 'text/csv; charset=utf-8'],
      ['application/x-ndjson', 'application/x-ndjson'],
      ['application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.stream'],
    ]) {
      connection.write(requestBytes(rowsAs(accept)));
      const reply = await connection.reply();
      t.equal(reply.status, 200);
      t.match(reply.headers, { 'content-type': type, 'content-length': '21', 'x-request-id': /^test-/ });
      t.equal(reply.body, '"result":[],"count":0');
    }
  });
});

t.test('a long answer is sent in chunks, and its connection can be used again', async (t) => {
  const prng = new Prng(5);
  const texts = Array.from({ length: 40 }, () => 'äx'.repeat(prng.below(100_000)));
  const front = await startStreaming(t, ({ body }) =>
    body.length > 2 ? partsOf('"short":true') : partsOf(...texts),
  );
  await overBoth(t, front, async (connection, t) => {
    for (const accept of ['application/x-ndjson', null]) {
      const reader = await readChunks(connection, rowsAs(accept));
      t.match(reader.head, /^HTTP\/1\.1 200 OK\r\n/);
      t.match(reader.head, /\r\nContent-Type: application\/(x-nd)?json\r\n/);
      t.match(reader.head, /\r\nX-Request-Id: test-/);
      t.notMatch(reader.head, /Content-Length/i);
      const text = reader.text.replace(/\d+\.\d{6}\}$/, 'S}');
      const joined = texts.join('');
      const wanted = accept === null ? `{"status":"success",${joined},"took":S}` : joined;
      t.ok(text === wanted, `${text.length} and ${wanted.length} characters`);
    }
    const next = new ChunkReader();
    connection.socket.on('data', (bytes: Buffer) => next.add(bytes));
    connection.write(requestBytes({ ...rowsAs(null), body: '{"short":true}' }));
    await until(() => next.head !== '');
    t.match(next.head, /Content-Length: /);
  });
  t.equal(await metric(front, 'quarry_http_requests_open'), 1, 'only the request for the metrics is open');
});

t.test(
  'a stream that fails before its first bytes were sent is answered with an error in JSON',
  async (t) => {
    let failure: Error = new QuarryError(9006, 'too much');
    const front = await startStreaming(t, () => partsOf('"result":[', 'x'.repeat(60_000), failure));
    await overBoth(t, front, async (connection, t) => {
      for (const accept of [null, 'text/csv']) {
        connection.write(requestBytes(rowsAs(accept)));
        const reply = await connection.reply();
        t.equal(codeOf(reply), 9006);
        t.match(reply.headers, { 'content-type': 'application/json', 'retry-after': '1' });
      }
    });
    failure = new Error('the secret inside');
    const reply = await sendRequest(front, rowsAs('text/csv'));
    t.equal(codeOf(reply), 1);
    t.notMatch(reply.body, 'secret');
    t.ok(front.logLines.some((line) => line.includes('the secret inside')));
    t.equal(await metric(front, 'quarry_http_cut_off_total'), 0);
  },
);

t.test(
  'a stream that fails later closes the connection, so that the answer is visibly incomplete',
  async (t) => {
    let failure: Error = new QuarryError(9005, 'took too long');
    const front = await startStreaming(t, () => partsOf('x'.repeat(200_000), 'y'.repeat(200_000), failure));
    await overBoth(t, front, async (connection, t) => {
      const reader = await readChunks(connection, rowsAs('application/x-ndjson'));
      t.equal(reader.whole, false);
      t.match(reader.head, /200 OK/);
      t.ok(reader.text.length <= 400_000, `${reader.text.length} characters came`);
    });
    t.equal(await metric(front, 'quarry_http_cut_off_total'), 2);
    t.equal(await metric(front, 'quarry_http_aborted_total'), 0);
    t.equal(await metric(front, 'quarry_http_requests_open'), 1);
    const lines = front.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'answer cut off');
    t.match(lines, [{ level: 40, code: 9005, cause: 'took too long', endpoint: rowsAs(null).path }, {}]);
    failure = new Error('a bug');
    const connection = await RawConnection.open(front.httpsPort, true);
    t.equal((await readChunks(connection, rowsAs('text/csv'))).whole, false);
    t.ok(front.logLines.some((line) => line.includes('unexpected error, answer cut off')));
  },
);

t.test('a client that disconnects cancels its stream at any stage', async (t) => {
  const stages: readonly (readonly [stage: string, bytes: number])[] = [
    ['before the first part', 0],
    ['before anything was sent', 30_000],
    ['while it is sent', 300_000],
    ['while the client does not read', 100 * MIB],
  ];
  for (const [stage, byteCount] of stages) {
    const front = await startStreaming(t, (call) => made(call));
    let left = 0;
    let reached = false;
    async function* made({ cancellation }: DatabaseCall): Parts {
      try {
        for (let sent = 0; sent < byteCount; sent += 10_000) {
          yield new Uint8Array(10_000);
          if (sent >= 50 * MIB) t.fail('the server sent more than a client that does not read can accept');
          if (sent > 20 * MIB) reached = true;
        }
        reached = true;
        await new Promise<void>((resolve) => cancellation.onCancel(resolve));
      } finally {
        left++;
      }
    }
    await overBoth(t, front, async (connection, t) => {
      [left, reached] = [0, false];
      if (byteCount > MIB) connection.socket.pause();
      connection.write(requestBytes(rowsAs('text/csv')));
      if (byteCount > MIB) await pause(300);
      else await until(() => reached);
      connection.socket.destroy();
      await until(() => left > 0);
      t.equal(left, 1, stage);
    });
    t.equal(await metric(front, 'quarry_http_aborted_total'), 2);
    t.equal(await metric(front, 'quarry_http_requests_open'), 1);
  }
});

t.test('a stream is canceled if the client disconnected before it begins', async (t) => {
  let go = (): void => {};
  let isWaiting = false;
  let left = 0;
  async function* made(): Parts {
    try {
      yield new Uint8Array(10);
    } finally {
      left++;
    }
  }
  const late = (endpoint: Endpoint): Endpoint => {
    if (endpoint.scope !== 'database' || endpoint.path !== PATH) return endpoint;
    const handler = async (): Promise<{ rows: RowStream }> => {
      await new Promise<void>((resolve) => {
        [go, isWaiting] = [resolve, true];
      });
      return { rows: { format: 'csv', parts: made() } };
    };
    return { ...endpoint, handler };
  };
  const front = await startFront(t, {}, { endpoints: ENDPOINTS.map(late) });
  const connection = await RawConnection.open(front.httpsPort, true);
  connection.write(requestBytes(rowsAs('text/csv')));
  await until(() => isWaiting);
  connection.socket.destroy();
  await pause(50);
  go();
  await until(() => left > 0);
  t.equal(await metric(front, 'quarry_http_requests_open'), 1);
});

t.test('50 MiB for a slow client are spooled to disk, with little in memory', async (t) => {
  const store = new SpoolStore();
  const dir = `${t.testdir()}/spool`;
  const PART = 100 * KIB;
  const spools: Spool[] = [];
  let produced = 0;
  let isProduced = false;
  const front = await startStreaming(t, () => {
    const spool = new Spool({ fs: new NodeFileSystem(), dir, memoryBytesMax: MIB, store });
    spools.push(spool);
    produced = 0;
    return spooled(spool, async (into) => {
      for (; produced < 50 * MIB; produced += PART) {
        await into.write(new Uint8Array(PART).fill(produced / PART));
        if (spool.memoryBytes > MIB) t.fail(`${spool.memoryBytes} bytes in memory`);
      }
      isProduced = true;
    });
  });
  await overBoth(t, front, async (connection, t) => {
    const { socket } = connection;
    isProduced = false;
    socket.removeAllListeners('data');
    const reader = new ChunkReader();
    socket.on('data', (bytes: Buffer) => reader.add(bytes));
    socket.pause();
    connection.write(requestBytes(rowsAs('text/csv')));
    await until(() => isProduced);
    await pause(100);
    t.ok(store.reservedBytes > 30 * MIB, `${store.reservedBytes} bytes are spooled to disk`);
    t.equal(
      codeOf(await sendRequest(front, { ...rowsAs(null), headers: {} })),
      500,
      'other requests are answered meanwhile',
    );
    socket.resume();
    await until(() => reader.whole);
    const content = Buffer.concat(reader.content);
    t.equal(content.length, produced);
    let wrong = 0;
    for (let at = 0; at < content.length; at += PART) {
      const whole = new Uint8Array(PART).fill(at / PART);
      if (!content.subarray(at, at + PART).equals(whole)) wrong++;
    }
    t.equal(wrong, 0, 'all parts arrive in order');
    t.equal(store.reservedBytes, 0);
    t.equal(spools.at(-1)?.memoryBytes, 0);
  });
});

t.test('a client that reads nothing for too long is disconnected; one that pauses is not', async (t) => {
  const parts = (): Parts => partsOf(...Array.from({ length: 30 }, () => new Uint8Array(MIB)));
  const strict = await startStreaming(t, parts, { stallSecondsMax: 0.8 });
  await overBoth(t, strict, async (connection, t) => {
    connection.socket.pause();
    connection.write(requestBytes(rowsAs('text/csv')));
    await pause(2_500);
    t.equal(await metric(strict, 'quarry_http_requests_open'), 1, 'the connection is closed');
  });
  t.equal(await metric(strict, 'quarry_http_aborted_total'), 2);
  const patient = await startStreaming(t, parts);
  const connections = await Promise.all([
    RawConnection.open(patient.httpsPort, true),
    RawConnection.open(patient.httpPort, false),
  ]);
  const readers = connections.map(({ socket }) => {
    const reader = new ChunkReader();
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => reader.add(bytes));
    socket.pause();
    return reader;
  });
  for (const connection of connections) connection.write(requestBytes(rowsAs('text/csv')));
  // uWebSockets.js on its own would disconnect them after 10 s.
  await pause(14_000);
  for (const { socket } of connections) socket.resume();
  await until(() => readers.every(({ whole }) => whole));
  t.strictSame(
    readers.map(({ content }) => Buffer.concat(content).length),
    [30 * MIB, 30 * MIB],
  );
  for (const { socket } of connections) socket.destroy();
});

t.test('a server that stops finishes its answers and then closes their connections', async (t) => {
  let go = (): void => {};
  let isWaiting = false;
  async function* made(): Parts {
    yield Buffer.from('x'.repeat(100_000));
    await new Promise<void>((resolve) => {
      [go, isWaiting] = [resolve, true];
    });
    yield Buffer.from('y'.repeat(100_000));
  }
  const front = await startStreaming(t, made);
  const connection = await RawConnection.open(front.httpsPort, true);
  const reading = readChunks(connection, rowsAs('text/csv'));
  await until(() => isWaiting);
  const closed = front.server.close();
  await pause(50);
  go();
  const reader = await reading;
  t.equal(reader.whole, true);
  t.equal(reader.text.length, 200_000);
  t.equal(await connection.closed, 'closed');
  await closed;
});

t.test('a server that stops does not wait longer than its limit', async (t) => {
  let left = 0;
  async function* made({ cancellation }: DatabaseCall): Parts {
    try {
      yield Buffer.from('x'.repeat(100_000));
      await new Promise<void>((resolve) => cancellation.onCancel(resolve));
    } finally {
      left++;
    }
  }
  const front = await startStreaming(t, made, { closeSecondsMax: 0.2 });
  const connection = await RawConnection.open(front.httpsPort, true);
  const reading = readChunks(connection, rowsAs('text/csv'));
  await pause(100);
  await front.server.close();
  t.equal((await reading).whole, false);
  await until(() => left > 0);
});
