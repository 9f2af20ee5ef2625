/**
 * The performance goals relative to the other databases, and the values of a run; goals that the run did not measure are
 * omitted.
 */
import { type Comparison, geometricMean, ratioOf } from './comparison.js';
import type { Spread } from './measure.js';
import type { Report } from './report.js';
import type { Table, TableCell } from './table.js';

interface Goal {
  readonly name: string;
  readonly wanted: number;
  readonly better: 'less' | 'more';
  /** null = not measured. */
  readonly reached: number | null;
}

/** Share of the memory bandwidth, for attribute counts whose scan is long compared with the round trip. */
const SCAN_SHARE = 0.5;

const medianOf = (cell: TableCell | undefined): number | null => {
  if (typeof cell === 'number') return cell;
  return cell === null || cell === undefined || typeof cell === 'string' ? null : (cell as Spread).median;
};

/** The value in column `column` of the row named `row`. */
function figureOf({ tables }: Report, line: string, row: string, column: string): number | null {
  const table = tables.find((one) => one.line === line);
  const found = table?.rows.find(([name]) => name === row);
  return medianOf(found?.[table?.columns.indexOf(column) ?? -1]);
}

function bestOf(comparisons: readonly Comparison[], line: string, of: (one: Comparison) => number | null) {
  const values = comparisons.flatMap((one) => (one.line === line ? (of(one) ?? []) : []));
  return values.length === 0 ? null : Math.max(...values);
}

function goalsOf(report: Report): Goal[] {
  const { comparisons } = report;
  const ratios = comparisons.flatMap((one) => ratioOf(one) ?? []);
  const scans = comparisons.flatMap(({ ofMemory }) => ofMemory ?? []).sort((a, b) => a - b);
  const isCompared = ratios.length > 0;
  return [
    {
      name: 'queries in which another database is faster',
      ...{
        wanted: 0,
        better: 'less',
        reached: isCompared ? ratios.filter((ratio) => ratio < 1).length : null,
      },
    },
    {
      name: 'geometric mean of the ratios to the faster of the others',
      ...{ wanted: 3, better: 'more', reached: isCompared ? geometricMean(ratios) : null },
    },
    {
      name: 'entities a second with fsync, best case',
      ...{
        wanted: 1_000_000,
        better: 'more',
        reached: bestOf(comparisons, 'ingest', ({ quarry }) => quarry.median),
      },
    },
    {
      name: 'the same, relative to the faster bulk loader of the others',
      ...{ wanted: 2, better: 'more', reached: bestOf(comparisons, 'ingest', ratioOf) },
    },
    {
      name: 'scans of attributes, share of the memory bandwidth (median)',
      ...{ wanted: SCAN_SHARE, better: 'more', reached: scans[scans.length >> 1] ?? null },
    },
    {
      name: 'memory of the rows, DuckDB relative to Quarry',
      ...{ wanted: 1, better: 'more', reached: bestOf(comparisons, 'memory', ratioOf) },
    },
    {
      name: 'p99 of a count during inserts, ms',
      ...{ wanted: 10, better: 'less' },
      reached: figureOf(report, 'load', 'consecutive counts during inserts', 'p99 ms'),
    },
    {
      name: 'cached counts a second',
      ...{
        wanted: 20_000,
        better: 'more',
        reached: figureOf(report, 'load', 'cached counts', 'a second'),
      },
    },
    {
      name: 'uncached counts a second',
      ...{
        wanted: 3_000,
        better: 'more',
        reached: figureOf(report, 'load', 'uncached counts', 'a second'),
      },
    },
  ];
}

/** null if nothing was measured. */
export function goalsTable(report: Report): Table | null {
  const measured = goalsOf(report).filter(({ reached }) => reached !== null);
  if (measured.length === 0) return null;
  const rows = measured.map(({ name, wanted, better, reached }): TableCell[] => {
    const figure = reached as number;
    const isMet = better === 'less' ? figure <= wanted : figure >= wanted;
    return [
      name,
      `${better === 'less' ? 'at most' : 'at least'} ${wanted.toLocaleString('en-US')}`,
      figure,
      isMet ? 'met' : 'not met',
    ];
  });
  return {
    line: 'goals',
    title: 'Goals',
    columns: ['', 'goal', 'reached', ''],
    rows,
    notes: [],
  };
}
