/** The outcomes of the test runner for files that pass, fail, end early, end late or never end. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { ROOT } from './source.js';

interface Outcome {
  readonly files: readonly string[];
  /** Why the file failed; null = it passed. */
  readonly refusal: string | null;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly lines: readonly string[];
}

interface Runner {
  runTestFiles(
    batches: readonly (readonly string[])[],
    how: { cwd: string; concurrency: number; secondsMax: number },
    onEnd: (outcome: Outcome) => void,
  ): Promise<void>;
}

const { runTestFiles }: Runner = await import(
  pathToFileURL(path.join(ROOT, 'src/tools/test-files.mjs')).href
);
const TAP = `import t from '${import.meta.resolve('tap')}';\n`;
/** Waits until the output of a test is written. */
const LATER = 'await new Promise((resolve) => setTimeout(resolve, 50));';
const FOREVER = 'await new Promise(() => setInterval(() => {}, 1000));';

/** Runs files with these contents in batches, by default one each; returns the outcomes by the names in a batch. */
async function outcomesOf(
  t: Test,
  contents: Readonly<Record<string, string>>,
  secondsMax: number,
  batches: readonly (readonly string[])[] = Object.keys(contents).map((name) => [name]),
): Promise<Map<string, Outcome>> {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-test-files-'));
  t.teardown(() => fs.rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(contents)) fs.writeFileSync(path.join(cwd, `${name}.mjs`), text);
  const files = batches.map((names) => names.map((name) => `${name}.mjs`));
  const outcomes = new Map<string, Outcome>();
  await runTestFiles(files, { cwd, concurrency: 2, secondsMax }, (outcome) => {
    outcomes.set(outcome.files.map((file) => file.replace('.mjs', '')).join(' + '), outcome);
  });
  const wanted = batches.map((names) => names.join(' + '));
  t.strictSame([...outcomes.keys()].sort(), wanted.sort(), 'each batch has an outcome');
  return outcomes;
}

/** `passed failed skipped: refusal` */
const outcomeText = ({ passed, failed, skipped, refusal }: Outcome): string =>
  `${passed} ${failed} ${skipped}: ${refusal}`;

t.test(
  'a file passes only if it exits with 0, its plan is fulfilled and its counts agree with its results',
  async (t) => {
    const outcomes = await outcomesOf(
      t,
      {
        passes: `${TAP}t.test('a', async (t) => { t.ok(true, 'holds'); t.equal(1, 1); }); t.ok(true);`,
        fails: `${TAP}t.test('a', async (t) => { t.ok(true, 'holds'); t.equal(1, 2, 'differs'); t.fail('no'); });`,
        skips: `${TAP}t.test('a', { skip: 'not here' }, async () => {}); t.ok(true);`,
        'asserts nothing': TAP,
        'has only an empty test': `${TAP}t.plan(0);`,
        'has no tap': 'process.exitCode = 0;',
        'fails after its tests': `${TAP}t.ok(true); t.teardown(() => { process.exitCode = 5; });`,
        'ends in a test': `${TAP}t.test('a', async (t) => { t.ok(true); ${LATER} process.exit(0); });`,
        'is killed in a test': `${TAP}t.test('a', async (t) => { t.ok(true); ${LATER} process.kill(process.pid, 'SIGKILL'); });`,
        'waits for nothing': `${TAP}t.test('a', async (t) => { t.ok(true); await new Promise(() => {}); });`,
        'does less than planned': `${TAP}t.plan(2); t.ok(true); t.end();`,
        'lies about its plan': `console.log('ok 1 - a\\n1..2\\n# { total: 1, pass: 1 }');`,
        'ends at once': `${TAP}process.exit(3);`,
        'ends before its counts': `console.log('ok 1 - a\\n1..1');`,
        'hides a failure': `console.log('not ok 1 - a\\n1..1\\n# { total: 1, pass: 1 }');`,
      },
      60,
    );
    const skippedAt = outcomes.get('skips')?.lines.filter((line) => line.includes('# SKIP'));
    t.strictSame(skippedAt, ['ok 1 - a # SKIP not here']);
    const lines = outcomes.get('fails')?.lines.join('\n') ?? '';
    t.match(lines, /not ok 2 - differs[\s\S]*-2\n +\+1[\s\S]*not ok 3 - no/, 'failed assertions are kept');
    t.notMatch(lines, /^ +ok \d/m, 'passed assertions are not kept');
    t.strictSame(
      Object.fromEntries([...outcomes].map(([name, outcome]) => [name, outcomeText(outcome)]).sort()),
      {
        'asserts nothing': '0 1 0: no tests found',
        'does less than planned': '1 1 0: failed, exit code 1',
        'ends at once': '0 1 0: no tests found, exit code 3',
        'ends before its counts': '0 1 0: it ended before its tests did',
        'ends in a test': '1 1 0: failed, exit code 1',
        fails: '1 2 0: failed, exit code 1',
        'fails after its tests': '1 1 0: exit code 5',
        'has no tap': '0 1 0: no tests found',
        'has only an empty test': '0 1 0: no tests found',
        'hides a failure': '1 1 0: failed',
        'is killed in a test': '0 1 0: it ended before its tests did, SIGKILL',
        'lies about its plan': '1 1 0: 2 tests planned, 1 done',
        passes: '3 0 0: null',
        skips: '1 0 1: null',
        'waits for nothing': '1 1 0: failed, exit code 1',
      },
    );
  },
);

t.test('each of several files in one process is run, and must contain an assertion', async (t) => {
  const passing = (name: string) => `${TAP}t.setTimeout(1500); t.test('${name}', async (t) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    t.ok(true, 'holds');
  });`;
  const outcomes = await outcomesOf(
    t,
    {
      one: passing('one'),
      two: `${TAP}t.comment('seed 5'); t.equal(1, 1);`,
      three: passing('three'),
      fails: `${TAP}t.test('fails', async (t) => { t.equal(1, 2, 'differs'); });`,
      empty: TAP,
      throws: `${TAP}throw new Error('cannot be loaded');`,
      ends: `${TAP}process.exit(0);`,
    },
    60,
    [
      ['one', 'two', 'three'],
      ['one', 'fails', 'three'],
      ['one', 'empty', 'three'],
      ['empty', 'one'],
      ['one', 'throws', 'three'],
      ['one', 'ends', 'three'],
    ],
  );
  t.strictSame(
    Object.fromEntries([...outcomes].map(([names, outcome]) => [names, outcomeText(outcome)]).sort()),
    {
      'empty + one': '3 1 0: no tests found in empty.mjs',
      'one + empty + three': '5 1 0: no tests found in empty.mjs',
      'one + ends + three': '1 3 0: failed, exit code 1',
      'one + fails + three': '5 1 0: failed, exit code 1',
      'one + throws + three': '4 1 0: failed, exit code 1',
      'one + two + three': '6 0 0: null',
    },
  );
  t.match(
    outcomes.get('one + fails + three')?.lines.join('\n'),
    /# file fails\.mjs[\s\S]*not ok 1 - differs/,
  );
});

t.test('a file that does not end in time is killed, even if it handles no signal', async (t) => {
  const outcomes = await outcomesOf(
    t,
    {
      waits: `${TAP}t.test('a', async () => { ${FOREVER} });`,
      deaf: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    },
    3,
  );
  for (const [name, outcome] of outcomes) {
    t.equal(outcome.refusal, 'no end within 3 s', name);
    t.equal(outcome.failed, 1, name);
  }
});
