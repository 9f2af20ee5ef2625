/** Number functions. Integers stay integers; roots, powers and logarithms are floats. */
import { type Constant, FLOAT, INTEGER, type ScalarFunction } from '../../../ir/index.js';
import { calculated } from '../expressions/arithmetic.js';
import { callOf, castOf, constantOf, integerOf } from '../expressions/build.js';
import { unify } from '../expressions/coerce.js';
import { comparable } from '../expressions/text-case.js';
import { isExactNumber, scaleOf } from '../expressions/types.js';
import type { SqlFunction } from './function.js';

type Make = SqlFunction['make'];

/** The result has the type of the operand. */
const keeping =
  (name: ScalarFunction): Make =>
  ([of]) =>
    callOf(name, of.type, [of]);

const floating =
  (name: ScalarFunction): Make =>
  (args) =>
    callOf(name, FLOAT, args);

/** FLOOR and CEILING: exact numbers yield integers. */
const whole =
  (name: 'floor' | 'ceiling'): Make =>
  ([of]) =>
    of.type.type === 'integer' ? of : callOf(name, isExactNumber(of.type) ? INTEGER : FLOAT, [of]);

/** ROUND(x[, digits]) and TRUNC: a decimal keeps `digits` places, and becomes an integer if there are none. */
const rounded =
  (name: 'round' | 'truncate'): Make =>
  ([of, digits = integerOf(0)]) => {
    const places = Number((digits as Constant).value);
    const call = callOf(name, of.type, [of, digits]);
    if (!isExactNumber(of.type)) return call;
    const scale = scaleOf(of.type);
    if (of.type.type === 'integer') return places >= 0 ? of : call;
    if (places >= scale && scale > 0) return of;
    return castOf(call, places > 0 ? { type: 'decimal', scale: places } : INTEGER);
  };

/** GREATEST and LEAST; texts are compared without case, and the result is in lower case. */
const extreme =
  (name: 'greatest' | 'least'): Make =>
  (args, { position, scope }) => {
    const { type, members } = unify(args, position);
    return members.length === 1
      ? members[0]
      : callOf(
          name,
          type,
          members.map((member) => comparable(member, scope)),
        );
  };

export const NUMBER_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['abs'], parameters: ['number'], make: keeping('abs') },
  { names: ['sign'], parameters: ['number'], make: ([of]) => callOf('sign', INTEGER, [of]) },
  { names: ['floor'], parameters: ['number'], make: whole('floor') },
  { names: ['ceiling', 'ceil'], parameters: ['number'], make: whole('ceiling') },
  { names: ['round'], parameters: ['number'], optional: ['digits'], make: rounded('round') },
  { names: ['trunc', 'truncate'], parameters: ['number'], optional: ['digits'], make: rounded('truncate') },
  {
    names: ['mod'],
    parameters: ['number', 'number'],
    make: ([left, right], { position }) => calculated('%', left, right, position),
  },
  { names: ['sqrt'], parameters: ['float'], make: floating('sqrt') },
  { names: ['power', 'pow'], parameters: ['float', 'float'], make: floating('power') },
  { names: ['exp'], parameters: ['float'], make: floating('exp') },
  { names: ['ln'], parameters: ['float'], make: floating('ln') },
  // LOG has base 10, as in DuckDB and Postgres.
  { names: ['log10', 'log'], parameters: ['float'], make: floating('log10') },
  { names: ['pi'], parameters: [], make: () => constantOf(FLOAT, Math.PI) },
  { names: ['greatest'], parameters: ['value'], rest: 'value', make: extreme('greatest') },
  { names: ['least'], parameters: ['value'], rest: 'value', make: extreme('least') },
];
