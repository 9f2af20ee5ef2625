import type { DuckDBConnection } from '@duckdb/node-api';
import t from 'tap';
import { Prng, QuarryError } from '../../src/base/index.js';
import { compile } from '../../src/expression/index.js';
import type { Expression } from '../../src/ir/index.js';
import { type Value, type Vector, valueAt, vectorKindOf } from '../../src/vector/index.js';
import { openDuckDb, queryDuckDb, toSql } from './duckdb.js';
import { ALL, Generator, type Limits } from './generate.js';
import { evaluateRow, Refused } from './oracle.js';
import { type Batch, batchOf, COLUMNS, dictionariesOf, SHARED_COLUMNS } from './rows.js';

const SEED = 20_260_101;
const EXPRESSIONS = 4_000;
/** Numbers of rows of the batches on which each expression is evaluated, in order. */
const BATCHES = [0, 1, 7, 40, 40];

/** All values, or 'refused'. */
type Outcome = readonly Value[] | 'refused';

function outcomeOf(make: () => readonly Value[]): Outcome {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refused || (error instanceof QuarryError && error.code === 6000)) return 'refused';
    throw error;
  }
}

const valuesOf = (vector: Vector): Value[] =>
  Array.from({ length: vector.count }, (_, row) => valueAt(vector, row));

/** Checks the invariants of a vector. */
function errorOf(vector: Vector, expression: Expression, count: number): string | null {
  if (vector.count !== count) return `${vector.count} rows`;
  if (vector.kind !== vectorKindOf(expression.type)) return `a ${vector.kind} vector`;
  const values = valuesOf(vector);
  if (vector.kind === 'exact') {
    if ((vector.numbers === null) === (vector.wide === null)) return 'numbers and wide at once';
    if (
      vector.numbers?.subarray(0, count).some((value) => !Number.isSafeInteger(value) || Object.is(value, -0))
    )
      return 'an unsafe number';
  }
  if (
    vector.kind === 'float' &&
    values.some((value) => Object.is(value, -0) || (value !== null && !Number.isFinite(value)))
  )
    return 'no finite float';
  if (vector.kind === 'text' && vector.codes?.subarray(0, count).some((code) => code >= vector.texts.size))
    return 'a code without a text';
  return null;
}

const equal = (a: Outcome, b: Outcome): boolean =>
  a === b ||
  (a !== 'refused' && b !== 'refused' && a.length === b.length && a.every((value, row) => value === b[row]));

function difference(found: Outcome, expected: Outcome, rows: Batch['values']): Record<string, unknown> {
  if (found === 'refused' || expected === 'refused')
    return { found: printed(found), expected: printed(expected) };
  const row = found.findIndex((value, index) => value !== expected[index]);
  return { row, found: printed(found[row]), expected: printed(expected[row]), inputs: printed(rows[row]) };
}

const printed = (value: unknown): string =>
  JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? String(value);

t.test(`vectors contain the row-by-row results of expressions (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  const dictionaries = dictionariesOf(COLUMNS, random);
  const batches: Batch[] = BATCHES.map((count) => batchOf(COLUMNS, dictionaries, count, random));
  const generator = new Generator(random, COLUMNS, ALL);
  let refused = 0;
  let missing = 0;
  let present = 0;
  for (let index = 0; index < EXPRESSIONS; index++) {
    const expression = generator.any(random.between(1, 4));
    const evaluate = compile(expression);
    for (const [number, { rows, values }] of batches.entries()) {
      const expected = outcomeOf(() => values.map((row) => evaluateRow(expression, row)));
      let fault: string | null = null;
      const found = outcomeOf(() => {
        const vector = evaluate(rows);
        fault = errorOf(vector, expression, rows.count);
        return valuesOf(vector);
      });
      if (expected === 'refused') refused++;
      else for (const value of expected) value === null ? missing++ : present++;
      if (fault === null && equal(found, expected)) continue;
      t.fail(`expression ${index}, batch ${number}: ${fault ?? 'other values'}`, {
        expression: printed(expression),
        ...difference(found, expected, values),
      });
      return;
    }
  }
  t.ok(
    present > 200_000 && missing > 50_000 && refused > 500,
    `${present} values, ${missing} missing, ${refused} refused`,
  );
});

/** Further omissions; duckdb.ts has the reasons. */
const SHARED: Limits = {
  refusals: false,
  without: ['exp', 'ln', 'log10', 'power'],
  writes: ['integer', 'boolean', 'date', 'datetime', 'text'],
  decimalRemainders: false,
};
const SHARED_EXPRESSIONS = 3_000;
/** Number of expressions in one DuckDB statement. */
const TOGETHER = 20;

t.test(`expressions have the same results as in DuckDB (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  const dictionaries = dictionariesOf(SHARED_COLUMNS, random);
  const { rows, values } = batchOf(SHARED_COLUMNS, dictionaries, 60, random);
  const generator = new Generator(random, SHARED_COLUMNS, SHARED);
  const connection = await openDuckDb(SHARED_COLUMNS, values);
  let compared = 0;
  let refused = 0;
  for (let done = 0; done < SHARED_EXPRESSIONS; done += TOGETHER) {
    const expressions = Array.from({ length: TOGETHER }, () => generator.any(random.between(1, 3)));
    for (const { expression, theirs } of await answersOf(connection, expressions)) {
      const ours = outcomeOf(() => valuesOf(compile(expression)(rows)));
      if (ours === 'refused' || theirs === 'refused') {
        // Numbers and dates out of bounds: the bounds differ, so one engine may return a value that the other refuses.
        refused++;
        continue;
      }
      compared++;
      if (equal(ours, theirs)) continue;
      const { at, ...rest } = { at: toSql(expression), ...difference(ours, theirs, values) };
      t.fail(`values differ from DuckDB: ${at}`, rest);
      return;
    }
  }
  t.ok(compared > SHARED_EXPRESSIONS * 0.95, `${compared} compared, ${refused} refused`);
});

interface Theirs {
  readonly expression: Expression;
  readonly theirs: Outcome;
}

/** Evaluates the expressions one by one if DuckDB refuses one of them. */
async function answersOf(
  connection: DuckDBConnection,
  expressions: readonly Expression[],
): Promise<Theirs[]> {
  try {
    const all = await queryDuckDb(connection, expressions);
    return expressions.map((expression, index) => ({ expression, theirs: all[index] }));
  } catch {
    if (expressions.length > 1) {
      const halves = [
        expressions.slice(0, expressions.length / 2),
        expressions.slice(expressions.length / 2),
      ];
      return [...(await answersOf(connection, halves[0])), ...(await answersOf(connection, halves[1]))];
    }
    return [{ expression: expressions[0], theirs: 'refused' }];
  }
}
