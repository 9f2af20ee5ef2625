/** The columns of questions about behaviour as tables of SQL: SELECT * FROM funnel('{...}'). */
import type { BEHAVIOUR_KINDS } from './words.js';

export interface QuestionColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'float' | 'datetime' | 'boolean';
  readonly description: string;
}

const column = (name: string, type: QuestionColumn['type'], description: string): QuestionColumn => ({
  name,
  type,
  description,
});

const PERIOD = [
  column('from', 'datetime', 'The start of the period.'),
  column('to', 'datetime', 'The end of the period, which is not part of it.'),
];
const GROUP = [
  column('value', 'text', 'The value of the group.'),
  column('others', 'boolean', 'Whether it is the group of all other values.'),
];
const PARTS = [column('part', 'text', '`whole`, `group` or `series`.'), ...GROUP, ...PERIOD];
const stats = (name: string): readonly QuestionColumn[] => [
  column(`${name}-avg`, 'float', 'The average.'),
  column(`${name}-median`, 'integer', 'The median.'),
  column(`${name}-p90`, 'integer', 'The value that 90% do not exceed.'),
];

export const QUESTION_COLUMNS: Readonly<Record<(typeof BEHAVIOUR_KINDS)[number], readonly QuestionColumn[]>> =
  {
    funnel: [
      ...PARTS,
      column('step', 'integer', 'The step, from 1.'),
      column('name', 'text', 'Its name.'),
      column('count', 'integer', 'Attempts that have the step; of a class of the histogram, those in it.'),
      column('conversion', 'float', 'Of the count of step 1.'),
      column('step-conversion', 'float', 'Of the count of the last step before it that is not optional.'),
      ...stats('seconds'),
      column('seconds-from', 'float', 'Of a class of the histogram: where it begins.'),
      column('seconds-to', 'float', 'Of a class of the histogram: where it ends.'),
    ],
    retention: [
      column('part', 'text', '`cohort` or `total`; of a group, `group cohort` or `group total`.'),
      ...GROUP,
      ...PERIOD,
      column('size', 'integer', 'Entities of the cohort.'),
      column('period', 'integer', 'The period or bracket, from 0.'),
      column('count', 'integer', 'Entities that returned.'),
      column('ratio', 'float', 'Of a total: over the cohorts that have the period.'),
    ],
    lifecycle: [
      ...PERIOD,
      column('new', 'integer', 'Active for the first time.'),
      column('returning', 'integer', 'Also active in the period before.'),
      column('resurrecting', 'integer', 'Active before, but not in the period before.'),
      column('dormant', 'integer', 'Active in the period before, but not now.'),
    ],
    stickiness: [
      column('active', 'integer', 'Periods.'),
      column('count', 'integer', 'Entities active in exactly so many.'),
    ],
    actives: [
      ...PERIOD,
      column('count', 'integer', 'Entities active in the period.'),
      column('rolling', 'integer', 'Entities active in it and the periods before it.'),
    ],
    sequence: [
      column('entities', 'integer', 'Entities with a match.'),
      column('matches', 'integer', 'Matches without overlaps.'),
    ],
    sessions: [
      ...PARTS,
      column('sessions', 'integer', 'Sessions.'),
      column('entities', 'integer', 'Entities with a session.'),
      column('single-event', 'integer', 'Sessions of one event.'),
      ...stats('seconds'),
      ...stats('events'),
    ],
    flow: [
      column('part', 'text', '`node`, `ended` (paths without a next event) or `link`.'),
      column('level', 'integer', 'From 1.'),
      column('node', 'integer', 'Index of the node in its level, from 0; of a link, of its first node.'),
      column('to', 'integer', 'Of a link: index of its second node in the next level.'),
      column('column', 'text', 'The event column of the node.'),
      column('value', 'text', 'The value of the node.'),
      column('others', 'boolean', 'True in the row that counts all events without a node of their own.'),
      column('count', 'integer', 'Paths.'),
      column('median-seconds', 'integer', 'Of a link: from one event to the next.'),
    ],
    overlap: [
      column('part', 'text', '`segment` or `combination`.'),
      column('name', 'text', 'The name of the segment.'),
      column('in', 'text', 'Of a combination: the names of its segments, as a JSON list.'),
      column('count', 'integer', 'Entities in the segment, or in exactly these.'),
    ],
    compare: [
      column('column', 'text', 'The column.'),
      column('value', 'text', 'The value.'),
      column('count-1', 'integer', 'Entities of the first segment with the value.'),
      column('count-2', 'integer', 'Entities of the second segment with the value.'),
      column('share-1', 'float', 'Of the entities of the first segment.'),
      column('share-2', 'float', 'Of the entities of the second segment.'),
      column('lift', 'float', 'The first share over the second.'),
      column('p-value', 'float', 'Of the test, corrected.'),
    ],
    timeline: [
      column('date', 'datetime', 'The date of the event.'),
      column('column', 'text', 'The column of the event.'),
      column('relation', 'text', 'The relation of the event, if its columns are of one.'),
      column('value', 'text', 'The value.'),
      column('values', 'text', 'Of a relation: the values by column, as a JSON object.'),
    ],
  };
