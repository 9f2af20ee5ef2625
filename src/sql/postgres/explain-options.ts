/** EXPLAIN with PostgreSQL's options, as EXPLAIN or EXPLAIN ANALYZE. The plan is always a table of its operators. */
import { sqlError } from '../sql-error.js';
import { isSign, type Token, unexpected } from '../tokens.js';

const OPTIONS: ReadonlySet<string> = new Set([
  ...['ANALYZE', 'VERBOSE', 'COSTS', 'BUFFERS', 'TIMING', 'SUMMARY', 'SETTINGS', 'WAL', 'MEMORY'],
  ...['GENERIC_PLAN', 'FORMAT'],
]);
const OFF: ReadonlySet<string> = new Set(['FALSE', 'OFF', '0']);

/** The statement without options; other statements are returned as they are. Throws 6000. */
export function withoutOptions(tokens: readonly Token[]): readonly Token[] {
  const [explain, first] = tokens;
  if (explain.upper !== 'EXPLAIN') return tokens;
  if (isSign(first, '(') && OPTIONS.has(tokens[2].upper)) return listed(tokens);
  const analyze = first.upper === 'ANALYZE' ? [first] : [];
  const begin = 1 + analyze.length;
  return tokens[begin].upper === 'VERBOSE' ? [explain, ...analyze, ...tokens.slice(begin + 1)] : tokens;
}

/** EXPLAIN (option [value], ...) query. */
function listed(tokens: readonly Token[]): readonly Token[] {
  const [explain] = tokens;
  let analyze: readonly Token[] = [];
  let at = 1;
  do {
    const option = tokens[++at];
    if (!OPTIONS.has(option.upper)) throw unexpected(option, 'an option of EXPLAIN');
    at++;
    const hasValue = !isSign(tokens[at], ',') && !isSign(tokens[at], ')');
    const value = hasValue ? tokens[at++] : null;
    if (option.upper === 'ANALYZE') analyze = OFF.has((value?.text ?? '').toUpperCase()) ? [] : [option];
    if (option.upper === 'FORMAT' && value?.text.toUpperCase() !== 'TEXT') {
      throw sqlError('the plan is a table of its operators; it has no other format', option.position);
    }
  } while (isSign(tokens[at], ','));
  if (!isSign(tokens[at], ')')) throw unexpected(tokens[at], 'a comma or )');
  return [explain, ...analyze, ...tokens.slice(at + 1)];
}
