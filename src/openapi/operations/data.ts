/** Writes, SQL and extractions. */
import {
  answers,
  DEDUPE_BODY,
  deletion,
  extraction,
  insert,
  ON_ERROR,
  quarantineRetry,
  RECORD_PARAMETERS,
  scoring,
  update,
} from '../../interface/index.js';
import * as codes from '../codes.js';
import { ADULTS, type Operations, ok, WEEK } from './operation.js';

export const DATA_OPERATIONS: Operations = {
  'POST /v1/insert': {
    tag: 'Writes',
    summary: 'Insert entities',
    description:
      'Values of `latest-value` columns replace those there are, items of lists replace the list, events are added. A body of lines (`application/x-ndjson`) may have any length: it is applied part by part, and the answer has a line for each part. Status 200 means that every line was inserted. If a part was refused, the answer has the status of the first refusal (503 if any refusal was 9002, 9003 or 9004), also with a line for each part. A connection that ends before the answer does means that a part was refused after the answer had begun.',
    parameters: { 'on-error': ON_ERROR, dedupe: DEDUPE_BODY },
    request: insert,
    example: {
      u1: {
        country: 'Germany',
        age: 34,
        visit: [
          { value: 'pricing', date: '2026-01-05' },
          { value: 'pricing', date: '2026-01-06T09:30:00Z' },
        ],
      },
      u2: { country: 'France', age: 27 },
    },
    answer: answers.inserted,
    answered: ok({ 'inserted-entities': 2, 'inserted-values': 6 }),
    codes: [...codes.INSERTS, ...codes.AUTO_CREATE_CODES, ...codes.IDEMPOTENCY_CODES],
  },
  'POST /v1/insert/lines': {
    tag: 'Writes',
    summary: 'Insert flat records',
    description:
      'Records as log shippers and webhooks send them: lines of JSON, a list of objects, or CSV. Each becomes an entity, or events of one: the parameters name the fields. Like a body of lines, the body is applied part by part, and the answer has a line for each part.',
    parameters: RECORD_PARAMETERS,
    answer: answers.inserted,
    codes: [...codes.INSERTS, ...codes.AUTO_CREATE_CODES, ...codes.IDEMPOTENCY_CODES, 4049],
  },
  'POST /v1/quarantine/retry': {
    tag: 'Writes',
    summary: 'Insert refused lines again',
    description:
      'Inserts the lines in the quarantine of a dimension as they were sent, except that nothing is created. A line that is inserted leaves the quarantine in the same step. An answer covers up to 1,000 lines; its `after` continues.',
    request: quarantineRetry,
    example: { dimension: 'customers' },
    answer: answers.retried,
    answered: ok({ inserted: 12, refused: 0, after: null }),
    codes: [...codes.INSERTS, 4004, 4049, 5008, 9004],
  },
  'POST /v1/update': {
    tag: 'Writes',
    summary: 'Update entities that satisfy a query',
    description:
      '`set` is checked like an insert: null takes a value away, a list replaces a list, events are added.',
    request: update,
    example: { dimension: 'customers', query: [{ country: { equals: 'peru' } }], set: { country: 'Chile' } },
    answer: answers.updated,
    answered: ok({ result: { updated: 1 } }),
    codes: [...codes.CONDITIONS, ...codes.INSERTS, ...codes.IDEMPOTENCY_CODES, 8002],
  },
  'POST /v1/delete': {
    tag: 'Writes',
    summary: 'Delete entities that satisfy a query',
    request: deletion,
    example: { dimension: 'customers', query: [{ 'entity-id': { equals: 'c2' } }] },
    answer: answers.deleted,
    answered: ok({ result: { deleted: 1 } }),
    codes: [...codes.CONDITIONS, ...codes.IDEMPOTENCY_CODES, 8002],
  },
  'POST /v1/sql': {
    tag: 'SQL',
    summary: 'Run SQL',
    description:
      'All SELECT and EXPLAIN, or all INSERT, UPDATE and DELETE, which take effect together or not at all. Dimensions are tables.',
    example:
      'SELECT country, COUNT(*) AS people, AVG(age) FROM [default] GROUP BY country ORDER BY people DESC, country LIMIT 3',
    answer: answers.sql,
    answered: ok({ result: [{ country: 'germany', people: 2, AVG_age: 42.5 }], count: 1 }),
    rows: true,
    codes: [...codes.IDEMPOTENCY_CODES, 506, 6000],
  },
  'POST /v1/data_extraction/result': {
    tag: 'Extraction',
    summary: 'Rows of the entities that satisfy a query',
    description: 'In JSON page by page; in other formats all rows up to `limit` in one answer.',
    request: extraction,
    example: {
      query: ADULTS,
      order: [{ age: 'desc' }],
      limit: 2,
      columns: ['entity-id', 'country', 'age', { visit: WEEK }],
    },
    answer: answers.page,
    answered: ok({
      data: [
        {
          'entity-id': 'u1',
          country: 'germany',
          age: '34',
          visit: { value: 'pricing', date: '2026-01-05T00:00:00Z' },
        },
      ],
      page: 1,
      'next-page': null,
    }),
    rows: true,
    codes: [...codes.CONDITIONS, ...codes.EXTRACTION],
  },
  'POST /v1/data_extraction/score': {
    tag: 'Extraction',
    summary: 'Rows of the entities that satisfy most conditions of a query',
    description:
      'Chooses at most 100 rows, highest score first, then by ID. `order` sets the order in which the chosen rows come.',
    request: scoring,
    example: {
      columns: ['entity-id', 'age'],
      query: [{ country: { equals: 'germany' } }, 'or', { age: { gte: 30 } }],
    },
    answer: answers.page,
    answered: ok({ data: [{ 'entity-id': 'u1', age: '34', score: 2 }], page: 1, 'next-page': null }),
    rows: true,
    codes: [...codes.CONDITIONS, ...codes.EXTRACTION],
  },
};
