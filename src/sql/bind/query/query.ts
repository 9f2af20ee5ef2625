/**
 * Binds SELECTs. One that reads a single dimension, or joins others by their IDs, becomes a SelectPlan; every other one
 * becomes a tree of relations, in which parts of that kind are scans.
 */
import { invariant, QuarryError } from '../../../base/index.js';
import {
  columnsOf,
  type Expression,
  type ReadPlan,
  type Relation,
  type RelationPlan,
  readColumn,
  relationInputs,
  type SelectPlan,
  withInputs,
} from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { flattened, hasFlatNodes } from '../../query/flattened.js';
import { sqlError } from '../../sql-error.js';
import type {
  Query,
  QueryBody,
  ReadStatement,
  SelectStatement,
  SourcePosition,
  SqlNode,
} from '../../tree.js';
import { namedOrDashed } from '../clauses/sources.js';
import { constantOf } from '../expressions/build.js';
import { castTo, unify } from '../expressions/coerce.js';
import { bindScalar } from '../expressions/scalar.js';
import { lettersOfAny } from '../expressions/text-case.js';
import { nodesOf } from '../nodes.js';
import type { SessionColumn, SessionTable, SqlRequest } from '../request.js';
import { bindSelect } from '../select.js';
import { answerOf } from './answer.js';
import { BlockBinder } from './block.js';
import { type Build, narrowed } from './build.js';
import type { BoundQuery, QueryContext, QueryTail, VisibleTable, VisibleTables } from './context.js';
import { DerivedTable, Namespace, NO_TABLES } from './namespace.js';
import { type OutputColumn, PLAIN_TRAITS, PlanColumns, plainColumn } from './plan-columns.js';
import { columnScope, type QueryScope } from './query-scope.js';
import { bindRecursive, isRecursive } from './recursive.js';
import { SavedViews } from './saved-views.js';
import { outputTraits } from './scan-traits.js';
import { tableUses } from './table-uses.js';
import { queryOf } from './unflattened.js';

/** Rows of one VALUES. */
const VALUES_ROWS_MAX = 10_000;

/** Throws 6000 with the source position for statements that cannot be bound, and 506 for columns that the caller may not use. */
export function bindRead(statement: ReadStatement, request: SqlRequest): ReadPlan {
  const { sessionTables = NO_SESSION_TABLES } = request;
  if (sessionTables.size > 0) {
    const whole = statement.is === 'query' ? statement.query : queryOf(statement);
    if ([...tableUses(whole).keys()].some((name) => sessionTables.has(name))) return bindTree(whole, request);
  }
  if (statement.is === 'query') {
    const flat = flattened(statement.query);
    return flat === null ? bindTree(statement.query, request) : bindFlat(flat, statement.query, request);
  }
  const query = queryOf(statement);
  return hasFlatNodes(query) ? bindFlat(statement, query, request) : bindTree(query, request);
}

/** Binds a statement as a SelectPlan or, if only a tree can express its tables, as a tree. */
function bindFlat(statement: SelectStatement, query: Query, request: SqlRequest): ReadPlan {
  if (!statement.joins.every(({ on }) => namesId(on))) return bindTree(query, request);
  try {
    return bindSelect(statement, request);
  } catch (error) {
    if (!isRefusal(error) || !requiresTree(statement, request)) throw error;
    return bindTree(query, request);
  }
}

const ID_NAME = /entity[-_]id$/i;

/** Whether a condition names an entity ID, as that of every join of a SelectPlan does. */
function namesId(on: SqlNode): boolean {
  for (const node of nodesOf(on)) {
    const name = node.is === 'column' ? node.name : node.is === 'string' ? node.text : '';
    if (ID_NAME.test(name)) return true;
  }
  return false;
}

const isRefusal = (error: unknown): boolean => error instanceof QuarryError && error.code === 6000;

/** Whether the statement has joins that may be of another form, or reads an event column as a table. */
const requiresTree = ({ from, joins }: SelectStatement, { model }: SqlRequest): boolean =>
  joins.length > 0 || (from !== null && namedOrDashed(model.dimensions, lowerCase(from.name)) === null);

const bindTree = (query: Query, request: SqlRequest): RelationPlan =>
  new QueryBinder(request, tableUses(query)).plan(query);

/** A table that only one statement has. */
export interface OwnTable {
  readonly columns: readonly OutputColumn[];
  readonly build: Build;
}

/** Binds a query in which `name` is the table that `tableOf` returns. Throws 6000, 506. */
export function bindOverTable(
  query: Query,
  name: string,
  request: SqlRequest,
  tableOf: (columns: PlanColumns) => OwnTable,
): RelationPlan {
  const binder = new QueryBinder(request, tableUses(query));
  const { columns, build } = tableOf(binder.columns);
  const shared = { table: binder.tables.push(build) - 1, columns };
  const { position } = query;
  const definition = { name, columnNames: null, query, recursive: false, position };
  const table: VisibleTable = { definition, visible: new Map(), shared, useCount: 2, working: null };
  return binder.plan(query, new Map([[name, table]]));
}

const NO_SESSION_TABLES: ReadonlyMap<string, SessionTable> = new Map();

/** The plan of a query, with outputs that are named by their numbers, and its columns. Throws 6000, 506. */
export function bindColumns(
  query: Query,
  request: SqlRequest,
): { readonly plan: RelationPlan; readonly columns: readonly SessionColumn[] } {
  const binder = new QueryBinder(request, tableUses(query));
  const { outputs, ...plan } = binder.plan(query);
  const columns = columnsOf(plan.root).map(({ column }, index) => ({
    ...outputs[index],
    traits: binder.columns.traits(column),
  }));
  return {
    plan: { ...plan, outputs: outputs.map(({ type }, index) => ({ name: String(index), type })) },
    columns,
  };
}

/** The tables with the present rows of those that the session still has. */
function newestOf(
  tables: ReadonlyMap<string, SessionTable>,
  present: ReadonlyMap<string, SessionTable>,
): ReadonlyMap<string, SessionTable> {
  const newest = (name: string, table: SessionTable): SessionTable => {
    const own = present.get(name);
    return table.is === 'rows' && own?.is === 'rows' && own.origin === table.origin ? own : table;
  };
  return new Map([...tables].map(([name, table]) => [name, newest(name, table)]));
}

class QueryBinder implements QueryContext {
  sessionTables: ReadonlyMap<string, SessionTable>;
  request: SqlRequest;
  readonly savedViews = new SavedViews();
  readonly columns = new PlanColumns();
  readonly tables: Build[] = [];
  /** How often the statement names each table. */
  readonly #uses: ReadonlyMap<string, number>;
  #recursions = 0;
  /** The number of recursive parts around the query that is bound. */
  #recursionDepth = 0;

  constructor(request: SqlRequest, uses: ReadonlyMap<string, number>) {
    this.request = request;
    this.sessionTables = request.sessionTables ?? NO_SESSION_TABLES;
    this.#uses = uses;
  }

  plan(query: Query, visible: VisibleTables = new Map()): RelationPlan {
    const { build, columns } = this.bindQuery(query, visible, null);
    const root = narrowed(build(), columns);
    const tables: Relation[] = [];
    // Building a table may add further tables.
    for (let index = 0; index < this.tables.length; index++) tables.push(this.tables[index]());
    const outputs = columns.map(({ name, type }) => ({ name, type }));
    return { databaseId: this.request.model.id, outputs, ...inOrder(root, tables) };
  }

  bindQuery(query: Query, visible: VisibleTables, outer: QueryScope | null): BoundQuery {
    const all = this.#withTables(query, visible);
    const scan = this.#scan(query, all, outer);
    if (scan !== null) return scan;
    if (query.body.is === 'block') return new BlockBinder(this, all, outer, query.body, query).bind();
    return this.#withTail(this.#body(query.body, all, outer), query, outer);
  }

  bindTable(table: VisibleTable): BoundQuery {
    const { definition, visible } = table;
    if (!isRecursive(definition)) return this.bindQuery(definition.query, visible, null);
    const bindWithin = (query: Query, within: VisibleTables, isRound: boolean): BoundQuery => {
      if (isRound) this.#recursionDepth++;
      const bound = this.bindQuery(query, within, null);
      if (isRound) this.#recursionDepth--;
      return bound;
    };
    const tables = this.#withTables(definition.query, visible);
    return bindRecursive(table, tables, this.#recursions++, this.columns, bindWithin);
  }

  bindView({ query, tables, dialect }: Extract<SessionTable, { readonly is: 'view' }>): BoundQuery {
    const { sessionTables, request } = this;
    this.sessionTables = newestOf(tables, request.sessionTables ?? NO_SESSION_TABLES);
    if (dialect !== undefined) this.request = { ...request, dialect };
    try {
      return this.bindQuery(query, new Map(), null);
    } finally {
      this.sessionTables = sessionTables;
      this.request = request;
    }
  }

  #withTables({ tables }: Query, visible: VisibleTables): VisibleTables {
    let all = visible;
    for (const definition of tables) {
      const name = lowerCase(definition.name);
      // A table within a recursive part may depend on the round, and is not computed once.
      const useCount = this.#recursionDepth > 0 ? 1 : (this.#uses.get(name) ?? 0);
      const table: VisibleTable = { definition, visible: all, shared: null, useCount, working: null };
      all = new Map([...all, [name, table]]);
    }
    return all;
  }

  /** The query as a scan; null if it is not a plain SELECT, or reads columns of the blocks around it. */
  #scan(query: Query, visible: VisibleTables, outer: QueryScope | null): BoundQuery | null {
    const flat = flattened(query);
    if (flat === null || flat.from === null) return null;
    const named = [flat.from, ...flat.joins.map(({ table }) => table)].filter(
      ({ database }) => database === undefined,
    );
    const isOwn = (name: string): boolean => visible.has(name) || this.sessionTables.has(name);
    if (named.some(({ name }) => isOwn(lowerCase(name)))) return null;
    let plan: SelectPlan;
    try {
      plan = bindSelect(flat, this.request);
    } catch (error) {
      if (!isRefusal(error) || (outer === null && !requiresTree(flat, this.request))) throw error;
      return null;
    }
    const columns = plan.outputs.map(({ name, type, of }, index) => ({
      ...this.columns.add(type, outputTraits(plan, index, this.request.model), name),
      name,
      constant: of.op === 'constant' ? of : null,
    }));
    return {
      build: () => ({ op: 'scan', plan, columns: columns.map(({ column, type }) => ({ column, type })) }),
      columns,
    };
  }

  #body(body: QueryBody, visible: VisibleTables, outer: QueryScope | null): BoundQuery {
    switch (body.is) {
      case 'nested':
        return this.bindQuery(body.query, visible, outer);
      case 'block': {
        const { position } = body;
        return this.bindQuery({ ...NO_TAIL, position, tables: [], body }, visible, outer);
      }
      case 'values':
        return this.#values(body);
      case 'set':
        return this.#set(body, visible, outer);
    }
  }

  #values({ rows, position }: Extract<QueryBody, { readonly is: 'values' }>): BoundQuery {
    const [first] = rows;
    if (rows.length > VALUES_ROWS_MAX)
      throw sqlError(`VALUES has more than ${VALUES_ROWS_MAX} rows`, position);
    const scope = this.#scope('VALUES', NO_TABLES, null);
    const bound = rows.map((row) => {
      if (row.length !== first.length) throw sqlError('the rows of VALUES differ in length', position);
      return row.map((node) => this.#constant(bindScalar(node, scope), node.position));
    });
    const byColumn = first.map((_node, index) =>
      unify(
        bound.map((row) => row[index]),
        position,
      ),
    );
    const columns = byColumn.map(({ type }, index) => {
      const name = `column${index + 1}`;
      return { ...this.columns.add(type, PLAIN_TRAITS, name), name, constant: null };
    });
    const values = bound.map((_row, index) =>
      byColumn.map(({ members }) => {
        const member = members[index];
        invariant(member.op === 'constant', 'the values are constants');
        return member.value;
      }),
    );
    return { build: () => ({ op: 'values', columns: columns.map(plainColumn), rows: values }), columns };
  }

  #constant(expression: Expression, position: SourcePosition): Expression {
    if (expression.op === 'constant') return expression;
    const { evaluate } = this.request;
    if (evaluate === undefined) throw sqlError('VALUES takes constants', position);
    return constantOf(expression.type, evaluate(expression));
  }

  #set(
    body: Extract<QueryBody, { readonly is: 'set' }>,
    visible: VisibleTables,
    outer: QueryScope | null,
  ): BoundQuery {
    const { operator, all, position } = body;
    const left = this.#body(body.left, visible, outer);
    const right = this.#body(body.right, visible, outer);
    if (left.columns.length !== right.columns.length) {
      const what = `both sides of ${operator.toUpperCase()} need the same number of columns`;
      throw sqlError(`${what}, not ${left.columns.length} and ${right.columns.length}`, position);
    }
    const columns: OutputColumn[] = [];
    const casts: { readonly left: Expression[]; readonly right: Expression[] } = { left: [], right: [] };
    left.columns.forEach((ofLeft, index) => {
      const ofRight = right.columns[index];
      const members = [ofLeft, ofRight].map((column) => column.constant ?? readColumn(column));
      const { type } = unify(members, position);
      casts.left.push(castTo(members[0], type, position));
      casts.right.push(castTo(members[1], type, position));
      const sides = [ofLeft, ofRight].map(({ column }) => this.columns.traits(column));
      const traits = {
        points: sides.some(({ points }) => points),
        letters: lettersOfAny(sides.map(({ letters }) => letters)),
      };
      const { name } = ofLeft;
      columns.push({ ...this.columns.add(type, traits, name), name, constant: null });
    });
    const build = (): Relation => {
      const [a, b] = [this.#cast(left, casts.left), this.#cast(right, casts.right)];
      const set: Relation = {
        op: 'set',
        operator,
        all: all || operator === 'union',
        left: a.relation,
        right: b.relation,
        columns: columns.map(({ column, type }, index) => ({
          ...{ column, type },
          ...{ left: a.columns[index], right: b.columns[index] },
        })),
      };
      if (operator !== 'union' || all) return set;
      return { op: 'aggregate', input: set, keys: columns.map(plainColumn), aggregates: [] };
    };
    return { build, columns };
  }

  #cast(
    { build }: BoundQuery,
    casts: readonly Expression[],
  ): { readonly relation: Relation; readonly columns: readonly number[] } {
    const columns = casts.map((of) => ({ column: this.columns.add(of.type, PLAIN_TRAITS, '').column, of }));
    return {
      relation: { op: 'project', input: build(), columns },
      columns: columns.map(({ column }) => column),
    };
  }

  /** The query with ORDER BY, LIMIT and OFFSET, which see only its columns. */
  #withTail(
    query: BoundQuery,
    tail: QueryTail & { readonly position: SourcePosition },
    outer: QueryScope | null,
  ) {
    if (tail.orderBy.length === 0 && tail.limit === null && tail.offset === 0) return query;
    const table = new DerivedTable(null, query.columns, tail.position);
    const scope = this.#scope('ORDER BY', new Namespace([table], []), outer);
    const items = query.columns.map((column) => ({
      of: readColumn(column),
      name: column.name,
      position: tail.position,
    }));
    const order = tail.orderBy.map((key) => {
      const ordinal = key.of.is === 'number' ? Number(key.of.text) : null;
      if (ordinal === null) return { ...key, bound: bindScalar(key.of, scope) };
      const item = items[ordinal - 1];
      if (item !== undefined) return { ...key, bound: item.of };
      throw sqlError(`ORDER BY ${ordinal}: the columns are 1 to ${items.length}`, key.of.position);
    });
    const clauses = { items, order, distinct: false, distinctOn: null, tail, scope };
    return answerOf(query.build, clauses, this.columns);
  }

  #scope(clause: string, namespace: Namespace, outer: QueryScope | null): QueryScope {
    return columnScope(clause, namespace, this, outer);
  }
}

const NO_TAIL = { orderBy: [], limit: null, withTies: false, offset: 0 } as const;

/** The tables that are read, each after those that it reads. */
function inOrder(root: Relation, tables: readonly Relation[]): Pick<RelationPlan, 'root' | 'tables'> {
  const ordered: Relation[] = [];
  const numbers = new Map<number, number>();
  const visit = (relation: Relation): Relation => {
    if (relation.op !== 'shared') return withInputs(relation, relationInputs(relation).map(visit));
    let number = numbers.get(relation.table);
    if (number === undefined) {
      number = ordered.push(visit(tables[relation.table])) - 1;
      numbers.set(relation.table, number);
    }
    return { ...relation, table: number };
  };
  return { root: visit(root), tables: ordered };
}
