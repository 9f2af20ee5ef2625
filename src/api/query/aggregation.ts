/** POST /v1/query/aggregation: nested top values of the entities that match a filter, with an optional metric at the end. */
import {
  type BindingTime,
  checkAll,
  LEVELS_PER_AGGREGATION_MAX,
  QuarryError,
  quoted,
} from '../../base/index.js';
import { aggregation } from '../../interface/index.js';
import type { AggregateAnswer, AggregatePlan, Condition, MetricLevel, TopLevel } from '../../ir/index.js';
import type { DatabaseModel, Dimension } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { dimensionOf, objectAt, readAll, readOrNull } from '../body/fields.js';
import { isList, isObject, type Json, type JsonObject, kindOf } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { bindQuery, queryList } from '../condition/condition.js';
import { AnswerText, writeAnswer } from './aggregate-text.js';
import { bindValues, type LevelFields, readLevel, readLimit } from './level.js';
import { readMetric } from './metric.js';

export interface AggregationQuery {
  readonly plan: AggregatePlan;
  /** Columns of the levels, outermost first, the column of a metric last. */
  readonly columns: readonly string[];
  readonly bypassCache: boolean;
}

/** A level and its column. */
interface BoundLevel {
  readonly column: string;
  readonly level: TopLevel | MetricLevel;
}

interface LevelScope {
  readonly dimension: Dimension;
  readonly nowMs: BindingTime;
  readonly access: Access;
}

/**
 * Binds a body; an error reports every invalid field and level. Throws 506, 4004, 4005, 4007 to 4010, 4014, 4015, 4017,
 * 4027, 4038, 4045, 4046, 4048, 4049, 4051, 5008, 5009, the errors of predicates and windows, and the errors of `bindQuery`
 * for the filter, with 4020 for two conditions without an operator between them.
 */
export function bindAggregation(
  json: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): AggregationQuery {
  const body = RequestBody.of(aggregation, json);
  const readDimension = () => dimensionOf(model, body);
  const known = readOrNull(readDimension);
  const scope = known === null ? null : { dimension: known, nowMs, access };
  const { dimension, entities, levels, bypassCache } = body.read(() =>
    readAll({
      dimension: readDimension,
      entities: () => readFilter(body.get('filter') ?? [], scope),
      levels: () => readLevels(body.get('query'), scope),
      bypassCache: () => body.get('bypass-cache') ?? false,
    }),
  );
  const plan: AggregatePlan = {
    databaseId: model.id,
    dimensionId: dimension.id,
    entities,
    levels: levels.map(({ level }) => level).filter((level): level is TopLevel => 'limit' in level),
    metric: levels.map(({ level }) => level).find((level): level is MetricLevel => 'metric' in level) ?? null,
  };
  return { plan, columns: levels.map(({ column }) => column), bypassCache };
}

/** The entities that match the filter and that the caller sees. If the dimension is invalid, checks only the filter's shape. */
function readFilter(filter: Json, scope: LevelScope | null): Condition | null {
  const list = queryList(filter, 'filter');
  if (scope === null) return null;
  const { dimension, nowMs, access } = scope;
  const condition =
    list.length === 0
      ? null
      : bindQuery(list, dimension, nowMs, {
          checkColumn: access.checkColumn,
          path: 'filter',
          unjoined: 4020,
        });
  return access.restrict(dimension, condition, nowMs);
}

/** The levels. If the dimension is invalid, checks only their shape and returns an empty list. */
function readLevels(query: Json, scope: LevelScope | null): readonly BoundLevel[] {
  if (!isList(query) && !isObject(query)) {
    throw new QuarryError(4015, `query must be a list of aggregation conditions, not ${kindOf(query)}`);
  }
  const items = isList(query) ? query : [query];
  if (items.length === 0) throw new QuarryError(4015, 'query has no aggregation condition');
  if (items.length > LEVELS_PER_AGGREGATION_MAX) {
    throw new QuarryError(4048, `query has ${items.length} levels; at most ${LEVELS_PER_AGGREGATION_MAX}`);
  }
  const levels = checkAll(items, (item, index) => {
    const path = isList(query) ? `query[${index}]` : 'query';
    const level = objectAt(item, 4015, path);
    if (scope === null) return [];
    const bound = bindLevel(level, scope, path, index === items.length - 1);
    if (index > 0) checkNested(bound.column, path);
    return [bound];
  });
  return levels.flat();
}

function bindLevel(object: JsonObject, scope: LevelScope, path: string, isLast: boolean): BoundLevel {
  const fields = readLevel(object, [], scope.dimension, scope.access, path);
  const { keyValue, column } = fields;
  const rules = { nowMs: scope.nowMs, allowsBuckets: typeof keyValue === 'string', defaultWindow: null };
  const { level } = readAll({
    minfreq: () => refuseMinfreq(fields),
    level: (): TopLevel | MetricLevel => {
      const { what, values } = readAll({
        what: () => readLevelValue(fields, isLast),
        values: () => bindValues(fields, rules),
      });
      const { buckets, ...plan } = values;
      return 'metric' in what ? { ...plan, ...what, buckets } : { ...plan, ...what };
    },
  });
  return { column: column.apiName, level };
}

/** Throws 4049 for a nested level whose column is named like a member of the outer row, which contains that level. */
function checkNested(column: string, path: string): void {
  if (column !== 'value' && column !== 'quantity') return;
  const why = `the rows of the level above have a member of that name`;
  throw new QuarryError(4049, `${path}: the column ${quoted(column)} can only be the first level: ${why}`);
}

function refuseMinfreq({ others, path }: LevelFields): void {
  if (others.has('minfreq')) {
    throw new QuarryError(4038, `${path}.minfreq cannot be used with this endpoint`);
  }
}

/** Throws 4045, 4046, 4049 for a metric that is not the last level, 4051. */
function readLevelValue(
  fields: LevelFields,
  isLast: boolean,
): Pick<MetricLevel, 'metric'> | Pick<TopLevel, 'limit' | 'minQuantity'> {
  const { keyValue, column, path } = fields;
  if (typeof keyValue !== 'string') return { limit: readLimit(fields), minQuantity: 1 };
  const here = `${path}.${column.apiName}`;
  const metric = readMetric(keyValue, column, here);
  if (isLast) return { metric };
  throw new QuarryError(4049, `${here}: a metric must be the last level`);
}

/** The `result` of an answer as JSON text. Throws 9006 if it becomes too long. */
export function aggregationResult({ columns, plan }: AggregationQuery, answer: AggregateAnswer): string {
  const text = new AnswerText();
  writeAnswer(text, { columns, metric: plan.metric?.metric ?? null }, answer);
  return text.toString();
}
