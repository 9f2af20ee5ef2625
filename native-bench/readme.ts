/** The table that a run writes into the project's README, between its two marks. */
import { comparisonTable } from './comparison.js';
import { machineText } from './machine.js';
import { cellText, type Report } from './report.js';

const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->'];

/** Markdown: the machine, the comparisons, and what they come to. */
export function readmeText(report: Report): string {
  const table = comparisonTable(report.comparisons);
  if (table === null) return 'Nothing was compared.';
  const rows = [table.columns, table.columns.map((_, column) => (column === 0 ? '---' : '---:'))];
  for (const row of table.rows) rows.push(row.map(cellText));
  const { versions, machine, answersChecked } = report;
  return [
    `${machineText(machine)}; beside ${Object.values(versions).join(' and ')}; scale ${report.scale}; ${answersChecked.toLocaleString('en-US')} answers checked.`,
    '',
    ...rows.map((cells) => `| ${cells.map((cell) => cell || ' ').join(' | ')} |`),
    '',
    ...table.notes.map((note) => `- ${note}`),
  ].join('\n');
}

/** `readme` with the report between its marks. Throws when it has none. */
export function withReport(readme: string, report: Report): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`README.md has no ${BEGIN} ... ${END}`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${readmeText(report)}\n\n${readme.slice(end)}`;
}
