/**
 * Runs the tests: `npm test` builds, checks types, formatting and lint, then runs every test file of dist/;
 * `npm test -- test/kernels test/io/lock.test.ts` runs only these folders and files.
 * The last line of the output is `N passed, N failed`: assertions as tap counts them, and each step before the tests as
 * one. The exit code is 0 only if nothing failed and something passed.
 * Prints one line per process, and for a process that failed its output without the assertions that passed. Positions are
 * those in dist/; `node --enable-source-maps dist/test/NAME.test.js` shows positions in the sources and takes a fifth
 * longer.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';
import { runTestFiles } from './test-files.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const TEST_FILE_CONCURRENCY = 4;
/** Time limit of a process; on a busy machine the slowest one needs more than half of it. */
const SECONDS_MAX = 400;
/**
 * Beginnings of the paths of long files, which start first, so that no core is idle at the end. The first file builds the
 * executable; other files of its folder would wait for it, so they start later.
 */
const LONG_FILES = [
  'test/binary/binary.test.js',
  'test/crash/',
  'test/metamorphic/',
  'test/binary/',
  'test/conformance/',
  'test/native-bench/',
  'test/engine/',
  'test/behaviour/',
  'test/console/',
  'test/demo/',
  'test/commands/',
];

/** Folders of short files, several of which share a process. Other files are long, or end or overload their process. */
const TOGETHER = [
  'answer',
  'api',
  'base',
  'catalog',
  'client',
  'column',
  'commands',
  'exec',
  'expression',
  'format',
  'http',
  'ingest',
  'inspect',
  'io',
  'ir',
  'kernels',
  'pg',
  'plan',
  'protocol',
  'recovery',
  'schema',
  'sql',
  'storage',
  'vector',
  'wal',
  'worker',
];
const BATCH_FILES_MAX = 20;

/** Folders of tests that check answers and not the disk, so their files may be in memory. */
const ABOUT_ANSWERS = [
  'conformance',
  'metamorphic',
  'engine',
  'exec',
  'http',
  'readme',
  'pg',
  'client',
  'openapi',
];
const MEMORY = '/dev/shm';
/** Free memory required for a file system in memory. */
const MEMORY_BYTES_MIN = 4 * 2 ** 30;

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

/** Runs a step before the tests, which counts as one assertion. Prints `output` only if it failed. */
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
 * Builds tap from the plugins that package.json names; otherwise its first run would load TypeScript into every test.
 * Runs once per installation: npm ci removes the stamp together with node_modules.
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
    step('types of the console', (onLine) =>
      run('typescript/bin/tsc', ['--noEmit', '--pretty', 'false', '-p', 'src/console'], onLine),
    ),
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

/** Sorts long files first and keeps the order otherwise. */
function inOrder(files) {
  const rank = (file) => {
    const found = LONG_FILES.findIndex((beginning) => file.startsWith(`dist/${beginning}`));
    return found < 0 ? LONG_FILES.length : found;
  };
  return [...new Set(files)].sort((a, b) => rank(a) - rank(b));
}

const folderOf = (file) => file.split(path.sep)[2];

/** Files that wait while they are loaded, mostly for a server: in a batch, the server would be idle until earlier files end. */
const waitsAtTop = (file) => /^(const .* = )?await /m.test(fs.readFileSync(path.join(root, file), 'utf8'));

/** Groups files by process, in the given order except for files that run alone. */
function batchesOf(files) {
  const batches = [];
  const open = new Map();
  for (const file of files) {
    const folder = folderOf(file);
    const batch = open.get(folder);
    if (!TOGETHER.includes(folder) || waitsAtTop(file)) batches.push([file]);
    else if (batch !== undefined && batch.length < BATCH_FILES_MAX) batch.push(file);
    else {
      open.set(folder, [file]);
      batches.push(open.get(folder));
    }
  }
  return batches;
}

/** The output line of a process; if it failed, followed by the reason and its output. */
function tell({ files, refusal, seconds, lines }) {
  if (refusal !== null) for (const line of lines) if (!/^ *ok \d/.test(line)) console.log(`    ${line}`);
  const sources = files.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
  const name = sources.length === 1 ? sources[0] : `${sources[0]} and the next ${sources.length - 1}`;
  console.log(
    `${refusal === null ? 'ok    ' : 'FAILED'} ${name} ${seconds.toFixed(1)} s${refusal === null ? '' : ` (${refusal})`}`,
  );
  for (const line of lines) if (/ # SKIP/.test(line)) console.log(`       ${line.trim()}`);
}

/** A new folder in memory; null if there is not enough memory. */
function makeMemoryDir() {
  try {
    const { bavail, bsize } = fs.statfsSync(MEMORY);
    return bavail * bsize < MEMORY_BYTES_MIN ? null : fs.mkdtempSync(path.join(MEMORY, 'quarry-tests-'));
  } catch {
    return null;
  }
}

async function tests(files) {
  let skipped = 0;
  const memoryDir = makeMemoryDir();
  const scratchOf = ([first]) => (ABOUT_ANSWERS.includes(folderOf(first)) ? memoryDir : null);
  const how = { cwd: root, concurrency: TEST_FILE_CONCURRENCY, secondsMax: SECONDS_MAX, scratchOf };
  await runTestFiles(batchesOf(inOrder(files)), how, (outcome) => {
    tell(outcome);
    tally.passed += outcome.passed;
    tally.failed += outcome.failed;
    skipped += outcome.skipped;
  });
  if (memoryDir !== null) fs.rmSync(memoryDir, { recursive: true, force: true });
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
