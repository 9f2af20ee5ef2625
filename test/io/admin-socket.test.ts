import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Prng } from '../../src/base/index.js';
import { type AnswerLine, openAdminSocket, requestAdminSocket } from '../../src/io/index.js';

const SEED = 4_711;
const LINE_BYTES_MAX = 16 * 2 ** 10;

function temporaryDir(t: Test, below = ''): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-admin-socket-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const whole = path.join(dir, below);
  fs.mkdirSync(whole, { recursive: true });
  return whole;
}

const echo: AnswerLine = async (line) => (line === null ? 'too long' : `<${line}>`);

async function listen(t: Test, dir: string, answer: AnswerLine = echo): Promise<() => Promise<void>> {
  const socket = await openAdminSocket(dir, answer);
  if (socket === null) throw new Error('no socket');
  t.teardown(() => socket.close());
  return () => socket.close();
}

/** Sends the parts one by one and resolves with everything received until the other side closed the connection. */
function converse(dir: string, parts: readonly (string | Buffer)[], end = true): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(path.join(dir, 'admin.sock'));
    let text = '';
    socket.on('data', (part) => {
      text += part.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    const send = (index: number): void => {
      if (index < parts.length) socket.write(parts[index], () => setImmediate(send, index + 1));
      else if (end) socket.end();
    };
    send(0);
  });
}

/** A promise that one side awaits and the other side resolves. */
function signal(): { readonly raised: Promise<void>; readonly give: () => void } {
  let give = (): void => {};
  const raised = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { raised, give };
}

t.test('the file has mode 0600 with any umask, and there is no other file', async (t) => {
  const dir = temporaryDir(t);
  for (const umask of [0o000, 0o077]) {
    const before = process.umask(umask);
    const close = await listen(t, dir);
    process.umask(before);
    t.equal(fs.statSync(path.join(dir, 'admin.sock')).mode & 0o777, 0o600);
    t.strictSame(fs.readdirSync(dir), ['admin.sock']);
    t.equal(await requestAdminSocket(dir, 'hello'), '<hello>');
    await close();
    t.strictSame(fs.readdirSync(dir), [], 'the file is removed with the socket');
    t.equal(await requestAdminSocket(dir, 'hello'), null);
  }
});

t.test('the socket of a dead process is replaced', async (t) => {
  const dir = temporaryDir(t);
  fs.writeFileSync(path.join(dir, 'admin.sock'), 'a file');
  t.equal(await requestAdminSocket(dir, 'hello'), null);
  fs.mkdirSync(path.join(dir, 'admin.sock.new'));
  fs.writeFileSync(path.join(dir, 'admin.sock.new/s'), 'half made');
  await listen(t, dir);
  t.strictSame(fs.readdirSync(dir), ['admin.sock']);
  t.equal(await requestAdminSocket(dir, 'hello'), '<hello>');
});

t.test(
  'a path longer than the limit of socket paths works on Linux',
  { skip: process.platform !== 'linux' },
  async (t) => {
    for (const length of [80, 90, 100, 200]) {
      const dir = temporaryDir(t, 'd'.repeat(length));
      const close = await listen(t, dir);
      t.strictSame(fs.readdirSync(dir), ['admin.sock']);
      t.equal(await requestAdminSocket(dir, 'hello'), '<hello>', `${length}`);
      await close();
      t.strictSame(fs.readdirSync(dir), []);
    }
  },
);

t.test('a directory that cannot contain a socket is refused with the reason', async (t) => {
  const dir = temporaryDir(t);
  await t.rejects(openAdminSocket(path.join(dir, 'absent'), echo), { code: 'ENOENT' });
  t.equal(await requestAdminSocket(path.join(dir, 'absent'), 'hello'), null);
  fs.mkdirSync(path.join(dir, 'admin.sock'));
  await t.rejects(openAdminSocket(dir, echo), { code: 'EISDIR' });
  t.strictSame(fs.readdirSync(dir), ['admin.sock']);
});

t.test('lines that arrive in arbitrary parts are answered in order', async (t) => {
  const dir = temporaryDir(t);
  await listen(t, dir, async (line) => {
    await new Promise((resolve) => setImmediate(resolve));
    return echo(line);
  });
  const prng = new Prng(SEED);
  for (let round = 0; round < 50; round++) {
    const lines = Array.from(
      { length: prng.between(0, 8) },
      (_, index) => 'ä'.repeat(prng.between(0, 60)) + index,
    );
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join('') + prng.pick(['', 'cut off']));
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + prng.between(1, 100);
      parts.push(bytes.subarray(at, end));
      at = end;
    }
    const expected = lines.map((line) => `<${line}>\n`).join('');
    t.equal(await converse(dir, parts), expected, `seed ${SEED}, round ${round}`);
  }
});

t.test('a line that is too long is not processed, and its rest is discarded', async (t) => {
  const dir = temporaryDir(t);
  await listen(t, dir);
  const longest = 'x'.repeat(LINE_BYTES_MAX);
  t.equal(await converse(dir, [`${longest}\n`]), `<${longest}>\n`);
  t.equal(
    await converse(dir, [`${longest}x\nhello\n`]),
    'too long\n<hello>\n',
    'the end of the connection was noticed at once',
  );
  t.equal(await converse(dir, [Buffer.alloc(5 * 2 ** 20, 'x')], false), 'too long\n');
  t.equal(await converse(dir, [Buffer.alloc(5 * 2 ** 20, 'x'), '\nhello\n']), 'too long\n');
  t.equal(await requestAdminSocket(dir, 'hello'), '<hello>');
});

t.test('clients may disconnect at any time', async (t) => {
  const dir = temporaryDir(t);
  const prng = new Prng(SEED);
  await listen(t, dir, async (line) => {
    await new Promise((resolve) => setTimeout(resolve, prng.between(0, 3)));
    return line === null ? 'too long' : line.repeat(1_000);
  });
  const leave = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = net.connect(path.join(dir, 'admin.sock'));
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      socket.write(prng.pick(['', 'half', 'whole\n', 'a\nb\nc\n', 'x'.repeat(100_000)]));
      setTimeout(() => socket.destroy(), prng.between(0, 6));
    });
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 30 }, leave));
  t.equal(await requestAdminSocket(dir, 'a'), 'a'.repeat(1_000));
});

t.test('each of many concurrent clients gets its own answer', async (t) => {
  const dir = temporaryDir(t);
  await listen(t, dir, async (line) => {
    await new Promise((resolve) => setTimeout(resolve, Number(line) % 7));
    return echo(line);
  });
  const lines = Array.from({ length: 60 }, (_, index) => String(index));
  const answers = await Promise.all(lines.map((line) => requestAdminSocket(dir, line)));
  t.strictSame(
    answers,
    lines.map((line) => `<${line}>`),
  );
});

t.test('an answer of many megabytes is complete', async (t) => {
  const dir = temporaryDir(t);
  const text = 'x'.repeat(5 * 2 ** 20);
  await listen(t, dir, async () => text);
  t.equal((await requestAdminSocket(dir, 'hello'))?.length, text.length);
});

t.test('close waits for the current answer and drops idle connections', async (t) => {
  const dir = temporaryDir(t);
  const received = signal();
  const answerNow = signal();
  const close = await listen(t, dir, async (line) => {
    received.give();
    await answerNow.raised;
    return echo(line);
  });
  const answer = requestAdminSocket(dir, 'hello');
  const idle = converse(dir, ['half'], false);
  await received.raised;
  const closed = close();
  t.equal(await idle, '');
  t.equal(await requestAdminSocket(dir, 'more'), null, 'new connections are refused');
  answerNow.give();
  t.equal(await answer, '<hello>');
  await closed;
});

t.test('if the server ends without a reply, the error says that the outcome is unknown', async (t) => {
  const dir = temporaryDir(t);
  const server = net.createServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(path.join(dir, 'admin.sock'), resolve));
  t.teardown(() => server.close());
  await t.rejects(requestAdminSocket(dir, 'hello'), {
    message: 'the server ended before it replied; the command may or may not have been executed',
  });
});
