/**
 * Returns the values of a series for each row of its input, in order. It needs the memory of one batch, regardless of
 * the number of values.
 */
import { QuarryError } from '../../base/index.js';
import { addUnits, compile } from '../../expression/index.js';
import { columnsOf, type Expression, type RelationOf } from '../../ir/index.js';
import { SECONDS_PER_DAY } from '../../schema/index.js';
import { isSafe, type SqlType, type Value, type Vector, valueAt } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { Operator, RelationBatch } from './operator.js';
import { PickedBatch } from './picked-batch.js';
import { MemoryOperator, VALUE_BYTES } from './row-batches.js';

/** A longer series is refused when it begins. */
const VALUES_MAX = 1_000_000_000;
const ROW_BYTES = 4;
/** The length by which the direction of a step of months and days is determined, as in PostgreSQL. */
const MONTH_DAYS = 30;

export function seriesRows(input: Operator, relation: RelationOf<'series'>, run: QueryRun): Operator {
  return new MemoryOperator(columnsOf(relation), input, run, (memory) => batchesOf(input, relation, memory));
}

/** The values of one input row that were not returned yet. */
interface Values {
  /**
   * Writes values from out[from] on and returns the index after the last value written; the series has ended if that
   * index is below out.length.
   */
  fill(out: Float64Array, from: number): number;
}

function* batchesOf(
  input: Operator,
  relation: RelationOf<'series'>,
  run: QueryRun,
): Generator<RelationBatch | null, undefined> {
  run.reserve(BATCH_ROWS_MAX * (VALUE_BYTES + ROW_BYTES));
  const { value, months } = relation;
  const [first, last, step] = [relation.first, relation.last, relation.step].map((of: Expression) =>
    compile(of, run),
  );
  for (const batch of input.batches()) {
    run.check();
    yield null;
    if (batch === null || batch.count === 0) continue;
    const bounds = [first, last, step].map((evaluate) => evaluate(batch));
    let [values, rows, count] = newBatch();
    for (let row = 0; row < batch.count; row++) {
      const series = valuesOf(bounds, row, months, value.type);
      if (series === null) continue;
      for (;;) {
        const end = series.fill(values, count);
        rows.fill(row, count, end);
        count = end;
        if (count < BATCH_ROWS_MAX) break;
        run.check();
        yield new SeriesBatch(batch, rows, count, value.column, values);
        [values, rows, count] = newBatch();
      }
    }
    if (count > 0) yield new SeriesBatch(batch, rows, count, value.column, values);
  }
}

const newBatch = (): [Float64Array, Uint32Array, number] => [
  new Float64Array(BATCH_ROWS_MAX),
  new Uint32Array(BATCH_ROWS_MAX),
  0,
];

/** The values of a row; null = none. Throws 6000. */
function valuesOf(bounds: readonly Vector[], row: number, months: number, type: SqlType): Values | null {
  const [first, last, step] = bounds.map((vector) => safeNumber(valueAt(vector, row)));
  if (first === null || last === null || step === null) return null;
  if (step === 0 && months === 0) throw new QuarryError(6000, 'the step of generate_series is 0');
  return months === 0 ? evenValues(first, last, step) : calendarValues(first, last, step, months, type);
}

function safeNumber(value: Value): number | null {
  if (value === null) return null;
  if (typeof value === 'bigint' && isSafe(value)) return Number(value);
  throw new QuarryError(6000, `generate_series takes values up to 2^53 - 1, not ${String(value)}`);
}

function evenValues(first: number, last: number, step: number): Values {
  refuseLong(Math.floor((last - first) / step) + 1);
  return steppedValues(first, step > 0, last, (value) => value + step);
}

function calendarValues(first: number, last: number, step: number, months: number, type: SqlType): Values {
  const daySize = type.type === 'date' ? 1 : SECONDS_PER_DAY;
  const addMonths = addUnits('month');
  const length = months * MONTH_DAYS * daySize + step;
  if (length === 0) throw cancelled();
  refuseLong(Math.floor((last - first) / length));
  return steppedValues(first, length > 0, last, (value) => {
    const moved = addMonths(months, (value / daySize) * SECONDS_PER_DAY);
    return (moved / SECONDS_PER_DAY) * daySize + step;
  });
}

const cancelled = (): QuarryError =>
  new QuarryError(6000, 'the months and days of the step of generate_series cancel out');

/** `next` throws for a date outside the calendar; the series then ends, because its last value is inside. */
function steppedValues(
  first: number,
  ascends: boolean,
  last: number,
  next: (value: number) => number,
): Values {
  let value = first;
  const isInside = (): boolean => (ascends ? value <= last : value >= last);
  const advance = (): void => {
    const before = value;
    try {
      value = next(before);
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      value = ascends ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    }
    if (ascends ? value <= before : value >= before) throw cancelled();
  };
  return {
    fill(out, from) {
      let at = from;
      while (at < out.length && isInside()) {
        out[at++] = value;
        advance();
      }
      return at;
    },
  };
}

function refuseLong(count: number): void {
  if (count <= VALUES_MAX) return;
  throw new QuarryError(6000, `generate_series returns at most ${VALUES_MAX} values per row, not ${count}`);
}

class SeriesBatch implements RelationBatch {
  readonly count: number;
  readonly #source: RelationBatch;
  readonly #column: number;
  readonly #values: Float64Array;

  constructor(source: RelationBatch, rows: Uint32Array, count: number, column: number, values: Float64Array) {
    this.count = count;
    this.#source = new PickedBatch(source, rows, count);
    this.#column = column;
    this.#values = values;
  }

  input(column: number): Vector {
    if (column !== this.#column) return this.#source.input(column);
    return { kind: 'exact', count: this.count, valid: null, numbers: this.#values, wide: null };
  }
}
