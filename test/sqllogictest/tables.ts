/** Translates the statements of scripts that create and fill tables to requests for dimensions of Quarry. */
import { isSign, type PostgresStatement, readPostgres, type Token } from '../../src/sql/index.js';

export interface ColumnModel {
  readonly name: string;
  /** Fields of POST /v1/column. */
  readonly model: Readonly<Record<string, unknown>>;
}

export interface TableModel {
  readonly name: string;
  readonly columns: readonly ColumnModel[];
}

const FLOAT = { type: 'decimal', 'decimal-places': 6 };
const TEXT = { type: 'string', cardinality: 'high', case: 'preserve' };

const MODELS: ReadonlyMap<string, object> = new Map<string, object>([
  ...['INT', 'INTEGER', 'BIGINT', 'SMALLINT', 'TINYINT'].map((name) => [name, { type: 'integer' }] as const),
  ...['REAL', 'FLOAT', 'DOUBLE'].map((name) => [name, FLOAT] as const),
  ...['TEXT', 'VARCHAR', 'CHAR', 'CHARACTER'].map((name) => [name, TEXT] as const),
  ...['BOOLEAN', 'BOOL'].map((name) => [name, { type: 'boolean' }] as const),
  ['DATE', { type: 'date' }],
  ['TIMESTAMP', { type: 'datetime' }],
]);
const CONSTRAINTS: ReadonlySet<string> = new Set(['PRIMARY', 'UNIQUE', 'CONSTRAINT', 'CHECK', 'FOREIGN']);

/** The statement of a script that has one; null = it cannot be read. */
export function statementOf(sql: string): PostgresStatement | null {
  try {
    return readPostgres(sql)[0] ?? null;
  } catch {
    return null;
  }
}

/** CREATE TABLE name (column type, ...); null = another statement. */
export function createdTable({ tokens }: PostgresStatement): TableModel | null {
  if (tokens[0].upper !== 'CREATE' || tokens[1].upper !== 'TABLE') return null;
  const open = tokens.findIndex((token) => isSign(token, '('));
  if (open === -1) return null;
  const columns = listed(tokens, open)
    .filter(([first]) => !CONSTRAINTS.has(first.upper))
    .map(columnOf);
  return { name: nameOf(tokens[open - 1]), columns };
}

function columnOf([name, type, ...rest]: readonly Token[]): ColumnModel {
  const places = rest.filter(({ kind }) => kind === 'number')[1]?.text ?? '0';
  const isDecimal = type.upper === 'DECIMAL' || type.upper === 'NUMERIC';
  const model = isDecimal ? { type: 'decimal', 'decimal-places': Number(places) } : MODELS.get(type.upper);
  if (model === undefined) throw new Error(`no column type for ${type.text}`);
  return { name: nameOf(name), model: { ...model } };
}

const nameOf = ({ kind, text }: Token): string => (kind === 'word' ? text.toLowerCase() : text);

/** The elements of the list in the parentheses that open at `open`. */
function listed(tokens: readonly Token[], open: number): readonly (readonly Token[])[] {
  const elements: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(open)) {
    if (isSign(token, ')') && --depth === 0) break;
    if (isSign(token, ',') && depth === 1) elements.push([]);
    else if (depth > 0) elements[elements.length - 1].push(token);
    if (isSign(token, '(')) depth++;
  }
  return elements;
}

/**
 * INSERT INTO table VALUES ... with an entity ID in each row, from `newId`; null = another statement. A table of a script
 * has no such column, so its rows are numbered.
 */
export function insertWithIds(
  sql: string,
  { tokens }: PostgresStatement,
  columnsOf: (table: string) => readonly string[],
  newId: () => string,
): string | null {
  const at = tokens.findIndex(({ upper }) => upper === 'VALUES');
  if (tokens[0].upper !== 'INSERT' || tokens[1].upper !== 'INTO' || at === -1) return null;
  const named = isSign(tokens[3], '(')
    ? listed(tokens, 3).map(([column]) => nameOf(column))
    : columnsOf(nameOf(tokens[2]));
  const columns = ['entity-id', ...named].map((column) => `"${column}"`).join(', ');
  let text = `INSERT INTO "${nameOf(tokens[2])}" (${columns}) VALUES `;
  let depth = 0;
  let from = offsetAfter(sql, tokens[at], 'VALUES'.length);
  for (const token of tokens.slice(at + 1)) {
    if (isSign(token, ')')) depth--;
    if (!isSign(token, '(')) continue;
    if (depth++ > 0) continue;
    const end = offsetAfter(sql, token, 1);
    text += `${sql.slice(from, end)}'${newId()}', `;
    from = end;
  }
  return text + sql.slice(from);
}

/** The offset in `sql` after the first `length` units of a token. */
function offsetAfter(sql: string, { position: { line, column } }: Token, length: number): number {
  let begin = 0;
  for (let passed = 1; passed < line; passed++) begin = sql.indexOf('\n', begin) + 1;
  return begin + column - 1 + length;
}

/** The table of DROP TABLE [IF EXISTS]; null = another statement. */
export function droppedTable({ tokens }: PostgresStatement): string | null {
  if (tokens[0].upper !== 'DROP' || tokens[1].upper !== 'TABLE') return null;
  return nameOf(tokens[tokens[2].upper === 'IF' ? 4 : 2]);
}

/** Indexes of scripts have no effect on results, and Quarry has none. */
export const isOfIndexes = ({ tokens }: PostgresStatement): boolean =>
  tokens[0].upper === 'REINDEX' ||
  (['CREATE', 'DROP'].includes(tokens[0].upper) &&
    (tokens[1].upper === 'INDEX' || (tokens[1].upper === 'UNIQUE' && tokens[2].upper === 'INDEX')));
