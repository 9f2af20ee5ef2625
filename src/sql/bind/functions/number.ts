/** Number functions. Integers stay integers; roots, powers and logarithms are floats. */

import {
  type Constant,
  type Expression,
  FLOAT,
  INTEGER,
  type ScalarFunction,
  TEXT,
} from '../../../ir/index.js';
import { type SqlType, scaleOf } from '../../../vector/index.js';
import { calculated, divided } from '../expressions/arithmetic.js';
import { callOf, castOf, compareOf, constantOf, integerOf, junctionOf } from '../expressions/build.js';
import { unify } from '../expressions/coerce.js';
import { comparableTogether } from '../expressions/text-case.js';
import { isExactNumber } from '../expressions/types.js';
import type { CallSite, SqlFunction } from './function.js';

type Make = SqlFunction['make'];

/** The result has the type of the operand. */
const keeping =
  (name: ScalarFunction): Make =>
  ([of]) =>
    callOf(name, of.type, [of]);

/** In PostgreSQL's dialect, an argument without a result is an error. */
const floating =
  (name: ScalarFunction): Make =>
  (args, { ofPostgres }) => {
    const domain = ofPostgres ? DOMAINS[name] : undefined;
    const call = callOf(name, FLOAT, args);
    if (domain === undefined) return call;
    const [message, ...bounds] = domain;
    const inside = bounds.map(([operator, bound]) => compareOf(operator, args[0], constantOf(FLOAT, bound)));
    return callOf('checked', FLOAT, [call, junctionOf('and', inside), constantOf(TEXT, message)]);
  };

type Domain = readonly [
  message: string,
  ...bounds: (readonly [operator: '>' | '>=' | '<=', bound: number])[],
];

const LOGARITHM: Domain = ['cannot take logarithm of zero or a negative number', ['>', 0]];
const OUTSIDE = 'input is out of range';
const OVERFLOW = 'value out of range: overflow';
const EXPONENT_MAX = Math.log(Number.MAX_VALUE);

/** Arguments for which PostgreSQL's functions have results. */
const DOMAINS: Partial<Readonly<Record<ScalarFunction, Domain>>> = {
  sqrt: ['cannot take square root of a negative number', ['>=', 0]],
  ln: LOGARITHM,
  log2: LOGARITHM,
  log10: LOGARITHM,
  asin: [OUTSIDE, ['>=', -1], ['<=', 1]],
  acos: [OUTSIDE, ['>=', -1], ['<=', 1]],
  acosh: [OUTSIDE, ['>=', 1]],
  atanh: [OUTSIDE, ['>=', -1], ['<=', 1]],
  exp: [OVERFLOW, ['<=', EXPONENT_MAX]],
  sinh: [OVERFLOW, ['>=', -EXPONENT_MAX], ['<=', EXPONENT_MAX]],
  cosh: [OVERFLOW, ['>=', -EXPONENT_MAX], ['<=', EXPONENT_MAX]],
};

/** An integer; in PostgreSQL's dialect, a decimal without places, whose quotients are decimals. */
const wholeType = ({ type }: Expression, { ofPostgres }: CallSite): SqlType =>
  ofPostgres && type.type === 'decimal' ? { type: 'decimal', scale: 0 } : INTEGER;

/** FLOOR and CEILING: exact numbers yield integers. */
const whole =
  (name: 'floor' | 'ceiling'): Make =>
  ([of], site) =>
    of.type.type === 'integer'
      ? of
      : callOf(name, isExactNumber(of.type) ? wholeType(of, site) : FLOAT, [of]);

/**
 * ROUND(x[, digits]) and TRUNC: a decimal keeps `digits` places, and becomes an integer if there are none. In PostgreSQL's dialect,
 * numbers with `digits` have as many places, and floats are rounded half to even.
 */
const rounded =
  (name: 'round' | 'truncate'): Make =>
  (args, site) => {
    const [of, digits = integerOf(0)] = args;
    const places = Number((digits as Constant).value);
    if (site.ofPostgres && isExactNumber(of.type) && (of.type.type === 'decimal' || places > 0)) {
      const type: SqlType = { type: 'decimal', scale: Math.max(0, places) };
      return castOf(places < scaleOf(of.type) ? callOf(name, of.type, [of, digits]) : of, type);
    }
    if (site.ofPostgres && name === 'round' && args.length === 1 && of.type.type === 'float') {
      return callOf('round-even', FLOAT, [of]);
    }
    const call = callOf(name, of.type, [of, digits]);
    if (!isExactNumber(of.type)) return call;
    const scale = scaleOf(of.type);
    if (of.type.type === 'integer') return places >= 0 ? of : call;
    if (places >= scale && scale > 0) return of;
    return castOf(call, places > 0 ? { type: 'decimal', scale: places } : INTEGER);
  };

/** DIV(y, x): the quotient without its fraction. */
const quotient: Make = (args, site) => {
  const { type, members } = unify(args, site.position);
  const [left, right] = members;
  const result = isExactNumber(type) ? wholeType({ ...left, type }, site) : FLOAT;
  if (!site.ofPostgres) return callOf('divide-whole', result, members);
  // x % x is 0, or refuses a divisor of 0.
  const checked = calculated('+', left, callOf('modulo', type, [right, right]), site.position);
  return callOf('divide-whole', result, [checked, right]);
};

const wholeOf =
  (name: ScalarFunction): Make =>
  (args) =>
    callOf(name, INTEGER, args);

/** LOG(x) has base 10, LOG(base, x) another one, as in DuckDB and Postgres. */
const logarithm: Make = ([first, value], site) => {
  if (value === undefined) return floating('log10')([first], site);
  const [base, of] = site.ofPostgres ? [first, value].map((each) => positive(each)) : [first, value];
  return callOf('log-base', FLOAT, [base, of]);
};

const positive = (of: Expression): Expression =>
  callOf('checked', FLOAT, [of, compareOf('>', of, constantOf(FLOAT, 0)), constantOf(TEXT, LOGARITHM[0])]);

const bucket: Make = ([of, low, high, count], { position }) =>
  callOf('width-bucket', INTEGER, [...unify([of, low, high], position).members, count]);

/** Functions of one float that have the name of the scalar function. */
const FLOATS = [
  ...(['sqrt', 'cbrt', 'exp', 'ln', 'log2', 'log10', 'degrees', 'radians'] as const),
  ...(['sin', 'cos', 'tan', 'cot', 'asin', 'acos', 'atan'] as const),
  ...(['sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const),
] as const;

/** Operators on bits, by the names of their functions. */
const BITS: readonly (readonly [readonly string[], ScalarFunction])[] = [
  [['bitand'], 'bit-and'],
  [['bitor'], 'bit-or'],
  [['bitxor', 'xor'], 'bit-xor'],
  [['bitshiftleft'], 'shift-left'],
  [['bitshiftright'], 'shift-right'],
];

/** GREATEST and LEAST; texts are compared without case, and the result is in lower case. */
const extreme =
  (name: 'greatest' | 'least'): Make =>
  (args, { position, scope }) => {
    const { type, members } = unify(args, position);
    return members.length === 1 ? members[0] : callOf(name, type, comparableTogether(members, scope));
  };

export const NUMBER_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['abs'], parameters: ['number'], make: keeping('abs') },
  {
    names: ['sign'],
    parameters: ['number'],
    make: ([of], site) => callOf('sign', wholeType(of, site), [of]),
  },
  { names: ['floor'], parameters: ['number'], make: whole('floor') },
  { names: ['ceiling', 'ceil'], parameters: ['number'], make: whole('ceiling') },
  { names: ['round'], parameters: ['number'], optional: ['digits'], make: rounded('round') },
  { names: ['trunc', 'truncate'], parameters: ['number'], optional: ['digits'], make: rounded('truncate') },
  {
    names: ['mod'],
    parameters: ['number', 'number'],
    make: ([left, right], { position, ofPostgres }) =>
      ofPostgres ? divided('modulo', left, right, position) : calculated('%', left, right, position),
  },
  { names: ['div'], parameters: ['number', 'number'], make: quotient },
  ...(['gcd', 'lcm'] as const).map((name): SqlFunction => {
    return { names: [name], parameters: ['integer', 'integer'], make: wholeOf(name) };
  }),
  { names: ['factorial'], parameters: ['integer'], make: wholeOf('factorial') },
  ...BITS.map(([names, name]): SqlFunction => {
    return { names, parameters: ['integer', 'integer'], make: wholeOf(name) };
  }),
  { names: ['bitnot'], parameters: ['integer'], make: wholeOf('bit-not') },
  { names: ['width_bucket'], parameters: ['number', 'number', 'number', 'integer'], make: bucket },
  ...FLOATS.map((name): SqlFunction => ({ names: [name], parameters: ['float'], make: floating(name) })),
  { names: ['power', 'pow'], parameters: ['float', 'float'], make: floating('power') },
  { names: ['atan2'], parameters: ['float', 'float'], make: floating('atan2') },
  { names: ['log'], parameters: ['float'], optional: ['float'], make: logarithm },
  { names: ['pi'], parameters: [], make: () => constantOf(FLOAT, Math.PI) },
  { names: ['greatest'], parameters: ['value'], rest: 'value', make: extreme('greatest') },
  { names: ['least'], parameters: ['value'], rest: 'value', make: extreme('least') },
];
