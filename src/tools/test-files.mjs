/**
 * Runs test files, a few at a time, each as a process of plain Node, and reads the TAP that it writes: a line per
 * assertion, indented below the test it belongs to, at the end the plan `1..N` and the counts
 * `# { total: 3, pass: 2, fail: 1 }`. (tap's own runner hangs loaders into every test, and so into every process that
 * a test starts: they cost more than most tests.)
 *
 * A file passes only when it ended by itself with exit code 0, asserted something, and its plan, its top-level results
 * and its counts are there and agree.
 */
import { spawn } from 'node:child_process';
import readline from 'node:readline';

/** From the signal on which tap tells what still runs until the file is killed. */
const LAST_WORDS_MS = 5_000;

/** What one file wrote, line by line; keeps everything but the assertions that held. */
class TapReader {
  /** What the file wrote, without the assertions that held. */
  held = [];
  counts = null;
  #planned = null;
  #results = 0;
  #failedResults = 0;

  line(text) {
    if (/^ +ok \d/.test(text) && !text.includes(' # ')) return;
    if (/^(not )?ok \d/.test(text)) {
      this.#results++;
      if (text.startsWith('not')) this.#failedResults++;
    } else if (/^1\.\.\d/.test(text)) this.#planned = Number(/^1\.\.(\d+)/.exec(text)[1]);
    else if (text.startsWith('# { total: ')) this.counts = text;
    this.held.push(text);
  }

  count(word) {
    return Number(new RegExp(`\\b${word}: (\\d+)`).exec(this.counts ?? '')?.[1] ?? 0);
  }

  /** Why what it wrote is no passed file, though the process itself ended well; null = it is one. */
  refusal() {
    if (this.held.length === 0 || this.#planned === 0) return 'no tests found';
    if (this.#planned === null || this.counts === null) return 'it ended before its tests did';
    if (this.#planned !== this.#results) return `${this.#planned} tests planned, ${this.#results} done`;
    if (this.#failedResults > 0 || this.count('fail') > 0) return 'failed';
    return null;
  }
}

/**
 * Runs one file. Gives what tap counted, how long it took and why it failed (null = passed); a file that failed beyond
 * its assertions (a crash, a lost plan, no end within `secondsMax`) counts as one failure at least.
 */
function runFile(file, { cwd, secondsMax, scratchOf }) {
  return new Promise((resolve) => {
    const began = performance.now();
    const scratch = scratchOf?.(file) ?? null;
    const child = spawn(process.execPath, [file], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        TAP_TIMEOUT: String(secondsMax),
        ...(scratch === null ? {} : { TMPDIR: scratch }),
      },
    });
    let overdue = false;
    let killing;
    const timer = setTimeout(() => {
      overdue = true;
      child.kill('SIGALRM');
      killing = setTimeout(() => child.kill('SIGKILL'), LAST_WORDS_MS);
    }, secondsMax * 1000);
    const reader = new TapReader();
    const lines = readline.createInterface({ input: child.stdout });
    lines.on('line', (line) => reader.line(line));
    const read = new Promise((done) => lines.on('close', done));
    const end = (why) => {
      clearTimeout(timer);
      clearTimeout(killing);
      resolve({
        file,
        refusal: why,
        passed: reader.count('pass'),
        failed: Math.max(reader.count('fail'), why === null ? 0 : 1),
        skipped: reader.count('skip'),
        seconds: (performance.now() - began) / 1000,
        held: reader.held,
      });
    };
    child.on('error', (error) => end(String(error)));
    child.on('exit', async (code, signal) => {
      // A process that the test left behind may hold the output open.
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
 * Runs all `files` (paths below `cwd`), `atOnce` at a time, in the order given; `onEnd` gets every file's outcome as it
 * ends. `scratchOf` (optional) says where a file puts its temporary folders; null = where the system does.
 */
export async function runTestFiles(files, { atOnce, ...how }, onEnd) {
  const waiting = [...files];
  const runner = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      onEnd(await runFile(file, how));
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}
