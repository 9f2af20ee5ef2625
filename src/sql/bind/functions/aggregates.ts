/**
 * Binds aggregates: the argument and the values over which it is aggregated. Equal aggregates are bound once.
 *   rows are entities   attributes: one value per row; events: a feed, one value per event that passes
 *   rows are events     these events: one value per row; attributes: one value per entity of a group
 */
import { type BindingTime, quoted } from '../../../base/index.js';
import { type Aggregate, type EventTest, type Expression, type Feed, inputsOf } from '../../../ir/index.js';
import { ENTITY_ID_COLUMN } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition, SqlNode } from '../../tree.js';
import { AGGREGATES_MAX, checkCount } from '../bounds.js';
import { AGGREGATE_INPUTS, type Inputs, inputExpression, isPoints } from '../clauses/inputs.js';
import { refOf } from '../clauses/items.js';
import type { Sources } from '../clauses/sources.js';
import { keyOf } from '../expressions/expression-tree.js';
import { bindScalar } from '../expressions/scalar.js';
import { lettersOf } from '../expressions/text-case.js';
import { typeName } from '../expressions/types.js';
import type { InputTraits, NodeOf, Scope } from '../scope.js';
import { operandOf } from '../where/operand.js';
import { type AggregateForm, aggregateIn, formOfCall, formType } from './aggregate-functions.js';

/** The context in which aggregates are bound. */
export interface AggregateGround {
  readonly sources: Sources;
  readonly inputs: Inputs;
  readonly nowMs: BindingTime;
  /** The event column whose events are the rows; null = rows are entities. */
  readonly rowEvents: number | null;
  /** The events of a column over which aggregates are computed. */
  eventsOf(columnId: number): EventTest;
  /** The scope of an aggregate's argument; calls `met` with every event column in it. */
  argumentScope(met: (columnId: number) => void): Scope;
}

export class Aggregates {
  readonly all: Aggregate[] = [];
  readonly feeds: EventTest[] = [];
  readonly #ground: AggregateGround;
  readonly #byKey = new Map<string, number>();
  readonly #traits: InputTraits[] = [];

  constructor(ground: AggregateGround) {
    this.#ground = ground;
  }

  traits(input: number): InputTraits {
    return this.#traits[input - AGGREGATE_INPUTS];
  }

  /** Returns the input that represents the aggregate, or null if the call is not an aggregate. Throws 6000. */
  bind(node: NodeOf<'call'>): Expression | null {
    const form = formOfCall(node);
    if (form === null) return null;
    if (form.special !== null) throw sqlError(`${form.label} is not available here`, node.position);
    const { of, events } = this.#argument(node, form);
    const feed = this.#feedOf(node, events, of);
    const type = formType(form, of?.type ?? null);
    if (type === null) {
      const found = of === null ? '*' : typeName(of.type);
      const more =
        found === 'interval' ? '; write EXTRACT(EPOCH FROM interval), which is a number of seconds' : '';
      throw sqlError(
        `${form.label} does not take ${found === 'json' ? 'lists' : found}${more}`,
        node.position,
      );
    }
    const isExtreme = form.function === 'min' || form.function === 'max';
    const distinct = (node.distinct || form.isDistinct) && of !== null && !isExtreme;
    const fraction = this.#fraction(node, form);
    return this.#add({ function: form.function, of, distinct, feed, fraction, type }, node.position);
  }

  #add(aggregate: Aggregate, position: SourcePosition): Expression {
    const key = keyOf(aggregate);
    let index = this.#byKey.get(key);
    if (index === undefined) {
      index = this.all.push(aggregate) - 1;
      checkCount(this.all.length, AGGREGATES_MAX, 'aggregates', position);
      this.#byKey.set(key, index);
      const { of } = aggregate;
      const scope = this.#ground.argumentScope(() => {});
      this.#traits.push({
        points: false,
        letters: of === null ? 'mixed' : lettersOf(of, scope),
      });
    }
    return inputExpression(aggregate.type, AGGREGATE_INPUTS + index);
  }

  /** Binds the argument and collects the event columns that it reads. */
  #argument(
    node: NodeOf<'call'>,
    form: AggregateForm,
  ): { readonly of: Expression | null; readonly events: ReadonlySet<number> } {
    const { label } = form;
    const events = new Set<number>();
    const expected = form.fraction === 'argument' ? 2 : 1;
    const [argument] = node.args;
    if (node.args.length !== expected) {
      const accepts = expected === 2 ? 'a value and a fraction' : 'one value';
      throw sqlError(`${label} takes ${accepts}, not ${node.args.length} arguments`, node.position);
    }
    if (argument.is === 'star') {
      if (form.function !== 'count' || node.distinct) {
        throw sqlError(
          `* is allowed only in COUNT(*), not in ${label}(${node.distinct ? 'DISTINCT ' : ''}*)`,
          node.position,
        );
      }
      if (argument.table !== null) this.#ground.sources.named(argument.table, argument.position);
      return { of: null, events };
    }
    const inner = aggregateIn(argument);
    if (inner !== null) throw sqlError(`${label} cannot contain another aggregate`, inner.position);
    if (form.function === 'count' && this.#isOnEach(argument, node.distinct, events)) {
      return { of: null, events };
    }
    const of = bindScalar(
      argument,
      this.#ground.argumentScope((columnId) => events.add(columnId)),
    );
    this.#refusePoints(of, argument);
    const isThere = of.op === 'constant' && of.value !== null && !node.distinct;
    return { of: form.function === 'count' && isThere ? null : of, events };
  }

  #refusePoints(of: Expression, { position }: SqlNode): void {
    if (of.op !== 'input' || !this.#ground.inputs.traits(of.input).points) return;
    throw sqlError('geolocation queries are not available through SQL', position);
  }

  /** Whether every counted row has a value of the column (with DISTINCT: a different one), so that COUNT is COUNT(*). */
  #isOnEach(argument: SqlNode, distinct: boolean, events: Set<number>): boolean {
    const ref = refOf(argument, this.#ground.sources);
    if (ref?.is !== 'column' || ref.source.index !== 0) return false;
    if (ref.part === 'attribute') return ref.column.apiName === ENTITY_ID_COLUMN;
    if (ref.part === 'value' && isPoints(ref.column)) return false;
    if (!distinct) events.add(ref.column.id);
    return !distinct;
  }

  #feedOf(node: NodeOf<'call'>, events: ReadonlySet<number>, of: Expression | null): Feed {
    const { rowEvents, inputs } = this.#ground;
    if (events.size > 1) {
      throw sqlError('an aggregate can read the events of only one column', node.position);
    }
    const [columnId] = events;
    if (rowEvents !== null) {
      if (columnId === undefined) return 'entities';
      if (columnId === rowEvents) return 'rows';
      const what = 'if the rows are the events of one column, aggregates cannot read the events of another';
      throw sqlError(what, node.position);
    }
    if (columnId === undefined) return 'rows';
    for (const input of of === null ? [] : inputsOf(of)) {
      const { from } = inputs.rows[input];
      if (from === 'event-value' || from === 'event-date') continue;
      const { name } = inputs.named(input);
      throw sqlError(`an aggregate over events cannot also read ${quoted(name)}`, node.position);
    }
    return this.#feed(this.#ground.eventsOf(columnId));
  }

  #feed(event: EventTest): number {
    const key = keyOf(event);
    const at = this.feeds.findIndex((other) => keyOf(other) === key);
    return at === -1 ? this.feeds.push(event) - 1 : at;
  }

  #fraction(node: NodeOf<'call'>, form: AggregateForm): number | null {
    if (form.fraction !== 'argument') return form.fraction;
    const [, argument] = node.args;
    const operand = operandOf(argument, this.#ground.sources, this.#ground.nowMs);
    const fraction = operand?.is === 'number' ? Number(operand.text) : Number.NaN;
    if (fraction >= 0 && fraction <= 1) return fraction;
    throw sqlError(`the second argument of ${form.label} must be a number from 0 to 1`, argument.position);
  }
}
