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
  text('A string; case is ignored.', { minLength: 1, maxLength: TEXT_POINTS_MAX }),
);
const numberText = named(
  'NumberText',
  text('A number as a string, for clients whose numbers are not exact.', {
    minLength: 1,
    maxLength: TEXT_POINTS_MAX,
  }),
);
const aNumber = plain<Integer>({ type: 'number' });

export const operand = named(
  'Operand',
  union(
    'A value of the column: a string (for dates; optionally for integers and decimals), a number, or a boolean.',
    textOperand,
    aNumber,
    plain<boolean>({ type: 'boolean' }),
  ),
);
/** A value that a predicate compares with. Dates are strings. */
export type Operand = Infer<typeof operand>;

const range = named(
  'Range',
  plain<readonly [Operand, Operand]>(
    list(operand, 'Both ends, which are included. Two integers for integer columns.', {
      minItems: 2,
      maxItems: 2,
    }),
  ),
);

/** A date (`2026-01-05`, `2026-01-05T09:30:00Z`) or `now`. */
export type Instant = string;
/** Two dates; the second may be relative to the first (`+1w`, `-30d`), or today. Both ends are included. */
export type Between = readonly [from: Instant, to: Instant] | readonly ['today'];

export const between = named(
  'Between',
  plain<Between>(
    list(
      anyText,
      'A time window with both ends included: two dates (`2026-01-05`, `2026-01-05T09:30:00Z`, `now`), the second of which may be relative to the first (`+1w`, `-30d`; sec, min, hr, d, w, m, y), or `["today"]`.',
      { minItems: 1, maxItems: 2, examples: [['2026-01-05', '+1w'], ['now', '-30d'], ['today']] },
    ),
  ),
);

export const interval = named(
  'Interval',
  choice(
    INTERVALS,
    'Half-open buckets that begin at whole units in UTC or `time-zone`; weeks begin on Mondays or `week-start`.',
    {
      wrong: 4027,
      null: 4027,
    },
  ),
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
const windowInside = optional(
  described(between, 'Time window for event columns, unless `between` is next to the predicate.'),
);

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
        'Distance from the point along a great circle.',
        plain<number>({ type: 'number', minimum: 0 }),
        numberText,
      ) as Schema<number>,
      unit: choice(DISTANCE_UNITS, 'Unit of the radius.', { null: 4049 }),
      between: windowInside,
    },
    { description: 'Points within a radius.' },
  ),
);
export type GeoRadius = Infer<typeof geoRadius>;

export const geoBoundingBox = named(
  'GeoBoundingBox',
  body(
    CONDITION_CODES,
    { 'lower-left': geoPoint, 'upper-right': geoPoint, between: windowInside },
    { description: 'Points within a box, which may cross the 180th meridian.' },
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
      limit: integer('Number of entities; at most 1,024 in a score.', 1, undefined, {
        codes: { wrong: 4028 },
        saturates: true,
      }),
      show_coordinates: orNull(
        flag('Adds the coordinates of each point found to the answer, as `<column>_coordinates`.'),
      ),
      between: windowInside,
    },
    {
      description:
        'The nearest entities. Only in extractions, once, at the top level of a query whose conditions are joined by `and`.',
    },
  ),
);
export type GeoNear = Infer<typeof geoNear>;

const texts = (description: string) =>
  union(
    description,
    textOperand,
    list(textOperand, 'Values; any of them may match.', { minItems: 1, maxItems: VALUES_PER_LIST_MAX }),
  );
const many = <S>(what: Schema<S>, description: string) =>
  list(what, description, { minItems: 1, maxItems: VALUES_PER_LIST_MAX });

/** The predicates and their operands in a condition. */
export const predicateFields = {
  equals: optional(described(operand, 'The value is this one.')),
  'not-equals': optional(described(operand, 'The value is not this one.')),
  in: optional(many(operand, 'The value is one of these.')),
  'not-in': optional(many(operand, 'The value is not one of these.')),
  range: optional(described(range, 'The value is between these two, both inclusive.')),
  gt: optional(described(operand, 'The value is above this one.')),
  gte: optional(described(operand, 'The value is at least this one.')),
  lt: optional(described(operand, 'The value is below this one.')),
  lte: optional(described(operand, 'The value is at most this one.')),
  contains: optional(texts('The text contains this.')),
  'not-contains': optional(texts('The text does not contain this.')),
  'starts-with': optional(texts('The text starts with this.')),
  'not-starts-with': optional(texts('The text does not start with this.')),
  'ends-with': optional(texts('The text ends with this.')),
  'not-ends-with': optional(texts('The text does not end with this.')),
  geo_radius: optional(geoRadius),
  geo_bounding_box: optional(geoBoundingBox),
  geo_near: optional(geoNear),
};
export type PredicateName = keyof typeof predicateFields;
/** Every predicate of conditions and levels, for any column type. */
export const PREDICATES = Object.keys(predicateFields) as readonly PredicateName[];

/** Applies to the predicates on texts in the same condition or level. */
export const IGNORE_CASE = 'ignore-case';
export const ignoreCase = optional(
  flag('Compares texts without their case; for string columns and entity IDs whose case is preserved.'),
);

/** An integer from 1 to MINFREQ_MAX. */
export const minfreq = (description: string) =>
  integer(description, 1, MINFREQ_MAX, { codes: MINFREQ_CODES });
const MINFREQ_CODES: Codes = { wrong: 4050 };

/** Fields of a condition on an event column other than its predicates. */
export const eventFields = {
  between: optional(
    described(between, 'The time window of the events. Required for event columns, refused for others.'),
  ),
  minfreq: optional(minfreq('The minimum number of such events.')),
};

export const predicates = named(
  'Predicates',
  object(
    { ...predicateFields, [IGNORE_CASE]: ignoreCase, ...eventFields },
    {
      minProperties: 1,
      description:
        'Predicates on the column, all of which must be true. Strings: equals, in, contains, starts-with, ends-with and their `not-` forms. Numbers and dates: equals, in, range, gt, gte, lt, lte. Geolocations: geo_radius, geo_bounding_box, geo_near.',
    },
  ),
);
/** Predicates on a column, all of which must be true. */
export type Predicates = Infer<typeof predicates>;

export const columnCondition = named(
  'ColumnCondition',
  map(predicates, 'The api-name of one column and the predicates on it.', {
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
      minfreq: optional(minfreq('The minimum number of events of all conditions together; default 1.')),
      freqgroup: unread(
        list(columnCondition, 'Conditions on event columns whose events are counted together.', {
          minItems: 1,
          maxItems: CONDITIONS_PER_QUERY_MAX,
        }),
      ),
    },
  ),
);
/** Events of several columns that count together. */
export type Frequency = Infer<typeof frequency>;

/** A condition on behaviour: a question and the place in its answer where the entity counts. */
export type BehaviourCondition =
  | { readonly funnel: Readonly<Record<string, unknown>> }
  | { readonly sequence: Readonly<Record<string, unknown>> }
  | { readonly retention: Readonly<Record<string, unknown>> }
  | { readonly active: Readonly<Record<string, unknown>> };

export const segmentCondition = named(
  'SegmentCondition',
  object(
    { segment: text('The name of a segment of the dimension.') },
    { description: 'A member of the segment.' },
  ),
);
/** Membership in a segment. */
export type SegmentCondition = Infer<typeof segmentCondition>;

const condition = named(
  'Condition',
  union(
    'A condition on a column, a group of events, a condition on behaviour, or on a segment.',
    columnCondition,
    frequency,
    segmentCondition,
    later<BehaviourCondition>('BehaviourCondition'),
  ),
);
export type Condition = ColumnCondition | Frequency | BehaviourCondition | SegmentCondition;

export const OPERATORS = ['and', 'or', 'not'] as const;
/** Conditions with operators between them; a list may begin with `not` and may contain lists. */
export type Query = readonly (Condition | (typeof OPERATORS)[number] | Query)[];

export const query = named(
  'Query',
  plain<Query>(
    list(
      union(
        'A condition, an operator, or a nested list with its own operators.',
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

/** Fields of several bodies. */
const dimensionText = (description: string) =>
  text(description, { codes: { wrong: 5009, null: 5009 }, noun: "a dimension's api-name" });
export const dimensionName = dimensionText('Api-name of a dimension.');
export const dimension = orNull(dimensionText('Api-name of the dimension; default `default`.'));
export const bypassCache = orNull(flag('Recomputes the answer instead of using a cached one.'));
