/** Converts a draft to requests, or lists what is missing. Pure: the same draft gives the same bodies. */
import { type Query, TOP_VALUES_MAX } from '../../interface/index.js';
import type { ServerRequest } from '../server/client.js';
import { columnOf, type Dimension, ENTITY_ID } from '../server/model.js';
import {
  distributionRequest,
  flowRequest,
  funnelRequest,
  lifecycleRequest,
  retentionRequest,
  timelineRequest,
} from './behaviour.js';
import { between, filterOf, limitOf, predicatesOf, RANGE } from './conditions.js';
import type { Draft, Measure, Show } from './draft.js';
import { type Problem, Problems } from './problems.js';
import { type Post, post, type Source } from './source.js';
import { trendRequests } from './trend.js';

/** A question that can be sent: one request, or for a trend one for each series. */
export interface Question {
  readonly requests: readonly [Post, ...Post[]];
  /** Whether the request is for all rows instead of one page. */
  readonly returnsRows: boolean;
}

export type Outcome = { readonly question: Question } | { readonly problems: readonly Problem[] };

/** The interface's limits. */
export const TOP_MAX = TOP_VALUES_MAX;
export const ROWS_MAX = 1_000;
export const POINTS_MAX = 20_000;

/** Extraction requires a condition: this one holds for every ID. */
const EVERY_ENTITY: Query = [{ [ENTITY_ID]: { equals: '-' } }, 'or', { [ENTITY_ID]: { 'not-equals': '-' } }];

export function requestOf(draft: Draft, dimension: Dimension | undefined): Outcome {
  const problems = new Problems();
  if (dimension === undefined) problems.add('Choose a dimension.');
  const filter = filterOf(draft, dimension, problems);
  const source = { draft, dimension, filter, problems };
  const requests = draft.show === 'trend' ? trendRequests(source) : ([REQUESTS[draft.show](source)] as const);
  if (problems.found.length > 0) return { problems: problems.found };
  return { question: { requests, returnsRows: draft.show === 'map' } };
}

const REQUESTS: Readonly<Record<Exclude<Show, 'trend'>, (source: Source) => Post & ServerRequest>> = {
  funnel: funnelRequest,
  retention: retentionRequest,
  lifecycle: lifecycleRequest,
  distribution: distributionRequest,
  flow: flowRequest,
  entity: timelineRequest,
  count: countRequest,
  top: topRequest,
  map: pointsRequest,
  rows: rowsRequest,
};

function countRequest(source: Source): Post {
  const { draft, filter } = source;
  const { dimension, measure } = draft;
  if (measure.of !== 'entities') return aggregation(source, [metricOf(source, measure)]);
  return filter.length === 0
    ? post('/v1/query/count/entity/total', { dimensions: [dimension] })
    : post('/v1/query/count/entity', { 'query-name': 'count', dimension, query: filter });
}

const aggregation = ({ draft, filter }: Source, query: readonly object[]): Post =>
  post('/v1/query/aggregation', {
    dimension: draft.dimension,
    ...(filter.length > 0 ? { filter } : {}),
    query,
  });

/** The groups, then the metric. */
function topRequest(source: Source): Post {
  const { draft, dimension, problems } = source;
  const metric = draft.measure.of === 'entities' ? null : metricOf(source, draft.measure);
  const by = columnOf(dimension, draft.by);
  if (by === undefined) problems.add('Choose the column whose values to list.');
  if (by?.isEvent && metric !== null) {
    problems.add(`Group by an attribute, or count entities: “${by.name}” is an event column.`);
  }
  // The answer orders groups by their number of entities: any other order requires all groups.
  const limit = metric === null ? limitOf(draft.limit, TOP_MAX, problems) : TOP_MAX;
  const level = {
    [draft.by]: limit,
    ...(by?.isEvent ? between(draft.window, RANGE, problems, draft.timeZone) : {}),
  };
  return aggregation(source, metric === null ? [level] : [level, metric]);
}

function metricOf({ draft, dimension, problems }: Source, measure: Measure): object {
  const column = columnOf(dimension, measure.column);
  if (column === undefined) {
    problems.add('Choose the column to compute.');
    return {};
  }
  const metric = measure.of === 'events' ? 'count-events' : measure.of;
  if (!column.isEvent) return { [column.name]: metric };
  const window = between(draft.window, RANGE, problems, draft.timeZone);
  return { [column.name]: metric, ...predicatesOf(measure.test, column, problems), ...window };
}

function rowsRequest({ draft, filter, problems }: Source): Post {
  if (draft.columns.length === 0) problems.add('Choose at least one column to show.');
  return post('/v1/data_extraction/result', {
    dimension: draft.dimension,
    query: filter.length > 0 ? filter : EVERY_ENTITY,
    columns: [ENTITY_ID, ...draft.columns],
    limit: limitOf(draft.limit, ROWS_MAX, problems),
  });
}

function pointsRequest({ draft, dimension, filter, problems }: Source): Post {
  const column = columnOf(dimension, draft.point);
  if (column === undefined) problems.add('Choose a column of locations. This dimension may have none.');
  const window = column?.isEvent ? between(draft.window, RANGE, problems, draft.timeZone).between : null;
  return post('/v1/data_extraction/result', {
    dimension: draft.dimension,
    query: filter.length > 0 ? filter : EVERY_ENTITY,
    columns: [ENTITY_ID, window === null ? draft.point : { [draft.point]: window }],
    limit: POINTS_MAX,
  });
}
