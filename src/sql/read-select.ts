/**
 * Parses SELECT statements: passes the skeleton to the statement parser and converts its result, with the expressions inserted,
 * to our tree. Any part of the result that our tree cannot represent is refused by name, never dropped.
 */
import { quoted } from '../base/index.js';
import { ExpressionReader } from './expression.js';
import { fieldOf, parseStatement, unknownFields } from './parser.js';
import { unexpectedAfter } from './query/clause-order.js';
import { NO_STAR, TOTALS } from './refusals.js';
import { type Skeleton, type SkeletonPart, skeletonOf } from './skeleton.js';
import { sqlError } from './sql-error.js';
import { type Token, unexpected } from './tokens.js';
import type { JoinClause, SelectItem, SelectStatement, SqlNode, TableName } from './tree.js';

const CONTINUATION = 'a comma, the next clause or the end of the statement';
const IN_ORDER = /^(FROM|INNER JOIN|LEFT JOIN|WHERE|GROUP BY|HAVING|ORDER BY)$/;
const CLAUSES = 'FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT';

/** `tokens` are those of a flat statement, at most PARSER_TOKENS_MAX, and begin with SELECT or EXPLAIN. */
export function readSelect(tokens: readonly Token[]): SelectStatement {
  const reader = new ExpressionReader(tokens);
  const { position } = reader.peek();
  const explain = explainOf(reader);
  if (!reader.isKeyword('SELECT'))
    throw unexpected(reader.peek(), 'SELECT, the only statement that can be explained,');
  const skeleton = skeletonOf(reader);
  const answered = parseStatement(skeleton.text);
  if ('failedAt' in answered) throw failure(skeleton, answered.failedAt);
  return { is: 'select', position, explain, ...new SelectParts(skeleton).read(answered.statement) };
}

function explainOf(reader: ExpressionReader): SelectStatement['explain'] {
  if (!reader.acceptKeyword('EXPLAIN')) return 'no';
  return reader.acceptKeyword('ANALYZE') ? 'analyze' : 'plan';
}

function failure({ tokens, end }: Skeleton, failedAt: number | null): Error {
  const word = failedAt === null ? tokens[0] : tokens.findLast(({ from }) => from <= failedAt);
  const ended = failedAt !== null && tokens.every(({ from, text }) => from + text.length <= failedAt);
  const token = word === undefined || ended ? end : word.token;
  const before = ended ? tokens.at(-1) : tokens.findLast(({ from }) => from < (word?.from ?? 0));
  if (failedAt === null) return sqlError('the statement cannot be read', token.position);
  if (word === undefined || ended || !IN_ORDER.test(word.text)) {
    return unexpectedAfter(before?.token, token, CONTINUATION);
  }
  return sqlError(
    `${word.text} is not allowed here; the clauses of a SELECT have this order: ${CLAUSES}`,
    token.position,
  );
}

class SelectParts {
  readonly #skeleton: Skeleton;

  constructor(skeleton: Skeleton) {
    this.#skeleton = skeleton;
  }

  read(statement: unknown): Omit<SelectStatement, 'is' | 'position' | 'explain'> {
    const { limit, offset } = this.#skeleton;
    const known = ['type', 'distinct', 'columns', 'from', 'where', 'groupby', 'having', 'orderby'];
    this.#refuseUnknown(statement, known);
    if (fieldOf(statement, 'type') !== 'select') throw this.#notAvailable('this statement');
    const groupBy = fieldOf(statement, 'groupby');
    if (groupBy !== null) this.#refuseUnknown(groupBy, ['columns']);
    const [from, ...joined] = this.#list(statement, 'from');
    return {
      distinct: fieldOf(statement, 'distinct') !== null,
      items: this.#list(statement, 'columns').map((item) => this.#item(item)),
      from: from === undefined ? null : this.#table(from, []),
      joins: joined.map((join) => this.#join(join)),
      where: this.#optional(fieldOf(statement, 'where')),
      groupBy: this.#list(groupBy, 'columns').map((column) => this.#expression(column)),
      having: this.#optional(fieldOf(statement, 'having')),
      orderBy: this.#list(statement, 'orderby').map((key) => this.#orderKey(key)),
      limit,
      offset,
    };
  }

  #item(item: unknown): SelectItem {
    this.#refuseUnknown(item, ['expr', 'as']);
    const of = this.#leaf(fieldOf(item, 'expr')).node;
    const alias = this.#alias(fieldOf(item, 'as'));
    if (of.is === 'star' && alias !== null) throw sqlError('* cannot have an alias', of.position);
    return { of, alias };
  }

  #orderKey(key: unknown): SelectStatement['orderBy'][number] {
    this.#refuseUnknown(key, ['expr', 'type']);
    const of = this.#expression(fieldOf(key, 'expr'));
    return { of, descending: fieldOf(key, 'type') === 'DESC', missing: null };
  }

  #table(table: unknown, more: readonly string[]): TableName {
    this.#refuseUnknown(table, ['table', 'as', ...more]);
    const { node, first } = this.#part(fieldOf(table, 'table'));
    if (node.is === 'star') throw sqlError(TOTALS, node.position);
    const name = nameOf(node, false);
    if (name === null) throw unexpected(first, "a table's name, alone,");
    return { name, alias: this.#alias(fieldOf(table, 'as')), position: node.position };
  }

  #join(join: unknown): JoinClause {
    const kind = fieldOf(join, 'join');
    const { first } = this.#part(fieldOf(join, 'table'));
    const table = this.#table(join, ['join', 'on']);
    const on = this.#optional(fieldOf(join, 'on'));
    if (on === null) throw sqlError(`the JOIN of ${quoted(table.name)} lacks ON`, first.position);
    if (kind !== 'INNER JOIN' && kind !== 'LEFT JOIN') throw this.#notAvailable(String(kind));
    return { table, kind: kind === 'LEFT JOIN' ? 'left' : 'inner', on };
  }

  #alias(word: unknown): string | null {
    if (word === null) return null;
    const { node, first, afterAs } = this.#part(word);
    const name = nameOf(node, afterAs);
    if (name === null) throw unexpected(first, afterAs ? 'a name' : CONTINUATION);
    return name;
  }

  #optional(node: unknown): SqlNode | null {
    return node === null ? null : this.#expression(node);
  }

  #expression(node: unknown): SqlNode {
    const { node: expression } = this.#leaf(node);
    if (expression.is === 'star') {
      throw sqlError(NO_STAR, expression.position);
    }
    return expression;
  }

  /** The part that a column of the skeleton represents. */
  #leaf(node: unknown): SkeletonPart {
    this.#refuseUnknown(node, ['type', 'column']);
    if (fieldOf(node, 'type') !== 'column_ref') throw this.#notAvailable(String(fieldOf(node, 'type')));
    return this.#part(fieldOf(node, 'column'));
  }

  #part(word: unknown): SkeletonPart {
    const index = typeof word === 'string' && /^q\d+$/.test(word) ? Number(word.slice(1)) : -1;
    const part = this.#skeleton.parts[index];
    if (part === undefined) throw this.#notAvailable(String(word));
    return part;
  }

  #list(node: unknown, key: string): readonly unknown[] {
    const list = fieldOf(node, key);
    if (list === null) return [];
    if (!Array.isArray(list)) throw this.#notAvailable(key);
    return list;
  }

  #refuseUnknown(node: unknown, known: readonly string[]): void {
    const [unknown] = unknownFields(node, known);
    if (unknown !== undefined) throw this.#notAvailable(unknown);
  }

  /** The error for a construct that the statement parser accepts and our tree does not support. */
  #notAvailable(what: string): Error {
    return sqlError(`${quoted(what)} is not available in a SELECT`, this.#skeleton.tokens[0].token.position);
  }
}

/** The name if the part is a single name, otherwise null. */
function nameOf(node: SqlNode, singleQuotes: boolean): string | null {
  if (node.parenthesized) return null;
  if (node.is === 'column' && node.table === null) return node.name;
  const quotedName = node.is === 'string' && (node.quotes === 'double' || singleQuotes) && node.text !== '';
  return quotedName ? node.text : null;
}
