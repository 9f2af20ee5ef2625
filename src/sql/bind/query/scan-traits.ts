/** Properties of the outputs of a bound SELECT beyond their types. */
import { invariant } from '../../../base/index.js';
import type { Expression, Input, SelectPlan } from '../../../ir/index.js';
import type { Column, DatabaseModel } from '../../../schema/index.js';
import { storedLetters } from '../clauses/inputs.js';
import { lettersOf } from '../expressions/text-case.js';
import type { InputTraits } from '../scope.js';
import { PLAIN_TRAITS } from './plan-columns.js';

/** The traits of output `index` of a plan that was bound against `model`. */
export function outputTraits(plan: SelectPlan, index: number, model: DatabaseModel): InputTraits {
  const { of } = plan.outputs[index];
  const rows = new PlanInputs(plan, model);
  return plan.grouping === null ? rows.traitsOf(of) : new GroupInputs(plan.grouping, rows).traitsOf(of);
}

/** Keys and aggregates, which the outputs of a grouped plan read. */
class GroupInputs {
  readonly #grouping: NonNullable<SelectPlan['grouping']>;
  readonly #rows: PlanInputs;

  constructor(grouping: NonNullable<SelectPlan['grouping']>, rows: PlanInputs) {
    this.#grouping = grouping;
    this.#rows = rows;
  }

  traitsOf(of: Expression): InputTraits {
    return of.op === 'input' ? this.traits(of.input) : { points: false, letters: lettersOf(of, this) };
  }

  traits(input: number): InputTraits {
    const { keys, aggregates } = this.#grouping;
    if (input < keys.length) return this.#rows.traitsOf(keys[input]);
    const operand = aggregates[input - keys.length].of;
    return operand === null ? PLAIN_TRAITS : { ...this.#rows.traitsOf(operand), points: false };
  }
}

class PlanInputs {
  readonly #plan: SelectPlan;
  readonly #model: DatabaseModel;

  constructor(plan: SelectPlan, model: DatabaseModel) {
    this.#plan = plan;
    this.#model = model;
  }

  traitsOf(of: Expression): InputTraits {
    if (of.op === 'input') return this.traits(of.input);
    return { points: false, letters: lettersOf(of, this) };
  }

  traits(input: number): InputTraits {
    const { inputs, joins, dimensionId } = this.#plan;
    const own = inputs[input];
    if (own.from !== 'joined') return this.#traitsIn(dimensionId, own);
    const join = joins[own.join];
    return this.#traitsIn(join.dimensionId, join.columns[own.column]);
  }

  #traitsIn(dimensionId: number | null, input: Input): InputTraits {
    if (input.from === 'entity-id') return this.#textTraits(this.#columnOf(dimensionId, 0));
    if (input.from !== 'attribute' && input.from !== 'event-value') return PLAIN_TRAITS;
    if (input.kind === 'geo') return { ...PLAIN_TRAITS, points: true };
    return input.kind === 'code'
      ? this.#textTraits(this.#columnOf(dimensionId, input.columnId))
      : PLAIN_TRAITS;
  }

  #textTraits(column: Column): InputTraits {
    return { points: false, letters: storedLetters(column) };
  }

  #columnOf(dimensionId: number | null, columnId: number): Column {
    for (const { id, columns } of this.#model.dimensions.values()) {
      if (id !== dimensionId) continue;
      for (const column of columns.values()) if (column.id === columnId) return column;
    }
    invariant(false, 'a plan reads columns of its model');
  }
}
