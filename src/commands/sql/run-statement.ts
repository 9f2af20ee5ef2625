/** Runs a statement on the server and writes the answer in a format. */
import type { AnswerStream } from '../../client/transport/index.js';
import { linesOf, membersOf } from '../export/json-line.js';
import { ROW_TYPES, type RowType, type SqlClient } from '../export/sql-client.js';
import { printable } from '../printable.js';
import { formatCount } from '../progress.js';
import { encodedParts, type Outlet } from './outlet.js';
import { drawTable, drawVertical, fitsAcross, type Rows, type Terminal, tableCellOf } from './table.js';

export const SQL_FORMATS = ['table', 'vertical', 'csv', 'json', 'ndjson', 'arrow'] as const;
export type SqlFormat = (typeof SQL_FORMATS)[number];

/** Maximum rows of a drawn table: all must be read before the first is drawn. */
export const DRAWN_ROWS_MAX = 1_000;

const isDrawn = (format: SqlFormat): format is 'table' | 'vertical' =>
  format === 'table' || format === 'vertical';

/** Streams the rows, except in drawn formats. Rejects with the errors of SqlClient and Outlet. */
export async function runStatement(
  sqlClient: SqlClient,
  statement: string,
  format: SqlFormat,
  outlet: Outlet,
  terminal: Terminal,
): Promise<void> {
  const answer = await sqlClient.answer(statement, rowTypeOf(format));
  const parts = answer.bytes;
  if (format === 'json') return outlet.write(withLineEnd(parts));
  // Writes answer JSON counts in every format.
  if (isJson(answer)) return outlet.write(encodedParts(`${writtenText(await textOf(parts))}\n`));
  if (!isDrawn(format)) return outlet.write(parts);
  const { rows, isWhole } = await readRows(parts);
  return outlet.write(encodedParts(drawn(statement, rows, isWhole, format, terminal)));
}

const rowTypeOf = (format: SqlFormat): RowType => (isDrawn(format) ? 'ndjson' : format);

const isJson = ({ headers }: AnswerStream): boolean =>
  headers.get('content-type')?.startsWith(ROW_TYPES.json) === true;

async function textOf(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all).toString('utf8');
}

async function* withLineEnd(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts;
  yield Buffer.from('\n');
}

interface Written {
  readonly result: readonly { readonly result: object }[] | Readonly<Record<string, unknown>>;
}

/** "2 entities inserted, 7 values"; for several statements one line each. */
function writtenText(json: string): string {
  const { result } = JSON.parse(json) as Written;
  const results = Array.isArray(result) ? result.map((one) => one.result) : [result];
  return results.map((one) => countsText(new Map(Object.entries(one)))).join('\n');
}

function countsText(counts: ReadonlyMap<string, unknown>): string {
  const entities = (name: string): string => {
    const count = Number(counts.get(name));
    return `${formatCount(count)} ${count === 1 ? 'entity' : 'entities'}`;
  };
  if (counts.has('updated')) return `${entities('updated')} updated`;
  if (counts.has('deleted')) return `${entities('deleted')} deleted`;
  return `${entities('inserted-entities')} inserted, ${formatCount(Number(counts.get('inserted-values')))} values`;
}

async function readRows(parts: AsyncIterable<Uint8Array>): Promise<{ rows: Rows; isWhole: boolean }> {
  let names: readonly string[] = [];
  const rows: Rows['rows'][number][] = [];
  for await (const line of linesOf(parts)) {
    if (rows.length === DRAWN_ROWS_MAX) return { rows: { names, rows }, isWhole: false };
    const members = membersOf(line);
    if (rows.length === 0) names = members.map(({ name }) => name);
    rows.push(members.map(({ json }) => tableCellOf(json)));
  }
  return { rows: { names, rows }, isWhole: true };
}

function drawn(
  statement: string,
  rows: Rows,
  isWhole: boolean,
  format: 'table' | 'vertical',
  terminal: Terminal,
): string {
  if (isExplain(statement)) return rows.rows.map((row) => `${planLine(rows.names, row)}\n`).join('');
  const count = rows.rows.length;
  const foot = isWhole
    ? `(${formatCount(count)} ${count === 1 ? 'row' : 'rows'})\n`
    : `(the first ${formatCount(count)} rows; use LIMIT and OFFSET, or --format csv, for others)\n`;
  if (count === 0) return foot;
  const across = format === 'table' && fitsAcross(rows, terminal);
  return `${across ? drawTable(rows, terminal) : drawVertical(rows, terminal)}${foot}`;
}

const isExplain = (statement: string): boolean => /^\s*explain\b/i.test(statement);

/** "scan (shard 1): default: 3 entities in 1 segments; about 3 rows, 2 rows, 0.2 ms". */
function planLine(names: readonly string[], row: Rows['rows'][number]): string {
  const value = (name: string): string | null => {
    const cell = row[names.indexOf(name)];
    return cell === undefined || cell.is === 'missing' || cell.text === '' ? null : cell.text;
  };
  const [shard, detail] = [value('shard'), value('detail')];
  const [estimated, rows, ms] = [value('estimated-rows'), value('rows'), value('milliseconds')];
  const stats = [
    ...(estimated === null ? [] : [`about ${estimated} rows`]),
    ...(rows === null ? [] : [`${rows} rows`]),
    ...(ms === null ? [] : [`${ms} ms`]),
  ];
  const head = `${printable(value('operator') ?? '')}${shard === null ? '' : ` (shard ${shard})`}`;
  const tail = [detail, stats.length === 0 ? null : stats.join(', ')].filter((one) => one !== null);
  return tail.length === 0 ? head : `${head}: ${tail.join('; ')}`;
}
