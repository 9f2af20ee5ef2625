/**
 * The completion scripts. The script for bash is executed as in bash; the others are parsed by their shells if these
 * are installed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { COMMANDS } from '../../../src/commands/commands.js';
import { OPTIONS } from '../../../src/commands/serve/options.js';
import { runCommand } from '../../support/server-process.js';

const script = async (shell: string): Promise<string> => {
  const { code, stdout } = await runCommand(['completion', shell]);
  if (code !== 0) throw new Error(`quarry completion ${shell} ends with ${code}`);
  return stdout;
};

t.test('bash completes commands, options, fixed arguments and paths', async (t) => {
  const dir = t.testdir({ 'rows.csv': '', 'a folder': { 'x.csv': '' }, 'quarry.bash': await script('bash') });
  /** The completions that bash offers for the last of `words`. */
  const offered = (...words: readonly string[]): string[] => {
    const last = words.length;
    const quotedWords = ['quarry', ...words].map((word) => `'${word}'`).join(' ');
    const program = `source ./quarry.bash
      complete -p quarry >/dev/null || exit 1
      COMP_WORDS=(${quotedWords}); COMP_CWORD=${last}
      _quarry quarry '${words[last - 1]}' "\${COMP_WORDS[${last - 1}]}"
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-u', '-c', program], { cwd: dir });
    t.equal(`${stderr}`, '', words.join(' '));
    t.equal(status, 0, words.join(' '));
    return `${stdout}`.split('\n').filter((line) => line !== '');
  };
  const names = [...COMMANDS.map(({ name }) => name), 'help', 'version'];
  t.strictSame(offered(''), [...names, '--help', '--version']);
  t.strictSame(offered('ex'), ['export']);
  t.strictSame(offered('help', 're').sort(), ['restore', 'retention']);
  t.strictSame(offered('serve', '--').sort(), OPTIONS.map(({ name }) => `--${name}`).sort());
  t.strictSame(offered('serve', '--me'), ['--memory-limit']);
  t.strictSame(offered('serve', '--memory-limit', ''), [], 'a size');
  t.strictSame(offered('serve', '--memory-limit', '1GiB', '--co'), ['--config']);
  t.strictSame(
    offered('demo', '--s').sort(),
    ['--shards', '--slow-query', '--small', '--spill-limit'],
    'also the options of serve',
  );
  t.strictSame(offered('serve', '--data-dir', ''), ['a folder']);
  t.strictSame(offered('serve', '--cert', 'ro'), ['rows.csv']);
  t.strictSame(offered('import', 'ro'), ['rows.csv']);
  t.strictSame(offered('import', '--sk').sort(), ['--skip', '--skip-rows'], 'two options of one line');
  t.strictSame(offered('export', '-o', 'ro'), ['rows.csv']);
  t.strictSame(offered('verify', ''), ['a folder']);
  t.strictSame(offered('retention', ''), ['resume']);
  t.strictSame(offered('keys', ''), ['list', 'create', 'delete', 'rotate'], 'of several usage lines');
  t.strictSame(offered('quarantine', 'e'), ['export', 'empty']);
  t.strictSame(offered('quarantine', 'retry', '--a'), ['--api-key']);
  t.strictSame(offered('account', 'no'), ['no-payment-method']);
  t.strictSame(offered('completion', ''), ['bash', 'zsh', 'fish']);
  t.strictSame(offered('sql', 'SEL'), []);
  t.strictSame(offered('nonsense', ''), []);
});

t.test('zsh and fish read their scripts, which name every command and every option of serve', async (t) => {
  for (const shell of ['zsh', 'fish'] as const) {
    const text = await script(shell);
    for (const { name } of COMMANDS) t.match(text, new RegExp(`\\b${name}\\b`), `${shell}: ${name}`);
    for (const { name } of OPTIONS) {
      t.ok(text.includes(shell === 'zsh' ? `*--${name}[` : `-l ${name} `), `${shell}: --${name}`);
    }
    // The zsh script uses only syntax that bash reads too.
    if (shell === 'zsh') t.equal(`${spawnSync('bash', ['-n'], { input: text }).stderr}`, '');
    const file = path.join(t.testdir({ script: text }), 'script');
    const { error, status, stderr } = spawnSync(shell, ['-n', file]);
    if (error !== undefined) t.pass(`${shell} is not installed`, { skip: 'its script is not checked' });
    else t.equal(status, 0, `${stderr}`);
  }
});

t.test('arguments that name no shell are refused', async (t) => {
  for (const words of [[], ['tcsh'], ['bash', 'zsh']]) {
    t.match(await runCommand(['completion', ...words]), {
      code: 2,
      output: 'quarry: completion takes one of bash, zsh, fish\n',
    });
  }
});

t.test('the man page contains every help text, and groff reports no error in it', async (t) => {
  const { code, stdout } = await runCommand(['man']);
  t.equal(code, 0);
  t.match(await runCommand(['man', 'more']), { code: 2 });
  const dir = t.testdir({ 'quarry.1': stdout });
  const file = path.join(dir, 'quarry.1');
  const linted = spawnSync('groff', ['-man', '-ww', '-z', '-Tutf8', '-Kutf8', file]);
  if (linted.error !== undefined) {
    t.pass('groff is not installed', { skip: 'the page is not checked' });
    return;
  }
  t.equal(`${linted.stderr}`, '');
  const set = execFileSync('groff', ['-man', '-Tutf8', '-Kutf8', '-P-cbou', '-rLL=200n', file]).toString();
  const lines = new Set(set.split('\n').map((line) => line.trim()));
  for (const { name, load } of COMMANDS) {
    for (const line of (await load()).help.split('\n')) t.ok(lines.has(line.trim()), `${name}: ${line}`);
  }
  t.match(set, /NAME\n\s+quarry - an analytical database server/);
  t.ok(fs.existsSync(file));
});
