/** The tables that a run writes into the documents: all results into docs/benchmarks.md, a few into README.md. */
import { comparisonTable, ratioOf, ratioText } from './comparison.js';
import { goalsTable } from './goals.js';
import { machineText } from './machine.js';
import type { Report } from './report.js';
import { cellText, type Table } from './table.js';

/** Documents below the root that hold tables of a run. */
export const BENCH_DOCUMENTS = ['README.md', 'docs/benchmarks.md'];

/** The comparisons of the short table: some of each line, including some in which another database is ahead. */
const SHORT = [
  'ingest: HTTPS, fsync, 8 connections',
  'memory: resident for the rows',
  'counts: string equality',
  'counts: attribute AND event AND NOT',
  'queries: top 10 of 50,000 strings',
  'queries: 100 rows of 8 columns',
  'sql: GROUP BY two columns',
  'sql: star join, grouped',
];

/** A table as Markdown, its notes as a list below it. */
function tableLines({ columns, rows, notes }: Table): string[] {
  const lines = [
    columns,
    columns.map((_, column) => (column === 0 ? '---' : '---:')),
    ...rows.map((row) => row.map(cellText)),
  ];
  return [
    ...lines.map((cells) => `| ${cells.map((cell) => cell || ' ').join(' | ')} |`),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ];
}

/** All results: the machine, the goals, the comparisons, and their mean. */
export function readmeText(report: Report): string {
  const table = comparisonTable(report.comparisons);
  if (table === null) return 'Nothing was compared.';
  const goals = goalsTable(report);
  const { versions, machine, answersChecked } = report;
  return [
    `${machineText(machine)}; compared with ${Object.values(versions).join(' and ')}; scale ${report.scale}; ${answersChecked.toLocaleString('en-US')} answers checked.`,
    '',
    ...(goals === null ? [] : [...tableLines(goals), '']),
    ...tableLines(table),
  ].join('\n');
}

/** Medians of some comparisons. */
export function shortText({ comparisons }: Report): string {
  const names = [...new Set(comparisons.flatMap(({ peers }) => peers.map(({ name }) => name)))];
  const rows = comparisons
    .filter(({ line, name }) => SHORT.includes(`${line}: ${name}`))
    .map((comparison) => {
      const { line, name, unit, quarry, peers } = comparison;
      const others = names.map((other) => peers.find((peer) => peer.name === other)?.spread.median ?? null);
      const ratio = ratioOf(comparison);
      return [`${line}: ${name}`, unit, quarry.median, ...others, ratio === null ? null : ratioText(ratio)];
    });
  const columns = ['', 'unit', 'Quarry', ...names, 'ahead'];
  return tableLines({ line: 'summary', title: '', columns, rows, notes: [] }).join('\n');
}

/** `document` with the report between its marks. Throws if it has no marks. */
export function withReport(document: string, report: Report): string {
  let text = document;
  for (const [mark, content] of [
    ['bench', readmeText(report)],
    ['bench-short', shortText(report)],
  ]) {
    const [begin, end] = [text.indexOf(`<!-- ${mark} -->`), text.indexOf(`<!-- /${mark} -->`)];
    if (begin < 0 || end < begin) continue;
    text = `${text.slice(0, begin)}<!-- ${mark} -->\n\n${content}\n\n${text.slice(end)}`;
  }
  if (!/<!-- \/bench(-short)? -->/.test(text))
    throw new Error('the document has no <!-- bench --> ... <!-- /bench -->');
  return text;
}
