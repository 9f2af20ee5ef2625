/** The bench at a tiny scale with a real server, and its detection of wrong answers. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readBenchLine } from '../../../src/commands/bench/bench-command.js';
import { measure, percentiles } from '../../../src/commands/bench/measure.js';
import { BENCH_QUESTIONS, BenchTruth, benchBody } from '../../../src/commands/bench/workload.js';
import { makeDir } from '../../engine/store.js';
import { runCommand } from '../../support/server-process.js';

t.test('flags are whole numbers within bounds', (t) => {
  t.match(readBenchLine([]), { entities: 500_000, seconds: 3, connections: 4, json: false });
  t.match(
    readBenchLine(['--entities', '5', '--seconds', '1', '--connections', '2', '--json', '--dir', '/x']),
    {
      ...{ entities: 5, seconds: 1, connections: 2, json: true, dir: '/x' },
    },
  );
  for (const words of [
    ['--entities', '0'],
    ['--seconds', '0'],
    ['--connections', '-1'],
    ['--entities', '1e3'],
    ['--fast'],
    ['word'],
  ]) {
    t.match(readBenchLine(words), { wrong: String }, words.join(' '));
  }
  t.end();
});

t.test('every question distinguishes a wrong answer from the right one', (t) => {
  const truth = new BenchTruth();
  const { text, entityCount, valueCount } = benchBody(0, 1_000, truth);
  t.strictSame([Object.keys(JSON.parse(text)).length, entityCount, valueCount], [1_000, 1_000, 4_000]);
  t.ok(truth.matching > 0 && truth.visiting > 0, 'the questions have matches');
  const top = [...truth.byCity]
    .map(([value, quantity]) => ({ value, quantity }))
    .sort((a, b) => b.quantity - a.quantity)
    .slice(0, 10);
  const [first, ...rest] = top;
  const rights: readonly unknown[] = [truth.matching, truth.matching, truth.visiting, { city: top }];
  const wrongs: readonly (readonly unknown[])[] = [
    [truth.matching + 1, undefined, null],
    [truth.matching - 1, String(truth.matching)],
    [truth.visiting + 1],
    [
      { city: rest },
      { city: [...rest, first] },
      { city: [{ ...first, quantity: first.quantity + 1 }, ...rest] },
      {},
    ],
  ];
  BENCH_QUESTIONS.forEach(({ name, errorOf: faultOf }, index) => {
    t.equal(faultOf({ result: { q: rights[index] } }, truth), null, name);
    for (const q of wrongs[index])
      t.type(faultOf({ result: { q } }, truth), 'string', `${name}: ${JSON.stringify(q)}`);
    t.type(faultOf({}, truth), 'string');
  });
  t.end();
});

t.test('a measurement counts the work done, and ends with the first error', async (t) => {
  let nowMs = 0;
  const pace = { connections: 3, elapsedMs: () => nowMs++, stop: new AbortController().signal };
  let left = 10;
  t.match(await measure(pace, async () => left-- > 0), { count: 10 });
  await t.rejects(
    measure(pace, async () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  const stopped = { ...pace, stop: AbortSignal.abort(new Error('stopped')) };
  await t.rejects(
    measure(stopped, async () => true),
    { message: 'stopped' },
  );
  const times = Array.from({ length: 100 }, (_, index) => 100 - index);
  t.strictSame(percentiles(times), { p50Ms: 50, p99Ms: 99 });
  t.strictSame(percentiles([7]), { p50Ms: 7, p99Ms: 7 });
});

t.test('a run prints every rate and leaves nothing behind', async (t) => {
  const dir = makeDir(t);
  const run = await runCommand(['bench', '--entities', '2500', '--seconds', '0.2', '--dir', dir, '--json']);
  t.equal(run.code, 0, run.output);
  const report = JSON.parse(run.stdout);
  t.match(report, {
    cores: Number,
    disk: { p50Ms: Number },
    options: { entities: 2_500, durability: 'fsync' },
  });
  t.equal(report.lines.length, 5);
  for (const { name, count, p50Ms, p99Ms } of report.lines)
    t.ok(count > 0 && p50Ms > 0 && p99Ms >= p50Ms, name);
  t.equal(report.lines[0].count, 3, 'bodies');
  t.strictSame(fs.readdirSync(dir), []);
  t.match(await runCommand(['bench', '--dir', path.join(dir, 'absent')]), {
    code: 2,
    output: /does not exist/,
  });
});

t.test('an interrupt ends the server and removes its directory', async (t) => {
  const dir = makeDir(t);
  const main = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
  const child = spawn(process.execPath, [
    main,
    'bench',
    '--seconds',
    '60',
    '--entities',
    '1000',
    '--dir',
    dir,
  ]);
  let output = '';
  child.stderr.on('data', (part) => {
    output += part;
  });
  let over = false;
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      over = true;
      resolve(code);
    });
  });
  const keys = (): boolean =>
    fs.readdirSync(dir).some((name) => fs.existsSync(path.join(dir, name, 'admin.sock')));
  while (!over && !keys()) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  t.equal(await ended, 1);
  t.match(output, /interrupted; the server and its data directory are removed/);
  t.strictSame(fs.readdirSync(dir), []);
});
