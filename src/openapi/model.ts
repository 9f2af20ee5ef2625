/** Dimensions, columns, relations and saved queries: what is sent to make them, and how they are listed. */
import {
  API_NAME_FORM,
  CACHE_PERIOD_SECONDS_MIN,
  DECIMAL_PLACES_DEFAULT,
  DECIMAL_PLACES_MAX,
  KNOWN_FIELDS,
  NAME_FORM,
  RANGE_BOUNDS_MAX,
  SAVED_QUERY_NAME_FORM,
} from '../api/index.js';
import {
  COLUMNS_PER_REQUEST_MAX,
  DESCRIPTION_CHARS_MAX,
  DIMENSIONS_PER_REQUEST_MAX,
  NAME_CHARS_MAX,
} from '../base/index.js';
import { SAVED_QUERY_TYPES } from '../catalog/index.js';
import { COLUMN_TYPES } from '../schema/index.js';
import { dimension } from './fields.js';
import {
  anyOf,
  count,
  fieldsOf,
  flag,
  listOf,
  mapOf,
  membersOf,
  oneOfTexts,
  orNull,
  ref,
  type Schema,
  text,
  wholeNumber,
} from './schema.js';

const name = text('What people call it: printable ASCII without quotes.', {
  pattern: NAME_FORM.source,
  maxLength: NAME_CHARS_MAX,
});
const apiName = text('What requests call it: lower-case letters, digits and dashes.', {
  pattern: API_NAME_FORM.source,
  maxLength: NAME_CHARS_MAX,
});
const description = orNull(
  text('Without quotes.', { maxLength: DESCRIPTION_CHARS_MAX, pattern: '^[^\'"]*$' }),
);
const aColumn = text('Api-name of the column.');

/** As they stand in answers: what was made by an older release may be longer. */
export const apiNames = (what: string): Schema => listOf({ type: 'string' }, what);

export const MODEL_SCHEMAS: Readonly<Record<string, Schema>> = {
  NewDimension: fieldsOf(
    KNOWN_FIELDS.newDimension,
    {
      name,
      'api-name': apiName,
      'relational-model-type': orNull(oneOfTexts(['fact', 'dimension'], 'Its part in a star schema.')),
    },
    ['name', 'api-name'],
  ),
  NewDimensions: anyOf(
    'One dimension or several.',
    ref('NewDimension'),
    listOf(ref('NewDimension'), 'All of them are made, or none.', {
      minItems: 1,
      maxItems: DIMENSIONS_PER_REQUEST_MAX,
    }),
  ),
  DeletedDimension: fieldsOf(KNOWN_FIELDS.deletedDimension, { 'api-name': text('Of the dimension.') }, [
    'api-name',
  ]),
  NewColumn: fieldsOf(
    KNOWN_FIELDS.newColumn,
    {
      name,
      'api-name': orNull({
        ...apiName,
        description: 'What requests call it; made from the name unless given.',
      }),
      type: oneOfTexts(
        COLUMN_TYPES.filter((type) => type !== 'unique-id'),
        'Those that end in `-event` hold events: values with a date.',
      ),
      description,
      dimension: orNull({
        ...apiName,
        description: 'Api-name of the dimension, which is made if there is none; `default` unless given.',
      }),
      storage: orNull(
        oneOfTexts(['latest-value', 'list-of-values'], 'One value or many; not of event columns.'),
      ),
      cardinality: orNull(oneOfTexts(['low', 'high'], 'Of string columns: few different values or many.')),
      'decimal-places': orNull(
        wholeNumber(`Of decimal columns; ${DECIMAL_PLACES_DEFAULT} unless given.`, 1, DECIMAL_PLACES_MAX),
      ),
      range: orNull(
        listOf({ type: 'integer' }, 'Of enumerated columns: bounds of 64 bits, rising.', {
          minItems: 1,
          maxItems: RANGE_BOUNDS_MAX,
        }),
      ),
      'retention-time': orNull(
        anyOf('Of event columns: how long events are kept.', wholeNumber('Whole days.', 1), {
          const: 'forever',
        }),
      ),
    },
    ['name', 'type'],
  ),
  NewColumns: anyOf(
    'One column or several.',
    ref('NewColumn'),
    listOf(ref('NewColumn'), 'All of them are made, or none.', {
      minItems: 1,
      maxItems: COLUMNS_PER_REQUEST_MAX,
    }),
  ),
  ChangedColumn: fieldsOf(
    KNOWN_FIELDS.changedColumn,
    {
      'api-name': aColumn,
      dimension,
      name,
      description,
      active: flag('An inactive column keeps its data, but can be neither written nor asked for.'),
    },
    ['api-name'],
    { anyOf: ['name', 'description', 'active'].map((field) => ({ required: [field] })) },
  ),
  DeletedColumn: fieldsOf(KNOWN_FIELDS.deletedColumn, { 'api-name': aColumn, dimension }, ['api-name']),
  Relation: fieldsOf(
    KNOWN_FIELDS.relation,
    {
      name,
      columns: listOf(aColumn, 'Event columns.', { minItems: 1, maxItems: COLUMNS_PER_REQUEST_MAX }),
      dimension,
    },
    ['name', 'columns'],
  ),
  ColumnEntry: membersOf(
    {
      name: { type: 'string' },
      'api-name': { type: 'string' },
      description: { type: 'string' },
      type: { enum: COLUMN_TYPES },
      category: { const: 'general' },
      storage: oneOfTexts(['latest-value', 'list-of-values'], 'Not of event columns.'),
    },
    ['storage'],
  ),
  ColumnGroups: membersOf({
    active: listOf(ref('ColumnEntry'), 'Those that can be written and asked for.'),
    inactive: listOf(ref('ColumnEntry'), 'Those put aside.'),
  }),
  DimensionStatus: membersOf({
    'api-name': { type: 'string' },
    entities: count('Entities.'),
    bytes: count('Memory of the whole dimension.'),
    columns: listOf(
      membersOf(
        { 'api-name': { type: 'string' }, events: count('Of event columns.'), bytes: count('Memory.') },
        ['events'],
      ),
      'Its columns.',
    ),
  }),
};

const type = oneOfTexts(SAVED_QUERY_TYPES, 'What endpoint answers it: `POST /v1/query/<type>`.');
const definition = {
  type,
  query: anyOf(
    'What the endpoint of its type takes: a query list; levels, or an object of `filter` and `query`; an object of queries of top values; a list of dimensions.',
    ref('Query'),
    ref('Levels'),
    ref('SavedAggregation'),
    ref('TopValues'),
    listOf({ type: 'string' }, 'Dimensions to count; all without any.'),
    { type: 'null', description: 'All dimensions.' },
  ),
  dimension: orNull(text('Api-name of the dimension that it runs on; not of totals.')),
  'cache-period': orNull(wholeNumber('Seconds that an answer is remembered.', CACHE_PERIOD_SECONDS_MIN)),
} as const;

/** A query as it was sent, whatever its type. */
const savedQuery: Schema = { description: 'As it was saved.' };
export const SAVED_MEMBERS = {
  name: { type: 'string' },
  type: { enum: SAVED_QUERY_TYPES },
  query: savedQuery,
  dimension: { type: ['string', 'null'] },
  'cache-period': { type: ['integer', 'null'] },
} as const;

export const SAVED_SCHEMAS: Readonly<Record<string, Schema>> = {
  SavedAggregation: fieldsOf(
    KNOWN_FIELDS.savedAggregation,
    {
      filter: orNull(
        anyOf('Which entities.', listOf({ type: 'null' }, 'All.', { maxItems: 0 }), ref('Query')),
      ),
      query: ref('Levels'),
    },
    ['query'],
  ),
  NewSavedQuery: fieldsOf(
    KNOWN_FIELDS.newSavedQuery,
    {
      name: text('Letters, digits and dashes.', {
        pattern: SAVED_QUERY_NAME_FORM.source,
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
      }),
      ...definition,
    },
    ['name', 'type'],
  ),
  ChangedSavedQuery: fieldsOf(KNOWN_FIELDS.savedQuery, definition, ['type']),
  SavedQuery: membersOf(SAVED_MEMBERS),
};

export const relationsListed = mapOf(
  mapOf(apiNames('Columns, in their order.'), 'By the name of the relation.'),
  'By the api-name of the dimension.',
);
