/** Questions about sets of entities and single ones: overlaps, comparisons, timelines. */
import {
  columnNames,
  number,
  numberOrNull,
  QUESTION,
  questionFields,
  severalQuestions,
  WRONG,
} from './behaviour.js';
import { query } from './conditions.js';
import {
  anyText,
  body,
  type Infer,
  integer,
  list,
  map,
  named,
  object,
  optional,
  orNull,
  text,
  unread,
} from './schema.js';

export const OVERLAP_SEGMENTS_MAX = 10;
export const COMPARED_MAX = 100;
export const TIMELINE_ROWS_MAX = 1_000;

export const namedSegment = named(
  'NamedSegment',
  body(QUESTION, {
    name: text('The name in answers.', { codes: WRONG, minLength: 1 }),
    query: unread(query),
  }),
);

export const overlap = named(
  'Overlap',
  body(QUESTION, {
    ...questionFields,
    segments: list(unread(namedSegment), 'The segments, which have different names.', {
      minItems: 2,
      maxItems: OVERLAP_SEGMENTS_MAX,
      codes: WRONG,
    }),
  }),
);
export type Overlap = Infer<typeof overlap>;
export const overlaps = named('Overlaps', severalQuestions(overlap));

export const overlapAnswer = named(
  'OverlapAnswer',
  object({
    segments: list(object({ name: anyText, count: number('Entities in the segment.') }), 'As sent.'),
    combinations: list(
      object({
        in: list(anyText, 'The names of the segments.'),
        count: number('Entities in exactly these segments.'),
      }),
      'The greatest first.',
    ),
  }),
);
export type OverlapAnswer = Infer<typeof overlapAnswer>;

export const compare = named(
  'Compare',
  body(QUESTION, {
    ...questionFields,
    segments: list(unread(namedSegment), 'The two segments.', { minItems: 2, maxItems: 2, codes: WRONG }),
    columns: orNull(columnNames('The columns whose values are compared; default: all that the key may use.')),
    limit: orNull(integer('The number of values; default 20.', 1, COMPARED_MAX, { codes: WRONG })),
  }),
);
export type Compare = Infer<typeof compare>;
export const compares = named('Compares', severalQuestions(compare));

export const compareAnswer = named(
  'CompareAnswer',
  list(
    object({
      column: anyText,
      value: anyText,
      counts: list(number('Entities with the value.'), 'Of both segments.'),
      shares: list(numberOrNull('Of the entities of the segment.'), 'Of both segments.'),
      lift: numberOrNull('The first share over the second.'),
      'p-value': numberOrNull('Of the test, times the number of values tested, at most 1.'),
    }),
    'The values by which the segments differ most.',
  ),
);
export type CompareAnswer = Infer<typeof compareAnswer>;

export const timeline = named(
  'Timeline',
  body(QUESTION, {
    ...questionFields,
    'entity-id': text('The entity.', { codes: WRONG, minLength: 1 }),
    columns: orNull(columnNames('Event columns; default: all that the key may use.')),
    limit: orNull(integer('Events of a page; default 100.', 1, TIMELINE_ROWS_MAX, { codes: WRONG })),
    'page-token': orNull(text('The token of the page before.', { codes: { wrong: 4029 } })),
  }),
);
export type Timeline = Infer<typeof timeline>;
export const timelines = named('Timelines', severalQuestions(timeline));

export const timelineAnswer = named(
  'TimelineAnswer',
  object({
    data: list(
      object({
        date: anyText,
        column: optional(anyText),
        value: optional(anyText),
        relation: optional(anyText),
        values: optional(map(anyText, 'By column.')),
      }),
      'Newest first.',
    ),
    'page-token': optional(anyText),
  }),
);
export type TimelineAnswer = Infer<typeof timelineAnswer>;
