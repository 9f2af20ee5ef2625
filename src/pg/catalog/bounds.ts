/**
 * Bounds of a query that is sent to the catalog: the Postgres there has a small stack and one thread for all sessions.
 * Chains of operators, joins and set operations nest in its tree, and so do parentheses and calls; lists and conditions of ANDs
 * and ORs do not.
 */
import { isSign, type Token } from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';

const BYTES_MAX = 256 * 1024;
const DEPTH_MAX = 200;
const OPERATORS_MAX = 1_000;
const BLOCKS_MAX = 250;

const BLOCKS: ReadonlySet<string> = new Set([
  ...['SELECT', 'VALUES', 'TABLE', 'WITH', 'JOIN', 'UNION', 'INTERSECT', 'EXCEPT', 'CASE', 'NOT'],
]);
const LIST_SIGNS: ReadonlySet<string> = new Set([',', '.', '(', ')', '[', ']', '*']);

/** Throws 54001 for a text that is longer, or whose tokens have more operators or levels, than the catalog takes. */
export function refuseComplex(text: string, tokens: readonly Token[]): void {
  if (Buffer.byteLength(text) > BYTES_MAX) throw tooComplex(`is longer than ${BYTES_MAX} bytes`);
  let depth = 0;
  let operatorCount = 0;
  let blockCount = 0;
  for (const token of tokens) {
    if (isSign(token, '(') || isSign(token, '[')) depth++;
    else if (isSign(token, ')') || isSign(token, ']')) depth--;
    else if (token.kind === 'sign' && !LIST_SIGNS.has(token.text)) operatorCount++;
    else if (BLOCKS.has(token.upper)) blockCount++;
    if (depth > DEPTH_MAX) throw tooComplex(`nests deeper than ${DEPTH_MAX} levels`);
    if (operatorCount > OPERATORS_MAX) throw tooComplex(`has more than ${OPERATORS_MAX} operators`);
    if (blockCount > BLOCKS_MAX)
      throw tooComplex(`has more than ${BLOCKS_MAX} SELECTs, joins, CASEs and NOTs`);
  }
}

const tooComplex = (why: string): ProtocolError =>
  new ProtocolError('54001', `a query of the catalog ${why}`);
