/** The tables that are generated from the code, as Markdown, and the documents that contain them. */
import { ERRORS, type ErrorEntry } from '../../src/base/index.js';
import { environmentNameOf, OPTIONS, type Option } from '../../src/commands/serve/options.js';
import { documentedTables } from '../../src/http/endpoints/tables.js';
import { QUESTION_COLUMNS } from '../../src/interface/index.js';
import { DERIVED_FUNCTIONS } from '../../src/sql/bind/functions/derived.js';
import { signatureOf } from '../../src/sql/bind/functions/function.js';
import { SQL_FUNCTIONS } from '../../src/sql/bind/functions/functions.js';

/** The document of each table, where it is between the marks `<!-- name -->` and `<!-- /name -->`. */
export const TABLE_PAGES = {
  keys: 'docs/http-api.md',
  plans: 'docs/http-api.md',
  bounds: 'docs/http-api.md',
  permissions: 'docs/security.md',
  errors: 'docs/errors.md',
  options: 'docs/operations/configuration.md',
  functions: 'docs/sql.md',
  questions: 'docs/behaviour.md',
} as const;

export type TableName = keyof typeof TABLE_PAGES;

/** All tables, by name. */
export function generatedTables(): Readonly<Record<TableName, string>> {
  return {
    ...documentedTables(),
    errors: errorTable(),
    options: optionTable(),
    functions: functionTable(),
    questions: questionTable(),
  };
}

function errorTable(): string {
  const rows = Object.entries<ErrorEntry>(ERRORS)
    .filter(([, { never }]) => never === undefined)
    .map(([code, { status, condition }]) => [code, String(status), condition]);
  return table(['Code', 'HTTP', 'Condition'], rows);
}

/** Defaults that depend on the machine or the store are in the help text. */
function optionTable(): string {
  const fallbackOf = ({ fallback, argument, name }: Option): string => {
    const constant = argument !== null && fallback !== null && name !== 'workers';
    const text = constant ? fallback({ cpuCount: 0, memoryBytes: 0 }) : '';
    return text === '' ? '–' : `\`${text}\``;
  };
  const rows = OPTIONS.map((option) => [
    `\`--${option.name}${option.argument === null ? '' : ` ${option.argument.replaceAll('|', '\\|')}`}\``,
    option.flagOnly === true ? '–' : `\`${environmentNameOf(option)}\``,
    fallbackOf(option),
    option.help.replaceAll('|', '\\|'),
  ]);
  return table(['Option', 'Environment', 'Default', 'Meaning'], rows);
}

/** The columns of questions about behaviour as tables of SQL. */
function questionTable(): string {
  const rows = Object.entries(QUESTION_COLUMNS).flatMap(([kind, columns]) =>
    columns.map(({ name, type, description }, index) => [
      index === 0 ? `\`${kind}\`` : '',
      `\`${name}\``,
      type,
      description,
    ]),
  );
  return table(['Function', 'Column', 'Type', 'Meaning'], rows);
}

/** The scalar functions of SQL, and other names of each; without those that only the reader calls. */
function functionTable(): string {
  const written = SQL_FUNCTIONS.filter(
    (entry) => !DERIVED_FUNCTIONS.includes(entry) && !entry.names[0].includes(' '),
  );
  const rows = written.map((entry) => {
    const [name, ...others] = entry.names;
    const also = others.map((other) => `\`${other.toUpperCase()}\``).join(', ');
    return [`\`${signatureOf(name, entry)}\``, also === '' ? '–' : also];
  });
  return table(['Function', 'Other names'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The rows of a Markdown table as cells, without the padding that formatting adds. */
export function cellsOf(markdown: string): string[][] {
  const rows = markdown
    .trim()
    .split('\n')
    .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  return rows.filter((row) => !row.every((cell) => /^-*$/.test(cell)));
}

/** The text between the marks `name` in a document; null without these marks. */
export function between(text: string, name: string): string | null {
  return new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n?<!-- /${name} -->`).exec(text)?.[1] ?? null;
}

/** The table with every column as wide as its longest cell. */
export function padded(markdown: string): string {
  const [head, ...rows] = cellsOf(markdown).map((cells) => cells.slice(1, -1));
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((cells) => cells[at].length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
