/**
 * Decides which SELECTs are flat: those are read by read-flat.ts or, if it refuses them, by read-select.ts, every other by
 * read-query.ts. A SELECT is flat unless it has one of the phrases below, parentheses or commas among its tables, a list in GROUP BY, or
 * ORDER BY in a call.
 */
import { isSign, type Token } from '../tokens.js';
import { Parentheses } from './parentheses.js';
import { ROW_FUNCTION_NAMES } from './row-functions.js';
import { windowName } from './windows.js';

/** Sequences of bare words and signs that only other SELECTs have. NAME is any name. */
const PHRASES: readonly string[] = [
  ...[
    'UNION',
    'INTERSECT',
    'EXCEPT',
    '( SELECT',
    '( WITH',
    '( VALUES',
    '( TABLE NAME',
    'EXISTS (',
    'LATERAL',
  ],
  ...['ANY (', 'SOME (', 'ALL (', 'SELECT ALL', 'DISTINCT ON'],
  ...['RIGHT JOIN', 'RIGHT OUTER', 'FULL JOIN', 'FULL OUTER', 'CROSS JOIN', 'USING ('],
  ...['NATURAL JOIN', 'NATURAL LEFT', 'NATURAL RIGHT', 'NATURAL FULL', 'NATURAL INNER'],
  ...['OVER (', ') OVER NAME', 'WINDOW NAME AS', 'QUALIFY', 'WITHIN GROUP', 'FILTER ('],
  ...['ROLLUP (', 'CUBE (', 'GROUPING SETS', 'NULLS FIRST', 'WITH TIES', 'LIMIT ALL', 'LIMIT NULL'],
  ...[...ROW_FUNCTION_NAMES, 'generate_series'].map((name) => `${name.toUpperCase()} (`),
  'IN SEGMENT',
];

const BY_FIRST: ReadonlyMap<string, readonly (readonly string[])[]> = (() => {
  const byFirst = new Map<string, (readonly string[])[]>();
  for (const [first, ...rest] of PHRASES.map((phrase) => phrase.split(' '))) {
    byFirst.set(first, [...(byFirst.get(first) ?? []), rest]);
  }
  return byFirst;
})();

/** First words of statements that read rows. */
const READS: ReadonlySet<string> = new Set(['SELECT', 'EXPLAIN', 'WITH', 'VALUES', 'TABLE']);
const BEGINS_TABLE: ReadonlySet<string> = new Set(['FROM', 'JOIN']);
const ENDS_TABLE: ReadonlySet<string> = new Set([
  ...['ON', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH'],
]);

/** Whether a statement that begins with the token reads rows. */
export const beginsRead = (first: Token): boolean => READS.has(first.upper) || isSign(first, '(');

/** `tokens` are those of a statement that reads rows. */
export function isFlat(tokens: readonly Token[]): boolean {
  const explained = tokens[0].upper === 'EXPLAIN' ? (tokens[1].upper === 'ANALYZE' ? 2 : 1) : 0;
  const { upper } = tokens[Math.min(explained, tokens.length - 1)];
  if (['WITH', 'VALUES', 'TABLE'].includes(upper) || isSign(tokens[explained], '(')) return false;
  return !tokens.some((_token, at) => isPhrase(tokens, at)) && hasFlatClauses(tokens);
}

const wordOrSign = ({ kind, text, upper }: Token): string => (kind === 'sign' ? text : upper);

function isPhrase(tokens: readonly Token[], at: number): boolean {
  const phrases = BY_FIRST.get(wordOrSign(tokens[at]));
  if (phrases === undefined || isPath(tokens, at)) return false;
  return phrases.some((rest) => rest.every((word, index) => matches(tokens[at + 1 + index], word)));
}

function matches(token: Token | undefined, word: string): boolean {
  if (token === undefined) return false;
  return word === 'NAME' ? windowName(token) !== null : wordOrSign(token) === word;
}

/** `jobs.union` and `union.age` are columns. */
function isPath(tokens: readonly Token[], at: number): boolean {
  if (tokens[at].kind !== 'word') return false;
  return (at > 0 && isSign(tokens[at - 1], '.')) || isSign(tokens[at + 1], '.');
}

/** Whether tables are single names, each JOIN has its ON, GROUP BY has no lists, and no call contains ORDER BY. */
function hasFlatClauses(tokens: readonly Token[]): boolean {
  let depth = 0;
  let inTables = false;
  let inTable = false;
  let inKeys = false;
  let lacksCondition = false;
  let parentheses: Parentheses | null = null;
  for (let at = 0; at < tokens.length; at++) {
    const { kind, text, upper } = tokens[at];
    if (kind === 'sign') {
      if (inTable && (text === '(' || text === '.')) return false;
      if (inTables && depth === 0 && text === ',') return false;
      if (inKeys && depth === 0 && text === '(') {
        parentheses ??= new Parentheses(tokens);
        if (isGroupingList(tokens, at, parentheses)) return false;
      }
      if (text === '(') depth++;
      else if (text === ')') depth--;
    } else if (isPath(tokens, at)) continue;
    else if (upper === 'ORDER' && depth > 0 && tokens[at + 1].upper === 'BY') return false;
    else if (depth === 0 && BEGINS_TABLE.has(upper)) {
      if (isComparison(tokens, at)) continue;
      if (lacksCondition && upper === 'JOIN') return false;
      inTables = inTable = true;
      lacksCondition = upper === 'JOIN';
    } else if (depth === 0 && ENDS_TABLE.has(upper)) {
      inTable = false;
      inKeys = upper === 'GROUP';
      if (upper === 'ON') lacksCondition = false;
      else inTables = false;
    }
  }
  return true;
}

/** Whether FROM belongs to IS [NOT] DISTINCT FROM. */
function isComparison(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 2]?.upper;
  return tokens[at - 1]?.upper === 'DISTINCT' && (before === 'IS' || before === 'NOT');
}

/** Whether () or (a, b) is an element of GROUP BY. */
function isGroupingList(tokens: readonly Token[], at: number, parentheses: Parentheses): boolean {
  if (tokens[at - 1].upper !== 'BY' && !isSign(tokens[at - 1], ',')) return false;
  return isSign(tokens[at + 1], ')') || parentheses.enclosesList(at);
}
