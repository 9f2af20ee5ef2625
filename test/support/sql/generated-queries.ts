/** Generated trees of queries that are not flat, with every kind of node. Source positions are meaningless. */
import type {
  CallNode,
  CommonTable,
  FrameEdge,
  FromItem,
  GroupingElement,
  OrderKey,
  Query,
  QueryBody,
  QueryStatement,
  SelectBlock,
  SelectItem,
  SqlNode,
  WindowDefinition,
} from '../../../src/sql/index.js';
import { NOWHERE, SqlGenerator } from './generated-sql.js';

const bare = { position: NOWHERE, parenthesized: false } as const;
const NAMES = ['a', 'b c', 'date', 'offset', 'fetch', 'Top', 'ünion', 'x]y', 'over', 'filter', 'rows'];
const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
const KINDS = ['inner', 'left', 'right', 'full', 'cross'] as const;
const EDGES = ['first', 'preceding', 'current', 'following', 'last'] as const;

export class QueryGenerator extends SqlGenerator {
  statement(): QueryStatement {
    const explain = this.random.pick(['no', 'no', 'plan', 'analyze'] as const);
    return { is: 'query', position: NOWHERE, explain, query: this.query(3) };
  }

  override node(depth: number, strength = 1): SqlNode {
    if (depth === 0 || !this.random.chance(0.15)) return withoutQuery(super.node(depth, strength));
    const node = this.#queryNode(depth - 1);
    const isLoose = node.is === 'in-query' && strength > 4;
    return { ...node, parenthesized: node.is !== 'subquery' && (isLoose || this.random.chance(0.1)) };
  }

  query(depth: number): Query {
    const { random } = this;
    const recursive = random.chance(0.3);
    const tables =
      depth > 0 && random.chance(0.2) ? this.some(2, () => this.#common(depth - 1, recursive)) : [];
    const body = this.#body(depth);
    const limit = this.maybe(0.3, () => ({ count: random.below(100), position: NOWHERE }));
    const clauses = {
      orderBy: random.chance(0.3) ? this.some(2, () => this.#key(depth)) : [],
      limit,
      withTies: limit !== null && random.chance(0.3),
      offset: random.chance(0.2) ? 1 + random.below(9) : 0,
    };
    const isPlain = tables.length + clauses.orderBy.length + clauses.offset === 0 && limit === null;
    if (isPlain && body.is === 'nested') return body.query;
    return { position: NOWHERE, tables, body, ...clauses };
  }

  #common(depth: number, recursive: boolean): CommonTable {
    const columnNames = this.maybe(0.4, () => this.some(3, () => this.#name()));
    return { name: this.#name(), columnNames, query: this.query(depth), recursive, position: NOWHERE };
  }

  #body(depth: number): QueryBody {
    const { random } = this;
    const kind = random.below(10);
    if (depth === 0 || kind < 6) return this.#block(depth);
    if (kind === 6) {
      const width = random.between(1, 3);
      const row = (): SqlNode[] => Array.from({ length: width }, () => this.node(1));
      return { is: 'values', rows: this.some(3, row), position: NOWHERE };
    }
    if (kind === 7) {
      const query = { ...this.query(depth - 1), offset: 1 + random.below(9) };
      return { is: 'nested', query, position: NOWHERE };
    }
    const operator = random.pick(['union', 'intersect', 'except'] as const);
    const [left, right] = [this.#body(depth - 1), this.#body(depth - 1)];
    return { is: 'set', operator, all: random.chance(0.5), left, right, position: NOWHERE };
  }

  #block(depth: number): SelectBlock {
    const { random } = this;
    const distinct = random.chance(0.3);
    return {
      is: 'block',
      position: NOWHERE,
      distinct,
      distinctOn: distinct && random.chance(0.5) ? this.some(2, () => this.node(depth)) : null,
      items: this.some(3, () => this.#item(depth)),
      from: random.chance(0.2) ? [] : this.some(2, () => this.#from(depth)),
      where: this.maybe(0.4, () => this.node(depth)),
      groupBy: random.chance(0.7) ? [] : this.some(2, () => this.#element(depth)),
      having: this.maybe(0.2, () => this.node(depth)),
      windows: random.chance(0.8)
        ? []
        : this.some(2, () => ({ name: this.#name(), window: this.#window(depth) })),
      qualify: this.maybe(0.1, () => this.node(depth)),
    };
  }

  #item(depth: number): SelectItem {
    const { random } = this;
    if (!random.chance(0.15)) return { of: this.node(depth), alias: this.maybe(0.4, () => this.#name()) };
    return { of: { is: 'star', table: this.maybe(0.5, () => this.#name()), ...bare }, alias: null };
  }

  #from(depth: number): FromItem {
    const { random } = this;
    const alias = this.maybe(0.5, () => this.#name());
    const columnNames = alias === null ? null : this.maybe(0.3, () => this.some(2, () => this.#name()));
    const kind = depth === 0 ? 0 : random.below(5);
    if (kind < 2) return { is: 'table', name: this.#name(), alias, position: NOWHERE, columnNames };
    if (kind === 2) {
      const query = this.query(depth - 1);
      return { is: 'derived', query, alias, columnNames, lateral: random.chance(0.3), position: NOWHERE };
    }
    const [left, right] = [this.#from(depth - 1), this.#from(depth - 1)];
    const joined = random.pick(KINDS);
    const natural = joined !== 'cross' && random.chance(0.2);
    const isOn = joined !== 'cross' && !natural;
    const onNames = isOn && random.chance(0.3);
    const using = onNames ? this.some(2, () => ({ name: this.#name(), position: NOWHERE })) : null;
    const on = isOn && !onNames ? this.node(depth) : null;
    return { is: 'join', kind: joined, left, right, natural, using, on, position: NOWHERE };
  }

  #element(depth: number): GroupingElement {
    if (this.random.chance(0.6)) return { is: 'key', of: this.node(depth) };
    const set = (): SqlNode[] => (this.random.chance(0.3) ? [] : this.some(3, () => this.node(1)));
    return { is: 'sets', sets: this.some(3, set) };
  }

  #key(depth: number): OrderKey {
    const missing = this.random.pick([null, null, 'first', 'last'] as const);
    return { of: this.node(depth), descending: this.random.chance(0.5), missing };
  }

  #window(depth: number): WindowDefinition {
    const { random } = this;
    const [from, to] = [random.below(5), random.below(5)].sort();
    const isFramed = random.chance(0.4) && from < 4 && to > 0;
    return {
      base: this.maybe(0.3, () => this.#name()),
      partitionBy: random.chance(0.5) ? [] : this.some(2, () => this.node(depth)),
      orderBy: random.chance(0.5) ? [] : this.some(2, () => this.#key(depth)),
      frame: isFramed
        ? {
            mode: random.pick(['rows', 'range', 'groups'] as const),
            start: this.#edge(EDGES[from]),
            end: this.#edge(EDGES[to]),
            exclude: random.pick([null, 'current-row', 'group', 'ties'] as const),
          }
        : null,
      position: NOWHERE,
    };
  }

  #edge(at: FrameEdge['at']): FrameEdge {
    if (at !== 'preceding' && at !== 'following') return { at };
    return { at, offset: this.node(1, 5) };
  }

  #queryNode(depth: number): SqlNode {
    const { random } = this;
    switch (random.below(7)) {
      case 0:
        return { is: 'filtered', call: this.#call(depth), where: this.node(depth), ...bare };
      case 1:
        return {
          is: 'ordered',
          call: this.#call(depth),
          orderBy: this.some(2, () => this.#key(depth)),
          ...bare,
        };
      case 2:
      case 3: {
        const where = this.maybe(0.3, () => this.node(depth));
        return { is: 'over', call: this.#call(depth), where, window: this.#window(depth), ...bare };
      }
      case 4:
        return { is: 'exists', query: this.query(depth), ...bare };
      case 5:
        return { is: 'subquery', query: this.query(depth), ...bare };
      default:
        return this.#inQuery(depth);
    }
  }

  #inQuery(depth: number): SqlNode {
    const { random } = this;
    const negated = random.chance(0.3);
    const of = random.chance(0.3)
      ? [this.node(depth), ...this.some(2, () => this.node(depth))]
      : [this.node(depth, 5)];
    return {
      is: 'in-query',
      of,
      comparison: negated ? '=' : random.pick(COMPARISONS),
      quantifier: negated ? 'any' : random.pick(['any', 'all'] as const),
      negated,
      query: this.query(depth),
      ...bare,
    };
  }

  #call(depth: number): CallNode {
    const args = this.some(2, () => this.node(depth));
    const distinct = this.random.chance(0.3);
    return { is: 'call', name: this.random.pick(['sum', 'string_agg', 'rank']), args, distinct, ...bare };
  }

  #name(): string {
    return this.random.pick(NAMES);
  }
}

/** A single subquery in the list of IN is not a value, but the query of IN. */
function withoutQuery(node: SqlNode): SqlNode {
  if (node.is !== 'in' || node.values.length > 1 || node.values[0].is !== 'subquery') return node;
  return { ...node, values: [{ is: 'null', ...bare }] };
}
