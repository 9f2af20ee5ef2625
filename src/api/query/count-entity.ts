/** POST /v1/query/count/entity: one query object or a list of at most 10, each bound against its dimension. */
import type { BindingTime } from '../../base/index.js';
import { countQuery } from '../../interface/index.js';
import type { Condition } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import type { Json } from '../body/json.js';
import { bindQuery, queryList } from '../condition/condition.js';
import { bindQueries } from './query-list.js';

export interface CountQuery {
  readonly name: string;
  readonly dimensionId: number;
  /** The condition of the query, narrowed to the rows that the caller sees. */
  readonly condition: Condition;
  readonly bypassCache: boolean;
}

/**
 * Binds every query of the body; an error reports every invalid field of each. Throws 506 and the errors of `bindQueries`
 * and `bindQuery`.
 */
export function bindCountEntity(
  body: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly CountQuery[] {
  const queries = bindQueries(body, model, countQuery, ({ query, dimension, path, queryPath }) => {
    if (dimension === null) {
      queryList(query, `"query" in ${path}`);
      return null;
    }
    const condition = bindQuery(query, dimension, nowMs, {
      checkColumn: access.checkColumn,
      path: queryPath,
    });
    return access.restrict(dimension, condition, nowMs);
  });
  return queries.map(({ bound, ...query }) => ({ ...query, condition: bound }));
}
