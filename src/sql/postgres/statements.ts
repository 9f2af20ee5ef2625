/**
 * Splits a text in the Postgres dialect into statements without parsing them. Throws 6000 with the source position for invalid
 * tokens.
 */
import { Cursor } from '../cursor.js';
import { PARAMETERS_MAX, STATEMENTS_MAX, TOKENS_MAX } from '../limits.js';
import { sqlError } from '../sql-error.js';
import { costOf, isSign, type Token } from '../tokens.js';
import type { SourcePosition } from '../tree.js';
import { nextPostgresTokens } from './tokens.js';

export interface PostgresStatement {
  /** The text of the statement, without its `;`. */
  readonly text: string;
  /** Positions refer to the whole text; the list ends like those of tokens.ts. */
  readonly tokens: readonly Token[];
  /** The highest n of all $n. */
  readonly parameterCount: number;
}

/** Empty statements are omitted, so the list may be empty. */
export function readPostgres(text: string): readonly PostgresStatement[] {
  const cursor = new Cursor(text);
  const statements: PostgresStatement[] = [];
  let tokens: Token[] = [];
  let tokenCount = 0;
  let begin = 0;
  for (;;) {
    cursor.skip();
    if (tokens.length === 0) begin = cursor.at;
    const before = cursor.at;
    const next = nextPostgresTokens(cursor);
    const [{ kind, position }] = next;
    tokenCount += next.reduce((sum, token) => sum + costOf(token), 0);
    if (tokenCount > TOKENS_MAX) {
      throw sqlError(`a text has at most ${TOKENS_MAX} words, names, literals and signs`, position);
    }
    if (kind !== 'end' && !isSign(next[0], ';')) {
      tokens.push(...next);
      continue;
    }
    if (tokens.length > 0) {
      if (statements.length === STATEMENTS_MAX) {
        throw sqlError(`a text has at most ${STATEMENTS_MAX} statements`, tokens[0].position);
      }
      statements.push({
        text: text.slice(begin, before).trimEnd(),
        tokens: [...tokens, { kind: 'end', text: '', upper: '', position }],
        // The parameters of PREPARE are those of the prepared statement.
        parameterCount: tokens[0].upper === 'PREPARE' ? 0 : parameterCountOf(tokens),
      });
      tokens = [];
    }
    if (kind === 'end') return statements;
  }
}

/** The statement after the first `count` tokens of another. */
export function statementAfter(
  { tokens }: PostgresStatement,
  count: number,
  whole: string,
): PostgresStatement {
  const rest = tokens.slice(count);
  const from = offsetOf(whole, rest[0].position);
  const text = whole.slice(from, offsetOf(whole, rest[rest.length - 1].position)).trimEnd();
  return { text, tokens: rest, parameterCount: parameterCountOf(rest) };
}

function offsetOf(text: string, { line, column }: SourcePosition): number {
  let begin = 0;
  for (let passed = 1; passed < line; passed++) begin = text.indexOf('\n', begin) + 1;
  const rest = text.slice(begin);
  return (
    begin +
    Array.from(rest)
      .slice(0, column - 1)
      .join('').length
  );
}

/** The statement with `database.public.` shortened to `public.`; a name of another database stays, and is refused. */
export function inDatabase(statement: PostgresStatement, database: string): PostgresStatement {
  const { tokens } = statement;
  const isPrefix = (at: number): boolean =>
    nameOf(tokens[at]) === database &&
    isSign(tokens[at + 1], '.') &&
    nameOf(tokens[at + 2]) === 'public' &&
    isSign(tokens[at + 3], '.') &&
    !isSign(tokens[at - 1], '.');
  const prefixes = tokens.flatMap((_token, at) => (isPrefix(at) ? [at, at + 1] : []));
  if (prefixes.length === 0) return statement;
  const dropped = new Set(prefixes);
  return { ...statement, tokens: tokens.filter((_token, at) => !dropped.has(at)) };
}

/** Returns the name of a word or a quoted name; null for any other token. */
function nameOf(token: Token | undefined): string | null {
  if (token?.kind === 'word') return token.text.toLowerCase();
  return token?.kind === 'bracketed' ? token.text : null;
}

/** The n of a token $n; null for other tokens. */
export function parameterOf({ kind, text }: Token): number | null {
  return kind === 'sign' && text.charCodeAt(0) === 36 ? Number(text.slice(1)) : null;
}

function parameterCountOf(tokens: readonly Token[]): number {
  let highest = 0;
  for (const token of tokens) {
    const number = parameterOf(token);
    if (number === null) continue;
    if (number < 1 || number > PARAMETERS_MAX) {
      throw sqlError(`parameters are $1 to $${PARAMETERS_MAX}`, token.position);
    }
    highest = Math.max(highest, number);
  }
  return highest;
}

/** The number of the character of `text` at a source position, from 1. */
export function characterAt(text: string, { line, column }: SourcePosition): number {
  let begin = 0;
  for (let passed = 1; passed < line; passed++) begin = text.indexOf('\n', begin) + 1;
  return Array.from(text.slice(0, begin)).length + column;
}
