/** The grouping of a query block: its keys, its aggregates, and expressions over them. */
import {
  constantOf,
  type Definition,
  type Expression,
  INTEGER,
  type Relation,
  type RelationAggregate,
  type RelationColumn,
  readColumn,
} from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import { AGGREGATES_MAX, checkCount } from '../bounds.js';
import { keyOf } from '../expressions/expression-tree.js';
import { KeyParts, ungrouped } from '../expressions/key-parts.js';
import { lettersOf } from '../expressions/text-case.js';
import type { Scope } from '../scope.js';
import type { BoundAggregate } from './aggregate-arguments.js';
import { extended } from './build.js';
import { PLAIN_TRAITS, type PlanColumns } from './plan-columns.js';

/** Keys of one GROUPING. */
const GROUPING_KEYS_MAX = 31;

/** The column of GROUPING(keys). */
export interface GroupingColumn extends RelationColumn {
  readonly keys: readonly RelationColumn[];
}

export class Groups {
  readonly keys: RelationColumn[] = [];
  /** Whether keys are missing in some groups, so that even a constant key is not the constant. */
  hasSets = false;
  readonly #columns: PlanColumns;
  readonly #keyParts = new KeyParts();
  readonly #aggregates: RelationAggregate[] = [];
  readonly #groupings: GroupingColumn[] = [];
  readonly #aggregateOf = new Map<string, RelationColumn>();
  /** The computed keys and arguments. */
  readonly #definitions: Definition[] = [];
  readonly #defined = new Map<string, RelationColumn>();

  constructor(columns: PlanColumns) {
    this.#columns = columns;
  }

  /** Adds a key; `isOwn`: it is a column of the block's rows, which remains the same column. */
  addKey(expression: Expression, isOwn: boolean, scope: Scope): RelationColumn {
    const known = this.#keyOf(expression);
    if (known !== undefined) return known;
    const column =
      expression.op === 'input' && isOwn
        ? { column: expression.input, type: expression.type }
        : this.#define(expression, scope);
    this.#keyParts.add(expression);
    this.keys.push(column);
    return column;
  }

  #keyOf(expression: Expression): RelationColumn | undefined {
    const number = this.#keyParts.find(expression);
    return number === null ? undefined : this.keys[number];
  }

  addAggregate(bound: Omit<BoundAggregate, 'finish'>, scope: Scope, position: SourcePosition): Expression {
    const { letters, of, ...aggregate } = bound;
    const key = keyOf({ ...aggregate, of });
    let column = this.#aggregateOf.get(key);
    if (column === undefined) {
      checkCount(this.#aggregates.length + 1, AGGREGATES_MAX, 'aggregates', position);
      column = this.#columns.add(aggregate.type, { points: false, letters }, aggregate.function);
      const operand = of === null ? null : this.#define(of, scope);
      this.#aggregates.push({ ...aggregate, ...column, of: operand });
      this.#aggregateOf.set(key, column);
    }
    return readColumn(column);
  }

  /**
   * GROUPING(key, ...): one bit per key, the last key's bit lowest, which is 1 in groups of sets without the key. Throws 6000 for
   * an argument that is not a key.
   */
  addGrouping(keys: readonly Expression[], position: SourcePosition): Expression {
    const columns = keys.map((key) => this.#keyOf(key));
    if (columns.length === 0 || columns.length > GROUPING_KEYS_MAX || columns.includes(undefined)) {
      throw sqlError(`GROUPING takes 1 to ${GROUPING_KEYS_MAX} keys of GROUP BY`, position);
    }
    if (!this.hasSets) return constantOf(INTEGER, 0n);
    const column = this.#columns.add(INTEGER, PLAIN_TRAITS, 'grouping');
    this.#groupings.push({ ...column, keys: columns as RelationColumn[] });
    return readColumn(column);
  }

  #define(expression: Expression, scope: Scope): RelationColumn {
    const key = keyOf(expression);
    const known = this.#defined.get(key);
    if (known !== undefined) return known;
    const traits = { ...PLAIN_TRAITS, letters: lettersOf(expression, scope) };
    const column = this.#columns.add(expression.type, traits, 'an expression');
    this.#definitions.push({ column: column.column, of: expression });
    this.#defined.set(key, column);
    return column;
  }

  /**
   * The expression over groups: parts that equal a key become that key. Throws 6000 for other parts that read `rows`, the
   * columns of the block's rows.
   */
  over(expression: Expression, rows: ReadonlySet<number>, position: SourcePosition): Expression {
    return this.#keyParts.replaced(
      expression,
      (key, part) => (part.op === 'constant' && !this.hasSets ? null : readColumn(this.keys[key])),
      (part) => {
        if (part.op === 'input' && rows.has(part.input)) throw this.#ungrouped(part.input, position);
        return null;
      },
    );
  }

  /** Throws 6000 if a subquery of the block reads a column that has no single value in a group. */
  checkRead(expression: Expression, position: SourcePosition): void {
    if (expression.op === 'input' && !this.keys.some(({ column }) => column === expression.input)) {
      throw this.#ungrouped(expression.input, position);
    }
  }

  #ungrouped(column: number, position: SourcePosition): Error {
    return ungrouped(this.#columns.nameOf(column), position);
  }

  build(input: Relation): Relation {
    return {
      op: 'aggregate',
      input: extended(input, this.#definitions),
      keys: this.keys,
      aggregates: this.#aggregates,
    };
  }

  /** The computed keys and operands, and the aggregates, for groupings of several sets. */
  get parts(): {
    readonly definitions: readonly Definition[];
    readonly aggregates: readonly RelationAggregate[];
    readonly groupings: readonly GroupingColumn[];
  } {
    const [definitions, aggregates, groupings] = [this.#definitions, this.#aggregates, this.#groupings];
    return { definitions, aggregates, groupings };
  }
}
