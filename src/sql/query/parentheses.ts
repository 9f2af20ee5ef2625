/**
 * The kind of contents of each parenthesis in a list of tokens: a query, a list, or an expression. Built in one pass, so that no
 * lookup scans the contents of a parenthesis.
 */
import { isSign, type Token } from '../tokens.js';

/** Words that begin a query. */
const BEGINS: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES']);
/** Words that continue a query after a parenthesized one. */
const CONTINUES: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT']);

/** Whether a name follows TABLE, which is also a name itself. */
const isNameToken = (token: Token | undefined): boolean =>
  token?.kind === 'word' || token?.kind === 'bracketed' || token?.kind === 'double';

export class Parentheses {
  readonly #tokens: readonly Token[];
  /** For each opening parenthesis the index of the one that closes it; the number of tokens if none does. */
  readonly #closing: Uint32Array;
  /** 1 for each opening parenthesis with a comma directly inside. */
  readonly #commas: Uint8Array;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#closing = new Uint32Array(tokens.length).fill(tokens.length);
    this.#commas = new Uint8Array(tokens.length);
    const open: number[] = [];
    tokens.forEach(({ kind, text }, at) => {
      if (kind !== 'sign') return;
      const innermost = open.at(-1);
      if (text === '(') open.push(at);
      else if (innermost === undefined) return;
      else if (text === ',') this.#commas[innermost] = 1;
      else if (text === ')') this.#closing[open.pop() ?? innermost] = at;
    });
  }

  /** Whether the parenthesis at `at` encloses a query, with any number of parentheses around it. */
  enclosesQuery(at: number): boolean {
    let inside = at + 1;
    while (isSign(this.#tokens[inside], '(')) inside++;
    const { upper } = this.#tokens[inside] ?? { upper: '' };
    const isTable = upper === 'TABLE' && isNameToken(this.#tokens[inside + 1]);
    if ((!BEGINS.has(upper) && !isTable) || isSign(this.#tokens[inside + 1], '.')) return false;
    for (let open = inside - 1; open > at; open--) {
      if (!this.#isContinued(this.#closing[open] + 1)) return false;
    }
    return true;
  }

  /** The token after the parenthesis that closes the one at `at`. */
  after(at: number): Token {
    return this.#tokens[Math.min(this.#closing[at] + 1, this.#tokens.length - 1)];
  }

  /** Whether the tokens after a query in parentheses continue it or close the parentheses around it. */
  #isContinued(at: number): boolean {
    const next = this.#tokens[at];
    if (next === undefined || isSign(next, ')') || CONTINUES.has(next.upper)) return true;
    const after = this.#tokens[at + 1];
    if (next.upper === 'OFFSET') return after.kind === 'number';
    return next.upper === 'FETCH' && (after.upper === 'FIRST' || after.upper === 'NEXT');
  }

  /** Whether the parenthesis at `at` encloses several expressions, separated by commas. */
  enclosesList(at: number): boolean {
    return this.#commas[at] === 1 && !this.enclosesQuery(at);
  }
}
