/**
 * Prints nodes of SQL trees in randomly chosen equivalent forms: letter case of keywords, brackets, spaces, comments
 * and alternative forms of calls. It records where each node begins and returns the tree with the source positions that
 * the parser must find.
 */
import type { Prng } from '../../../src/base/index.js';
import type { SourcePosition, SqlNode } from '../../../src/sql/index.js';

type Call = SqlNode & { readonly is: 'call' };

const SPACES = [
  ' ',
  ' ',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '  ',
  ' /* ü🙂 /* in */ \n */ ',
  ' -- ; 🙂 "\n',
  '\u00a0',
  '/**/',
];
const BARE = /^[\p{L}_][\p{L}\p{N}_$]*$/u;
const RESERVED = /^(end|from)$/i;
/** Tokens that need a space between them and their neighbours. */
const WORDLIKE = /[\p{L}\p{N}_$.]/u;

class Writer {
  readonly #random: Prng;
  readonly #written: string[] = [];
  /** The last token written. */
  last = '';
  #line = 1;
  #column = 1;
  /** Starts of the tokens written so far. */
  readonly begins: SourcePosition[] = [];

  constructor(random: Prng) {
    this.#random = random;
  }

  get text(): string {
    return this.#written.join('');
  }

  #add(text: string): void {
    for (const point of text) {
      this.#column++;
      if (point === '\n') {
        this.#line++;
        this.#column = 1;
      }
    }
    this.#written.push(text);
  }

  /** Writes a token, separated from the previous one if they would merge, otherwise randomly. */
  token(text: string): SourcePosition {
    const before = this.#written.at(-1)?.at(-1) ?? ' ';
    const runs = WORDLIKE.test(before) && WORDLIKE.test(text[0]);
    const joins =
      !/[(),\s]/.test(before) && !/^[(),]/.test(text) && !(WORDLIKE.test(before) !== WORDLIKE.test(text[0]));
    const quotes = /['"\]]/.test(before) || /^['"[]/.test(text);
    if (runs || joins || quotes || this.#random.chance(0.5)) this.#add(this.#random.pick(SPACES));
    const position = { line: this.#line, column: this.#column };
    this.begins.push(position);
    this.#add(text);
    this.last = text;
    return position;
  }
}

export class SqlNodePrinter {
  protected readonly random: Prng;
  readonly #writer: Writer;

  constructor(random: Prng) {
    this.random = random;
    this.#writer = new Writer(random);
  }

  get text(): string {
    return this.#writer.text;
  }

  protected sign(text: string): SourcePosition {
    return this.#writer.token(text);
  }

  /** Writes keywords, each letter in random case. */
  protected words(...words: string[]): SourcePosition {
    const matches = words.map((word) => {
      const mixed = Array.from(word, (letter) =>
        this.random.chance(0.5) ? letter.toLowerCase() : letter.toUpperCase(),
      );
      return this.#writer.token(mixed.join(''));
    });
    return matches[0];
  }

  protected name(text: string, quotes = true): SourcePosition {
    const random = this.random;
    if (BARE.test(text) && !RESERVED.test(text) && random.chance(0.6)) return this.#writer.token(text);
    if (quotes && random.chance(0.3)) return this.#writer.token(`"${text.replaceAll('"', '""')}"`);
    return this.#writer.token(`[${text.replaceAll(']', ']]')}]`);
  }

  protected alias(alias: string | null): void {
    if (alias === null) return;
    if (this.random.chance(0.5)) {
      this.words('as');
      if (this.random.chance(0.2)) this.single(alias);
      else this.name(alias);
    } else this.name(alias);
  }

  protected single(text: string): SourcePosition {
    const national = this.random.chance(0.1) ? 'N' : '';
    return this.#writer.token(`${national}'${text.replaceAll("'", "''")}'`);
  }

  protected comma<T, R>(items: readonly T[], write: (item: T) => R): R[] {
    return items.map((item, index) => {
      if (index > 0) this.sign(',');
      return write(item);
    });
  }

  protected node(node: SqlNode): SqlNode {
    if (node.parenthesized) this.sign('(');
    const begin = this.#writer.begins.length;
    const inside = this.#bare(node);
    const position = this.#writer.begins[begin];
    if (node.parenthesized) this.sign(')');
    return { ...inside, position };
  }

  #bare(node: SqlNode): SqlNode {
    switch (node.is) {
      case 'number': {
        const negative = node.text.startsWith('-');
        if (negative) this.sign('-');
        else if (this.random.chance(0.05) && !/^[+-]$/.test(this.#writer.last)) this.sign('+');
        this.#writer.token(negative ? node.text.slice(1) : node.text);
        return node;
      }
      case 'string':
        if (node.quotes === 'single') this.single(node.text);
        else this.#writer.token(`"${node.text.replaceAll('"', '""')}"`);
        return node;
      case 'boolean':
        this.words(String(node.value));
        return node;
      case 'null':
        this.words('null');
        return node;
      case 'column':
        if (node.table !== null) this.#table(node.table);
        this.name(node.name, node.table !== null);
        return node;
      case 'star':
        if (node.table !== null) this.#table(node.table);
        this.sign('*');
        return node;
      case 'negative':
        this.sign('-');
        return { ...node, of: this.node(node.of) };
      case 'not':
        this.words('not');
        return { ...node, of: this.node(node.of) };
      case 'case':
        return this.#case(node);
      case 'cast':
        return this.#cast(node);
      case 'call':
        return this.#call(node);
      default:
        return this.#operator(node);
    }
  }

  /** Writes a node that only queries have. */
  protected queryNode(node: SqlNode): SqlNode {
    throw new Error(`${node.is} is printed by printed-queries.ts`);
  }

  /** The number of tokens written so far, by which `positionOf` finds the position of the next one. */
  protected get tokenCount(): number {
    return this.#writer.begins.length;
  }

  protected positionOf(index: number): SourcePosition {
    return this.#writer.begins[index];
  }

  #table(name: string): void {
    this.name(name);
    this.sign('.');
  }

  #operator(node: SqlNode): SqlNode {
    if (node.is === 'and' || node.is === 'or' || node.is === 'compare' || node.is === 'arithmetic') {
      const left = this.node(node.left);
      if (node.is === 'arithmetic') this.sign(node.operator);
      else if (node.is !== 'compare') this.words(node.is);
      else this.sign(node.comparison === '<>' && this.random.chance(0.5) ? '!=' : node.comparison);
      return { ...node, left, right: this.node(node.right) };
    }
    if (node.is !== 'between' && node.is !== 'in' && node.is !== 'like' && node.is !== 'is-null') {
      return this.queryNode(node);
    }
    const of = this.node(node.of);
    if (node.is === 'is-null') {
      this.words('is', ...(node.negated ? ['not'] : []), 'null');
      return { ...node, of };
    }
    const word = node.is === 'like' && node.ignoresCase ? 'ilike' : node.is;
    this.words(...(node.negated ? ['not'] : []), word);
    if (node.is === 'in') {
      this.sign('(');
      const values = this.comma(node.values, (value) => this.node(value));
      this.sign(')');
      return { ...node, of, values };
    }
    if (node.is === 'between') {
      const low = this.node(node.low);
      this.words('and');
      return { ...node, of, low, high: this.node(node.high) };
    }
    const pattern = this.node(node.pattern);
    if (node.escape !== null) {
      this.words('escape');
      this.single(node.escape);
    }
    return { ...node, of, pattern };
  }

  #case(node: SqlNode & { readonly is: 'case' }): SqlNode {
    this.words('case');
    const of = node.of === null ? null : this.node(node.of);
    const branches = node.branches.map((branch) => {
      this.words('when');
      const when = this.node(branch.when);
      this.words('then');
      // biome-ignore lint/suspicious/noThenProperty: the word of SQL; nobody awaits a branch
      return { when, then: this.node(branch.then) };
    });
    if (node.otherwise !== null) this.words('else');
    const otherwise = node.otherwise === null ? null : this.node(node.otherwise);
    this.words('end');
    return { ...node, of, branches, otherwise };
  }

  #cast(node: SqlNode & { readonly is: 'cast' }): SqlNode {
    const { of, typeName, precision, scale, lenient } = node;
    const literal = of.is === 'string' && of.quotes === 'single' && !of.parenthesized;
    if (literal && typeName === 'date' && precision === null && !lenient && this.random.chance(0.7)) {
      this.words('date');
      return { ...node, of: this.node(of) };
    }
    this.words(lenient ? 'try_cast' : 'cast');
    this.sign('(');
    const written = this.node(of);
    this.words('as', ...typeName.split(' '));
    if (precision !== null) {
      this.sign('(');
      this.sign(String(precision));
      if (scale !== null) {
        this.sign(',');
        this.sign(String(scale));
      }
      this.sign(')');
    }
    this.sign(')');
    return { ...node, of: written };
  }

  #call(node: Call): SqlNode {
    this.words(node.name);
    const bare = node.name === 'current_date' || node.name === 'current_timestamp';
    if (bare && this.random.chance(0.5)) return node;
    this.sign('(');
    if (node.distinct) this.words('distinct');
    const args = this.#arguments(node);
    this.sign(')');
    return { ...node, args };
  }

  #arguments({ name, args }: Call): readonly SqlNode[] {
    const random = this.random;
    const [first, second, third] = args;
    if (name === 'extract' || ((name === 'datepart' || name === 'date_trunc') && random.chance(0.5))) {
      const unit =
        first.is === 'string' && random.chance(0.5)
          ? this.#writer.token(first.text)
          : this.node(first).position;
      if (name === 'extract') this.words('from');
      else this.sign(',');
      return [{ ...first, position: unit, parenthesized: false }, this.node(second)];
    }
    if (name === 'position' && random.chance(0.5)) {
      const what = this.node(first);
      this.words('in');
      return [what, this.node(second)];
    }
    if (name === 'substring' && third !== undefined && random.chance(0.5)) {
      const of = this.node(first);
      this.words('from');
      const start = this.node(second);
      this.words('for');
      return [of, start, this.node(third)];
    }
    return this.comma(args, (argument) => this.node(argument));
  }
}
