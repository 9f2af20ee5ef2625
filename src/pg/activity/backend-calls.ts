/** Answers SELECT pg_cancel_backend(pid) and SELECT pg_terminate_backend(pid). Other uses of these functions are refused. */
import {
  isSign,
  type PostgresStatement,
  parameterOf,
  type SqlParameter,
  type Token,
} from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';
import { rowField } from '../protocol/types.js';
import { type Answer, oneRow } from '../session/answer.js';
import type { VisibleSession } from './activity.js';

const ACTS: Readonly<Record<string, (session: VisibleSession) => void>> = {
  PG_CANCEL_BACKEND: (session) => session.cancel(),
  PG_TERMINATE_BACKEND: (session) => session.terminate(),
};

/**
 * Returns null for any other statement. The row is true if the caller may see the session, which is cancelled or closed when the
 * row is read.
 */
export function answerBackendCall(
  { tokens }: PostgresStatement,
  formats: readonly number[],
  parameters: () => readonly SqlParameter[],
  sessions: () => readonly VisibleSession[],
): Answer | null {
  const words = tokens.filter(({ kind, upper }) => kind !== 'end' && upper !== 'PG_CATALOG');
  const rest = words.filter((token, at) => !(at === 1 && isSign(token, '.')));
  const [select, name, open, argument, close, ...alias] = rest;
  const act = ACTS[name?.upper ?? ''];
  if (select.upper !== 'SELECT' || act === undefined || !isSign(open, '(') || !isSign(close, ')'))
    return null;
  if (alias.length > 0 && (alias.length !== 2 || alias[0].upper !== 'AS')) return null;
  const field = rowField({ name: alias[1]?.text ?? name.text.toLowerCase(), type: { type: 'boolean' } });
  const values = (): readonly string[] => {
    const processId = numberOf(argument, parameters());
    const found = sessions().find((session) => session.processId === processId);
    // The answer is sent before the own session is closed.
    if (found !== undefined) setImmediate(() => act(found));
    return [found === undefined ? 'f' : 't'];
  };
  return oneRow([field], values, formats, 'SELECT 1');
}

function numberOf(token: Token, parameters: readonly SqlParameter[]): number {
  const number = parameterOf(token);
  const value = number === null ? null : parameters[number - 1];
  const text = value === null ? token.text : value !== undefined && 'text' in value ? value.text : '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new ProtocolError('22P02', 'the argument is the number of a session: a pid of pg_stat_activity');
}
