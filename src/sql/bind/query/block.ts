/**
 * Binds one SELECT: its FROM, then each clause in the order of evaluation. `#build` builds the rows as they are after
 * the clauses bound so far; subqueries of a clause are joined to these rows.
 */
import { type Constant, type Expression, type RelationColumn, readColumn } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SelectBlock, SelectItem, SourcePosition, SqlNode } from '../../tree.js';
import { checkCount, GROUP_KEYS_MAX, OUTPUTS_MAX } from '../bounds.js';
import { outputNames } from '../clauses/names.js';
import { itemIndexOf, outputNamed } from '../clauses/order.js';
import { constantOf } from '../expressions/build.js';
import { bindCondition, bindScalar } from '../expressions/scalar.js';
import { allMembersOf, bare, nodesOf } from '../nodes.js';
import type { AggregateNode } from './aggregate-arguments.js';
import { bindAggregate, isAggregateNode, isGrouping } from './aggregates.js';
import { answerOf, type BoundItem, type BoundSortKey } from './answer.js';
import { type Build, filtered, joined } from './build.js';
import type { BoundQuery, QueryContext, QueryTail, VisibleTables } from './context.js';
import { type CountedAggregate, checkEventRows } from './event-rows.js';
import { FromBinder } from './from.js';
import { GroupingSets } from './grouping-sets.js';
import { Groups } from './groups.js';
import type { Namespace } from './namespace.js';
import { type ClauseRules, QueryScope } from './query-scope.js';
import { sortKey } from './sort-key.js';
import { conditionJoin, type SubqueryJoin, subqueryJoin } from './subqueries.js';
import { conditionTable } from './tables/condition-table.js';
import { type WindowBinding, Windows } from './windows.js';

interface Item {
  readonly alias: string | null;
  readonly columnName: string | null;
  /** null = a column of `*`, which is `column`. */
  readonly node: SqlNode | null;
  readonly column: RelationColumn | null;
  readonly position: SourcePosition;
}

type ClauseSettings = Pick<ClauseRules, 'aggregate' | 'window' | 'subquery' | 'prefers'> & {
  readonly aliases: boolean;
};

const ROWS: ClauseSettings = {
  aggregate: null,
  window: null,
  subquery: null,
  prefers: 'column',
  aliases: false,
};

export class BlockBinder {
  readonly #context: QueryContext;
  readonly #visible: VisibleTables;
  readonly #outer: QueryScope | null;
  readonly #block: SelectBlock;
  readonly #tail: QueryTail;
  readonly #namespace: Namespace;
  readonly #items: readonly Item[];
  readonly #outputs: (Expression | undefined)[] = [];
  readonly #aliases = new Map<string, () => Expression>();
  readonly #groups: Groups;
  readonly #windows: Windows;
  /** The bound aggregates, by their nodes. */
  readonly #aggregates = new Map<SqlNode, Expression>();
  readonly #counted: CountedAggregate[] = [];
  /** The columns of the block's rows that were read. */
  readonly #rows = new Set<number>();
  #isGrouped = false;
  #build: Build;

  /** Binds FROM. Throws 6000, 506. */
  constructor(
    context: QueryContext,
    visible: VisibleTables,
    outer: QueryScope | null,
    block: SelectBlock,
    tail: QueryTail,
  ) {
    this.#context = context;
    this.#visible = visible;
    this.#outer = outer;
    this.#block = block;
    this.#tail = tail;
    const from = new FromBinder(context, visible, outer).bind(block.from);
    this.#namespace = from.namespace;
    this.#build = from.build;
    this.#items = this.#itemsOf(block.items);
    this.#items.forEach(({ alias }, index) => {
      if (alias === null || this.#aliases.has(lowerCase(alias))) return;
      this.#aliases.set(lowerCase(alias), () => this.#output(index));
    });
    this.#windows = new Windows(context.columns, block.windows);
    this.#groups = new Groups(context.columns);
  }

  /** Throws 6000, 506. */
  bind(): BoundQuery {
    const { where, having, qualify } = this.#block;
    if (where !== null) this.#where(where);
    const selected = this.#items.flatMap(({ node }) => node ?? []);
    const ordered = this.#tail.orderBy.map(({ of }) => of);
    const distinctOn = this.#block.distinctOn ?? [];
    const later = [
      ...selected,
      ...ordered,
      ...distinctOn,
      ...((having ?? qualify) ? [having, qualify] : []),
    ].filter((node) => node !== null);
    this.#group(later);
    if (having !== null) this.#having(having);
    this.#window(later);
    if (qualify !== null)
      this.#filter([this.#over(bindCondition(qualify, this.#after('QUALIFY')), qualify.position)]);
    const answer = this.#answer();
    checkEventRows(this.#counted, this.#namespace.tables);
    return answer;
  }

  #itemsOf(items: readonly SelectItem[]): readonly Item[] {
    const found: Item[] = [];
    for (const { of, alias } of items) {
      const { position } = of;
      if (of.is === 'star') {
        for (const column of this.#namespace.star(of.table, position)) {
          this.#rows.add(column.column);
          found.push({ alias: null, columnName: column.name, node: null, column, position });
        }
      } else found.push({ alias, columnName: this.#columnName(of), node: of, column: null, position });
      checkCount(found.length, OUTPUTS_MAX, 'columns in the answer', position);
    }
    return found;
  }

  /** The name of the column if the node is a plain column, otherwise null. */
  #columnName(node: SqlNode): string | null {
    if (node.is !== 'column' && !(node.is === 'string' && node.quotes === 'double')) return null;
    const found = this.#namespace.lookUp(node);
    if (found !== null) return found.name;
    return node.is === 'column' ? node.name : null;
  }

  #where(where: SqlNode): void {
    const scope = this.#scope('WHERE', { ...ROWS, subquery: this.#subquery });
    const conditions: Expression[] = [];
    for (const member of allMembersOf(where, 'and')) {
      const table = conditionTable(member, this.#namespace, this.#outer);
      if (table !== null) table.addCondition(member);
      else if (!this.#joinCondition(member, scope)) conditions.push(bindCondition(member, scope));
    }
    this.#filter(conditions);
  }

  /** Joins a subquery that is a member of WHERE on its own; returns false for other conditions. */
  #joinCondition(member: SqlNode, scope: QueryScope): boolean {
    const node = bare(member);
    const of = node.is === 'not' ? bare(node.of) : node;
    if (of.is !== 'exists' && of.is !== 'in-query') return false;
    const join = conditionJoin(of, node.is === 'not', scope, this.#context, this.#visible);
    if (join === null) return false;
    this.#join({ ...join, mark: null });
    return true;
  }

  readonly #subquery = (node: Parameters<typeof subqueryJoin>[0], scope: QueryScope): Expression => {
    const join = subqueryJoin(node, scope, this.#context, this.#visible);
    this.#join(join);
    return join.result;
  };

  #join({ kind, query, conditions, mark }: Omit<SubqueryJoin, 'result'>): void {
    const rows = this.#build;
    this.#build = () => joined(kind, rows(), query.build(), conditions, this.#context.columns, mark);
  }

  #filter(conditions: readonly Expression[]): void {
    const rows = this.#build;
    this.#build = () => filtered(rows(), conditions);
  }

  #group(later: readonly SqlNode[]): void {
    const { groupBy } = this.#block;
    const nodes = later.flatMap((root) => [...nodesOf(root, (node) => !isAggregateNode(node))]);
    const aggregates = nodes.filter(isAggregateNode);
    this.#isGrouped = groupBy.length > 0 || aggregates.length > 0 || this.#block.having !== null;
    if (!this.#isGrouped) return;
    const scope = this.#scope('GROUP BY', { ...ROWS, subquery: this.#subquery });
    const sets = new GroupingSets(groupBy, (node) => {
      const { key, position } = this.#groupKey(node, scope);
      const isOwn = key.op === 'input' && this.#rows.has(key.input);
      const column = this.#groups.addKey(key, isOwn, scope);
      checkCount(this.#groups.keys.length, GROUP_KEYS_MAX, 'keys in GROUP BY', position);
      return column;
    });
    this.#groups.hasSets = sets.areSeveral;
    const argumentScope = this.#scope('an aggregate', { ...ROWS, subquery: this.#subquery });
    for (const node of aggregates) this.#addAggregate(node, argumentScope);
    const rows = this.#build;
    this.#build = () => sets.build(rows(), this.#groups, this.#context);
  }

  #addAggregate(node: AggregateNode, scope: QueryScope): void {
    if (node.is === 'call' && isGrouping(node)) {
      const keys = node.args.map((argument) => this.#groupKey(argument, scope).key);
      this.#aggregates.set(node, this.#groups.addGrouping(keys, node.position));
      return;
    }
    const { finish, ...bound } = bindAggregate(node, scope);
    this.#counted.push({ ...bound, node });
    const column = this.#groups.addAggregate(bound, scope, node.position);
    this.#aggregates.set(node, finish === null ? column : finish(column));
  }

  /** A key of GROUP BY: an expression, or the item of SELECT that its number or alias refers to. */
  #groupKey(
    node: SqlNode,
    scope: QueryScope,
  ): { readonly key: Expression; readonly position: SourcePosition } {
    const { position } = node;
    const index = itemIndexOf(node, this.#items.length, 'GROUP BY') ?? this.#itemWithAlias(node);
    const item = index === null ? null : this.#items[index];
    if (item?.column != null) return { key: readColumn(item.column), position };
    return { key: bindScalar(item?.node ?? node, scope), position };
  }

  /** The item whose alias the node is, if it is not a column. */
  #itemWithAlias(node: SqlNode): number | null {
    const isName =
      node.is === 'column' ? node.table === null : node.is === 'string' && node.quotes === 'double';
    if (!isName || this.#namespace.lookUp(node as Parameters<Namespace['lookUp']>[0]) !== null) return null;
    const name = lowerCase(node.is === 'column' ? node.name : (node as { readonly text: string }).text);
    const index = this.#items.findIndex(({ alias }) => alias !== null && lowerCase(alias) === name);
    return index === -1 ? null : index;
  }

  #having(having: SqlNode): void {
    this.#filter([this.#over(bindCondition(having, this.#after('HAVING')), having.position)]);
  }

  #window(later: readonly SqlNode[]): void {
    const scope = this.#after('a window function');
    const binding: WindowBinding = {
      scope,
      bind: (node) => this.#over(bindScalar(node, scope), node.position),
      condition: (node) => this.#over(bindCondition(node, scope), node.position),
      sortKey,
      constant: (expression, node) => this.#constant(expression, node),
    };
    for (const root of later) {
      for (const node of nodesOf(root)) if (node.is === 'over') this.#windows.add(node, binding);
    }
    if (this.#windows.isEmpty) return;
    const rows = this.#build;
    this.#build = () => this.#windows.build(rows());
  }

  #constant(expression: Expression, { position }: SqlNode): Constant {
    if (expression.op === 'constant') return expression;
    const { evaluate } = this.#context.request;
    if (evaluate === undefined) throw sqlError('a constant is required here', position);
    return constantOf(expression.type, evaluate(expression));
  }

  /** Item `index` of SELECT. */
  #output(index: number): Expression {
    const known = this.#outputs[index];
    if (known !== undefined) return known;
    const { node, column, position } = this.#items[index];
    const bound =
      column === null ? bindScalar(node as SqlNode, this.#after('SELECT', false)) : readColumn(column);
    const output = this.#over(bound, position);
    this.#outputs[index] = output;
    return output;
  }

  /** The scope of a clause after the grouping. */
  #after(clause: string, aliases = true, prefers: ClauseRules['prefers'] = 'column'): QueryScope {
    return this.#scope(clause, {
      aggregate: (node) => this.#aggregate(node),
      window: (node) => this.#windowResult(node, clause),
      subquery: this.#subquery,
      prefers,
      aliases,
    });
  }

  #aggregate(node: AggregateNode): Expression {
    const known = this.#aggregates.get(node);
    if (known !== undefined) return known;
    throw sqlError('an aggregate is not allowed here', node.position);
  }

  #windowResult(node: Parameters<Windows['resultOf']>[0], clause: string): Expression {
    const known = this.#windows.resultOf(node);
    if (known !== null) return known;
    throw sqlError(`window functions are not allowed in ${clause}`, node.position);
  }

  #scope(clause: string, { aliases, ...rules }: ClauseSettings): QueryScope {
    const { columns, request } = this.#context;
    const all: ClauseRules = {
      ...rules,
      clause,
      namespace: this.#namespace,
      foldsCalls: clause === 'WHERE' || this.#block.groupBy.every(({ is }) => is === 'key'),
      aliases: aliases ? this.#aliases : new Map(),
      read: (expression, node, fromSubquery) => {
        if (expression.op === 'input') this.#rows.add(expression.input);
        if (fromSubquery && this.#isAfterGroups(clause)) this.#groups.checkRead(expression, node.position);
      },
    };
    return new QueryScope(all, columns, this.#outer, request.nowMs);
  }

  #isAfterGroups(clause: string): boolean {
    return this.#isGrouped && !ROW_CLAUSES.has(clause);
  }

  /** The expression over groups, if there are any. */
  #over(expression: Expression, position: SourcePosition): Expression {
    return this.#isGrouped ? this.#groups.over(expression, this.#rows, position) : expression;
  }

  #answer(): BoundQuery {
    const scope = this.#after('ORDER BY', true, 'alias');
    const outputs = this.#items.map((_item, index) => this.#output(index));
    const names = outputNames(this.#items, (node) => this.#columnName(node), this.#context.request.dialect);
    const items: readonly BoundItem[] = outputs.map((of, index) => ({
      of,
      name: names[index],
      position: this.#items[index].position,
    }));
    const isPostgres = this.#context.request.dialect === 'postgres';
    const bind = (node: SqlNode): Expression => {
      const named = isPostgres ? outputNamed(node, names, outputs) : null;
      if (named !== null) return named;
      const index = itemIndexOf(node, items.length, 'ORDER BY') ?? this.#itemNamed(node, names);
      return index === null ? this.#over(bindScalar(node, scope), node.position) : outputs[index];
    };
    const order: readonly BoundSortKey[] = this.#tail.orderBy.map((key) => ({ ...key, bound: bind(key.of) }));
    const distinctOn = this.#block.distinctOn?.map(bind) ?? null;
    const distinct = this.#block.distinct && distinctOn === null;
    const clauses = { items, order, distinct, distinctOn, tail: this.#tail, scope };
    return answerOf(this.#build, clauses, this.#context.columns);
  }

  /** The item whose generated name the node is, if it is neither column nor alias. */
  #itemNamed(node: SqlNode, names: readonly string[]): number | null {
    if (node.is !== 'column' || node.table !== null || this.#namespace.lookUp(node) !== null) return null;
    if (this.#aliases.has(lowerCase(node.name))) return null;
    const index = names.findIndex((name) => lowerCase(name) === lowerCase(node.name));
    return index === -1 ? null : index;
  }
}

const ROW_CLAUSES: ReadonlySet<string> = new Set(['WHERE', 'GROUP BY', 'an aggregate']);
