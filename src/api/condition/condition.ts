/**
 * Parses query lists and binds them to `ir` conditions against one dimension and the request's time. All endpoints read
 * the elements of a list in the same way; query-tree.ts combines them by the list's operators.
 * Grammar  list = ["not"] operand { ("and" | "or") operand };  operand = condition | freqgroup | list.
 * Precedence: not > and > or; `not` is allowed only at the beginning of a list and applies to the operand after it.
 * Invariants: a bound condition names only active columns; its depth is at most NESTING_MAX.
 */
import {
  type BindingTime,
  COLUMNS_PER_QUERY_MAX,
  CONDITIONS_PER_QUERY_MAX,
  NESTING_MAX,
  QuarryError,
  quoted,
} from '../../base/index.js';
import { frequency, OPERATORS } from '../../interface/index.js';
import type { Condition, EventTest } from '../../ir/index.js';
import { type Column, type Dimension, isEventType } from '../../schema/index.js';
import { bindBehaviourCondition, isBehaviourCondition } from '../behaviour/conditions.js';
import { isList, isObject, type Json, type JsonObject, kindOf } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ColumnCheck } from './column-check.js';
import { bindColumn, bindEvents, type ColumnCondition } from './column-condition.js';
import { bindNear, hasNear, type NearRules } from './near.js';
import { conditionOf, listOperand, type Operand, type OperandContent, type QueryTree } from './query-tree.js';
import {
  bindSegment,
  checkSegmentName,
  type Nesting,
  NOT_NESTED,
  nestedDeeper,
  segmentNameIn,
} from './segment-condition.js';

interface Scope {
  readonly dimension: Dimension;
  readonly nowMs: BindingTime;
  readonly checkColumn: ColumnCheck;
  /** Error code of two conditions without an operator between them. */
  readonly unjoined: 4007 | 4020;
  /** null = `geo_near` is refused. */
  readonly near: NearRules | null;
  /** Distinct columns read so far. */
  readonly columns: Set<string>;
  /** Number of conditions read so far. */
  conditionCount: number;
  /** The conditions on behaviour and the segments around the list. */
  readonly nesting: Nesting;
}

export interface ConditionOptions {
  readonly checkColumn?: ColumnCheck;
  /** Path of the query in messages. */
  readonly path?: string;
  /** Error code of two conditions without an operator between them. */
  readonly unjoined?: 4007 | 4020;
}

/**
 * Binds a query list. Throws 4003 to 4053, 4026 if the query is not a list, and the errors of `checkColumn` for existing,
 * active columns.
 */
export function bindQuery(
  query: Json,
  dimension: Dimension,
  nowMs: BindingTime,
  { checkColumn = () => {}, path = 'query', unjoined = 4007 }: ConditionOptions = {},
): Condition {
  const scope = scopeOf(dimension, nowMs, checkColumn, unjoined);
  return conditionOf(readList(queryList(query, path), scope, path, 1));
}

/**
 * Binds the conditions of a query list and keeps its operators as a tree; `near` contains the rules for `geo_near`.
 * Throws the errors of `bindQuery`, and 4028 for the `limit` of a `geo_near`.
 */
export function readQuery(
  query: Json,
  dimension: Dimension,
  nowMs: BindingTime,
  checkColumn: ColumnCheck,
  near: NearRules,
): QueryTree {
  const path = 'query';
  const scope = scopeOf(dimension, nowMs, checkColumn, 4007, near);
  return readList(queryList(query, path), scope, path, 1);
}

function scopeOf(
  dimension: Dimension,
  nowMs: BindingTime,
  checkColumn: ColumnCheck,
  unjoined: Scope['unjoined'],
  near: NearRules | null = null,
): Scope {
  return {
    dimension,
    nowMs,
    checkColumn,
    unjoined,
    near,
    columns: new Set(),
    conditionCount: 0,
    nesting: NOT_NESTED,
  };
}

export interface EventQueryBound {
  readonly column: Column;
  readonly event: EventTest;
}

/**
 * Binds a list of one condition on an event column, which may be nested in further lists of one element. Throws the errors
 * of `bindQuery`, and 4037 for operators, 4038 for frequencies, 4040 for attribute columns.
 */
export function bindEventQuery(
  query: Json,
  dimension: Dimension,
  nowMs: BindingTime,
  checkColumn: ColumnCheck,
  path: string,
): EventQueryBound {
  const scope = scopeOf(dimension, nowMs, checkColumn, 4007);
  return bindOneEvent(queryList(query, path), scope, path, 1);
}

function bindOneEvent(list: readonly Json[], scope: Scope, path: string, depth: number): EventQueryBound {
  if (depth > NESTING_MAX) throw tooDeep(path);
  const operator = list.findIndex(isOperator);
  if (operator !== -1) {
    const where = `${path}[${operator}]`;
    throw new QuarryError(
      4037,
      `${where}: the operator "${list[operator]}" cannot be used with this endpoint`,
    );
  }
  if (list.length === 0) throw new QuarryError(4014, `${path} has no column`);
  if (list.length > 1)
    throw new QuarryError(4007, `${path} has ${list.length} conditions without an operator between them`);
  const [element] = list;
  const here = `${path}[0]`;
  if (isList(element)) return bindOneEvent(element, scope, here, depth + 1);
  const object = conditionObject(element, here);
  if (freqgroupOf(object) !== undefined) {
    throw new QuarryError(4038, `${here}: "freqgroup" cannot be used with this endpoint`);
  }
  const condition = columnCondition(object, scope, here);
  if (!isEventType(condition.column.type)) {
    const { apiName } = condition.column;
    throw new QuarryError(
      4040,
      `${here}: ${quoted(apiName)} is not an event column, and only events are counted`,
    );
  }
  if (condition.parameters.has('minfreq')) {
    throw new QuarryError(4038, `${condition.path}.minfreq cannot be used with this endpoint`);
  }
  return { column: condition.column, event: bindEvents(condition, scope.nowMs) };
}

/** The query as a list with unchecked elements. Throws 4026 if it is not a list. */
export function queryList(query: Json, path = 'query'): readonly Json[] {
  if (isList(query)) return query;
  throw new QuarryError(4026, `${path} must be a list, not ${kindOf(query)}`);
}

function readList(list: readonly Json[], scope: Scope, path: string, depth: number): QueryTree {
  if (list.length === 0) throw new QuarryError(4014, `${path} has no column`);
  if (depth > NESTING_MAX) throw tooDeep(path);
  const negated = list[0] === 'not';
  const alternatives: Operand[][] = [[]];
  let operandNext = true;
  for (let index = negated ? 1 : 0; index < list.length; index++) {
    const element = list[index];
    const here = `${path}[${index}]`;
    if (operandNext) {
      const isNegated = negated && index === 1;
      alternatives[alternatives.length - 1].push(readOperand(element, isNegated, scope, here, depth));
    } else if (element === 'or') alternatives.push([]);
    else if (element !== 'and') throw notJoined(element, scope, here);
    operandNext = !operandNext;
  }
  if (operandNext) throw new QuarryError(4007, `${path} ends with an operator`);
  return { alternatives };
}

const isOperator = (element: Json): boolean => OPERATORS.some((operator) => operator === element);

function tooDeep(path: string): QuarryError {
  return new QuarryError(4049, `${path.slice(0, 80)}… is nested deeper than ${NESTING_MAX}`);
}

function notJoined(element: Json, { unjoined }: Scope, path: string): QuarryError {
  const code = isList(element) || isObject(element) ? unjoined : 4007;
  return new QuarryError(code, `${path} must be "and" or "or", not ${shown(element)}`);
}

function readOperand(element: Json, negated: boolean, scope: Scope, path: string, depth: number): Operand {
  if (isList(element)) return listOperand(readList(element, scope, path, depth + 1), negated, path);
  return { ...readLeaf(element, scope, path), negated, path };
}

function readLeaf(element: Json, scope: Scope, path: string): OperandContent {
  const object = conditionObject(element, path);
  const group = freqgroupOf(object);
  if (group !== undefined) return { is: 'condition', condition: bindFreqgroup(object, group, scope, path) };
  const behaviour = segmentOf(object, scope, path) ?? behaviourOf(object, scope, path);
  if (behaviour !== null) return { is: 'condition', condition: behaviour };
  const condition = columnCondition(object, scope, path);
  return scope.near !== null && hasNear(condition)
    ? { is: 'near', near: bindNear(condition, scope.near, scope.nowMs) }
    : { is: 'condition', condition: bindColumn(condition, scope.nowMs) };
}

/** The condition on a segment, or null if the object is another condition. Throws 506, 4048, 9101, 9106 and the errors of its query. */
function segmentOf(object: JsonObject, scope: Scope, path: string): Condition | null {
  const name = segmentNameIn(object);
  const { dimension, nowMs, checkColumn } = scope;
  checkSegmentName(object, dimension, path);
  if (name === null) return null;
  countCondition(scope, path);
  return bindSegment({ name, dimension, nesting: scope.nesting, path, checkColumn }, (query, nesting) => {
    const inner = { ...scopeOf(dimension, nowMs, checkColumn, 4007), nesting };
    const condition = conditionOf(readList(queryList(query, path), inner, path, 1));
    return { condition, conditionCount: inner.conditionCount };
  });
}

/** The condition on behaviour, or null if the object is another condition. Throws 4048, 9106 and the errors of questions. */
function behaviourOf(object: JsonObject, scope: Scope, path: string): Condition | null {
  const { dimension, nowMs, checkColumn } = scope;
  if (!isBehaviourCondition(object, dimension)) return null;
  countCondition(scope, path);
  const nesting = nestedDeeper(scope.nesting, path);
  const bindNested = (query: Json, at: string): Condition => {
    const inner = { ...scopeOf(dimension, nowMs, checkColumn, 4007), nesting };
    return conditionOf(readList(queryList(query, at), inner, at, 1));
  };
  return bindBehaviourCondition(object, { dimension, nowMs, checkColumn, bindNested }, path);
}

/** Throws 4007 for a string, 4004 for any other value that is not an object. */
function conditionObject(element: Json, path: string): JsonObject {
  if (isObject(element)) return element;
  if (typeof element === 'string') {
    throw new QuarryError(4007, `${path} must be a condition, not the operator ${quoted(element)}`);
  }
  throw new QuarryError(4004, `${path} must be a condition object, not ${kindOf(element)}`);
}

/** The value of `freqgroup`; undefined if the key is absent or its value is an object, which makes it a column of that name. */
function freqgroupOf(object: JsonObject): Json | undefined {
  const group = object.get('freqgroup');
  return isObject(group) ? undefined : group;
}

function countCondition(scope: Scope, path: string): void {
  if (++scope.conditionCount <= CONDITIONS_PER_QUERY_MAX) return;
  throw new QuarryError(4048, `${path} is more than the ${CONDITIONS_PER_QUERY_MAX} conditions of a query`);
}

/** The only column of a condition object, with its parameters. */
function columnCondition(object: JsonObject, scope: Scope, path: string): ColumnCondition {
  countCondition(scope, path);
  const names = [...object.keys()];
  if (names.length === 0) throw new QuarryError(4014, `${path} has no column`);
  if (names.length > 1) {
    throw new QuarryError(
      scope.unjoined,
      `${path} has ${quoted(names[0])} and ${quoted(names[1])} without an operator between them`,
    );
  }
  const column = scope.dimension.columns.get(names[0]);
  if (column === undefined || !column.active) {
    throw new QuarryError(4008, `${path}: column ${quoted(names[0])} is inactive or does not exist`);
  }
  scope.checkColumn(scope.dimension, column);
  scope.columns.add(column.apiName);
  if (scope.columns.size > COLUMNS_PER_QUERY_MAX) {
    throw new QuarryError(4013, `${path}: more than ${COLUMNS_PER_QUERY_MAX} columns in the query`);
  }
  const parameters = object.get(names[0]);
  if (!isObject(parameters) || parameters.size === 0) {
    throw new QuarryError(4009, `${path}: column ${quoted(column.apiName)} has no parameter`);
  }
  return { column, parameters, path: `${path}.${column.apiName}` };
}

function bindFreqgroup(object: JsonObject, group: Json, scope: Scope, path: string): Condition {
  const body = RequestBody.of(frequency, object, path, 'path');
  body.refuseUnknown();
  const minfreq = body.get('minfreq') ?? 1;
  if (!isList(group)) throw new QuarryError(4049, `${path}.freqgroup must be a list, not ${kindOf(group)}`);
  if (group.length === 0) throw new QuarryError(4014, `${path}.freqgroup has no column`);
  const events = group.map((member, index) => bindMember(member, scope, `${path}.freqgroup[${index}]`));
  return { op: 'freqgroup', events, minfreq };
}

function bindMember(member: Json, scope: Scope, path: string): EventTest {
  const condition = columnCondition(conditionObject(member, path), scope, path);
  if (!isEventType(condition.column.type)) {
    throw new QuarryError(4039, `${condition.path}: a freqgroup takes event columns only`);
  }
  if (condition.parameters.has('minfreq')) {
    throw new QuarryError(4049, `${condition.path}.minfreq must be next to "freqgroup", not inside it`);
  }
  if (scope.near !== null && hasNear(condition)) {
    throw new QuarryError(4007, `${condition.path}: "geo_near" is allowed ${scope.near.where}`);
  }
  return bindEvents(condition, scope.nowMs);
}

function shown(element: Json): string {
  return typeof element === 'string' ? quoted(element) : kindOf(element);
}
