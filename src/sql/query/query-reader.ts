/**
 * Parses queries by recursive descent: WITH, set operations, VALUES, parentheses, ORDER BY and LIMIT; the parts of a SELECT are
 * parsed by block.ts. Every recursion passes `nested`, so that its depth is bounded; every token is passed once.
 * Invariant: a parenthesized query without WITH, ORDER BY and LIMIT of its own is its body; other ones are 'nested'.
 */
import { ExpressionReader } from '../expression.js';
import { BLOCKS_MAX } from '../limits.js';
import { pagingFollows, type QueryPaging, readPaging } from '../paging.js';
import { sqlError } from '../sql-error.js';
import { tablePath } from '../table-name.js';
import { unexpected } from '../tokens.js';
import type { CommonTable, OrderKey, Query, QueryBody, SqlNode } from '../tree.js';
import { defaultOf } from '../write/default-value.js';
import { readBlock, type Top } from './block.js';
import { columnNamesOf } from './from.js';
import { commaList, readOrderBy } from './order-keys.js';
import { selectOf } from './select-of.js';

type SetOperator = (QueryBody & { readonly is: 'set' })['operator'];

const UNIONS: ReadonlyMap<string, SetOperator> = new Map([
  ['UNION', 'union'],
  ['EXCEPT', 'except'],
]);
const INTERSECTIONS: ReadonlyMap<string, SetOperator> = new Map([['INTERSECT', 'intersect']]);
const NO_PAGING: QueryPaging = { limit: null, withTies: false, offset: 0 };

const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);
const WRITTEN =
  'a write inside WITH is not available; send it as a statement of its own, in the same body or transaction block';

const BEGINS_TERM: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'TABLE']);

/** A body, and TOP of its only SELECT. */
interface Part {
  readonly body: QueryBody;
  readonly top: Top | null;
}

export class QueryReader extends ExpressionReader {
  #blockCount = 0;

  override query(): Query {
    const { position } = this.peek();
    const tables = this.commonTables();
    const part = this.#unions();
    const orderBy = this.isKeyword('ORDER') ? readOrderBy(this) : [];
    const paging = pagingFollows(this) ? readPaging(this) : NO_PAGING;
    const rows = limited(part, paging);
    const { body } = part;
    const plain = tables.length === 0 && orderBy.length === 0 && rows === NO_PAGING;
    if (plain && body.is === 'nested') return body.query;
    return { position, tables, body, orderBy, ...rows };
  }

  /** Parses WITH and its tables, if it follows. */
  commonTables(): readonly CommonTable[] {
    if (!this.acceptKeyword('WITH')) return [];
    const recursive = this.acceptKeyword('RECURSIVE');
    return commaList(this, () => {
      const { text: name, position } = this.expectName("a table's name");
      const columnNames = columnNamesOf(this);
      this.expectKeyword('AS');
      // Whether the table is computed once has no effect on the answer.
      if (!this.acceptKeyword('MATERIALIZED')) this.acceptKeywords('NOT', 'MATERIALIZED');
      if (!this.isSign('(')) throw unexpected(this.peek(), '(');
      if (WRITES.has(this.peek(1).upper)) throw sqlError(WRITTEN, this.peek(1).position);
      return { name, columnNames, query: this.enclosedQuery(), recursive, position };
    });
  }

  #unions(): Part {
    return this.#operations(UNIONS, () => this.#operations(INTERSECTIONS, () => this.#term()));
  }

  #operations(operators: ReadonlyMap<string, SetOperator>, operand: () => Part): Part {
    let part = operand();
    for (;;) {
      const { upper, position } = this.peek();
      const operator = operators.get(upper);
      if (operator === undefined) return part;
      this.next();
      const all = this.acceptKeyword('ALL');
      if (!all) this.acceptKeyword('DISTINCT');
      const left = bodyOf(part);
      const right = bodyOf(operand());
      part = { body: { is: 'set', operator, all, left, right, position }, top: null };
    }
  }

  #term(): Part {
    const { upper, position } = this.peek();
    if (this.isSign('(')) return { body: bodyIn(this.enclosedQuery()), top: null };
    if (!BEGINS_TERM.has(upper)) throw unexpected(this.peek(), 'SELECT, VALUES or (');
    if (++this.#blockCount > BLOCKS_MAX) {
      throw sqlError(`a statement has at most ${BLOCKS_MAX} SELECTs and VALUES`, position);
    }
    if (upper === 'TABLE') return { body: this.#wholeTable(), top: null };
    return upper === 'SELECT' ? readBlock(this) : { body: this.#values(), top: null };
  }

  /** TABLE name is SELECT * FROM name. */
  #wholeTable(): QueryBody {
    const { position } = this.next();
    const table = tablePath(this.expectName("a table's name"), this);
    const star = { is: 'star', table: null, position, parenthesized: false } as const;
    const from = { is: 'table', ...table, alias: null, columnNames: null } as const;
    return selectOf([{ of: star, alias: null }], [from], null, position).body;
  }

  #values(): QueryBody {
    const { position } = this.next();
    let width: number | null = null;
    const rows = commaList(this, () => {
      const open = this.peek();
      const row = this.#row();
      width ??= row.length;
      if (row.length === width) return row;
      throw sqlError(`this row has ${row.length} values, the first ${width}`, open.position);
    });
    return { is: 'values', rows, position };
  }

  #row(): readonly SqlNode[] {
    const { position } = this.peek();
    this.expectSign('(');
    const row = commaList(this, () => (this.isWrite ? defaultOf(this) : null) ?? this.expression());
    this.expectClosing(position);
    return row;
  }
}

/** The paging of a query, from TOP or from the clauses after it. */
function limited({ top }: Part, paging: QueryPaging): QueryPaging {
  if (top === null) return paging;
  if (paging.limit !== null) {
    throw sqlError('TOP and LIMIT cannot be used in one statement', paging.limit.position);
  }
  return { ...top, offset: paging.offset };
}

const NO_ORDER: readonly OrderKey[] = [];

/** The part as an operand of a set operation, where TOP limits this SELECT alone. */
function bodyOf({ body, top }: Part): QueryBody {
  if (top === null) return body;
  const { position } = body;
  const query: Query = { position, tables: [], body, orderBy: NO_ORDER, ...top, offset: 0 };
  return { is: 'nested', query, position };
}

/** The body of a parenthesized query. */
function bodyIn(query: Query): QueryBody {
  const { tables, body, orderBy, limit, withTies, offset, position } = query;
  const plain = tables.length === 0 && orderBy.length === 0 && limit === null && !withTies && offset === 0;
  return plain ? body : { is: 'nested', query, position };
}
