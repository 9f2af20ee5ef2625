/** What deploy/ holds is accepted by what it is for. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readOptions } from '../../src/commands/serve-config.js';

const deploy = (name: string): string => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
const text = (name: string): string => fs.readFileSync(deploy(name), 'utf8');
const machine = { cpuCount: 4, memoryBytes: 8 * 2 ** 30 };

/** The sample as it is, and with what is put aside in it switched on. */
const SAMPLES = [text('quarry.toml'), text('quarry.toml').replace(/^# ([a-z-]+ = )/gm, '$1')];

t.test('the sample configuration is valid, as it is and with all that it names', (t) => {
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

t.test('the unit starts what the sample configures, and systemd finds nothing wrong in it', (t) => {
  const unit = text('quarry.service');
  t.match(unit, /^ExecStart=\/usr\/local\/bin\/quarry serve --config \/etc\/quarry\/quarry\.toml$/m);
  t.match(unit, /^StateDirectory=quarry$/m);
  const checked = t.testdir({ 'quarry.service': unit.replaceAll('/usr/local/bin/quarry', process.execPath) });
  try {
    execFileSync('systemd-analyze', ['--version']);
  } catch {
    t.comment('systemd is not here: the unit is not checked by it');
    t.end();
    return;
  }
  const told = execFileSync('sh', [
    '-c',
    `systemd-analyze verify ${checked}/quarry.service 2>&1 || true`,
  ]).toString();
  t.notMatch(told, /quarry\.service:/);
  t.end();
});

t.test('the image runs the executable as a user of its own, with its variables', (t) => {
  const variables = /^ENV (.*)$/m.exec(text('Dockerfile'))?.[1].split(' ') ?? [];
  const env = Object.fromEntries(variables.map((pair) => pair.split('=')));
  const read = readOptions([], env, { machine, readText: () => '' });
  if ('error' in read) throw new Error(read.error);
  t.match(read, { warnings: [], config: { dataDir: '/var/lib/quarry/store', host: '0.0.0.0' } });
  t.match(text('Dockerfile'), /^USER quarry$/m);
  t.end();
});
