/**
 * A text in the dialect of Postgres as its statements, read no further than to where each begins and ends. Throws 6000 with
 * the place for what no statement can hold.
 */
import { Cursor } from '../cursor.js';
import { PARAMETERS_MAX, STATEMENTS_MAX, TOKENS_MAX } from '../limits.js';
import { sqlError } from '../sql-error.js';
import { isSign, type Token } from '../tokens.js';
import type { SourcePosition } from '../tree.js';
import { nextPostgresTokens } from './tokens.js';

export interface PostgresStatement {
  /** Of the statement alone, without its `;`. */
  readonly text: string;
  /** Its places count in the whole text; ended as those of tokens.ts. */
  readonly tokens: readonly Token[];
  /** The highest n of its $n. */
  readonly parameterCount: number;
}

/** Empty statements are left out, so there may be none. */
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
    tokenCount += next.length;
    if (tokenCount > TOKENS_MAX) {
      throw sqlError(`a text holds at most ${TOKENS_MAX} words, names, literals and signs`, position);
    }
    if (kind !== 'end' && !isSign(next[0], ';')) {
      tokens.push(...next);
      continue;
    }
    if (tokens.length > 0) {
      if (statements.length === STATEMENTS_MAX) {
        throw sqlError(`a text holds at most ${STATEMENTS_MAX} statements`, tokens[0].position);
      }
      statements.push({
        text: text.slice(begin, before).trimEnd(),
        tokens: [...tokens, { kind: 'end', text: '', upper: '', position }],
        parameterCount: parameterCountOf(tokens),
      });
      tokens = [];
    }
    if (kind === 'end') return statements;
  }
}

/** n of the sign $n; null = it is none. */
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

/** Which character of `text` stands at the place, from 1. */
export function characterAt(text: string, { line, column }: SourcePosition): number {
  let begin = 0;
  for (let passed = 1; passed < line; passed++) begin = text.indexOf('\n', begin) + 1;
  return Array.from(text.slice(0, begin)).length + column;
}
