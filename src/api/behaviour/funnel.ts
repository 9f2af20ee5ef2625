/** POST /v1/query/funnel: how far entities get in a sequence of steps. */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import { type funnel, funnelExclusion, funnelStep } from '../../interface/index.js';
import type { BehaviourEvent, Breakdown, Condition, Exclusion } from '../../ir/index.js';
import type { Column } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { bindBreakdown } from './breakdown.js';
import { EventBinder, valueColumnOf } from './event.js';
import { writeFunnel } from './funnel-answer.js';
import type { BoundQuestion } from './kind.js';
import {
  bindNested,
  bindShared,
  calendarOf,
  periodsOf,
  type QuestionCall,
  scopeOf,
  secondsOf,
} from './question.js';

export type FunnelFields = (typeof funnel)['properties'];
const STEPS_MIN = 2;

type FunnelCall = QuestionCall<FunnelFields>;

interface Step {
  readonly name: string;
  readonly event: BehaviourEvent;
  readonly isOptional: boolean;
  readonly condition: Condition | null;
}

export function bindFunnel(call: FunnelCall): BoundQuestion {
  const { body, dimension, checkColumn, prefix } = call;
  const binder = new EventBinder(dimension, checkColumn);
  const { shared, steps, order, attempts, within, histogram, distinct } = readAll({
    shared: () => bindShared(call),
    steps: () => stepsOf(call, binder),
    order: () => body.get('order') ?? 'in-order',
    attempts: () => body.get('attempts') ?? 'best',
    within: () => {
      const text = body.get('within') ?? null;
      return text === null ? null : secondsOf(text, `${prefix}within`);
    },
    histogram: () => body.get('histogram') ?? null,
    distinct: () => body.get('distinct-instants') ?? false,
  });
  const { zone } = shared;
  const { rules, same, breakdown, exclusions, stream, periods } = readAll({
    rules: () => checkOrder(call, steps),
    same: () => sameOf(call, binder, steps),
    breakdown: () =>
      bindBreakdown(
        body.get('breakdown') as Json | undefined,
        binder,
        `${prefix}breakdown`,
        (name, step, path) => stepColumn(binder, steps, { name, step, path }),
      ),
    exclusions: () => exclusionsOf(call, binder, steps.length),
    stream: () => streamOf(call, binder, steps),
    periods: () => {
      const interval = body.get('interval') ?? null;
      return interval === null ? [] : periodsOf(call, shared.between, calendarOf(call, zone, interval));
    },
  });
  void rules;
  const isStrict = order === 'strict';
  const plan = scopeOf(shared, {
    events: [...steps, ...exclusions, ...(isStrict ? [{ event: stream }] : [])].map(({ event }) => event),
    streams: isStrict ? [steps.length + exclusions.length] : [],
    isTied: binder.isTied,
    values: [...same.map(valueColumnOf), ...(breakdown?.of === 'step' ? [breakdown.column] : [])],
    periods,
    breakdown,
    question: {
      kind: 'funnel',
      stepCount: steps.length,
      optional: steps.map(({ isOptional }) => isOptional),
      stepConditions: steps.map(({ condition }) => condition),
      ...{ order, attempts, within, distinctInstants: distinct },
      exclusions: exclusions.map(
        ({ after, before }, index): Exclusion => ({ event: steps.length + index, after, before }),
      ),
      stream: isStrict ? steps.length + exclusions.length : null,
      same: same.map((_, index) => index),
    },
  });
  const names = steps.map(({ name }) => name);
  return { scope: plan, write: (text, answer) => writeFunnel(text, { plan, names, histogram }, answer) };
}

function stepsOf(call: FunnelCall, binder: EventBinder): readonly Step[] {
  const { body, prefix } = call;
  const steps = body.get('steps') as readonly Json[];
  if (steps.length < STEPS_MIN) throw body.error('steps', `must hold at least ${STEPS_MIN} steps`);
  return checkAll(steps, (json, index): Step => {
    const path = `${prefix}steps[${index}]`;
    const step = RequestBody.of(funnelStep, json, path, 'path');
    const { event, name, isOptional, condition } = step.read(() =>
      readAll({
        event: () => binder.event(eventIn(step), `${path}.event`),
        name: () => step.get('name') ?? `step ${index + 1}`,
        isOptional: () => step.get('optional') ?? false,
        condition: () => bindNested(call, step.get('query') as Json | undefined, `${path}.query`),
      }),
    );
    if (isOptional && (index === 0 || index === steps.length - 1)) {
      throw new QuarryError(9101, `${path}.optional: the first and the last step cannot be optional`);
    }
    return { event, name, isOptional, condition };
  });
}

/** The field `event` of an object. Throws 4010 if it is missing. */
export function eventIn(body: RequestBody<(typeof funnelStep)['properties']>): Json {
  return body.get('event') as Json;
}

/** Throws 9103 for what an order `any` does not allow. */
function checkOrder({ body, prefix }: FunnelCall, steps: readonly Step[]): void {
  if (body.get('order') !== 'any') return;
  for (const field of ['exclude', 'stream'] as const) {
    if (body.has(field)) throw new QuarryError(9103, `${prefix}${field} cannot be used with "order": "any"`);
  }
  const optional = steps.findIndex(({ isOptional }) => isOptional);
  if (optional >= 0) {
    throw new QuarryError(9103, `${prefix}steps[${optional}].optional cannot be used with "order": "any"`);
  }
  const breakdown = body.get('breakdown') as Json | undefined;
  if (breakdown instanceof Map && (breakdown.get('step') ?? null) !== null) {
    throw new QuarryError(9103, `${prefix}breakdown.step cannot be used with "order": "any"`);
  }
}

/** The columns of `same`, each of which is a column of every step or tied to one. */
function sameOf(
  { body, prefix }: FunnelCall,
  binder: EventBinder,
  steps: readonly Step[],
): readonly Column[] {
  const names = [...new Set(body.get('same') ?? [])];
  return checkAll(names, (name) => {
    const column = binder.eventColumn(name, `${prefix}same`);
    steps.forEach(({ event }, index) => {
      const other = binder.columnsOf(event).find((own) => !binder.areTied(own, column));
      if (other === undefined) return;
      const pair = `${quoted(name)} and ${quoted(other.apiName)} of step ${index + 1}`;
      throw new QuarryError(9102, `${prefix}same: the columns ${pair} are not of one relation`);
    });
    return column;
  });
}

interface StepColumnName {
  readonly name: string;
  /** From 1. */
  readonly step: number;
  readonly path: string;
}

function stepColumn(
  binder: EventBinder,
  steps: readonly Step[],
  { name, step, path }: StepColumnName,
): Breakdown['column'] {
  if (step > steps.length) {
    throw new QuarryError(9101, `${path}.step must be at most ${steps.length}, the number of steps`);
  }
  const column = binder.eventColumn(name, path);
  if (binder.columnsOf(steps[step - 1].event).some((own) => binder.areTied(own, column))) {
    return valueColumnOf(column);
  }
  throw new QuarryError(9102, `${path}: ${quoted(name)} is not a column of step ${step}, nor tied to one`);
}

interface BoundExclusion {
  readonly event: BehaviourEvent;
  readonly after: number;
  readonly before: number;
}

function exclusionsOf(
  { body, prefix }: FunnelCall,
  binder: EventBinder,
  stepCount: number,
): readonly BoundExclusion[] {
  return checkAll((body.get('exclude') ?? []) as readonly Json[], (json, index): BoundExclusion => {
    const path = `${prefix}exclude[${index}]`;
    const exclusion = RequestBody.of(funnelExclusion, json, path, 'path');
    const bound = exclusion.read(() =>
      readAll({
        event: () => binder.event(exclusion.get('event') as Json, `${path}.event`),
        name: () => exclusion.get('name'),
        after: () => exclusion.get('after'),
        before: () => exclusion.get('before'),
      }),
    );
    if (bound.after < bound.before && bound.before <= stepCount) return bound;
    throw new QuarryError(9101, `${path}: "after" < "before" <= ${stepCount} must hold`);
  });
}

/** The events of a strict funnel's stream: those of the columns named, or of all columns that the steps name. */
function streamOf({ body, prefix }: FunnelCall, binder: EventBinder, steps: readonly Step[]): BehaviourEvent {
  const names = body.get('stream') ?? null;
  const ids =
    names === null
      ? steps.flatMap(({ event }) => event.flatMap((tests) => tests.map(({ columnId }) => columnId)))
      : checkAll(names, (name) => binder.eventColumn(name, `${prefix}stream`).id);
  return [...new Set(ids)].map((columnId) => [{ columnId, tests: [] }]);
}
