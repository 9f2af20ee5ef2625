/** The answers of the server. Integers beyond 2^53 are bigints in the client. */
import { ERRORS } from '../base/errors.js';
import type { Integer } from './conditions.js';
import { savedQueryType } from './model.js';
import {
  anyText,
  choice,
  constant,
  count,
  described,
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
  success,
  text,
  union,
} from './schema.js';
import {
  COLUMN_TYPES,
  CUSTOM_KEY_LEVELS,
  DATABASE_TYPES,
  LOAD_PLANS,
  METRICS,
  PRICING_MODELS,
  STORAGES,
  TEXT_CASES,
  WEEK_DAYS,
} from './words.js';

const names = (description: string) => list(anyText, description);
const dateTime = plain<string>({ type: 'string', format: 'date-time' });
const oneOf = <const Choices extends readonly unknown[]>(choices: Choices) =>
  plain<Choices[number]>({ enum: choices });
const integerOrNull = plain<number | null>({ type: ['integer', 'null'] });
const textOrNull = plain<string | null>({ type: ['string', 'null'] });

// The model

/** Api-names in answers. Names that an older release created may be longer. */
export const apiNames = success({ 'api-name': names('The requested api-names.') });
export const createdColumns = success({
  'api-name': union(
    'A string if the request was a single column, otherwise a list.',
    anyText,
    names('Columns.'),
  ),
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
    storage: optional(choice(STORAGES, 'Absent for event columns.')),
    case: optional(choice(TEXT_CASES, 'Present only if texts keep their case.')),
    'retention-time': optional(count('Days for which events are kept; absent = forever.')),
  }),
);
export type ColumnEntry = Infer<typeof columnEntry>;
export const columnGroups = named(
  'ColumnGroups',
  object({
    active: list(columnEntry, 'Columns that can be written and queried.'),
    inactive: list(columnEntry, 'Columns that were deactivated.'),
  }),
);
export type ColumnGroups = Infer<typeof columnGroups>;
export const columns = success(
  { count: count('Number of listed columns.') },
  { additionalProperties: columnGroups },
);

export const related = success({ columns_on_relation: names('All columns of the relation.') });
export const unrelated = success({ columns_deleted: names('The columns that were removed.') });
export const relations = success({
  count: count('Relations.'),
  relations: map(
    map(names('Columns, in the order of the relation.'), 'Keys are the names of relations.'),
    'Keys are the api-names of dimensions.',
  ),
});
/** Columns by dimension and name of the relation. */
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
      'The rows of a SELECT, with keys in the order of its columns, or the summary of a write.',
      list(map(plain({}), 'A row; missing values are null.'), 'Rows.'),
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
      'The result of a single statement, or a list of results for several statements.',
      sqlResult,
      list(
        object({ result: sqlResult, count: count('Rows or entities.'), took: plain({ type: 'number' }) }),
        'One result per statement.',
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
    message: text('The cause of the error, and where it is.', { minLength: 1 }),
    'more-info': optional(plain({ description: 'Detail.' })),
    more_info: optional(
      plain({
        description: 'Details of an SQL error: line, column, and the code of the rule that was violated.',
      }),
    ),
  }),
);
export const refusal = named(
  'Refusal',
  object({
    errors: list(fault, 'The HTTP status is that of the first error.', { minItems: 1 }),
    status: constant('error'),
  }),
);

const lineRange = {
  part: integer('Number of the part of the body, from 1.', 1),
  'first-line': integer('Number of its first line, from 1.', 1),
  lines: count('Number of its lines.'),
};
export const partAnswer = named(
  'PartAnswer',
  union(
    'The outcome of a part of a body of lines: either the whole part took effect or none of it.',
    object({
      ...lineRange,
      status: constant('success'),
      ...insertedMembers,
      'quarantined-lines': optional(count('Refused lines that are kept, with `on-error=quarantine`.')),
      'duplicate-lines': optional(count('Lines that were left out, with `dedupe`.')),
    }),
    object({
      ...lineRange,
      status: constant('error'),
      errors: list(fault, 'The cause of the error.', { minItems: 1 }),
      'retry-after': optional(count('Seconds after which the client may repeat the request.')),
    }),
  ),
);

export const retried = success({
  inserted: count('Lines that were inserted, and so left the quarantine.'),
  refused: count('Lines that are still refused.'),
  first: optional(fault),
  after: orNull(text('The request that continues sends it; null = no lines are left.')),
});

// Queries

const counted = <S>(of: Schema<S>) => success({ result: map(of, 'Keys are the names of the queries.') });
/** An answer for each query, by its name. */
export const byName = counted;
export const entityCounts = counted(count('Entities.'));
export const totalCount = success({ result: object({ total: count('Entities.') }) });
export const exists = success({
  exists: names('The IDs as the request wrote them.'),
  'not-exists': names('The other IDs.'),
});

/** The ends of a half-open bucket. */
const bucketEnds = plain<readonly [from: string, to: string]>(
  list(dateTime, 'The start, which is included, and the end, which is excluded.', {
    minItems: 2,
    maxItems: 2,
  }),
);
const eventBucket = object({ count: count('Events.'), between: bucketEnds });
export type EventBucket = Infer<typeof eventBucket>;
const eventCount = named(
  'EventCount',
  union(
    'The number of events, or their numbers by interval.',
    plain<number>({ type: 'integer', minimum: 0 }),
    list(eventBucket, 'Buckets that contain events.'),
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
    description: 'A number; a string for `min` and `max` of dates; null if there is no value.',
  }),
);
export type MetricValue = Infer<typeof metricValue>;
/** A value, the number of entities that have it, and the next level's result for them under that level's column name. */
export type LevelRow = ValueCount & { readonly [column: string]: LevelAnswer | Integer | string };
/** Values, the most frequent first; a histogram; or a metric, under its name. */
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
      'Values, the most frequent first; a histogram; or a metric, under its name.',
      list(
        named(
          'ValueCount',
          plain({
            type: 'object',
            description:
              'A value, the number of entities that have it, and the result of the next level for these entities, under the name of its column.',
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
        'Buckets that are not empty.',
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
    map(levelAnswer, 'The result of the outermost level, under the name of its column.', {
      minProperties: 1,
      maxProperties: 1,
    }),
  ),
});
export const topValuesResult = success({
  result: named(
    'TopValuesResult',
    map(
      map(list(object(valueCount), 'The most frequent first.'), 'The key is the name of the column.', {
        minProperties: 1,
        maxProperties: 1,
      }),
      'Keys are the names of the queries.',
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
    'Values are strings for every column type; lists are lists of strings. An event has a value and a date; several events are a list. Scores and distances are numbers, coordinates are [longitude, latitude].',
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
    'Objects by entity ID, or a list if the request has an order or names the column `entity-id`.',
    map(row, 'By entity ID.'),
    list(row, 'In the order of the rows.'),
  ),
  page: integer('From 1.', 1),
  'next-page': plain<number | null>({ type: ['integer', 'null'], description: 'null on the last page.' }),
  'page-token': optional(text('Requests the next page; absent on the last page.')),
});
export type Page = Infer<typeof page>;

// Saved queries

const savedMembers = {
  name: anyText,
  type: oneOf(savedQueryType.enum as readonly Infer<typeof savedQueryType>[]),
  query: plain({ description: 'The query as it was saved.' }),
  dimension: plain<string | null>({ type: ['string', 'null'] }),
  'cache-period': integerOrNull,
};
const { type, query, dimension, 'cache-period': cachePeriod } = savedMembers;
const savedQuery = named('SavedQuery', object(savedMembers));
export type SavedQuery = Infer<typeof savedQuery>;
export const savedQueryMade = success(savedMembers);
export const savedQueries = success({
  'saved-queries': list(savedQuery, 'Saved queries in the order of their creation.'),
});
export const savedAnswer = success({
  ...{ type, query, dimension },
  result: plain({ description: 'The result of the endpoint of its type.', type: 'object' }),
});
export const savedQueryChanged = success({ type, query, 'cache-period': cachePeriod });
export const savedQueryDeleted = success({
  'deleted-query': text('Name of the deleted query.'),
  ...{ type, query, 'cache-period': cachePeriod },
});

// Segments

const segmentMembers = {
  name: anyText,
  dimension: anyText,
  query: plain<readonly unknown[] | null>({
    type: ['array', 'null'],
    description: 'The condition list that the members satisfy, as it was sent; null = a static segment.',
  }),
};
const segment = named('Segment', object(segmentMembers));
export type Segment = Infer<typeof segment>;
export const segmentMade = success(segmentMembers);
export const segments = success({ segments: list(segment, 'By dimension, in the order of their creation.') });
const describedSegment = {
  ...segmentMembers,
  'id-count': plain<number | null>({
    type: ['integer', 'null'],
    description:
      'The IDs of a static segment, those that are no entities included; null for others, and for keys with a filter.',
  }),
};
export const segmentDescribed = success(describedSegment);
export type DescribedSegment = Infer<typeof segmentDescribed>;
export const segmentDeleted = success({ 'deleted-segment': text('Name of the deleted segment.') });
export const segmentIdsAdded = success({
  added: count('Different IDs of the request; those that the segment had are counted, too.'),
});
export const segmentIdsRemoved = success({ removed: count('IDs that the segment had.') });

// Databases, keys, users

const timestamp = text('YYYY-MM-DDThh:mm:ss.ffffff in UTC.', {
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
  'addresses-whitelist': names('Empty = any address.'),
  case: optional(oneOf(TEXT_CASES)),
  usage: named(
    'Usage',
    object({
      requests: count('Requests of all kinds.'),
      queries: count('Requests that read rows.'),
      'inserted-entities': count('Since the database was created.'),
      'inserted-values': count('Since the database was created.'),
      'updated-entities': count('Since the database was created.'),
      'writes-today': count('Entities inserted and updated since midnight UTC.'),
    }),
  ),
};
export const database = success(databaseMembers);
export type Database = Infer<typeof database>;
export const databases = list(
  named('Database', object(databaseMembers)),
  'For a user, the databases of the group.',
);
export const databaseNames = success({ 'database-name': names('Name of the database.') });
const databaseKeys = object({
  'master-key': anyText,
  'write-key': anyText,
  'read-key': anyText,
  'demo-key': optional(text('Only for a test database.')),
});
export type DatabaseKeys = Infer<typeof databaseKeys>;
export const createdDatabase = success({
  'database-name': names('Name of the database.'),
  keys: databaseKeys,
});

const dimensionStatus = named(
  'DimensionStatus',
  object({
    'api-name': anyText,
    entities: count('Entities.'),
    bytes: count('Memory of the whole dimension.'),
    columns: list(
      object({
        'api-name': anyText,
        events: optional(count('Only for event columns.')),
        bytes: count('Memory.'),
      }),
      'Columns of the dimension.',
    ),
  }),
);
export type DimensionStatus = Infer<typeof dimensionStatus>;
export const status = success({
  database: text('Name of the database.'),
  dimensions: list(dimensionStatus, 'All dimensions of the database.'),
});

const countOf = (description: string) => plain<number>({ type: 'integer', minimum: 0, description });
export const inserts = success({
  database: text('Name of the database.'),
  usage: object({
    'inserted-entities': countOf('Entities that inserts wrote.'),
    'inserted-values': countOf('Values that inserts wrote.'),
    'updated-entities': countOf('Entities that updates changed.'),
  }),
});
export type Inserts = Infer<typeof inserts>;

const caller = {
  'request-id': text('The X-Request-Id of the request; its log lines have it, too.'),
  endpoint: text('Method and path.'),
  key: text('Kind of the key and the first digits of its hash; `user` for a user.'),
  'key-name': optional(text('Name of a custom key, or email of a user.')),
};
const queryText = text('The beginning of the query: at most 2,000 characters.');
const runningQuery = named(
  'RunningQuery',
  object({
    id: text('To stop the query.'),
    ...caller,
    kind: oneOf(['http', 'live', 'postgres']),
    started: dateTime,
    milliseconds: countOf('Time since its start.'),
    state: oneOf(['running', 'waiting-for-memory', 'waiting-for-slot', 'waiting-for-version', 'sending']),
    'reserved-bytes': countOf('Memory that is reserved for the query; 0 = it needs no reservation.'),
    query: queryText,
  }),
);
export type RunningQuery = Infer<typeof runningQuery>;
export const runningQueries = success({
  count: countOf('Running queries of the database.'),
  queries: list(runningQuery, 'The oldest of them first, at most 500.'),
});
export type RunningQueries = Infer<typeof runningQueries>;
export const stoppedQuery = success({
  stopped: plain<boolean>({ type: 'boolean', description: 'False = the query had ended.' }),
});

const slowQuery = named(
  'SlowQuery',
  object({
    ...caller,
    ended: dateTime,
    'http-status': described(integerOrNull, 'null = the client did not get the whole answer.'),
    code: optional(plain<number>({ type: 'integer', description: 'Code of the error.' })),
    milliseconds: countOf('Time from the request to the end of the answer.'),
    rows: described(integerOrNull, 'Rows of the answer; null = not counted.'),
    'memory-wait-milliseconds': countOf('Time that the query waited for memory.'),
    'slot-wait-milliseconds': countOf('Time that it waited because other queries ran.'),
    'version-wait-milliseconds': countOf('Time that it waited for writes.'),
    'spilled-bytes': countOf('Bytes that it wrote to disk because it had too little memory.'),
    query: queryText,
    plan: list(anyText, 'How the query was evaluated.'),
  }),
);
export type SlowQuery = Infer<typeof slowQuery>;
export const slowQueries = success({
  'slow-from-milliseconds': described(
    integerOrNull,
    'Queries that take at least this long are slow; null = none is.',
  ),
  queries: list(slowQuery, 'The newest first, at most 100.'),
});
export type SlowQueries = Infer<typeof slowQueries>;

const statsColumn = (description: string) => list(plain<number>({ type: 'number', minimum: 0 }), description);
const quantileColumn = (share: string) =>
  list(
    plain<number | null>({ type: ['number', 'null'] }),
    `Upper bound, in seconds, of the time of ${share} of the queries; null = there were none.`,
  );
/** Columns of equal length, the oldest sample first. */
export const statsHistory = object({
  started: described(dateTime, 'The start of the server, with which the history begins.'),
  'interval-seconds': countOf('Seconds between two samples.'),
  last: countOf('Number of the newest sample, from 1; 0 = there is none yet.'),
  samples: object({
    'unix-seconds': statsColumn('Time of the sample, in seconds since 1970 in UTC.'),
    'entities-per-second': statsColumn('Inserted entities, of all databases.'),
    'values-per-second': statsColumn('Inserted values, of all databases.'),
    'queries-per-second': statsColumn('Answered queries and SQL over HTTP.'),
    'median-seconds': quantileColumn('half'),
    'p95-seconds': quantileColumn('95%'),
    'memory-bytes': statsColumn('Memory of the data.'),
  }),
});
export type StatsHistory = Infer<typeof statsHistory>;

export const customKeyNames = success({ 'custom-keys': names('Name of the key.') });
export const createdCustomKey = success({
  'custom-keys': names('Name of the key.'),
  key: text('Text of the key.'),
});
const listedKey = named(
  'ListedCustomKey',
  object({
    'database-name': anyText,
    'key-name': anyText,
    'key-type': oneOf(CUSTOM_KEY_LEVELS),
    description: anyText,
    'columns-whitelist': map(names('Api-names of columns.'), 'By dimension; `{}` = all columns.'),
    filter: map(
      map(plain<unknown>({ description: 'A condition.' }), 'By column.'),
      'Conditions on the rows that the key may see, by dimension; `{}` = all rows.',
    ),
    'addresses-whitelist': names('An address, a network or a host name; `[]` = any address.'),
    'last-used': described(
      plain<string | null>({ type: ['string', 'null'], format: 'date-time' }),
      'The last request with the key; null = none since the start of the server.',
    ),
  }),
);
export type ListedCustomKey = Infer<typeof listedKey>;
export const customKeys = success({
  'custom-keys': names('Names in all databases.'),
  databases: map(names('Names of its keys.'), 'Keys are the names of databases.'),
  keys: list(listedKey, 'With their restrictions, in the order of `custom-keys`.'),
});
export type CustomKeys = Infer<typeof customKeys>;

export const users = success({ users: names('Email address of the user.') });
const listedUser = named(
  'ListedUser',
  object({
    email: text('Identifies the user.'),
    'first-name': anyText,
    'last-name': anyText,
    labels: names('Labels.'),
    'permission-group': described(textOrNull, 'Name of the group; null = none.'),
  }),
);
export type ListedUser = Infer<typeof listedUser>;
export const listedUsers = success({ users: list(listedUser, 'Ordered by email.') });

export const permissionGroups = success({ 'permission-groups': names('Name of the group.') });
const listedGroup = named(
  'ListedPermissionGroup',
  object({
    'group-name': anyText,
    description: anyText,
    'allowed-permissions': list(count('Number of a permission.'), 'Ascending.'),
    'allowed-databases': names('Name of a database.'),
    labels: names('Labels.'),
    'week-days': described(list(oneOf(WEEK_DAYS), 'Of UTC.'), 'Empty = every day.'),
    'access-hours': described(
      object({ from: optional(anyText), to: optional(anyText) }),
      'HH:MM in UTC; empty = the whole day.',
    ),
  }),
);
export type ListedPermissionGroup = Infer<typeof listedGroup>;
export const listedGroups = success({ 'permission-groups': list(listedGroup, 'Ordered by name.') });
export const session = success({
  'session-key': text('For the Authorization header.'),
  'expires-at': text('The time at which the session ends.', { format: 'date-time' }),
  permissions: list(plain<number>({ type: 'integer' }), 'Numbers of the permissions of the group.'),
  databases: names('Databases that the group may use.'),
});
export type Session = Infer<typeof session>;
