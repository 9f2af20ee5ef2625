/** Dimensions, columns and relations. */
import * as codes from '../codes.js';
import { apiNames, relationsListed } from '../model.js';
import { anyOf, count, ref, success } from '../schema.js';
import { type Operations, ok } from './operation.js';

const apiNamesAnswer = success({ 'api-name': apiNames('Those that were asked for.') });

export const MODEL_OPERATIONS: Operations = {
  'POST /v1/dimension': {
    tag: 'Model',
    summary: 'Make dimensions',
    request: 'NewDimensions',
    example: { name: 'Customers', 'api-name': 'customers' },
    answer: apiNamesAnswer,
    answered: ok({ 'api-name': ['customers'] }),
    codes: [5000, 5001, 5003, 5004, 5006, 5007, 5009, 5010, 8002],
  },
  'DELETE /v1/dimension': {
    tag: 'Model',
    summary: 'Delete a dimension with everything in it',
    request: 'DeletedDimension',
    example: { 'api-name': 'customers' },
    answer: apiNamesAnswer,
    answered: ok({ 'api-name': ['customers'] }),
    codes: [5001, 5007, 5008, 5009, 8002],
  },
  'GET /v1/dimension': {
    tag: 'Model',
    summary: 'List dimensions',
    answer: success({ dimensions: apiNames('Dimensions.') }),
    answered: ok({ dimensions: ['default', 'customers'] }),
    codes: [],
  },
  'POST /v1/column': {
    tag: 'Model',
    summary: 'Make columns',
    request: 'NewColumns',
    example: [
      { name: 'country', type: 'string', cardinality: 'low', storage: 'latest-value' },
      { name: 'age', type: 'integer', storage: 'latest-value' },
      { name: 'visit', type: 'string-event' },
    ],
    answer: success({
      'api-name': anyOf(
        'A text where one column was sent outside a list.',
        { type: 'string' },
        apiNames('Columns.'),
      ),
    }),
    answered: ok({ 'api-name': ['country', 'age', 'visit'] }),
    codes: [...codes.COLUMNS, 2021, 5000, 5001, 5004, 5009, 8002],
  },
  'PUT /v1/column': {
    tag: 'Model',
    summary: 'Rename a column, put it aside or take it up again',
    request: 'ChangedColumn',
    example: { 'api-name': 'country', dimension: 'customers', active: false },
    answer: apiNamesAnswer,
    answered: ok({ 'api-name': ['country'] }),
    codes: [3000, 3001, 3007, 3008, 3009, 3010, 3014, 3018, 5008, 5009, 8002],
  },
  'DELETE /v1/column': {
    tag: 'Model',
    summary: 'Delete a column with its values',
    request: 'DeletedColumn',
    example: { 'api-name': 'paid', dimension: 'customers' },
    answer: apiNamesAnswer,
    answered: ok({ 'api-name': ['paid'] }),
    codes: [3000, 3001, 3007, 3018, 5008, 5009, 8002],
  },
  'GET /v1/column': {
    tag: 'Model',
    summary: 'List columns',
    description: 'Beside `count`, one member for each dimension.',
    answer: success({ count: count('All columns that are listed.') }, [], {
      additionalProperties: ref('ColumnGroups'),
    }),
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
    codes: [],
  },
  'POST /v1/column/relation': {
    tag: 'Model',
    summary: 'Relate event columns',
    description:
      'The Nth values that one entity has of related columns in one insert share an event. A relation of that name gets the columns in addition.',
    request: 'Relation',
    example: { name: 'purchase', columns: ['order', 'paid'], dimension: 'customers' },
    answer: success({ columns_on_relation: apiNames('All columns of the relation.') }),
    answered: ok({ columns_on_relation: ['order', 'paid'] }),
    codes: codes.RELATIONS,
  },
  'DELETE /v1/column/relation': {
    tag: 'Model',
    summary: 'Take columns out of a relation',
    request: 'Relation',
    example: { name: 'purchase', columns: ['paid'], dimension: 'customers' },
    answer: success({ columns_deleted: apiNames('Those that were taken out.') }),
    answered: ok({ columns_deleted: ['paid'] }),
    codes: codes.RELATIONS,
  },
  'GET /v1/column/relation': {
    tag: 'Model',
    summary: 'List relations',
    answer: success({ count: count('Relations.'), relations: relationsListed }),
    answered: ok({ count: 1, relations: { customers: { purchase: ['order', 'paid'] } } }),
    codes: [],
  },
};
