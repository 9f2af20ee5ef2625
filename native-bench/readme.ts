/** The table that a run writes into the project's README, between its two marks. */
import { comparisonTable } from './comparison.js';
import { goalsTable } from './goals.js';
import { machineText } from './machine.js';
import { cellText, type Report, type Table } from './report.js';

const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->'];

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

/** Markdown: the machine, what was to be reached, the comparisons, and what they come to. */
export function readmeText(report: Report): string {
  const table = comparisonTable(report.comparisons);
  if (table === null) return 'Nothing was compared.';
  const goals = goalsTable(report);
  const { versions, machine, answersChecked } = report;
  return [
    `${machineText(machine)}; beside ${Object.values(versions).join(' and ')}; scale ${report.scale}; ${answersChecked.toLocaleString('en-US')} answers checked.`,
    '',
    ...(goals === null ? [] : [...tableLines(goals), '']),
    ...tableLines(table),
  ].join('\n');
}

/** `readme` with the report between its marks. Throws when it has none. */
export function withReport(readme: string, report: Report): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`README.md has no ${BEGIN} ... ${END}`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${readmeText(report)}\n\n${readme.slice(end)}`;
}
