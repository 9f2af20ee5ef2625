/** Formulas of the series of a trend, which are called A, B and so on: numbers, + - * /, parentheses. */

/** The number of a period; null where a series or the result has none. */
export type Formula = (values: readonly (number | null)[]) => number | null;

type Node = (values: readonly (number | null)[]) => number;

const TOKEN = /\s*(\d+(?:\.\d+)?|[A-Za-z]|[-+*/()])/y;

/** The formula in a text; null = the text is empty. Returns a sentence if the text is no formula of `count` series. */
export function formulaOf(text: string, count: number): Formula | null | string {
  if (text.trim() === '') return null;
  try {
    const node = new Parser(text, count).whole();
    return (values) => {
      const value = node(values);
      return Number.isFinite(value) ? value : null;
    };
  } catch (error) {
    return error instanceof SyntaxError ? error.message : 'Formula: too long.';
  }
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #count: number;
  #at = 0;

  constructor(text: string, count: number) {
    this.#tokens = tokensOf(text.trim());
    this.#count = count;
  }

  whole(): Node {
    const node = this.#sum();
    if (this.#at < this.#tokens.length) throw wrong(`“${this.#tokens[this.#at]}” is one too many`);
    return node;
  }

  #sum(): Node {
    return this.#chain(['+', '-'], () => this.#product());
  }

  #product(): Node {
    return this.#chain(['*', '/'], () => this.#value());
  }

  /** Operators of one rank, from left to right. */
  #chain(operators: readonly string[], next: () => Node): Node {
    let left = next();
    while (operators.includes(this.#tokens[this.#at])) {
      const operator = this.#tokens[this.#at++];
      const [before, right] = [left, next()];
      left = (values) => computed(operator, before(values), right(values));
    }
    return left;
  }

  #value(): Node {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw wrong('it ends too early');
    if (token === '-') {
      const node = this.#value();
      return (values) => -node(values);
    }
    if (token === '(') {
      const node = this.#sum();
      if (this.#tokens[this.#at++] !== ')') throw wrong('a parenthesis is not closed');
      return node;
    }
    if (/^\d/.test(token)) return () => Number(token);
    const index = token.toUpperCase().charCodeAt(0) - 65;
    if (index < 0 || index >= this.#count) throw wrong(`there is no series “${token}”`);
    return (values) => values[index] ?? Number.NaN;
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) throw wrong(`“${text.slice(at).trim()[0]}” is unknown`);
    tokens.push(token[1]);
    at = TOKEN.lastIndex;
  }
  return tokens;
}

function computed(operator: string, left: number, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  return operator === '*' ? left * right : left / right;
}

const wrong = (why: string): SyntaxError =>
  new SyntaxError(`Formula: ${why}. Series are A, B and so on, such as B / A * 100.`);
