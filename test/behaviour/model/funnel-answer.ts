/** The answer of a funnel, from the attempts that count. */
import { type Attempt, countedAttempts, eventsAtStep, type FunnelFields, firstOf, has } from './funnel.js';
import { attributeKeys, groupsOf } from './groups.js';
import { compareTexts, type Entity, type History, textOf } from './history.js';
import { Float, ratio, type Spread, spreadOf } from './numbers.js';
import { betweenOf, calendarOf, contains, periodsOf, windowOf } from './periods.js';

interface HistogramClass {
  readonly from: Float;
  readonly to: Float;
  readonly count: number;
}

interface StepAnswer {
  readonly name: string;
  readonly count: number;
  readonly conversion: Float | null;
  readonly 'step-conversion': Float | null;
  readonly seconds?: Spread;
  readonly histogram?: readonly HistogramClass[];
}

/** Equal classes between 0 and the greatest value, half-open but for the last. */
function histogramOf(values: readonly number[], classes: number): HistogramClass[] {
  if (values.length === 0) return [];
  const greatest = Math.max(...values);
  return Array.from({ length: classes }, (_, index) => {
    const isInside = (value: number): boolean => {
      if (greatest === 0) return index === 0;
      const reaches = value * classes >= index * greatest;
      return reaches && (value * classes < (index + 1) * greatest || index === classes - 1);
    };
    const bound = (at: number): Float => new Float((at * greatest) / classes);
    return { from: bound(index), to: bound(index + 1), count: values.filter(isInside).length };
  });
}

/** The step before it, from 1, with which the conversion of one step is computed: the last that is not optional. */
function stepBefore(step: number, { steps }: FunnelFields): number {
  let before = step - 1;
  while (steps[before - 1].optional) before--;
  return before;
}

function stepsOf(attempts: readonly Attempt[], funnel: FunnelFields): StepAnswer[] {
  const countOf = (step: number): number => attempts.filter((attempt) => has(attempt, step)).length;
  return funnel.steps.map(({ name }, index) => {
    const step = index + 1;
    const common = {
      name: name ?? `step ${step}`,
      count: countOf(step),
      conversion: ratio(countOf(step), countOf(1)),
    };
    if (step === 1) return { ...common, 'step-conversion': null };
    const seconds = attempts
      .filter((attempt) => has(attempt, step))
      .map((attempt) => attempt[index]!.seconds - firstOf(attempt).seconds);
    const isLast = step === funnel.steps.length;
    return {
      ...common,
      'step-conversion': ratio(countOf(step), countOf(stepBefore(step, funnel))),
      seconds: spreadOf(seconds),
      ...(isLast && funnel.histogram !== undefined
        ? { histogram: histogramOf(seconds, funnel.histogram) }
        : {}),
    };
  });
}

interface Counted {
  readonly entity: Entity;
  readonly attempt: Attempt;
}

/** The values of the breakdown under which the attempt counts. */
function keysOf({ entity, attempt }: Counted, funnel: FunnelFields): string[] {
  const { column, step } = funnel.breakdown!;
  if (step === undefined) return attributeKeys(entity, column);
  const values = eventsAtStep(attempt, step, funnel, entity).flatMap(({ values }) => {
    const dated = values.get(column);
    return dated === undefined ? [] : [textOf(dated.value)];
  });
  return values.sort(compareTexts).slice(0, 1);
}

export function answerFunnel(funnel: FunnelFields, history: History): unknown {
  const counted = history.entities
    .filter((entity) => history.satisfies(funnel.query, entity))
    .flatMap((entity) =>
      countedAttempts(funnel, entity, history).map((attempt): Counted => ({ entity, attempt })),
    );
  const stepsOfAll = (some: readonly Counted[]): StepAnswer[] =>
    stepsOf(
      some.map(({ attempt }) => attempt),
      funnel,
    );
  const { breakdown, interval } = funnel;
  return {
    steps: stepsOfAll(counted),
    ...(breakdown !== undefined && {
      groups: groupsOf(
        counted.map((item) => ({ item, keys: keysOf(item, funnel) })),
        breakdown,
      ).map(({ label, items }) => ({ ...label, steps: stepsOfAll(items) })),
    }),
    ...(interval !== undefined && {
      series: periodsOf(windowOf(funnel), calendarOf(funnel, interval)).map((period) => ({
        between: betweenOf(period),
        steps: stepsOfAll(counted.filter(({ attempt }) => contains(period, firstOf(attempt).seconds))),
      })),
    }),
  };
}
