/**
 * `geo_near` in a condition on a geolocation column: the nearest entities to a point, by their value or by the nearest
 * of their events. The other predicates of the same condition narrow the values and events that are looked at.
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

/** What an endpoint asks of a `geo_near`. */
export interface NearRules {
  /** The highest `limit`; null = any. */
  readonly limitMax: number | null;
  /** Where it may stand, as the end of a sentence. */
  readonly where: string;
}

export interface NearQuery {
  readonly column: Column;
  readonly plan: NearPlan;
  /** Entities at most. */
  readonly limit: number;
  readonly showCoordinates: boolean;
  /** Where it stands in the body, for messages. */
  readonly place: string;
  readonly rules: NearRules;
}

export function asksNear({ parameters }: ColumnCondition): boolean {
  return parameters.has(NAME);
}

/** Binds a condition that asks for the nearest. Throws 4005, 4010, 4017, 4028, 4039, 4049, 4053 and 4003. */
export function bindNear(condition: ColumnCondition, rules: NearRules, nowMs: BindingTime): NearQuery {
  const { column, parameters } = condition;
  const place = `${condition.place}.${NAME}`;
  if (baseTypeOf(column.type) !== 'geolocation') {
    throw new QuarryError(
      4039,
      `${place}: ${quoted(NAME)} cannot be used with a column of type ${column.type}`,
    );
  }
  const asked = readNear(parameters.get(NAME), place, rules.limitMax);
  const { longitude, latitude, limit, showCoordinates } = asked;
  const rest = predicatesIn(condition).filter(({ name }) => name !== NAME);
  const { tests, betweens } = bindPredicates(rest, column);
  const own = asked.between === undefined ? [] : [{ argument: asked.between, place: `${place}.between` }];
  const common = { longitude, latitude, columnId: column.id, tests };
  const near = { column, limit, showCoordinates, place, rules };
  if (!isEventType(column.type)) {
    checkNoEventParameters(condition, [...own, ...betweens]);
    return { ...near, plan: { ...common, from: 'attribute' } };
  }
  if (parameters.has('minfreq')) {
    throw new QuarryError(4049, `${condition.place}.minfreq cannot stand beside ${quoted(NAME)}`);
  }
  const between = windowArgument(condition, [...own, ...betweens]);
  const window = readWindow(between.argument, nowMs, between.place);
  return { ...near, plan: { ...common, from: 'events', window } };
}
