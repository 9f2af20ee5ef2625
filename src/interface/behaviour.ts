/** Questions about the behaviour of entities: funnels, retention, lifecycle, stickiness, actives. */
import { QUERIES_PER_REQUEST_MAX } from '../base/limits.js';
import { between, query } from './conditions.js';
import { countFields } from './data.js';
import { localTimeFields } from './local-time.js';
import {
  anyText,
  body,
  choice,
  flag,
  type Infer,
  integer,
  list,
  map,
  named,
  object,
  oneOrSeveral,
  optional,
  orNull,
  plain,
  type Schema,
  text,
  union,
  unread,
} from './schema.js';

export const BEHAVIOUR_INTERVALS = [
  'minutes',
  'hours',
  'days',
  'weeks',
  'months',
  'quarters',
  'years',
] as const;

export const STEPS_MAX = 64;
export const EXCLUSIONS_MAX = 32;
export const SAME_COLUMNS_MAX = 8;
export const PERIODS_MAX = 10_000;
export const RETENTION_PERIODS_MAX = 366;
export const GROUPS_MAX = 100;

export const QUESTION = { wrong: 4049, missing: 4010, type: 9101 } as const;
export const WRONG = { wrong: 9101, null: 9101 } as const;

/** A length of time, such as `7d`. */
export const duration = named(
  'Duration',
  text('A length of time: `30sec`, `20min`, `36hr`, `7d` or `2w`; a day has 86,400 seconds.', {
    codes: WRONG,
    forms: [
      { pattern: /^[0-9]{1,10}(sec|min|hr|d|w)$/, message: 'is not a length of time such as 20min or 7d' },
    ],
  }),
);

const predicates = plain<Readonly<Record<string, unknown>>>({
  type: 'object',
  description:
    'Predicates on the value of an event, as in conditions; `{}` accepts every event of the column.',
});
const eventColumns = map(
  predicates,
  'The columns of an event, which one relation ties, and their predicates.',
  {
    minProperties: 1,
  },
);
export const eventObject = named(
  'BehaviourEventColumns',
  union(
    'The events that satisfy all predicates, or one of several such objects.',
    eventColumns,
    list(eventColumns, 'Alternatives.', { minItems: 1 }),
  ),
);

const eventFields = {
  event: unread(eventObject),
  name: orNull(text('The name of the event in answers.', { codes: WRONG })),
};
export const behaviourEvent = named('BehaviourEvent', body(QUESTION, eventFields));
export type BehaviourEventBody = Infer<typeof behaviourEvent>;

export const funnelStep = named(
  'FunnelStep',
  body(QUESTION, {
    ...eventFields,
    optional: orNull(flag('Attempts may leave the step out. Not for the first and the last step.', WRONG)),
    query: unread(optional(query)),
  }),
);

const stepNumber = (description: string) => integer(description, 1, STEPS_MAX, { codes: WRONG });
export const funnelExclusion = named(
  'FunnelExclusion',
  body(QUESTION, {
    ...eventFields,
    after: stepNumber('The step, counted from 1, after whose event the excluded events must not follow.'),
    before: stepNumber('The step before whose event the excluded events must not lie.'),
  }),
);

export const breakdown = named(
  'Breakdown',
  body(QUESTION, {
    column: text('An attribute column; in funnels also an event column of the step.', { codes: WRONG }),
    limit: orNull(integer('The number of groups; default 10.', 1, GROUPS_MAX, { codes: WRONG })),
    step: orNull(stepNumber('The step, counted from 1, whose event has the value.')),
  }),
);

export const questionFields = {
  ...countFields,
  query: unread(optional(query)),
  between: unread(orNull(between)),
  'bypass-cache': orNull(flag('Recomputes the answer instead of using a cached one.', WRONG)),
  ...localTimeFields,
};

/** The fields that every question has. */
export type QuestionFields = typeof questionFields;

export const intervals = choice(BEHAVIOUR_INTERVALS, 'Calendar periods of the time zone.', WRONG);

export const columnNames = (description: string) =>
  list(text('A column.', { codes: WRONG }), description, { minItems: 1, codes: WRONG });

export const funnel = named(
  'Funnel',
  body(QUESTION, {
    ...questionFields,
    steps: list(unread(funnelStep), 'The steps, in their order.', {
      minItems: 2,
      maxItems: STEPS_MAX,
      codes: WRONG,
    }),
    within: orNull(duration),
    order: orNull(choice(['in-order', 'strict', 'any'], 'The order of the events; default in-order.', WRONG)),
    exclude: orNull(
      list(unread(funnelExclusion), 'Events that must not lie between two steps.', {
        maxItems: EXCLUSIONS_MAX,
        codes: WRONG,
      }),
    ),
    same: orNull(columnNames('Event columns in which all events of an attempt have equal values.')),
    attempts: orNull(
      choice(['best', 'first', 'every'], 'The attempts that are counted; default best.', WRONG),
    ),
    interval: orNull(intervals),
    breakdown: unread(orNull(breakdown)),
    histogram: orNull(integer('Classes of the seconds of the last step.', 1, 100, { codes: WRONG })),
    stream: orNull(columnNames('The event columns of the stream of a strict funnel.')),
    'distinct-instants': orNull(flag('Each event must be later than the one before it.', WRONG)),
  }),
);
export type Funnel = Infer<typeof funnel>;

export const retention = named(
  'Retention',
  body(QUESTION, {
    ...questionFields,
    start: unread(behaviourEvent),
    return: unread(orNull(behaviourEvent)),
    interval: intervals,
    periods: orNull(integer('The number of periods; default 8.', 1, RETENTION_PERIODS_MAX, { codes: WRONG })),
    brackets: orNull(
      list(integer('An end.', 1, 100_000, { codes: WRONG }), 'Ascending ends of brackets of periods.', {
        minItems: 1,
        maxItems: RETENTION_PERIODS_MAX,
        codes: WRONG,
      }),
    ),
    cohort: orNull(
      choice(['first-time', 'recurring'], 'How entities get into cohorts; default first-time.', WRONG),
    ),
    count: orNull(choice(['on', 'on-or-after'], 'When an entity has returned; default on.', WRONG)),
    rolling: orNull(flag('Periods begin at the reference event instead of with the calendar.', WRONG)),
    until: orNull(text('The last instant of returns; default now.', { codes: WRONG })),
    breakdown: unread(orNull(breakdown)),
  }),
);
export type Retention = Infer<typeof retention>;

const activityFields = { ...questionFields, event: unread(eventObject), interval: intervals };
export const activity = named('Activity', body(QUESTION, activityFields));
export type Activity = Infer<typeof activity>;
export const actives = named(
  'Actives',
  body(QUESTION, {
    ...activityFields,
    rolling: orNull(
      integer('The number of periods that are counted together.', 2, RETENTION_PERIODS_MAX, { codes: WRONG }),
    ),
  }),
);
export type Actives = Infer<typeof actives>;

/** The fields of a question in a condition list, where its name has no meaning. */
export const inCondition = <F extends typeof questionFields>(fields: F) => ({
  ...fields,
  'query-name': orNull(questionFields['query-name']),
});

export const funnelCondition = named(
  'FunnelCondition',
  body(QUESTION, {
    ...inCondition(funnel.properties),
    reached: stepNumber('The step, counted from 1, that an attempt has.'),
    'not-reached': orNull(stepNumber('The step that this attempt does not have.')),
  }),
);
export const retentionCondition = named(
  'RetentionCondition',
  body(QUESTION, {
    ...inCondition(retention.properties),
    'cohort-of': text('A date in the period of the cohort.', { codes: WRONG }),
    period: orNull(
      integer(
        'The period or bracket in which the entity returned, counted from 0.',
        0,
        RETENTION_PERIODS_MAX,
        {
          codes: WRONG,
        },
      ),
    ),
  }),
);
export const activeCondition = named(
  'ActiveCondition',
  body(QUESTION, {
    ...inCondition(activityFields),
    'at-least': orNull(integer('The least number of periods; default 1.', 0, PERIODS_MAX, { codes: WRONG })),
    'at-most': orNull(integer('The greatest number of periods.', 0, PERIODS_MAX, { codes: WRONG })),
  }),
);
export const severalQuestions = <S>(one: Schema<S>) =>
  oneOrSeveral(
    one,
    'One question or several.',
    'Either all questions are answered or none.',
    QUERIES_PER_REQUEST_MAX,
  );
export const funnels = named('Funnels', severalQuestions(funnel));
export const retentions = named('Retentions', severalQuestions(retention));
export const activities = named('Activities', severalQuestions(activity));
export const activesQueries = named('ActivesQueries', severalQuestions(actives));

export const number = (description: string) => plain<number>({ type: 'number', description });
export const numberOrNull = (description: string) =>
  plain<number | null>({ type: ['number', 'null'], description });
export const ends = plain<readonly [string, string]>(
  list(anyText, 'The start, which is included, and the end, which is excluded.', {
    minItems: 2,
    maxItems: 2,
  }),
);

export const stats = named(
  'SecondsStats',
  object({
    avg: numberOrNull('The mean.'),
    median: numberOrNull('The least value that at least half of them do not exceed.'),
    p90: numberOrNull('The least value that at least 90% of them do not exceed.'),
  }),
);
const funnelStepAnswer = named(
  'FunnelStepAnswer',
  object({
    name: anyText,
    count: number('Attempts that have the step.'),
    conversion: numberOrNull('Of the count of step 1.'),
    'step-conversion': numberOrNull('Of the count of the last step before it that is not optional.'),
    seconds: optional(stats),
    histogram: optional(
      list(
        object({ from: number('Seconds.'), to: number('Seconds.'), count: number('Attempts.') }),
        'Equal classes of the seconds to the last step.',
      ),
    ),
  }),
);
const funnelSteps = list(funnelStepAnswer, 'One per step.');
export const groupOf = <S extends Schema>(members: Readonly<Record<string, S>>) =>
  list(
    object({
      value: optional(plain<string | null>({ type: ['string', 'null'] })),
      others: optional(plain<true>({ const: true })),
      ...members,
    }),
    'The most frequent values, then the others, then entities without a value.',
  );
export const funnelAnswer = named(
  'FunnelAnswer',
  object({
    steps: funnelSteps,
    groups: optional(groupOf({ steps: funnelSteps })),
    series: optional(
      list(object({ between: ends, steps: funnelSteps }), 'By the period of the first event.'),
    ),
  }),
);
export type FunnelAnswer = Infer<typeof funnelAnswer>;

const counts = list(number('Entities.'), 'By period.');
const cohort = object({ between: ends, size: number('Entities.'), counts });
const retentionTotal = object({
  size: number('The sizes of all cohorts together.'),
  counts,
  ratios: list(numberOrNull('Of the cohorts that have the period.'), 'By period.'),
});
const cohorts = list(cohort, 'One per period.');
export const retentionAnswer = named(
  'RetentionAnswer',
  object({
    cohorts,
    total: retentionTotal,
    groups: optional(groupOf<Schema>({ cohorts, total: retentionTotal })),
  }),
);
export type RetentionAnswer = Infer<typeof retentionAnswer>;

export const lifecycleAnswer = named(
  'LifecycleAnswer',
  object({
    series: list(
      object({
        between: ends,
        new: number('Active for the first time.'),
        returning: number('Also active in the period before.'),
        resurrecting: number('Active before, but not in the period before.'),
        dormant: number('Active in the period before, but not now.'),
      }),
      'One per period.',
    ),
  }),
);
export type LifecycleAnswer = Infer<typeof lifecycleAnswer>;

export const stickinessAnswer = named(
  'StickinessAnswer',
  object({
    periods: number('The number of periods.'),
    counts: list(
      object({ active: number('Periods.'), count: number('Entities active in exactly so many.') }),
      'One per number of periods.',
    ),
  }),
);
export type StickinessAnswer = Infer<typeof stickinessAnswer>;

export const activesAnswer = named(
  'ActivesAnswer',
  object({
    series: list(
      object({
        between: ends,
        count: number('Entities active in the period.'),
        rolling: optional(number('Entities active in it and the periods before it.')),
      }),
      'One per period.',
    ),
  }),
);
export type ActivesAnswer = Infer<typeof activesAnswer>;
