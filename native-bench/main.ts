/**
 * The command line of the benchmarks: `npm run bench -- [--full | --tiny] [--only LINE[,LINE]] [--seed N] [--dir DIR]`,
 * `--compare FILE` with a report of an earlier run, `--readme` to write the tables into README.md and docs/benchmarks.md.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import { chartOf } from './chart.js';
import { earlierTable } from './earlier.js';
import { machineText } from './machine.js';
import { BENCH_DOCUMENTS, withReport } from './readme.js';
import type { Report } from './report.js';
import { LINES, type Line, run } from './run.js';
import { FULL, SMALL, TINY } from './scale.js';
import { tableText } from './table.js';

const RESULTS = fileURLToPath(new URL('../../native-bench/results/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEFAULT_SEED = 7;

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    tiny: { type: 'boolean', default: false },
    only: { type: 'string', default: LINES.join() },
    seed: { type: 'string', default: String(DEFAULT_SEED) },
    dir: { type: 'string' },
    compare: { type: 'string' },
    readme: { type: 'boolean', default: false },
  },
});
const lines = values.only.split(',');
const unknown = lines.filter((line) => !LINES.includes(line as Line));
if (unknown.length > 0) {
  process.stderr.write(`unknown line ${unknown.join(', ')}; the lines are ${LINES.join(', ')}\n`);
  process.exit(2);
}

/** Read before the first measurement, so that a wrong name is reported at once. */
const earlier =
  values.compare === undefined ? null : (JSON.parse(fs.readFileSync(values.compare, 'utf8')) as Report);

let bench: Bench | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    const ended = bench === null ? Promise.resolve() : bench.end();
    ended.finally(() => process.exit(130));
  });
}

const report = await run({
  scale: values.full ? FULL : values.tiny ? TINY : SMALL,
  seed: Number(values.seed),
  lines: lines as Line[],
  parentDir: values.dir,
  say: (text) => process.stderr.write(`${text}\n`),
  onBench: (started) => {
    bench = started;
  },
});

const { machine, versions, tables, answersChecked, seconds } = report;
process.stdout.write(`\nMachine: ${machineText(machine)}\nBeside: ${Object.values(versions).join(', ')}\n\n`);
for (const table of tables) process.stdout.write(`${tableText(table)}\n`);
if (earlier !== null) {
  const table = earlierTable(values.compare as string, earlier.comparisons ?? [], report.comparisons);
  process.stdout.write(`${tableText(table)}\n`);
}
process.stdout.write(`${answersChecked} answers were checked; ${Math.round(seconds)} s in all\n`);
fs.mkdirSync(RESULTS, { recursive: true });
const file = `${RESULTS}${report.scale}-${new Date().toISOString().replaceAll(':', '').slice(0, 17)}`;
fs.writeFileSync(`${file}.json`, `${JSON.stringify(report, null, 2)}\n`);
if (report.comparisons.length > 0) {
  const title = `Quarry compared with ${Object.values(versions).join(' and ')}, scale ${report.scale}`;
  fs.writeFileSync(`${file}.svg`, await chartOf(report.comparisons, title));
}
if (values.readme) {
  for (const document of BENCH_DOCUMENTS) {
    fs.writeFileSync(`${ROOT}${document}`, withReport(fs.readFileSync(`${ROOT}${document}`, 'utf8'), report));
  }
}
process.stdout.write(`${file}.json\n`);
