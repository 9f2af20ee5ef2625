/** Questions about the order of events: sequences, sessions, flows; and all conditions on behaviour. */
import {
  activeCondition,
  behaviourEvent,
  breakdown,
  columnNames,
  duration,
  ends,
  funnelCondition,
  groupOf,
  inCondition,
  intervals,
  number,
  numberOrNull,
  QUESTION,
  questionFields,
  retentionCondition,
  severalQuestions,
  stats,
  WRONG,
} from './behaviour.js';
import {
  anyText,
  body,
  choice,
  flag,
  type Infer,
  integer,
  list,
  named,
  object,
  optional,
  orNull,
  plain,
  text,
  union,
  unread,
} from './schema.js';

export const CONDITIONS_MAX = 32;
const PATTERN_POINTS_MAX = 4_000;
const SESSION_STARTS_MAX = 32;
export const FLOW_DEPTH_MAX = 10;
export const FLOW_NODES_MAX = 50;

export const sequence = named(
  'Sequence',
  body(QUESTION, {
    ...questionFields,
    conditions: list(unread(behaviourEvent), 'The conditions, which the pattern numbers from 1.', {
      minItems: 1,
      maxItems: CONDITIONS_MAX,
      codes: WRONG,
    }),
    pattern: text(
      'What an entity must do: `(?N)` an event that satisfies condition N, `(?!N)` one that does not, `.` any event, `.*` any number of events, `(?t<=S)` the seconds between two events.',
      { codes: WRONG, maxLength: PATTERN_POINTS_MAX },
    ),
  }),
);
export type Sequence = Infer<typeof sequence>;

export const sessions = named(
  'Sessions',
  body(QUESTION, {
    ...questionFields,
    stream: columnNames('The event columns whose events are divided into sessions.'),
    gap: duration,
    starts: orNull(
      list(unread(behaviourEvent), 'Events of the stream that begin a new session.', {
        maxItems: SESSION_STARTS_MAX,
        codes: WRONG,
      }),
    ),
    interval: orNull(intervals),
    breakdown: unread(orNull(breakdown)),
  }),
);
export type Sessions = Infer<typeof sessions>;

export const flow = named(
  'Flow',
  body(QUESTION, {
    ...questionFields,
    start: unread(behaviourEvent),
    stream: orNull(columnNames('The event columns that paths go through; default: that of the start.')),
    depth: orNull(integer('Levels, the start among them; default 4.', 1, FLOW_DEPTH_MAX, { codes: WRONG })),
    limit: orNull(integer('Nodes of a level; default 8.', 1, FLOW_NODES_MAX, { codes: WRONG })),
    direction: orNull(
      choice(['after', 'before'], 'Whether paths follow or precede the start; default after.', WRONG),
    ),
    within: orNull(duration),
    from: orNull(choice(['first', 'every'], 'The matching events that begin a path; default first.', WRONG)),
    collapse: orNull(flag('Leaves out events that are equal to the one before.', WRONG)),
  }),
);
export type Flow = Infer<typeof flow>;

export const sequenceCondition = named('SequenceCondition', body(QUESTION, inCondition(sequence.properties)));
export const behaviourCondition = named(
  'BehaviourCondition',
  union(
    'A condition on behaviour: the entities that the answer to a question counts in some place.',
    object({ funnel: funnelCondition }),
    object({ sequence: sequenceCondition }),
    object({ retention: retentionCondition }),
    object({ active: activeCondition }),
  ),
);

export const sequences = named('Sequences', severalQuestions(sequence));
export const sessionsQueries = named('SessionsQueries', severalQuestions(sessions));
export const flows = named('Flows', severalQuestions(flow));

export const sequenceAnswer = named(
  'SequenceAnswer',
  object({ entities: number('Entities with a match.'), matches: number('Matches without overlaps.') }),
);
export type SequenceAnswer = Infer<typeof sequenceAnswer>;

const sessionMembers = {
  sessions: number('Sessions.'),
  entities: number('Entities with a session.'),
  'single-event': number('Sessions of one event.'),
  seconds: stats,
  events: stats,
};
export const sessionsAnswer = named(
  'SessionsAnswer',
  object({
    ...sessionMembers,
    series: optional(list(object({ between: ends, ...sessionMembers }), 'By the period of the first event.')),
    groups: optional(groupOf<(typeof sessionMembers)[keyof typeof sessionMembers]>(sessionMembers)),
  }),
);
export type SessionsAnswer = Infer<typeof sessionsAnswer>;

const flowNode = object({
  column: optional(anyText),
  value: optional(anyText),
  others: optional(plain<true>({ const: true })),
  count: number('Paths.'),
});
export const flowAnswer = named(
  'FlowAnswer',
  object({
    levels: list(
      object({
        nodes: list(flowNode, 'The most frequent events, then the others.'),
        ended: number('Paths without a next event.'),
      }),
      'One per level; the first has the start.',
    ),
    links: list(
      object({
        level: number('From 1.'),
        from: number('Index of a node of the level.'),
        to: number('Index of a node of the next level.'),
        count: number('Paths.'),
        'median-seconds': numberOrNull('From one event to the next.'),
      }),
      'What follows what.',
    ),
  }),
);
export type FlowAnswer = Infer<typeof flowAnswer>;
