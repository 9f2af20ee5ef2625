/**
 * Generated window expressions in DuckDB. Functions whose results depend on the order of peers are compared with a
 * unique last order key only. Means are compared to a millionth, because DuckDB does not round them.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { windowRows } from '../../../src/exec/window/window-rows.js';
import type {
  FrameBound,
  RelationColumn,
  RelationOf,
  RelationSortKey,
  WindowFrame,
  WindowFunction,
  WindowFunctionName,
} from '../../../src/ir/index.js';
import { formatDate, formatDateTime } from '../../../src/schema/index.js';
import type { SqlType, Value } from '../../../src/vector/index.js';
import { operatorOf, type Row, rowsFrom } from './generated-rows.js';
import { AGGREGATES, generatedFrame, generatedFunction, PICKED, RANKS, rangeOffset } from './window-plans.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);

const ROUNDS = 60;
const FUNCTIONS_PER_ROUND = 6;
const INTEGER: SqlType = { type: 'integer' };
const TYPES: readonly SqlType[] = [
  INTEGER,
  { type: 'decimal', scale: 2 },
  { type: 'float' },
  { type: 'boolean' },
  { type: 'text' },
  { type: 'date' },
  { type: 'datetime' },
];
/** The values, two columns of small integers, a partition, a unique number, and the same number in every row. */
const COLUMNS: readonly RelationColumn[] = [...TYPES, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER].map(
  (type, column) => ({
    column,
    type,
  }),
);
const [small, positive, partitionColumn, id, constant] = COLUMNS.slice(-5);
const ARGUMENTS = { values: COLUMNS.slice(0, TYPES.length), small, positive };

const DUCK_TYPES = {
  integer: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  text: 'VARCHAR',
  date: 'DATE',
  interval: 'INTERVAL',
} as const;

function duckType(type: SqlType): string {
  if (type.type === 'decimal') return `DECIMAL(18, ${type.scale})`;
  return type.type === 'datetime' || type.type === 'json' ? 'TIMESTAMP' : DUCK_TYPES[type.type];
}

function decimalText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}.${digits.slice(-scale)}`;
}

/** A value as DuckDB prints it. */
function text(type: SqlType, value: Value): string | null {
  if (value === null) return null;
  if (type.type === 'decimal') return decimalText(value as bigint, type.scale);
  if (type.type === 'date') return formatDate(Number(value));
  if (type.type === 'datetime') return formatDateTime(Number(value)).replace('T', ' ').replace('Z', '');
  return String(value);
}

function literal(type: SqlType, value: Value): string {
  const printed = text(type, value);
  return printed === null ? 'NULL' : `CAST('${printed.replaceAll("'", "''")}' AS ${duckType(type)})`;
}

function duckBound(bound: FrameBound, isEnd: boolean, mode: WindowFrame['mode']): string {
  if (bound.at !== 'preceding' && bound.at !== 'following') {
    return bound.at === 'current' ? 'CURRENT ROW' : `UNBOUNDED ${isEnd ? 'FOLLOWING' : 'PRECEDING'}`;
  }
  const { type, value } = bound.offset;
  const side = bound.at.toUpperCase();
  if (bound.months !== undefined) {
    const unit = bound.months.of === 'date' ? 'days' : 'seconds';
    return `INTERVAL '${bound.months.count} months ${value} ${unit}' ${side}`;
  }
  if (mode === 'range' && type.type === 'date') return `INTERVAL ${value} DAY ${side}`;
  if (mode === 'range' && type.type === 'datetime') return `INTERVAL ${value} SECOND ${side}`;
  return `${mode === 'range' ? literal(type, value) : String(value)} ${side}`;
}

const NAMES: Partial<Record<WindowFunctionName, string>> = {
  'percent-rank': 'percent_rank',
  'cume-dist': 'cume_dist',
};

function duckFunction(
  { function: name, args, frame }: WindowFunction,
  { partition, order }: RelationOf<'window'>,
): string {
  const isFramed = ['count', 'sum', 'avg', 'min', 'max', 'first-value', 'last-value', 'nth-value'].includes(
    name,
  );
  const keys = order.map(
    ({ column, descending, missingFirst }) =>
      `c${column} ${descending ? 'DESC' : 'ASC'} NULLS ${missingFirst ? 'FIRST' : 'LAST'}`,
  );
  const parts = [
    partition.length > 0 ? `PARTITION BY ${partition.map(({ column }) => `c${column}`).join(', ')}` : '',
    keys.length > 0 ? `ORDER BY ${keys.join(', ')}` : '',
    isFramed
      ? `${frame.mode} BETWEEN ${duckBound(frame.start, false, frame.mode)} AND ${duckBound(frame.end, true, frame.mode)}${frame.exclude === undefined ? '' : ` EXCLUDE ${frame.exclude.replace('-', ' ')}`}`
      : '',
  ];
  const values =
    name === 'count' && args.length === 0 ? '*' : args.map(({ column }) => `c${column}`).join(', ');
  return `${NAMES[name] ?? name.replace('-', '_')}(${values}) OVER (${parts.join(' ')})`;
}

function generatedRelation(prng: Prng, rows: readonly Row[]): RelationOf<'window'> {
  const mode = prng.pick(['rows', 'range', 'groups'] as const);
  const keyOf = (column: RelationColumn): RelationSortKey => ({
    ...column,
    descending: prng.below(2) === 0,
    missingFirst: prng.below(2) === 0,
  });
  const isUnique = mode === 'rows' || prng.below(3) === 0;
  const key = keyOf(COLUMNS[prng.below(TYPES.length)]);
  const order = isUnique ? [key, keyOf(id)] : [key];
  const names = isUnique ? [...RANKS, ...AGGREGATES, ...PICKED] : [...RANKS.slice(1), ...AGGREGATES];
  const functions = Array.from({ length: FUNCTIONS_PER_ROUND }, (_, index) => {
    const frame = generatedFrame(prng, mode, mode === 'range' ? rangeOffset(order) : INTEGER, true);
    const name = prng.pick(names);
    // DuckDB evaluates the argument of NTILE for every row, PostgreSQL once per partition.
    const args = name === 'ntile' ? { ...ARGUMENTS, positive: constant } : ARGUMENTS;
    return generatedFunction(prng, name, COLUMNS.length + index, frame, args);
  });
  const input = { op: 'values', columns: COLUMNS, rows } as const;
  return { op: 'window', input, partition: prng.below(3) === 0 ? [] : [partitionColumn], order, functions };
}

/** Sums of quarters do not depend on their order. */
function generatedValue(prng: Prng, { type }: SqlType): Value {
  if (prng.below(6) === 0) return null;
  if (type === 'float') return (prng.below(41) - 20) / 4;
  if (type === 'text') return prng.pick(['', 'a', 'b', 'ab', 'ß', 'z']);
  return type === 'boolean' ? prng.below(2) === 0 : BigInt(prng.below(15) - 7);
}

function generatedRows(prng: Prng): Row[] {
  return Array.from(
    { length: prng.pick([1, 20, 60]) },
    (_, row): Row => [
      ...TYPES.map((type) => generatedValue(prng, type)),
      BigInt(prng.below(4)),
      BigInt(prng.pick([1, 2, 3, 7])),
      prng.below(9) === 0 ? null : BigInt(prng.below(4)),
      BigInt(row),
      4n,
    ],
  );
}

async function loaded(connection: DuckDBConnection, rows: readonly Row[]): Promise<void> {
  const columns = COLUMNS.map(({ column, type }) => `c${column} ${duckType(type)}`);
  await connection.run(`CREATE OR REPLACE TABLE t (${columns.join(', ')})`);
  const tuples = rows.map(
    (row) => `(${row.map((value, index) => literal(COLUMNS[index].type, value)).join(', ')})`,
  );
  await connection.run(`INSERT INTO t VALUES ${tuples.join(', ')}`);
}

const isSame = (name: WindowFunctionName, type: SqlType, found: Value, expected: string | null): boolean => {
  if (found === null || expected === null) return found === expected;
  // DuckDB returns a negative count if the start of a frame is after its end.
  if (name === 'count') return String(found) === expected.replace(/^-.*/, '0');
  if (name === 'avg') return Math.abs(Number(found) - Number(expected)) < 1e-6;
  if (type.type === 'float') return Number(found) === Number(expected);
  return text(type, found) === expected;
};

t.test('window expressions return what they return in DuckDB', async (t) => {
  const prng = new Prng(SEED);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  for (let round = 0; round < ROUNDS; round++) {
    const rows = generatedRows(prng);
    await loaded(connection, rows);
    const relation = generatedRelation(prng, rows);
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const found = rowsFrom(windowRows(operatorOf(prng, COLUMNS, rows), relation, run));
    const byId = new Map(found.map((row) => [String(row[id.column]), row]));
    for (const [index, definition] of relation.functions.entries()) {
      const sql = duckFunction(definition, relation);
      const answer = await connection.runAndReadAll(`SELECT c${id.column}, CAST(${sql} AS VARCHAR) FROM t`);
      const wrong = answer.getRowsJson().flatMap(([row, expected]) => {
        const value = (byId.get(String(row)) as Row)[COLUMNS.length + index];
        const isEqual = isSame(definition.function, definition.type, value, expected as string | null);
        return isEqual ? [] : [`row ${row}: ${value} instead of ${expected}`];
      });
      t.strictSame(wrong.slice(0, 3), [], `round ${round}: ${sql}`);
    }
  }
  connection.closeSync();
  instance.closeSync();
});
