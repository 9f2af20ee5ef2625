/** Writes, counts and extractions. */
import {
  COLUMNS_PER_EXTRACTION_MAX,
  EXTRACTED_ROWS_DEFAULT,
  IDS_PER_EXISTS_MAX,
  ORDER_KEYS_MAX,
  PAGE_ROWS_MAX,
  QUERIES_PER_REQUEST_MAX,
  SCORED_ROWS_MAX,
  TEXT_POINTS_MAX,
} from '../base/limits.js';
import {
  between,
  bypassCache,
  dimension,
  dimensionName,
  type Integer,
  interval,
  query,
} from './conditions.js';
import { localTimeFields } from './local-time.js';
import {
  anyText,
  body,
  choice,
  type Infer,
  integer,
  list,
  map,
  named,
  object,
  oneOrSeveral,
  optional,
  orNull,
  plain,
  type Schema,
  text,
  union,
  unread,
} from './schema.js';

/** Error codes of the bodies of queries. */
export const QUERY = { wrong: 4049, missing: 4010, type: 4004 } as const;

export const countFields = {
  'query-name': text('The name of the query in the answer; unique within the request.', {
    minLength: 1,
    codes: { empty: 4047 },
  }),
  dimension,
  query,
  'bypass-cache': bypassCache,
};

export type CountQueryFields = typeof countFields;

export const countQuery = named('CountQuery', body(QUERY, countFields));
export type CountQuery = Infer<typeof countQuery>;

const countEventFields = { ...countFields, interval: orNull(interval), ...localTimeFields };
export type CountEventQueryFields = typeof countEventFields;

export const countEventQuery = named(
  'CountEventQuery',
  body(QUERY, countEventFields, { description: 'The query is one condition on an event column.' }),
);
export type CountEventQuery = Infer<typeof countEventQuery>;

export const several = <S>(one: Schema<S>) =>
  oneOrSeveral(
    one,
    'One query or several.',
    'Either all queries are answered or none.',
    QUERIES_PER_REQUEST_MAX,
  );
export const countQueries = named('CountQueries', several(countQuery));
export const countEventQueries = named('CountEventQueries', several(countEventQuery));

export const total = named(
  'Total',
  body(QUERY, {
    dimensions: orNull(
      list(unread(dimensionName), 'The dimensions to count; all dimensions if absent.', {
        codes: { wrong: 5009 },
      }),
    ),
  }),
);

export const exists = named(
  'Exists',
  body(
    { wrong: 4049, missing: 4025, type: 4004 },
    {
      ids: list(
        unread(plain<string>({ type: 'string', minLength: 1, maxLength: TEXT_POINTS_MAX })),
        'Entity IDs.',
        { minItems: 1, maxItems: IDS_PER_EXISTS_MAX, codes: { empty: 4031, long: 4019 } },
      ),
      dimension,
    },
  ),
);

const order = named(
  'Order',
  map(choice(['asc', 'desc'], 'Direction.'), 'One column. Missing values come last in both directions.', {
    minProperties: 1,
    maxProperties: 1,
  }),
);

const columns = union(
  'The columns of the rows. If `entity-id` is one of them, the answer is a list.',
  plain<'all'>({ const: 'all', description: 'All attribute columns.' }),
  list(
    union(
      'A column by its api-name, or an event column with a window.',
      anyText,
      map(between, 'An event column and its window.', { minProperties: 1, maxProperties: 1 }),
    ),
    `At most ${COLUMNS_PER_EXTRACTION_MAX} different ones.`,
    { minItems: 1 },
  ),
);

const extractionWith = (limit: ReturnType<typeof integer>) =>
  body(QUERY, {
    query,
    columns,
    limit: optional(limit),
    order: orNull(
      union(
        'The order of the rows.',
        order,
        list(order, 'Sort keys, the most significant first.', { minItems: 1, maxItems: ORDER_KEYS_MAX }),
      ),
    ),
    'page-token': unread(
      orNull(text('The token of the previous page. The rest of the body must be unchanged.')),
    ),
    dimension,
    'bypass-cache': bypassCache,
  });

const LIMIT = { codes: { wrong: 4028 }, saturates: true } as const;
export const extraction = named(
  'Extraction',
  extractionWith(
    integer(
      `Number of rows of all pages together; default ${EXTRACTED_ROWS_DEFAULT}. A page has ${PAGE_ROWS_MAX} rows.`,
      1,
      undefined,
      LIMIT,
    ),
  ),
);
export type Extraction = Infer<typeof extraction>;
export const scoring = named(
  'Scoring',
  extractionWith(integer(`Number of rows; default ${SCORED_ROWS_MAX}.`, 1, SCORED_ROWS_MAX, LIMIT)),
);

/** [longitude, latitude] */
export type Point = readonly [longitude: number, latitude: number];
export type ItemValue = string | Integer | boolean | Point;

const itemValue = plain<ItemValue>(
  union(
    'A value of the column’s type: a string, a number, a boolean, `YYYY-MM-DD`, `YYYY-MM-DDThh:mm:ssZ`, or [longitude, latitude]. Integers have up to 64 bits.',
    plain({ type: ['string', 'number', 'boolean'] }),
    list(plain<number>({ type: 'number' }), '[longitude, latitude]', { minItems: 2, maxItems: 2 }),
  ),
);

const newEvent = object(
  { value: itemValue, date: optional(anyText) },
  { description: 'An event: its value and its date; the default is the time of the request.' },
);
export type NewEvent = Infer<typeof newEvent>;

export const value = named(
  'Value',
  union(
    'A value for a `latest-value` column, a list for a `list-of-values` column, one or more events for an event column.',
    itemValue,
    newEvent,
    list(union('An item or an event.', itemValue, newEvent), 'Items or events.'),
  ),
);
/** A value, a list of values, or events. */
export type Value = Infer<typeof value>;

const valueOrNull = (description: string) => union(description, plain<null>({ type: 'null' }), value);
const autoCreate = (description: string) => list(choice(['dimension', 'column'], 'Which.'), description);

/** Values by column, and in `dimension` the entity's dimension. */
export type Entity = { readonly dimension?: string } & {
  readonly [column: string]: Value | null | undefined;
};
const entity = named(
  'Entity',
  plain<Entity>({
    type: 'object',
    description: 'Values by column, and the dimension of the entity in `dimension`; default `default`.',
    properties: { dimension: anyText },
    additionalProperties: valueOrNull('null removes the value or empties the list.'),
    minProperties: 1,
  }),
);

/** src/ingest reads this body byte by byte. */
export const insert = named(
  'Insert',
  plain({
    type: 'object',
    description: 'Entities by ID, each with at least one column. Either all entities are inserted or none.',
    properties: {
      'auto-create': autoCreate(
        'Creates missing dimensions or columns, with types inferred from the values.',
      ),
    },
    additionalProperties: entity,
    propertyNames: { minLength: 1 },
  }),
);

export const line = named(
  'Line',
  union(
    'A line of a body of lines.',
    plain({
      type: 'object',
      description: 'An entity: its ID, and next to it the members of the entity’s object in an insert.',
      properties: { id: plain({ type: 'string', minLength: 1 }), dimension: anyText },
      required: ['id'],
      additionalProperties: valueOrNull('null removes the value or empties the list.'),
    }),
    object({
      'auto-create': autoCreate(
        'Must precede all entities. Creates missing columns, with types inferred from the values; applies to every part.',
      ),
    }),
  ),
);

export const update = named(
  'Update',
  body(QUERY, {
    dimension,
    query,
    set: map(valueOrNull('The new value; null removes the value.'), 'Values by column.', {
      minProperties: 1,
    }),
  }),
);
export type Update = Infer<typeof update>;

const retryFields = {
  dimension: dimension,
  after: optional(text('`after` of the answer before; continues there.', { minLength: 1 })),
};

export const quarantineRetry = named('QuarantineRetry', body(QUERY, retryFields));

export const deletion = named('Delete', body(QUERY, { dimension, query }));
export type Delete = Infer<typeof deletion>;
