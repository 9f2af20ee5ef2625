/** Every line of the benchmarks at a tiny scale, with both other databases: checks all answers but no times. */
import fs from 'node:fs';
import t from 'tap';
import { LINES, run } from '../../native-bench/run.js';
import { TINY } from '../../native-bench/scale.js';
import { type TableCell, tableText } from '../../native-bench/table.js';

const SEED = 11;
t.comment(`seed ${SEED}`);

/** A dozen processes in sequence take ten seconds, and far longer on busy cores. */
const TIMEOUT_MS = 240_000;
t.setTimeout(TIMEOUT_MS);

const numbersOf = (measured: TableCell): number[] => {
  if (typeof measured === 'number') return [measured];
  return measured === null || typeof measured === 'string'
    ? []
    : [measured.min, measured.median, measured.max];
};

t.test(
  'every line of the benchmarks runs, and every answer is correct',
  { timeout: TIMEOUT_MS },
  async (t) => {
    const parentDir = t.testdir();
    const report = await run({ scale: TINY, seed: SEED, lines: LINES, parentDir, say: () => {} });
    t.strictSame(
      [...new Set(report.tables.map(({ line }) => line))].sort(),
      [...LINES, 'goals', 'summary'].sort(),
    );
    const names = report.comparisons.map(({ line, name }) => `${line}: ${name}`);
    t.equal(new Set(names).size, names.length, 'the names of the questions are unique');
    t.ok(names.length > 30, `${names.length} comparisons`);
    for (const table of report.tables) {
      for (const row of table.rows) {
        t.equal(row.length, table.columns.length, `${table.line}: ${row[0]}`);
        t.ok(row.flatMap(numbersOf).every(Number.isFinite), `${table.line}: ${row[0]} has finite numbers`);
      }
      t.equal(
        tableText(table).split('\n').length,
        table.rows.length + table.notes.length + 5,
        'one line per row',
      );
    }
    const ingest = report.tables.find(({ line }) => line === 'ingest');
    t.equal(ingest?.rows.length, 8, 'Quarry over HTTP and HTTPS, ClickHouse in four ways, DuckDB in two');
    const scaling = report.tables.find(({ line }) => line === 'scaling');
    t.equal(scaling?.rows.length, TINY.sizes.length * TINY.workers.length);
    t.match(Object.keys(report.versions), ['DuckDB', 'ClickHouse']);
    t.ok(report.answersChecked > 100);
    t.strictSame(fs.readdirSync(parentDir), [], 'nothing is left behind');
  },
);
