/** Writes, counts and extractions: their bodies and answers. */
import { KNOWN_FIELDS } from '../api/index.js';
import {
  COLUMNS_PER_EXTRACTION_MAX,
  EXTRACTED_ROWS_DEFAULT,
  IDS_PER_EXISTS_MAX,
  ORDER_KEYS_MAX,
  PAGE_ROWS_MAX,
  QUERIES_PER_REQUEST_MAX,
  SCORED_ROWS_MAX,
  TEXT_POINTS_MAX,
} from '../base/index.js';
import { bypassCache, dimension } from './fields.js';
import {
  anyOf,
  count,
  fieldsOf,
  listOf,
  mapOf,
  membersOf,
  orNull,
  ref,
  type Schema,
  text,
  wholeNumber,
} from './schema.js';

const queryName = text('What the answer calls it; unique within the request.', { minLength: 1 });
const countFields = { 'query-name': queryName, dimension, query: ref('Query'), 'bypass-cache': bypassCache };

const several = (name: string): Schema =>
  anyOf(
    'One query or several.',
    ref(name),
    listOf(ref(name), 'All are answered, or none.', { minItems: 1, maxItems: QUERIES_PER_REQUEST_MAX }),
  );

const place = listOf({ type: 'number' }, '[longitude, latitude]', { minItems: 2, maxItems: 2 });
const value = anyOf(
  'As the column’s type wants it: a text, a number, a boolean, `YYYY-MM-DD`, `YYYY-MM-DDThh:mm:ssZ`, or [longitude, latitude]. Integers may have 64 bits.',
  { type: ['string', 'number', 'boolean'] },
  place,
);
const event: Schema = {
  type: 'object',
  description: 'An event: its value, and its date, which is now unless given.',
  properties: { value, date: { type: 'string' } },
  required: ['value'],
  additionalProperties: false,
};

const extraction = (limit: Schema): Schema =>
  fieldsOf(
    KNOWN_FIELDS.extraction,
    {
      query: ref('Query'),
      columns: anyOf(
        'Which columns rows have; `entity-id` among them makes the answer a list.',
        { const: 'all', description: 'All attribute columns.' },
        listOf(
          anyOf(
            'A column by its api-name, or an event column with a window.',
            { type: 'string' },
            mapOf(ref('Between'), 'An event column and its window.', { minProperties: 1, maxProperties: 1 }),
          ),
          `At most ${COLUMNS_PER_EXTRACTION_MAX} different ones.`,
          { minItems: 1 },
        ),
      ),
      limit,
      order: orNull(
        anyOf(
          'The order of the rows.',
          ref('Order'),
          listOf(ref('Order'), 'The first counts most.', { minItems: 1, maxItems: ORDER_KEYS_MAX }),
        ),
      ),
      'page-token': orNull(text('Of the page before: everything else of the body must be the same.')),
      dimension,
      'bypass-cache': bypassCache,
    },
    ['query', 'columns'],
  );

const rows = anyOf(
  'Objects by entity ID; a list where an order is given or `entity-id` is among the columns.',
  mapOf(ref('Row'), 'By entity ID.'),
  listOf(ref('Row'), 'In their order.'),
);

export const PAGE_MEMBERS = {
  data: rows,
  page: wholeNumber('From 1.', 1),
  'next-page': { type: ['integer', 'null'], description: 'null on the last page.' },
  'page-token': text('Asks for the next page; not on the last one.'),
} as const;

export const INSERTED_MEMBERS = {
  'inserted-entities': count('Entities.'),
  'inserted-values': count('Values.'),
} as const;

const linePlace = {
  part: wholeNumber('Which part of the body, from 1.', 1),
  'first-line': wholeNumber('The first of its lines, from 1.', 1),
  lines: count('How many lines it has.'),
};

const sqlResult = anyOf(
  'Rows of a SELECT, keys in the order asked for; or what a write did.',
  listOf(mapOf({}, 'A row; what is missing is null.'), 'Rows.'),
  membersOf(INSERTED_MEMBERS),
  membersOf({ updated: count('Entities.') }),
  membersOf({ deleted: count('Entities.') }),
);

export const DATA_SCHEMAS: Readonly<Record<string, Schema>> = {
  Insert: {
    type: 'object',
    description: 'Entities by their ID, each with at least one column. All of them are inserted, or none.',
    properties: {
      'auto-create': listOf({ enum: ['dimension', 'column'] }, 'Makes what is missing from the values.'),
    },
    additionalProperties: ref('Entity'),
    propertyNames: { minLength: 1 },
  },
  Entity: {
    type: 'object',
    description: 'Values by column, and in `dimension` where the entity lives; `default` unless given.',
    properties: { dimension: { type: 'string' } },
    additionalProperties: anyOf(
      'null takes the value away, and empties a list.',
      { type: 'null' },
      ref('Value'),
    ),
    minProperties: 1,
  },
  Value: anyOf(
    'Of a `latest-value` column a value, of a `list-of-values` column a list, of an event column events.',
    value,
    event,
    listOf(anyOf('An item or an event.', value, event), 'Items or events.'),
  ),
  Update: fieldsOf(
    KNOWN_FIELDS.update,
    {
      dimension,
      query: ref('Query'),
      set: mapOf(
        anyOf('The new value; null takes it away.', { type: 'null' }, ref('Value')),
        'Values by column.',
        {
          minProperties: 1,
        },
      ),
    },
    ['query', 'set'],
  ),
  Delete: fieldsOf(KNOWN_FIELDS.delete, { dimension, query: ref('Query') }, ['query']),
  CountQuery: fieldsOf(KNOWN_FIELDS.countQuery, countFields, ['query-name', 'query']),
  CountQueries: several('CountQuery'),
  CountEventQuery: fieldsOf(
    KNOWN_FIELDS.countEventQuery,
    { ...countFields, interval: orNull(ref('Interval')) },
    ['query-name', 'query'],
    { description: 'Its query is one condition on an event column.' },
  ),
  CountEventQueries: several('CountEventQuery'),
  Total: fieldsOf(
    KNOWN_FIELDS.total,
    { dimensions: orNull(listOf({ type: 'string' }, 'Those to count; all without any.')) },
    [],
  ),
  Exists: fieldsOf(
    KNOWN_FIELDS.exists,
    {
      ids: listOf({ type: 'string', minLength: 1, maxLength: TEXT_POINTS_MAX }, 'Entity IDs.', {
        minItems: 1,
        maxItems: IDS_PER_EXISTS_MAX,
      }),
      dimension,
    },
    ['ids'],
  ),
  Order: mapOf({ enum: ['asc', 'desc'] }, 'One column. What is missing stands last either way.', {
    minProperties: 1,
    maxProperties: 1,
  }),
  Extraction: extraction(
    wholeNumber(
      `Rows of all pages together; ${EXTRACTED_ROWS_DEFAULT} unless given. A page holds ${PAGE_ROWS_MAX}.`,
      1,
    ),
  ),
  Scoring: extraction(wholeNumber(`Rows; ${SCORED_ROWS_MAX} unless given.`, 1, SCORED_ROWS_MAX)),
  Row: mapOf(
    ref('Cell'),
    'Values by column, missing ones left out; beside them `score`, `<column>_distance` (km) and `<column>_coordinates` where asked for.',
  ),
  Cell: anyOf(
    'Values are texts, whatever the column’s type, and lists of texts; events have a value and a date, several of them are a list. Scores and distances are numbers, coordinates [longitude, latitude].',
    { type: ['string', 'number'] },
    ref('EventCell'),
    listOf(anyOf('An item or an event.', { type: ['string', 'number'] }, ref('EventCell')), 'Several.'),
  ),
  EventCell: membersOf({
    value: { type: 'string' },
    date: { type: 'string', format: 'date-time' },
  }),
  SqlResult: sqlResult,
  SqlAnswer: anyOf(
    'Of one statement its result; of several a list of results.',
    ref('SqlResult'),
    listOf(
      membersOf({ result: ref('SqlResult'), count: count('Rows or entities.'), took: { type: 'number' } }),
      'A statement each.',
    ),
  ),
  Line: anyOf(
    'A line of a body of lines.',
    {
      type: 'object',
      description: 'An entity: its ID, and beside it what the entity’s object holds elsewhere.',
      properties: { id: { type: 'string', minLength: 1 }, dimension: { type: 'string' } },
      required: ['id'],
      additionalProperties: anyOf(
        'null takes the value away, and empties a list.',
        { type: 'null' },
        ref('Value'),
      ),
    },
    membersOf({
      'auto-create': listOf(
        { enum: ['dimension', 'column'] },
        'Before all entities: makes what is missing from the values, in every part.',
      ),
    }),
  ),
  PartAnswer: anyOf(
    'What became of a part of a body of lines: the whole part took effect, or nothing of it.',
    membersOf({ ...linePlace, status: { const: 'success' }, ...INSERTED_MEMBERS }),
    membersOf(
      {
        ...linePlace,
        status: { const: 'error' },
        errors: listOf(ref('Fault'), 'What was wrong.', { minItems: 1 }),
        'retry-after': count('Seconds after which the same may be sent again.'),
      },
      ['retry-after'],
    ),
  ),
};
