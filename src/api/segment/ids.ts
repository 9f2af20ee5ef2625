/** POST and DELETE /v1/segment/NAME/ids: the IDs of a static segment, which need not be entities. */
import { checkAll, QuarryError, TEXT_POINTS_MAX } from '../../base/index.js';
import { segmentIds } from '../../interface/index.js';
import { codePointCount } from '../../schema/index.js';
import { type Json, kindOf } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';

/** Errors of single IDs that are reported. */
const ERRORS_MAX = 20;

/** The IDs of a body, as it has them. Throws 4004, 4019, 4025, 4031 and 4049. */
export const readSegmentIds = (json: Json): readonly string[] =>
  RequestBody.of(segmentIds, json).read((body) => checkIds(body.get('ids')));

/** Throws 4049 for values that cannot be entity IDs. */
export function checkIds(ids: readonly Json[]): readonly string[] {
  const wrong: number[] = [];
  ids.forEach((id, index) => {
    if (wrong.length < ERRORS_MAX && !isId(id)) wrong.push(index);
  });
  checkAll(wrong, (index) => {
    throw faultOf(ids[index], `ids[${index}]`);
  });
  return ids as readonly string[];
}

const isId = (id: Json): id is string =>
  typeof id === 'string' &&
  id !== '' &&
  (id.length <= TEXT_POINTS_MAX || codePointCount(id) <= TEXT_POINTS_MAX);

function faultOf(id: Json, path: string): QuarryError {
  if (typeof id !== 'string') return new QuarryError(4049, `${path} must be a string, not ${kindOf(id)}`);
  if (id === '') return new QuarryError(4049, `${path} is an empty string`);
  return new QuarryError(4049, `${path} is longer than ${TEXT_POINTS_MAX} characters`);
}
