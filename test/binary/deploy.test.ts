/** The programs that read the files of deploy/ accept them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readOptions } from '../../src/commands/serve/serve-config.js';

const deploy = (name: string): string => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
const text = (name: string): string => fs.readFileSync(deploy(name), 'utf8');
const machine = { cpuCount: 4, memoryBytes: 8 * 2 ** 30 };

/** The sample unchanged, and with all options that are commented out enabled. */
const SAMPLES = [text('quarry.toml'), text('quarry.toml').replace(/^# ([a-z-]+ = )/gm, '$1')];

t.test('the sample configuration is valid, unchanged and with all its options enabled', (t) => {
  for (const [index, sample] of SAMPLES.entries()) {
    const readText = (path: string): string => (path === 'sample' ? sample : 'PEM');
    const read = readOptions(['--config', 'sample', '--check-config'], {}, { machine, readText });
    if ('error' in read) throw new Error(read.error);
    t.match(read, { action: 'check-config', warnings: [] });
    t.equal(read.config.dataDir, '/var/lib/quarry/store');
    t.equal(read.config.archiveDir, index === 0 ? null : '/mnt/backup/quarry-log');
  }
  t.end();
});

t.test(
  'the unit starts the server with the path of the sample, and systemd reports no error in the unit',
  (t) => {
    const unit = text('quarry.service');
    t.match(unit, /^ExecStart=\/usr\/local\/bin\/quarry serve --config \/etc\/quarry\/quarry\.toml$/m);
    t.match(unit, /^StateDirectory=quarry$/m);
    const checked = t.testdir({
      'quarry.service': unit.replaceAll('/usr/local/bin/quarry', process.execPath),
    });
    try {
      execFileSync('systemd-analyze', ['--version']);
    } catch {
      t.comment('systemd is not installed: the unit is not checked');
      t.end();
      return;
    }
    const output = execFileSync('sh', [
      '-c',
      `systemd-analyze verify ${checked}/quarry.service 2>&1 || true`,
    ]).toString();
    t.notMatch(output, /quarry\.service:/);
    t.end();
  },
);

t.test('the unit allows the server to write to all directories that the sample names', (t) => {
  const unit = text('quarry.service');
  const valuesOf = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].flatMap(([, value]) => value.split(' '));
  t.strictSame(valuesOf('ProtectSystem'), ['strict']);
  const writable = [
    ...valuesOf('StateDirectory').map((name) => `/var/lib/${name}`),
    ...valuesOf('ReadWritePaths').map((path) => path.replace(/^-/, '')),
  ];
  const readText = (path: string): string => (path === 'sample' ? SAMPLES[1] : 'PEM');
  const read = readOptions(['--config', 'sample'], {}, { machine, readText });
  if ('error' in read) throw new Error(read.error);
  for (const path of [read.config.dataDir, read.config.archiveDir, read.config.auditLog]) {
    if (path === null) continue;
    const parent = writable.find((dir) => path === dir || path.startsWith(`${dir}/`));
    t.ok(parent, `${path} is in one of ${writable.join(', ')}`);
  }
  t.end();
});

t.test('the sample sets the memory limit to its default', (t) => {
  const limit = (argv: readonly string[]): number => {
    const read = readOptions(argv, {}, { machine, readText: () => SAMPLES[0] });
    if ('error' in read) throw new Error(read.error);
    return read.config.memoryLimitBytes;
  };
  t.match(SAMPLES[0], /^memory-limit = /m);
  t.equal(limit(['--config', 'sample']), limit([]));
  t.end();
});

/** Whether .dockerignore, which has no exceptions, excludes the path from the build context. */
function isLeftOut(path: string): boolean {
  const lines = fs.readFileSync(deploy('../.dockerignore'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .some((pattern) => {
      const source = pattern
        .replace(/[.+]/g, '\\$&')
        .replace(/\*\*\/|\*/g, (wildcard) => (wildcard === '*' ? '[^/]*' : '(?:.*/)?'));
      return new RegExp(`^${source}(?:/|$)`).test(path);
    });
}

t.test('no key of a store and no file that git ignores is copied into an image', (t) => {
  for (const path of [
    ...[
      'data/store/keys.json',
      'data/store/tls/key.pem',
      'data/store/log/1.log',
      'store/keys.json',
      'key.pem',
    ],
    ...[
      '.git/config',
      '.env',
      'node_modules/tap/package.json',
      'dist/src/main.js',
      'native-bench/results/a.json',
    ],
  ]) {
    t.ok(isLeftOut(path), path);
  }
  const ignored = fs.readFileSync(deploy('../.gitignore'), 'utf8').split('\n').filter(Boolean);
  for (const pattern of ignored) t.ok(isLeftOut(pattern.replace(/\/$/, '').replace('*', 'a')), pattern);
  for (const path of [
    ...[
      'package.json',
      'package-lock.json',
      '.npmrc',
      'tsconfig.json',
      'src/main.ts',
      'src/tools/binary/build.mjs',
    ],
    ...['data/README.md', 'src/console/index.html', 'LICENSE'],
  ]) {
    t.notOk(isLeftOut(path), path);
    t.ok(fs.existsSync(deploy(`../${path}`)), path);
  }
  t.end();
});

t.test(
  'the image runs the executable as its own user, and the server accepts the variables of the image',
  (t) => {
    const variables = /^ENV (.*)$/m.exec(text('Dockerfile'))?.[1].split(' ') ?? [];
    const env = Object.fromEntries(variables.map((pair) => pair.split('=')));
    const read = readOptions([], env, { machine, readText: () => '' });
    if ('error' in read) throw new Error(read.error);
    t.match(read, { warnings: [], config: { dataDir: '/var/lib/quarry/store', host: '0.0.0.0' } });
    t.match(text('Dockerfile'), /^USER quarry$/m);
    t.end();
  },
);
