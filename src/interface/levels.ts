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
  type Interval,
  interval,
  minfreq,
  type Operand,
  operand,
  PREDICATES,
  type Predicates,
  predicateFields,
  query,
} from './conditions.js';
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
    'One, or a list of which any may match.',
    schema,
    list(schema, 'Any may match.', { minItems: 1, maxItems: VALUES_PER_LIST_MAX }),
  );

/** The operands of predicates in a level: a list where a condition takes one operand. */
const levelPredicates: Fields = Object.fromEntries(
  PREDICATES.filter((name) => name !== 'geo_near').map((name) => {
    const field: Schema = predicateFields[name];
    const { optional: _, ...schema } = field.of ?? field;
    return [name, manyOrOne(schema.component === undefined ? operand : schema)];
  }),
);

/** The predicates that filter a level's values: as in conditions, and lists of operands of which any may match. */
export type LevelPredicates = {
  readonly [Name in Exclude<
    keyof Predicates,
    'geo_near' | 'between' | 'minfreq' | 'range' | 'in' | 'not-in'
  >]?: Predicates[Name] | readonly NonNullable<Predicates[Name]>[];
} & {
  readonly in?: Operand | readonly Operand[];
  readonly 'not-in'?: Operand | readonly Operand[];
  readonly range?: readonly [Operand, Operand] | readonly (readonly [Operand, Operand])[];
};

export const howMany = integer('How many of the most frequent values.', 1, TOP_VALUES_MAX, {
  codes: { wrong: 4051 },
});
export const metric = choice(METRICS, 'Computed over the values; only in the last level.', {
  wrong: 4045,
});
export type Metric = Infer<typeof metric>;

const levelWindow = union(
  'The window of the events; with a metric also a list of half-open windows.',
  between,
  list(between, 'A window each.', { minItems: 1, maxItems: WINDOWS_PER_LEVEL_MAX }),
);

/** Fields of a level other than its column and predicates. */
export const levelFields = {
  between: optional(levelWindow),
  interval: optional(interval),
  minfreq: optional(minfreq('Leaves out values of fewer entities.')),
};
/** Fields of a query of top values other than its column and predicates. */
export const topValuesFields = body(
  { wrong: 4049, missing: 4010, type: 4004 },
  {
    between: levelFields.between,
    minfreq: levelFields.minfreq,
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
    { between: levelFields.between, interval: levelFields.interval },
    union('How many of the most frequent values, or a metric.', howMany, metric),
    {
      description:
        'One column, how many of its values (or which metric), and predicates that choose among them, each of which may take a list.',
      examples: [{ country: 10 }, { paid: 'sum', between: ['2026-01-05', '+1w'], interval: 'days' }],
    },
  ),
);
/** A column with the number of its most frequent values or a metric, and predicates that filter its values. */
export type Level = LevelPredicates & {
  readonly between?: Between | readonly Between[];
  readonly interval?: Interval;
} & { readonly [column: string]: number | Metric | unknown };

export const levels = named(
  'Levels',
  oneOrSeveral(
    level,
    `From the outermost in: top values of top values, at last perhaps a metric. At most ${LEVELS_PER_AGGREGATION_MAX}.`,
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
    description: 'One column, how many of its most frequent values, and predicates that choose among them.',
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
        'Of all of them, where it is a boolean.',
        plain<boolean>({ type: 'boolean' }),
        topValuesQuery,
      ),
    },
    minProperties: 1,
    maxProperties: TOP_VALUES_QUERIES_MAX + 1,
  }),
);
export type TopValues = Infer<typeof topValues>;
