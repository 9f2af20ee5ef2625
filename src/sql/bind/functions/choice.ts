/** Functions that return one of their arguments. */

import type { Expression } from '../../../ir/index.js';
import { BOOLEAN, INTEGER } from '../../../ir/index.js';
import { calculated } from '../expressions/arithmetic.js';
import { caseOf, integerOf } from '../expressions/build.js';
import { boundChoice, boundNullIf, firstPresent } from '../expressions/choice.js';
import type { SqlFunction } from './function.js';

const isNullOf = (of: Expression, negated: boolean): Expression => {
  return { op: 'is-null', type: BOOLEAN, of, negated };
};

/** NUM_NULLS and NUM_NONNULLS: how many of the arguments are missing, or present. */
const counting =
  (presents: boolean): SqlFunction['make'] =>
  (args, { position }) =>
    args
      .map((of) => caseOf(INTEGER, [[isNullOf(of, presents), integerOf(1)]], integerOf(0)))
      .reduce<Expression>((sum, one) => calculated('+', sum, one, position), integerOf(0));

export const CHOICE_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['coalesce', 'ifnull', 'nvl'],
    parameters: ['value'],
    rest: 'value',
    make: (args, { position }) => firstPresent(args, position),
  },
  {
    // ISNULL(x) is a test, as in MySQL; ISNULL(x, y) returns the first present value, as in T-SQL.
    names: ['isnull'],
    parameters: ['value'],
    optional: ['value'],
    make: (args, { position }) =>
      args.length === 1 ? isNullOf(args[0], false) : firstPresent(args, position),
  },
  {
    names: ['nvl2'],
    parameters: ['value', 'value', 'value'],
    make: ([of, present, missing], { position }) =>
      boundChoice([isNullOf(of, true)], [present, missing], position),
  },
  {
    names: ['nullif'],
    parameters: ['value', 'value'],
    make: ([of, equals], { position, scope }) => boundNullIf(of, equals, position, scope),
  },
  { names: ['num_nulls'], parameters: ['value'], rest: 'value', make: counting(false) },
  { names: ['num_nonnulls'], parameters: ['value'], rest: 'value', make: counting(true) },
  {
    names: ['if', 'iif'],
    parameters: ['condition', 'value', 'value'],
    make: ([when, then, otherwise], { position }) => boundChoice([when], [then, otherwise], position),
  },
];
