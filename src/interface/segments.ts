/** Questions about several sets of entities: overlaps. */
import { number, QUESTION, questionFields, severalQuestions, WRONG } from './behaviour.js';
import { query } from './conditions.js';
import { anyText, body, type Infer, list, named, object, text, unread } from './schema.js';

export const OVERLAP_SEGMENTS_MAX = 10;

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
