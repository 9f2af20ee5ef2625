/**
 * Expressions as DuckDB's SQL, and DuckDB's answers as our values: exact types as HUGEINT and DECIMAL(38, scale), each node
 * cast to its own type. Where DuckDB means something else, the SQL says what we mean, or the generator leaves it out:
 *   x / 0, float results that are not finite   missing here, since JSON has neither infinity nor NaN: `finite`
 *   sqrt and ln of what has none              missing here, errors there; left out but for sqrt
 *   exp, ln, log10, power                     last digits differ by C library; left out here, compared with a tolerance in calls.test.ts
 *   weekday                                   1 = Sunday here, 0 there
 *   date + n days                             stays a date here, a timestamp there
 *   datetimes as text                         2017-07-17T10:00:00Z here, as the answers write them
 *   decimals and floats as text               1.5 and 1e-7 here, 1.500 and 1e-07 there, as the answers write them; left out
 *   % of decimals                             by doubles there, exact here: only of integers
 *   reverse                                   code points here, grapheme clusters there: no combining marks in the rows
 *   upper, lower                              ß, ŉ, ﬁ have no upper-case letter of one code point in JavaScript: not in the rows
 *   lpad with an empty filler                 an error there
 *   texts as numbers, dates                   1_000, 0x10, 2021-2-3, infinity are read there: not in the rows
 *   the year 0000 as text                     0001 (BC) there: not in the rows
 *   dates outside the years 0000 to 9999      refused here, since no answer could write them; such answers are not compared
 *   substring before the text                 ASCII columns and others differ there; left out
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Expression } from '../../src/ir/index.js';
import { formatDate, formatDateTime, parseDate, parseDateTime } from '../../src/schema/index.js';
import type { SqlType, Value } from '../../src/vector/index.js';
import type { Column } from './rows.js';

const MACROS = [
  'CREATE MACRO finite(x) AS CASE WHEN isfinite(x) THEN x + 0.0::DOUBLE END',
  'CREATE MACRO root(x) AS CASE WHEN x >= 0 THEN sqrt(x) END',
];

function typeName(type: SqlType): string {
  switch (type.type) {
    case 'integer':
      return 'HUGEINT';
    case 'decimal':
      return `DECIMAL(38, ${type.scale})`;
    case 'float':
      return 'DOUBLE';
    case 'boolean':
      return 'BOOLEAN';
    case 'date':
      return 'DATE';
    case 'datetime':
      return 'TIMESTAMP';
    default:
      return 'VARCHAR';
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${value < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
}

function literal(type: SqlType, value: Value): string {
  const as = (text: string): string => `CAST(${text} AS ${typeName(type)})`;
  if (value === null) return as('NULL');
  switch (type.type) {
    case 'integer':
      return as(quoted(String(value)));
    case 'decimal':
      return as(quoted(decimalText(value as bigint, type.scale)));
    case 'float':
      return as(quoted(String(value)));
    case 'boolean':
      return String(value);
    case 'date':
      return as(quoted(formatDate(Number(value))));
    case 'datetime':
      return as(quoted(formatDateTime(Number(value)).replace('T', ' ').replace('Z', '')));
    default:
      return as(quoted(String(value)));
  }
}

const pinned = (sql: string, type: SqlType): string => `CAST(${sql} AS ${typeName(type)})`;
const list = (expressions: readonly Expression[]): string => expressions.map(toSql).join(', ');

export function toSql(expression: Expression): string {
  const { type } = expression;
  switch (expression.op) {
    case 'constant':
      return literal(type, expression.value);
    case 'input':
      return `c${expression.input}`;
    case 'and':
    case 'or':
      return `(${expression.members.map(toSql).join(` ${expression.op.toUpperCase()} `)})`;
    case 'not':
      return `(NOT ${toSql(expression.member)})`;
    case 'is-null':
      return `(${toSql(expression.of)} IS ${expression.negated ? 'NOT ' : ''}NULL)`;
    case 'compare':
      return `(${toSql(expression.left)} ${expression.comparison} ${toSql(expression.right)})`;
    case 'in': {
      const values = expression.values.map((value) => literal(expression.of.type, value)).join(', ');
      return `(${toSql(expression.of)} ${expression.negated ? 'NOT ' : ''}IN (${values}))`;
    }
    case 'like':
      return `(${toSql(expression.of)} ${expression.negated ? 'NOT ' : ''}LIKE ${quoted(expression.pattern)})`;
    case 'case': {
      const branches = expression.branches.map(({ when, then }) => `WHEN ${toSql(when)} THEN ${toSql(then)}`);
      return `(CASE ${branches.join(' ')} ELSE ${expression.otherwise === null ? 'NULL' : toSql(expression.otherwise)} END)`;
    }
    case 'coalesce':
      return `coalesce(${list(expression.members)})`;
    case 'null-if':
      return pinned(`nullif(${toSql(expression.of)}, ${toSql(expression.equals)})`, type);
    case 'arithmetic': {
      const sql = `(${toSql(expression.left)} ${expression.operator} ${toSql(expression.right)})`;
      return type.type === 'float' ? `finite${sql}` : pinned(sql, type);
    }
    case 'cast': {
      const of = toSql(expression.of);
      if (type.type === 'text' && expression.of.type.type === 'datetime')
        return `strftime(${of}, '%Y-%m-%dT%H:%M:%SZ')`;
      return `TRY_CAST(${of} AS ${typeName(type)})`;
    }
    case 'call':
      return call(expression);
  }
}

const NAMES: Partial<Record<string, string>> = {
  'concat-strict': '||',
  'starts-with': 'starts_with',
  'ends-with': 'ends_with',
  truncate: 'trunc',
  ceiling: 'ceil',
};
const PARTS: Partial<Record<string, string>> = {
  weekday: 'dow',
  'weekday-from-zero': 'dow',
  'iso-weekday': 'isodow',
  'day-of-year': 'doy',
  'iso-year': 'isoyear',
  zone: 'timezone',
};
const ADDING: Partial<Record<string, string>> = { century: 'to_centuries', millennium: 'to_millennia' };

/** Centuries and millennia begin with year 1 here and in PostgreSQL, with year 0 there. */
function truncated(unit: string, date: string): string {
  if (unit !== 'century' && unit !== 'millennium') return `date_trunc('${unit}', ${date})`;
  const years = unit === 'century' ? 100 : 1000;
  return `date_trunc('year', ${date}) - to_years(CAST((year(${date}) - 1) % ${years} AS INTEGER))`;
}

function call(expression: Extract<Expression, { readonly op: 'call' }>): string {
  const { name, type, args } = expression;
  const sql = args.map(toSql);
  const unit = expression.unit ?? '';
  switch (name) {
    case 'concat-strict':
      return `(${sql.join(' || ')})`;
    case 'position':
      return pinned(`strpos(${sql[1]}, ${sql[0]})`, type);
    case 'negate':
      return type.type === 'float' ? `finite(-${sql[0]})` : pinned(`-${sql[0]}`, type);
    case 'repeat':
    case 'lpad':
    case 'rpad':
    case 'left':
    case 'right':
    case 'substring': {
      const counts = sql
        .slice(1)
        .map((count, index) =>
          args[index + 1].type.type === 'integer' ? `CAST(${count} AS INTEGER)` : count,
        );
      return `${name}(${[sql[0], ...counts].join(', ')})`;
    }
    case 'sqrt':
      return `root(${sql[0]})`;
    case 'floor':
    case 'ceiling':
    case 'truncate':
    case 'round': {
      const exact = args[0].type.type === 'integer' ? `CAST(${sql[0]} AS DECIMAL(38, 0))` : sql[0];
      const digits = args.length > 1 ? `, CAST(${sql[1]} AS INTEGER)` : '';
      const rounded = `${NAMES[name] ?? name}(${exact}${digits})`;
      return type.type === 'float' ? `finite(${rounded})` : pinned(rounded, type);
    }
    case 'date-part':
      // There, a Julian day has the fraction of the day.
      if (unit === 'julian') return pinned(`floor(date_part('julian', ${sql[0]}))`, type);
      return pinned(
        `date_part('${PARTS[unit] ?? unit}', ${sql[0]})${unit === 'weekday' ? ' + 1' : ''}`,
        type,
      );
    case 'date-truncate':
      return pinned(truncated(unit, sql[0]), type);
    case 'date-add':
      return pinned(`${sql[1]} + ${ADDING[unit] ?? `to_${unit}s`}(CAST(${sql[0]} AS INTEGER))`, type);
    case 'date-diff':
      return pinned(`date_diff('${unit}', CAST(${sql[0]} AS TIMESTAMP), CAST(${sql[1]} AS TIMESTAMP))`, type);
    default:
      return pinned(`${NAMES[name] ?? name}(${sql.join(', ')})`, type);
  }
}

/** Creates a table t of the rows with columns c0, c1, ..., in the order of `position`. */
export async function openDuckDb(
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  for (const macro of MACROS) await connection.run(macro);
  const names = columns.map(({ type }, index) => `c${index} ${typeName(type)}`);
  await connection.run(`CREATE TABLE t (place INTEGER, ${names.join(', ')})`);
  const values = rows.map(
    (row, position) =>
      `(${position}, ${row.map((value, index) => literal(columns[index].type, value)).join(', ')})`,
  );
  await connection.run(`INSERT INTO t VALUES ${values.join(', ')}`);
  return connection;
}

/** DuckDB's results by expression and row. Rejects if it refuses one of the expressions. */
export async function queryDuckDb(
  connection: DuckDBConnection,
  expressions: readonly Expression[],
): Promise<Value[][]> {
  const outputs = expressions.map((expression) => {
    const text = expression.type.type === 'integer' || expression.type.type === 'decimal';
    return text ? `CAST(${toSql(expression)} AS VARCHAR)` : toSql(expression);
  });
  const reader = await connection.runAndReadAll(`SELECT ${outputs.join(', ')} FROM t ORDER BY place`);
  const columns = reader.getColumnsJson();
  return expressions.map(({ type }, index) => columns[index].map((value) => fromDuckDb(type, value)));
}

function fromDuckDb(type: SqlType, value: unknown): Value {
  if (value === null || value === undefined) return null;
  switch (type.type) {
    case 'integer':
    case 'decimal':
      return BigInt(String(value).replace('.', ''));
    case 'float':
      return Number(value);
    case 'date':
      return BigInt(parseDate(String(value)) ?? -1);
    case 'datetime':
      return BigInt(parseDateTime(`${String(value).replace(' ', 'T')}Z`) ?? -1);
    default:
      return value as Value;
  }
}
