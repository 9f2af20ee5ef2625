/** Binds INTERVAL([column.value]) = 'days', which groups events by time bucket. */
import { quoted } from '../../../base/index.js';
import type { DateUnit, Expression } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SqlNode } from '../../tree.js';
import type { NodeOf } from '../scope.js';
import { callOf } from './build.js';
import { isDate } from './types.js';

const UNITS: ReadonlyMap<string, DateUnit> = new Map([
  ['seconds', 'second'],
  ['minutes', 'minute'],
  ['hours', 'hour'],
  ['days', 'day'],
  ['weeks', 'week'],
  ['months', 'month'],
]);

export interface IntervalNode {
  readonly call: NodeOf<'call'>;
  readonly unit: DateUnit;
}

const isInterval = (node: SqlNode): node is NodeOf<'call'> => node.is === 'call' && node.name === 'interval';

/** Reads an INTERVAL comparison; null for another node. Throws 6000 for an unknown length. */
export function intervalOf(node: SqlNode): IntervalNode | null {
  if (node.is !== 'compare' || node.comparison !== '=') return null;
  const call = isInterval(node.left) ? node.left : isInterval(node.right) ? node.right : null;
  if (call === null) return null;
  const length = call === node.left ? node.right : node.left;
  const unit = length.is === 'string' ? UNITS.get(lowerCase(length.text)) : undefined;
  if (unit !== undefined) return { call, unit };
  const found = length.is === 'string' ? `, not ${quoted(length.text)}` : '';
  throw sqlError(
    `the length of an INTERVAL is one of ${[...UNITS.keys()].join(', ')}${found}`,
    length.position,
  );
}

/** The column argument of INTERVAL. Throws 6000 for other arguments. */
export function intervalArgument({ args, position }: NodeOf<'call'>): NodeOf<'column'> {
  const [argument] = args;
  if (args.length === 1 && argument.is === 'column') return argument;
  throw sqlError('INTERVAL takes an event column or a column of dates', position);
}

/** The start of the bucket that contains `date`. Throws 6000 if `date` is not a date. */
export function bucketOf(date: Expression, { call, unit }: IntervalNode): Expression {
  if (!isDate(date.type))
    throw sqlError('INTERVAL takes an event column or a column of dates', call.position);
  const isOfDays = unit === 'second' || unit === 'minute' || unit === 'hour' || unit === 'day';
  return date.type.type === 'date' && isOfDays ? date : callOf('date-truncate', date.type, [date], unit);
}
