/**
 * Rewrites expressions over rows and aggregates to expressions over groups. A subexpression that equals a key becomes that
 * key. Other expressions that read rows are refused or, if every entity is a group, become keys.
 */
import { quoted } from '../../../base/index.js';
import { childrenOf, type Expression, inputsOf } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { keyOf, replaceIn } from '../expressions/expression-tree.js';
import { AGGREGATE_INPUTS, type Inputs, inputExpression, isAggregateInput } from './inputs.js';

export class GroupKeys {
  readonly all: Expression[] = [];
  readonly #byKey = new Map<string, number>();
  /** Node counts of the keys. An expression of another size equals no key, so its text need not be built. */
  readonly #sizes = new Set<number>();
  readonly #sizeOf = new WeakMap<Expression, number>();

  add(expression: Expression): void {
    const key = keyOf(expression);
    if (this.#byKey.has(key)) return;
    this.#byKey.set(key, this.all.push(expression) - 1);
    this.#sizes.add(this.#size(expression));
  }

  /** For a grouping by entity: adds the largest subexpressions of `expression` that read rows as keys. */
  addRowParts(expression: Expression): void {
    replaceIn(expression, (part) => {
      const inputs = [...inputsOf(part)];
      if (inputs.length === 0) return part;
      if (inputs.some(isAggregateInput)) return null;
      this.add(part);
      return part;
    });
  }

  /**
   * Rewrites `expression` over the groups; no keys may be added afterwards. Throws 6000 for parts that are neither key nor
   * aggregate.
   */
  over(expression: Expression, inputs: Inputs): Expression {
    return replaceIn(expression, (part) => {
      if (part.op === 'constant') return null;
      const key = this.#find(part);
      if (key !== null) return key;
      if (part.op === 'call' && part.name === 'concat-strict') return this.#afterKey(part, inputs);
      if (part.op !== 'input') return null;
      if (isAggregateInput(part.input)) {
        return inputExpression(part.type, this.all.length + part.input - AGGREGATE_INPUTS);
      }
      const { name, position } = inputs.named(part.input);
      throw sqlError(`${quoted(name)} must be in GROUP BY or in an aggregate`, position);
    });
  }

  /** The group input of a key; null = the expression is not a key. */
  #find(expression: Expression): Expression | null {
    const key = this.#sizes.has(this.#size(expression)) ? this.#byKey.get(keyOf(expression)) : undefined;
    return key === undefined ? null : inputExpression(expression.type, key);
  }

  /** a || b || c is (a || b) || c, although stored as one list: finds the longest prefix that is a key; null = none. */
  #afterKey(texts: Expression & { readonly op: 'call' }, inputs: Inputs): Expression | null {
    for (let count = texts.args.length - 1; count > 1; count--) {
      const key = this.#find({ ...texts, args: texts.args.slice(0, count) });
      if (key === null) continue;
      const rest = texts.args.slice(count).map((text) => this.over(text, inputs));
      return { ...texts, args: [key, ...rest] };
    }
    return null;
  }

  #size(expression: Expression): number {
    let size = this.#sizeOf.get(expression);
    if (size === undefined) {
      size = 1;
      for (const child of childrenOf(expression)) size += this.#size(child);
      this.#sizeOf.set(expression, size);
    }
    return size;
  }
}
