/**
 * Query lists: parsing and binding to `ir` conditions against one dimension and the request's time.
 * Grammar  list = ["not"] operand { ("and" | "or") operand };  operand = condition | freqgroup | list.
 * Precedence: not > and > or; `not` may only head a list and binds to the operand behind it.
 * Invariants: a bound condition names only active columns; its depth is bounded by NESTING_MAX.
 */
import {
  COLUMNS_PER_QUERY_MAX,
  CONDITIONS_PER_QUERY_MAX,
  NESTING_MAX,
  QuarryError,
  quoted,
} from '../base/index.js';
import type { Condition, EventTest } from '../ir/index.js';
import { type Column, type Dimension, isEventType } from '../schema/index.js';
import { bindColumn, bindEvents, type ColumnCondition, readMinfreq } from './column-condition.js';
import { refuseUnknown } from './fields.js';
import { isList, isObject, type Json, type JsonObject, kindOf } from './json.js';

/** Called for every column that a condition names; throws to refuse it. */
export type ColumnCheck = (dimension: Dimension, column: Column) => void;

interface Scope {
  readonly dimension: Dimension;
  readonly nowMs: number;
  readonly checkColumn: ColumnCheck;
  /** Distinct columns met so far. */
  readonly columns: Set<string>;
  /** Conditions met so far. */
  conditionCount: number;
}

/**
 * Binds a query list. `place` names it in messages. Throws 4003 to 4053, 4026 when it is no list, and whatever
 * `checkColumn` throws for a column that is there and active.
 */
export function bindQuery(
  query: Json,
  dimension: Dimension,
  nowMs: number,
  checkColumn: ColumnCheck = () => {},
  place = 'query',
): Condition {
  const scope = { dimension, nowMs, checkColumn, columns: new Set<string>(), conditionCount: 0 };
  return bindList(queryList(query, place), scope, place, 1);
}

/** The query as a list, whatever it holds. Throws 4026. */
export function queryList(query: Json, place = 'query'): readonly Json[] {
  if (isList(query)) return query;
  throw new QuarryError(4026, `${place} must be a list, not ${kindOf(query)}`);
}

function bindList(list: readonly Json[], scope: Scope, place: string, depth: number): Condition {
  if (list.length === 0) throw new QuarryError(4014, `${place} has no column`);
  if (depth > NESTING_MAX)
    throw new QuarryError(4049, `${place.slice(0, 80)}… is nested deeper than ${NESTING_MAX}`);
  const negated = list[0] === 'not';
  const alternatives: Condition[][] = [[]];
  let operandNext = true;
  for (let index = negated ? 1 : 0; index < list.length; index++) {
    const element = list[index];
    const here = `${place}[${index}]`;
    if (operandNext) {
      const operand = bindOperand(element, scope, here, depth);
      const first = negated && index === 1;
      alternatives[alternatives.length - 1].push(first ? { op: 'not', member: operand } : operand);
    } else if (element === 'or') alternatives.push([]);
    else if (element !== 'and')
      throw new QuarryError(4007, `${here} must be "and" or "or", not ${shown(element)}`);
    operandNext = !operandNext;
  }
  if (operandNext) throw new QuarryError(4007, `${place} ends with an operator`);
  return joined(
    'or',
    alternatives.map((members) => joined('and', members)),
  );
}

function joined(op: 'and' | 'or', members: readonly Condition[]): Condition {
  return members.length === 1 ? members[0] : { op, members };
}

function bindOperand(element: Json, scope: Scope, place: string, depth: number): Condition {
  if (isList(element)) return bindList(element, scope, place, depth + 1);
  if (typeof element === 'string') {
    throw new QuarryError(4007, `${place} must be a condition, not the operator ${quoted(element)}`);
  }
  if (!isObject(element))
    throw new QuarryError(4004, `${place} must be a condition object, not ${kindOf(element)}`);
  const group = element.get('freqgroup');
  if (group !== undefined && !isObject(group)) return bindFreqgroup(element, group, scope, place);
  return bindColumn(columnCondition(element, scope, place), scope.nowMs);
}

/** The one column of a condition object, with its parameters. */
function columnCondition(object: JsonObject, scope: Scope, place: string): ColumnCondition {
  if (++scope.conditionCount > CONDITIONS_PER_QUERY_MAX) {
    throw new QuarryError(
      4048,
      `${place} is more than the ${CONDITIONS_PER_QUERY_MAX} conditions of a query`,
    );
  }
  const names = [...object.keys()];
  if (names.length === 0) throw new QuarryError(4014, `${place} has no column`);
  if (names.length > 1) {
    throw new QuarryError(
      4007,
      `${place} holds ${quoted(names[0])} and ${quoted(names[1])} without an operator`,
    );
  }
  const column = scope.dimension.columns.get(names[0]);
  if (column === undefined || !column.active) {
    throw new QuarryError(4008, `${place}: column ${quoted(names[0])} is inactive or does not exist`);
  }
  scope.checkColumn(scope.dimension, column);
  scope.columns.add(column.apiName);
  if (scope.columns.size > COLUMNS_PER_QUERY_MAX) {
    throw new QuarryError(4013, `${place}: more than ${COLUMNS_PER_QUERY_MAX} columns in the query`);
  }
  const parameters = object.get(names[0]);
  if (!isObject(parameters) || parameters.size === 0) {
    throw new QuarryError(4009, `${place}: column ${quoted(column.apiName)} has no parameter`);
  }
  return { column, parameters, place: `${place}.${column.apiName}` };
}

function bindFreqgroup(object: JsonObject, group: Json, scope: Scope, place: string): Condition {
  refuseUnknown(object, ['minfreq', 'freqgroup'], 4049, place);
  const minfreq = readMinfreq(object.get('minfreq'), `${place}.minfreq`);
  if (!isList(group)) throw new QuarryError(4049, `${place}.freqgroup must be a list, not ${kindOf(group)}`);
  if (group.length === 0) throw new QuarryError(4014, `${place}.freqgroup has no column`);
  const events = group.map((member, index) => bindMember(member, scope, `${place}.freqgroup[${index}]`));
  return { op: 'freqgroup', events, minfreq };
}

function bindMember(member: Json, scope: Scope, place: string): EventTest {
  if (typeof member === 'string') {
    throw new QuarryError(4007, `${place} must be a condition, not the operator ${quoted(member)}`);
  }
  if (!isObject(member))
    throw new QuarryError(4004, `${place} must be a condition object, not ${kindOf(member)}`);
  const condition = columnCondition(member, scope, place);
  if (!isEventType(condition.column.type)) {
    throw new QuarryError(4039, `${condition.place}: a freqgroup takes event columns only`);
  }
  if (condition.parameters.has('minfreq')) {
    throw new QuarryError(4049, `${condition.place}.minfreq must stand beside "freqgroup", not inside it`);
  }
  return bindEvents(condition, scope.nowMs);
}

function shown(element: Json): string {
  return typeof element === 'string' ? quoted(element) : kindOf(element);
}
