/**
 * Runs the tests: `npm test` builds, checks types, formatting and lint, then runs every test file of dist/ with tap;
 * `npm test -- test/kernels test/io/lock.test.ts` builds and runs only what is named (folders or files).
 * The last line of the output is `N passed, N failed`, alone: assertions as tap counts them, and each step before
 * the tests as one. The exit code is 0 only when nothing failed and something passed.
 * Prints one line per test file; of a file that failed also what it wrote, but for the assertions that held.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const TEST_FILES_AT_ONCE = 3;
/** For one file; under load the slowest takes a tenth of it. */
const FILE_SECONDS_MAX = 300;

const TAP = 'tap/dist/esm/run.mjs';

const tally = { passed: 0, failed: 0 };

/** Starts a program of node_modules in the root; its output goes through `onLine`. Resolves with the exit code. */
function run(script, args, onLine) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.on('error', reject);
    const lines = readline.createInterface({ input: child.stdout });
    lines.on('line', onLine);
    const read = new Promise((done) => lines.on('close', done));
    child.on('close', (code) => read.then(() => resolve(code ?? 1)));
  });
}

/** One step before the tests; counts as one. Prints `output` only when it failed. */
async function step(name, work) {
  const output = [];
  let passed = false;
  try {
    passed = (await work((line) => output.push(line))) === 0;
  } catch (error) {
    output.push(String(error.stack ?? error));
  }
  tally[passed ? 'passed' : 'failed']++;
  if (!passed) for (const line of output) console.log(line);
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
  return passed;
}

const build = () => step('build', () => buildIfStale().then(() => 0));
/**
 * tap puts itself together from the plugins that package.json leaves it; without this its first run would still load
 * TypeScript into every test. Once per install: npm ci removes the stamp with node_modules.
 */
const prepareTap = () =>
  step('tap', async (onLine) => {
    const stamp = path.join(root, 'node_modules/.tap-prepared');
    const code = fs.existsSync(stamp) ? 0 : await run(TAP, ['build'], onLine);
    if (code === 0) fs.writeFileSync(stamp, '');
    return code;
  });
const checks = () =>
  Promise.all([
    step('types', (onLine) => run('typescript/bin/tsc', ['--noEmit', '--pretty', 'false'], onLine)),
    step('formatting and lint', (onLine) =>
      run('@biomejs/biome/bin/biome', ['check', '--colors=off', '.'], onLine),
    ),
  ]);

/** Every test file in dist/ below `named` (as in the sources: test/io, test/io/lock.test.ts), sorted. */
function testFiles(named) {
  const built = path.join(root, 'dist', path.relative(root, path.resolve(named)).replace(/\.ts$/, '.js'));
  if (!fs.existsSync(built)) return [];
  if (fs.statSync(built).isFile()) return [path.relative(root, built)];
  return fs
    .readdirSync(built, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => path.relative(root, path.join(built, name)))
    .sort();
}

/** Reads tap's output: `# Subtest: file`, what the file wrote (indented), `ok 1 - file # time=1ms`, and the counts. */
class TapReader {
  counts = null;
  #held = [];
  #failed = false;

  line(text) {
    const end = /^(not )?ok \d+ - (.*?)(?: # time=([\d.]+)ms| # (SKIP.*))?$/.exec(text);
    if (text.startsWith('# Subtest: ')) {
      this.#held = [];
      this.#failed = false;
    } else if (end !== null) this.#fileEnds(end);
    else if (text.startsWith('# {')) this.counts = text;
    else if (this.#failed && text.startsWith('  ')) console.log(text);
    else this.#held.push(text);
  }

  #fileEnds([, not, name, ms, skipped]) {
    const file = name.replace(/^dist\//, '').replace(/\.js$/, '.ts');
    // A file that asserts nothing tests nothing.
    if (skipped?.includes('no tests found')) tally.failed++;
    this.#failed = not !== undefined || skipped?.includes('no tests found') === true;
    if (this.#failed) for (const held of this.#held) if (!/^ +ok \d+ - /.test(held)) console.log(held);
    const remark = skipped ?? (ms === undefined ? '' : `${(Number(ms) / 1000).toFixed(1)} s`);
    console.log(`${this.#failed ? 'FAILED' : 'ok    '} ${file} ${remark}`);
    for (const held of this.#held) if (/ # SKIP/.test(held)) console.log(`       ${held.trim()}`);
    this.#held = [];
  }
}

async function tests(files) {
  const reader = new TapReader();
  const args = ['run', '--disable-coverage', '--reporter=tap', '--no-color', `--jobs=${TEST_FILES_AT_ONCE}`];
  const code = await run(
    'tap/dist/esm/run.mjs',
    [...args, `--timeout=${FILE_SECONDS_MAX}`, ...files],
    (line) => reader.line(line),
  );
  const count = (word) => Number(new RegExp(`\\b${word}: (\\d+)`).exec(reader.counts ?? '')?.[1] ?? 0);
  const [passed, failed, skipped] = [count('pass'), count('fail'), count('skip')];
  tally.passed += passed;
  // Whatever tap refuses beyond assertions (a timeout, a lost plan) is a failure too.
  tally.failed += code !== 0 ? Math.max(failed, 1) : failed;
  if (skipped > 0) console.log(`${skipped} skipped`);
}

const named = process.argv.slice(2);
const isBuilt = await build();
if (named.length === 0) await checks();
if (isBuilt && (await prepareTap())) {
  const files = (named.length === 0 ? ['test'] : named).flatMap((name) => {
    const found = testFiles(name);
    if (found.length === 0) {
      console.log(`FAILED ${name}: no tests there`);
      tally.failed++;
    }
    return found;
  });
  if (files.length > 0) await tests(files);
}
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
console.log(`${tally.passed} passed, ${tally.failed} failed`);
