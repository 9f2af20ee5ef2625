/** Parses COPY from its tokens. */
import { characterAt, isSign, type PostgresStatement, type Token } from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { isName } from '../queries/table-names.js';

export interface CopyOptions {
  readonly format: 'text' | 'csv' | 'binary';
  /** One character. */
  readonly delimiter: string;
  /** The text of NULL. */
  readonly missing: string;
  readonly header: boolean;
  readonly quote: string;
  readonly escapeSign: string;
}

interface CopyTable {
  readonly name: string;
  /** The name before the last dot, as `public`; null = the name is written alone. */
  readonly schema: string | null;
  readonly position: Token['position'];
  /** null = all. */
  readonly columns: readonly { readonly name: string; readonly position: Token['position'] }[] | null;
}

export type CopyStatement =
  | { readonly is: 'from'; readonly table: CopyTable; readonly options: CopyOptions }
  /** `query`: its positions refer to the whole text. */
  | { readonly is: 'to'; readonly query: PostgresStatement; readonly options: CopyOptions };

const syntax = (what: string): ProtocolError => new ProtocolError('42601', what);
const SYNTAX =
  'the syntax of COPY is COPY table [(columns)] FROM STDIN or COPY {table [(columns)] | (query)} TO STDOUT, with options in WITH (...)';

/** COPY table [(columns)] FROM STDIN, COPY {table [(columns)] | (query)} TO STDOUT. `text`: the whole text. Throws 42601 and 0A000. */
export function readCopy(statement: PostgresStatement, text: string): CopyStatement {
  const reader = new CopyReader(statement.tokens.filter(({ kind }) => kind !== 'end'));
  return reader.read(statement, text);
}

class CopyReader {
  readonly #tokens: readonly Token[];
  #at = 1;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  read(statement: PostgresStatement, text: string): CopyStatement {
    if (isSign(this.#tokens[1], '(')) return this.#query(statement, text);
    const table = this.#table();
    if (this.#accept('FROM')) {
      this.#end('STDIN');
      return { is: 'from', table, options: this.#options() };
    }
    if (!this.#accept('TO')) throw syntax(SYNTAX);
    this.#end('STDOUT');
    const options = this.#options();
    const token = (
      kind: Token['kind'],
      written: string,
      { position }: Pick<Token, 'position'> = this.#tokens[0],
    ): Token => {
      return { kind, text: written, upper: kind === 'word' ? written : '', position };
    };
    const names = table.columns?.flatMap((column, index) => [
      ...(index > 0 ? [token('sign', ',')] : []),
      token('bracketed', column.name, column),
    ]) ?? [token('sign', '*')];
    const { schema, name } = table;
    const qualifier = schema === null ? [] : [token('bracketed', schema, table), token('sign', '.')];
    const from = [token('word', 'FROM'), ...qualifier, token('bracketed', name, table)];
    const tokens = [token('word', 'SELECT'), ...names, ...from, token('end', '')];
    return { is: 'to', query: { text: statement.text, tokens, parameterCount: 0 }, options };
  }

  #query(statement: PostgresStatement, text: string): CopyStatement {
    let depth = 0;
    const close = this.#tokens.findIndex((token, at) => {
      if (at > 0 && isSign(token, '(')) depth++;
      if (isSign(token, ')')) depth--;
      return at > 0 && depth === 0;
    });
    if (close === -1) throw syntax('the parenthesis of COPY ( is not closed');
    const inside = this.#tokens.slice(2, close);
    if (inside.length === 0) throw syntax(SYNTAX);
    this.#at = close + 1;
    if (!this.#accept('TO')) throw syntax(SYNTAX);
    this.#end('STDOUT');
    const offsetOf = ({ position }: Token): number =>
      characterAt(text, position) - characterAt(text, this.#tokens[0].position);
    const own = Array.from(statement.text).slice(offsetOf(inside[0]), offsetOf(this.#tokens[close])).join('');
    const end: Token = { kind: 'end', text: '', upper: '', position: this.#tokens[close].position };
    const query = { text: own, tokens: [...inside, end], parameterCount: statement.parameterCount };
    return { is: 'to', query, options: this.#options() };
  }

  #table(): CopyTable {
    let token = this.#name('COPY requires the name of a table');
    let schema: string | null = null;
    while (isSign(this.#tokens[this.#at], '.')) {
      schema = nameOf(token);
      this.#at++;
      token = this.#name('COPY requires the name of a table');
    }
    const { position } = token;
    const name = nameOf(token);
    if (!isSign(this.#tokens[this.#at], '(')) return { name, schema, position, columns: null };
    const columns: { readonly name: string; readonly position: Token['position'] }[] = [];
    do {
      this.#at++;
      const column = this.#name("a column's name is required here");
      columns.push({ name: nameOf(column), position: column.position });
    } while (isSign(this.#tokens[this.#at], ','));
    if (!isSign(this.#tokens[this.#at++], ')')) throw syntax(SYNTAX);
    return { name, schema, position, columns };
  }

  #name(what: string): Token {
    const token = this.#tokens[this.#at++];
    if (token === undefined || !isName(token)) throw syntax(what);
    return token;
  }

  #accept(word: string): boolean {
    if (this.#tokens[this.#at]?.upper !== word) return false;
    this.#at++;
    return true;
  }

  #end(word: string): void {
    if (this.#accept(word)) return;
    throw new ProtocolError(
      '0A000',
      `COPY reads from STDIN and writes to STDOUT; with psql, use \\copy for files`,
    );
  }

  /** [WITH] (NAME value, ...), or the older form [WITH] [BINARY] [CSV] [HEADER] [DELIMITER 'x'] [NULL 'x'] [QUOTE 'x']. */
  #options(): CopyOptions {
    this.#accept('WITH');
    const isList = isSign(this.#tokens[this.#at], '(');
    const words = this.#tokens.slice(this.#at + (isList ? 1 : 0), isList ? -1 : undefined);
    const values = new Map<string, string>();
    for (let at = 0; at < words.length; ) {
      if (isSign(words[at], ',')) at++;
      const name = words[at]?.upper || words[at]?.text.toUpperCase() || '';
      at++;
      if (words[at]?.upper === 'AS') at++;
      const hasValue = at < words.length && !isSign(words[at], ',') && takesValue(name, words[at]);
      values.set(name, hasValue ? words[at].text : 'true');
      if (hasValue) at++;
    }
    return optionsFrom(values);
  }
}

const nameOf = (token: Token): string => (token.kind === 'word' ? token.text.toLowerCase() : token.text);

const WITH_TEXT: ReadonlySet<string> = new Set([
  'FORMAT',
  'DELIMITER',
  'NULL',
  'QUOTE',
  'ESCAPE',
  'ENCODING',
]);

const takesValue = (name: string, next: Token): boolean =>
  WITH_TEXT.has(name) || (name === 'HEADER' && /^(true|false|on|off|1|0|match)$/i.test(next.text));

function optionsFrom(values: ReadonlyMap<string, string>): CopyOptions {
  const known = new Set([...WITH_TEXT, 'HEADER', 'CSV', 'BINARY', 'FREEZE']);
  for (const name of values.keys()) {
    if (!known.has(name)) throw new ProtocolError('0A000', `COPY has no option ${JSON.stringify(name)} here`);
  }
  const written = values.get('FORMAT')?.toLowerCase();
  const format = values.has('CSV') ? 'csv' : values.has('BINARY') ? 'binary' : (written ?? 'text');
  if (format !== 'text' && format !== 'csv' && format !== 'binary') {
    throw new ProtocolError('22023', `COPY format ${JSON.stringify(format)} not recognized`);
  }
  const header = /^(true|on|1)$/i.test(values.get('HEADER') ?? 'false');
  if (/^match$/i.test(values.get('HEADER') ?? ''))
    throw new ProtocolError('0A000', 'HEADER MATCH is not available');
  if (header && format === 'binary') throw new ProtocolError('0A000', 'a binary COPY has no HEADER');
  if (!/^utf-?8$/i.test(values.get('ENCODING') ?? 'utf8')) {
    throw new ProtocolError('0A000', 'COPY has the encoding UTF8 only');
  }
  const quote = values.get('QUOTE') ?? '"';
  const options = {
    format,
    header,
    quote,
    delimiter: values.get('DELIMITER') ?? (format === 'csv' ? ',' : '\t'),
    missing: values.get('NULL') ?? (format === 'csv' ? '' : '\\N'),
    escapeSign: values.get('ESCAPE') ?? quote,
  } as const;
  for (const [name, text] of [
    ['delimiter', options.delimiter],
    ['quote', quote],
    ['escape', options.escapeSign],
  ]) {
    if (!/^[ -~\t]$/.test(text) || (text === '\\' && name === 'delimiter')) {
      throw new ProtocolError('0A000', `COPY ${name} must be a single one-byte character`);
    }
  }
  if (format === 'csv' && options.delimiter === quote)
    throw new ProtocolError('0A000', 'COPY delimiter and quote must be different');
  return options;
}
