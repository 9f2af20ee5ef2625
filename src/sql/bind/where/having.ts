/**
 * The parts of HAVING that are not conditions on groups: conditions on events, which are treated as part of WHERE, and, if all
 * rows are one group, COUNT of events, which is evaluated per entity.
 */
import { MINFREQ_MAX } from '../../../base/index.js';
import { type Condition, type EventTest, FLIPPED, numberBound } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { ComparisonOperator, SqlNode } from '../../tree.js';
import { bare, membersOf } from '../nodes.js';
import { columnRefAt, isOfEvents, type LeafScope, leafOf } from './leaf.js';
import { operandOf } from './operand.js';
import { ALWAYS, joinConditions } from './predicate.js';

export interface HavingParts {
  readonly events: readonly SqlNode[];
  readonly groups: readonly SqlNode[];
}

/** Splits the members of HAVING by kind. */
export function splitHaving(having: SqlNode | null, scope: LeafScope): HavingParts {
  if (having === null) return { events: [], groups: [] };
  const root = bare(having);
  const members = root.is === 'and' ? membersOf(root, 'and') : [root];
  const events = members.filter((member) => isOfEventsOnly(member, scope));
  return { events, groups: members.filter((member) => !events.includes(member)) };
}

/** Whether all parts are conditions on events. */
function isOfEventsOnly(node: SqlNode, scope: LeafScope): boolean {
  const left = [node];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (part.is === 'and' || part.is === 'or') left.push(part.left, part.right);
    else if (part.is === 'not') left.push(part.of);
    else {
      const leaf = leafOf(part, scope);
      if (leaf === null || !isOfEvents(leaf)) return false;
    }
  }
  return true;
}

/** Binds a condition on a count of events per entity; null if the node is not such a condition. Throws 6000. */
export function countCondition(
  node: SqlNode,
  scope: LeafScope,
  eventsOf: (columnId: number) => EventTest,
): Condition | null {
  const each = (member: SqlNode): Condition | null => countCondition(member, scope, eventsOf);
  switch (node.is) {
    case 'and':
    case 'or': {
      const members = membersOf(bare(node), node.is).map(each);
      return members.every((member) => member !== null) ? joinConditions(node.is, members) : null;
    }
    case 'not': {
      const member = each(node.of);
      return member === null ? null : { op: 'not', member };
    }
    case 'between': {
      const event = countedEvents(node.of, scope, eventsOf);
      if (event === null) return null;
      const low = compared(event, '>=', node.low, scope);
      const high = compared(event, '<=', node.high, scope);
      if (low === null || high === null) return null;
      const both = joinConditions('and', [low, high]);
      return node.negated ? { op: 'not', member: both } : both;
    }
    case 'compare': {
      const left = countedEvents(node.left, scope, eventsOf);
      if (left !== null) return compared(left, node.comparison, node.right, scope);
      const right = countedEvents(node.right, scope, eventsOf);
      return right === null ? null : compared(right, FLIPPED[node.comparison], node.left, scope);
    }
    default:
      return null;
  }
}

/** The events that COUNT([c.value]) counts. */
function countedEvents(
  node: SqlNode,
  scope: LeafScope,
  eventsOf: (columnId: number) => EventTest,
): EventTest | null {
  if (node.is !== 'call' || node.name !== 'count' || node.distinct || node.args.length !== 1) return null;
  const ref = columnRefAt(node.args[0], scope);
  return ref === null || ref.part === 'attribute' ? null : eventsOf(ref.column.id);
}

function compared(
  event: EventTest,
  comparison: ComparisonOperator,
  constant: SqlNode,
  { sources, nowMs }: LeafScope,
): Condition | null {
  const operand = operandOf(constant, sources, nowMs);
  const bound = operand?.is === 'number' || operand?.is === 'text' ? numberBound(operand.text, 0) : null;
  if (bound === null) return null;
  const least = (count: bigint): Condition => {
    if (count <= 0n) return ALWAYS;
    if (count <= BigInt(MINFREQ_MAX)) return { op: 'freqgroup', events: [event], minfreq: Number(count) };
    throw sqlError(`counts of events are compared with at most ${MINFREQ_MAX} here`, constant.position);
  };
  const not = (member: Condition): Condition => ({ op: 'not', member });
  const exactly = (): Condition =>
    bound.floor === bound.ceil
      ? joinConditions('and', [least(bound.floor), not(least(bound.floor + 1n))])
      : not(ALWAYS);
  switch (comparison) {
    case '>':
      return least(bound.floor + 1n);
    case '>=':
      return least(bound.ceil);
    case '<':
      return not(least(bound.ceil));
    case '<=':
      return not(least(bound.floor + 1n));
    case '=':
      return exactly();
    case '<>':
      return not(exactly());
  }
}
