/**
 * The tables that a statement reads, at any depth, found by its words: what stands behind FROM, JOIN, TABLE and the commas between
 * tables. Functions there, subselects and the names that WITH gives are no tables.
 */
import { isSign, type Token } from '../sql/index.js';

export interface NamedTable {
  /** In lower case; null = none is written. */
  readonly schema: string | null;
  /** As written. */
  readonly name: string;
}

export interface TableNames {
  readonly tables: readonly NamedTable[];
  /** Whether there is a FROM of a SELECT, whatever stands behind it. */
  readonly hasFrom: boolean;
}

/** What stands between a pair of parentheses, or outside of all. */
interface Frame {
  hasSelect: boolean;
  /** Between FROM and the clause behind it. */
  isFrom: boolean;
  expectsTable: boolean;
  /** Between WITH and the statement behind it. */
  isWith: boolean;
  isRecursive: boolean;
  /** Of WITH, when its body has begun. */
  begun: string | null;
  /** Names of tables of WITH, in lower case. */
  readonly given: string[];
}

const newFrame = (isFrom: boolean): Frame => ({
  hasSelect: false,
  isFrom,
  expectsTable: isFrom,
  isWith: false,
  isRecursive: false,
  begun: null,
  given: [],
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
  /** How often each name is given in the frames that are open. */
  readonly #given = new Map<string, number>();
  #hasFrom = false;
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  run(): TableNames {
    while (this.#at < this.#tokens.length) {
      this.#take(this.#tokens[this.#at], this.#frames[this.#frames.length - 1]);
    }
    return { tables: this.#tables, hasFrom: this.#hasFrom };
  }

  #take(token: Token, frame: Frame): void {
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

  /** EXTRACT(DAY FROM x) and IS DISTINCT FROM x have no clause. */
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
      for (const name of this.#frames.pop()?.given ?? []) this.#given.set(name, this.#countOf(name) - 1);
    }
    const frame = this.#frames[this.#frames.length - 1];
    // A table of WITH is known to what stands behind it.
    if (frame.begun === null || !frame.isWith) return;
    this.#give(frame.begun, frame);
    frame.begun = null;
  }

  #give(name: string, frame: Frame): void {
    frame.given.push(name);
    this.#given.set(name, this.#countOf(name) + 1);
  }

  #countOf(name: string): number {
    return this.#given.get(name) ?? 0;
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
      if (frame.isRecursive) this.#give(name, frame);
      frame.begun = name;
    }
  }

  /** The name in lower case; the list of columns behind it is passed. */
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
    const isGiven = schema === null && this.#countOf(name.toLowerCase()) > 0;
    if (!isGiven) this.#tables.push({ schema, name });
  }
}
