import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import t, { type Test } from 'tap';
import { BODY_BYTES_MAX, Prng, QuarryError } from '../../../src/base/index.js';
import type { QueryOptions } from '../../../src/engine/index.js';
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

const HEADERS = { Authorization: KEYS.write, 'Content-Type': 'application/json' };

function insertOf(body: string | Uint8Array, headers: Record<string, string> = {}): TestRequest {
  return { path: '/v1/insert', headers: { ...HEADERS, ...headers }, body };
}

/** Runs `run` with a connection to each of the two ports. */
async function overBoth(
  t: Test,
  front: Front,
  run: (connection: RawConnection, t: Test, plain: boolean) => Promise<void>,
): Promise<void> {
  for (const plain of [false, true]) {
    await t.test(plain ? 'over HTTP' : 'over HTTPS', async (t) => {
      const connection = await RawConnection.open(plain ? front.httpPort : front.httpsPort, !plain);
      await run(connection, t, plain);
      connection.socket.destroy();
    });
  }
}

const zstd = await Zstd.load();
const quickBrotli = (body: string | Uint8Array): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

function lastInsert(front: Front): string {
  return Buffer.from(front.engine.inserts.at(-1)?.bytes ?? []).toString();
}

t.test(
  'a body that arrives one byte at a time is read completely, with Content-Length or in chunks',
  async (t) => {
    const front = await startFront(t);
    const text = '{"x":{"age":1}}';
    await overBoth(t, front, async (connection, t) => {
      for (const byte of requestBytes(insertOf(text))) connection.write(Uint8Array.of(byte));
      t.equal((await connection.reply()).status, 200);
      t.equal(lastInsert(front), text);
      connection.write(
        requestBytes({ ...insertOf(''), headers: { ...HEADERS, 'Transfer-Encoding': 'chunked' } }),
      );
      for (const character of text) {
        for (const part of ['1\r\n', character, '\r\n']) connection.write(part);
      }
      connection.write('0\r\n\r\n');
      t.equal((await connection.reply()).status, 200, 'on the same connection');
      t.equal(lastInsert(front), text);
      t.equal(front.engine.inserts.length % 2, 0);
    });
  },
);

t.test('5 MiB are accepted; one byte more is 1507 at once, with or without Content-Length', async (t) => {
  const front = await startFront(t);
  await overBoth(t, front, async (connection, t) => {
    connection.write(requestBytes(insertOf(new Uint8Array(BODY_BYTES_MAX).fill(0x20))));
    t.equal((await connection.reply()).status, 200);
    t.equal(front.engine.inserts.at(-1)?.bytes.length, BODY_BYTES_MAX);
    connection.write(requestBytes(insertOf(new Uint8Array(BODY_BYTES_MAX + 1))));
    const reply = await connection.reply();
    t.equal(codeOf(reply), 1507);
    t.equal(reply.status, 413);
    t.equal(reply.headers.connection, 'close');
    t.equal(await connection.closed, 'closed', 'the connection is not reset');
  });
  const inserts = front.engine.inserts.length;
  await overBoth(t, front, async (connection, t) => {
    const head = { ...insertOf(''), headers: { ...HEADERS, 'Transfer-Encoding': 'chunked' } };
    connection.write(requestBytes(head));
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000), Buffer.from('\r\n')]);
    for (let index = 0; index < 5; index++) connection.write(chunk);
    connection.write('1\r\nx\r\n');
    t.equal(codeOf(await connection.reply()), 1507, 'before the last chunk was sent');
    connection.write('0\r\n\r\n');
    t.equal(await connection.closed, 'closed');
  });
  t.equal(front.engine.inserts.length, inserts, 'the engine gets nothing of the body');
});

t.test('a Content-Length above the limit is refused at once', async (t) => {
  const front = await startFront(t);
  const cases: readonly [string, number][] = [
    ['5242881', 1507],
    ['900000000', 1507],
    ['9000000000', 1507],
    ['-1', 1503],
    ['ten', 1503],
    ['1e3', 1503],
  ];
  for (const [length, code] of cases) {
    await overBoth(t, front, async (connection, t) => {
      connection.write(requestBytes({ ...insertOf(''), headers: { ...HEADERS, 'Content-Length': length } }));
      t.equal(codeOf(await connection.reply()), code, length);
    });
  }
  t.equal(front.engine.inserts.length, 0);
});

t.test('a client that keeps sending after 1507 gets its answer and is disconnected later', async (t) => {
  const front = await startFront(t);
  await overBoth(t, front, async (connection, t) => {
    connection.write(
      requestBytes({ ...insertOf(''), headers: { ...HEADERS, 'Content-Length': '900000000' } }),
    );
    const block = Buffer.alloc(2 ** 20);
    let sentBytes = 0;
    let open = true;
    const closed = connection.closed.then(() => {
      open = false;
    });
    while (open && sentBytes < 200 * 2 ** 20) {
      if (connection.socket.write(block)) await new Promise((resolve) => setImmediate(resolve));
      else await Promise.race([new Promise((resolve) => connection.socket.once('drain', resolve)), closed]);
      sentBytes += block.length;
    }
    t.equal(codeOf(await connection.reply()), 1507);
    await closed;
    t.ok(sentBytes < 200 * 2 ** 20, `${sentBytes} bytes`);
  });
  t.equal((await sendRequest(front, insertOf('{}'))).status, 200, 'the server still answers');
});

t.test('a request that is refused before its body is read leaves the connection usable', async (t) => {
  const front = await startFront(t);
  await overBoth(t, front, async (connection, t) => {
    const bad = { ...insertOf(new Uint8Array(3_000_000)), headers: { ...HEADERS, Authorization: 'nobody' } };
    connection.write(requestBytes(bad));
    t.equal(codeOf(await connection.reply()), 502);
    connection.write(requestBytes(insertOf('{"a":1}')));
    t.equal((await connection.reply()).status, 200);
  });
});

t.test('a truncated body does not reach the engine', async (t) => {
  const front = await startFront(t);
  await overBoth(t, front, async (connection) => {
    const whole = requestBytes(insertOf('{"x":{"age":1}}'));
    connection.write(whole.subarray(0, whole.length - 4));
    connection.socket.end();
    await connection.closed;
  });
  await overBoth(t, front, async (connection) => {
    connection.write(
      requestBytes({ ...insertOf(''), headers: { ...HEADERS, 'Transfer-Encoding': 'chunked' } }),
    );
    connection.write('zz\r\nhello\r\n0\r\n\r\n');
    await connection.closed;
  });
  t.equal(front.engine.inserts.length, 0);
  t.match((await sendRequest(front, { path: '/metrics' })).body, /quarry_http_body_bytes_held 0\n/);
});

t.test('a body that does not arrive in time is 1503, and a slow one that does is accepted', async (t) => {
  const front = await startFront(t, { bodySecondsMax: 0.8 });
  await overBoth(t, front, async (connection, t) => {
    const whole = requestBytes(insertOf('{"x":{"age":1}}'));
    connection.write(whole.subarray(0, whole.length - 1));
    const reply = await connection.reply();
    t.equal(codeOf(reply), 1503);
    t.match(reply.body, 'not complete after 0.8 s');
    connection.write(whole.subarray(whole.length - 1));
    t.equal(await connection.closed, 'closed');
  });
  t.equal(front.engine.inserts.length, 0);
});

t.test('a body may pause longer than the idle timeout of connections', async (t) => {
  const front = await startFront(t);
  const connection = await RawConnection.open(front.httpsPort, true);
  const whole = requestBytes(insertOf('{"x":{"age":1}}'));
  connection.write(whole.subarray(0, whole.length - 1));
  await new Promise((resolve) => setTimeout(resolve, 13_000));
  connection.write(whole.subarray(whole.length - 1));
  t.equal((await connection.reply()).status, 200);
  connection.socket.destroy();
});

t.test('gzip, br and zstd bodies are decoded up to the bound, and invalid ones are refused', async (t) => {
  const front = await startFront(t);
  const text = JSON.stringify({ x: { name: 'a'.repeat(5000) } });
  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['br', quickBrotli],
    ['zstd', (body: string | Uint8Array) => zstd.compress(Buffer.from(body))],
  ] as const) {
    const header = { 'Content-Encoding': encoding };
    t.equal((await sendRequest(front, insertOf(encode(text), header))).status, 200);
    t.equal(lastInsert(front), text);
    const bomb = encode(Buffer.alloc(BODY_BYTES_MAX + 1));
    t.equal(codeOf(await sendRequest(front, insertOf(bomb, header))), 1507);
    const great = encode(Buffer.alloc(60 * 2 ** 20, ' '));
    const before = process.memoryUsage().rss;
    t.equal(codeOf(await sendRequest(front, insertOf(great, header))), 1507);
    const more = (process.memoryUsage().rss - before) / 2 ** 20;
    t.ok(more < 40, `${Math.round(more)} MiB more for a body of 60`);
    t.equal(codeOf(await sendRequest(front, insertOf(text, header))), 1503);
  }
  t.equal(front.engine.inserts.length, 3);
});

t.test('bodies over the budget are refused with 9003 and can be sent again', async (t) => {
  const front = await startFront(t, { bodyBytesReservedMax: 1_000_000 });
  const reply = await sendRequest(front, insertOf(new Uint8Array(1_500_000)));
  t.equal(codeOf(reply), 9003);
  t.equal(reply.headers['retry-after'], '1');
  t.equal((await sendRequest(front, insertOf(new Uint8Array(900_000)))).status, 200);
});

t.test('an unexpected error is answered with code 1; its text is logged but not sent', async (t) => {
  const front = await startFront(t);
  front.engine.onInsert = () => Promise.reject(new Error('the secret inside'));
  const reply = await sendRequest(front, insertOf('{}', { 'X-Request-Id': 'mine' }));
  t.equal(reply.status, 500);
  t.equal(codeOf(reply), 1);
  t.notMatch(reply.body, 'secret');
  t.ok(
    front.logLines.some((line) => line.includes('the secret inside') && line.includes('"requestId":"mine"')),
  );
});

t.test('errors of the engine are answered with their code and more-info', async (t) => {
  const front = await startFront(t);
  front.engine.onInsert = () => Promise.reject(new QuarryError(2011, 'no column "x"', { column: 'x' }));
  const reply = await sendRequest(front, insertOf('{}'));
  t.equal(reply.status, 400);
  t.strictSame(JSON.parse(reply.body), {
    errors: [{ code: 2011, message: 'no column "x"', 'more-info': { column: 'x' } }],
    status: 'error',
  });
  front.engine.onInsert = () => Promise.reject(new QuarryError(9002));
  const full = await sendRequest(front, insertOf('{}'));
  t.equal(full.status, 503);
  t.equal(full.headers['retry-after'], '1');
});

t.test('a client that disconnects while the engine works does not affect other requests', async (t) => {
  const front = await startFront(t);
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    front.engine.onInsert = async () => {
      resolve();
      await new Promise<void>((go) => {
        release = go;
      });
      return { entityCount: 1, valueCount: 1 };
    };
  });
  const connection = await RawConnection.open(front.httpsPort, true);
  connection.write(requestBytes(insertOf('{"a":{"b":1}}')));
  await entered;
  connection.socket.destroy();
  await connection.closed;
  t.match((await sendRequest(front, { path: '/metrics' })).body, /quarry_http_requests_open 2\n/);
  release();
  const { body } = await sendRequest(front, { path: '/metrics' });
  t.match(body, /quarry_http_aborted_total 1\n/);
  t.match(body, /quarry_http_body_bytes_held 0\n/);
  t.match(body, /quarry_http_requests_open 1\n/);
});

t.test('a client that disconnects cancels its running query', async (t) => {
  const front = await startFront(t);
  const stopped = new Promise<string>((resolve) => {
    front.engine.countEntities = (_plans: unknown, { cancellation }: QueryOptions) =>
      new Promise<readonly number[]>((_resolve, reject) => {
        cancellation?.onCancel(() => {
          resolve(cancellation.isCancelled ? 'stopped' : 'no client has disconnected');
          reject(new QuarryError(9005));
        });
      });
  });
  const connection = await RawConnection.open(front.httpsPort, true);
  const query = { 'query-name': 'q', query: [{ 'entity-id': { equals: 'x' } }] };
  const headers = { Authorization: KEYS.master, 'Content-Type': 'application/json' };
  connection.write(requestBytes({ path: '/v1/query/count/entity', headers, body: JSON.stringify(query) }));
  while (front.engine.notedRequests.length === 0) await pause(5);
  await pause(20);
  connection.socket.destroy();
  t.equal(await stopped, 'stopped');
});

t.test('1,000 requests at once all get their own answer', async (t) => {
  const front = await startFront(t);
  front.engine.onInsert = async (bytes) => {
    await new Promise((resolve) => setTimeout(resolve, bytes.length % 7));
    return { entityCount: Number(Buffer.from(bytes).toString().trim()), valueCount: 0 };
  };
  const connections = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const plain = index % 2 === 0;
      return RawConnection.open(plain ? front.httpPort : front.httpsPort, !plain);
    }),
  );
  const right = await Promise.all(
    connections.map(async (connection, index) => {
      let count = 0;
      for (let turn = 0; turn < 20; turn++) {
        const number = index * 20 + turn;
        connection.write(
          requestBytes(insertOf(`${number}${' '.repeat(number % 100)}`, { 'X-Request-Id': `r${number}` })),
        );
        const reply = await connection.reply();
        const same = reply.body.includes(`"inserted-entities":${number},`);
        if (same && reply.headers['x-request-id'] === `r${number}`) count++;
      }
      connection.socket.destroy();
      return count;
    }),
  );
  t.equal(
    right.reduce((sum, count) => sum + count, 0),
    1000,
  );
});

t.test('randomly corrupted requests never stop the server', async (t) => {
  const seed = 77;
  const random = new Prng(seed);
  const front = await startFront(t);
  const good = requestBytes(
    insertOf('{"x":{"age":1}}', { 'Content-Encoding': 'gzip', 'X-Request-Id': 'abc' }),
  );
  for (let round = 0; round < 300; round++) {
    const bytes = Uint8Array.from(good).subarray(0, 1 + random.below(good.length));
    for (let spoiled = random.below(4); spoiled > 0; spoiled--) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    const connection = await RawConnection.open(front.httpPort, false);
    connection.write(bytes);
    if (random.below(2) === 0) connection.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
    connection.socket.destroy();
  }
  t.equal((await sendRequest(front, insertOf('{}'))).status, 200, `seed ${seed}`);
});
