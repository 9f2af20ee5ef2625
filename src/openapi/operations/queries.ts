/** Counts, aggregations, and queries that are saved. */
import {
  aggregation,
  answers,
  changedSavedQuery,
  countEventQueries,
  countQueries,
  exists,
  newSavedQuery,
  topValues,
  total,
} from '../../interface/index.js';
import * as codes from '../codes.js';
import { ADULTS, LIVE_PARAMETERS, type Operation, type Operations, ok, PRICING, WEEK } from './operation.js';

const eventCounts: Operation = {
  tag: 'Queries',
  summary: 'Count events',
  request: countEventQueries,
  example: { 'query-name': 'pricing', query: [PRICING] },
  answer: answers.eventCounts,
  answered: ok({ result: { pricing: 2 } }),
  codes: [...codes.CONDITIONS, ...codes.NAMED, 4037, 4040],
};

export const QUERY_OPERATIONS: Operations = {
  'POST /v1/query/count/entity': {
    tag: 'Queries',
    summary: 'Count entities',
    request: countQueries,
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
    answer: answers.entityCounts,
    answered: ok({ result: { 'grown up': 1, keen: 1 } }),
    codes: [...codes.CONDITIONS, ...codes.NAMED],
  },
  'POST /v1/query/count/entity/total': {
    tag: 'Queries',
    summary: 'Count all entities of some dimensions',
    request: total,
    mayBeEmpty: true,
    example: { dimensions: ['default'] },
    answer: answers.totalCount,
    answered: ok({ result: { total: 2 } }),
    codes: [506, 5008],
  },
  'GET /v1/query/count/entity/total': {
    tag: 'Queries',
    summary: 'Count all entities of the database',
    answer: answers.totalCount,
    answered: ok({ result: { total: 2 } }),
    codes: [506],
  },
  'POST /v1/query/exists/entity': {
    tag: 'Queries',
    summary: 'Test which entities exist',
    request: exists,
    example: { ids: ['u1', 'u9'] },
    answer: answers.exists,
    answered: ok({ exists: ['u1'], 'not-exists': ['u9'] }),
    codes: [506, 5008],
  },
  'POST /v1/query/count/event': eventCounts,
  'POST /v1/query/count/events': { ...eventCounts, description: 'The same as `/v1/query/count/event`.' },
  'POST /v1/query/aggregation': {
    tag: 'Queries',
    summary: 'Top values of top values, and metrics',
    description:
      'Levels count entities: an entity counts once for each of its values, and belongs to a group if it has the values of all levels above.',
    request: aggregation,
    example: {
      filter: ADULTS,
      query: [
        { country: 10 },
        { visit: 3, 'not-equals': ['imprint'], between: WEEK },
        { paid: 'sum', between: WEEK },
      ],
    },
    answer: answers.levelResult,
    answered: ok({
      result: {
        country: [
          { quantity: 1, value: 'germany', visit: [{ quantity: 1, value: 'pricing', paid: { sum: 29.5 } }] },
        ],
      },
    }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, 4020],
  },
  'POST /v1/query/top_values': {
    tag: 'Queries',
    summary: 'The most frequent values of columns',
    request: topValues,
    example: {
      pages: { visit: 10, 'starts-with': ['pri', 'do'] },
      countries: { country: 5, minfreq: 2 },
    },
    answer: answers.topValuesResult,
    answered: ok({
      result: { pages: { visit: [{ quantity: 1, value: 'pricing' }] }, countries: { country: [] } },
    }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, 4004, 4027, 4036, 4045],
  },
  'POST /v1/query/saved': {
    tag: 'Saved queries',
    summary: 'Save a query',
    request: newSavedQuery,
    example: { name: 'docs', type: 'count/event', 'cache-period': 60, query: [PRICING] },
    answer: answers.savedQueryMade,
    answered: ok({
      name: 'docs',
      type: 'count/event',
      query: [PRICING],
      dimension: 'default',
      'cache-period': 60,
    }),
    codes: [...codes.SAVED, 4022],
  },
  'GET /v1/query/saved': {
    tag: 'Saved queries',
    summary: 'List saved queries',
    description:
      'Lists the saved queries that the key may run; a custom key with restrictions does not see the others.',
    answer: answers.savedQueries,
    answered: ok({ 'saved-queries': [] }),
  },
  'GET /v1/query/saved/:query_name': {
    tag: 'Saved queries',
    summary: 'Run a saved query',
    description:
      'Runs with the rights of the key of the request; a key that may not run the query gets the answer for an unknown name. A count is called `query` in its result.',
    answer: answers.savedAnswer,
    answered: ok({ type: 'count/event', query: [PRICING], dimension: 'default', result: { query: 2 } }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, ...codes.codesIn(aggregation), 4020, 4023, 8002],
  },
  'GET /v1/query/saved/:query_name/live': {
    tag: 'Saved queries',
    summary: 'Follow the answers of a saved query',
    description:
      'Server-sent events: the answer at once and whenever it changes. Each is the answer at the LSN in `id`. A client that reads slowly gets the newest answer only.',
    parameters: LIVE_PARAMETERS,
    events: true,
    answer: answers.savedAnswer,
    answered: ok({ type: 'count/event', query: [PRICING], dimension: 'default', result: { query: 2 } }),
    codes: [...codes.CONDITIONS, ...codes.LEVELS, ...codes.codesIn(aggregation), 4020, 4023, 8002],
  },
  'PUT /v1/query/saved/:query_name': {
    tag: 'Saved queries',
    summary: 'Change a saved query',
    description: 'Replaces type, query and dimension; an omitted cache-period is unchanged.',
    request: changedSavedQuery,
    example: { type: 'count/event', query: [PRICING] },
    answer: answers.savedQueryChanged,
    answered: ok({ type: 'count/event', query: [PRICING], 'cache-period': null }),
    codes: [...codes.SAVED, 508, 4023],
  },
  'DELETE /v1/query/saved/:query_name': {
    tag: 'Saved queries',
    summary: 'Delete a saved query',
    answer: answers.savedQueryDeleted,
    answered: ok({ 'deleted-query': 'docs', type: 'count/event', query: [PRICING], 'cache-period': 60 }),
    codes: [508, 4023, 8002],
  },
};
