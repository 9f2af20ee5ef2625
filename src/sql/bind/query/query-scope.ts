/** The names visible in one clause of a query block, and in the blocks around it. */
import { type BindingTime, quoted } from '../../../base/index.js';
import { type Expression, readColumn } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { CallNode } from '../../tree.js';
import { isAggregate } from '../functions/aggregate-functions.js';
import type { SqlRequest } from '../request.js';
import type { InputTraits, NodeOf, QueryNode, Scope } from '../scope.js';
import { suggestion } from '../suggest.js';
import type { Namespace } from './namespace.js';
import type { PlanColumns } from './plan-columns.js';
import { BaseTable } from './tables/base-table.js';

type Name = NodeOf<'column'> | NodeOf<'string'>;

export interface ClauseRules {
  /** The name of the clause in messages. */
  readonly clause: string;
  readonly namespace: Namespace;
  /** Items of SELECT by alias, in lower case. */
  readonly aliases: ReadonlyMap<string, () => Expression>;
  readonly prefers: 'column' | 'alias';
  /** See Scope. */
  readonly foldsCalls: boolean;
  /** Binds an aggregate; null = the clause does not allow it. */
  readonly aggregate: ((node: CallNode | NodeOf<'filtered' | 'ordered'>) => Expression) | null;
  /** Binds a window function; null = the clause does not allow it. */
  readonly window: ((node: NodeOf<'over'>) => Expression) | null;
  /** Binds a subquery and adds it to the block; null = the clause does not allow it. */
  readonly subquery:
    | ((node: NodeOf<'subquery' | 'exists' | 'in-query'>, scope: QueryScope) => Expression)
    | null;
  /** Called with each column of the block that an expression or a subquery reads. */
  readonly read: (expression: Expression, node: Name, fromSubquery: boolean) => void;
}

export class QueryScope implements Scope {
  readonly nowMs: BindingTime;
  readonly #rules: ClauseRules;
  readonly #columns: PlanColumns;
  /** The scope of the block around this one; null = none. */
  readonly #outer: QueryScope | null;

  constructor(rules: ClauseRules, columns: PlanColumns, outer: QueryScope | null, nowMs: BindingTime) {
    this.#rules = rules;
    this.#columns = columns;
    this.#outer = outer;
    this.nowMs = nowMs;
  }

  get foldsCalls(): boolean {
    return this.#rules.foldsCalls;
  }

  column(node: NodeOf<'column'>): Expression {
    return this.#resolve(node, false) ?? this.#refuse(node);
  }

  string(node: NodeOf<'string'>): Expression | null {
    return this.#resolve(node, false);
  }

  call(node: CallNode): Expression | null {
    if (!isAggregate(node)) return null;
    if (this.#rules.aggregate !== null) return this.#rules.aggregate(node);
    const { clause } = this.#rules;
    const what = `${node.name.toUpperCase()} is an aggregate; aggregates are not allowed in ${clause}`;
    throw sqlError(clause === 'WHERE' ? `${what}; use HAVING` : what, node.position);
  }

  query(node: QueryNode): Expression {
    const { aggregate, window, subquery, clause } = this.#rules;
    const refuse = (what: string): never => {
      throw sqlError(`${what} are not allowed in ${clause}`, node.position);
    };
    switch (node.is) {
      case 'over':
        return window === null ? refuse('window functions') : window(node);
      case 'filtered':
      case 'ordered':
        return aggregate === null ? refuse('aggregates') : aggregate(node);
      default:
        return subquery === null ? refuse('subqueries') : subquery(node, this);
    }
  }

  traits(input: number): InputTraits {
    return this.#columns.traits(input);
  }

  #resolve(node: Name, fromSubquery: boolean): Expression | null {
    const { namespace, aliases, prefers } = this.#rules;
    const isPlain = node.is === 'string' || node.table === null;
    const name = node.is === 'string' ? node.text : node.name;
    const alias = isPlain && !fromSubquery ? aliases.get(lowerCase(name)) : undefined;
    if (alias !== undefined && prefers === 'alias') return alias();
    const found = namespace.lookUp(node);
    if (found !== null) {
      const expression = readColumn(found);
      this.#rules.read(expression, node, fromSubquery);
      return expression;
    }
    if (alias !== undefined) return alias();
    return this.#outer === null ? null : this.#outer.#resolve(node, true);
  }

  #refuse(node: NodeOf<'column'>): never {
    const { tables } = this.#rules.namespace;
    const isOwn = tables.some(({ qualifier }) => node.table !== null && qualifier === lowerCase(node.table));
    if (node.table !== null && !isOwn && this.#outer !== null) return this.#outer.#refuse(node);
    const name = node.table === null ? node.name : `${node.table}.${node.name}`;
    if (tables.length === 0)
      throw sqlError(`${quoted(name)} is a column, and the statement has no FROM`, node.position);
    const [only] = tables;
    if (tables.length === 1 && only instanceof BaseTable) only.refuse(node);
    const names = tables.flatMap((table) => table.all().map((column) => column.name));
    const near = suggestion(node.name, names);
    throw sqlError(
      `there is no column ${quoted(name)}`,
      node.position,
      near === null ? {} : { suggestion: near },
    );
  }
}

/** A scope of columns alone: without aliases, aggregates, windows and subqueries. */
export function columnScope(
  clause: string,
  namespace: Namespace,
  { columns, request }: { readonly columns: PlanColumns; readonly request: Pick<SqlRequest, 'nowMs'> },
  outer: QueryScope | null,
): QueryScope {
  const rules: ClauseRules = {
    clause,
    namespace,
    aliases: new Map(),
    prefers: 'column',
    foldsCalls: true,
    aggregate: null,
    window: null,
    subquery: null,
    read: () => {},
  };
  return new QueryScope(rules, columns, outer, request.nowMs);
}
