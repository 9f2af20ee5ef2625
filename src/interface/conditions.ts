/**
 * Conditions and their parts: query lists, predicates, points, windows of time. The operands of a predicate depend on the
 * type of its column, which a schema cannot express: the schemas accept the operands of any type, and src/api binds them
 * against the column.
 */
import {
  CONDITIONS_PER_QUERY_MAX,
  MINFREQ_MAX,
  TEXT_POINTS_MAX,
  VALUES_PER_LIST_MAX,
} from '../base/limits.js';
import {
  anyText,
  body,
  type Codes,
  choice,
  described,
  flag,
  type Infer,
  integer,
  later,
  list,
  map,
  named,
  object,
  optional,
  orNull,
  plain,
  type Schema,
  text,
  union,
  unread,
} from './schema.js';
import { DISTANCE_UNITS, INTERVALS } from './words.js';

export type Integer = number | bigint;

export const textOperand = named(
  'Text',
  text('Compared without case.', { minLength: 1, maxLength: TEXT_POINTS_MAX }),
);
const numberText = named(
  'NumberText',
  text('A number as text, for clients whose numbers are not exact.', {
    minLength: 1,
    maxLength: TEXT_POINTS_MAX,
  }),
);
const aNumber = plain<Integer>({ type: 'number' });

export const operand = named(
  'Operand',
  union(
    'A value of the column: a text (dates are texts, integers and decimals may be), a number, or a boolean.',
    textOperand,
    aNumber,
    plain<boolean>({ type: 'boolean' }),
  ),
);
/** A value that a predicate compares with: dates are texts. */
export type Operand = Infer<typeof operand>;

const range = named(
  'Range',
  plain<readonly [Operand, Operand]>(
    list(operand, 'Both ends, which are inside. On integer columns two integers.', {
      minItems: 2,
      maxItems: 2,
    }),
  ),
);

/** A date (`2026-01-05`, `2026-01-05T09:30:00Z`) or `now`. */
export type Instant = string;
/** Two dates, of which the second may be relative to the first (`+1w`, `-30d`), or today. Both ends are inside. */
export type Between = readonly [from: Instant, to: Instant] | readonly ['today'];

export const between = named(
  'Between',
  plain<Between>(
    list(
      anyText,
      'A window of time, its ends inside: two dates (`2026-01-05`, `2026-01-05T09:30:00Z`, `now`), of which the second may be relative to the first (`+1w`, `-30d`; sec, min, hr, d, w, m, y), or `["today"]`.',
      { minItems: 1, maxItems: 2, examples: [['2026-01-05', '+1w'], ['now', '-30d'], ['today']] },
    ),
  ),
);

export const interval = named(
  'Interval',
  choice(INTERVALS, 'Half-open buckets that begin at full units of UTC, weeks on Mondays.', {
    wrong: 4027,
    null: 4027,
  }),
);
export type Interval = Infer<typeof interval>;

/** The error codes of the parts of conditions. */
export const CONDITION_CODES = { wrong: 4049, missing: 4010, type: 4049 } as const;

const degrees = (limit: number): Schema<number> =>
  union(
    'Degrees.',
    plain<number>({ type: 'number', minimum: -limit, maximum: limit }),
    numberText,
  ) as Schema<number>;
const longitude = degrees(180);
const latitude = degrees(90);
const windowInside = optional(described(between, 'On event columns, unless it stands beside the predicate.'));

export const geoPoint = named('GeoPoint', body(CONDITION_CODES, { longitude, latitude }));
export type GeoPoint = Infer<typeof geoPoint>;

export const geoRadius = named(
  'GeoRadius',
  body(
    CONDITION_CODES,
    {
      longitude,
      latitude,
      radius: union(
        'From the point, along a great circle.',
        plain<number>({ type: 'number', minimum: 0 }),
        numberText,
      ) as Schema<number>,
      unit: choice(DISTANCE_UNITS, 'Of the radius.', { null: 4049 }),
      between: windowInside,
    },
    { description: 'Places within a radius.' },
  ),
);
export type GeoRadius = Infer<typeof geoRadius>;

export const geoBoundingBox = named(
  'GeoBoundingBox',
  body(
    CONDITION_CODES,
    { 'lower-left': geoPoint, 'upper-right': geoPoint, between: windowInside },
    { description: 'Places within a box, which may run over the 180th meridian.' },
  ),
);
export type GeoBoundingBox = Infer<typeof geoBoundingBox>;

export const geoNear = named(
  'GeoNear',
  body(
    CONDITION_CODES,
    {
      longitude,
      latitude,
      limit: integer('How many entities; at most 1,024 in a score.', 1, undefined, {
        codes: { wrong: 4028 },
        saturates: true,
      }),
      show_coordinates: orNull(flag('Answers each place that was found as `<column>_coordinates`.')),
      between: windowInside,
    },
    {
      description: 'The nearest entities, in extractions only: once, at the top of a query joined by `and`.',
    },
  ),
);
export type GeoNear = Infer<typeof geoNear>;

const texts = (description: string) =>
  union(
    description,
    textOperand,
    list(textOperand, 'Any of them.', { minItems: 1, maxItems: VALUES_PER_LIST_MAX }),
  );
const many = <S>(what: Schema<S>, description: string) =>
  list(what, description, { minItems: 1, maxItems: VALUES_PER_LIST_MAX });

/** The predicates and their operands in a condition. */
export const predicateFields = {
  equals: optional(described(operand, 'The value is this one.')),
  'not-equals': optional(described(operand, 'The value is not this one.')),
  in: optional(many(operand, 'The value is one of these.')),
  'not-in': optional(many(operand, 'The value is none of these.')),
  range: optional(described(range, 'The value is between these two, both inside.')),
  gt: optional(described(operand, 'The value is above this.')),
  gte: optional(described(operand, 'The value is this or above.')),
  lt: optional(described(operand, 'The value is below this.')),
  lte: optional(described(operand, 'The value is this or below.')),
  contains: optional(texts('A part of the text.')),
  'not-contains': optional(texts('No part of the text.')),
  'starts-with': optional(texts('The text begins so.')),
  'not-starts-with': optional(texts('The text does not begin so.')),
  'ends-with': optional(texts('The text ends so.')),
  'not-ends-with': optional(texts('The text does not end so.')),
  geo_radius: optional(geoRadius),
  geo_bounding_box: optional(geoBoundingBox),
  geo_near: optional(geoNear),
};
export type PredicateName = keyof typeof predicateFields;
/** Every predicate of conditions and levels, for any column type. */
export const PREDICATES = Object.keys(predicateFields) as readonly PredicateName[];

/** An integer from 1 to MINFREQ_MAX. */
export const minfreq = (description: string) =>
  integer(description, 1, MINFREQ_MAX, { codes: MINFREQ_CODES });
const MINFREQ_CODES: Codes = { wrong: 4050 };

/** Fields of a condition on an event column other than its predicates. */
export const eventFields = {
  between: optional(
    described(between, 'The window of the events. Wanted on event columns, refused on others.'),
  ),
  minfreq: optional(minfreq('How many such events there must be at least.')),
};

export const predicates = named(
  'Predicates',
  object(
    { ...predicateFields, ...eventFields },
    {
      minProperties: 1,
      description:
        'What must hold for the column, all of it. Texts: equals, in, contains, starts-with, ends-with and their `not-` forms. Numbers and dates: equals, in, range, gt, gte, lt, lte. Places: geo_radius, geo_bounding_box, geo_near.',
    },
  ),
);
/** Predicates on a column, all of which must hold. */
export type Predicates = Infer<typeof predicates>;

export const columnCondition = named(
  'ColumnCondition',
  map(predicates, 'One column, named by its api-name, and what must hold for it.', {
    minProperties: 1,
    maxProperties: 1,
    examples: [{ age: { gte: 30 } }],
  }),
);
/** A column and its predicates. */
export type ColumnCondition = Infer<typeof columnCondition>;

export const frequency = named(
  'Frequency',
  body(
    { wrong: 4049, missing: 4049, type: 4049 },
    {
      minfreq: optional(minfreq('How many events of all of them together; 1 unless given.')),
      freqgroup: unread(
        list(columnCondition, 'Conditions on event columns, whose events count together.', {
          minItems: 1,
          maxItems: CONDITIONS_PER_QUERY_MAX,
        }),
      ),
    },
  ),
);
/** Events of several columns that count together. */
export type Frequency = Infer<typeof frequency>;

const condition = named(
  'Condition',
  union('A condition on a column, or a group of events.', columnCondition, frequency),
);
export type Condition = ColumnCondition | Frequency;

export const OPERATORS = ['and', 'or', 'not'] as const;
/** Conditions with operators between them; a list may begin with `not` and may contain lists. */
export type Query = readonly (Condition | (typeof OPERATORS)[number] | Query)[];

export const query = named(
  'Query',
  plain<Query>(
    list(
      union(
        'A condition, an operator, or a list with operators of its own.',
        choice(
          OPERATORS,
          '`and` binds before `or`; `not` may only be the first element of a list and negates the operand after it.',
        ),
        condition,
        later<Query>('Query'),
      ),
      `Conditions with operators between them: at most ${CONDITIONS_PER_QUERY_MAX}, on at most 20 columns, nested at most 64 deep.`,
      {
        minItems: 1,
        examples: [
          [
            { country: { equals: 'germany' } },
            'and',
            { visit: { equals: 'pricing', between: ['2026-01-01', '+1w'] } },
          ],
        ],
      },
    ),
  ),
);

/** Fields that several bodies have. */
const dimensionText = (description: string) =>
  text(description, { codes: { wrong: 5009, null: 5009 }, noun: "a dimension's api-name" });
export const dimensionName = dimensionText('Api-name of a dimension.');
export const dimension = orNull(dimensionText('Api-name of the dimension; `default` unless given.'));
export const bypassCache = orNull(flag('Works it out again instead of remembering the answer.'));
