/**
 * Finds the tables that a statement reads, at any depth, from its tokens: names after FROM, JOIN, TABLE and the commas between
 * tables. Function calls, subselects and names defined by WITH are not tables.
 */
import { isSign, type Token } from '../../../sql/index.js';

export interface NamedTable {
  /** In lower case; null = unqualified. */
  readonly schema: string | null;
  /** As written. */
  readonly name: string;
}

export interface TableNames {
  readonly tables: readonly NamedTable[];
  /** Whether a SELECT has a FROM clause. */
  readonly hasFrom: boolean;
}

/** The state within a pair of parentheses, or outside of all. */
interface Frame {
  hasSelect: boolean;
  /** Between FROM and the next clause. */
  isFrom: boolean;
  expectsTable: boolean;
  /** Between WITH and its main statement. */
  isWith: boolean;
  isRecursive: boolean;
  /** The name of the WITH query whose body is being read. */
  pendingName: string | null;
  /** Names defined by WITH, in lower case. */
  readonly declared: string[];
}

const newFrame = (isFrom: boolean): Frame => ({
  hasSelect: false,
  isFrom,
  expectsTable: isFrom,
  isWith: false,
  isRecursive: false,
  pendingName: null,
  declared: [],
});

const ENDS_FROM: ReadonlySet<string> = new Set([
  ...['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH', 'FOR', 'WINDOW'],
  ...['UNION', 'INTERSECT', 'EXCEPT'],
]);
const BEGINS_QUERY: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE']);

export const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'bracketed';

export function tableNames(tokens: readonly Token[]): TableNames {
  return new Search(tokens).run();
}

class Search {
  readonly #tokens: readonly Token[];
  readonly #tables: NamedTable[] = [];
  readonly #frames: Frame[] = [newFrame(false)];
  /** Number of definitions of each name in the open frames. */
  readonly #declared = new Map<string, number>();
  #hasFrom = false;
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  run(): TableNames {
    while (this.#at < this.#tokens.length) {
      this.#visit(this.#tokens[this.#at], this.#frames[this.#frames.length - 1]);
    }
    return { tables: this.#tables, hasFrom: this.#hasFrom };
  }

  #visit(token: Token, frame: Frame): void {
    const { upper } = token;
    if (isSign(token, '(')) this.#open(frame);
    else if (isSign(token, ')')) this.#close();
    else if (isSign(token, ',')) frame.expectsTable = frame.isFrom;
    else if (upper === 'FROM' && this.#isClause(frame)) this.#from(frame);
    else if (upper === 'JOIN') frame.expectsTable = frame.isFrom;
    else if (upper === 'WITH' && !frame.hasSelect) frame.isWith = true;
    else if (upper === 'SELECT') {
      Object.assign(frame, { hasSelect: true, isFrom: false, expectsTable: false, isWith: false });
    } else if (upper === 'TABLE' && !frame.hasSelect) frame.expectsTable = true;
    else if (ENDS_FROM.has(upper)) Object.assign(frame, { isFrom: false, expectsTable: false });
    else if (frame.isWith) this.#with(token, frame);
    else if (frame.expectsTable && isName(token)) {
      this.#table(token, frame);
      return;
    }
    this.#at++;
  }

  /** Whether FROM begins a clause, unlike in EXTRACT(DAY FROM x) and IS DISTINCT FROM x. */
  #isClause({ hasSelect }: Frame): boolean {
    const before = this.#tokens[this.#at - 1]?.upper;
    const beforeThat = this.#tokens[this.#at - 2]?.upper;
    return hasSelect && !(before === 'DISTINCT' && (beforeThat === 'IS' || beforeThat === 'NOT'));
  }

  #from(frame: Frame): void {
    this.#hasFrom = true;
    Object.assign(frame, { isFrom: true, expectsTable: true });
  }

  #open(frame: Frame): void {
    const next = this.#tokens[this.#at + 1]?.upper ?? '';
    const isJoined = frame.expectsTable && !BEGINS_QUERY.has(next);
    frame.expectsTable = false;
    this.#frames.push(newFrame(isJoined));
  }

  #close(): void {
    if (this.#frames.length > 1) {
      for (const name of this.#frames.pop()?.declared ?? [])
        this.#declared.set(name, this.#countOf(name) - 1);
    }
    const frame = this.#frames[this.#frames.length - 1];
    // A WITH query is visible after its definition.
    if (frame.pendingName === null || !frame.isWith) return;
    this.#declare(frame.pendingName, frame);
    frame.pendingName = null;
  }

  #declare(name: string, frame: Frame): void {
    frame.declared.push(name);
    this.#declared.set(name, this.#countOf(name) + 1);
  }

  #countOf(name: string): number {
    return this.#declared.get(name) ?? 0;
  }

  /** name [(columns)] AS [[NOT] MATERIALIZED] ( */
  #with(token: Token, frame: Frame): void {
    const before = this.#tokens[this.#at - 1];
    if (token.upper === 'RECURSIVE' && before?.upper === 'WITH') frame.isRecursive = true;
    else if (
      isName(token) &&
      (before?.upper === 'WITH' || before?.upper === 'RECURSIVE' || isSign(before, ','))
    ) {
      const name = this.#columnsBehind(token);
      if (frame.isRecursive) this.#declare(name, frame);
      frame.pendingName = name;
    }
  }

  /** Returns the name in lower case and skips the list of columns after it. */
  #columnsBehind({ text }: Token): string {
    if (isSign(this.#tokens[this.#at + 1], '(')) {
      while (this.#at < this.#tokens.length - 1 && !isSign(this.#tokens[this.#at], ')')) this.#at++;
    }
    return text.toLowerCase();
  }

  #table(token: Token, frame: Frame): void {
    const next = this.#tokens[this.#at + 1];
    const isPrefix =
      token.upper === 'ONLY' ||
      token.upper === 'LATERAL' ||
      (token.upper === 'ROWS' && next?.upper === 'FROM');
    this.#at++;
    if (isPrefix) return;
    const parts = [token.text];
    while (isSign(this.#tokens[this.#at], '.') && this.#at + 1 < this.#tokens.length) {
      parts.push(this.#tokens[this.#at + 1].text);
      this.#at += 2;
    }
    frame.expectsTable = false;
    if (isSign(this.#tokens[this.#at], '(')) return;
    const name = parts[parts.length - 1];
    const schema = parts.length > 1 ? parts[parts.length - 2].toLowerCase() : null;
    const isDeclared = schema === null && this.#countOf(name.toLowerCase()) > 0;
    if (!isDeclared) this.#tables.push({ schema, name });
  }
}
