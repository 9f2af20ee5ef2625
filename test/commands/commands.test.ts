/** The command line: names of commands, help at any position, and the content of the help texts. */
import t from 'tap';
import { EXIT, EXIT_MEANINGS } from '../../src/commands/command.js';
import { COMMANDS, commandsHelp, readInvocation } from '../../src/commands/commands.js';
import { runCommand } from '../support/server-process.js';

t.test('the list has one line per command, under its group, and every exit code', (t) => {
  const lines = commandsHelp().split('\n');
  for (const { name, group, summary } of COMMANDS) {
    const line = lines.findIndex((text) => text.startsWith(`  quarry ${name} `));
    t.ok(line > lines.indexOf(`${group}:`), `${name} is in its group`);
    t.ok(lines[line].endsWith(`  ${summary}`), `${name}: two spaces before the summary`);
    t.ok(lines[line].length <= 110, `${name}: ${lines[line].length} characters`);
  }
  for (const [ending, meaning] of Object.entries(EXIT_MEANINGS)) {
    const code = String(EXIT[ending as keyof typeof EXIT]).padEnd(4);
    t.ok(lines.includes(`  ${code}${meaning}`), ending);
  }
  t.equal(
    new Set(COMMANDS.map(({ name }) => name)).size,
    COMMANDS.length,
    'the names of commands are unique',
  );
  t.end();
});

t.test('every command has a help text with its usage, an example and its exit codes', async (t) => {
  for (const { name, load } of COMMANDS) {
    const { help: text } = await load();
    t.ok(text.startsWith(`quarry ${name}`), `${name} begins with its name`);
    t.match(text, new RegExp(`\\n  quarry ${name}\\b`), `${name} has an example`);
    t.match(text, /[Ee]xit codes?/, `${name} lists its exit codes`);
    t.ok(text.endsWith('\n') && !text.endsWith('\n\n'), `${name} ends with one line break`);
    const longest = Math.max(...text.split('\n').map((line) => line.length));
    t.ok(longest <= 150, `${name}: ${longest} characters in a line`);
  }
});

t.test('help is requested by command or flag, at any position', (t) => {
  const all = { action: 'print', text: commandsHelp() };
  for (const words of [[], ['help'], ['--help'], ['-h'], ['help', '--help']]) {
    t.strictSame(readInvocation(words), all, words.join(' '));
  }
  const [verify] = COMMANDS.filter(({ name }) => name === 'verify');
  const ofVerify = { action: 'help', command: verify };
  for (const line of [
    'help verify',
    'verify --help',
    '--help verify',
    'verify -h',
    'verify /a --help',
    '-h verify /a',
  ]) {
    t.strictSame(readInvocation(line.split(' ')), ofVerify, line);
  }
  for (const [name, lines] of [
    ['version', ['help version', 'version --help', '-h version', 'help --version']],
    ['help', ['help help', '--help help']],
  ] as const) {
    for (const line of lines) {
      const invocation = readInvocation(line.split(' '));
      t.match(invocation, { action: 'print', text: new RegExp(`^quarry ${name}\\b[^]*\\nExit code`) }, line);
    }
  }
  t.strictSame(readInvocation(['verify', '/a']), { action: 'run', command: verify, argv: ['/a'] });
  for (const word of ['version', '--version', '-V'])
    t.strictSame(readInvocation([word]), { action: 'version' });
  t.end();
});

t.test('unknown commands are refused, and the nearest name is suggested', (t) => {
  const wrongs: readonly [string, string][] = [
    ['verfy', 'unknown command "verfy"; did you mean verify?'],
    ['versoin', 'unknown command "versoin"; did you mean version?'],
    ['help instpect', 'unknown command "instpect"; did you mean inspect?'],
    ['qwertyuiop', 'unknown command "qwertyuiop"; quarry --help lists them'],
    ['constructor', 'unknown command "constructor"; quarry --help lists them'],
    ['--data-dir', 'unknown command "--data-dir"; quarry --help lists them'],
    ['help verify inspect', 'help takes at most one command'],
    ['version now', 'version takes no arguments'],
  ];
  for (const [line, wrong] of wrongs) {
    t.strictSame(readInvocation(line.split(' ')), { action: 'nothing', wrong }, line);
  }
  t.end();
});

t.test('the process prints its version, and exits with 2 for wrong arguments', async (t) => {
  const { code, stdout } = await runCommand(['version']);
  t.equal(code, 0);
  t.match(
    stdout,
    /^quarry \d+\.\d+\.\d+\nnode 2[02]\.\d+\.\d+ on \w+ \w+\nkernels: SIMD\nuWebSockets\.js: native\n$/,
  );
  t.match(await runCommand(['version'], { QUARRY_KERNELS: 'js' }), {
    code: 0,
    stdout: /kernels: JavaScript/,
  });
  t.match(await runCommand(['versio']), {
    code: 2,
    stdout: '',
    output: 'quarry: unknown command "versio"; did you mean version?\n',
  });
});
