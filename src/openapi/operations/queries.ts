/** Counts, aggregations, and queries that are saved. */
import * as codes from '../codes.js';
import { SAVED_MEMBERS } from '../model.js';
import { count, listOf, mapOf, membersOf, ref, type Schema, success, text } from '../schema.js';
import { ADULTS, listOfNames, type Operation, type Operations, ok, PRICING, WEEK } from './operation.js';

const counted = (of: Schema): Schema => success({ result: mapOf(of, 'By the name of the query.') });
const eventCounts: Operation = {
  tag: 'Queries',
  summary: 'Count events',
  request: 'CountEventQueries',
  example: { 'query-name': 'pricing', query: [PRICING] },
  answer: counted(ref('EventCount')),
  answered: ok({ result: { pricing: 2 } }),
  codes: [...codes.CONDITIONS, ...codes.NAMED, 4027, 4037, 4040],
};
const total = success({ result: membersOf({ total: count('Entities.') }) });

export const QUERY_OPERATIONS: Operations = {
  'POST /v1/query/count/entity': {
    tag: 'Queries',
    summary: 'Count entities',
    request: 'CountQueries',
    example: [
      { 'query-name': 'grown up', query: [{ age: { gte: 30 } }] },
      {
        'query-name': 'keen',
        query: [
          { country: { equals: 'germany' } },
          'and',
          { visit: { equals: 'pricing', minfreq: 2, between: ['2026-01-01', '2026-01-08'] } },
        ],
      },
    ],
    answer: counted(count('Entities.')),
    answered: ok({ result: { 'grown up': 1, keen: 1 } }),
    codes: [...codes.CONDITIONS, ...codes.NAMED],
  },
  'POST /v1/query/count/entity/total': {
    tag: 'Queries',
    summary: 'Count all entities of some dimensions',
    request: 'Total',
    mayBeEmpty: true,
    example: { dimensions: ['default'] },
    answer: total,
    answered: ok({ result: { total: 2 } }),
    codes: [506, 4004, 4049, 5008, 5009],
  },
  'GET /v1/query/count/entity/total': {
    tag: 'Queries',
    summary: 'Count all entities of the database',
    answer: total,
    answered: ok({ result: { total: 2 } }),
    codes: [506],
  },
  'POST /v1/query/exists/entity': {
    tag: 'Queries',
    summary: 'Tell which entities there are',
    request: 'Exists',
    example: { ids: ['u1', 'u9'] },
    answer: success({
      exists: listOfNames('As they were asked for.'),
      'not-exists': listOfNames('The others.'),
    }),
    answered: ok({ exists: ['u1'], 'not-exists': ['u9'] }),
    codes: [506, 4004, 4019, 4025, 4031, 4049, 5008, 5009],
  },
  'POST /v1/query/count/event': eventCounts,
  'POST /v1/query/count/events': { ...eventCounts, description: 'The same as `/v1/query/count/event`.' },
  'POST /v1/query/aggregation': {
    tag: 'Queries',
    summary: 'Top values of top values, and metrics',
    description:
      'Levels are about entities: each counts once for each of its values, and belongs to a group when it has all values on the way there.',
    request: 'Aggregation',
    example: {
      filter: ADULTS,
      query: [
        { country: 10 },
        { visit: 3, 'not-equals': ['imprint'], between: WEEK },
        { paid: 'sum', between: WEEK },
      ],
    },
    answer: success({ result: ref('LevelResult') }),
    answered: ok({
      result: {
        country: [
          { quantity: 1, value: 'germany', visit: [{ quantity: 1, value: 'pricing', paid: { sum: 29.5 } }] },
        ],
      },
    }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, 4015, 4020, 4045, 4046],
  },
  'POST /v1/query/top_values': {
    tag: 'Queries',
    summary: 'The most frequent values of columns',
    request: 'TopValues',
    example: {
      pages: { visit: 10, 'starts-with': ['pri', 'do'] },
      countries: { country: 5, minfreq: 2 },
    },
    answer: success({ result: ref('TopValuesResult') }),
    answered: ok({
      result: { pages: { visit: [{ quantity: 1, value: 'pricing' }] }, countries: { country: [] } },
    }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, 4036],
  },
  'POST /v1/query/saved': {
    tag: 'Saved queries',
    summary: 'Save a query',
    request: 'NewSavedQuery',
    example: { name: 'docs', type: 'count/event', 'cache-period': 60, query: [PRICING] },
    answer: success(SAVED_MEMBERS),
    answered: ok({
      name: 'docs',
      type: 'count/event',
      query: [PRICING],
      dimension: 'default',
      'cache-period': 60,
    }),
    codes: [...codes.SAVED, 4021, 4022, 4034, 4041],
  },
  'GET /v1/query/saved': {
    tag: 'Saved queries',
    summary: 'List saved queries',
    description:
      'Lists the saved queries that the key may run; a custom key with restrictions does not see the others.',
    answer: success({ 'saved-queries': listOf(ref('SavedQuery'), 'In the order in which they were made.') }),
    answered: ok({ 'saved-queries': [] }),
    codes: [],
  },
  'GET /v1/query/saved/:query_name': {
    tag: 'Saved queries',
    summary: 'Ask a saved query',
    description:
      'Runs with the rights of the key that asks; for a key that may not run it, it does not exist. A count is called `query` in its result.',
    answer: success({
      type: SAVED_MEMBERS.type,
      query: SAVED_MEMBERS.query,
      dimension: SAVED_MEMBERS.dimension,
      result: { description: 'What the endpoint of its type answers.', type: 'object' },
    }),
    answered: ok({ type: 'count/event', query: [PRICING], dimension: 'default', result: { query: 2 } }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, 4020, 4023, 8002],
  },
  'PUT /v1/query/saved/:query_name': {
    tag: 'Saved queries',
    summary: 'Change a saved query',
    description: 'Type, query and dimension replace what was there; a cache-period that is absent stays.',
    request: 'ChangedSavedQuery',
    example: { type: 'count/event', query: [PRICING] },
    answer: success({
      type: SAVED_MEMBERS.type,
      query: SAVED_MEMBERS.query,
      'cache-period': SAVED_MEMBERS['cache-period'],
    }),
    answered: ok({ type: 'count/event', query: [PRICING], 'cache-period': null }),
    codes: [...codes.SAVED, 508, 4023],
  },
  'DELETE /v1/query/saved/:query_name': {
    tag: 'Saved queries',
    summary: 'Delete a saved query',
    answer: success({
      'deleted-query': text('Its name.'),
      type: SAVED_MEMBERS.type,
      query: SAVED_MEMBERS.query,
      'cache-period': SAVED_MEMBERS['cache-period'],
    }),
    answered: ok({ 'deleted-query': 'docs', type: 'count/event', query: [PRICING], 'cache-period': 60 }),
    codes: [508, 4023, 8002],
  },
};
