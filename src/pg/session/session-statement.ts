/** Statements that concern only the session: SET, SHOW, PREPARE, DEALLOCATE, DISCARD, and transaction control. */
import { isSign, type PostgresStatement, type Token } from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';
import { notice, type TransactionState } from '../protocol/messages.js';
import { rowField } from '../protocol/types.js';
import { type Answer, done, oneRow } from './answer.js';
import type { CopyIn } from './copy/copy-in.js';
import type { Cursors } from './cursors/cursors.js';
import type { PreparedStatement } from './portal.js';
import { readPrepare } from './queries/sql-prepared.js';
import type { SessionTables } from './session-tables.js';
import type { Settings } from './settings.js';
import { type TransactionVersion, transactionModes } from './transaction-mode.js';
import type { TransactionWrites } from './writes/transaction-writes.js';

/** The state of a session that its statements read and change. */
export interface SessionState {
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  transaction: TransactionState;
  /** Throws 26000. */
  prepared(name: string): PreparedStatement;
  /** Throws 42P05, 53200. */
  prepare(name: string, prepared: PreparedStatement): void;
  /** Removes a prepared statement; null = all. */
  deallocate(name: string | null): void;
  readonly cursors: Cursors;
  readonly writes: TransactionWrites;
  readonly version: TransactionVersion;
  readonly tables: SessionTables;
  /** The rows of a COPY from the client follow. */
  beginCopy(copy: CopyIn): void;
  endCopy(): void;
  /** A transaction block is open, or several statements came in one message, which form a block. */
  readonly isInBlock: boolean;
  closePortals(): void;
  /** Closes portals and cursors and resets the settings of SET LOCAL. */
  endTransaction(isCommitted: boolean): void;
}

const NO_SAVEPOINT = 'SAVEPOINT can only be used in transaction blocks';
export const NOTIFICATIONS =
  'LISTEN and NOTIFY are not available: there are no notifications; query for new rows instead';

/** `text`: the text to which the positions of the statement refer. `formats` apply to the row of SHOW. Returns null for SHOW of a setting that only the catalog has. Throws ProtocolError. */
export function answerSession(
  statement: PostgresStatement,
  { text, formats }: { readonly text: string; readonly formats: readonly number[] },
  state: SessionState,
): Answer | null {
  const { tokens } = statement;
  const words = tokens.filter(({ kind }) => kind !== 'end');
  const [{ upper: first }] = words;
  const second = words[1]?.upper ?? '';
  switch (first) {
    case 'SET':
      return set(words.slice(1), state);
    case 'SHOW':
      return show(words.slice(1), state, formats);
    case 'RESET':
      state.settings.reset(second === 'ALL' ? null : textIn(words.slice(1)));
      return done('RESET');
    case 'BEGIN':
    case 'START':
      return begun(words.slice(['WORK', 'TRANSACTION'].includes(second) ? 2 : 1), first, state);
    case 'COMMIT':
    case 'END':
      return ended(state, state.transaction === 'E' ? 'ROLLBACK' : 'COMMIT');
    case 'ROLLBACK':
    case 'ABORT':
      if (words.some(({ upper }) => upper === 'TO')) {
        state.tables.rollbackTo(state.writes.rollbackTo(savepointIn(words)));
        if (state.transaction === 'E') state.transaction = 'T';
        return done('ROLLBACK');
      }
      return ended(state, 'ROLLBACK');
    case 'SAVEPOINT':
      if (state.transaction === 'I') throw new ProtocolError('25P01', NO_SAVEPOINT);
      state.writes.savepoint(savepointIn(words));
      state.tables.savepoint();
      return done(first);
    case 'RELEASE':
      state.tables.releaseSavepoint(state.writes.releaseSavepoint(savepointIn(words)));
      return done(first);
    case 'DISCARD':
      return discarded(second, state);
    case 'DEALLOCATE':
      return deallocated(words, state);
    case 'UNLISTEN':
      return done('UNLISTEN');
    case 'LISTEN':
      throw new ProtocolError('0A000', NOTIFICATIONS);
    default: {
      const { name, prepared } = readPrepare(statement, text);
      state.prepare(name, prepared);
      return done('PREPARE');
    }
  }
}

/** BEGIN and START TRANSACTION with the modes after them. */
function begun(modes: readonly Token[], first: string, state: SessionState): Answer {
  const settings = transactionModes(modes);
  if (state.transaction === 'I') state.transaction = 'T';
  for (const [name, value] of settings) state.settings.set(name, value, true);
  return done(first === 'BEGIN' ? 'BEGIN' : 'START TRANSACTION');
}

/** The name in SAVEPOINT name, RELEASE [SAVEPOINT] name and ROLLBACK TO [SAVEPOINT] name. */
function savepointIn(words: readonly Token[]): string {
  const { kind, text } = words[words.length - 1];
  return kind === 'word' ? text.toLowerCase() : text;
}

function ended(state: SessionState, tag: string): Answer {
  state.transaction = 'I';
  state.endTransaction(tag === 'COMMIT');
  return done(tag);
}

function discarded(target: string, state: SessionState): Answer {
  if (target === 'ALL') {
    if (state.isInBlock) {
      throw new ProtocolError('25001', 'DISCARD ALL cannot run inside a transaction block');
    }
    state.settings.reset(null);
    state.deallocate(null);
    state.closePortals();
    state.cursors.close(null);
  }
  if (['ALL', 'TEMP', 'TEMPORARY'].includes(target)) state.tables.dropAll();
  return done(`DISCARD ${target === 'TEMPORARY' ? 'TEMP' : target}`);
}

function deallocated(words: readonly Token[], state: SessionState): Answer {
  const name = words[1]?.upper === 'PREPARE' ? words[2] : words[1];
  if (name === undefined) throw new ProtocolError('42601', 'DEALLOCATE requires a name or ALL');
  state.deallocate(name.upper === 'ALL' ? null : name.text);
  return done(name.upper === 'ALL' ? 'DEALLOCATE ALL' : 'DEALLOCATE');
}

/** Names of time zone UTC, in which all dates are. */
const UTC =
  /^(default|local|(etc\/)?(utc|uct|gmt|zulu|universal|greenwich)|z|(interval)?[+-]?0+(:?0+)*(hourtominute)?)$/i;
const OTHER_ZONE = 'dates are always in UTC; "TimeZone" stays UTC';

/** SET [SESSION|LOCAL] name = value, TIME ZONE value, TRANSACTION ..., NAMES value. */
function set(tokens: readonly Token[], { settings }: SessionState): Answer {
  const isLocal = tokens[0]?.upper === 'LOCAL';
  const words = isLocal || tokens[0]?.upper === 'SESSION' ? tokens.slice(1) : tokens;
  const [first, second] = words;
  if (first === undefined) throw new ProtocolError('42601', 'SET requires a name and a value');
  // The key determines the role.
  if (first.upper === 'ROLE' || first.upper === 'AUTHORIZATION') return done('SET');
  const isOfSession = first.upper === 'CHARACTERISTICS';
  if (isOfSession || (first.upper === 'TRANSACTION' && second?.upper !== 'SNAPSHOT')) {
    for (const [mode, level] of transactionModes(words.slice(isOfSession ? 3 : 1))) {
      settings.set(isOfSession ? `default_${mode}` : mode, level, !isOfSession);
    }
    return done('SET');
  }
  const { name, value } = assigned(words);
  if (name.toLowerCase() === 'timezone' && !UTC.test(value)) return done('SET', notice('01000', OTHER_ZONE));
  const isDefault =
    value.toUpperCase() === 'DEFAULT' && words.at(-1)?.kind === 'word' && second !== undefined;
  if (isDefault) settings.reset(name);
  else settings.set(name, value, isLocal);
  return done('SET');
}

/** The name and value of an assignment. The name may contain dots. */
function assigned(words: readonly Token[]): { readonly name: string; readonly value: string } {
  const [{ upper: first }, second] = words;
  if (first === 'TIME' && second?.upper === 'ZONE')
    return { name: 'timezone', value: textIn(words.slice(2)) };
  if (first === 'NAMES') return { name: 'client_encoding', value: textIn(words.slice(1)) };
  const at = words.findIndex((word) => word.upper === 'TO' || isSign(word, '='));
  if (at < 1) throw new ProtocolError('42601', 'the syntax of SET is SET name = value or SET name TO value');
  return { name: textIn(words.slice(0, at)), value: textIn(words.slice(at + 1)) };
}

const textIn = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');

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
  return oneRow([field], () => [value], formats, 'SHOW');
}
