/**
 * Translates tokens of the Postgres dialect to tokens of our SQL where an equivalent exists. Other tokens are unchanged and refused
 * by the parser.
 *   x::text-like system type         x
 *   public.t, pg_catalog.f           t, f                    LIMIT ALL               nothing
 *   $1                               the parameter's value   x OPERATOR(pg_catalog.=) y  x = y
 *   ORDER BY x DESC                  x DESC NULLS FIRST      Name                    name
 *   x = ANY (ARRAY[a, b])            x IN (a, b)             x <> ALL ('{a,b}')      x NOT IN ('a', 'b')
 * Invariants: inserted tokens have the source position of the tokens that they replace; a parameter becomes a literal token and is
 * never parsed as text.
 */
import type { SqlDialect } from '../bind/request.js';
import { sqlError } from '../sql-error.js';
import { isSign, type Token, unexpected } from '../tokens.js';
import type { SourcePosition } from '../tree.js';
import { arrayElements, inKeywords, listTokens, literalTokens } from './arrays.js';
import { parameterOf } from './statements.js';

/** The value of a $n. */
export type SqlParameter =
  /** `type` is the type's name if it is known. */
  | { readonly is: 'null'; readonly type?: string }
  /** Digits with sign, fraction and exponent. */
  | { readonly is: 'number'; readonly text: string }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'text'; readonly text: string };

/** Types equivalent to text: a cast to them has no effect. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['UNKNOWN', 'NAME', 'REGCLASS']);

const QUANTIFIERS: ReadonlySet<string> = new Set(['ANY', 'SOME', 'ALL']);

/** `dialect` http: names keep their case, and missing values are last. */
export function translate(
  tokens: readonly Token[],
  parameters: readonly SqlParameter[],
  dialect: SqlDialect = 'postgres',
): readonly Token[] {
  return new Translation(tokens, parameters, dialect).run();
}

class Translation {
  readonly #tokens: readonly Token[];
  readonly #parameters: readonly SqlParameter[];
  readonly #dialect: SqlDialect;
  readonly #out: Token[] = [];
  #at = 0;

  constructor(tokens: readonly Token[], parameters: readonly SqlParameter[], dialect: SqlDialect) {
    this.#tokens = tokens;
    this.#parameters = parameters;
    this.#dialect = dialect;
  }

  run(): readonly Token[] {
    while (this.#at < this.#tokens.length) this.#next();
    return this.#out;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
  }

  #areKeywords(...words: readonly string[]): boolean {
    return words.every((word, ahead) => this.#peek(ahead).upper === word);
  }

  #next(): void {
    const token = this.#peek();
    const number = parameterOf(token);
    if (number !== null) this.#parameter(number, token.position);
    else if (isSign(token, '::')) this.#cast(token.position);
    else if (this.#isSchema()) this.#schema();
    else if (this.#isArrayAhead()) this.#array(token);
    else if (this.#isArrayList(0))
      this.#replace(2, [word('array', token.position), sign('(', token.position)]);
    // The end of ARRAY[...], which is read as a call.
    else if (isSign(token, ']')) this.#replace(1, [sign(')', token.position)]);
    else if (this.#areKeywords('OPERATOR') && isSign(this.#peek(1), '(')) this.#operator();
    else if (this.#areKeywords('LIMIT') && this.#isAll()) this.#at += 2;
    else if (token.kind === 'word' && this.#dialect === 'postgres') this.#word(token);
    else this.#replace(1, [token]);
  }

  /** Folds a word, which is a name or a keyword, to lower case. Missing values are first in a descending order. */
  #word(token: Token): void {
    const before = this.#tokens[this.#at - 1];
    const isKeyword = before !== undefined && before.upper !== 'AS' && !isSign(before, '.');
    const folded = this.#folded(token);
    if (token.upper !== 'DESC' || !isKeyword || this.#peek(1).upper === 'NULLS') this.#replace(1, [folded]);
    else this.#replace(1, [folded, word('NULLS', token.position), word('FIRST', token.position)]);
  }

  #folded(token: Token): Token {
    return this.#dialect === 'postgres' ? { ...token, text: token.text.toLowerCase() } : token;
  }

  #replace(count: number, put: readonly Token[]): void {
    this.#at += count;
    this.#out.push(...put);
  }

  /** Whether `public.` before a table or `pg_catalog.` before a function or type follows. */
  #isSchema(): boolean {
    const token = this.#peek();
    const name = token.kind === 'word' || token.kind === 'bracketed' ? token.text.toLowerCase() : '';
    if ((name !== 'public' && name !== 'pg_catalog') || !isSign(this.#peek(1), '.')) return false;
    const last = this.#out.at(-1);
    return last === undefined || !isSign(last, '.');
  }

  /** Drops the schema before a name. */
  #schema(): void {
    this.#at += 2;
    const name = this.#peek();
    if (name.kind === 'word') this.#replace(1, [{ ...this.#folded(name), ofSchema: true }]);
    else if (name.kind === 'bracketed') this.#replace(1, [{ ...name, ofSchema: true }]);
  }

  /** Whether a comparison with ANY, SOME or ALL of an array follows. */
  #isArrayAhead(): boolean {
    const { kind } = this.#peek();
    if (kind !== 'sign' || !QUANTIFIERS.has(this.#peek(1).upper) || !isSign(this.#peek(2), '(')) return false;
    const first = this.#peek(3);
    return first.kind === 'single' || parameterOf(first) !== null || this.#isArrayList(3);
  }

  #isArrayList(ahead: number): boolean {
    return this.#peek(ahead).upper === 'ARRAY' && isSign(this.#peek(ahead + 1), '[');
  }

  #array(comparison: Token): void {
    const { position } = this.#peek(3);
    this.#out.push(...inKeywords(comparison, this.#peek(1)));
    this.#at += 3;
    const elements = this.#isArrayList(0)
      ? this.#listed()
      : literalTokens(this.#arrayText(position), position);
    this.#out.push(...listTokens(elements, position));
    if (isSign(this.#peek(), '::')) {
      this.#at++;
      this.#typeName();
      if (isSign(this.#peek(), '[]')) this.#at++;
    }
    if (!isSign(this.#peek(), ')')) throw unexpected(this.#peek(), ')');
    this.#at++;
  }

  /** The elements of a literal or a parameter. */
  #arrayText(position: SourcePosition): readonly (string | null)[] {
    const token = this.#take();
    const number = parameterOf(token);
    if (number === null) return arrayElements(token.text, position);
    const value = this.#parameters[number - 1];
    if (value?.is === 'null') return [null];
    if (value?.is !== 'text') throw sqlError(`parameter $${number} is not an array`, position);
    return arrayElements(value.text, position);
  }

  /** The translated tokens between the brackets of ARRAY[...]. */
  #listed(): readonly Token[] {
    this.#at += 2;
    const begin = this.#out.length;
    while (!isSign(this.#peek(), ']')) {
      if (this.#peek().kind === 'end') throw unexpected(this.#peek(), ']');
      this.#next();
    }
    this.#at++;
    return this.#out.splice(begin);
  }

  /** Translates OPERATOR(schema.sign). */
  #operator(): void {
    this.#at += 2;
    while (isSign(this.#peek(1), '.')) this.#at += 2;
    while (!isSign(this.#peek(), ')')) this.#out.push(this.#take());
    this.#at++;
  }

  #isAll(): boolean {
    const { upper } = this.#peek(1);
    if (upper === 'ALL' || upper === 'NULL') return true;
    const number = parameterOf(this.#peek(1));
    return number !== null && this.#parameters[number - 1]?.is === 'null';
  }

  #parameter(number: number, position: SourcePosition): void {
    const value = this.#parameters[number - 1];
    if (value === undefined) throw sqlError(`there is no parameter $${number}`, position);
    const before = this.#out.at(-1)?.upper ?? '';
    this.#replace(1, literal(value, position, ['LIMIT', 'OFFSET', 'FIRST', 'NEXT'].includes(before)));
  }

  /** Drops casts to types that are equal to text; the parser reads the others. */
  #cast(position: SourcePosition): void {
    this.#at++;
    const type = this.#typeToken(position);
    const name = type.text.toUpperCase();
    if (TEXT_TYPES.has(name)) return;
    this.#out.push(sign('::', position), type);
  }

  #typeName(): Token {
    if (this.#isSchema()) this.#at += 2;
    const type = this.#take();
    if (type.kind === 'word' || type.kind === 'bracketed') return type;
    throw unexpected(type, "a type's name");
  }

  #typeToken(position: SourcePosition): Token {
    const type = this.#typeName();
    if (isSign(this.#peek(), '[]'))
      throw sqlError('casts to arrays are not available; write ARRAY[...]', position);
    return type.kind === 'word' ? type : { ...type, kind: 'word', upper: type.text.toUpperCase() };
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind === 'end') throw unexpected(token, "a type's name");
    this.#at++;
    return token;
  }
}

const word = (text: string, position: SourcePosition): Token => ({
  kind: 'word',
  text,
  upper: text.toUpperCase(),
  position,
});
const sign = (text: string, position: SourcePosition): Token => ({ kind: 'sign', text, upper: '', position });
const single = (text: string, position: SourcePosition): Token => ({
  kind: 'single',
  text,
  upper: '',
  position,
});

/** `isCount`: the grammar requires a whole number here, so that a text of digits is accepted as one. */
function literal(value: SqlParameter, position: SourcePosition, isCount: boolean): readonly Token[] {
  if (value.is === 'null') {
    const { type } = value;
    if (type === undefined || isCount) return [word('NULL', position)];
    const cast = [word('CAST', position), sign('(', position), word('NULL', position), word('AS', position)];
    return [...cast, word(type, position), sign(')', position)];
  }
  if (value.is === 'boolean') return [word(value.value ? 'TRUE' : 'FALSE', position)];
  if (value.is === 'text' && !(isCount && /^\d+$/.test(value.text))) return [single(value.text, position)];
  const isNegative = value.text.startsWith('-');
  const number: Token = { kind: 'number', text: value.text.replace(/^[+-]/, ''), upper: '', position };
  return isNegative ? [sign('(', position), sign('-', position), number, sign(')', position)] : [number];
}
