/** The columns of one relation plan: their numbers, and the properties beyond their type that binding needs. */
import type { Expression, RelationColumn } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';
import type { InputTraits } from '../scope.js';

/** A column of a bound query. */
export interface OutputColumn extends RelationColumn {
  readonly name: string;
  /** The constant that the column has in every row, which still takes the type of another operand; null = none. */
  readonly constant: Expression | null;
}

interface Known {
  readonly traits: InputTraits;
  /** The name in the statement, for messages. */
  readonly name: string;
}

export const PLAIN_TRAITS: InputTraits = { points: false, letters: 'mixed' };

export class PlanColumns {
  readonly #known: Known[] = [];

  /** A column with a new number. */
  add(type: SqlType, traits: InputTraits, name: string): RelationColumn {
    return { column: this.#known.push({ traits, name }) - 1, type };
  }

  traits(column: number): InputTraits {
    return this.#known[column].traits;
  }

  nameOf(column: number): string {
    return this.#known[column].name;
  }
}

/** The column without the properties that only binding needs. */
export const plainColumn = ({ column, type }: RelationColumn): RelationColumn => ({ column, type });
