/**
 * Queries that drivers and connection pools send when they connect and before each use of a session. They are answered here, so
 * that the catalog need not start: SELECT of one call such as version(), with an optional alias, and set_config and
 * current_setting.
 */
import {
  isSign,
  type PostgresStatement,
  parameterOf,
  type SqlParameter,
  type Token,
} from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import type { RowField } from '../../protocol/messages.js';
import { rowField } from '../../protocol/types.js';
import { type Answer, oneRow } from '../answer.js';
import type { SessionState } from '../session-statement.js';
import { SERVER_VERSION } from '../settings.js';
import { isName } from './table-names.js';

/** The type `void` in the catalog of Postgres. */
const VOID = { typeId: 2278, typeSize: 4, modifier: -1 } as const;
type ImmediateType = 'text' | 'boolean' | 'integer' | 'void';

const fieldOf = (name: string, type: ImmediateType): RowField =>
  type === 'void' ? { name, ...VOID } : rowField({ name, type: { type } });

/** Returns null for any other statement. `parameters` is called when the row is read. */
export function answerImmediately(
  statement: PostgresStatement,
  state: SessionState,
  formats: readonly number[],
  parameters: () => readonly SqlParameter[],
): Answer | null {
  const tokens = statement.tokens.filter(({ kind }) => kind !== 'end');
  refuseSeed(tokens);
  return answerCall(tokens, state, formats) ?? answerSettings(tokens, state, formats, parameters);
}

/** RANDOM() of the engine has no seed of the session. Throws 0A000. */
function refuseSeed(tokens: readonly Token[]): void {
  if (!tokens.some(({ upper }, at) => upper === 'SETSEED' && isSign(tokens[at + 1], '('))) return;
  throw new ProtocolError(
    '0A000',
    'SETSEED is not available; RANDOM(seed) returns the same numbers each time',
  );
}

function answerCall(
  tokens: readonly Token[],
  state: SessionState,
  formats: readonly number[],
): Answer | null {
  const tokenTexts = tokens.map(({ text, upper }) => upper || text);
  const alias = tokenTexts.at(-2) === 'AS' ? tokens[tokenTexts.length - 1].text : null;
  const callText = (alias === null ? tokenTexts : tokenTexts.slice(0, -2))
    .join(' ')
    .replace('PG_CATALOG . ', '');
  const { databaseName, userName } = state;
  const calls: readonly (readonly [text: string, name: string, value: string, type?: ImmediateType])[] = [
    ['SELECT VERSION ( )', 'version', `PostgreSQL ${SERVER_VERSION} (Quarry)`],
    ['SELECT CURRENT_SCHEMA ( )', 'current_schema', 'public'],
    ['SELECT CURRENT_SCHEMA', 'current_schema', 'public'],
    ['SELECT CURRENT_DATABASE ( )', 'current_database', databaseName],
    ['SELECT CURRENT_CATALOG', 'current_catalog', databaseName],
    ['SELECT CURRENT_USER', 'current_user', userName],
    ['SELECT SESSION_USER', 'session_user', userName],
    ['SELECT USER', 'user', userName],
    ['SELECT PG_BACKEND_PID ( )', 'pg_backend_pid', String(state.processId), 'integer'],
    ['SELECT PG_IS_IN_RECOVERY ( )', 'pg_is_in_recovery', 'f', 'boolean'],
    // Locks do not exist.
    ['SELECT PG_ADVISORY_UNLOCK_ALL ( )', 'pg_advisory_unlock_all', '', 'void'],
  ];
  const found = calls.find(([text]) => text === callText);
  if (found === undefined) return null;
  const [, name, value, type = 'text'] = found;
  return oneRow([fieldOf(alias ?? name, type)], () => [value], formats, 'SELECT 1');
}

/** set_config('name', 'value', false) or current_setting('name'). */
interface SettingCall {
  readonly sets: boolean;
  readonly args: readonly Token[];
  readonly alias: string;
}

/** Answers a SELECT of such calls, optionally FROM pg_show_all_settings() WHERE name = 'name', which is one row. */
function answerSettings(
  tokens: readonly Token[],
  state: SessionState,
  formats: readonly number[],
  parameters: () => readonly SqlParameter[],
): Answer | null {
  const calls = new SettingReader(tokens).read();
  if (calls === null) return null;
  const isKnown = ({ args: [name] }: SettingCall): boolean => state.settings.show(name.text) !== null;
  if (!calls.some(({ sets }) => sets) && !calls.every(isKnown)) return null;
  const fields = calls.map(({ alias }) => fieldOf(alias, 'text'));
  const rowValues = (): readonly (string | null)[] => {
    const values = parameters();
    return calls.map(({ sets, args }) => {
      const [name, value = null, flag = null] = args.map((arg) => textOf(arg, values));
      if (name === null) throw new ProtocolError('22004', 'the name of a setting is missing');
      if (sets && value === null) state.settings.reset(name);
      else if (sets && value !== null) state.settings.set(name, value, isTrue(flag));
      return shown(name, value, state);
    });
  };
  return oneRow(fields, rowValues, formats, 'SELECT 1');
}

const isTrue = (text: string | null): boolean => /^(t|true|on|1|yes)$/i.test(text ?? '');

/** The value of a setting. `missing` is the second argument of current_setting. Throws 42704. */
function shown(name: string, missing: string | null, { settings }: SessionState): string | null {
  const value = settings.show(name);
  if (value !== null || isTrue(missing)) return value;
  throw new ProtocolError('42704', `there is no setting ${JSON.stringify(name)}`);
}

function textOf(arg: Token, parameters: readonly SqlParameter[]): string | null {
  const number = parameterOf(arg);
  if (number === null) return arg.kind === 'word' ? arg.text.toLowerCase() : arg.text;
  const value = parameters[number - 1];
  if (value === undefined || value.is === 'null') return null;
  return value.is === 'boolean' ? String(value.value) : value.text;
}

class SettingReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Returns null if the statement has another form. */
  read(): readonly SettingCall[] | null {
    if (!this.#accept('SELECT')) return null;
    const calls: SettingCall[] = [];
    do {
      const call = this.#call();
      if (call === null) return null;
      calls.push(call);
    } while (this.#acceptSign(','));
    const isWhole = this.#at === this.#tokens.length || this.#isFromOneSetting();
    return isWhole ? calls : null;
  }

  #call(): SettingCall | null {
    if (this.#accept('PG_CATALOG') && !this.#acceptSign('.')) return null;
    const name = this.#tokens[this.#at++]?.text.toLowerCase() ?? '';
    const sets = name === 'set_config';
    if ((!sets && name !== 'current_setting') || !this.#acceptSign('(')) return null;
    const args: Token[] = [];
    do {
      const arg = this.#argument();
      if (arg === null) return null;
      args.push(arg);
    } while (this.#acceptSign(','));
    const isFilled = sets ? args.length === 3 : args.length <= 2 && args[0].kind === 'single';
    if (!this.#acceptSign(')') || !isFilled) return null;
    return { sets, args, alias: this.#alias() ?? name };
  }

  /** 'text', TRUE, FALSE or $1, optionally cast to a type. */
  #argument(): Token | null {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return null;
    const isValue =
      token.kind === 'single' || ['TRUE', 'FALSE'].includes(token.upper) || parameterOf(token) !== null;
    if (!isValue) return null;
    if (this.#acceptSign('::')) this.#at++;
    return token;
  }

  #alias(): string | null {
    const isNamed = this.#accept('AS');
    const token = this.#tokens[this.#at];
    if (token === undefined || !isName(token) || (!isNamed && token.upper === 'FROM')) return null;
    this.#at++;
    return token.text;
  }

  #isFromOneSetting(): boolean {
    const rest = this.#tokens.slice(this.#at).map(({ kind, text }) => (kind === 'single' ? "'" : text));
    const tail = rest.join(' ').toLowerCase().replace('pg_catalog . ', '');
    return tail === "from pg_show_all_settings ( ) where name = '";
  }

  #accept(word: string): boolean {
    if (this.#tokens[this.#at]?.upper !== word) return false;
    this.#at++;
    return true;
  }

  #acceptSign(sign: string): boolean {
    if (!isSign(this.#tokens[this.#at], sign)) return false;
    this.#at++;
    return true;
  }
}
