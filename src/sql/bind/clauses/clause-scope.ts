/** The meaning of names in each clause of a SELECT: columns, aliases, aggregates, the pseudo-column `score`, INTERVAL. */
import { type BindingTime, quoted } from '../../../base/index.js';
import { constantOf, type Expression, TEXT } from '../../../ir/index.js';
import { ENTITY_ID_COLUMN, lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import { isAggregate } from '../functions/aggregate-functions.js';
import type { InputTraits, NodeOf, QueryNode, Scope } from '../scope.js';
import { type Inputs, isAggregateInput } from './inputs.js';
import { type ColumnRef, nameOfRef, type Ref, type Sources } from './sources.js';

/** The context that the clauses of one SELECT share. */
export interface ClauseGround {
  readonly sources: Sources;
  readonly inputs: Inputs;
  readonly nowMs: BindingTime;
  /** The event column whose events are the rows; null = rows are entities. */
  readonly rowEvents: number | null;
  /** The traits of inputs that represent aggregates. */
  aggregateTraits(input: number): InputTraits;
  score(): Expression;
}

export interface ClauseRules {
  /** The name of the clause in messages. */
  readonly clause: string;
  /** Bound items of SELECT by their aliases, in lower case. */
  readonly aliases: ReadonlyMap<string, () => Expression>;
  /**
   * Whether a column or an alias of the same name is preferred. refused: an alias is an error that names the clause. unknown:
   * aliases are not visible.
   */
  readonly prefers: 'column' | 'alias' | 'refused' | 'unknown';
  /** null = the clause does not allow aggregates. */
  readonly aggregate: ((node: NodeOf<'call'>) => Expression | null) | null;
  /** Called with every event column; null = the clause allows only the event column of the rows. */
  readonly events: ((ref: ColumnRef) => void) | null;
  /** Binds INTERVAL(...); null = the clause does not allow it. */
  readonly interval: ((node: NodeOf<'call'>) => Expression) | null;
}

export class ClauseScope implements Scope {
  readonly nowMs: BindingTime;
  readonly #ground: ClauseGround;
  readonly #rules: ClauseRules;

  constructor(ground: ClauseGround, rules: ClauseRules) {
    this.#ground = ground;
    this.#rules = rules;
    this.nowMs = ground.nowMs;
  }

  column(node: NodeOf<'column'>): Expression {
    return this.#named(node) ?? this.#ofRef(this.#ground.sources.resolve(node), node);
  }

  string(node: NodeOf<'string'>): Expression | null {
    return this.#named(node);
  }

  call(node: NodeOf<'call'>): Expression | null {
    if (isAggregate(node)) {
      if (this.#rules.aggregate !== null) return this.#rules.aggregate(node);
      const what = `${node.name.toUpperCase()} is an aggregate; aggregates are not allowed in ${this.#rules.clause}`;
      throw sqlError(this.#rules.clause === 'WHERE' ? `${what}; use HAVING` : what, node.position);
    }
    if (node.name !== 'interval') return null;
    if (this.#rules.interval !== null) return this.#rules.interval(node);
    throw sqlError(`INTERVAL must be in GROUP BY, as INTERVAL([column.value]) = 'days'`, node.position);
  }

  /** The entity ID of the rows. */
  rowIdentity(position: SourcePosition): Expression | null {
    const { sources, inputs, rowEvents } = this.#ground;
    const { fact } = sources;
    if (fact === null) return constantOf(TEXT, '');
    if (rowEvents !== null) return null;
    const [id] = sources.attributes(fact);
    if (id?.apiName !== ENTITY_ID_COLUMN) return null;
    return inputs.column({ is: 'column', source: fact, column: id, part: 'attribute' }, position);
  }

  query(node: QueryNode): Expression {
    const what = `subqueries and window functions are not allowed in ${this.#rules.clause} of this statement`;
    throw sqlError(what, node.position);
  }

  traits(input: number): InputTraits {
    return isAggregateInput(input) ? this.#ground.aggregateTraits(input) : this.#ground.inputs.traits(input);
  }

  /** Returns the column or alias of that name, or null if there is none. */
  #named(node: NodeOf<'column'> | NodeOf<'string'>): Expression | null {
    const { prefers } = this.#rules;
    const alias = this.#aliasOf(node);
    if (alias !== null && prefers === 'alias') return alias();
    const ref = this.#ground.sources.lookUp(node);
    if (ref !== null) return this.#ofRef(ref, node);
    if (alias === null) return null;
    if (prefers === 'column') return alias();
    const name = quoted(node.is === 'column' ? node.name : node.text);
    const what = `${name} is an alias; aliases are not allowed in ${this.#rules.clause}: repeat the expression there`;
    throw sqlError(what, node.position);
  }

  #aliasOf(node: NodeOf<'column'> | NodeOf<'string'>): (() => Expression) | null {
    if (this.#rules.prefers === 'unknown' || (node.is === 'column' && node.table !== null)) return null;
    const name = node.is === 'column' ? node.name : node.text;
    return this.#rules.aliases.get(lowerCase(name)) ?? null;
  }

  #ofRef(ref: Ref, { position }: NodeOf<'column'> | NodeOf<'string'>): Expression {
    if (ref.is === 'score') return this.#ground.score();
    if (ref.part === 'attribute') return this.#ground.inputs.column(ref, position);
    const name = quoted(nameOfRef(ref));
    if (ref.source.index !== 0) {
      throw sqlError(
        `${name} is an event column of a joined table; only events of the first table can be read`,
        position,
      );
    }
    if (this.#rules.events !== null) this.#rules.events(ref);
    else if (ref.column.id !== this.#ground.rowEvents) throw sqlError(this.#eventsError(name), position);
    return this.#ground.inputs.column(ref, position);
  }

  #eventsError(name: string): string {
    const { clause } = this.#rules;
    return clause === 'WHERE'
      ? `${name} is an event column: WHERE compares its values with constants, texts by =, <>, IN and LIKE, and its date by =, <, <=, >, >= and BETWEEN`
      : `${name} is an event column: in ${clause} it must also be in GROUP BY, or in an aggregate`;
  }
}
