/** Parses a body of SQL text into statements. */
import { QuarryError } from '../base/index.js';
import { Cursor } from './cursor.js';
import { INSERT_VALUES_MAX, PARSER_TOKENS_MAX, STATEMENTS_MAX, TOKENS_MAX } from './limits.js';
import { readQuery } from './query/read-query.js';
import { beginsRead, isFlat } from './query/routing.js';
import { readFlat } from './read-flat.js';
import { changesModel, readModelStatement } from './read-model.js';
import { readSelect } from './read-select.js';
import { refusedStatement, refusePhrases } from './refusals.js';
import { sqlError } from './sql-error.js';
import { isSign, nextToken, statementTokens, type Token } from './tokens.js';
import type { ReadStatement, Script, WriteStatement } from './tree.js';
import { readInsert } from './write/read-insert.js';
import { isWrite, readWriteTokens } from './write/read-writes.js';

const MODEL: ReadonlySet<string> = new Set(['CREATE', 'DROP', 'ALTER']);
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);

/** The remaining limits of all statements of a body together. */
interface Budget {
  tokens: number;
  parserTokens: number;
  values: number;
}

/**
 * Parses one or more statements, separated by `;`, without resolving names. Throws 6000 with line and column for syntax errors
 * and unsupported statements. Time and memory are bounded by limits.ts.
 */
export function readScript(text: string): Script {
  const cursor = new Cursor(text);
  const budget = { tokens: TOKENS_MAX, parserTokens: PARSER_TOKENS_MAX, values: INSERT_VALUES_MAX };
  const reads: ReadStatement[] = [];
  const writes: WriteStatement[] = [];
  for (let first = nextToken(cursor); first.kind !== 'end'; first = nextToken(cursor)) {
    if (isSign(first, ';')) throw sqlError('the statement before this ; is empty', first.position);
    if (MODEL.has(first.upper)) return readModel(cursor, first, budget, [...reads, ...writes].length === 0);
    if (!beginsRead(first) && !WRITES.has(first.upper)) throw refusedStatement(first, nextToken(cursor));
    const tokens = first.upper === 'INSERT' ? null : statementTokens(cursor, first, budget);
    const isRead = tokens !== null && !isWrite(tokens);
    if (isRead ? writes.length > 0 : reads.length > 0) {
      throw sqlError(
        'a body is all SELECTs or all writes; this statement is of the other kind',
        first.position,
      );
    }
    if (reads.length + writes.length === STATEMENTS_MAX) {
      throw sqlError(`a body has at most ${STATEMENTS_MAX} statements`, first.position);
    }
    if (tokens === null) writes.push(readInsert(cursor, first.position, budget));
    else if (isRead) reads.push(readRead(tokens, budget));
    else writes.push(readWriteTokens(tokens));
  }
  if (writes.length > 0) return { kind: 'writes', statements: writes };
  if (reads.length > 0) return { kind: 'reads', statements: reads };
  throw sqlError('the body contains no statement', cursor.position());
}

/** Reads the only statement of a body, which changes the model. */
function readModel(cursor: Cursor, first: Token, budget: Budget, isFirst: boolean): Script {
  const tokens = statementTokens(cursor, first, budget);
  if (!changesModel(tokens)) throw refusedStatement(first, tokens[1]);
  const statement = readModelStatement(tokens);
  const next = nextToken(cursor);
  if (isFirst && next.kind === 'end') return { kind: 'model', statements: [statement] };
  throw sqlError(
    'a statement that creates, alters or drops tables or views is the only statement of its body',
    statement.position,
  );
}

/** Whether the text begins with a statement that reads rows, after white space and comments. Does not parse further. */
export function beginsWithRead(text: string): boolean {
  try {
    return beginsRead(nextToken(new Cursor(text)));
  } catch (error) {
    if (error instanceof QuarryError) return false;
    throw error;
  }
}

/** `budget.parserTokens` is the number of tokens that the statement parser may still read. */
export function readRead(tokens: readonly Token[], budget: { parserTokens: number }): ReadStatement {
  refusePhrases(tokens);
  if (!isFlat(tokens)) return readQuery(tokens);
  const flat = readFlat(tokens);
  if (flat !== null) return flat;
  if (tokens.length > budget.parserTokens) return readQuery(tokens);
  budget.parserTokens -= tokens.length;
  return readSelect(tokens);
}
