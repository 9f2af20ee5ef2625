/** The single executable on its own: without Node in the path, a home directory or environment variables. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';

const run = promisify(execFile);
interface DayModule {
  runDay(
    binary: string,
    dir: string,
    rows: number,
  ): Promise<{ readonly code: number; readonly output: string }>;
}

/** Number of flights: only some of the 3 million, to save time. */
const DAY_ROWS = 60_000;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const binary = path.join(root, 'dist/binary/quarry');
t.setTimeout(380_000);

t.before(async () => {
  await run(process.execPath, [path.join(root, 'src/tools/binary/build.mjs')], { cwd: root });
});

/** An empty folder: the working directory, which also holds the cache. */
function emptyDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-binary-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Output of the executable in `dir` with only these environment variables. */
async function quarry(dir: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const options = { cwd: dir, env: { QUARRY_CACHE_DIR: `${dir}/cache`, ...env }, timeout: 120_000 };
  try {
    const { stdout, stderr } = await run(binary, [...words], options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

/** The folders in a cache, one per program. */
const programsIn = (cache: string): string[] => fs.readdirSync(cache);

t.test(
  'the demo runs: the executable contains worker threads, kernels, native modules and data',
  async (t) => {
    const dir = emptyDir(t);
    const ports = ['--https-port', '0', '--http-port', '0'];
    const { code, out, err } = await quarry(dir, ['demo', '--small', '--exit', ...ports], { TMPDIR: dir });
    t.equal(err, '');
    t.equal(code, 0);
    t.match(out, /20,000 flights|flights/);
    t.strictSame(
      fs.readdirSync(dir).filter((name) => name !== 'cache'),
      [],
      'no file except the cache is left',
    );
  },
);

t.test('exit codes and messages equal those of the program under Node', async (t) => {
  const dir = emptyDir(t);
  t.match(await quarry(dir, ['help']), { code: 0, out: /^quarry: an analytical database server/, err: '' });
  t.match(await quarry(dir, ['nothing']), { code: 2, out: '', err: /unknown command "nothing"/ });
  t.match(await quarry(dir, ['verify', `${dir}/absent`]), { code: 1, err: /does not exist/ });
});

t.test('a server starts without a warning: every native part is in it', async (t) => {
  const dir = emptyDir(t);
  const words = ['serve', '--data-dir', `${dir}/store`, '--https-port', '0', '--http-port', '0'];
  const server = spawn(binary, words, { cwd: dir, env: { QUARRY_CACHE_DIR: `${dir}/cache` } });
  t.teardown(() => server.kill('SIGKILL'));
  let output = '';
  await new Promise<void>((resolve) => {
    const hear = (part: Buffer): void => {
      output += part;
      if (output.includes('quarry serves')) resolve();
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('close', () => resolve());
  });
  t.match(output, /quarry serves https/);
  t.notMatch(output, /"level":[456]0/);
  t.match(await quarry(dir, ['version']), {
    out: /^node 22\.\d+\.\d+ on .*\n(.*\n)*uWebSockets\.js: native$/m,
  });
});

t.test(
  'processes that unpack at the same time do not interfere, and damaged files are unpacked again',
  async (t) => {
    const dir = emptyDir(t);
    const help = (): Promise<Outcome> => quarry(dir, ['help']);
    for (const { code, err } of await Promise.all([help(), help(), help()]))
      t.strictSame([code, err], [0, '']);
    const [program, ...others] = programsIn(`${dir}/cache`);
    t.strictSame(others, [], 'there is one folder, and no incomplete one');
    t.equal(fs.statSync(`${dir}/cache`).mode & 0o077, 0, 'only the owner has access');
    const main = `${dir}/cache/${program}/dist/src/main.js`;
    fs.truncateSync(main, 100);
    t.match(await help(), { code: 0, err: '' });
    t.ok(fs.statSync(main).size > 100);
    t.strictSame(programsIn(`${dir}/cache`), [program]);
  },
);

t.test('if the cache directory cannot be created, the next location is used', async (t) => {
  const dir = emptyDir(t);
  fs.writeFileSync(`${dir}/file`, '');
  const env = { QUARRY_CACHE_DIR: `${dir}/file`, XDG_CACHE_HOME: `${dir}/xdg` };
  t.match(await quarry(dir, ['help'], env), { code: 0, err: '' });
  t.equal(programsIn(`${dir}/xdg/quarry`).length, 1);
  const nowhere = {
    QUARRY_CACHE_DIR: `${dir}/file`,
    XDG_CACHE_HOME: `${dir}/file`,
    HOME: `${dir}/file`,
    TMPDIR: `${dir}/file`,
  };
  t.match(await quarry(dir, ['help'], nowhere), {
    code: 1,
    out: '',
    err: /there is no directory to unpack to/,
  });
});

t.test(
  'the commands of the documented day run unchanged: import, export, backup, restore, verify, upgrade',
  async (t) => {
    const dir = emptyDir(t);
    const { runDay } = (await import(path.join(root, 'src/tools/binary/day.mjs'))) as DayModule;
    const { code, output } = await runDay(binary, dir, DAY_ROWS);
    if (code !== 0) t.comment(output.slice(-2000));
    t.equal(code, 0);
    t.match(output, /60,000 rows, 60,000 entities, 0 bad/);
    t.match(output, /backup at LSN \d+/);
    const lines = output.trimEnd().split(/\r?\n/);
    t.strictSame(lines.slice(lines.indexOf('flights'))[1], '60000', 'the mistake is undone');
    t.strictSame(lines.slice(-2), ['late', '0'], 'the change before the mistake is present');
    t.equal(programsIn(`${dir}/cache`).length, 1, 'both executables are the same program');
  },
);
