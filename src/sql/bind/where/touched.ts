/**
 * Counts the entities that the UPDATEs and DELETEs of a body change, before the body takes effect.
 * Invariant: a number is exact for the version of the data that its plan reads, after the earlier statements of the body.
 */
import type { ReadPlan } from '../../../ir/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import { rowQueryOf } from '../../query/row-query.js';
import type { DeleteStatement, Query, SqlNode, UpdateStatement } from '../../tree.js';
import { dimensionOf } from '../clauses/sources.js';
import { idsOf } from '../earlier-writes.js';
import type { PreparedStatement } from '../prepared-writes.js';
import { bindColumns } from '../query/query.js';
import type { SqlRequest } from '../request.js';
import { isOneOf } from '../returning.js';
import { readsRows } from '../writes.js';
import { bindTarget } from './target.js';

export type ChangingStatement = UpdateStatement | DeleteStatement;

/** A number of entities: `known`, and the integer that the plan returns as "0"; null = nothing is read. */
export interface TouchedCount {
  readonly known: number;
  readonly plan: ReadPlan | null;
}

/** What earlier statements do to the entities of a dimension. */
interface DimensionState {
  /** Whether an entity exists, for those that they name. */
  readonly exists: Map<string, boolean>;
  /** They also insert or delete entities that they do not name. */
  isOpen: boolean;
  readonly added: {
    readonly statement: Exclude<PreparedStatement, { is: 'model' }>;
    readonly at: SqlRequest;
  }[];
}

export class TouchedEntities {
  readonly #states = new Map<number, DimensionState>();

  /** Adds a statement that takes effect before the following ones. */
  add(statement: PreparedStatement, at: SqlRequest): void {
    if (statement.is === 'model') return;
    const { id } = dimensionOf(statement.table, at.model);
    const state: DimensionState = this.#states.get(id) ?? { exists: new Map(), isOpen: false, added: [] };
    this.#states.set(id, state);
    state.added.push({ statement, at });
  }

  /** null = the number cannot be known. `stored`: the model before the body. Throws 6000, 506. */
  count(statement: ChangingStatement, request: SqlRequest, stored: DatabaseModel): TouchedCount | null {
    const { id } = dimensionOf(statement.table, request.model);
    if (![...stored.dimensions.values()].some((one) => one.id === id)) return null;
    const state = this.#states.get(id);
    if (state === undefined) return planned(0, statement, request);
    resolve(state);
    const ids = state.isOpen ? null : namedIds(statement, request);
    if (ids === null) return null;
    const known = ids.filter((one) => state.exists.get(one) === true).length;
    const left = ids.filter((one) => !state.exists.has(one));
    if (left.length === 0) return { known, plan: null };
    return planned(known, { ...statement, where: isOneOf(left, statement.table) }, request);
  }
}

/** Applies the statements that were added since the last count. */
function resolve(state: DimensionState): void {
  for (const { statement, at } of state.added.splice(0)) {
    if (statement.is === 'update') continue;
    const ids =
      statement.is === 'insert'
        ? idsOf(statement, at)
        : statement.is === 'delete'
          ? namedIds(statement, at)
          : null;
    if (ids === null) state.isOpen = true;
    else for (const id of ids) state.exists.set(id, statement.is === 'insert');
  }
}

/** The IDs of a condition that only names entities, each once; null = it is another one. */
function namedIds(statement: ChangingStatement, request: SqlRequest): readonly string[] | null {
  if (readsRows({ ...statement, is: 'delete' }, request)) return null;
  const condition = bindTarget(statement.table, statement.where, request)?.condition;
  if (condition?.op !== 'entity-id' || condition.tests.length !== 1) return null;
  const [test] = condition.tests;
  return test.kind === 'text' && test.match === 'equals' && !test.negated ? [...new Set(test.texts)] : null;
}

function planned(known: number, statement: ChangingStatement, request: SqlRequest): TouchedCount | null {
  const { plan } = bindColumns(countQuery(statement), request);
  return isRandom(plan) ? null : { known, plan };
}

/** SELECT COUNT([DISTINCT] entity-id) of the rows that the statement reads. */
function countQuery(statement: ChangingStatement): Query {
  const { query } = rowQueryOf({ ...statement, is: 'delete' }).query;
  if (query.body.is !== 'block') return query;
  const [{ of: id }] = query.body.items;
  const { position } = statement;
  const of: SqlNode = {
    ...{ is: 'call', name: 'count', args: [id], distinct: statement.from.length > 0 },
    ...{ position, parenthesized: false },
  };
  return { ...query, body: { ...query.body, items: [{ of, alias: null }] } };
}

/** Whether a part of a plan calls RANDOM, so that a second run selects other rows. */
function isRandom(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return false;
  if ('op' in part && part.op === 'call' && 'name' in part && part.name === 'random') return true;
  return Object.values(part).some(isRandom);
}
