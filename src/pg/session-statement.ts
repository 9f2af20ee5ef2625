/**
 * Statements that concern the session alone, answered as clients expect: SET, SHOW, transactions (which hold nothing, since
 * every SELECT reads one version of its own), DEALLOCATE, DISCARD; and the questions that drivers and pools ask at once.
 */
import type { PostgresStatement, Token } from '../sql/index.js';
import { type Answer, done, table } from './answer.js';
import { ProtocolFault } from './fault.js';
import type { TransactionState } from './messages.js';
import { SERVER_VERSION, type Settings } from './settings.js';
import { rowField } from './types.js';

/** What of a session its statements change. */
export interface SessionState {
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  transaction: TransactionState;
  /** Forgets a prepared statement; null = all. */
  deallocate(name: string | null): void;
  closePortals(): void;
}

const CURSORS =
  'cursors are not available; a client may ask for rows in parts instead (Execute with a row count)';
const PREPARED = 'PREPARE and EXECUTE are not available as statements; drivers prepare by the protocol';

/** `formats`: of a row that is answered. null = a setting that only the catalog knows is to be shown. Throws ProtocolFault. */
export function answerSession(
  { tokens }: PostgresStatement,
  state: SessionState,
  formats: readonly number[],
): Answer | null {
  const words = tokens.filter(({ kind }) => kind !== 'end');
  const [{ upper: first }] = words;
  const second = words[1]?.upper ?? '';
  switch (first) {
    case 'SET':
      return set(words.slice(1), state);
    case 'SHOW':
      return show(words.slice(1), state, formats);
    case 'RESET':
      state.settings.reset(second === 'ALL' ? null : (words[1]?.text ?? null));
      return done('RESET');
    case 'BEGIN':
    case 'START':
      if (state.transaction === 'I') state.transaction = 'T';
      return done(first === 'BEGIN' ? 'BEGIN' : 'START TRANSACTION');
    case 'COMMIT':
    case 'END':
      return ended(state, state.transaction === 'E' ? 'ROLLBACK' : 'COMMIT');
    case 'ROLLBACK':
    case 'ABORT':
      if (words.some(({ upper }) => upper === 'TO')) {
        if (state.transaction === 'E') state.transaction = 'T';
        return done('ROLLBACK');
      }
      return ended(state, 'ROLLBACK');
    case 'SAVEPOINT':
    case 'RELEASE':
      return done(first);
    case 'DISCARD':
      return discarded(second, state);
    case 'DEALLOCATE':
      return deallocated(words, state);
    case 'CLOSE':
      if (second === 'ALL') state.closePortals();
      return done('CLOSE CURSOR');
    case 'UNLISTEN':
      return done('UNLISTEN');
    case 'LISTEN':
      throw new ProtocolFault('0A000', 'notifications are not available');
    case 'DECLARE':
    case 'FETCH':
    case 'MOVE':
      throw new ProtocolFault('0A000', CURSORS);
    default:
      throw new ProtocolFault('0A000', PREPARED);
  }
}

function ended(state: SessionState, tag: string): Answer {
  state.transaction = 'I';
  state.closePortals();
  return done(tag);
}

function discarded(what: string, state: SessionState): Answer {
  if (what === 'ALL') {
    state.settings.reset(null);
    state.deallocate(null);
    state.closePortals();
  }
  return done(`DISCARD ${what}`);
}

function deallocated(words: readonly Token[], state: SessionState): Answer {
  const name = words[1]?.upper === 'PREPARE' ? words[2] : words[1];
  if (name === undefined) throw new ProtocolFault('42601', 'DEALLOCATE wants a name or ALL');
  state.deallocate(name.upper === 'ALL' ? null : name.text);
  return done(name.upper === 'ALL' ? 'DEALLOCATE ALL' : 'DEALLOCATE');
}

/** SET [SESSION|LOCAL] name = value, TIME ZONE value, TRANSACTION ..., NAMES value. */
function set(given: readonly Token[], { settings }: SessionState): Answer {
  const scoped = given[0]?.upper === 'SESSION' || given[0]?.upper === 'LOCAL';
  const words = scoped ? given.slice(1) : given;
  const [name, ...rest] = words;
  if (name === undefined) throw new ProtocolFault('42601', 'SET wants a name and a value');
  // How a transaction would be isolated changes nothing where every SELECT reads one version.
  if (name.upper === 'TRANSACTION' || name.upper === 'CHARACTERISTICS') return done('SET');
  const textIn = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');
  if (name.upper === 'TIME' && rest[0]?.upper === 'ZONE') settings.set('timezone', textIn(rest.slice(1)));
  else if (name.upper === 'NAMES') settings.set('client_encoding', textIn(rest));
  else if (rest[0]?.upper === 'TO' || (rest[0]?.kind === 'sign' && rest[0].text === '=')) {
    if (rest.length === 2 && rest[1].upper === 'DEFAULT') settings.reset(name.text);
    else settings.set(name.text, textIn(rest.slice(1)));
  } else if (name.upper !== 'ROLE' && name.upper !== 'AUTHORIZATION') {
    throw new ProtocolFault('42601', 'SET is written SET name = value or SET name TO value');
  }
  return done('SET');
}

function show(
  words: readonly Token[],
  { settings }: SessionState,
  formats: readonly number[],
): Answer | null {
  const upper = words.map((word) => word.upper).join(' ');
  const name =
    upper === 'TRANSACTION ISOLATION LEVEL'
      ? 'transaction_isolation'
      : upper === 'TIME ZONE'
        ? 'timezone'
        : words.map(({ text }) => text).join('');
  const value = settings.show(name);
  if (value === null) return null;
  const field = rowField({ name: name.toLowerCase(), type: { type: 'text' } });
  return table([field], [[value]], formats, () => 'SHOW');
}

/**
 * SELECT version() and its like, one call and perhaps an alias: pools ask so before each use, and no catalog need start for
 * them. null = it is something else.
 */
export function answerAtOnce(
  { tokens }: PostgresStatement,
  state: SessionState,
  formats: readonly number[],
): Answer | null {
  const words = tokens.filter(({ kind }) => kind !== 'end').map(({ text, upper }) => upper || text);
  const alias = words.at(-2) === 'AS' ? tokens[words.length - 1].text : null;
  const asked = (alias === null ? words : words.slice(0, -2)).join(' ').replace('PG_CATALOG . ', '');
  const calls: readonly (readonly [string, string, string])[] = [
    ['SELECT VERSION ( )', 'version', `PostgreSQL ${SERVER_VERSION} (Quarry)`],
    ['SELECT CURRENT_SCHEMA ( )', 'current_schema', 'public'],
    ['SELECT CURRENT_SCHEMA', 'current_schema', 'public'],
    ['SELECT CURRENT_DATABASE ( )', 'current_database', state.databaseName],
    ['SELECT CURRENT_CATALOG', 'current_catalog', state.databaseName],
    ['SELECT CURRENT_USER', 'current_user', state.userName],
    ['SELECT SESSION_USER', 'session_user', state.userName],
    ['SELECT USER', 'user', state.userName],
    ['SELECT PG_BACKEND_PID ( )', 'pg_backend_pid', String(state.processId)],
    ['SELECT PG_IS_IN_RECOVERY ( )', 'pg_is_in_recovery', 'f'],
  ];
  const found = calls.find(([text]) => text === asked);
  if (found === undefined) return null;
  const [, name, value] = found;
  const type = name === 'pg_is_in_recovery' ? 'boolean' : name === 'pg_backend_pid' ? 'integer' : 'text';
  const field = rowField({ name: alias ?? name, type: { type } });
  return table([field], [[value]], formats, () => 'SELECT 1');
}
