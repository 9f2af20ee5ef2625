/** Binds FROM: tables, derived tables and joins of every kind. */
import { quoted } from '../../../base/index.js';
import {
  type Definition,
  type Expression,
  type JoinKind,
  type RelationColumn,
  readColumn,
} from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { FromItem, SourcePosition, SqlNode, TableName } from '../../tree.js';
import { dimensionOf, isOfOtherDatabase, namedOrDashed } from '../clauses/sources.js';
import { firstPresent } from '../expressions/choice.js';
import { compared } from '../expressions/compare.js';
import { bindCondition } from '../expressions/scalar.js';
import { lettersOfAny } from '../expressions/text-case.js';
import { allMembersOf } from '../nodes.js';
import type { SessionTable } from '../request.js';
import { type Build, extended, joined, ONE_ROW_RELATION } from './build.js';
import type { BoundQuery, QueryContext, VisibleTable, VisibleTables } from './context.js';
import {
  DerivedTable,
  type MergedColumn,
  type NamedTable,
  Namespace,
  NO_TABLES,
  TemporaryTable,
} from './namespace.js';
import { type OutputColumn, PLAIN_TRAITS, plainColumn } from './plan-columns.js';
import { columnScope, type QueryScope } from './query-scope.js';
import { BaseTable, type EventTableName } from './tables/base-table.js';
import { conditionTable } from './tables/condition-table.js';
import { eventTablesNamed, isTable } from './tables/named-tables.js';
import { bindRelation, relationsNamed } from './tables/relation-table.js';
import { bindTableFunction, type FunctionItem } from './tables/table-functions.js';

export interface BoundFrom {
  readonly build: Build;
  readonly namespace: Namespace;
}

/** The scope of a join's condition or of a lateral table, over the tables so far. */
export type FromScope = (clause: string, namespace: Namespace) => QueryScope;

const FROM_TABLES_MAX = 64;

type JoinItem = Extract<FromItem, { readonly is: 'join' }>;

export class FromBinder {
  readonly #context: QueryContext;
  readonly #visible: VisibleTables;
  readonly #outer: QueryScope | null;
  #tableCount = 0;

  constructor(context: QueryContext, visible: VisibleTables, outer: QueryScope | null) {
    this.#context = context;
    this.#visible = visible;
    this.#outer = outer;
  }

  /** Throws 6000, 506. */
  bind(items: readonly FromItem[]): BoundFrom {
    let all: BoundFrom | null = null;
    for (const item of items) {
      const left: BoundFrom | null = all;
      const right = this.#item(item, left?.namespace ?? NO_TABLES);
      if (left === null) {
        all = right;
        continue;
      }
      all = {
        build: () => joined('inner', left.build(), right.build(), [], this.#context.columns),
        namespace: left.namespace.with(right.namespace, item.position),
      };
    }
    return all ?? { build: () => ONE_ROW_RELATION, namespace: NO_TABLES };
  }

  #item(item: FromItem, before: Namespace): BoundFrom {
    if (item.is === 'join') return this.#join(item, before);
    if (++this.#tableCount > FROM_TABLES_MAX) {
      throw sqlError(`there are more than ${FROM_TABLES_MAX} tables in FROM`, item.position);
    }
    if (item.is === 'table') return this.#table(item);
    if (item.is === 'function') return this.#function(item, before);
    const outer = item.lateral ? this.#scope('LATERAL', before) : this.#outer;
    const { build, columns } = this.#context.bindQuery(item.query, this.#visible, outer);
    const named = renamed(columns, item.columnNames, item.position);
    return { build, namespace: new Namespace([new DerivedTable(item.alias, named, item.position)], []) };
  }

  #function(item: FunctionItem, before: Namespace): BoundFrom {
    const scope = this.#scope(`the arguments of ${item.name}`, before);
    const { columns: planColumns, request } = this.#context;
    const { build, columns } = bindTableFunction(item, scope, planColumns, request);
    const named = renamed(columns, item.columnNames, item.position);
    const table = new DerivedTable(item.alias ?? item.name, named, item.position);
    return { build, namespace: new Namespace([table], []) };
  }

  #table(item: Extract<FromItem, { readonly is: 'table' }>): BoundFrom {
    const common = item.database === undefined ? this.#visible.get(lowerCase(item.name)) : undefined;
    const own =
      item.database === undefined ? this.#context.sessionTables.get(lowerCase(item.name)) : undefined;
    const bound =
      common !== undefined
        ? this.#common(common, item)
        : own === undefined
          ? (this.#saved(item) ?? this.#relation(item) ?? this.#base(item))
          : this.#ofSession(own, item);
    if (item.columnNames === null) return bound;
    const [table] = bound.namespace.tables;
    const columns = renamed(table.all(), item.columnNames, item.position);
    const derived = new DerivedTable(item.alias ?? item.name, columns, item.position);
    return { build: bound.build, namespace: new Namespace([derived], []) };
  }

  #ofSession(own: SessionTable, table: TableName): BoundFrom {
    const { name, alias, position } = table;
    const named = (columns: readonly OutputColumn[]): Namespace =>
      new Namespace([new TemporaryTable(alias ?? name, columns, position)], []);
    if (own.is === 'view') return this.#view(this.#context.bindView(own), own.columnNames, table);
    const columns = own.columns.map((column) => ({
      ...this.#context.columns.add(column.type, column.traits, column.name),
      ...{ name: column.name, constant: null },
    }));
    return {
      build: () => ({ op: 'values', columns: columns.map(plainColumn), rows: own.rows }),
      namespace: named(columns),
    };
  }

  #view(
    { build, columns }: BoundQuery,
    columnNames: readonly string[] | null,
    { name, alias, position }: TableName,
  ): BoundFrom {
    const table = new DerivedTable(alias ?? name, renamed(columns, columnNames, position), position);
    return { build, namespace: new Namespace([table], []) };
  }

  /** A saved view; null if there is none with the name. */
  #saved(table: TableName): BoundFrom | null {
    const saved = this.#context.savedViews.bind(table, this.#context);
    return saved === null ? null : this.#view(saved, saved.columnNames, table);
  }

  /** A relation; null if a dimension or an event column has the name, or nothing. Throws 6000 if several relations have it. */
  #relation(table: TableName): BoundFrom | null {
    const { model } = this.#context.request;
    const { name, alias, position } = table;
    if (isOfOtherDatabase(table, model) || isTable(name, model)) return null;
    const found = relationsNamed(name, model);
    if (found.length === 0) return null;
    if (found.length > 1) {
      const names = found.map(({ dimension }) => quoted(dimension.apiName)).join(' and ');
      throw sqlError(`${quoted(name)} is a relation of ${names}`, position);
    }
    const scope = this.#scope('FROM', NO_TABLES);
    const { build, columns } = bindRelation(table, found[0], this.#context, scope);
    return { build, namespace: new Namespace([new DerivedTable(alias ?? name, columns, position)], []) };
  }

  #base(table: TableName): BoundFrom {
    const { request, columns } = this.#context;
    const base = new BaseTable(table, this.#eventsOf(table), request, columns);
    return { build: () => base.scan(), namespace: new Namespace([base], []) };
  }

  /** The event column that `table` names; null if it names a dimension. Throws 6000 if it names neither. */
  #eventsOf(table: TableName): EventTableName | null {
    const { model } = this.#context.request;
    if (namedOrDashed(model.dimensions, lowerCase(table.name)) !== null) return null;
    const found = eventTablesNamed(table.name, model);
    if (found.length > 1) {
      const names = found.map(({ dimension }) => quoted(dimension)).join(' and ');
      throw sqlError(`${quoted(table.name)} is an event column of ${names}`, table.position);
    }
    if (found.length === 1) return found[0];
    dimensionOf(table, model);
    return null;
  }

  #common(common: VisibleTable, { name, alias, position }: TableName): BoundFrom {
    const { definition, useCount } = common;
    const { columns: planColumns, tables } = this.#context;
    const named = (columns: readonly OutputColumn[]): Namespace => {
      const outputs = renamed(columns, definition.columnNames, definition.position);
      return new Namespace([new DerivedTable(alias ?? name, outputs, position)], []);
    };
    if (common.working !== null) {
      const { recursion, columns } = common.working;
      const own = columns.map((column) => ({
        ...column,
        ...planColumns.add(column.type, planColumns.traits(column.column), column.name),
      }));
      return {
        build: () => ({ op: 'working', recursion, columns: own.map(plainColumn) }),
        namespace: named(own),
      };
    }
    if (useCount === 1) {
      const { build, columns } = this.#context.bindTable(common);
      return { build, namespace: named(columns) };
    }
    if (common.shared === null) {
      const { build, columns } = this.#context.bindTable(common);
      common.shared = { table: tables.push(build) - 1, columns };
    }
    const { table, columns: shared } = common.shared;
    const columns = shared.map((column) => ({
      ...column,
      ...planColumns.add(column.type, planColumns.traits(column.column), column.name),
    }));
    const from = shared.map((_column, index) => index);
    return {
      build: () => ({ op: 'shared', table, columns: columns.map(plainColumn), from }),
      namespace: named(columns),
    };
  }

  #join(item: JoinItem, before: Namespace): BoundFrom {
    const left = this.#item(item.left, before);
    const isLateral = item.right.is === 'function' || (item.right.is === 'derived' && item.right.lateral);
    // Rows of the right side that exist without a left row cannot read it.
    const seesLeft = isLateral && item.kind !== 'right' && item.kind !== 'full';
    const visible = seesLeft ? before.with(left.namespace, item.position) : before;
    const right = this.#item(item.right, visible);
    const both = left.namespace.with(right.namespace, item.position);
    const usingNames = item.natural ? commonNames(left.namespace, right.namespace) : item.using;
    if (usingNames !== null) return this.#using(item, left, right, both, usingNames);
    if (item.kind === 'cross' && item.on !== null) throw sqlError('CROSS JOIN has no ON', item.on.position);
    if (item.kind !== 'cross' && item.on === null) throw sqlError('the JOIN lacks ON', item.position);
    const members = item.on === null ? [] : allMembersOf(item.on, 'and');
    const rest = members.filter((member) => !this.#pushed(member, item.kind, both, left, right));
    const scope = this.#scope('ON', both);
    const conditions = rest.map((member) => bindCondition(member, scope));
    markOptional(item.kind, left.namespace, right.namespace);
    return { build: this.#joinOf(item.kind, left, right, conditions), namespace: both };
  }

  /** Adds a condition of ON on one table to its scan, if the join then returns the same rows. */
  #pushed(
    node: SqlNode,
    kind: JoinItem['kind'],
    both: Namespace,
    left: BoundFrom,
    right: BoundFrom,
  ): boolean {
    const table = conditionTable(node, both, this.#outer);
    if (table === null) return false;
    const dropped = kind === 'left' ? right : kind === 'right' ? left : null;
    if (kind === 'full' || (dropped !== null && !dropped.namespace.tables.includes(table))) return false;
    table.addCondition(node);
    return true;
  }

  #joinOf(
    kind: JoinItem['kind'],
    left: BoundFrom,
    right: BoundFrom,
    conditions: readonly Expression[],
  ): Build {
    const { columns } = this.#context;
    if (kind === 'right') return () => joined('left', right.build(), left.build(), conditions, columns);
    const planKind: JoinKind = kind === 'cross' ? 'inner' : kind;
    return () => joined(planKind, left.build(), right.build(), conditions, columns);
  }

  #using(
    { kind, position }: JoinItem,
    left: BoundFrom,
    right: BoundFrom,
    both: Namespace,
    names: readonly { readonly name: string; readonly position: SourcePosition }[],
  ): BoundFrom {
    const { columns } = this.#context;
    const scope = this.#scope('USING', both);
    const conditions: Expression[] = [];
    const merged: MergedColumn[] = [];
    const definitions: Definition[] = [];
    for (const { name, position: at } of names) {
      const node = { is: 'column', table: null, name, position: at, parenthesized: false } as const;
      const sides = [left.namespace.lookUp(node), right.namespace.lookUp(node)];
      const [ofLeft, ofRight] = sides.map((side) => {
        if (side === null) throw sqlError(`${quoted(name)} is not a column of both tables`, at);
        return side;
      });
      conditions.push(compared('=', readColumn(ofLeft), readColumn(ofRight), at, scope));
      let column: RelationColumn = kind === 'right' ? ofRight : ofLeft;
      if (kind === 'full') {
        const of = firstPresent([readColumn(ofLeft), readColumn(ofRight)], at);
        const letters = lettersOfAny([ofLeft, ofRight].map((side) => columns.traits(side.column).letters));
        column = columns.add(of.type, { ...PLAIN_TRAITS, letters }, name);
        definitions.push({ column: column.column, of });
      }
      const output = { ...column, name: ofLeft.name, constant: null };
      merged.push({ output, of: [ofLeft.column, ofRight.column] });
    }
    if (kind === 'cross') throw sqlError('CROSS JOIN has no USING', position);
    markOptional(kind, left.namespace, right.namespace);
    const join = this.#joinOf(kind, left, right, conditions);
    return { build: () => extended(join(), definitions), namespace: both.merging(merged) };
  }

  #scope(clause: string, namespace: Namespace): QueryScope {
    return columnScope(clause, namespace, this.#context, this.#outer);
  }
}

/** The columns under the names of `t(a, b)`; those after the last name are unchanged. Throws 6000. */
function renamed(
  columns: readonly OutputColumn[],
  names: readonly string[] | null,
  position: SourcePosition,
): readonly OutputColumn[] {
  if (names === null) return columns;
  if (names.length > columns.length) {
    throw sqlError(`the table has ${columns.length} columns, not ${names.length}`, position);
  }
  return columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
}

/** The names that both sides of a NATURAL JOIN have. */
function commonNames(
  left: Namespace,
  right: Namespace,
): readonly { readonly name: string; readonly position: SourcePosition }[] {
  const position: SourcePosition = { line: 1, column: 1 };
  const ofRight = new Set(right.star(null, position).map(({ name }) => lowerCase(name)));
  const names = left.star(null, position).map(({ name }) => name);
  return names.filter((name) => ofRight.has(lowerCase(name))).map((name) => ({ name, position }));
}

/** Marks the tables whose rows an outer join may replace by missing values. */
function markOptional(kind: JoinItem['kind'], left: Namespace, right: Namespace): void {
  const mark = (tables: readonly NamedTable[]): void => {
    for (const table of tables) if (table instanceof BaseTable) table.isOptional = true;
  };
  if (kind === 'left' || kind === 'full') mark(right.tables);
  if (kind === 'right' || kind === 'full') mark(left.tables);
}
