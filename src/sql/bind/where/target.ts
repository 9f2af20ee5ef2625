/**
 * Binds the entities that UPDATE and DELETE affect. A logged write contains a condition of the interface; for a WHERE that such
 * a condition cannot express, the entities are read first (selected-rows.ts).
 */
import type { BindingTime } from '../../../base/index.js';
import { BOOLEAN, type Condition, FLOAT } from '../../../ir/index.js';
import type { Dimension } from '../../../schema/index.js';
import type { SqlNode, TableName } from '../../tree.js';
import { IN_VALUES_MAX } from '../bounds.js';
import { ClauseScope } from '../clauses/clause-scope.js';
import { Inputs } from '../clauses/inputs.js';
import { Sources } from '../clauses/sources.js';
import { constantOf, junctionOf } from '../expressions/build.js';
import { bindCondition } from '../expressions/scalar.js';
import type { SqlRequest } from '../request.js';
import { ALWAYS, type PredicateForms } from './predicate.js';
import { WhereReader } from './reader.js';
import { rowFilter } from './row-filter.js';

export interface Target {
  readonly dimension: Dimension;
  /** Restricted to the rows visible to the caller. */
  readonly condition: Condition;
}

/**
 * `where` null = all entities; it has no subqueries. Returns null if no condition expresses it. Throws 6000 with the source
 * position, and 506.
 */
export function bindTarget(table: TableName, where: SqlNode | null, request: SqlRequest): Target | null {
  const { nowMs, access } = request;
  const sources = new Sources(request);
  const { dimension } = sources.add(table);
  const { predicates } = new WhereReader({ sources, table: 0, nowMs, rangesMax: IN_VALUES_MAX }).read(
    where,
    [],
  );
  const { condition, filter } = rowFilter(predicates, [], null, dimension, checkingForms(sources, nowMs));
  if (filter !== null) return null;
  return { dimension, condition: access.restrict(dimension, condition ?? ALWAYS, nowMs) };
}

/** Binds the parts of WHERE that are not conditions, so that they are refused if they are wrong. */
function checkingForms(sources: Sources, nowMs: BindingTime): PredicateForms {
  const inputs = new Inputs();
  const one = constantOf(FLOAT, 1);
  const ground = {
    sources,
    inputs,
    nowMs,
    rowEvents: null,
    aggregateTraits: (input: number) => inputs.traits(input),
    score: () => one,
  };
  const scope = new ClauseScope(ground, {
    clause: 'WHERE',
    aliases: new Map(),
    prefers: 'unknown',
    aggregate: null,
    events: null,
    interval: null,
  });
  return {
    ofCondition: (condition) => inputs.condition(condition),
    ofNode: (node) => bindCondition(node, scope),
    not: (member) => ({ op: 'not', type: BOOLEAN, member }),
    join: junctionOf,
    constant: (truth) => constantOf(BOOLEAN, truth),
  };
}
