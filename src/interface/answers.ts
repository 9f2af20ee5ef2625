/** The answers of the server. Integers beyond 2^53 are bigints in the client. */
import { ERRORS } from '../base/errors.js';
import type { Integer } from './conditions.js';
import { savedQueryType } from './model.js';
import {
  anyText,
  choice,
  constant,
  count,
  type Infer,
  integer,
  later,
  list,
  map,
  named,
  object,
  optional,
  plain,
  type Schema,
  success,
  text,
  union,
} from './schema.js';
import { COLUMN_TYPES, DATABASE_TYPES, LOAD_PLANS, METRICS, PRICING_MODELS, STORAGES } from './words.js';

const names = (description: string) => list(anyText, description);
const dateTime = plain<string>({ type: 'string', format: 'date-time' });
const oneOf = <const Choices extends readonly unknown[]>(choices: Choices) =>
  plain<Choices[number]>({ enum: choices });
const integerOrNull = plain<number | null>({ type: ['integer', 'null'] });

// The model

/** Api-names in answers: those of an older release may be longer. */
export const apiNames = success({ 'api-name': names('The requested api-names.') });
export const createdColumns = success({
  'api-name': union('A text where one column was sent outside a list.', anyText, names('Columns.')),
});
export const dimensions = success({ dimensions: names('Dimensions.') });

export const columnEntry = named(
  'ColumnEntry',
  object({
    name: anyText,
    'api-name': anyText,
    description: anyText,
    type: oneOf(COLUMN_TYPES),
    category: constant('general'),
    storage: optional(choice(STORAGES, 'Not of event columns.')),
  }),
);
export type ColumnEntry = Infer<typeof columnEntry>;
export const columnGroups = named(
  'ColumnGroups',
  object({
    active: list(columnEntry, 'Columns that can be written and queried.'),
    inactive: list(columnEntry, 'Those put aside.'),
  }),
);
export type ColumnGroups = Infer<typeof columnGroups>;
export const columns = success(
  { count: count('All columns that are listed.') },
  { additionalProperties: columnGroups },
);

export const related = success({ columns_on_relation: names('All columns of the relation.') });
export const unrelated = success({ columns_deleted: names('The columns that were removed.') });
export const relations = success({
  count: count('Relations.'),
  relations: map(
    map(names('Columns, in their order.'), 'By the name of the relation.'),
    'By the api-name of the dimension.',
  ),
});
/** By dimension, then by the relation's name. */
export type Relations = Infer<typeof relations>['relations'];

// Writes and SQL

const insertedMembers = { 'inserted-entities': count('Entities.'), 'inserted-values': count('Values.') };
export const inserted = success(insertedMembers);
export type Inserted = Infer<typeof inserted>;
const updatedCount = object({ updated: count('Entities.') });
const deletedCount = object({ deleted: count('Entities.') });
export const updated = success({ result: updatedCount });
export const deleted = success({ result: deletedCount });

export type SqlValue = Integer | string | boolean | null | readonly unknown[];
export type SqlRow = Readonly<Record<string, SqlValue>>;
export interface SqlWritten extends Partial<Inserted> {
  readonly updated?: number;
  readonly deleted?: number;
}
const sqlResult = named(
  'SqlResult',
  plain<readonly SqlRow[] | SqlWritten>(
    union(
      'Rows of a SELECT, keys in the requested order; or the summary of a write.',
      list(map(plain({}), 'A row; what is missing is null.'), 'Rows.'),
      object(insertedMembers),
      updatedCount,
      deletedCount,
    ),
  ),
);
const sqlAnswer = named(
  'SqlAnswer',
  plain<readonly SqlRow[] | SqlWritten | readonly SqlResult[]>(
    union(
      'Of one statement its result; of several a list of results.',
      sqlResult,
      list(
        object({ result: sqlResult, count: count('Rows or entities.'), took: plain({ type: 'number' }) }),
        'A statement each.',
      ),
    ),
  ),
);
export const sql = success({ result: sqlAnswer, count: count('Rows, entities, or statements.') });
export interface SqlResult {
  /** The rows of a SELECT, the summary of a write, or a list of results for several statements. */
  readonly result: readonly SqlRow[] | SqlWritten | readonly SqlResult[];
  readonly count: number;
}

const fault = named(
  'Fault',
  object({
    code: plain<number>({ enum: Object.keys(ERRORS).map(Number) }),
    message: text('What was wrong, and where.', { minLength: 1 }),
    'more-info': optional(plain({ description: 'Detail.' })),
    more_info: optional(
      plain({
        description: 'Detail of an SQL error: line, column, and the code of the rule that was broken.',
      }),
    ),
  }),
);
export const refusal = named(
  'Refusal',
  object({
    errors: list(fault, 'The HTTP status is that of the first.', { minItems: 1 }),
    status: constant('error'),
  }),
);

const linePlace = {
  part: integer('Which part of the body, from 1.', 1),
  'first-line': integer('The first of its lines, from 1.', 1),
  lines: count('How many lines it has.'),
};
export const partAnswer = named(
  'PartAnswer',
  union(
    'What became of a part of a body of lines: the whole part took effect, or nothing of it.',
    object({ ...linePlace, status: constant('success'), ...insertedMembers }),
    object({
      ...linePlace,
      status: constant('error'),
      errors: list(fault, 'What was wrong.', { minItems: 1 }),
      'retry-after': optional(count('Seconds after which the same may be sent again.')),
    }),
  ),
);

// Queries

const counted = <S>(of: Schema<S>) => success({ result: map(of, 'By the name of the query.') });
export const entityCounts = counted(count('Entities.'));
export const totalCount = success({ result: object({ total: count('Entities.') }) });
export const exists = success({
  exists: names('The IDs as the request wrote them.'),
  'not-exists': names('The others.'),
});

/** The ends of a half-open bucket. */
const bucketEnds = plain<readonly [from: string, to: string]>(
  list(dateTime, 'From, and to, which is outside.', { minItems: 2, maxItems: 2 }),
);
const eventBucket = object({ count: count('Events.'), between: bucketEnds });
export type EventBucket = Infer<typeof eventBucket>;
const eventCount = named(
  'EventCount',
  union(
    'How many events, or by interval.',
    plain<number>({ type: 'integer', minimum: 0 }),
    list(eventBucket, 'Buckets that hold some.'),
  ),
);
export const eventCounts = counted(eventCount);

const valueCount = { quantity: count('Entities.'), value: anyText };
export interface ValueCount {
  readonly quantity: number;
  readonly value: string;
}
const metricValue = named(
  'MetricValue',
  plain<Integer | string | null>({
    type: ['number', 'string', 'null'],
    description: 'A number, or a text of `min` and `max` of dates; null over nothing.',
  }),
);
export type MetricValue = Infer<typeof metricValue>;
/** A value, the number of entities that have it, and the next level's result for them under that level's column name. */
export type LevelRow = ValueCount & { readonly [column: string]: LevelAnswer | Integer | string };
/** Values, the most frequent first; a histogram; or a metric by its name. */
export type LevelAnswer =
  | readonly LevelRow[]
  | readonly {
      readonly between: readonly [string, string];
      readonly [metric: string]: MetricValue | readonly [string, string];
    }[]
  | Readonly<Record<string, MetricValue>>;
const levelAnswer = named(
  'LevelAnswer',
  plain<LevelAnswer>(
    union(
      'Values, the most frequent first; or a histogram; or a metric by its name.',
      list(
        named(
          'ValueCount',
          plain({
            type: 'object',
            description:
              'A value, how many entities have it, and under its column’s name what the next level found in them.',
            properties: valueCount,
            required: ['quantity', 'value'],
            additionalProperties: later('LevelAnswer'),
            maxProperties: 3,
          }),
        ),
        'Values.',
      ),
      list(
        named(
          'Bucket',
          plain({
            type: 'object',
            description: 'The metric within a bucket or window.',
            properties: { between: bucketEnds },
            required: ['between'],
            additionalProperties: metricValue,
            minProperties: 2,
            maxProperties: 2,
          }),
        ),
        'Buckets that hold something.',
      ),
      map(metricValue, 'A metric.', {
        propertyNames: { enum: METRICS },
        minProperties: 1,
        maxProperties: 1,
      }),
    ),
  ),
);
export const levelResult = success({
  result: named(
    'LevelResult',
    map(levelAnswer, 'Under its column’s name what the outermost level found.', {
      minProperties: 1,
      maxProperties: 1,
    }),
  ),
});
export const topValuesResult = success({
  result: named(
    'TopValuesResult',
    map(
      map(list(object(valueCount), 'The most frequent first.'), 'By the column’s name.', {
        minProperties: 1,
        maxProperties: 1,
      }),
      'By the name of the query.',
    ),
  ),
});

// Extraction

const eventCell = named('EventCell', object({ value: anyText, date: dateTime }));
export type EventCell = Infer<typeof eventCell>;
const plainCell = plain<string | number>({ type: ['string', 'number'] });
const cell = named(
  'Cell',
  union(
    'Values are texts, whatever the column’s type, and lists of texts; events have a value and a date, several of them are a list. Scores and distances are numbers, coordinates [longitude, latitude].',
    plainCell,
    eventCell,
    list(union('An item or an event.', plainCell, eventCell), 'Several.'),
  ),
);
export type Cell = Infer<typeof cell>;
const row = named(
  'Row',
  map(
    cell,
    'Values by column, without missing ones; and, if requested, `score`, `<column>_distance` (km) and `<column>_coordinates`.',
  ),
);
export type Row = Infer<typeof row>;
export const page = success({
  data: union(
    'Objects by entity ID; a list where an order is given or `entity-id` is among the columns.',
    map(row, 'By entity ID.'),
    list(row, 'In their order.'),
  ),
  page: integer('From 1.', 1),
  'next-page': plain<number | null>({ type: ['integer', 'null'], description: 'null on the last page.' }),
  'page-token': optional(text('Asks for the next page; not on the last one.')),
});
export type Page = Infer<typeof page>;

// Saved queries

const savedMembers = {
  name: anyText,
  type: oneOf(savedQueryType.enum as readonly Infer<typeof savedQueryType>[]),
  query: plain({ description: 'As it was saved.' }),
  dimension: plain<string | null>({ type: ['string', 'null'] }),
  'cache-period': integerOrNull,
};
const { type, query, dimension, 'cache-period': cachePeriod } = savedMembers;
const savedQuery = named('SavedQuery', object(savedMembers));
export type SavedQuery = Infer<typeof savedQuery>;
export const savedQueryMade = success(savedMembers);
export const savedQueries = success({
  'saved-queries': list(savedQuery, 'In the order in which they were made.'),
});
export const savedAnswer = success({
  ...{ type, query, dimension },
  result: plain({ description: 'What the endpoint of its type answers.', type: 'object' }),
});
export const savedQueryChanged = success({ type, query, 'cache-period': cachePeriod });
export const savedQueryDeleted = success({
  'deleted-query': text('Its name.'),
  ...{ type, query, 'cache-period': cachePeriod },
});

// Databases, keys, users

const timestamp = text('YYYY-MM-DDThh:mm:ss.ffffff, of UTC.', {
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}$',
});
const databaseMembers = {
  name: anyText,
  description: anyText,
  dimensions: names('Api-names.'),
  'updated-at': timestamp,
  'created-at': timestamp,
  type: oneOf(DATABASE_TYPES),
  'pricing-model': oneOf([...PRICING_MODELS, null]),
  labels: names('Labels.'),
  'query-load': oneOf(LOAD_PLANS),
  'insertion-load': oneOf(LOAD_PLANS),
  cloud_provider: anyText,
  cloud_area: anyText,
  'addresses-whitelist': names('Empty = from anywhere.'),
  usage: named(
    'Usage',
    object({
      requests: count('Requests of all kinds.'),
      queries: count('Requests that read rows.'),
      'inserted-entities': count('Since the database was made.'),
      'inserted-values': count('Since the database was made.'),
      'updated-entities': count('Since the database was made.'),
      'writes-today': count('Entities inserted and updated since midnight UTC.'),
    }),
  ),
};
export const database = success(databaseMembers);
export type Database = Infer<typeof database>;
export const databases = list(named('Database', object(databaseMembers)), 'Of a user, those of the group.');
export const databaseNames = success({ 'database-name': names('Its name.') });
const databaseKeys = object({
  'master-key': anyText,
  'write-key': anyText,
  'read-key': anyText,
  'demo-key': optional(text('Of a test database.')),
});
export type DatabaseKeys = Infer<typeof databaseKeys>;
export const createdDatabase = success({ 'database-name': names('Its name.'), keys: databaseKeys });

const dimensionStatus = named(
  'DimensionStatus',
  object({
    'api-name': anyText,
    entities: count('Entities.'),
    bytes: count('Memory of the whole dimension.'),
    columns: list(
      object({
        'api-name': anyText,
        events: optional(count('Of event columns.')),
        bytes: count('Memory.'),
      }),
      'Its columns.',
    ),
  }),
);
export type DimensionStatus = Infer<typeof dimensionStatus>;
export const status = success({
  database: text('Its name.'),
  dimensions: list(dimensionStatus, 'All of them.'),
});

export const customKeyNames = success({ 'custom-keys': names('Its name.') });
export const createdCustomKey = success({ 'custom-keys': names('Its name.'), key: text('Its text.') });
export const customKeys = success({
  'custom-keys': names('Of all databases.'),
  databases: map(names('Its keys.'), 'By the name of the database.'),
});

export const users = success({ users: names('Its email.') });
export const permissionGroups = success({ 'permission-groups': names('Its name.') });
export const session = success({
  'session-key': text('For the Authorization header.'),
  'expires-at': text('When it ends.', { format: 'date-time' }),
  permissions: list(plain<number>({ type: 'integer' }), 'Numbers of what the group may do.'),
  databases: names('That the group may use.'),
});
export type Session = Infer<typeof session>;
