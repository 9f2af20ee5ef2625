/** Levels of aggregations and queries of top values, and what they are answered. */
import { KNOWN_FIELDS } from '../api/index.js';
import { LEVELS_PER_AGGREGATION_MAX, TOP_VALUES_MAX, TOP_VALUES_QUERIES_MAX } from '../base/index.js';
import { METRICS } from '../ir/index.js';
import { IN_LEVEL, levelWindow, minfreq } from './conditions.js';
import { bypassCache, dimension } from './fields.js';
import {
  anyOf,
  count,
  fieldsOf,
  listOf,
  mapOf,
  membersOf,
  oneOfTexts,
  orNull,
  ref,
  type Schema,
  wholeNumber,
} from './schema.js';

const howMany = wholeNumber('How many of the most frequent values.', 1, TOP_VALUES_MAX);
const metric = oneOfTexts(METRICS, 'Worked out over the values; stands in the last level.');

/** A level's own fields; whatever else it has is its column. A column that is called as a field is one where nothing else is. */
const levelFields = (own: Readonly<Record<string, Schema>>, wanted: Schema): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries({ ...own, ...IN_LEVEL }).map(([name, schema]) => [name, { anyOf: [schema, wanted] }]),
  ),
  additionalProperties: wanted,
  minProperties: 1,
});

const wantedOfLevel = anyOf('How many of the most frequent values, or a metric.', howMany, metric);

const { between, interval, ...ofTopValues } = fieldsOf(
  [...KNOWN_FIELDS.level, ...KNOWN_FIELDS.topValues],
  {
    between: levelWindow,
    interval: ref('Interval'),
    minfreq: minfreq('Leaves out values of fewer entities.'),
    dimension,
    'bypass-cache': bypassCache,
  },
  [],
).properties as Readonly<Record<string, Schema>>;

const BUCKET_ENDS = listOf({ type: 'string', format: 'date-time' }, 'From, and to, which is outside.', {
  minItems: 2,
  maxItems: 2,
});

export const LEVEL_SCHEMAS: Readonly<Record<string, Schema>> = {
  Level: {
    ...levelFields({ between, interval }, wantedOfLevel),
    description:
      'One column, how many of its values (or which metric), and predicates that choose among them, each of which may take a list.',
    examples: [{ country: 10 }, { paid: 'sum', between: ['2026-01-05', '+1w'], interval: 'days' }],
  },
  Levels: anyOf(
    `From the outermost in: top values of top values, at last perhaps a metric. At most ${LEVELS_PER_AGGREGATION_MAX}.`,
    ref('Level'),
    listOf(ref('Level'), 'The levels.', { minItems: 1, maxItems: LEVELS_PER_AGGREGATION_MAX }),
  ),
  Aggregation: fieldsOf(
    KNOWN_FIELDS.aggregation,
    {
      dimension,
      filter: orNull(
        anyOf('Which entities.', listOf(false as unknown as Schema, 'All.', { maxItems: 0 }), ref('Query')),
      ),
      query: ref('Levels'),
      'bypass-cache': bypassCache,
    },
    ['query'],
  ),
  TopValuesQuery: {
    ...levelFields({ between, ...ofTopValues }, howMany),
    description: 'One column, how many of its most frequent values, and predicates that choose among them.',
    examples: [{ visit: 10, 'starts-with': ['pri', 'do'] }],
  },
  TopValues: mapOf(ref('TopValuesQuery'), 'Queries by name.', {
    properties: {
      'bypass-cache': anyOf(
        'Of all of them, where it is a boolean.',
        { type: 'boolean' },
        ref('TopValuesQuery'),
      ),
    },
    minProperties: 1,
    maxProperties: TOP_VALUES_QUERIES_MAX + 1,
  }),
  ValueCount: {
    type: 'object',
    description:
      'A value, how many entities have it, and under its column’s name what the next level found in them.',
    properties: { quantity: count('Entities.'), value: { type: 'string' } },
    required: ['quantity', 'value'],
    additionalProperties: ref('LevelAnswer'),
    maxProperties: 3,
  },
  Bucket: {
    type: 'object',
    description: 'The metric within a bucket or window.',
    properties: { between: BUCKET_ENDS },
    required: ['between'],
    additionalProperties: ref('MetricValue'),
    minProperties: 2,
    maxProperties: 2,
  },
  MetricValue: {
    type: ['number', 'string', 'null'],
    description: 'A number, or a text of `min` and `max` of dates; null over nothing.',
  },
  LevelAnswer: anyOf(
    'Values, the most frequent first; or a histogram; or a metric by its name.',
    listOf(ref('ValueCount'), 'Values.'),
    listOf(ref('Bucket'), 'Buckets that hold something.'),
    mapOf(ref('MetricValue'), 'A metric.', {
      propertyNames: { enum: METRICS },
      minProperties: 1,
      maxProperties: 1,
    }),
  ),
  LevelResult: mapOf(ref('LevelAnswer'), 'Under its column’s name what the outermost level found.', {
    minProperties: 1,
    maxProperties: 1,
  }),
  TopValuesResult: mapOf(
    mapOf(
      listOf(
        membersOf({ quantity: count('Entities.'), value: { type: 'string' } }),
        'The most frequent first.',
      ),
      'By the column’s name.',
      { minProperties: 1, maxProperties: 1 },
    ),
    'By the name of the query.',
  ),
  EventCount: anyOf(
    'How many events, or by interval.',
    { type: 'integer', minimum: 0 },
    listOf(membersOf({ count: count('Events.'), between: BUCKET_ENDS }), 'Buckets that hold some.'),
  ),
};
