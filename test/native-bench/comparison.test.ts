/** Output from the comparisons of a run: the table, the chart, the documents, and the list of slower questions. */
import t from 'tap';
import { chartOf } from '../../native-bench/chart.js';
import { type Comparison, comparisonTable, geometricMean, ratioOf } from '../../native-bench/comparison.js';
import { earlierTable } from '../../native-bench/earlier.js';
import { goalsTable } from '../../native-bench/goals.js';
import { readmeText, withReport } from '../../native-bench/readme.js';
import type { Report } from '../../native-bench/report.js';
import type { Table } from '../../native-bench/table.js';

const spread = (median: number) => ({ median, min: median * 0.9, max: median * 1.1 });

function comparison(name: string, quarry: number, peers: readonly number[], more = {}): Comparison {
  return {
    line: 'counts',
    name,
    unit: 'ms',
    better: 'less',
    quarry: spread(quarry),
    p99: null,
    peers: peers.map((median, at) => ({ name: ['DuckDB', 'ClickHouse'][at], spread: spread(median) })),
    ofMemory: null,
    ...more,
  };
}

const AHEAD = comparison('ahead', 2, [8, 6]);
const BEHIND = comparison('behind', 4, [1, 9], { ofMemory: 0.5 });
const RATE = comparison('rate', 600, [200, 300], { line: 'ingest', unit: 'entities/s', better: 'more' });
const ALONE = comparison('alone', 3, []);
const ALL = [AHEAD, BEHIND, RATE, ALONE];

const REPORT: Report = {
  scale: 'small',
  machine: {
    ...{ cpu: 'a core', cores: 2, memoryGigabytes: 25 },
    ...{ system: 'Linux x64', node: 'v20', loadBefore: 0.5 },
  },
  versions: { DuckDB: 'DuckDB v1', ClickHouse: 'ClickHouse 2' },
  seconds: 10,
  answersChecked: 12_345,
  tables: [],
  comparisons: ALL,
};

t.test('a ratio compares with the better of the others, and is above 1 if Quarry is better', async (t) => {
  t.strictSame(ALL.map(ratioOf), [3, 0.25, 2, null]);
  t.equal(geometricMean([4, 1, 2]).toFixed(6), '2.000000');
});

t.test(
  'the table has every comparison and the mean, and names the questions where Quarry is slower',
  async (t) => {
    const table = comparisonTable(ALL);
    t.strictSame(
      table?.rows.map((row) => [row[0], row.at(-2), row.at(-1)]),
      [
        ['counts: ahead', '3.00x', null],
        ['counts: behind', '0.25x', '50%'],
        ['ingest: rate', '2.00x', null],
      ],
    );
    t.strictSame(table?.columns, [
      '',
      'unit',
      'Quarry',
      'p99',
      'DuckDB',
      'ClickHouse',
      'ahead',
      'of memory speed',
    ]);
    t.match(table?.notes[1], 'geometric mean of 3 ratios: 1.14x; behind in 1: behind');
    t.equal(comparisonTable([ALONE]), null);
  },
);

t.test(
  'a question is slower than before when both its time and its ratio to the others got worse',
  async (t) => {
    const slowHour = comparison('ahead', 4, [16, 12]);
    const slower = comparison('behind', 6, [1, 9]);
    const fewer = { ...RATE, quarry: spread(300) };
    const fresh = comparison('fresh', 1, [2]);
    const table = earlierTable('before.json', ALL, [slowHour, slower, fewer, fresh, ALONE]);
    t.strictSame(
      table.rows.map((row) => [row[0], row.at(-1)]),
      [
        ['ingest: rate', '100%'],
        ['counts: behind', '50%'],
      ],
    );
    t.match(table.notes[0], '4 figures are in both runs; 2 got worse');
    t.strictSame(earlierTable('same.json', ALL, ALL).rows, []);
  },
);

const LOAD: Table = {
  line: 'load',
  title: '',
  columns: ['', 'a second', 'p99 ms'],
  rows: [
    ['cached counts', spread(25_000), spread(1)],
    ['consecutive counts during inserts', 900, 12],
  ],
  notes: [],
};

t.test('goals are listed with the measured values, and omitted without a measurement', async (t) => {
  t.strictSame(
    goalsTable({ ...REPORT, tables: [LOAD] })?.rows.map(([name, , reached, met]) => [name, reached, met]),
    [
      ['queries in which another database is faster', 1, 'not met'],
      ['geometric mean of the ratios to the faster of the others', geometricMean([3, 0.25, 2]), 'not met'],
      ['entities a second with fsync, best case', 600, 'not met'],
      ['the same, relative to the faster bulk loader of the others', 2, 'met'],
      ['scans of attributes, share of the memory bandwidth (median)', 0.5, 'met'],
      ['p99 of a count during inserts, ms', 12, 'not met'],
      ['cached counts a second', 25_000, 'met'],
    ],
  );
  t.equal(goalsTable({ ...REPORT, comparisons: [] }), null);
});

t.test('the chart is an SVG with a bar for each ratio', async (t) => {
  const svg = await chartOf(ALL, 'A <title>');
  t.match(svg, /^<svg /);
  t.match(svg, 'A &lt;title&gt;');
  for (const text of ['counts: ahead', 'counts: behind', 'ingest: rate', '3.0x', '0.25x', '2.0x']) {
    t.match(svg, `>${text}<`, text);
  }
  t.notMatch(svg, 'alone');
});

t.test('a document gets the tables between its marks and keeps the rest', async (t) => {
  const readme = 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n';
  const written = withReport(readme, REPORT);
  t.equal(written, `before\n<!-- bench -->\n\n${readmeText(REPORT)}\n\n<!-- /bench -->\nafter\n`);
  t.equal(withReport(written, REPORT), written, 'a second call changes nothing');
  t.match(readmeText(REPORT), '12,345 answers checked');
  t.match(readmeText(REPORT), '| counts: ahead | ms | 2 [1.80..2.20] | - |');
  t.throws(() => withReport('no marks', REPORT), /has no <!-- bench -->/);
  const memory = comparison('resident for the rows', 1_126, [1_634], { line: 'memory', unit: 'MB' });
  const both = withReport('<!-- bench-short -->\n<!-- /bench-short -->\n', {
    ...REPORT,
    comparisons: [...ALL, memory],
  });
  t.equal(
    both,
    [
      '<!-- bench-short -->',
      '',
      '|   | unit | Quarry | DuckDB | ClickHouse | ahead |',
      '| --- | ---: | ---: | ---: | ---: | ---: |',
      '| memory: resident for the rows | MB | 1,126 | 1,634 | - | 1.45x |',
      '',
      '<!-- /bench-short -->',
      '',
    ].join('\n'),
  );
  t.equal(readmeText({ ...REPORT, comparisons: [ALONE] }), 'Nothing was compared.');
});
