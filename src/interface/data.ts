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
const QUERY = { wrong: 4049, missing: 4010, type: 4004 } as const;

const countFields = {
  'query-name': text('What the answer calls it; unique within the request.', {
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

const countEventFields = { ...countFields, interval: orNull(interval) };
export type CountEventQueryFields = typeof countEventFields;

export const countEventQuery = named(
  'CountEventQuery',
  body(QUERY, countEventFields, { description: 'Its query is one condition on an event column.' }),
);
export type CountEventQuery = Infer<typeof countEventQuery>;

const several = <S>(one: Schema<S>) =>
  oneOrSeveral(one, 'One query or several.', 'All are answered, or none.', QUERIES_PER_REQUEST_MAX);
export const countQueries = named('CountQueries', several(countQuery));
export const countEventQueries = named('CountEventQueries', several(countEventQuery));

export const total = named(
  'Total',
  body(QUERY, {
    dimensions: orNull(
      list(unread(dimensionName), 'Those to count; all without any.', { codes: { wrong: 5009 } }),
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
  map(choice(['asc', 'desc'], 'asc or desc.'), 'One column. Missing values come last in both directions.', {
    minProperties: 1,
    maxProperties: 1,
  }),
);

const columns = union(
  'Which columns rows have; `entity-id` among them makes the answer a list.',
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
        list(order, 'The first counts most.', { minItems: 1, maxItems: ORDER_KEYS_MAX }),
      ),
    ),
    'page-token': unread(orNull(text('Of the page before: everything else of the body must be the same.'))),
    dimension,
    'bypass-cache': bypassCache,
  });

const LIMIT = { codes: { wrong: 4028 }, saturates: true } as const;
export const extraction = named(
  'Extraction',
  extractionWith(
    integer(
      `Rows of all pages together; ${EXTRACTED_ROWS_DEFAULT} unless given. A page holds ${PAGE_ROWS_MAX}.`,
      1,
      undefined,
      LIMIT,
    ),
  ),
);
export type Extraction = Infer<typeof extraction>;
export const scoring = named(
  'Scoring',
  extractionWith(integer(`Rows; ${SCORED_ROWS_MAX} unless given.`, 1, SCORED_ROWS_MAX, LIMIT)),
);

/** [longitude, latitude] */
export type Point = readonly [longitude: number, latitude: number];
export type ItemValue = string | Integer | boolean | Point;

const itemValue = plain<ItemValue>(
  union(
    'As the column’s type wants it: a text, a number, a boolean, `YYYY-MM-DD`, `YYYY-MM-DDThh:mm:ssZ`, or [longitude, latitude]. Integers may have 64 bits.',
    plain({ type: ['string', 'number', 'boolean'] }),
    list(plain<number>({ type: 'number' }), '[longitude, latitude]', { minItems: 2, maxItems: 2 }),
  ),
);

const newEvent = object(
  { value: itemValue, date: optional(anyText) },
  { description: 'An event: its value, and its date, which is now unless given.' },
);
export type NewEvent = Infer<typeof newEvent>;

export const value = named(
  'Value',
  union(
    'Of a `latest-value` column a value, of a `list-of-values` column a list, of an event column events.',
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
    description: 'Values by column, and in `dimension` where the entity lives; `default` unless given.',
    properties: { dimension: anyText },
    additionalProperties: valueOrNull('null takes the value away, and empties a list.'),
    minProperties: 1,
  }),
);

/** src/ingest reads this body byte by byte. */
export const insert = named(
  'Insert',
  plain({
    type: 'object',
    description: 'Entities by their ID, each with at least one column. All of them are inserted, or none.',
    properties: { 'auto-create': autoCreate('Makes what is missing from the values.') },
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
      description: 'An entity: its ID, and beside it what the entity’s object holds elsewhere.',
      properties: { id: plain({ type: 'string', minLength: 1 }), dimension: anyText },
      required: ['id'],
      additionalProperties: valueOrNull('null takes the value away, and empties a list.'),
    }),
    object({
      'auto-create': autoCreate('Before all entities: makes what is missing from the values, in every part.'),
    }),
  ),
);

export const update = named(
  'Update',
  body(QUERY, {
    dimension,
    query,
    set: map(valueOrNull('The new value; null takes it away.'), 'Values by column.', { minProperties: 1 }),
  }),
);
export type Update = Infer<typeof update>;

export const deletion = named('Delete', body(QUERY, { dimension, query }));
export type Delete = Infer<typeof deletion>;
