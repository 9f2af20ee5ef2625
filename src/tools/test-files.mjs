/**
 * Runs test files, each or several together in a process of plain Node, and parses the TAP output: a line per assertion,
 * indented below its test, and at the end the plan `1..N` and the counts `# { total: 3, pass: 2, fail: 1 }`. (tap's own
 * runner adds loaders to every test and to every process that a test starts; they cost more than most tests.)
 *
 * A process passes only if it ended by itself with exit code 0, each of its files asserted something, and its plan, its
 * top-level results and its counts are present and agree.
 */
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const BATCH = fileURLToPath(new URL('../../dist/test/support/test-batch.js', import.meta.url));
/** Loaded before the tests. */
const WITHOUT_HOOKS = fileURLToPath(new URL('without-hooks.cjs', import.meta.url));
/** The line that a batch writes before the results of each file. */
const FILE_MARK = '# file ';

/** Time between the signal on which tap reports the running tests and the kill. */
const LAST_WORDS_MS = 5_000;

/** The parsed output of one process. Drops the lines of assertions that passed. */
class TapReader {
  /** The output without the assertions that passed. */
  lines = [];
  counts = null;
  #planned = null;
  #results = 0;
  #failedResults = 0;
  /** The file whose results these are; null = the results belong to no single file. */
  #file;
  /** Files without an assertion so far. */
  #silent;

  constructor(files) {
    this.#silent = new Set(files);
    this.#file = files.length === 1 ? files[0] : null;
  }

  line(text) {
    if (/^ +ok \d/.test(text) && !text.includes(' # ')) return;
    if (text.startsWith(FILE_MARK)) this.#file = text.slice(FILE_MARK.length);
    if (/^(not )?ok \d/.test(text)) {
      this.#silent.delete(this.#file);
      this.#results++;
      if (text.startsWith('not')) this.#failedResults++;
    } else if (/^1\.\.\d/.test(text)) this.#planned = Number(/^1\.\.(\d+)/.exec(text)[1]);
    else if (text.startsWith('# { total: ')) this.counts = text;
    this.lines.push(text);
  }

  count(word) {
    return Number(new RegExp(`\\b${word}: (\\d+)`).exec(this.counts ?? '')?.[1] ?? 0);
  }

  /** The reason why the output fails the file although the process ended well; null = the file passed. */
  refusal() {
    if (this.lines.length === 0 || this.#planned === 0) return 'no tests found';
    if (this.#planned === null || this.counts === null) return 'it ended before its tests did';
    if (this.#planned !== this.#results) return `${this.#planned} tests planned, ${this.#results} done`;
    if (this.#failedResults > 0 || this.count('fail') > 0) return 'failed';
    if (this.#silent.size > 0) return `no tests found in ${[...this.#silent].join(', ')}`;
    return null;
  }
}

/**
 * Runs the files of one process. Returns tap's counts, the duration, and the reason of a failure (null = passed). A failure
 * other than an assertion (a crash, a missing plan, no end within `secondsMax`) counts as at least one failure.
 */
function runBatch(files, { cwd, secondsMax, scratchOf }) {
  return new Promise((resolve) => {
    const began = performance.now();
    const scratch = scratchOf?.(files) ?? null;
    const child = spawn(
      process.execPath,
      ['--require', WITHOUT_HOOKS, ...(files.length === 1 ? files : [BATCH])],
      {
        cwd,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          TAP_TIMEOUT: String(secondsMax),
          TEST_FILES: files.join('\n'),
          ...(scratch === null ? {} : { TMPDIR: scratch }),
        },
      },
    );
    let overdue = false;
    let killing;
    const timer = setTimeout(() => {
      overdue = true;
      child.kill('SIGALRM');
      killing = setTimeout(() => child.kill('SIGKILL'), LAST_WORDS_MS);
    }, secondsMax * 1000);
    const reader = new TapReader(files);
    const lines = readline.createInterface({ input: child.stdout });
    lines.on('line', (line) => reader.line(line));
    const read = new Promise((done) => lines.on('close', done));
    const end = (why) => {
      clearTimeout(timer);
      clearTimeout(killing);
      resolve({
        files,
        refusal: why,
        passed: reader.count('pass'),
        failed: Math.max(reader.count('fail'), why === null ? 0 : 1),
        skipped: reader.count('skip'),
        seconds: (performance.now() - began) / 1000,
        lines: reader.lines,
      });
    };
    child.on('error', (error) => end(String(error)));
    child.on('exit', async (code, signal) => {
      // A child process that outlives the test may keep the output open.
      const left = setTimeout(() => child.stdout.destroy(), LAST_WORDS_MS);
      await read;
      clearTimeout(left);
      const ending = signal === null ? (code === 0 ? null : `exit code ${code}`) : signal;
      const whys = overdue ? [`no end within ${secondsMax} s`] : [reader.refusal(), ending];
      end(whys.filter((why) => why !== null).join(', ') || null);
    });
  });
}

/**
 * Runs all `batches` of files (paths below `cwd`) in the given order, each batch as one process, `concurrency` processes at a
 * time. Calls `onEnd` with the outcome of each batch. `scratchOf` (optional) returns the folder for temporary folders of a
 * batch; null = the system's.
 */
export async function runTestFiles(batches, { concurrency, ...how }, onEnd) {
  const waiting = [...batches];
  const runner = async () => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift())
      onEnd(await runBatch(files, how));
  };
  await Promise.all(Array.from({ length: concurrency }, runner));
}
