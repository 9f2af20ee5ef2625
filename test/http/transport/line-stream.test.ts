/** Line bodies over both ports of a real server, whose engine records the requests that it gets. */
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import t from 'tap';
import { type ErrorCode, Prng, QuarryError } from '../../../src/base/index.js';
import { hashOfKey } from '../../../src/catalog/index.js';
import { RateExceeded } from '../../../src/http/limits/rate-window.js';
import { ByteBudget } from '../../../src/http/transport/body.js';
import { BodyParts } from '../../../src/http/transport/body-parts.js';
import { LineStream, PAUSED_BYTES_MAX, WITHHELD_BYTES_MAX } from '../../../src/http/transport/line-stream.js';
import type { Response } from '../../../src/http/transport/uws.js';
import { KEYS } from '../fake-engine.js';
import { codeOf, type Front, RawConnection, sendRequest, startFront } from '../harness.js';
import { LineClient, type LineTarget, partsIn, sendLines } from '../line-client.js';

const MIB = 2 ** 20;

const plainly = (front: Front): LineTarget => ({ port: front.httpPort, key: KEYS.write });
const secretly = (front: Front): LineTarget => ({ port: front.httpsPort, overTls: true, key: KEYS.write });

const linesOf = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `{"id":"u${from + index}","age":${index}}\n`).join('');

const textsOf = (front: Front): string[] =>
  front.engine.inserts.map(({ bytes }) => Buffer.from(bytes).toString());

/** Waits until `holds` returns true; the timeout of the test limits the wait. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

for (const target of [plainly, secretly]) {
  t.test(`parts are inserted in order, and each gets an answer (${target.name})`, async (t) => {
    const front = await startFront(t);
    let running = 0;
    front.engine.onInsert = async (bytes) => {
      t.equal(++running, 1, 'one at a time');
      await pause(2);
      running--;
      return { entityCount: Buffer.from(bytes).toString().split('\n').length - 1, valueCount: 7 };
    };
    const body = linesOf(2_500);
    const { status, headers, whole, parts } = await sendLines(
      { ...target(front), headers: { 'X-Request-Id': 'mine' } },
      body,
    );
    t.strictSame([status, whole], [200, true]);
    t.match(headers, { 'content-type': 'application/x-ndjson', 'x-request-id': 'mine' });
    const rest = { status: 'success', 'inserted-values': 7 };
    t.strictSame(parts, [
      { part: 1, 'first-line': 1, lines: 1_000, ...rest, 'inserted-entities': 1_000 },
      { part: 2, 'first-line': 1_001, lines: 1_000, ...rest, 'inserted-entities': 1_000 },
      { part: 3, 'first-line': 2_001, lines: 500, ...rest, 'inserted-entities': 500 },
    ]);
    t.equal(textsOf(front).join(''), body);
    const received = front.engine.inserts.map(({ request }) => [request.lines, request.idempotencyId]);
    t.strictSame(
      received,
      [1, 1_001, 2_001].map((first) => [{ head: 0, first }, null]),
    );
    t.equal(
      (await sendRequest(front, { path: '/metrics' })).body.includes(`${body.length}`),
      true,
      'the bytes of the body are counted',
    );
  });
}

t.test('the line with the create options precedes every part', async (t) => {
  const front = await startFront(t);
  const head = '{"auto-create":["column"]}\n';
  const body = linesOf(1_200);
  const { parts } = await sendLines(plainly(front), `\ufeff${head}${body}`, 777);
  t.strictSame(
    parts.map((part) => [part['first-line'], part.lines]),
    [
      [2, 1_000],
      [1_002, 200],
    ],
  );
  const lines = body.match(/.*\n/g) ?? [];
  t.strictSame(textsOf(front), [head + lines.slice(0, 1_000).join(''), head + lines.slice(1_000).join('')]);
  t.strictSame(
    front.engine.inserts.map(({ request }) => request.lines),
    [
      { head: 1, first: 2 },
      { head: 1, first: 1_002 },
    ],
  );
});

t.test('records of every form are divided into parts, with the mapping of the request', async (t) => {
  const front = await startFront(t);
  const count = 1_200;
  const records = Array.from({ length: count }, (_, index) => ({
    id: `u${index}`,
    note: 'two\n"lines", [x]',
  }));
  const csvLine = ({ id, note }: (typeof records)[number]): string => `${id},"${note.replaceAll('"', '""')}"`;
  const bodies = {
    'application/x-ndjson': records.map((record) => JSON.stringify(record)).join('\n'),
    'application/json': JSON.stringify(records, null, 1),
    'text/csv': `id,note\n${records.map(csvLine).join('\n')}\n`,
  };
  for (const [type, body] of Object.entries(bodies)) {
    front.engine.inserts.length = 0;
    const target = { ...plainly(front), path: '/v1/insert/lines?id=id', headers: { 'Content-Type': type } };
    const { status, parts } = await sendLines(target, body, 4_321);
    const first = type === 'text/csv' ? 2 : 1;
    t.equal(status, 200, type);
    t.strictSame(
      parts.map((part) => [part['first-line'], part.lines]),
      [
        [first, 1_000],
        [first + 1_000, 200],
      ],
      type,
    );
    for (const { request } of front.engine.inserts) {
      t.match(
        request,
        { lines: { head: first - 1 }, records: { format: first === 2 ? 'csv' : 'json' } },
        type,
      );
    }
    const lines = textsOf(front).flatMap((text) => text.trim().split('\n'));
    t.equal(
      lines.length,
      first === 2 ? count + 2 : count,
      `${type}: a line per record, and the header per part`,
    );
  }
});

t.test('a list of records without its end is refused, and the records before are inserted', async (t) => {
  const front = await startFront(t);
  const target = {
    ...plainly(front),
    path: '/v1/insert/lines?id=id',
    headers: { 'Content-Type': 'application/json' },
  };
  const { status, parts } = await sendLines(target, `[${'{"id":"a"},'.repeat(1_000)}{"id":"b"}`);
  t.equal(status, 400);
  t.strictSame(
    parts.map((part) => [part['first-line'], part.lines, part.status, part.errors?.[0].code]),
    [
      [1, 1_000, 'success', undefined],
      [1_001, 0, 'error', 1503],
    ],
  );
});

t.test('a refused part is reported, and the other parts are inserted', async (t) => {
  const front = await startFront(t);
  const refusals = [
    null,
    new QuarryError(2011, 'line 1001: there is no column', { line: 1001 }),
    new QuarryError(9003, 'memory limit reached'),
    new QuarryError(1502, 'too many', { 'retry-after': 41 }),
    new Error('a bug that nobody is told of'),
  ];
  front.engine.onInsert = async () => {
    const refusal = refusals[front.engine.inserts.length - 1] ?? null;
    if (refusal !== null) throw refusal;
    return { entityCount: 1, valueCount: 1 };
  };
  const long = `{"id":"${'x'.repeat(5 * MIB)}"}\n`;
  const { status, headers, parts, whole } = await sendLines(
    plainly(front),
    linesOf(4_500) + long + linesOf(3),
  );
  t.equal(whole, true);
  t.equal(status, 503, 'the retryable refusal wins');
  t.match(headers, { 'content-type': 'application/x-ndjson', 'retry-after': '1' });
  t.strictSame(
    parts.map((part) => [
      part.part,
      part['first-line'],
      part.lines,
      part.status,
      part.errors,
      part['retry-after'],
    ]),
    [
      [1, 1, 1_000, 'success', undefined, undefined],
      [
        2,
        1_001,
        1_000,
        'error',
        [{ code: 2011, message: 'line 1001: there is no column', 'more-info': { line: 1001 } }],
        undefined,
      ],
      [3, 2_001, 1_000, 'error', [{ code: 9003, message: 'memory limit reached' }], 1],
      [
        4,
        3_001,
        1_000,
        'error',
        [{ code: 1502, message: 'too many', 'more-info': { 'retry-after': 41 } }],
        41,
      ],
      [5, 4_001, 500, 'error', [{ code: 1, message: 'internal error' }], undefined],
      [
        6,
        4_501,
        1,
        'error',
        [{ code: 1507, message: 'line 4501: it is longer than 5242880 bytes', 'more-info': { line: 4501 } }],
        undefined,
      ],
      [7, 4_502, 3, 'success', undefined, undefined],
    ],
  );
  t.match(front.logLines.join(''), 'a bug that nobody is told of');
});

t.test('a body that is refused before its first part gets the status of the refusal', async (t) => {
  const front = await startFront(t, { bodyBytesReservedMax: 1_000 });
  const status = async (target: LineTarget, body = linesOf(1)): Promise<unknown> => {
    const answer = await sendLines(target, body);
    return [answer.status, answer.status === 200 ? 0 : codeOf({ status: 0, headers: {}, body: answer.text })];
  };
  t.strictSame(await status({ ...plainly(front), key: 'wrong' }), [401, 502]);
  t.strictSame(await status({ ...plainly(front), key: KEYS.read }), [403, 503]);
  const withHeader = (name: string, value: string): LineTarget => ({
    ...plainly(front),
    headers: { [name]: value },
  });
  t.strictSame(await status(withHeader('Content-Type', 'text/csv')), [415, 1501]);
  t.strictSame(await status(withHeader('Content-Encoding', 'compress')), [415, 1501]);
  t.strictSame(await status(withHeader('Idempotency-Key', 'é')), [400, 4049]);
  t.strictSame(await status(withHeader('Content-Encoding', 'br')), [503, 9003], 'no room to decode');
  t.strictSame(await status(plainly(front), linesOf(3_000)), [503, 9003], 'no room for a part');
  const elsewhere = {
    path: '/v1/update',
    headers: { Authorization: KEYS.write, 'Content-Type': 'application/x-ndjson' },
    body: '{}',
  };
  t.equal(codeOf(await sendRequest(front, elsewhere)), 1501, 'only inserts accept line bodies');
  const endless = {
    ...elsewhere,
    path: '/v1/insert',
    headers: { ...elsewhere.headers, 'Content-Length': '12345678901' },
  };
  t.match(await sendRequest(front, endless), { status: 413, body: /send such a body chunked/ });
  t.equal(front.engine.inserts.length, 0);
  t.match(await sendRequest(front, { path: '/metrics' }), { body: /quarry_http_body_bytes_held 0\n/ });
});

t.test('an empty body inserts nothing', async (t) => {
  const front = await startFront(t);
  const lengths: readonly Record<string, string>[] = [
    { 'Content-Length': '0' },
    { 'Transfer-Encoding': 'chunked' },
  ];
  for (const headers of lengths) {
    const { status, text, whole } = await sendLines({ ...plainly(front), headers }, '');
    t.strictSame([status, text, whole], [200, '', true]);
  }
  t.equal(front.engine.inserts.length, 0);
});

const zstd = await Zstd.load();

const ENCODERS = {
  gzip: (body: Uint8Array) => gzipSync(body),
  br: (body: Uint8Array) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  // Frames of their own: a block of zstd is decoded when all of it is there.
  zstd: (body: Uint8Array) =>
    Buffer.concat(
      Array.from({ length: 10 }, (_, part) =>
        zstd.compress(body.subarray((body.length / 10) * part, (body.length / 10) * (part + 1))),
      ),
    ),
} as const;

for (const encoding of ['gzip', 'br', 'zstd'] as const) {
  t.test(`${encoding} is decoded into parts, and invalid input ends the stream`, async (t) => {
    const front = await startFront(t);
    const random = new Prng(5);
    const noise = Array.from(
      { length: 3_500 },
      (_, index) => `{"id":"${index}","n":${random.below(1e9)}}\n`,
    ).join('');
    const target = { ...plainly(front), headers: { 'Content-Encoding': encoding } };
    const encoded = ENCODERS[encoding](Buffer.from(noise));
    const { parts, whole } = await sendLines(target, encoded, 500);
    t.strictSame(
      parts.map(({ lines }) => lines),
      [1_000, 1_000, 1_000, 500],
    );
    t.equal(whole, true);
    t.ok(textsOf(front).join('') === noise, 'the decoded lines are unchanged');
    front.engine.inserts.length = 0;
    const cut = await sendLines(target, encoded.subarray(0, encoded.length - 9), 500);
    t.equal(cut.status, 400);
    const last = cut.parts.at(-1);
    t.strictSame(
      cut.parts.slice(0, -1).map(({ lines }) => lines),
      [1_000, 1_000, 1_000],
    );
    t.match(last, { part: 4, 'first-line': 3_001, lines: 0, status: 'error', errors: [{ code: 1503 }] });
    t.equal(front.engine.inserts.length, 3, 'an incomplete part is not applied');
  });

  t.test(`decoding of a ${encoding} bomb pauses until the parts before are applied`, async (t) => {
    const front = await startFront(t, { bodyBytesReservedMax: 64 * MIB });
    const bomb = ENCODERS[encoding](Buffer.alloc(120 * MIB, `{"id":"u","age":1}${' '.repeat(200)}\n`));
    t.ok(bomb.length < 2 * MIB);
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    front.engine.onInsert = () => gate.then(() => ({ entityCount: 0, valueCount: 0 }));
    const before = process.memoryUsage();
    const client = new LineClient({ ...plainly(front), headers: { 'Content-Encoding': encoding } });
    void client.write(bomb);
    await until(() => front.engine.inserts.length === 1);
    await pause(300);
    const { rss } = process.memoryUsage();
    t.ok(rss - before.rss < 60 * MIB, `${Math.round((rss - before.rss) / MIB)} MiB more`);
    t.equal(front.engine.inserts.length, 1);
    client.disconnect();
    go();
    await until(() => front.engine.inserts.length >= 2);
    // The timeout of the test limits the wait: no event signals that all memory was released.
    while (!/quarry_http_body_bytes_held 0\n/.test((await sendRequest(front, { path: '/metrics' })).body))
      await pause(5);
    t.ok(
      front.engine.inserts.length < 10,
      'the rest of the body is not decoded after the client disconnects',
    );
  });
}

t.test(
  'a bomb without a line end is one line that is too long, and the lines after it are inserted',
  async (t) => {
    const front = await startFront(t, { bodyBytesReservedMax: 64 * MIB });
    for (const encoding of ['gzip', 'br', 'zstd'] as const) {
      const body = Buffer.alloc(128 * MIB, ' ');
      body.write('\n{"id":"u","age":1}\n', body.length - 20);
      const bomb = ENCODERS[encoding](body);
      t.ok(bomb.length < MIB);
      const before = process.memoryUsage();
      const target = { ...plainly(front), headers: { 'Content-Encoding': encoding } };
      const { status, parts, whole } = await sendLines(target, bomb);
      const { rss } = process.memoryUsage();
      t.ok(rss - before.rss < 64 * MIB, `${Math.round((rss - before.rss) / MIB)} MiB more`);
      t.strictSame([status, whole], [413, true]);
      t.match(parts, [
        { part: 1, 'first-line': 1, lines: 1, status: 'error', errors: [{ code: 1507 }] },
        { part: 2, 'first-line': 2, lines: 1, status: 'success' },
      ]);
      t.equal(textsOf(front).at(-1), '{"id":"u","age":1}\n');
    }
    t.match(await sendRequest(front, { path: '/metrics' }), { body: /quarry_http_body_bytes_held 0\n/ });
  },
);

t.test('a client that sends faster than its parts are applied is slowed down', async (t) => {
  const front = await startFront(t);
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  front.engine.onInsert = () => gate.then(() => ({ entityCount: 0, valueCount: 0 }));
  const client = new LineClient(plainly(front));
  const piece = linesOf(5_000);
  let sent = 0;
  const sending = (async () => {
    for (; sent < 300; sent++) await client.write(piece);
    client.end();
  })();
  await until(() => front.engine.inserts.length === 1);
  await pause(300);
  t.ok(sent < 300, `${sent} pieces of ${piece.length} bytes were accepted`);
  const { body } = await sendRequest(front, { path: '/metrics' });
  const reserved = Number(/quarry_http_body_bytes_held (\d+)/.exec(body)?.[1]);
  t.ok(reserved > 0 && reserved < 8 * MIB, `${reserved} bytes`);
  go();
  await sending;
  const { whole, text } = await client.answer;
  t.equal(whole, true);
  t.equal(partsIn(text).length, 1_500);
  t.match(await sendRequest(front, { path: '/metrics' }), { body: /quarry_http_body_bytes_held 0\n/ });
});

t.test('a client that does not read its answers is paused and finally disconnected', async (t) => {
  const front = await startFront(t, { stallSecondsMax: 1 });
  front.engine.onInsert = async () => {
    throw new QuarryError(2011, 'x'.repeat(10_000));
  };
  const client = new LineClient({ ...plainly(front), deaf: true });
  const piece = '\n'.repeat(100_000);
  let isOver = false;
  void client.answer.then(() => {
    isOver = true;
  });
  let reservedMax = 0;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const { body } = await sendRequest(front, { path: '/metrics' });
      reservedMax = Math.max(reservedMax, Number(/quarry_http_body_bytes_held (\d+)/.exec(body)?.[1]));
      await pause(20);
    }
  };
  const watching = watch();
  for (let sent = 0; sent < 1_000 && !isOver; sent++)
    await Promise.race([client.write(piece), client.answer]);
  t.ok(isOver);
  await watching;
  t.ok(reservedMax < MIB, `at most ${reservedMax} bytes of the body were in memory`);
  t.ok(front.engine.inserts.length < 5_000, `${front.engine.inserts.length} parts`);
  t.equal((await client.answer).whole, false);
});

t.test('a slow stream stays connected, and a silent one is disconnected', async (t) => {
  const front = await startFront(t, { bodySecondsMax: 1 });
  const client = new LineClient(plainly(front));
  await client.write(linesOf(1_000));
  for (let round = 0; round < 5; round++) {
    await pause(300);
    await client.write(linesOf(1, 5_000 + round));
  }
  const [first, last] = await client.parts(2);
  t.equal((await client.answer).status, 400);
  t.match(first, { part: 1, lines: 1_000, status: 'success' });
  t.match(last, {
    part: 2,
    'first-line': 1_001,
    lines: 0,
    status: 'error',
    errors: [{ code: 1503, message: 'no byte of the body arrived for 1 s' }],
  });
  t.equal((await client.answer).whole, true);
  const silent = new LineClient(plainly(front));
  await silent.write(linesOf(2));
  const { status, text } = await silent.answer;
  t.strictSame(
    [status, codeOf({ status, headers: {}, body: text })],
    [400, 1503],
    'a timeout before the first part is answered as an error of the request',
  );
  t.equal(front.engine.inserts.length, 1);
});

t.test(
  'the complete parts of a client that disconnects are applied, and the incomplete one is not',
  async (t) => {
    for (const target of [plainly, secretly]) {
      const front = await startFront(t);
      let go = (): void => {};
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      front.engine.onInsert = () => gate.then(() => ({ entityCount: 0, valueCount: 0 }));
      const client = new LineClient(target(front));
      await client.write(linesOf(2_700));
      await until(() => front.engine.inserts.length === 1);
      await pause(50);
      client.disconnect();
      await pause(50);
      go();
      await until(() => front.engine.inserts.length === 2);
      await front.server.close();
      t.equal(textsOf(front).join(''), linesOf(2_000));
    }
  },
);

t.test('a server that stops finishes the current part and reports that it is stopping', async (t) => {
  const front = await startFront(t);
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  front.engine.onInsert = () => gate.then(() => ({ entityCount: 1, valueCount: 1 }));
  const busy = new LineClient(plainly(front));
  await busy.write(linesOf(2_700));
  const idle = new LineClient(secretly(front));
  await idle.write(linesOf(10));
  await until(() => front.engine.inserts.length === 1);
  await pause(50);
  const closing = front.server.close();
  await pause(20);
  go();
  const { status, text, whole } = await busy.answer;
  t.strictSame([status, whole], [503, true]);
  t.match(partsIn(text), [
    { part: 1, status: 'success' },
    {
      part: 2,
      'first-line': 1_001,
      lines: 0,
      status: 'error',
      errors: [{ code: 9004, message: 'the server is stopping' }],
      'retry-after': 1,
    },
  ]);
  t.equal(partsIn(text).length, 2);
  t.equal((await idle.answer).status, 503);
  await closing;
  t.equal(front.engine.inserts.length, 1);
});

t.test('each part has its own idempotency key, derived from the key of the request', async (t) => {
  const front = await startFront(t);
  const names = async (key: string, body: string): Promise<(string | null)[]> => {
    front.engine.inserts.length = 0;
    await sendLines({ ...plainly(front), headers: { 'Idempotency-Key': key } }, body);
    return front.engine.inserts.map(({ request }) => request.idempotencyId);
  };
  const first = await names('a', linesOf(2_100));
  t.equal(new Set(first).size, 3);
  t.strictSame(await names('a', linesOf(2_100)), first);
  t.strictSame(
    (await names('b', linesOf(2_100))).filter((name) => first.includes(name)),
    [],
  );
});

t.test('a caller whose access was revoked is refused at the next part', async (t) => {
  const front = await startFront(t);
  const client = new LineClient(plainly(front));
  await client.write(linesOf(1_000));
  await until(() => front.engine.inserts.length === 1);
  front.engine.apply({ change: 'key-deleted', hash: hashOfKey(KEYS.write) });
  await client.write(linesOf(500));
  client.end();
  const { status, text } = await client.answer;
  t.equal(status, 401);
  t.match(partsIn(text), [{ status: 'success' }, { part: 2, status: 'error', errors: [{ code: 502 }] }]);
  t.equal(front.engine.inserts.length, 1);
});

const refused = (code: ErrorCode): QuarryError => new QuarryError(code, `refused with ${code}`);

/** Refuses the insert of part n with `refusals[n - 1]`; parts with null or after the end of the list are inserted. */
function refuseParts(front: Front, refusals: readonly (QuarryError | null)[], valueCount = 1_000): void {
  front.engine.inserts.length = 0;
  front.engine.onInsert = async () => {
    const refusal = refusals[front.engine.inserts.length - 1] ?? null;
    if (refusal !== null) throw refusal;
    return { entityCount: 1_000, valueCount };
  };
}

t.test(
  'the status of the answer is that of the first retryable refusal, else of the first refusal',
  async (t) => {
    const front = await startFront(t);
    const cases: readonly (readonly [readonly (ErrorCode | null)[], number, string | undefined])[] = [
      [[null, null, null], 200, undefined],
      [[null, null, 2011], 400, undefined],
      [[1502, null, 2011], 429, '1'],
      [[2011, 1502, null], 400, undefined],
      [[null, 9001, 9001], 422, undefined],
      [[2011, null, 9002], 503, '1'],
      [[9003, 2011, 2011], 503, '1'],
      [[1507, 2011, 9004], 503, '1'],
      [[2011, 2011, 9005], 400, undefined],
    ];
    for (const [codes, wanted, retryAfter] of cases) {
      for (const target of [plainly, secretly]) {
        refuseParts(
          front,
          codes.map((code) => (code === null ? null : refused(code))),
        );
        const { status, headers, whole, parts } = await sendLines(target(front), linesOf(2_500));
        const found = parts.map(({ errors }) => errors?.[0].code ?? null);
        t.strictSame(
          { found, status, whole, retryAfter: headers['retry-after'] },
          { found: codes, status: wanted, whole: true, retryAfter },
          `${codes}`,
        );
      }
    }
  },
);

t.test('a part that exceeds a rate limit is refused with the figures of that limit', async (t) => {
  const front = await startFront(t);
  const rateStatus = { limit: 300_000, remaining: 7, resetSeconds: 41 };
  refuseParts(front, [null, new RateExceeded('too many', rateStatus)]);
  const { status, headers } = await sendLines(plainly(front), linesOf(1_500));
  t.equal(status, 429);
  t.match(headers, {
    'retry-after': '41',
    'ratelimit-limit': '300000',
    'ratelimit-remaining': '7',
    'ratelimit-reset': '41',
  });
});

/** Empty objects, one per line; a thousand lines are one part. */
const blankParts = (count: number): string => '\n'.repeat(count * 1_000);
/** A count larger than any real one: a few answers with it exceed the buffer of withheld answers. */
const LONG_COUNT = '9'.repeat(10_000) as unknown as number;
const MANY_PARTS = Math.ceil(WITHHELD_BYTES_MAX / 10_000);

for (const target of [plainly, secretly]) {
  t.test(`a refusal after status 200 was sent closes the connection (${target.name})`, async (t) => {
    const front = await startFront(t);
    const refusals: (QuarryError | null)[] = Array.from({ length: MANY_PARTS }, () => null);
    refuseParts(front, [...refusals, refused(2011)], LONG_COUNT);
    const { status, whole, parts } = await sendLines(target(front), blankParts(MANY_PARTS + 50));
    t.strictSame([status, whole], [200, false]);
    t.equal(parts.length, MANY_PARTS + 1);
    t.match(parts.at(-1), { part: MANY_PARTS + 1, status: 'error', errors: [{ code: 2011 }] });
    t.equal(front.engine.inserts.length, MANY_PARTS + 1, 'no later part is applied');
    const { body } = await sendRequest(front, { path: '/metrics' });
    t.match(body, /quarry_http_cut_off_total 1\n/);
    t.match(body, /quarry_http_requests_open 1\n/, 'the connection is closed');
    t.match(body, /quarry_http_body_bytes_held 0\n/);
  });
}

t.test('a client that keeps sending after such a refusal gets the refusal and is disconnected', async (t) => {
  const front = await startFront(t);
  const many = Array.from({ length: MANY_PARTS }, () => null);
  refuseParts(front, [...many, refused(9003)], LONG_COUNT);
  const client = new LineClient(plainly(front));
  await client.write(blankParts(MANY_PARTS + 1));
  const parts = await client.parts(MANY_PARTS + 1);
  t.match(parts.at(-1), { status: 'error', errors: [{ code: 9003 }], 'retry-after': 1 });
  client.end();
  t.match(await client.answer, { status: 200, whole: false });
});

t.test(
  'after a status was sent for a refusal, only a refusal of another status closes the connection',
  async (t) => {
    const front = await startFront(t);
    const many = Array.from({ length: MANY_PARTS }, () => null);
    refuseParts(front, [refused(2011), ...many, refused(2013), refused(2011)], LONG_COUNT);
    const answer = await sendLines(plainly(front), blankParts(MANY_PARTS + 4));
    t.strictSame([answer.status, answer.whole, answer.parts.length], [400, true, MANY_PARTS + 4]);
    refuseParts(front, [refused(2011), ...many, refused(9002)], LONG_COUNT);
    const retryable = await sendLines(plainly(front), blankParts(MANY_PARTS + 4));
    t.strictSame([retryable.status, retryable.whole], [400, false], 'the status of the later refusal is 503');
    t.equal(retryable.parts.length, MANY_PARTS + 2);
  },
);

t.test('refused parts are counted by code, and logged at intervals with the first reason', async (t) => {
  let nowMs = 0;
  const front = await startFront(t, {}, { elapsedMs: () => nowMs });
  const send = async (): Promise<void> => {
    refuseParts(front, [null, refused(2011), refused(9003)]);
    await sendLines({ ...plainly(front), headers: { 'X-Request-Id': `at ${nowMs}` } }, linesOf(3_500));
  };
  const logged = (): unknown[] =>
    front.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'part of a line body refused');
  await send();
  await send();
  nowMs = 9_999;
  await send();
  nowMs = 10_000;
  await send();
  const line = { level: 40, code: 2011, reason: 'refused with 2011', part: 2, firstLine: 1_001 };
  const found = logged();
  t.equal(found.length, 2);
  t.match(found, [
    { ...line, unlogged: 0, requestId: 'at 0', key: /^write-/ },
    { ...line, unlogged: 2, requestId: 'at 10000' },
  ]);
  const { body } = await sendRequest(front, { path: '/metrics' });
  t.match(body, /quarry_line_parts_refused_total\{code="2011"\} 4\n/);
  t.match(body, /quarry_line_parts_refused_total\{code="9003"\} 4\n/);
});

const INSERT_HEAD = `POST /v1/insert HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEYS.write}\r\nContent-Type: application/x-ndjson\r\n`;
const chunked = (text: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from('\r\n')]);

t.test(
  'a refused body is answered with a status, a Content-Length and its parts, and the connection stays open',
  async (t) => {
    for (const overTls of [false, true]) {
      const front = await startFront(t);
      const connection = await RawConnection.open(overTls ? front.httpsPort : front.httpPort, overTls);
      const plain = linesOf(1_001);
      const bodies: readonly (readonly [string, readonly (string | Uint8Array)[]])[] = [
        [`Content-Length: ${plain.length}\r\n`, [plain]],
        [
          'Transfer-Encoding: chunked\r\n',
          [chunked(plain.slice(0, 700)), chunked(plain.slice(700)), '0\r\n\r\n'],
        ],
        ['Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n', [chunked(gzipSync(plain)), '0\r\n\r\n']],
      ];
      for (const [headers, pieces] of bodies) {
        for (const refusal of [refused(2011), null]) {
          refuseParts(front, [null, refusal]);
          connection.write(`${INSERT_HEAD}${headers}\r\n`);
          for (const piece of pieces) connection.write(piece);
          const reply = await connection.reply();
          t.equal(reply.status, refusal === null ? 200 : 400);
          t.match(reply.headers, {
            'content-type': 'application/x-ndjson',
            'content-length': `${reply.body.length}`,
          });
          t.strictSame(
            partsIn(reply.body).map(({ status }) => status),
            ['success', refusal === null ? 'success' : 'error'],
          );
        }
      }
      connection.socket.destroy();
    }
  },
);

t.test(
  'a request that is pipelined after a line body closes the connection, and neither is answered',
  async (t) => {
    const front = await startFront(t);
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    front.engine.onInsert = () => gate.then(() => ({ entityCount: 1, valueCount: 1 }));
    const connection = await RawConnection.open(front.httpPort, false);
    const body = linesOf(3);
    connection.write(
      `${INSERT_HEAD}Content-Length: ${body.length}\r\n\r\n${body}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    await connection.closed;
    go();
    await t.rejects(connection.reply(), { message: 'no whole answer: ""' });
    await until(() => front.engine.inserts.length === 1);
  },
);

t.test(
  'withheld answers are charged to the memory of bodies, and are sent when it is exhausted',
  async (t) => {
    const partBytes = 64 * 1024;
    // The buffer of the body and a few bytes more.
    const front = await startFront(t, { bodyBytesReservedMax: 3 * partBytes });
    refuseParts(front, [refused(2011)]);
    front.engine.onInsert = async () => {
      throw new QuarryError(2011, 'x'.repeat(10_000));
    };
    const client = new LineClient(plainly(front));
    for (let part = 0; part < 30; part++) {
      await client.write(blankParts(1));
      await until(() => front.engine.inserts.length > part);
    }
    t.ok((await client.parts(1)).length > 0, 'the answers are sent before the body ends');
    client.end();
    const { status, whole, text } = await client.answer;
    t.strictSame([status, whole, partsIn(text).length], [400, true, 30]);
    t.match(await sendRequest(front, { path: '/metrics' }), { body: /quarry_http_body_bytes_held 0\n/ });
  },
);

for (const encoding of ['identity', 'gzip'] as const) {
  t.test(
    `a body that arrives in spite of a pause is kept up to a limit, and more ends it with 9003 (${encoding})`,
    async (t) => {
      const budget = new ByteBudget(256 * MIB);
      let go = (): void => {};
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      let appliedCount = 0;
      const response = {
        pause() {},
        resume() {},
        cork: (write: () => void) => write(),
        onWritable() {},
        write: () => true,
        end() {},
      } as unknown as Response;
      const stream = new LineStream({
        server: { budget, elapsedMs: () => 0, bodySecondsMax: 60, stallSecondsMax: 60, closing: false },
        response,
        encoding,
        parts: new BodyParts(budget, 'auto-create'),
        records: null,
        apply: async () => {
          appliedCount++;
          await gate;
          return '"inserted-entities":1,"inserted-values":1';
        },
        errorOf: (error) => error as QuarryError,
        refused: () => {},
        writeHead: () => {},
        answer: () => {},
      });
      const text = Buffer.from(linesOf(30_000));
      const bytes = encoding === 'gzip' ? gzipSync(text, { level: 0 }) : text;
      const body = new Uint8Array(512 * 1024);
      body.set(bytes.subarray(0, body.length));
      const end = stream.run();
      stream.add(body.slice().buffer, false);
      await until(() => appliedCount === 1);
      // Reading cannot be stopped within this turn.
      for (let sent = 0; sent < 300; sent++) stream.add(body.slice().buffer, false);
      const reserved = budget.reservedBytes;
      t.ok(reserved < 2 * PAUSED_BYTES_MAX + MIB, `${reserved} bytes`);
      go();
      t.match(await end, { is: 'answered', head: { status: 503, code: 9003 } });
      t.equal(budget.reservedBytes, 0);
    },
  );
}
