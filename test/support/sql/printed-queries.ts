/** Prints queries that are not flat, in random forms, and records the source positions that the parser must find. */
import type {
  CallNode,
  FrameClause,
  FrameEdge,
  FromItem,
  GroupingElement,
  OrderKey,
  Query,
  QueryBody,
  QueryStatement,
  SelectBlock,
  SqlNode,
  WindowDefinition,
} from '../../../src/sql/index.js';
import { SqlNodePrinter } from './printed-sql-nodes.js';

type NodeOf<Is extends SqlNode['is']> = Extract<SqlNode, { readonly is: Is }>;

export class QueryPrinter extends SqlNodePrinter {
  statement(statement: QueryStatement): QueryStatement {
    const { explain } = statement;
    const begin = this.tokenCount;
    if (explain !== 'no') this.words('explain', ...(explain === 'analyze' ? ['analyze'] : []));
    const query = this.#query(statement.query);
    return { ...statement, position: this.positionOf(begin), query };
  }

  #query(query: Query): Query {
    const begin = this.tokenCount;
    const tables = query.tables.length === 0 ? [] : this.#tables(query.tables);
    const body = this.#body(query.body);
    const orderBy = this.#orderBy(query.orderBy);
    const limit = this.#paging(query);
    return { ...query, position: this.positionOf(begin), tables, body, orderBy, limit };
  }

  #tables(tables: Query['tables']): Query['tables'] {
    this.words('with', ...(tables[0].recursive ? ['recursive'] : []));
    return this.comma(tables, (table) => {
      const position = this.name(table.name);
      this.#columnNames(table.columnNames);
      this.words('as');
      if (this.random.chance(0.2)) this.words(...(this.random.chance(0.5) ? ['not'] : []), 'materialized');
      return { ...table, position, query: this.#enclosed(table.query) };
    });
  }

  #enclosed(query: Query): Query {
    this.sign('(');
    const written = this.#query(query);
    this.sign(')');
    return written;
  }

  #columnNames(names: readonly string[] | null): void {
    if (names !== null) this.#inParentheses(() => this.comma(names, (name) => this.name(name)));
  }

  #inParentheses<T>(write: () => T): T {
    this.sign('(');
    const written = write();
    this.sign(')');
    return written;
  }

  #nodes(nodes: readonly SqlNode[]): readonly SqlNode[] {
    return this.comma(nodes, (node) => this.node(node));
  }

  #optional(word: string, node: SqlNode | null): SqlNode | null {
    if (node === null) return null;
    this.words(word);
    return this.node(node);
  }

  #body(body: QueryBody): QueryBody {
    if (body.is === 'block') return this.#block(body);
    if (body.is === 'nested') {
      const query = this.#enclosed(body.query);
      return { ...body, query, position: query.position };
    }
    if (body.is === 'values') {
      const position = this.words('values');
      const row = (nodes: readonly SqlNode[]): readonly SqlNode[] =>
        this.#inParentheses(() => this.#nodes(nodes));
      return { ...body, position, rows: this.comma(body.rows, row) };
    }
    const isTight = body.operator === 'intersect';
    const left = this.#operand(body.left, isTight);
    const position = this.words(body.operator);
    if (body.all) this.words('all');
    else if (this.random.chance(0.3)) this.words('distinct');
    const isLoose = !isTight && body.right.is === 'set' && body.right.operator === 'intersect';
    return { ...body, left, position, right: this.#operand(body.right, !isLoose) };
  }

  /** Writes an operand of a set operation. `tight`: a set operation needs parentheses unless it is on the left and INTERSECT. */
  #operand(body: QueryBody, tight: boolean): QueryBody {
    const enclosed = body.is === 'set' && tight;
    if (!enclosed && !(body.is !== 'nested' && this.random.chance(0.2))) return this.#body(body);
    return this.#inParentheses(() => this.#body(body));
  }

  #block(block: SelectBlock): SelectBlock {
    const position = this.words('select');
    if (block.distinct) this.words('distinct');
    else if (this.random.chance(0.1)) this.words('all');
    let { distinctOn } = block;
    if (distinctOn !== null) {
      const keys = distinctOn;
      this.words('on');
      distinctOn = this.#inParentheses(() => this.#nodes(keys));
    }
    const items = this.comma(block.items, ({ of, alias }) => {
      const written = this.node(of);
      this.alias(alias);
      return { of: written, alias };
    });
    if (block.from.length > 0) this.words('from');
    const from = this.comma(block.from, (item) => this.#from(item));
    const where = this.#optional('where', block.where);
    if (block.groupBy.length > 0) this.words('group', 'by');
    const groupBy = this.comma(block.groupBy, (element) => this.#element(element));
    const having = this.#optional('having', block.having);
    if (block.windows.length > 0) this.words('window');
    const windows = this.comma(block.windows, ({ name, window }) => {
      this.name(name);
      this.words('as');
      return { name, window: this.#window(window) };
    });
    const qualify = this.#optional('qualify', block.qualify);
    return { ...block, position, distinctOn, items, from, where, groupBy, having, windows, qualify };
  }

  #from(item: FromItem): FromItem {
    if (item.is === 'join') return this.#join(item);
    const begin = this.tokenCount;
    if (item.is === 'table') {
      this.name(item.name);
      this.alias(item.alias);
      this.#columnNames(item.columnNames);
      return { ...item, position: this.positionOf(begin) };
    }
    if (item.is === 'function') throw new Error('functions are not generated');
    if (item.lateral) this.words('lateral');
    const query = this.#enclosed(item.query);
    this.alias(item.alias);
    this.#columnNames(item.columnNames);
    return { ...item, position: this.positionOf(begin), query };
  }

  #join(join: FromItem & { readonly is: 'join' }): FromItem {
    const { kind, natural, using } = join;
    const left = this.random.chance(0.1) ? this.#side(join.left) : this.#from(join.left);
    const begin = this.tokenCount;
    if (natural) this.words('natural');
    if (kind !== 'inner' || this.random.chance(0.5)) this.words(kind);
    if (kind !== 'inner' && kind !== 'cross' && this.random.chance(0.3)) this.words('outer');
    this.words('join');
    const right = this.#side(join.right);
    const on = this.#optional('on', join.on);
    if (using === null) return { ...join, position: this.positionOf(begin), left, right, on };
    this.words('using');
    const named = this.#inParentheses(() =>
      this.comma(using, ({ name }) => ({ name, position: this.name(name) })),
    );
    return { ...join, position: this.positionOf(begin), left, right, on, using: named };
  }

  #side(item: FromItem): FromItem {
    return item.is === 'join' ? this.#inParentheses(() => this.#from(item)) : this.#from(item);
  }

  #element(element: GroupingElement): GroupingElement {
    if (element.is === 'key') return { ...element, of: this.node(element.of) };
    const set = (keys: readonly SqlNode[]): readonly SqlNode[] =>
      keys.length === 1 ? [this.node(keys[0])] : this.#inParentheses(() => this.#nodes(keys));
    const [only] = element.sets;
    if (element.sets.length === 1 && only.length === 0) return { ...element, sets: [set(only)] };
    this.words('grouping', 'sets');
    return { ...element, sets: this.#inParentheses(() => this.comma(element.sets, set)) };
  }

  #orderBy(keys: readonly OrderKey[]): readonly OrderKey[] {
    if (keys.length === 0) return [];
    this.words('order', 'by');
    return this.comma(keys, (key) => {
      const of = this.node(key.of);
      if (key.descending) this.words('desc');
      else if (this.random.chance(0.5)) this.words('asc');
      if (key.missing !== null) this.words('nulls', key.missing);
      return { ...key, of };
    });
  }

  #paging({ limit, withTies, offset }: Query): Query['limit'] {
    const skip = (): void => {
      if (offset === 0) return;
      this.words('offset');
      this.sign(String(offset));
      if (this.random.chance(0.3)) this.words('rows');
    };
    if (limit === null) {
      skip();
      return null;
    }
    const isFirst = this.random.chance(0.5);
    if (isFirst) skip();
    const isFetch = withTies || this.random.chance(0.3);
    this.words(...(isFetch ? ['fetch', 'first'] : ['limit']));
    const position = this.sign(String(limit.count));
    if (isFetch) this.words('rows', ...(withTies ? ['with', 'ties'] : ['only']));
    if (!isFirst) skip();
    return { ...limit, position };
  }

  #window(window: WindowDefinition): WindowDefinition {
    const begin = this.tokenCount;
    return this.#inParentheses(() => {
      if (window.base !== null) this.#windowName(window.base);
      if (window.partitionBy.length > 0) this.words('partition', 'by');
      const partitionBy = this.#nodes(window.partitionBy);
      const orderBy = this.#orderBy(window.orderBy);
      const frame = window.frame === null ? null : this.#frame(window.frame);
      return { ...window, position: this.positionOf(begin), partitionBy, orderBy, frame };
    });
  }

  /** ROWS before a frame begins the frame. */
  #windowName(name: string): void {
    if (name === 'rows') this.sign('[rows]');
    else this.name(name);
  }

  #frame(frame: FrameClause): FrameClause {
    this.words(frame.mode);
    const isShort = frame.end.at === 'current' && this.random.chance(0.5);
    if (!isShort) this.words('between');
    const start = this.#edge(frame.start);
    if (!isShort) this.words('and');
    const end = isShort ? frame.end : this.#edge(frame.end);
    if (frame.exclude !== null) this.words('exclude', ...frame.exclude.split('-'));
    else if (this.random.chance(0.1)) this.words('exclude', 'no', 'others');
    return { ...frame, start, end };
  }

  #edge(edge: FrameEdge): FrameEdge {
    if ('offset' in edge) {
      const offset = this.node(edge.offset);
      this.words(edge.at);
      return { ...edge, offset };
    }
    if (edge.at === 'current') this.words('current', 'row');
    else this.words('unbounded', edge.at === 'first' ? 'preceding' : 'following');
    return edge;
  }

  protected override queryNode(node: SqlNode): SqlNode {
    switch (node.is) {
      case 'filtered': {
        const call = this.#call(node.call);
        return { ...node, call, where: this.#filter(node.where) };
      }
      case 'ordered':
        return this.#ordered(node);
      case 'over': {
        const call = this.#call(node.call);
        const where = node.where === null ? null : this.#filter(node.where);
        this.words('over');
        return { ...node, call, where, window: this.#overWindow(node.window) };
      }
      case 'subquery':
        return { ...node, query: this.#enclosed(node.query) };
      case 'exists':
        this.words('exists');
        return { ...node, query: this.#enclosed(node.query) };
      case 'in-query':
        return this.#inQuery(node);
      default:
        return super.queryNode(node);
    }
  }

  #call(call: CallNode): CallNode {
    return this.node(call) as CallNode;
  }

  #filter(where: SqlNode): SqlNode {
    this.words('filter');
    return this.#inParentheses(() => {
      this.words('where');
      return this.node(where);
    });
  }

  #ordered(node: NodeOf<'ordered'>): SqlNode {
    if (this.random.chance(0.5)) {
      const call = this.#call(node.call);
      this.words('within', 'group');
      return { ...node, call, orderBy: this.#inParentheses(() => this.#orderBy(node.orderBy)) };
    }
    const { name, distinct, args } = node.call;
    const position = this.words(name);
    return this.#inParentheses(() => {
      if (distinct) this.words('distinct');
      const call = { ...node.call, position, args: this.#nodes(args) };
      return { ...node, call, orderBy: this.#orderBy(node.orderBy) };
    });
  }

  #overWindow(window: WindowDefinition): WindowDefinition {
    const { base, partitionBy, orderBy, frame } = window;
    const isName = partitionBy.length + orderBy.length === 0 && frame === null;
    if (base === null || !isName || this.random.chance(0.5)) return this.#window(window);
    return { ...window, position: this.name(base) };
  }

  #inQuery(node: NodeOf<'in-query'>): SqlNode {
    const { comparison, quantifier, negated } = node;
    const of =
      node.of.length === 1 ? [this.node(node.of[0])] : this.#inParentheses(() => this.#nodes(node.of));
    const isIn = comparison === '=' && quantifier === 'any' && (negated || this.random.chance(0.7));
    if (isIn) this.words(...(negated ? ['not'] : []), 'in');
    else {
      this.sign(comparison);
      this.words(quantifier === 'any' && this.random.chance(0.3) ? 'some' : quantifier);
    }
    return { ...node, of, query: this.#enclosed(node.query) };
  }
}
