/**
 * `geo_near` in a condition on a geolocation column: the nearest entities to a point, by their value or by the nearest
 * of their events. The other predicates of the same condition narrow the values and events that are searched.
 */
import { type BindingTime, QuarryError, quoted } from '../../base/index.js';
import type { NearPlan } from '../../ir/index.js';
import { baseTypeOf, type Column, isEventType } from '../../schema/index.js';
import {
  type ColumnCondition,
  checkNoEventParameters,
  predicatesIn,
  windowArgument,
} from './column-condition.js';
import { readNear } from './geo-test.js';
import { bindPredicates } from './predicate.js';
import { readWindow } from './window.js';

const NAME = 'geo_near';

/** The rules of an endpoint for `geo_near`. */
export interface NearRules {
  /** The highest `limit`; null = any. */
  readonly limitMax: number | null;
  /** Where `geo_near` is allowed, as the end of a sentence. */
  readonly where: string;
}

export interface NearQuery {
  readonly column: Column;
  readonly plan: NearPlan;
  /** Maximum number of entities. */
  readonly limit: number;
  readonly showCoordinates: boolean;
  /** Path of the condition in the body, for messages. */
  readonly path: string;
  readonly rules: NearRules;
}

export function hasNear({ parameters }: ColumnCondition): boolean {
  return parameters.has(NAME);
}

/** Binds a condition with `geo_near`. Throws 4003, 4005, 4010, 4017, 4028, 4039, 4049 and 4053. */
export function bindNear(condition: ColumnCondition, rules: NearRules, nowMs: BindingTime): NearQuery {
  const { column, parameters } = condition;
  const path = `${condition.path}.${NAME}`;
  if (baseTypeOf(column.type) !== 'geolocation') {
    throw new QuarryError(
      4039,
      `${path}: ${quoted(NAME)} cannot be used with a column of type ${column.type}`,
    );
  }
  const argument = readNear(parameters.get(NAME), path, rules.limitMax);
  const { longitude, latitude, limit, showCoordinates } = argument;
  const rest = predicatesIn(condition).filter(({ name }) => name !== NAME);
  const { tests, betweens } = bindPredicates(rest, column);
  const own = argument.between === undefined ? [] : [{ argument: argument.between, path: `${path}.between` }];
  const common = { longitude, latitude, columnId: column.id, tests };
  const near = { column, limit, showCoordinates, path, rules };
  if (!isEventType(column.type)) {
    checkNoEventParameters(condition, [...own, ...betweens]);
    return { ...near, plan: { ...common, from: 'attribute' } };
  }
  if (parameters.has('minfreq')) {
    throw new QuarryError(4049, `${condition.path}.minfreq cannot be used together with ${quoted(NAME)}`);
  }
  const between = windowArgument(condition, [...own, ...betweens]);
  const window = readWindow(between.argument, nowMs, between.path);
  return { ...near, plan: { ...common, from: 'events', window } };
}
