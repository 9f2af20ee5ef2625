/**
 * Rewrites expressions over rows and aggregates to expressions over groups. A subexpression that equals a key becomes that
 * key. Other expressions that read rows are refused or, if every entity is a group, become keys.
 */
import { type Expression, inputsOf } from '../../../ir/index.js';
import { replaceIn } from '../expressions/expression-tree.js';
import { KeyParts, ungrouped } from '../expressions/key-parts.js';
import { AGGREGATE_INPUTS, type Inputs, inputExpression, isAggregateInput } from './inputs.js';

export class GroupKeys {
  readonly all: Expression[] = [];
  readonly #parts = new KeyParts();

  add(expression: Expression): void {
    if (this.#parts.find(expression) !== null) return;
    this.#parts.add(expression);
    this.all.push(expression);
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
    return this.#parts.replaced(
      expression,
      (key, part) => (part.op === 'constant' ? null : inputExpression(this.all[key].type, key)),
      (part) => {
        if (part.op !== 'input') return null;
        if (isAggregateInput(part.input)) {
          return inputExpression(part.type, this.all.length + part.input - AGGREGATE_INPUTS);
        }
        const { name, position } = inputs.named(part.input);
        throw ungrouped(name, position);
      },
    );
  }
}
