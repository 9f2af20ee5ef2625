/** The last clauses of a query: outputs, DISTINCT, ORDER BY, LIMIT and OFFSET. */
import {
  BOOLEAN,
  type Definition,
  type Expression,
  INTEGER,
  type Relation,
  type RelationColumn,
  type RelationSortKey,
  readColumn,
} from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { OrderKey, SourcePosition } from '../../tree.js';
import { checkCount, SORT_KEYS_MAX } from '../bounds.js';
import { compareOf, integerOf } from '../expressions/build.js';
import { keyOf } from '../expressions/expression-tree.js';
import { comparable, lettersOf } from '../expressions/text-case.js';
import type { Scope } from '../scope.js';
import { type Build, extended, narrowed } from './build.js';
import type { BoundQuery, QueryTail } from './context.js';
import { type OutputColumn, PLAIN_TRAITS, type PlanColumns } from './plan-columns.js';
import { sortKey } from './sort-key.js';

export interface BoundItem {
  readonly of: Expression;
  readonly name: string;
  readonly position: SourcePosition;
}

export interface BoundSortKey extends OrderKey {
  readonly bound: Expression;
}

export interface AnswerClauses {
  readonly items: readonly BoundItem[];
  readonly order: readonly BoundSortKey[];
  readonly distinct: boolean;
  /** null = not written. */
  readonly distinctOn: readonly Expression[] | null;
  readonly tail: QueryTail;
  readonly scope: Scope;
}

/** Throws 6000. */
export function answerOf(rows: Build, clauses: AnswerClauses, columns: PlanColumns): BoundQuery {
  return new Answer(rows, clauses, columns).bind();
}

class Answer {
  readonly #rows: Build;
  readonly #clauses: AnswerClauses;
  readonly #columns: PlanColumns;
  readonly #outputs: readonly OutputColumn[];
  readonly #definitions: Definition[];
  /** The output of each item, by the item's expression. */
  readonly #outputOf = new Map<string, OutputColumn>();

  constructor(rows: Build, clauses: AnswerClauses, columns: PlanColumns) {
    this.#rows = rows;
    this.#clauses = clauses;
    this.#columns = columns;
    this.#outputs = clauses.items.map((item) => this.#output(item));
    this.#definitions = clauses.items.map(({ of }, index) => ({ column: this.#outputs[index].column, of }));
    clauses.items.forEach(({ of }, index) => {
      const key = keyOf(of);
      if (!this.#outputOf.has(key)) this.#outputOf.set(key, this.#outputs[index]);
    });
  }

  #output({ of, name }: BoundItem): OutputColumn {
    const { scope } = this.#clauses;
    const points = of.op === 'input' && scope.traits(of.input).points;
    const column = this.#columns.add(of.type, { points, letters: lettersOf(of, scope) }, name);
    return { ...column, name, constant: of.op === 'constant' ? of : null };
  }

  bind(): BoundQuery {
    const { order, distinct, distinctOn, tail } = this.#clauses;
    if (tail.withTies && order.length === 0) {
      throw sqlError('WITH TIES requires ORDER BY', tail.limit?.position ?? null);
    }
    const computed: Definition[] = [];
    const keys = this.#sortKeys(computed);
    const on = distinctOn?.map((of) => this.#define(of, computed)) ?? null;
    const build = (): Relation => {
      let relation = extended(this.#rows(), this.#definitions);
      if (distinct) relation = this.#different(narrowed(relation, this.#outputs));
      relation = extended(relation, computed);
      if (on !== null) relation = this.#firstOfEach(relation, on, keys);
      return narrowed(this.#limited(relation, keys), this.#outputs);
    };
    return { build, columns: this.#outputs };
  }

  #sortKeys(computed: Definition[]): readonly RelationSortKey[] {
    return this.#clauses.order.flatMap((key, index) => {
      checkCount(index + 1, SORT_KEYS_MAX, 'keys in ORDER BY', key.of.position);
      if (key.bound.op === 'constant') return [];
      const output = this.#outputOf.get(keyOf(key.bound));
      if (this.#clauses.distinct && output === undefined) {
        throw sqlError('with DISTINCT, ORDER BY expressions must be in the SELECT list', key.of.position);
      }
      const of = comparable(output === undefined ? key.bound : readColumn(output), this.#clauses.scope);
      return [sortKey(key, this.#define(of, computed))];
    });
  }

  /** The expression as a column of the rows. */
  #define(of: Expression, computed: Definition[]): RelationColumn {
    const output = this.#outputOf.get(keyOf(of));
    if (output !== undefined) return { column: output.column, type: output.type };
    if (of.op === 'input') return { column: of.input, type: of.type };
    const column = this.#columns.add(of.type, PLAIN_TRAITS, 'a sort key');
    computed.push({ column: column.column, of });
    return column;
  }

  #different(input: Relation): Relation {
    const keys = this.#outputs.map(({ column, type }) => ({ column, type }));
    return { op: 'aggregate', input, keys, aggregates: [] };
  }

  /** DISTINCT ON: the first row, in the order of the keys, of each set of rows with equal values. */
  #firstOfEach(input: Relation, on: readonly RelationColumn[], keys: readonly RelationSortKey[]): Relation {
    const number = this.#columns.add(INTEGER, PLAIN_TRAITS, 'a row number');
    const numbered: Relation = {
      op: 'window',
      input,
      partition: on,
      order: keys,
      functions: [{ ...number, function: 'row-number', args: [], frame: ALL_ROWS }],
    };
    return { op: 'filter', input: numbered, condition: compareOf('=', readColumn(number), integerOf(1)) };
  }

  #limited(input: Relation, keys: readonly RelationSortKey[]): Relation {
    const { limit, offset, withTies } = this.#clauses.tail;
    const count = limit?.count ?? null;
    if (keys.length === 0 && count === null && offset === 0) return input;
    if (!withTies || count === null) return { op: 'sort', input, keys, offset, limit: count };
    const rank = this.#columns.add(INTEGER, PLAIN_TRAITS, 'a rank');
    const ranked: Relation = {
      op: 'window',
      input,
      partition: [],
      order: keys,
      functions: [{ ...rank, function: 'rank', args: [], frame: ALL_ROWS }],
    };
    const within: Expression = compareOf('<=', readColumn(rank), integerOf(offset + count));
    const chosen: Relation = { op: 'filter', input: ranked, condition: { ...within, type: BOOLEAN } };
    return { op: 'sort', input: chosen, keys, offset, limit: null };
  }
}

const ALL_ROWS = { mode: 'range', start: { at: 'first' }, end: { at: 'last' } } as const;
