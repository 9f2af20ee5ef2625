/** Fixtures for tests of queries of relational operators: trees built by hand over scans that are written as SQL. */
import type { QueryOptions } from '../../src/engine/index.js';
import {
  BOOLEAN,
  type Comparison,
  type Constant,
  columnsOf,
  type Expression,
  INTEGER,
  isRelationPlan,
  type JoinKind,
  type Relation,
  type RelationAggregate,
  type RelationColumn,
  type RelationPlan,
} from '../../src/ir/index.js';
import type { SqlType } from '../../src/vector/index.js';
import { type Rows, requestsOf } from './select-store.js';
import { DATABASE_ID, QUERY_OPTIONS, type TestStore } from './store.js';

/** A relation and its columns by name. */
export interface Named {
  readonly relation: Relation;
  readonly columns: Readonly<Record<string, RelationColumn>>;
}

export const read = ({ column, type }: RelationColumn): Expression => ({ op: 'input', type, input: column });
export const constant = (type: SqlType, value: Constant['value']): Constant => ({
  op: 'constant',
  type,
  value,
});
export const compare = (left: Expression, comparison: Comparison, right: Expression): Expression => ({
  ...{ op: 'compare', type: BOOLEAN, comparison, left, right },
});

/** Builds relations, each with column numbers of its own. */
export class RelationBuilder {
  readonly #store: TestStore;
  #next = 0;

  constructor(store: TestStore) {
    this.#store = store;
  }

  column(type: SqlType): RelationColumn {
    return { column: this.#next++, type };
  }

  /** The rows of a SELECT. */
  scan(text: string): Named {
    const [{ plan }] = requestsOf(this.#store, text);
    if (isRelationPlan(plan)) throw new Error(`${text} is not a scan`);
    const columns = plan.outputs.map(({ type }) => this.column(type));
    const named = Object.fromEntries(plan.outputs.map(({ name }, index) => [name, columns[index]]));
    return { relation: { op: 'scan', plan, columns }, columns: named };
  }

  filter({ relation, columns }: Named, condition: Expression): Named {
    return { relation: { op: 'filter', input: relation, condition }, columns };
  }

  project({ relation }: Named, of: Readonly<Record<string, Expression>>): Named {
    const columns = Object.fromEntries(
      Object.entries(of).map(([name, { type }]) => [name, this.column(type)]),
    );
    const definitions = Object.entries(of).map(([name, of]) => ({ column: columns[name].column, of }));
    return { relation: { op: 'project', input: relation, columns: definitions }, columns };
  }

  union(left: Named, right: Named): Named {
    const names = Object.keys(left.columns);
    const columns = Object.fromEntries(names.map((name) => [name, this.column(left.columns[name].type)]));
    const pairs = names.map((name) => ({
      ...columns[name],
      left: left.columns[name].column,
      right: right.columns[name].column,
    }));
    const [one, other] = [left.relation, right.relation];
    const relation: Relation = {
      ...{ op: 'set', operator: 'union', all: true, left: one, right: other, columns: pairs },
    };
    return { relation, columns };
  }

  /** Joins on equal columns; names of the right side get a prefix. */
  join(kind: JoinKind, left: Named, right: Named, on: readonly (readonly [string, string])[]): Named {
    const mark = kind === 'mark' ? this.column(BOOLEAN) : null;
    const keys = on.map(([a, b]) => ({
      ...{ left: left.columns[a].column, right: right.columns[b].column, nullsEqual: false },
    }));
    const relation: Relation = {
      ...{ op: 'join', kind, left: left.relation, right: right.relation, keys, condition: null },
      mark: mark?.column ?? null,
    };
    const named = (prefix: string, columns: Named['columns']) =>
      Object.entries(columns).map(([name, column]) => [`${prefix}${name}`, column] as const);
    const returned = new Set(columnsOf(relation).map(({ column }) => column));
    const all = [
      ...named('', left.columns),
      ...named('b_', right.columns),
      ...(mark === null ? [] : ([['mark', mark]] as const)),
    ];
    return { relation, columns: Object.fromEntries(all.filter(([, { column }]) => returned.has(column))) };
  }

  /** `aggregates` by name: the function and the column that it reads, '' for COUNT(*). */
  aggregate(
    { relation, columns }: Named,
    by: readonly string[],
    aggregates: Readonly<Record<string, readonly [RelationAggregate['function'], string, boolean?]>>,
  ): Named {
    const keys = by.map((name) => columns[name]);
    const functions = Object.values(aggregates).map(([name, of, distinct = false]): RelationAggregate => {
      const type = name === 'count' ? INTEGER : columns[of].type;
      return {
        ...this.column(type),
        ...{ function: name, of: of === '' ? null : columns[of], distinct, fraction: null },
      };
    });
    const named = [
      ...by.map((name) => [name, columns[name]] as const),
      ...Object.keys(aggregates).map((name, index) => [name, functions[index]] as const),
    ];
    return {
      relation: { op: 'aggregate', input: relation, keys, aggregates: functions },
      columns: Object.fromEntries(named),
    };
  }

  sort({ relation, columns }: Named, by: readonly string[], offset: number, limit: number | null): Named {
    const keys = by.map((name) => ({ ...columns[name], descending: false, missingFirst: false }));
    return { relation: { op: 'sort', input: relation, keys, offset, limit }, columns };
  }

  /** Adds the number of each row within its partition. */
  rowNumber({ relation, columns }: Named, partition: readonly string[], by: readonly string[]): Named {
    const number = this.column(INTEGER);
    const order = by.map((name) => ({ ...columns[name], descending: false, missingFirst: false }));
    const frame = { mode: 'rows', start: { at: 'first' }, end: { at: 'last' } } as const;
    return {
      relation: {
        ...{ op: 'window', input: relation, partition: partition.map((name) => columns[name]), order },
        functions: [{ ...number, function: 'row-number', args: [], frame }],
      },
      columns: { ...columns, number },
    };
  }

  /** A relation that is computed once, and a reader of it for each use. */
  shared(table: number, { relation, columns }: Named): Named {
    const from = columnsOf(relation);
    const own = Object.fromEntries(
      Object.entries(columns).map(([name, { type }]) => [name, this.column(type)]),
    );
    const names = Object.keys(columns);
    return {
      relation: {
        op: 'shared',
        table,
        columns: names.map((name) => own[name]),
        from: names.map((name) => from.findIndex(({ column }) => column === columns[name].column)),
      },
      columns: own,
    };
  }

  plan({ relation, columns }: Named, tables: readonly Relation[] = []): RelationPlan {
    const nameOf = new Map(Object.entries(columns).map(([name, { column }]) => [column, name]));
    const outputs = columnsOf(relation).map(({ column, type }) => ({
      name: nameOf.get(column) ?? `column ${column}`,
      type,
    }));
    return { databaseId: DATABASE_ID, root: relation, outputs, tables };
  }
}

export async function answerOf(
  store: TestStore,
  plan: RelationPlan,
  format: 'json' | 'ndjson' | 'csv' = 'json',
  options: QueryOptions = QUERY_OPTIONS,
  explain: 'no' | 'plan' | 'analyze' = 'no',
): Promise<string> {
  const { parts } = store.engine.select([{ plan, explain }], format, options);
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  return Buffer.concat(read).toString('utf8');
}

export const resultOf = (json: string): Rows => (JSON.parse(`{${json}}`) as { result: Rows }).result;

export async function relationRows(
  store: TestStore,
  plan: RelationPlan,
  options: QueryOptions = QUERY_OPTIONS,
): Promise<Rows> {
  return resultOf(await answerOf(store, plan, 'json', options));
}

/** The rows as sorted lines, to compare them without an order. */
export const sortedLines = (rows: Iterable<object>): string[] =>
  [...rows].map((row) => JSON.stringify(row)).sort();

/** The first difference of two lists of lines; '' = they are equal. */
export function difference(found: readonly string[], wanted: readonly string[]): string {
  if (found.length !== wanted.length) return `${found.length} rows instead of ${wanted.length}`;
  const at = found.findIndex((line, index) => line !== wanted[index]);
  return at === -1 ? '' : `${found[at]} instead of ${wanted[at]}`;
}
