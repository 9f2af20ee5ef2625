/** Parses FROM: tables, derived tables and joins, separated by commas. */
import { JOINS_MAX } from '../limits.js';
import { TOTALS } from '../refusals.js';
import { sqlError } from '../sql-error.js';
import { tablePath } from '../table-name.js';
import { isReserved, type TokenReader } from '../token-reader.js';
import { type Token, unexpected } from '../tokens.js';
import type { FromItem, SourcePosition } from '../tree.js';
import { isItemAlias, readAlias } from './alias.js';
import { commaList } from './order-keys.js';
import { returnsItems } from './row-functions.js';
import { itemsTable } from './unnest.js';

type Join = Extract<FromItem, { readonly is: 'join' }>;

const ALONE = "a table's name, alone,";
const SIDES: ReadonlyMap<string, Join['kind']> = new Map([
  ['LEFT', 'left'],
  ['RIGHT', 'right'],
  ['FULL', 'full'],
]);

export function readFrom(reader: TokenReader): readonly FromItem[] {
  const tables = new TableReader(reader);
  return commaList(reader, () => tables.joined());
}

/** Parses the column names in `t (a, b)`; null if there are none. */
export function columnNamesOf(reader: TokenReader): readonly string[] | null {
  const open = reader.peek();
  if (!reader.acceptSign('(')) return null;
  const names = commaList(reader, () => reader.expectName("a column's name").text);
  reader.expectClosing(open.position);
  return names;
}

class TableReader {
  readonly #reader: TokenReader;
  #count = 0;

  constructor(reader: TokenReader) {
    this.#reader = reader;
  }

  /** Parses a table and the joins that follow it. */
  joined(): FromItem {
    let left = this.#table();
    for (;;) {
      const join = this.#join(left);
      if (join === null) return left;
      left = join;
    }
  }

  #join(left: FromItem): FromItem | null {
    const reader = this.#reader;
    const { position } = reader.peek();
    const kind = joinAhead(reader);
    if (kind === null) return null;
    const natural = reader.acceptKeyword('NATURAL');
    while (!reader.acceptKeyword('JOIN')) {
      if (!JOIN_WORDS.has(reader.peek().upper)) throw unexpected(reader.peek(), 'JOIN');
      reader.next();
    }
    const right = this.#table(position);
    const join = { is: 'join', kind, left, right, natural, using: null, on: null, position } as const;
    if (natural || kind === 'cross') return join;
    // a JOIN b JOIN c ON ... ON ...
    const nested = reader.isKeyword('ON') || reader.isKeyword('USING') ? right : this.#innerJoins(right);
    return this.#condition({ ...join, right: nested });
  }

  #innerJoins(first: FromItem): FromItem {
    const reader = this.#reader;
    return reader.nested(reader.peek().position, () => {
      let left = first;
      for (;;) {
        if (reader.isKeyword('ON') || reader.isKeyword('USING')) return left;
        const join = this.#join(left);
        if (join === null) return left;
        left = join;
      }
    });
  }

  #condition(join: Join): FromItem {
    const reader = this.#reader;
    if (reader.acceptKeyword('ON')) return { ...join, on: reader.expression() };
    if (!reader.isKeyword('USING')) throw unexpected(reader.peek(), 'ON or USING');
    reader.next();
    const open = reader.peek();
    reader.expectSign('(');
    const using = commaList(reader, () => {
      const { text: name, position } = reader.expectName("a column's name");
      return { name, position };
    });
    reader.expectClosing(open.position);
    return { ...join, using };
  }

  /** `join`: where the join begins of which the table is the right side. */
  #table(join: SourcePosition | null = null): FromItem {
    const reader = this.#reader;
    const { position } = reader.peek();
    if (++this.#count > JOINS_MAX + 1) {
      throw sqlError(`a SELECT joins at most ${JOINS_MAX} tables`, join ?? position);
    }
    const isCall = reader.peek(1).kind === 'word' && reader.isSign('(', 2);
    const lateral = reader.isKeyword('LATERAL') && (isCall || reader.isSign('(', 1));
    if (lateral) reader.next();
    if (lateral && isCall) return this.#named();
    if (reader.isQueryAhead()) {
      const query = reader.enclosedQuery();
      const alias = readAlias(reader, isTableAlias);
      const columnNames = alias === null ? null : columnNamesOf(reader);
      return { is: 'derived', query, alias, columnNames, lateral, position };
    }
    if (lateral) throw unexpected(reader.peek(1), 'SELECT');
    return reader.isSign('(') ? this.#enclosed() : this.#named();
  }

  /** Parses a join in parentheses. */
  #enclosed(): FromItem {
    const reader = this.#reader;
    const open = reader.next();
    this.#count--;
    const item = reader.nested(open.position, () => this.joined());
    if (item.is !== 'join') throw unexpected(open, ALONE);
    if (!reader.acceptSign(')')) throw unexpected(reader.peek(), 'JOIN or )');
    const alias = reader.peek();
    if (readAlias(reader, isTableAlias) === null) return item;
    throw sqlError('a join in parentheses cannot have a name; write (SELECT ...) name', alias.position);
  }

  #named(): FromItem {
    const reader = this.#reader;
    const token = reader.peek();
    const { position } = token;
    if (reader.isSign('*')) throw sqlError(TOTALS, position);
    if (!isName(token) || joinAhead(reader) !== null) throw unexpected(token, 'a table');
    reader.next();
    if (reader.isSign('(')) return this.#call(token);
    const table = tablePath(token, reader);
    const alias = readAlias(reader, isTableAlias);
    const columnNames = alias === null ? null : columnNamesOf(reader);
    return { is: 'table', ...table, alias, columnNames };
  }

  /** Parses a function that returns rows, after its name. */
  #call({ text: name, position }: Token): FromItem {
    const reader = this.#reader;
    const open = reader.next();
    const args = reader.isSign(')') ? [] : commaList(reader, () => reader.expression());
    reader.expectClosing(open.position);
    const ofItems = returnsItems(name);
    const withOrdinality = ofItems && reader.acceptKeywords('WITH', 'ORDINALITY');
    if (reader.isKeyword('WITH') && reader.isKeyword('ORDINALITY', 1)) {
      throw sqlError('WITH ORDINALITY is not available; use ROW_NUMBER() OVER ()', reader.peek().position);
    }
    const alias = readAlias(reader, isTableAlias);
    const columnNames = alias === null ? null : columnNamesOf(reader);
    if (ofItems) return itemsTable(name, args, { alias, columnNames, position }, withOrdinality);
    return { is: 'function', name, args, alias, columnNames, position };
  }
}

const isName = (token: Token): boolean =>
  token.kind === 'bracketed' ||
  (token.kind === 'double' && token.text !== '') ||
  (token.kind === 'word' && !isReserved(token));

const JOIN_WORDS: ReadonlySet<string> = new Set(['INNER', 'CROSS', 'LEFT', 'RIGHT', 'FULL', 'OUTER']);
const NATURAL_WORDS: ReadonlySet<string> = new Set(['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL']);

/** The kind of the join that follows; null = none. */
function joinAhead(reader: TokenReader): Join['kind'] | null {
  const { upper } = reader.peek();
  if (upper === 'NATURAL') {
    const word = reader.peek(1).upper;
    return NATURAL_WORDS.has(word) ? (SIDES.get(word) ?? 'inner') : null;
  }
  if (upper === 'JOIN' || upper === 'INNER') return 'inner';
  const outer = reader.isKeyword('JOIN', 1) || reader.isKeyword('OUTER', 1);
  if (upper === 'CROSS') return reader.isKeyword('JOIN', 1) ? 'cross' : null;
  return outer ? (SIDES.get(upper) ?? null) : null;
}

function isTableAlias(reader: TokenReader): boolean {
  const usesColumns = reader.isKeyword('USING') && reader.isSign('(', 1);
  return isItemAlias(reader) && joinAhead(reader) === null && !usesColumns;
}
