/** Segments. */
import { answers, changedSegment, newSegment, segmentIds } from '../../interface/index.js';
import * as codes from '../codes.js';
import { ADULTS, type Operations, ok } from './operation.js';

const WRITTEN = [...codes.CONDITIONS, 8002] as const;

export const SEGMENT_OPERATIONS: Operations = {
  'POST /v1/segment': {
    tag: 'Segments',
    summary: 'Make a segment',
    description:
      'With `query`, the entities that satisfy it at any time are its members; with `ids`, the entities with these IDs as soon as they exist, which takes the right to write.',
    request: newSegment,
    example: { name: 'grown-up', query: ADULTS },
    answer: answers.segmentMade,
    answered: ok({ name: 'grown-up', dimension: 'default', query: ADULTS }),
    codes: [...WRITTEN, 4019, 4022, 4031],
  },
  'GET /v1/segment': {
    tag: 'Segments',
    summary: 'List segments',
    description:
      'Lists the segments that the key may use; a key with a column whitelist does not see the others.',
    answer: answers.segments,
    answered: ok({ segments: [{ name: 'grown-up', dimension: 'default', query: ADULTS }] }),
  },
  'GET /v1/segment/:segment_name': {
    tag: 'Segments',
    summary: 'Describe a segment',
    answer: answers.segmentDescribed,
    answered: ok({ name: 'grown-up', dimension: 'default', query: ADULTS, 'id-count': null }),
    codes: [4023, 9005, 9006],
  },
  'PUT /v1/segment/:segment_name': {
    tag: 'Segments',
    summary: 'Change a segment',
    description: 'Replaces its query or all of its IDs.',
    request: changedSegment,
    example: { query: ADULTS },
    answer: answers.segmentMade,
    answered: ok({ name: 'grown-up', dimension: 'default', query: ADULTS }),
    codes: [...WRITTEN, 508, 4019, 4023, 4031],
  },
  'DELETE /v1/segment/:segment_name': {
    tag: 'Segments',
    summary: 'Delete a segment',
    description:
      'A segment that another segment, a saved query or the filter of a key uses cannot be deleted.',
    answer: answers.segmentDeleted,
    answered: ok({ 'deleted-segment': 'grown-up' }),
    codes: [508, 4023, 8002, 9105],
  },
  'POST /v1/segment/:segment_name/ids': {
    tag: 'Segments',
    summary: 'Add IDs to a static segment',
    request: segmentIds,
    example: { ids: ['u1', 'u9'] },
    answer: answers.segmentIdsAdded,
    answered: ok({ added: 2 }),
    codes: [508, 4023, 4038, 8002],
  },
  'DELETE /v1/segment/:segment_name/ids': {
    tag: 'Segments',
    summary: 'Remove IDs from a static segment',
    request: segmentIds,
    example: { ids: ['u9'] },
    answer: answers.segmentIdsRemoved,
    answered: ok({ removed: 1 }),
    codes: [508, 4023, 4038, 8002],
  },
};
