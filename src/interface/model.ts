/** Dimensions, columns, relations and saved queries. */
import {
  COLUMNS_PER_REQUEST_MAX,
  DESCRIPTION_CHARS_MAX,
  DIMENSIONS_PER_REQUEST_MAX,
  NAME_CHARS_MAX,
  SEGMENT_IDS_PER_REQUEST_MAX,
  TEXT_POINTS_MAX,
} from '../base/limits.js';
import { dimension, type Query, query } from './conditions.js';
import { type Level, levels, savedAggregation, type TopValuesQuery, topValues } from './levels.js';
import {
  anyText,
  body,
  type Codes,
  choice,
  constant,
  flag,
  type Infer,
  integer,
  list,
  named,
  oneOrSeveral,
  optional,
  orNull,
  plain,
  text,
  union,
  unread,
} from './schema.js';
import { NEW_COLUMN_TYPES, SAVED_QUERY_TYPES, STORAGES, TEXT_CASES } from './words.js';

export const DECIMAL_PLACES_DEFAULT = 6;
export const DECIMAL_PLACES_MAX = 20;
export const RANGE_BOUNDS_MAX = 10_000;
export const CACHE_PERIOD_SECONDS_MIN = 5;

const NAME_FORMS = [{ pattern: /^(?! *$)[ !#-&(-~]+$/, message: 'has invalid characters or is blank' }];
const API_NAME_FORMS = [
  { pattern: /^[a-z0-9-]+$/, message: 'is not an api-name, which contains only a-z, 0-9 and dashes' },
];

const name = (codes: Codes) =>
  text('Display name: printable ASCII without quotes.', {
    forms: NAME_FORMS,
    maxLength: NAME_CHARS_MAX,
    codes,
  });
const apiName = (description: string, codes: Codes) =>
  text(description, { forms: API_NAME_FORMS, maxLength: NAME_CHARS_MAX, codes });

const NEW_DIMENSION = { wrong: 5007, missing: 5007, type: 5009 } as const;
export const newDimension = named(
  'NewDimension',
  body(NEW_DIMENSION, {
    name: name({ type: 5009, form: 5001, long: 5003 }),
    'api-name': apiName('Name in requests: lower-case letters, digits and dashes.', {
      type: 5009,
      form: 5000,
      long: 5004,
    }),
    'relational-model-type': orNull(choice(['fact', 'dimension'], 'Role in a star schema.', { wrong: 5010 })),
    case: orNull(choice(TEXT_CASES, 'Whether entity IDs keep their case; default: that of the database.')),
  }),
);
export type NewDimension = Infer<typeof newDimension>;
export const newDimensions = named(
  'NewDimensions',
  oneOrSeveral(
    newDimension,
    'One dimension or several.',
    'Either all are created or none.',
    DIMENSIONS_PER_REQUEST_MAX,
  ),
);

export const deletedDimension = named(
  'DeletedDimension',
  body(
    { ...NEW_DIMENSION, type: 5007 },
    { 'api-name': text('Api-name of the dimension.', { codes: { type: 5009 } }) },
  ),
);

const COLUMN = { wrong: 3000, missing: 3000, type: 3000 } as const;
const columnName = (codes: Codes = {}) => name({ type: 3008, form: 3008, long: 3014, ...codes });
const aColumn = text('Api-name of the column.', { codes: { type: 3007 } });
const description = orNull(
  text('Without quotes.', {
    maxLength: DESCRIPTION_CHARS_MAX,
    forms: [{ pattern: /^[^'"]*$/, message: 'must be without \' and "' }],
    codes: { wrong: 3009, long: 3010 },
  }),
);

const retentionTime = union(
  'For event columns: how long events are kept.',
  integer('Whole days.', 1),
  constant('forever'),
);

export const newColumn = named(
  'NewColumn',
  body(COLUMN, {
    name: columnName(),
    'api-name': orNull(
      apiName('Name in requests; derived from `name` if absent.', { wrong: 3007, long: 3015 }),
    ),
    type: choice(NEW_COLUMN_TYPES, 'Types that end in `-event` contain events: values with a date.', {
      wrong: 3001,
    }),
    description,
    dimension: orNull(
      apiName('Api-name of the dimension, which is created if it does not exist; default `default`.', {
        type: 5009,
        form: 5000,
        long: 5004,
      }),
    ),
    storage: orNull(
      choice(STORAGES, 'One value or a list of values per entity; not allowed for event columns.', {
        wrong: 3006,
      }),
    ),
    cardinality: orNull(
      choice(['low', 'high'], 'For string columns: whether there are few or many distinct values.', {
        wrong: 3011,
      }),
    ),
    case: orNull(
      choice(
        TEXT_CASES,
        'For string columns: fold = texts are stored, returned and compared in lower case; preserve = as sent, compared exactly. Default: that of the database.',
      ),
    ),
    'decimal-places': orNull(
      integer(`For decimal columns; default ${DECIMAL_PLACES_DEFAULT}.`, 1, DECIMAL_PLACES_MAX, {
        codes: { wrong: 3005, outside: 3012 },
      }),
    ),
    range: unread(
      orNull(
        list(
          plain<number | bigint>({ type: 'integer' }),
          'For enumerated columns: ascending 64-bit bounds.',
          { minItems: 1, maxItems: RANGE_BOUNDS_MAX },
        ),
      ),
      { wrong: 3016 },
    ),
    'retention-time': unread(orNull(retentionTime), { wrong: 3017 }),
  }),
);
export type NewColumn = Infer<typeof newColumn>;
export type ColumnType = NewColumn['type'];
export const newColumns = named(
  'NewColumns',
  oneOrSeveral(
    newColumn,
    'One column or several.',
    'Either all are created or none.',
    COLUMNS_PER_REQUEST_MAX,
  ),
);

const changes = {
  name: optional(columnName({ missing: 3008 })),
  description,
  active: optional(
    flag('An inactive column keeps its data, but can be neither written nor queried.', { wrong: 3000 }),
  ),
  'retention-time': unread(optional(retentionTime), { wrong: 3017 }),
};
/** A change of a column contains at least one of these fields. */
export const COLUMN_CHANGES = Object.keys(changes) as readonly (keyof typeof changes)[];
export const changedColumn = named(
  'ChangedColumn',
  body(
    COLUMN,
    { 'api-name': aColumn, dimension, ...changes },
    { anyOf: COLUMN_CHANGES.map((field) => ({ required: [field] })) },
  ),
);
export type ChangedColumn = Infer<typeof changedColumn>;

export const deletedColumn = named('DeletedColumn', body(COLUMN, { 'api-name': aColumn, dimension }));

export const relation = named(
  'Relation',
  body(COLUMN, {
    name: columnName(),
    columns: list(unread(aColumn), 'Event columns.', {
      minItems: 1,
      maxItems: COLUMNS_PER_REQUEST_MAX,
      codes: { long: 3004 },
    }),
    dimension,
  }),
);
export type Relation = Infer<typeof relation>;

const SAVED = { wrong: 4049, missing: 4010, type: 4004 } as const;
export const savedQueryType = choice(
  SAVED_QUERY_TYPES,
  'The endpoint that runs the query: `POST /v1/query/<type>`, or `POST /v1/sql` for a SELECT, which is a view of SQL.',
  { missing: 4006, wrong: 4024 },
);
export type SavedQueryType = Infer<typeof savedQueryType>;

/** A SELECT in a saved query, with its dialect and the names of its columns. */
export const savedSelect = named(
  'SavedSelect',
  body(SAVED, {
    sql: text('One SELECT.', { codes: { missing: 4010, wrong: 4049 } }),
    dialect: optional(
      choice(['http', 'postgres'], 'The rules by which the SELECT is read; `http` if absent.', {
        wrong: 4049,
      }),
    ),
    columns: optional(list(anyText, 'Names of the first columns.', { codes: { wrong: 4049 } })),
  }),
);

const definition = {
  type: savedQueryType,
  query: optional(
    union(
      'The query that the endpoint of the type accepts: a query list; levels, or an object of `filter` and `query`; an object of queries of top values; a SELECT, as a text or an object; a list of dimensions.',
      query,
      levels,
      savedAggregation,
      topValues,
      savedSelect,
      plain<Readonly<Record<string, unknown>>>({
        type: 'object',
        description: 'A question about behaviour: the object that its endpoint takes, without its name.',
      }),
      text('A SELECT.'),
      list(anyText, 'The dimensions to count; all dimensions if the list is empty.'),
      plain<null>({ type: 'null', description: 'All dimensions.' }),
    ),
  ),
  dimension: unread(
    orNull(text('Api-name of the dimension on which the query runs; not allowed for totals.')),
  ),
  'cache-period': orNull(
    integer('Seconds for which an answer is cached.', CACHE_PERIOD_SECONDS_MIN, undefined, {
      codes: { wrong: 4033 },
    }),
  ),
};
const savedName = text('Letters, digits and dashes.', {
  forms: [{ pattern: /^[A-Za-z0-9-]*$/, message: 'has characters other than letters, digits and dashes' }],
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  codes: { missing: 4021, wrong: 4034, empty: 4041, long: 4041 },
});
export const newSavedQuery = named(
  'NewSavedQuery',
  body(SAVED, {
    name: savedName,
    ...definition,
  }),
);
export const changedSavedQuery = named('ChangedSavedQuery', body(SAVED, definition));

/** The query of each type of saved queries that is no question about behaviour. */
export interface SavedQueryKinds {
  readonly 'count/entity': Query;
  readonly 'count/event': Query;
  readonly 'count/entity/total': readonly string[];
  readonly aggregation: Infer<typeof savedAggregation> | readonly Level[];
  readonly top_values: Readonly<Record<string, TopValuesQuery>>;
  readonly sql: string | Infer<typeof savedSelect>;
}
export type SavedQueryDefinition = {
  [Type in SavedQueryType]: Omit<Infer<typeof changedSavedQuery>, 'type' | 'query'> & {
    readonly type: Type;
    /** A question about behaviour has the fields of its endpoint but for its name. */
    readonly query: Type extends keyof SavedQueryKinds
      ? SavedQueryKinds[Type]
      : Readonly<Record<string, unknown>>;
  };
}[SavedQueryType];

const memberIds = (description: string, bounds: { readonly minItems?: number } = {}) =>
  list(unread(plain<string>({ type: 'string', minLength: 1, maxLength: TEXT_POINTS_MAX })), description, {
    ...bounds,
    maxItems: SEGMENT_IDS_PER_REQUEST_MAX,
    codes: { empty: 4031, long: 4019 },
  });
const members = {
  query: optional(orNull(unread(query))),
  ids: orNull(memberIds('The IDs of a static segment, which need not be entities yet; more by its `ids`.')),
  dimension,
};
export const newSegment = named(
  'NewSegment',
  body(SAVED, { name: savedName, ...members }, { description: 'Either `query` or `ids`.' }),
);
export type NewSegment = Infer<typeof newSegment>;
export const changedSegment = named('ChangedSegment', body(SAVED, members));
export type ChangedSegment = Infer<typeof changedSegment>;
export const segmentIds = named(
  'SegmentIds',
  body({ wrong: 4049, missing: 4025, type: 4004 }, { ids: memberIds('Entity IDs.', { minItems: 1 }) }),
);
