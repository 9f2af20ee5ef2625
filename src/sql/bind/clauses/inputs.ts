/**
 * The inputs of the expressions of one SELECT. During binding, input i is `rows[i]`, and aggregates are inputs from
 * AGGREGATE_INPUTS on; grouped-plan.ts replaces them by the final input numbers of the plan.
 */
import { BOOLEAN, type Condition, type Expression, INTEGER, type Input, TEXT } from '../../../ir/index.js';
import { baseTypeOf, type Column, ENTITY_ID_COLUMN, valueKindOf } from '../../../schema/index.js';
import type { SourcePosition } from '../../tree.js';
import { checkCount, INPUTS_MAX } from '../bounds.js';
import { DATETIME } from '../expressions/build.js';
import { keyOf } from '../expressions/expression-tree.js';
import { itemTypeOf, sqlTypeOf } from '../expressions/types.js';
import type { InputTraits, TextLetters } from '../scope.js';
import { type ColumnRef, nameOfRef } from './sources.js';

/** Inputs below this number are inputs of rows. */
export const AGGREGATE_INPUTS = 2 ** 20;

export const isAggregateInput = (input: number): boolean => input >= AGGREGATE_INPUTS;

interface Known {
  readonly traits: InputTraits;
  /** The name in the statement; null = a condition. */
  readonly name: string | null;
  /** The last source position that refers to it. */
  position: SourcePosition | null;
}

export class Inputs {
  readonly rows: Input[] = [];
  /** The columns that are read of each join's dimension. */
  readonly joined: Input[][] = [];
  readonly #known: Known[] = [];
  readonly #byKey = new Map<string, number>();

  /** The input for a column. Throws 6000 if there are too many. */
  column(ref: ColumnRef, position: SourcePosition): Expression {
    const name = nameOfRef(ref);
    const traits = traitsOf(ref);
    const own = inputOf(ref);
    if (ref.source.index === 0) return this.#add(own, traits, name, position);
    const join = ref.source.index - 1;
    const requested = this.joined[join];
    const key = keyOf(own);
    const at = requested.findIndex((other) => keyOf(other) === key);
    const column = at === -1 ? requested.push(own) - 1 : at;
    return this.#add({ type: own.type, from: 'joined', join, column }, traits, name, position);
  }

  /** The input that is true if the row's entity satisfies a condition. */
  condition(condition: Condition): Expression {
    const traits: InputTraits = { points: false, letters: 'mixed' };
    return this.#add({ type: BOOLEAN, from: 'condition', condition }, traits, null, null);
  }

  traits(input: number): InputTraits {
    return this.#known[input].traits;
  }

  /** Describes an input of rows, for messages. */
  named(input: number): { readonly name: string; readonly position: SourcePosition | null } {
    const { name, position } = this.#known[input];
    return { name: name ?? 'a condition', position };
  }

  #add(input: Input, traits: InputTraits, name: string | null, position: SourcePosition | null): Expression {
    const key = keyOf(input);
    let index = this.#byKey.get(key);
    if (index === undefined) {
      index = this.rows.push(input) - 1;
      checkCount(this.rows.length, INPUTS_MAX, 'columns in the statement', position);
      this.#byKey.set(key, index);
      this.#known.push({ traits, name, position });
    } else this.#known[index].position = position;
    return { op: 'input', type: input.type, input: index };
  }
}

function inputOf({ column, part }: ColumnRef): Input {
  if (part === 'date') return { type: DATETIME, from: 'event-date', columnId: column.id };
  const columnId = column.id;
  if (part === 'link') return { type: INTEGER, from: 'event-link', columnId };
  const kind = valueKindOf(column.type);
  const type = sqlTypeOf(column);
  if (part === 'value') return { type, from: 'event-value', columnId, kind };
  if (column.apiName === ENTITY_ID_COLUMN) return { type: TEXT, from: 'entity-id' };
  if (column.storage !== 'list-of-values') return { type, from: 'attribute', columnId, kind };
  return { type, from: 'list', columnId, kind, itemType: itemTypeOf(column) };
}

function traitsOf({ column, part }: ColumnRef): InputTraits {
  const hasValue = part !== 'date' && part !== 'link';
  const points = hasValue && isPoints(column);
  const isText = hasValue && sqlTypeOf(column).type === 'text';
  return { points, letters: isText ? storedLetters(column) : 'mixed' };
}

export function isPoints({ type }: Column): boolean {
  return baseTypeOf(type) === 'geolocation';
}

export { inputExpression } from '../../../ir/index.js';

/** The letters of a string column's values, or of entity IDs. */
export const storedLetters = ({ textCase }: Column): TextLetters =>
  textCase === 'preserve' ? 'preserved' : 'lower';
