/** SET and SHOW of one session: what clients set at their start is kept and told, and changes nothing but what it says. */
import { durationMs, durationText } from './durations.js';
import { ProtocolFault } from './fault.js';

/** Of the catalog that answers for this server. */
export const SERVER_VERSION = '18.6';

/** Told at the start and by SHOW. */
const FIXED: ReadonlyMap<string, string> = new Map([
  ['server_version', SERVER_VERSION],
  ['server_version_num', '180006'],
  ['server_encoding', 'UTF8'],
  ['integer_datetimes', 'on'],
  ['in_hot_standby', 'off'],
  ['default_transaction_read_only', 'on'],
  ['transaction_read_only', 'on'],
  ['transaction_isolation', 'read committed'],
  ['max_identifier_length', '63'],
]);
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['client_encoding', 'UTF8'],
  ['datestyle', 'ISO, MDY'],
  ['intervalstyle', 'postgres'],
  ['timezone', 'UTC'],
  ['standard_conforming_strings', 'on'],
  ['search_path', 'public'],
  ['application_name', ''],
  ['extra_float_digits', '1'],
  ['statement_timeout', '0'],
  ['lock_timeout', '0'],
  ['bytea_output', 'hex'],
  ['jit', 'off'],
]);
/** Names as ParameterStatus writes them. */
const REPORTED: ReadonlyMap<string, string> = new Map([
  ['server_version', 'server_version'],
  ['server_encoding', 'server_encoding'],
  ['client_encoding', 'client_encoding'],
  ['datestyle', 'DateStyle'],
  ['intervalstyle', 'IntervalStyle'],
  ['timezone', 'TimeZone'],
  ['integer_datetimes', 'integer_datetimes'],
  ['standard_conforming_strings', 'standard_conforming_strings'],
  ['in_hot_standby', 'in_hot_standby'],
  ['default_transaction_read_only', 'default_transaction_read_only'],
  ['application_name', 'application_name'],
]);
/** What these are set to must be what they are anyway. */
const HELD: ReadonlyMap<string, RegExp> = new Map([
  // Signs in it count for nothing: asyncpg puts it in quotes.
  ['client_encoding', /^[^a-z0-9]*(utf[^a-z0-9]*8|unicode)[^a-z0-9]*$/i],
  ['standard_conforming_strings', /^(on|true|yes|1)$/i],
  ['datestyle', /^iso\b/i],
  ['default_transaction_read_only', /^(on|true|yes|1|off|false|no|0)$/i],
  ['transaction_read_only', /^(on|true|yes|1)$/i],
]);
/** Dates come in UTC, and say so, whatever zone a client sets; what it set is not told as if it held. */
const TOLD_AS_IS: ReadonlySet<string> = new Set(['timezone', 'datestyle', 'client_encoding']);

const STATEMENT_TIMEOUT = 'statement_timeout';

function durationOf(key: string, value: string): number {
  const ms = durationMs(value);
  if (ms !== null) return ms;
  const wanted = 'it is a number of milliseconds, or one with its unit (us, ms, s, min, h, d)';
  throw new ProtocolFault('22023', `${key} cannot be ${JSON.stringify(value.slice(0, 80))}: ${wanted}`);
}

const NAMES_MAX = 100;
const VALUE_LENGTH_MAX = 1_000;

export class Settings {
  readonly #set = new Map<string, string>();
  /** Up to the end of the transaction, instead of the others. */
  readonly #local = new Map<string, string>();

  /** Throws 22023 for what cannot be, 55P02 for what cannot be changed. */
  set(name: string, value: string, isLocal = false): void {
    const key = name.toLowerCase();
    const held = HELD.get(key);
    if (held !== undefined && !held.test(value.trim())) {
      throw new ProtocolFault('22023', `${key} cannot be ${JSON.stringify(value.slice(0, 80))} here`);
    }
    if (FIXED.has(key) && held === undefined) throw new ProtocolFault('55P02', `${key} cannot be changed`);
    if (TOLD_AS_IS.has(key) || FIXED.has(key)) return;
    const kept = isLocal ? this.#local : this.#set;
    if (key.length + value.length > VALUE_LENGTH_MAX || (kept.size >= NAMES_MAX && !kept.has(key))) {
      throw new ProtocolFault(
        '54000',
        `at most ${NAMES_MAX} settings of ${VALUE_LENGTH_MAX} characters are kept`,
      );
    }
    kept.set(key, key === STATEMENT_TIMEOUT ? durationText(durationOf(key, value)) : value);
    if (!isLocal) this.#local.delete(key);
  }

  /** Forgets what was set for the transaction alone. */
  endTransaction(): void {
    this.#local.clear();
  }

  /** Of one statement; 0 = none is set. */
  get statementMsMax(): number {
    return durationOf(STATEMENT_TIMEOUT, this.show(STATEMENT_TIMEOUT) ?? '0');
  }

  /** null = all. */
  reset(name: string | null): void {
    for (const kept of [this.#set, this.#local]) {
      if (name === null) kept.clear();
      else kept.delete(name.toLowerCase());
    }
  }

  /** null = it is none of the session's own. */
  show(name: string): string | null {
    const key = name.toLowerCase();
    return this.#local.get(key) ?? this.#set.get(key) ?? DEFAULTS.get(key) ?? FIXED.get(key) ?? null;
  }

  /** For the start of a session. */
  reported(): readonly (readonly [name: string, value: string])[] {
    return [...REPORTED].map(([key, name]) => [name, this.show(key) ?? ''] as const);
  }
}
