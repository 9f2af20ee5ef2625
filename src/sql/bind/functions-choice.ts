/** Functions that return one of their arguments. */

import type { Expression } from '../../ir/index.js';
import { BOOLEAN } from '../../ir/index.js';
import { chosen, firstPresent, nullIf } from './choice.js';
import type { SqlFunction } from './function.js';

const isNullOf = (of: Expression, negated: boolean): Expression => {
  return { op: 'is-null', type: BOOLEAN, of, negated };
};

export const CHOICE_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['coalesce', 'ifnull', 'nvl'],
    takes: ['value'],
    rest: 'value',
    make: (args, { place }) => firstPresent(args, place),
  },
  {
    // ISNULL(x) is a test, as in MySQL; ISNULL(x, y) returns the first present value, as in T-SQL.
    names: ['isnull'],
    takes: ['value'],
    optional: ['value'],
    make: (args, { place }) => (args.length === 1 ? isNullOf(args[0], false) : firstPresent(args, place)),
  },
  {
    names: ['nvl2'],
    takes: ['value', 'value', 'value'],
    make: ([of, present, missing], { place }) => chosen([isNullOf(of, true)], [present, missing], place),
  },
  {
    names: ['nullif'],
    takes: ['value', 'value'],
    make: ([of, equals], { place, scope }) => nullIf(of, equals, place, scope),
  },
  {
    names: ['if', 'iif'],
    takes: ['condition', 'value', 'value'],
    make: ([when, then, otherwise], { place }) => chosen([when], [then, otherwise], place),
  },
];
