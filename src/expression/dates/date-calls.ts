/** Date functions on vectors. Dates are days and datetimes seconds; both are always safe integers. */
import type { DateUnit, ScalarFunction } from '../../ir/index.js';
import type { ExactVector, SqlType, Vector } from '../../vector/index.js';
import { castVector } from '../cast/cast.js';
import { expressionError } from '../error.js';
import { allValid } from '../functions/read-rows.js';
import { bigintAt, exactOf, numbersOf } from '../kinds.js';
import { isValid } from '../validity.js';
import {
  addUnits,
  datePart,
  dayPart,
  isLength,
  isOfDay,
  makeDate,
  startDay,
  startInstant,
  unitsBetween,
  wholeUnitsBetween,
} from './calendar.js';

const DATETIME: SqlType = { type: 'datetime' };

type Apply = (args: readonly Vector[]) => Vector;

/** `types` are the argument types, `to` the result type. Throws 6000 for a unit that the function does not support. */
export function dateFunction(
  name: ScalarFunction,
  unit: DateUnit | null,
  types: readonly SqlType[],
  to: SqlType,
): Apply | null {
  if (name === 'make-date') return makeDates;
  const known = unit ?? 'day';
  switch (name) {
    case 'date-part':
      return ([vector]) => parts(known, vector, types[0]);
    case 'date-truncate':
      requireLength(known);
      return ([vector]) => castVector(truncated(known, vector, types[0]), types[0], to);
    case 'date-add':
      requireLength(known);
      return ([amount, vector]) => added(known, amount, vector, types[1], to);
    case 'date-diff':
      requireLength(known);
      return ([from, until]) => between(unitsBetween(known), from, until, types);
    case 'whole-units':
      requireLength(known);
      return ([from, until]) => between(wholeUnitsBetween(known), from, until, types);
    default:
      return null;
  }
}

function requireLength(unit: DateUnit): void {
  if (!isLength(unit)) throw expressionError(`${unit} is a part of a date, not a length of time`);
}

function parts(unit: DateUnit, vector: Vector, type: SqlType): ExactVector {
  if (type.type !== 'date') return mapped(vector, datePart(unit));
  return mapped(vector, isOfDay(unit) ? () => 0 : dayPart(unit));
}

const truncated = (unit: DateUnit, vector: Vector, type: SqlType): ExactVector =>
  mapped(vector, type.type === 'date' ? startDay(unit) : startInstant(unit));

function added(unit: DateUnit, amount: Vector, vector: Vector, type: SqlType, to: SqlType): Vector {
  const instants = numbersOf(castVector(vector, type, DATETIME));
  const amounts = exactOf(amount);
  const valid = allValid([amount, vector], vector.count);
  const add = addUnits(unit);
  const results = new Float64Array(vector.count);
  for (let row = 0; row < vector.count; row++) {
    if (!isValid(valid, row)) continue;
    results[row] = add(
      amounts.numbers === null ? Number(bigintAt(amounts, row)) : amounts.numbers[row],
      instants[row],
    );
  }
  const { count } = vector;
  return castVector({ kind: 'exact', count, valid, numbers: results, wide: null }, DATETIME, to);
}

function between(
  distance: (from: number, until: number) => number,
  from: Vector,
  until: Vector,
  types: readonly SqlType[],
): ExactVector {
  const starts = numbersOf(castVector(from, types[0], DATETIME));
  const ends = numbersOf(castVector(until, types[1], DATETIME));
  const count = from.count;
  const numbers = new Float64Array(count);
  const valid = allValid([from, until], count);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) numbers[row] = distance(starts[row], ends[row]);
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}

function makeDates(args: readonly Vector[]): ExactVector {
  const { count } = args[0];
  const valid = allValid(args, count);
  const [years, months, days] = args.map((vector) => {
    const { numbers, wide } = exactOf(vector);
    return numbers ?? Float64Array.from(wide ?? [], Number);
  });
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) numbers[row] = makeDate(years[row], months[row], days[row]);
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}

/** Maps the rows that have a value. Missing rows are skipped, because their contents may not be a valid date. */
function mapped(vector: Vector, of: (value: number) => number): ExactVector {
  const { count, valid } = vector;
  const values = numbersOf(vector);
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) if (isValid(valid, row)) numbers[row] = of(values[row]) + 0;
  return { kind: 'exact', count, valid, numbers, wide: null };
}
