/** Levels of aggregations and queries of top values. A level names its column by a key next to its fields. */
import {
  LEVELS_PER_AGGREGATION_MAX,
  TOP_VALUES_MAX,
  TOP_VALUES_QUERIES_MAX,
  VALUES_PER_LIST_MAX,
  WINDOWS_PER_LEVEL_MAX,
} from '../base/limits.js';
import {
  type Between,
  between,
  bypassCache,
  dimension,
  IGNORE_CASE,
  type Interval,
  ignoreCase,
  interval,
  minfreq,
  type Operand,
  operand,
  PREDICATES,
  type Predicates,
  predicateFields,
  query,
} from './conditions.js';
import { localTimeFields, type WEEK_STARTS } from './local-time.js';
import {
  body,
  choice,
  type Fields,
  type Infer,
  integer,
  list,
  map,
  named,
  oneOrSeveral,
  optional,
  orNull,
  plain,
  type Schema,
  union,
  unread,
} from './schema.js';
import { METRICS } from './words.js';

const manyOrOne = (schema: Schema): Schema =>
  union(
    'One operand, or a list of operands; any of them may match.',
    schema,
    list(schema, 'Operands; any of them may match.', { minItems: 1, maxItems: VALUES_PER_LIST_MAX }),
  );

/** The operands of predicates in a level: a list where a condition takes one operand. */
const levelPredicates: Fields = Object.fromEntries([
  [IGNORE_CASE, ignoreCase],
  ...PREDICATES.filter((name) => name !== 'geo_near').map((name) => {
    const field: Schema = predicateFields[name];
    const { optional: _, ...schema } = field.of ?? field;
    return [name, manyOrOne(schema.component === undefined ? operand : schema)];
  }),
]);

/** The predicates that filter a level's values: as in conditions, and lists of operands, any of which may match. */
export type LevelPredicates = {
  readonly [Name in Exclude<
    keyof Predicates,
    'geo_near' | 'between' | 'minfreq' | 'range' | 'in' | 'not-in' | typeof IGNORE_CASE
  >]?: Predicates[Name] | readonly NonNullable<Predicates[Name]>[];
} & {
  readonly [IGNORE_CASE]?: boolean;
  readonly in?: Operand | readonly Operand[];
  readonly 'not-in'?: Operand | readonly Operand[];
  readonly range?: readonly [Operand, Operand] | readonly (readonly [Operand, Operand])[];
};

export const howMany = integer('Maximum number of values, the most frequent first.', 1, TOP_VALUES_MAX, {
  codes: { wrong: 4051 },
});
export const metric = choice(METRICS, 'Computed over the values; only in the last level.', {
  wrong: 4045,
});
export type Metric = Infer<typeof metric>;

const levelWindow = union(
  'The time window of the events; with a metric, optionally a list of half-open windows.',
  between,
  list(between, 'A window each.', { minItems: 1, maxItems: WINDOWS_PER_LEVEL_MAX }),
);

/** Fields of a level other than its column and predicates. */
export const levelFields = {
  between: optional(levelWindow),
  interval: optional(interval),
  ...localTimeFields,
  minfreq: optional(minfreq('Omits values that fewer entities have.')),
};
/** Fields of a query of top values other than its column and predicates. */
export const topValuesFields = body(
  { wrong: 4049, missing: 4010, type: 4004 },
  {
    between: levelFields.between,
    minfreq: levelFields.minfreq,
    ...localTimeFields,
    dimension,
    'bypass-cache': bypassCache,
  },
);

/** A level. A key with the name of a field names a column only if no other key does. */
const withColumn = <Type>(own: Fields, wanted: Schema, keywords: object): Schema<Type> =>
  plain<Type>({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries({ ...own, ...levelPredicates }).map(([name, schema]) => [
        name,
        { anyOf: [schema, wanted] },
      ]),
    ),
    additionalProperties: wanted,
    minProperties: 1,
    ...keywords,
  });

export const level = named(
  'Level',
  withColumn<Level>(
    { between: levelFields.between, interval: levelFields.interval, ...localTimeFields },
    union('Maximum number of values, or a metric.', howMany, metric),
    {
      description:
        'One column with the number of its values or a metric, and predicates that filter the values; each predicate may take a list of operands.',
      examples: [{ country: 10 }, { paid: 'sum', between: ['2026-01-05', '+1w'], interval: 'days' }],
    },
  ),
);
/** A column with the number of its most frequent values or a metric, and predicates that filter its values. */
export type Level = LevelPredicates & {
  readonly between?: Between | readonly Between[];
  readonly interval?: Interval;
  /** An IANA name. */
  readonly 'time-zone'?: string | null;
  readonly 'week-start'?: (typeof WEEK_STARTS)[number] | null;
} & { readonly [column: string]: number | Metric | unknown };

export const levels = named(
  'Levels',
  oneOrSeveral(
    level,
    `Levels, the outermost first: top values within top values, optionally with a metric as the last level. At most ${LEVELS_PER_AGGREGATION_MAX}.`,
    'The levels.',
    LEVELS_PER_AGGREGATION_MAX,
  ),
);

const QUERY = { wrong: 4049, missing: 4010, type: 4004 } as const;

const filter = unread(orNull(union('Which entities.', query, plain<readonly never[]>({ const: [] }))));

export const aggregation = named(
  'Aggregation',
  body(QUERY, { dimension, filter, query: levels, 'bypass-cache': bypassCache }),
);
export type Aggregation = Infer<typeof aggregation>;

/** An aggregation in a saved query, which contains the dimension next to it. */
export const savedAggregation = named('SavedAggregation', body(QUERY, { filter, query: levels }));

export const topValuesQuery = named(
  'TopValuesQuery',
  withColumn<TopValuesQuery>(topValuesFields.properties, howMany, {
    description:
      'One column with the number of its most frequent values, and predicates that filter the values.',
    examples: [{ visit: 10, 'starts-with': ['pri', 'do'] }],
  }),
);
export type TopValuesQuery = LevelPredicates & {
  readonly dimension?: string | null;
  readonly 'bypass-cache'?: boolean | null;
  readonly between?: Between;
  /** Leaves out values that fewer entities have. */
  readonly minfreq?: number;
} & { readonly [column: string]: number | unknown };

export const topValues = named(
  'TopValues',
  map(topValuesQuery, 'Queries by name.', {
    properties: {
      'bypass-cache': union(
        'If a boolean, it applies to all queries.',
        plain<boolean>({ type: 'boolean' }),
        topValuesQuery,
      ),
    },
    minProperties: 1,
    maxProperties: TOP_VALUES_QUERIES_MAX + 1,
  }),
);
export type TopValues = Infer<typeof topValues>;
