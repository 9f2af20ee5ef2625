/**
 * Conditions on segments: `{"segment": NAME}`. A column of that name is not hidden: its predicates are an object.
 * The query of a segment is bound for every use, with the rights of the caller and at the time of the request.
 */
import { QuarryError, quoted, SEGMENT_CONDITIONS_MAX } from '../../base/index.js';
import type { Condition } from '../../ir/index.js';
import { type Dimension, newColumn } from '../../schema/index.js';
import { isObject, type Json, type JsonObject, kindOf, parseJson } from '../body/json.js';
import type { ColumnCheck } from './column-check.js';

/** Conditions on behaviour and segments may contain each other so deep. */
const NESTING_MAX = 8;

/** Conditions on behaviour and segments around a condition list. */
export interface Nesting {
  readonly depth: number;
  /** The names of the segments, outermost first. */
  readonly segments: readonly string[];
  /** Conditions of the segments bound so far; null outside of segments. */
  readonly bound: { conditionCount: number } | null;
}

export const NOT_NESTED: Nesting = { depth: 0, segments: [], bound: null };

/** The nesting of a list inside. Throws 9106. */
export function nestedDeeper(nesting: Nesting, path: string): Nesting {
  const depth = nesting.depth + 1;
  if (depth <= NESTING_MAX) return { ...nesting, depth };
  const where = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  throw new QuarryError(9106, `${where} nests more than ${NESTING_MAX} conditions on behaviour and segments`);
}

/** The name that the condition object gives; null if it is no condition on a segment. */
export function segmentNameIn(object: JsonObject): string | null {
  if (object.size !== 1) return null;
  const name = object.get('segment');
  return typeof name === 'string' ? name : null;
}

/** Throws 9101 for a condition on a segment whose value is no name, if no column is called `segment`. */
export function checkSegmentName(object: JsonObject, dimension: Dimension, path: string): void {
  const value = object.get('segment');
  if (value === undefined || typeof value === 'string' || isObject(value) || object.size !== 1) return;
  if (dimension.columns.get('segment')?.active === true) return;
  throw new QuarryError(9101, `${path}.segment must be the name of a segment, not ${kindOf(value)}`);
}

export interface SegmentUse {
  readonly name: string;
  readonly dimension: Dimension;
  readonly nesting: Nesting;
  readonly path: string;
  readonly checkColumn: ColumnCheck;
}

/** Binds the query of a segment inside `nesting`. */
type BindQuery = (
  query: Json,
  nesting: Nesting,
) => { readonly condition: Condition; readonly conditionCount: number };

/** Throws 506 for a segment that the caller may not use, 4048, 9101 for an unknown one, 9106 and the errors of the query. */
export function bindSegment(use: SegmentUse, bind: BindQuery): Condition {
  const { name, dimension, path } = use;
  const segment = dimension.segments.get(name);
  if (segment === undefined) {
    const where = `in dimension ${quoted(dimension.apiName)}`;
    throw new QuarryError(9101, `${path}.segment: segment ${quoted(name)} does not exist ${where}`);
  }
  if (use.nesting.segments.includes(name)) {
    throw new QuarryError(9106, `segment ${quoted(name)} is part of itself: ${circle(use).join(', ')}`);
  }
  const deeper = nestedDeeper(use.nesting, path);
  const nesting = {
    ...deeper,
    segments: [...deeper.segments, name],
    bound: deeper.bound ?? { conditionCount: 0 },
  };
  const { id: segmentId, query } = segment;
  return allowed(use, () => {
    if (query === null) {
      use.checkColumn(dimension, idsColumn(name));
      return { op: 'segment', segmentId, condition: null };
    }
    const { condition, conditionCount } = bind(parseJson(new TextEncoder().encode(query)), nesting);
    countConditions(nesting.bound, conditionCount, path);
    return { op: 'segment', segmentId, condition };
  });
}

const circle = ({ name, nesting }: SegmentUse): readonly string[] =>
  [...nesting.segments.slice(nesting.segments.indexOf(name)), name].map((one) => quoted(one));

/** The column that a whitelist would have to name for the members of a static segment; no column has such a name. */
const idsColumn = (name: string) => newColumn({ id: 0, apiName: `segment ${name}`, type: 'boolean' });

/** Runs `bind`, and hides which column of the segment the caller may not use. */
function allowed<T>({ name }: SegmentUse, bind: () => T): T {
  try {
    return bind();
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 506) throw error;
    throw new QuarryError(506, `this key may not use the segment ${quoted(name)}`);
  }
}

function countConditions(bound: { conditionCount: number }, more: number, path: string): void {
  bound.conditionCount += more;
  if (bound.conditionCount <= SEGMENT_CONDITIONS_MAX) return;
  throw new QuarryError(4048, `${path}: the segments have more than ${SEGMENT_CONDITIONS_MAX} conditions`);
}
