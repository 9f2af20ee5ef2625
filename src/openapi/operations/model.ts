/** Dimensions, columns and relations. */
import {
  answers,
  changedColumn,
  deletedColumn,
  deletedDimension,
  newColumns,
  newDimensions,
  relation,
} from '../../interface/index.js';
import * as codes from '../codes.js';
import { type Operations, ok } from './operation.js';

export const MODEL_OPERATIONS: Operations = {
  'POST /v1/dimension': {
    tag: 'Model',
    summary: 'Make dimensions',
    request: newDimensions,
    example: { name: 'Customers', 'api-name': 'customers' },
    answer: answers.apiNames,
    answered: ok({ 'api-name': ['customers'] }),
    codes: [5006, 8002],
  },
  'DELETE /v1/dimension': {
    tag: 'Model',
    summary: 'Delete a dimension with everything in it',
    request: deletedDimension,
    example: { 'api-name': 'customers' },
    answer: answers.apiNames,
    answered: ok({ 'api-name': ['customers'] }),
    codes: [5001, 5008, 8002],
  },
  'GET /v1/dimension': {
    tag: 'Model',
    summary: 'List dimensions',
    answer: answers.dimensions,
    answered: ok({ dimensions: ['default', 'customers'] }),
  },
  'POST /v1/column': {
    tag: 'Model',
    summary: 'Make columns',
    request: newColumns,
    example: [
      { name: 'country', type: 'string', cardinality: 'low', storage: 'latest-value' },
      { name: 'age', type: 'integer', storage: 'latest-value' },
      { name: 'visit', type: 'string-event' },
    ],
    answer: answers.createdColumns,
    answered: ok({ 'api-name': ['country', 'age', 'visit'] }),
    codes: [2021, 3003, 3004, 5001, 8002],
  },
  'PUT /v1/column': {
    tag: 'Model',
    summary: 'Rename a column, put it aside or take it up again, change how long its events are kept',
    request: changedColumn,
    example: { 'api-name': 'country', dimension: 'customers', active: false },
    answer: answers.apiNames,
    answered: ok({ 'api-name': ['country'] }),
    codes: [3001, 3018, 5008, 8002],
  },
  'DELETE /v1/column': {
    tag: 'Model',
    summary: 'Delete a column with its values',
    request: deletedColumn,
    example: { 'api-name': 'paid', dimension: 'customers' },
    answer: answers.apiNames,
    answered: ok({ 'api-name': ['paid'] }),
    codes: [3001, 3018, 5008, 8002],
  },
  'GET /v1/column': {
    tag: 'Model',
    summary: 'List columns',
    description: 'In addition to `count`, one member for each dimension.',
    answer: answers.columns,
    answered: ok({
      count: 1,
      default: {
        active: [
          {
            name: 'entity-id',
            'api-name': 'entity-id',
            description: '',
            type: 'unique-id',
            category: 'general',
            storage: 'latest-value',
          },
        ],
        inactive: [],
      },
    }),
  },
  'POST /v1/column/relation': {
    tag: 'Model',
    summary: 'Relate event columns',
    description:
      'The Nth values that one entity has of related columns in one insert share an event. A relation of that name gets the columns in addition.',
    request: relation,
    example: { name: 'purchase', columns: ['order', 'paid'], dimension: 'customers' },
    answer: answers.related,
    answered: ok({ columns_on_relation: ['order', 'paid'] }),
    codes: codes.RELATIONS,
  },
  'DELETE /v1/column/relation': {
    tag: 'Model',
    summary: 'Take columns out of a relation',
    request: relation,
    example: { name: 'purchase', columns: ['paid'], dimension: 'customers' },
    answer: answers.unrelated,
    answered: ok({ columns_deleted: ['paid'] }),
    codes: codes.RELATIONS,
  },
  'GET /v1/column/relation': {
    tag: 'Model',
    summary: 'List relations',
    answer: answers.relations,
    answered: ok({ count: 1, relations: { customers: { purchase: ['order', 'paid'] } } }),
  },
};
