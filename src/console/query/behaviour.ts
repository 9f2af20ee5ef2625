/** Requests of questions about behaviour. */
import { columnOf } from '../server/model.js';
import type { Exclusion, Happening, Length } from './behaviour-draft.js';
import { between, limitOf, predicatesOf, RANGE } from './conditions.js';
import type { Draft } from './draft.js';
import { type Post, post, type Source } from './source.js';
import { wordsOf } from './words.js';

const STEPS_MAX = 64;
const HISTOGRAM_CLASSES = 20;
const PERIODS_MAX = 366;
const DEPTH_MAX = 10;
const NODES_MAX = 50;
const EVENTS_SHOWN = 200;
const GROUPS_SHOWN = 6;
/** The name of the only question of a request, and of its answer. */
export const ANSWER = 'answer';

/** The fields that all questions have. */
export const common = ({ draft, filter, problems }: Source): object => ({
  'query-name': ANSWER,
  dimension: draft.dimension,
  ...(filter.length > 0 ? { query: filter } : {}),
  ...between(draft.window, RANGE, problems, draft.timeZone),
  ...zone(draft),
});

/** The time zone, unless it is UTC. */
export const zone = ({ timeZone }: Pick<Draft, 'timeZone'>): object =>
  timeZone.trim() === '' ? {} : { 'time-zone': timeZone.trim() };

/** The object of `event`. */
export function eventOf({ dimension, problems }: Source, { column: name, test }: Happening): object {
  const column = columnOf(dimension, name);
  if (column?.isEvent) return { [name]: predicatesOf(test, column, problems) };
  problems.add('Choose the events. Only columns of events have them.');
  return {};
}

/** A length of time as the interface writes it; null = no limit. */
function lengthOf({ problems }: Source, { count, unit }: Length, what: string): string | null {
  if (count.trim() === '') return null;
  if (/^[1-9]\d{0,5}$/.test(count.trim())) return `${count.trim()}${unit}`;
  problems.add(`${what}: a whole number from 1.`);
  return null;
}

export function funnelRequest(source: Source): Post {
  const { draft, problems } = source;
  const { steps, within, order, by, attempts, same, exclude } = draft.funnel;
  if (steps.length < 2 || steps.length > STEPS_MAX) problems.add(`A funnel has 2 to ${STEPS_MAX} steps.`);
  const last = steps.length - 1;
  const limit = lengthOf(source, within, 'Time from the first step to the last');
  return post('/v1/query/funnel', {
    ...common(source),
    steps: steps.map((step, index) => ({
      event: eventOf(source, step),
      name: wordsOf(step),
      ...(step.optional && index > 0 && index < last && order !== 'any' ? { optional: true } : {}),
    })),
    ...(limit === null ? {} : { within: limit }),
    ...(order === 'in-order' ? {} : { order }),
    ...(attempts === 'best' ? {} : { attempts }),
    ...(same.length === 0 ? {} : { same }),
    ...(exclude.length === 0 ? {} : { exclude: exclude.map((one) => exclusionOf(source, one)) }),
    ...(by === '' ? {} : { breakdown: { column: by, limit: GROUPS_SHOWN } }),
    histogram: HISTOGRAM_CLASSES,
  });
}

function exclusionOf(source: Source, exclusion: Exclusion): object {
  const { problems } = source;
  const { order, steps } = source.draft.funnel;
  if (order === 'any') problems.add('Events can be excluded only from funnels whose steps are in order.');
  const after = limitOf(exclusion.after, steps.length, problems, 'Excluded after step');
  const before = limitOf(exclusion.before, steps.length, problems, 'Excluded before step');
  if (after >= before) problems.add('Excluded events lie after a step and before a later one.');
  return { event: eventOf(source, exclusion), after, before };
}

/** Ascending whole numbers. */
function bracketsOf(typed: string, { problems }: Source): number[] {
  const ends = typed.split(',').map((text) => Number(text));
  const isFit = ends.every((end, index) => Number.isInteger(end) && end > (ends[index - 1] ?? 0));
  if (!isFit) problems.add('Brackets: ascending whole numbers, such as 1, 3, 7.');
  return ends;
}

export function retentionRequest(source: Source): Post {
  const { draft, problems } = source;
  const { start, back, cohort, count, periods, brackets, rolling } = draft.retention;
  return post('/v1/query/retention', {
    ...common(source),
    start: { event: eventOf(source, start) },
    return: { event: eventOf(source, back) },
    interval: draft.every,
    ...(brackets.trim() === ''
      ? { periods: limitOf(periods, PERIODS_MAX, problems, 'How many periods') }
      : { brackets: bracketsOf(brackets, source) }),
    ...(rolling ? { rolling } : {}),
    ...(cohort === 'first-time' ? {} : { cohort }),
    ...(count === 'on' ? {} : { count }),
  });
}

const activity = (source: Source): object => ({
  ...common(source),
  event: eventOf(source, source.draft.activity),
  interval: source.draft.every,
});

export const lifecycleRequest = (source: Source): Post => post('/v1/query/lifecycle', activity(source));

export function distributionRequest(source: Source): Post {
  const { draft, problems } = source;
  const { of, gap } = draft.distribution;
  if (of === 'stickiness') return post('/v1/query/stickiness', activity(source));
  const length = lengthOf(source, gap, 'Time without an event');
  if (length === null) problems.add('Choose the time without an event that ends a session.');
  return post('/v1/query/sessions', {
    ...common(source),
    stream: Object.keys(eventOf(source, draft.activity)),
    gap: length,
    interval: draft.every,
  });
}

export function flowRequest(source: Source): Post {
  const { draft, problems } = source;
  const { start, direction, depth, limit, within } = draft.flow;
  const length = lengthOf(source, within, 'Time between two events');
  return post('/v1/query/flow', {
    ...common(source),
    start: { event: eventOf(source, start) },
    depth: limitOf(depth, DEPTH_MAX, problems, 'How many levels'),
    limit: limitOf(limit, NODES_MAX, problems, 'How many events at each level'),
    ...(direction === 'after' ? {} : { direction }),
    ...(length === null ? {} : { within: length }),
  });
}

export function timelineRequest({ draft, problems }: Source): Post {
  const id = draft.entity.trim();
  if (id === '') problems.add('Type the ID of an entity.');
  return post('/v1/query/timeline', {
    'query-name': ANSWER,
    dimension: draft.dimension,
    'entity-id': id,
    limit: EVENTS_SHOWN,
  });
}
