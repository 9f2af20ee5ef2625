/**
 * Conditions and what they are made of: query lists, predicates, places, windows of time. What a predicate takes depends on its
 * column's type, which no schema knows: these say what some column takes.
 */
import { KNOWN_FIELDS, PREDICATES, type PredicateName } from '../api/index.js';
import {
  CONDITIONS_PER_QUERY_MAX,
  MINFREQ_MAX,
  TEXT_POINTS_MAX,
  VALUES_PER_LIST_MAX,
  WINDOWS_PER_LEVEL_MAX,
} from '../base/index.js';
import { INTERVALS } from '../schema/index.js';
import {
  anyOf,
  fieldsOf,
  flag,
  listOf,
  mapOf,
  oneOfTexts,
  orNull,
  ref,
  type Schema,
  wholeNumber,
} from './schema.js';

export const minfreq = (what: string): Schema => wholeNumber(what, 1, MINFREQ_MAX);

const texts = (description: string): Schema =>
  anyOf(
    description,
    ref('Text'),
    listOf(ref('Text'), 'Any of them.', { minItems: 1, maxItems: VALUES_PER_LIST_MAX }),
  );

const many = (what: Schema, description: string): Schema =>
  listOf(what, description, { minItems: 1, maxItems: VALUES_PER_LIST_MAX });

/** What a predicate takes in a condition. */
const IN_CONDITION: Readonly<Record<PredicateName, Schema>> = {
  equals: ref('Operand'),
  'not-equals': ref('Operand'),
  in: many(ref('Operand'), 'The value is one of these.'),
  'not-in': many(ref('Operand'), 'The value is none of these.'),
  range: ref('Range'),
  gt: ref('Operand'),
  gte: ref('Operand'),
  lt: ref('Operand'),
  lte: ref('Operand'),
  contains: texts('A part of the text.'),
  'not-contains': texts('No part of the text.'),
  'starts-with': texts('The text begins so.'),
  'not-starts-with': texts('The text does not begin so.'),
  'ends-with': texts('The text ends so.'),
  'not-ends-with': texts('The text does not end so.'),
  geo_radius: ref('GeoRadius'),
  geo_bounding_box: ref('GeoBoundingBox'),
  geo_near: ref('GeoNear'),
};

const manyOrOne = (schema: Schema): Schema =>
  anyOf('One, or a list of which any may match.', schema, many(schema, 'Any may match.'));

/** What it takes in a level of an aggregation and in a query of top values: lists of operands wherever a condition takes one. */
export const IN_LEVEL: Readonly<Record<string, Schema>> = Object.fromEntries(
  PREDICATES.filter((name) => name !== 'geo_near').map((name) => {
    const schema = IN_CONDITION[name];
    return [
      name,
      'anyOf' in schema || schema.type === 'array' ? manyOrOne(ref('Operand')) : manyOrOne(schema),
    ];
  }),
);

const longitude: Schema = anyOf(
  'Degrees.',
  { type: 'number', minimum: -180, maximum: 180 },
  ref('NumberText'),
);
const latitude: Schema = anyOf('Degrees.', { type: 'number', minimum: -90, maximum: 90 }, ref('NumberText'));
const eventWindow: Schema = {
  ...ref('Between'),
  description: 'On event columns, unless it stands beside the predicate.',
};

export const CONDITION_SCHEMAS: Readonly<Record<string, Schema>> = {
  Text: { type: 'string', minLength: 1, maxLength: TEXT_POINTS_MAX, description: 'Compared without case.' },
  NumberText: {
    type: 'string',
    minLength: 1,
    maxLength: TEXT_POINTS_MAX,
    description: 'A number as text, for clients whose numbers are not exact.',
  },
  Operand: anyOf(
    'A value of the column: a text (dates are texts, integers and decimals may be), a number, or a boolean.',
    ref('Text'),
    { type: 'number' },
    { type: 'boolean' },
  ),
  Range: listOf(ref('Operand'), 'Both ends, which are inside. On integer columns two integers.', {
    minItems: 2,
    maxItems: 2,
  }),
  Between: listOf(
    { type: 'string' },
    'A window of time, its ends inside: two dates (`2026-01-05`, `2026-01-05T09:30:00Z`, `now`), of which the second may be relative to the first (`+1w`, `-30d`; sec, min, hr, d, w, m, y), or `["today"]`.',
    { minItems: 1, maxItems: 2, examples: [['2026-01-05', '+1w'], ['now', '-30d'], ['today']] },
  ),
  Interval: oneOfTexts(INTERVALS, 'Half-open buckets that begin at full units of UTC, weeks on Mondays.'),
  GeoPoint: fieldsOf(KNOWN_FIELDS.point, { longitude, latitude }, ['longitude', 'latitude']),
  GeoRadius: fieldsOf(
    KNOWN_FIELDS.geoRadius,
    {
      longitude,
      latitude,
      radius: anyOf(
        'From the point, along a great circle.',
        { type: 'number', minimum: 0 },
        ref('NumberText'),
      ),
      unit: oneOfTexts(['km', 'm', 'mi', 'deg'], 'Of the radius.'),
      between: eventWindow,
    },
    ['longitude', 'latitude', 'radius', 'unit'],
    { description: 'Places within a radius.' },
  ),
  GeoBoundingBox: fieldsOf(
    KNOWN_FIELDS.geoBoundingBox,
    { 'lower-left': ref('GeoPoint'), 'upper-right': ref('GeoPoint'), between: eventWindow },
    ['lower-left', 'upper-right'],
    { description: 'Places within a box, which may run over the 180th meridian.' },
  ),
  GeoNear: fieldsOf(
    KNOWN_FIELDS.geoNear,
    {
      longitude,
      latitude,
      limit: wholeNumber('How many entities; at most 1,024 in a score.', 1),
      show_coordinates: orNull(flag('Answers each place that was found as `<column>_coordinates`.')),
      between: eventWindow,
    },
    ['longitude', 'latitude', 'limit'],
    {
      description: 'The nearest entities, in extractions only: once, at the top of a query joined by `and`.',
    },
  ),
  Predicates: fieldsOf(
    [...PREDICATES, ...KNOWN_FIELDS.event],
    {
      ...IN_CONDITION,
      between: {
        ...ref('Between'),
        description: 'The window of the events. Wanted on event columns, refused on others.',
      },
      minfreq: minfreq('How many such events there must be at least.'),
    },
    [],
    {
      minProperties: 1,
      description:
        'What must hold for the column, all of it. Texts: equals, in, contains, starts-with, ends-with and their `not-` forms. Numbers and dates: equals, in, range, gt, gte, lt, lte. Places: geo_radius, geo_bounding_box, geo_near.',
    },
  ),
  Frequency: fieldsOf(
    KNOWN_FIELDS.freqgroup,
    {
      minfreq: minfreq('How many events of all of them together; 1 unless given.'),
      freqgroup: listOf(ref('ColumnCondition'), 'Conditions on event columns, whose events count together.', {
        minItems: 1,
        maxItems: CONDITIONS_PER_QUERY_MAX,
      }),
    },
    ['freqgroup'],
  ),
  ColumnCondition: mapOf(ref('Predicates'), 'One column, named by its api-name, and what must hold for it.', {
    minProperties: 1,
    maxProperties: 1,
    examples: [{ age: { gte: 30 } }],
  }),
  Condition: anyOf(
    'A condition on a column, or a group of events.',
    ref('ColumnCondition'),
    ref('Frequency'),
  ),
  Query: listOf(
    anyOf(
      'A condition, an operator, or a list with operators of its own.',
      oneOfTexts(
        ['and', 'or', 'not'],
        '`and` binds before `or`; `not` may only head a list and stands for the operand behind it.',
      ),
      ref('Condition'),
      ref('Query'),
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
};

/** The window of a level: one, or several of a histogram. */
export const levelWindow: Schema = anyOf(
  'The window of the events; with a metric also a list of half-open windows.',
  ref('Between'),
  listOf(ref('Between'), 'A window each.', { minItems: 1, maxItems: WINDOWS_PER_LEVEL_MAX }),
);
