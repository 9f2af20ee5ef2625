/** Random valid questions of each kind about a generated history. */
import type { Prng } from '../../src/base/index.js';
import { randomQuery } from './condition-lists.js';
import { ATTRIBUTE_COLUMNS, EVENT_COLUMNS, type GeneratedHistory } from './histories.js';
import type { Kind, Questions } from './model/answer.js';
import { columnsOf } from './model/events.js';
import type { Exclusion, FunnelFields, FunnelStep } from './model/funnel.js';
import type { Breakdown, EventClause } from './model/question.js';
import { sharedOf, unitOf } from './question-parts.js';
import { choiceOf, durationOf, someColumns, textOfInstant } from './random-parts.js';

type Generators = { readonly [K in Kind]: (prng: Prng, world: GeneratedHistory) => Questions[K] };

const attributeBreakdown = (prng: Prng): Breakdown => ({
  column: prng.pick(ATTRIBUTE_COLUMNS),
  ...(prng.chance(0.7) && { limit: prng.between(1, 3) }),
});

function stepOf(prng: Prng, world: GeneratedHistory, columns?: readonly string[]): FunnelStep {
  return {
    event: choiceOf(prng, world, columns),
    ...(prng.chance(0.3) && { name: `the ${prng.pick(['first', 'next', 'last'])}` }),
    ...(prng.chance(0.1) && { query: randomQuery(prng, world) }),
  };
}

const exclusionOf = (prng: Prng, world: GeneratedHistory, steps: number): Exclusion => {
  const after = prng.between(1, steps - 1);
  return { event: choiceOf(prng, world), after, before: prng.between(after + 1, steps) };
};

/** Columns that may be in `same`: those of one column or relation, to which all steps are then restricted. */
function sameColumns(prng: Prng, { related }: GeneratedHistory): readonly string[] {
  const alone = Object.keys(EVENT_COLUMNS).filter((column) => !related.includes(column));
  return prng.chance(0.7) ? related : [prng.pick(alone)];
}

function stepBreakdown(prng: Prng, steps: readonly FunnelStep[]): Breakdown {
  const step = prng.between(1, steps.length);
  return { column: prng.pick(columnsOf(steps[step - 1].event)), step, limit: prng.between(1, 3) };
}

/** What only the orders other than `any` allow. */
function orderedFields(
  prng: Prng,
  world: GeneratedHistory,
  steps: readonly FunnelStep[],
): Partial<FunnelFields> {
  const order = prng.pick([undefined, 'in-order', 'strict'] as const);
  const last = steps.length - 1;
  return {
    ...(order !== undefined && { order }),
    ...(order === 'strict' && prng.chance(0.5) && { stream: someColumns(prng) }),
    ...(prng.chance(0.4) && {
      steps: steps.map((step, index) =>
        index > 0 && index < last && prng.chance(0.6) ? { ...step, optional: true } : step,
      ),
    }),
    ...(prng.chance(0.35) && {
      exclude: Array.from({ length: prng.between(1, 2) }, () => exclusionOf(prng, world, steps.length)),
    }),
  };
}

/** A funnel without an answer's groups and series. */
export function attemptFields(prng: Prng, world: GeneratedHistory): FunnelFields {
  const same = prng.chance(0.25) ? sameColumns(prng, world) : undefined;
  const isAny = prng.chance(0.2);
  const steps = Array.from({ length: prng.between(2, isAny ? 3 : 4) }, () => stepOf(prng, world, same));
  return {
    steps,
    ...(isAny ? { order: 'any' as const } : orderedFields(prng, world, steps)),
    ...(prng.chance(0.5) && { within: durationOf(prng, world) }),
    ...(same !== undefined && { same: [prng.pick(same)] }),
    ...(prng.chance(0.6) && { attempts: prng.pick(['best', 'first', 'every'] as const) }),
    ...(prng.chance(0.25) && { 'distinct-instants': true }),
  };
}

function funnelOf(prng: Prng, world: GeneratedHistory): FunnelFields {
  const fields = attemptFields(prng, world);
  const shared = sharedOf(prng, world, 0.5);
  const isByStep = fields.order !== 'any' && prng.chance(0.5);
  return {
    ...shared,
    ...fields,
    ...(shared.between !== undefined && prng.chance(0.6) && { interval: unitOf(prng, shared) }),
    ...(prng.chance(0.4) && {
      breakdown: isByStep ? stepBreakdown(prng, fields.steps) : attributeBreakdown(prng),
    }),
    ...(prng.chance(0.3) && { histogram: prng.between(1, 5) }),
  };
}

function retentionOf(prng: Prng, world: GeneratedHistory): Questions['retention'] {
  const shared = sharedOf(prng, world, 1);
  const interval = unitOf(prng, shared);
  const isFixed = ['hours', 'days', 'weeks'].includes(interval);
  const bracketEnds = [1, 2, 3, 5, 8].filter(() => prng.chance(0.6));
  const isRolling = isFixed && prng.chance(0.4);
  return {
    ...shared,
    between: shared.between!,
    interval,
    start: { event: choiceOf(prng, world) },
    ...(prng.chance(0.6) && { return: { event: choiceOf(prng, world) } }),
    ...(bracketEnds.length > 0 && prng.chance(0.4)
      ? { brackets: bracketEnds }
      : prng.chance(0.8) && { periods: prng.between(1, 6) }),
    ...(prng.chance(0.6) && { cohort: prng.pick(['first-time', 'recurring'] as const) }),
    ...(prng.chance(0.6) && { count: prng.pick(['on', 'on-or-after'] as const) }),
    ...(isRolling && { rolling: true }),
    ...(prng.chance(0.5) && { until: textOfInstant(prng, world) }),
    ...(prng.chance(0.3) && { breakdown: attributeBreakdown(prng) }),
  };
}

function activityOf(prng: Prng, world: GeneratedHistory): Questions['lifecycle'] {
  const shared = sharedOf(prng, world, 1);
  return {
    ...shared,
    between: shared.between!,
    interval: unitOf(prng, shared),
    event: choiceOf(prng, world),
  };
}

const COMPARISONS = ['<=', '<', '>=', '>', '=='];

/** A pattern over so many conditions; every time is between two events. */
function patternOf(prng: Prng, world: GeneratedHistory, conditions: number): string {
  const event = (): string => {
    if (prng.chance(0.1)) return '.';
    return `(?${prng.chance(0.15) ? '!' : ''}${prng.between(1, conditions)})`;
  };
  const time = (): string => `(?t${prng.pick(COMPARISONS)}${Number.parseInt(durationOf(prng, world), 10)})`;
  const between = (): string => {
    if (prng.chance(0.4)) return '';
    if (prng.chance(0.4)) return '.*';
    return prng.chance(0.3) ? `${time()}${time()}` : time();
  };
  let pattern = `${prng.chance(0.1) ? '.*' : ''}${event()}`;
  for (let more = prng.below(4); more > 0; more--) pattern += between() + event();
  return pattern;
}

/** Conditions that name one column of the relation first, so that an event has one date. */
function sequenceOf(prng: Prng, world: GeneratedHistory): Questions['sequence'] {
  const lead = world.hasTiedDates ? prng.pick(world.related) : undefined;
  const conditions = Array.from(
    { length: prng.between(1, 4) },
    (): EventClause => ({ event: choiceOf(prng, world, undefined, lead) }),
  );
  return {
    ...sharedOf(prng, world, 0.5),
    conditions,
    pattern: patternOf(prng, world, conditions.length),
  };
}

function flowOf(prng: Prng, world: GeneratedHistory): Questions['flow'] {
  const column = prng.pick(Object.keys(EVENT_COLUMNS));
  return {
    ...sharedOf(prng, world, 0.5),
    start: { event: choiceOf(prng, world, [column]) },
    ...(prng.chance(0.7) && { stream: [...new Set([...someColumns(prng), column])] }),
    ...(prng.chance(0.7) && { depth: prng.between(1, 5) }),
    ...(prng.chance(0.7) && { limit: prng.between(1, 4) }),
    ...(prng.chance(0.6) && { direction: prng.pick(['after', 'before'] as const) }),
    ...(prng.chance(0.3) && { within: durationOf(prng, world) }),
    ...(prng.chance(0.6) && { from: prng.pick(['first', 'every'] as const) }),
    ...(prng.chance(0.4) && { collapse: prng.chance(0.8) }),
  };
}

function sessionsOf(prng: Prng, world: GeneratedHistory): Questions['sessions'] {
  const shared = sharedOf(prng, world, 0.6);
  const stream = someColumns(prng);
  return {
    ...shared,
    stream,
    gap: durationOf(prng, world),
    ...(prng.chance(0.4) && { starts: [{ event: choiceOf(prng, world, [prng.pick(stream)]) }] }),
    ...(shared.between !== undefined && prng.chance(0.6) && { interval: unitOf(prng, shared) }),
    ...(prng.chance(0.4) && { breakdown: attributeBreakdown(prng) }),
  };
}

function overlapOf(prng: Prng, world: GeneratedHistory): Questions['overlap'] {
  const names = ['one', 'two', 'a', 'b', 'three', 'z'].slice(0, prng.between(2, 6));
  const { query } = sharedOf(prng, world, 0);
  return {
    dimension: world.dimension,
    ...(query !== undefined && { query }),
    segments: names.map((name) => ({ name, query: randomQuery(prng, world) })),
  };
}

function compareOf(prng: Prng, world: GeneratedHistory): Questions['compare'] {
  const all = [...ATTRIBUTE_COLUMNS, ...Object.keys(EVENT_COLUMNS)];
  const columns = all.filter(() => prng.chance(0.4));
  return {
    ...sharedOf(prng, world, 0.5),
    segments: ['one', 'two'].map((name) => ({ name, query: randomQuery(prng, world) })),
    ...(columns.length > 0 && prng.chance(0.5) && { columns }),
    ...(prng.chance(0.7) && { limit: prng.between(1, 12) }),
  };
}

function timelineOf(prng: Prng, world: GeneratedHistory): Questions['timeline'] {
  return {
    ...sharedOf(prng, world, 0.4),
    'entity-id': prng.pick([...world.history.entities.map(({ id }) => id), 'nobody']),
    ...(prng.chance(0.5) && { columns: someColumns(prng) }),
    ...(prng.chance(0.7) && { limit: prng.between(1, 4) }),
  };
}

const GENERATORS: Generators = {
  funnel: funnelOf,
  retention: retentionOf,
  lifecycle: activityOf,
  stickiness: activityOf,
  actives: (prng, world) => ({
    ...activityOf(prng, world),
    ...(prng.chance(0.7) && { rolling: prng.between(2, 5) }),
  }),
  sequence: sequenceOf,
  flow: flowOf,
  sessions: sessionsOf,
  overlap: overlapOf,
  compare: compareOf,
  timeline: timelineOf,
};

export const generateQuestion = <K extends Kind>(
  kind: K,
  prng: Prng,
  world: GeneratedHistory,
): Questions[K] => GENERATORS[kind](prng, world);
