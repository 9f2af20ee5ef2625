/** The clauses of one SELECT: binds the expressions of each, after the kind of rows has been determined (shape.ts). */
import type { BindingTime } from '../../../base/index.js';
import { ALL_EVENTS, BOOLEAN, type EventTest, type Expression, inputsOf } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { SqlNode } from '../../tree.js';
import { checkCount, STATEMENT_NODES_MAX } from '../bounds.js';
import { constantOf, junctionOf } from '../expressions/build.js';
import { nodeCount } from '../expressions/expression-tree.js';
import { bucketOf, type IntervalNode, intervalArgument, intervalOf } from '../expressions/interval.js';
import { bindCondition, bindScalar } from '../expressions/scalar.js';
import { Aggregates } from '../functions/aggregates.js';
import { nodesOf } from '../nodes.js';
import type { NodeOf, Scope } from '../scope.js';
import { overlap } from '../where/events.js';
import type { PredicateForms } from '../where/predicate.js';
import type { WhereRead } from '../where/reader.js';
import { scoreOf } from '../where/score.js';
import { type ClauseGround, type ClauseRules, ClauseScope } from './clause-scope.js';
import { type Inputs, isAggregateInput } from './inputs.js';
import { aliasesOf, type Item, refOf } from './items.js';
import type { GroupNode } from './order.js';
import type { Shape } from './shape.js';
import type { ColumnRef, Sources } from './sources.js';

/** The state that the clauses of a statement share. */
export interface Statement {
  readonly sources: Sources;
  readonly inputs: Inputs;
  readonly nowMs: BindingTime;
  readonly items: readonly Item[];
  readonly shape: Shape;
  readonly where: WhereRead;
}

export class Clauses {
  readonly aggregates: Aggregates;
  /** Builds the expressions of WHERE. */
  readonly forms: PredicateForms;
  readonly orderScope: Scope;
  readonly #statement: Statement;
  readonly #ground: ClauseGround;
  readonly #scopes: Readonly<Record<'key' | 'item' | 'having', Scope>>;
  readonly #outputs: (Expression | undefined)[] = [];
  /** Intervals of GROUP BY by the name of their column. */
  readonly #intervals = new Map<string, Expression>();
  #nodes = 0;

  constructor(statement: Statement) {
    const { sources, inputs, nowMs, items, shape } = statement;
    this.#statement = statement;
    const rowEvents = shape.rowEvents?.id ?? null;
    const own = { sources, inputs, nowMs, rowEvents };
    this.aggregates = new Aggregates({
      ...own,
      eventsOf: (columnId) => this.eventsOf(columnId),
      argumentScope: (met) => this.#argumentScope(met),
    });
    this.#ground = {
      ...own,
      aggregateTraits: (input) => this.aggregates.traits(input),
      score: () => this.#score(),
    };
    const aliases = new Map(
      [...aliasesOf(items)].map(([alias, index]) => [alias, () => this.output(index)] as const),
    );
    const rules = (clause: string, prefers: ClauseRules['prefers'], behind: boolean): ClauseScope =>
      new ClauseScope(this.#ground, {
        clause,
        aliases,
        prefers,
        aggregate: behind ? (node) => this.aggregates.bind(node) : null,
        events: null,
        interval: behind ? (node) => this.#intervalNamed(node) : null,
      });
    this.#scopes = {
      key: rules('GROUP BY', 'column', false),
      item: rules('SELECT', 'unknown', true),
      having: rules('HAVING', 'column', true),
    };
    this.orderScope = rules('ORDER BY', 'alias', true);
    const whereScope = rules('WHERE', 'refused', false);
    this.forms = {
      ofCondition: (condition) => inputs.condition(condition),
      ofNode: (node) => this.#weighed(bindCondition(node, whereScope), node),
      not: (member) => ({ op: 'not', type: BOOLEAN, member }),
      join: junctionOf,
      constant: (truth) => constantOf(BOOLEAN, truth),
    };
  }

  /** The events of a column over which groups and aggregates are computed: those that pass the conditions of WHERE and HAVING. */
  eventsOf(columnId: number): EventTest {
    const top = this.#statement.where.events.get(columnId);
    if (top === undefined) return { columnId, window: ALL_EVENTS, tests: [] };
    const { listed, own } = top;
    if (listed.tests.length > 0 || own.length !== 1) return listed;
    return { ...own[0], window: overlap(own[0].window, listed.window) };
  }

  /** Binds item `index` of SELECT. */
  output(index: number): Expression {
    let output = this.#outputs[index];
    if (output === undefined) {
      const { node, ref } = this.#statement.items[index];
      output =
        ref?.is === 'column' && ref.part === 'attribute'
          ? this.#statement.inputs.column(ref, node.position)
          : this.#bind(node, this.#scopes.item);
      this.#outputs[index] = output;
    }
    return output;
  }

  /** Binds a key of GROUP BY. Throws 6000. */
  key({ node, item }: GroupNode): Expression {
    const interval = intervalOf(node);
    let key: Expression;
    if (interval !== null) key = this.#interval(interval);
    else key = item === null ? this.#bind(node, this.#scopes.key) : this.output(item);
    const { inputs } = this.#statement;
    const read = [...inputsOf(key)];
    if (read.some(isAggregateInput)) throw sqlError('aggregates are not allowed in GROUP BY', node.position);
    if (key.op === 'input' && inputs.traits(key.input).points) {
      throw sqlError('geolocation queries are not available through SQL', node.position);
    }
    return key;
  }

  having(node: SqlNode): Expression {
    return this.#weighed(bindCondition(node, this.#scopes.having), node);
  }

  order(node: SqlNode): Expression {
    return this.#bind(node, this.orderScope);
  }

  #bind(node: SqlNode, scope: Scope): Expression {
    const interval = intervalOf(node);
    return interval === null
      ? this.#weighed(bindScalar(node, scope), node)
      : this.#intervalNamed(interval.call);
  }

  /** Adds the expression to the statement's node count, which may exceed the number of nodes in the text. */
  #weighed(expression: Expression, { position }: SqlNode): Expression {
    this.#nodes += nodeCount(expression, STATEMENT_NODES_MAX);
    checkCount(this.#nodes, STATEMENT_NODES_MAX, 'parts of expressions in the statement', position);
    return expression;
  }

  #score(): Expression {
    const { where, sources } = this.#statement;
    const isScore = (node: SqlNode): boolean => refOf(node, sources)?.is === 'score';
    return scoreOf(where, this.forms, (node) => [...nodesOf(node)].some(isScore));
  }

  #argumentScope(met: (columnId: number) => void): Scope {
    return new ClauseScope(this.#ground, {
      clause: 'an aggregate',
      aliases: new Map(),
      prefers: 'unknown',
      aggregate: null,
      events: ({ column }: ColumnRef) => met(column.id),
      interval: null,
    });
  }

  #interval(interval: IntervalNode): Expression {
    const date = this.#intervalDate(intervalArgument(interval.call));
    const bucket = bucketOf(date.of, interval);
    if (!this.#intervals.has(date.name)) this.#intervals.set(date.name, bucket);
    return bucket;
  }

  /** Resolves INTERVAL in another clause to the interval of GROUP BY. Throws 6000 if GROUP BY has none of that column. */
  #intervalNamed(call: NodeOf<'call'>): Expression {
    const argument = intervalArgument(call);
    const found = this.#intervals.get(this.#intervalDate(argument).name);
    if (found !== undefined) return found;
    throw sqlError(`INTERVAL must be in GROUP BY, as INTERVAL([column.value]) = 'days'`, call.position);
  }

  /** The date of an interval: for an event column, the date of its events. */
  #intervalDate(node: NodeOf<'column'>): { readonly of: Expression; readonly name: string } {
    const { sources, inputs } = this.#statement;
    const ref = sources.resolve(node);
    if (ref.is === 'column' && ref.part !== 'attribute' && ref.source.index === 0) {
      if (ref.column.id === this.#ground.rowEvents) {
        const date: ColumnRef = { ...ref, part: 'date' };
        return { of: inputs.column(date, node.position), name: String(ref.column.id) };
      }
    }
    const of = this.#scopes.key.column(node);
    return { of, name: node.name.toLowerCase() };
  }
}
