/** The prompt, driven by keys against a real server, and statements from arguments and pipes. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { type RemoteAccess, RemoteClient } from '../../../src/commands/remote/index.js';
import { History } from '../../../src/commands/sql/history.js';
import { runPrompt } from '../../../src/commands/sql/prompt.js';
import { sqlCommand } from '../../../src/commands/sql/sql-command.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import { startServer } from '../../demo/server.js';
import { directoryFor, FakeTerminal, runnerOf } from '../command-run.js';

const CTRL_C = '\x03';
const CTRL_D = '\x04';
const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const UP = '\x1b[A';

const server = await startServer('--workers', '1');
t.teardown(() => server.stop());
const client = new RemoteClient(server, 4);
t.teardown(() => client.close());
const dir = directoryFor(t);
const run = runnerOf(sqlCommand, server, dir);
const column = { name: 'country', type: 'string', cardinality: 'low' };
const number = { name: 'age', type: 'integer' };
await client.json({
  method: 'POST',
  path: '/v1/column',
  key: server.masterKey,
  body: JSON.stringify([column, number]),
});
t.match(
  await run([
    "INSERT INTO [default] ([entity-id], country, age) VALUES ('u1', '\x1b[31mred', 9007199254740993), ('u2', NULL, 2)",
  ]),
  {
    code: 0,
    out: Buffer.from('2 entities inserted, 3 values\n'),
  },
);

interface Session {
  readonly terminal: FakeTerminal;
  readonly type: (keys: string) => void;
  readonly ended: Promise<void>;
}

const own = { url: server.url, certificate: server.certificate, key: server.masterKey };

async function session(t: Test, access: RemoteAccess = own): Promise<Session> {
  const terminal = new FakeTerminal(80);
  const client = new RemoteClient(access, 1);
  t.teardown(() => client.close());
  const files = new NodeFileSystem();
  const ended = runPrompt({
    input: terminal.input,
    output: terminal.output,
    client,
    access,
    history: new History(files, path.join(dir, 'sql-history')),
    files,
    format: 'table',
    styled: false,
  });
  t.teardown(() => terminal.input.end());
  await terminal.until('quarry> ');
  return { terminal, type: (keys) => terminal.input.write(keys), ended };
}

t.test('a statement of two lines prints a table that fits the terminal, with escaped data', async (t) => {
  const { terminal, type, ended } = await session(t);
  type('SELECT [entity-id], country, age\r');
  await terminal.until('     -> ');
  type('FROM [default] ORDER BY [entity-id];\r');
  const drawn = await terminal.until('(2 rows)');
  t.match(drawn, /u1 +\| \\u\{1b\}\[31mred \| 9007199254740993\n/);
  t.match(drawn, /u2 +\| NULL +\| +2\n/);
  type("SELECT 'not ended\r");
  await terminal.until('     -> ');
  type('\\q\r');
  await ended;
});

t.test(
  'Tab completes, the up arrow recalls statements of earlier sessions, and Ctrl-C clears the line',
  async (t) => {
    const { terminal, type, ended } = await session(t);
    type(UP);
    await terminal.until('SELECT [entity-id], country, age FROM [default] ORDER BY [entity-id];');
    type(CTRL_C);
    await terminal.until('quarry> ');
    type('SELECT COUNT(*) AS people FROM [def');
    await terminal.until('[def');
    // A Tab after other keys of the same read is a tab character, as in pasted text.
    type('\t');
    await terminal.until('ault]');
    type(' WHERE country IS NULL;\r');
    await terminal.until('people');
    await terminal.until('(1 row)');
    type('\\q\r');
    await ended;
    const stored = fs.readFileSync(path.join(dir, 'sql-history'), 'utf8');
    t.notMatch(stored, server.masterKey);
    t.equal(stored.trimEnd().split('\n').length, 2);
  },
);

t.test('\\q, \\quit, quit and exit end the prompt and read no more input', async (t) => {
  for (const words of ['\\q', ' \\quit ', 'quit', 'EXIT;', "SELECT 'open\r\\quit"]) {
    const { terminal, type, ended } = await session(t);
    type(`${words}\rSELECT 7 AS late;\r`);
    await ended;
    t.ok(terminal.input.isPaused(), words);
    t.notMatch(terminal.drawn, /1 row/, `${words}: no statement after it is run`);
  }
  const { terminal, type } = await session(t);
  type('quit now\r');
  await terminal.until('     -> ');
});

t.test('the process ends after each command that leaves the prompt', async (t) => {
  if (!fs.existsSync('/usr/bin/script')) {
    t.pass('not tried', { skip: 'script(1), which provides a terminal, is not installed' });
    return;
  }
  const env = {
    ...{ PATH: process.env.PATH, HOME: dir, TERM: 'xterm' },
    ...{ QUARRY_URL: server.url, QUARRY_API_KEY: server.masterKey, QUARRY_CA: path.join(dir, 'ca.pem') },
  };
  const ends = async (word: string): Promise<void> => {
    const command = `${process.execPath} ${MAIN} sql`;
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { env });
    t.teardown(() => child.kill('SIGKILL'));
    let drawn = '';
    child.stdout.on('data', (part: Buffer) => {
      if (!drawn.includes('quarry> ') && `${drawn}${part}`.includes('quarry> '))
        child.stdin.write(`${word}\r`);
      drawn += part;
    });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    t.equal(code, 0, `${word}: ${drawn}`);
  };
  await Promise.all(['\\q', '\\quit', 'quit', 'exit', CTRL_D].map(ends));
});

t.test('Ctrl-C cancels a statement by closing its connection, and the prompt continues', async (t) => {
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  let requestCount = 0;
  const silent = http.createServer((request, response) => {
    if (request.method === 'GET')
      response.end('{"dimensions":["default"],"relations":{},"default":{"active":[]}}');
    else if (requestCount++ > 0) response.setHeader('content-type', 'application/x-ndjson').end('{"n":1}\n');
    else response.on('close', closed);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { terminal, type, ended } = await session(t, { url, certificate: '', key: 'k' });
  type('SELECT everything;\r');
  await terminal.until('everything;');
  while (requestCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  type(CTRL_C);
  await isClosed;
  await terminal.until('stopped\n');
  type('SELECT 1 AS n;\r');
  await terminal.until('(1 row)');
  type(CTRL_D);
  await ended;
});

t.test('a refusal shows its position, and the prompt continues', async (t) => {
  const { terminal, type, ended } = await session(t);
  type('SELECT contry FROM [default];\r');
  const drawn = await terminal.until('did you mean country?');
  t.match(drawn, /error 6000: .*"contry".*\n {2}line 1: SELECT contry FROM \[default\]\r?\n {17}\^/);
  type('SELECT 1 AS one;\r');
  await terminal.until('(1 row)');
  type(CTRL_D);
  await ended;
});

t.test('backslash commands list dimensions and columns, and set the format of answers', async (t) => {
  const { terminal, type, ended } = await session(t);
  type('\\d\r');
  await terminal.until('default');
  type('\\d default\r');
  t.match(await terminal.until('[age]'), /country +\| string +\| \[country\]/);
  type('\\d nowhere\r');
  await terminal.until('there is no dimension nowhere');
  type('\\what\r');
  await terminal.until('unknown command \\\\what; \\? lists the commands');
  type('\\x\r');
  await terminal.until('answers are written as vertical');
  type('SELECT 1 AS one;\r');
  await terminal.until('-- row 1\none | 1\n');
  type('\\timing\r');
  await terminal.until('timing is on');
  const file = path.join(dir, 'answer.csv');
  type(`\\format csv\r\\o ${file}\rSELECT 2 AS two;\r`);
  await terminal.until(' ms\n');
  type(CTRL_D);
  await ended;
  t.equal(fs.readFileSync(file, 'utf8'), 'two\r\n2\r\n');
});

t.test('statements from a pipe run one by one until one fails', async (t) => {
  const ran = await run(
    [],
    "SELECT 1 AS a; UPDATE [default] SET age = 3 WHERE age = 2;\n SELEC; SELECT 'never'",
  );
  t.equal(ran.out.toString(), 'a\r\n1\r\n1 entity updated\n');
  t.match(ran.err, /^error 6000: .*\n {2}line 1: SELEC\n {10}\^\n/);
  t.equal(ran.code, 1);
  t.match(await run([], ''), { code: 0, out: Buffer.from('') });
});

t.test('an argument contains one or several statements, with results in each format', async (t) => {
  const text = async (...argv: string[]): Promise<string> => (await run(argv)).out.toString();
  t.equal(await text("SELECT 1 AS a, 'x' AS b", '--format', 'ndjson'), '{"a":1,"b":"x"}\n');
  t.match(JSON.parse(await text('SELECT 1 AS a; SELECT 2 AS b', '--format', 'json')), {
    count: 2,
    status: 'success',
  });
  t.equal(await text('SELECT 1 AS a; SELECT 2 AS b'), 'a\r\n1\r\nb\r\n2\r\n');
  t.match(await text('EXPLAIN SELECT COUNT(*) FROM [default] WHERE age > 1', '--format', 'table'), /: /);
  const writes =
    "INSERT INTO [default] ([entity-id], age) VALUES ('u9', 1); DELETE FROM nowhere WHERE age = 1";
  t.match(await run([writes]), { code: 1, err: /there is no table "nowhere"/ });
  t.equal(
    await text("SELECT COUNT(*) AS n FROM [default] WHERE [entity-id] = 'u9'"),
    'n\r\n0\r\n',
    'either all statements take effect or none',
  );
});

t.test('wrong backslash commands are reported', async (t) => {
  t.match(await run(['SELECT', '1']), { wrong: 'sql takes one argument: put the statement in quotes' });
  t.match(await run(['SELECT 1', '--format', 'tabel']), { wrong: /not "tabel"; did you mean table\?$/ });
});
