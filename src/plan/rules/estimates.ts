/** Estimated numbers of rows. */
import { columnsOf, type JoinKey, type Relation, type RelationOf } from '../../ir/index.js';
import { fractionOf, type Statistics, scanRows } from './statistics.js';

/** Fraction of left rows that have a match, if nothing else is known. */
const MATCHED = 0.5;
/** The assumed number of values of a series whose bounds are not constant. */
const SERIES_ROWS = 100;
/** The assumed number of rows that a round of a recursive relation reads, and of rounds. */
const WORKING_ROWS = 100;
const ROUNDS = 10;

interface DistinctValues {
  readonly count: number;
  /** Whether the values are assumed to be unique in their table. */
  readonly isUnique: boolean;
}

export class Estimates {
  readonly #statistics: Statistics;
  readonly #tables: readonly Relation[];
  readonly #rows = new Map<Relation, number>();

  constructor(statistics: Statistics, tables: readonly Relation[]) {
    this.#statistics = statistics;
    this.#tables = tables;
  }

  /** The rows of a relation, at least 1. */
  rows(relation: Relation): number {
    const known = this.#rows.get(relation);
    if (known !== undefined) return known;
    const rows = Math.max(1, this.#estimate(relation));
    this.#rows.set(relation, rows);
    return rows;
  }

  #estimate(relation: Relation): number {
    switch (relation.op) {
      case 'scan':
        return scanRows(relation.plan, this.#statistics);
      case 'shared':
        return this.rows(this.#tables[relation.table]);
      case 'received':
      case 'question':
        return 1_000;
      case 'working':
        return WORKING_ROWS;
      case 'recursive':
        return this.rows(relation.left) * ROUNDS;
      case 'values':
        return relation.rows.length;
      case 'filter':
        return this.rows(relation.input) * fractionOf(relation.condition);
      case 'project':
      case 'window':
        return this.rows(relation.input);
      case 'series':
        return this.rows(relation.input) * seriesRows(relation);
      case 'aggregate':
        return relation.keys.length === 0 ? 1 : this.rows(relation.input) ** 0.75;
      case 'sort':
        return Math.min(this.rows(relation.input), relation.limit ?? Number.POSITIVE_INFINITY);
      case 'set': {
        const [left, right] = [this.rows(relation.left), this.rows(relation.right)];
        if (relation.operator === 'union') return left + right;
        return relation.operator === 'intersect' ? Math.min(left, right) : left;
      }
      case 'join':
        return this.#join(relation);
    }
  }

  #join({ kind, left, right, keys, condition }: RelationOf<'join'>): number {
    const rows = this.rows(left);
    switch (kind) {
      case 'inner':
        return this.joined(left, right, keys) * fractionOf(condition);
      case 'left':
        return Math.max(rows, this.joined(left, right, keys) * fractionOf(condition));
      case 'full':
        return rows + this.rows(right);
      case 'semi':
      case 'anti':
        return rows * MATCHED;
      default:
        return rows;
    }
  }

  /** The rows of an inner join by keys. */
  joined(left: Relation, right: Relation, keys: readonly JoinKey[]): number {
    let rows = this.rows(left) * this.rows(right);
    keys.forEach((key, index) => {
      const sides = [this.#distinct(left, key.left), this.#distinct(right, key.right)];
      const repeated = sides.flatMap((side) => (side?.isUnique === false ? [side.count] : []));
      const unique = sides.flatMap((side) => (side?.isUnique === true ? [side.count] : []));
      // If both columns seem unique, the column with fewer values is assumed to be the key and the other to refer to
      // it.
      const distinct =
        repeated.length > 0
          ? Math.max(...repeated)
          : unique.length > 0
            ? Math.min(...unique)
            : Math.max(this.rows(left), this.rows(right));
      // Further keys usually depend on the first.
      rows /= index === 0 ? distinct : Math.sqrt(distinct);
    });
    return Math.max(1, rows);
  }

  /** Whether the rows of `left` are at least this share of the values of each key on the right. */
  haveMostKeys(left: Relation, right: Relation, keys: readonly JoinKey[], share: number): boolean {
    return keys.every((key) => {
      const values = this.#distinct(right, key.right);
      return values !== null && this.rows(left) >= values.count * share;
    });
  }

  /** The different values of a column before its table was filtered; null = not known. */
  #distinct(relation: Relation, column: number): DistinctValues | null {
    switch (relation.op) {
      case 'scan': {
        const { plan, columns } = relation;
        const of = plan.outputs[columns.findIndex((one) => one.column === column)]?.of;
        if (of?.op !== 'input' || plan.grouping !== null || plan.dimensionId === null) return null;
        const input = plan.inputs[of.input];
        const count = this.#statistics.rows(plan.dimensionId);
        if (input.from === 'entity-id') return { count, isUnique: true };
        if (input.from !== 'attribute') return null;
        const repeated = this.#statistics.distinctValues(plan.dimensionId, input.columnId);
        return repeated === null ? { count, isUnique: true } : { count: repeated, isUnique: false };
      }
      case 'filter':
      case 'sort':
      case 'window':
      case 'series':
        return this.#distinct(relation.input, column);
      case 'project': {
        const of = relation.columns.find((one) => one.column === column)?.of;
        return of?.op === 'input' ? this.#distinct(relation.input, of.input) : null;
      }
      case 'aggregate':
        return relation.keys.length === 1 && relation.keys[0].column === column
          ? { count: this.rows(relation), isUnique: true }
          : null;
      case 'join': {
        const isLeft = columnsOf(relation.left).some((one) => one.column === column);
        return this.#distinct(isLeft ? relation.left : relation.right, column);
      }
      default:
        return null;
    }
  }
}

/** The values of a series per input row. */
function seriesRows({ first, last, step, months }: RelationOf<'series'>): number {
  const [from, to, by] = [first, last, step].map((of) => (of.op === 'constant' ? Number(of.value) : null));
  if (from === null || to === null || by === null || by === 0 || months !== 0) return SERIES_ROWS;
  return Math.max(0, Math.floor((to - from) / by) + 1);
}
