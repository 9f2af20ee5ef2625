/** Output and exit codes of `quarry keys` and `quarry account`. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { hashOfKey } from '../../../src/catalog/index.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';

const KEY = /^[\w-]{43}\n$/;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-commands-'));
t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
const configFile = path.join(dir, 'quarry.toml');

t.test('keys and states are written to standard output only, and remarks to standard error', async (t) => {
  const server = new ServerProcess({ dir, flags: ['--workers', '1'] });
  t.teardown(() => server.kill());
  await server.serving;
  const env = { QUARRY_DATA_DIR: dir };
  const rotated = await runCommand(['keys', 'rotate', 'read', '--database', 'quarry'], env);
  t.match(rotated, {
    code: 0,
    stdout: KEY,
    output: /the old key is no longer valid; keys.json was not changed/,
  });
  t.strictSame(await runCommand(['account', 'disabled', '--data-dir', dir]), {
    code: 0,
    signal: null,
    stdout: 'disabled\n',
    output: 'disabled\n',
  });
  t.match(await runCommand(['retention', '--data-dir', dir]), { code: 0, stdout: 'on\n' });
  t.match(await runCommand(['retention', 'resume', '--data-dir', dir]), { code: 0, stdout: 'on\n' });
  t.equal(await server.end(), 0);
});

t.test('commands work without a server, with the data directory from a config file', async (t) => {
  fs.writeFileSync(configFile, `data-dir = ${JSON.stringify(dir)}\nworkers = 1\nshards = 3\n`);
  t.match(await runCommand(['account', '--config', configFile]), { code: 0, output: 'disabled\n' });
  const made = await runCommand(['keys', 'create', 'ci', '--permissions', 'list', '--config', configFile]);
  t.match(made, { code: 0, stdout: KEY, output: /the key is shown only this once/ });
  const listed = await runCommand(['keys', 'list', '--config', configFile]);
  const lines = [
    'team',
    '  team-[0-9a-f]{8}  first  list,update,delete',
    `  team-${hashOfKey(made.stdout.trim()).slice(0, 8)}  ci  list`,
    'database quarry \\(production\\)',
    '  master-[0-9a-f]{8}',
    '  write-[0-9a-f]{8}',
    '  read-[0-9a-f]{8}',
    '',
  ];
  t.match(listed, { code: 0, signal: null, stdout: new RegExp(`^${lines.join('\n')}$`) });
  t.equal(listed.output, listed.stdout);
});

t.test('the exit code is 1 after a refusal, 2 for wrong arguments and 3 for a corrupt store', async (t) => {
  t.match(await runCommand(['keys', 'create', 'ci', '--data-dir', dir]), {
    code: 1,
    stdout: '',
    output: 'quarry: a team key named "ci" exists already\n',
  });
  t.match(await runCommand(['keys', 'make']), {
    code: 2,
    stdout: '',
    output: /quarry: keys: expected one of list/,
  });
  t.match(await runCommand(['help', 'nothing']), { code: 2, output: /unknown command "nothing"/ });
  const bytes = fs.readFileSync(path.join(dir, 'manifest'));
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(path.join(dir, 'manifest'), bytes);
  const corrupt = await runCommand(['account', 'active', '--data-dir', dir]);
  t.match(corrupt, { code: 3, stdout: '', output: /manifest/ });
  t.notMatch(corrupt.output, /^ +at /m, 'no stack');
});

t.test('every command has a help text, which help and --help print', async (t) => {
  const whole = await runCommand(['help']);
  t.equal(whole.code, 0);
  for (const command of ['serve', 'demo', 'keys', 'account', 'verify']) {
    t.match(whole.stdout, `quarry ${command} `);
  }
  const helped = await runCommand(['keys', '--help']);
  t.match(helped, { code: 0, stdout: /^quarry keys list\n/ });
  t.strictSame(await runCommand(['help', 'keys']), helped);
});
