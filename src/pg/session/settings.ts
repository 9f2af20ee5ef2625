/** Settings of one session for SET and SHOW. Most are stored and reported without any effect. */

import type { SqlDialect } from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';

/** The version of the Postgres in the catalog. */
export const SERVER_VERSION = '18.6';

/** Settings that cannot be changed. */
const FIXED: ReadonlyMap<string, string> = new Map([
  ['server_version', SERVER_VERSION],
  ['server_version_num', '180006'],
  ['server_encoding', 'UTF8'],
  ['integer_datetimes', 'on'],
  ['in_hot_standby', 'off'],
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
  ['quarry.dialect', 'postgres'],
  ['default_transaction_read_only', 'off'],
  ['default_transaction_isolation', 'read committed'],
]);
/** Settings of a transaction, by those from which they begin. */
const OF_TRANSACTION: ReadonlyMap<string, string> = new Map([
  ['transaction_read_only', 'default_transaction_read_only'],
  ['transaction_isolation', 'default_transaction_isolation'],
]);
/** Settings reported by ParameterStatus, with their names in it. */
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
const LEVELS = /^(serializable|repeatable\s*read|read\s*(un)?committed)$/i;
/** Settings that only accept their present value. */
const REQUIRED_VALUES: ReadonlyMap<string, RegExp> = new Map([
  // Punctuation is ignored: asyncpg quotes the value.
  ['client_encoding', /^[^a-z0-9]*(utf[^a-z0-9]*8|unicode)[^a-z0-9]*$/i],
  ['standard_conforming_strings', /^(on|true|yes|1)$/i],
  ['datestyle', /^iso\b/i],
  ['default_transaction_read_only', /^(on|true|yes|1|off|false|no|0)$/i],
  ['transaction_read_only', /^(on|true|yes|1|off|false|no|0)$/i],
  ['quarry.dialect', /^(http|postgres)$/i],
  ['transaction_isolation', LEVELS],
  ['default_transaction_isolation', LEVELS],
]);
/** Settings that SET accepts but does not store, so that SHOW reports the actual value: dates are always in UTC. */
const NOT_STORED: ReadonlySet<string> = new Set(['timezone', 'datestyle', 'client_encoding']);

const STATEMENT_TIMEOUT = 'statement_timeout';

function durationOf(key: string, value: string): number {
  const ms = durationMs(value);
  if (ms !== null) return ms;
  const wanted = 'it requires a number of milliseconds, or a number with a unit (us, ms, s, min, h, d)';
  throw new ProtocolError('22023', `${key} cannot be ${JSON.stringify(value.slice(0, 80))}: ${wanted}`);
}

const NAMES_MAX = 100;
const VALUE_LENGTH_MAX = 1_000;

export class Settings {
  readonly #set = new Map<string, string>();
  /** Settings of SET LOCAL, which take precedence until the end of the transaction. */
  readonly #local = new Map<string, string>();

  /** Throws 22023 for an invalid value, 55P02 for a setting that cannot be changed, 54000 for too many or too long ones. */
  set(name: string, value: string, isLocal = false): void {
    const key = name.toLowerCase();
    const required = REQUIRED_VALUES.get(key);
    if (required !== undefined && !required.test(value.trim())) {
      throw new ProtocolError('22023', `${key} cannot be ${JSON.stringify(value.slice(0, 80))} here`);
    }
    if (FIXED.has(key) && required === undefined)
      throw new ProtocolError('55P02', `${key} cannot be changed`);
    if (NOT_STORED.has(key) || FIXED.has(key)) return;
    const values = isLocal || OF_TRANSACTION.has(key) ? this.#local : this.#set;
    if (key.length + value.length > VALUE_LENGTH_MAX || (values.size >= NAMES_MAX && !values.has(key))) {
      throw new ProtocolError(
        '54000',
        `the limit is ${NAMES_MAX} settings of ${VALUE_LENGTH_MAX} characters`,
      );
    }
    values.set(key, key === STATEMENT_TIMEOUT ? durationText(durationOf(key, value)) : value);
    if (!isLocal) this.#local.delete(key);
  }

  /** Resets the settings of SET LOCAL. */
  endTransaction(): void {
    this.#local.clear();
  }

  /** The rules of SELECTs: those of PostgreSQL, or those of POST /v1/sql. */
  get dialect(): SqlDialect {
    return this.show('quarry.dialect')?.toLowerCase() === 'http' ? 'http' : 'postgres';
  }

  /** Whether the transaction is READ ONLY. */
  get isReadOnly(): boolean {
    return /^(on|true|yes|1)$/i.test(this.show('transaction_read_only') ?? '');
  }

  /** Whether all SELECTs of the transaction read one version of the data. */
  get readsOneVersion(): boolean {
    return /^(serializable|repeatable)/i.test(this.show('transaction_isolation') ?? '');
  }

  /** Time limit of one statement; 0 = none. */
  get statementMsMax(): number {
    return durationOf(STATEMENT_TIMEOUT, this.show(STATEMENT_TIMEOUT) ?? '0');
  }

  /** Resets a setting to its default; null = all. */
  reset(name: string | null): void {
    for (const values of [this.#set, this.#local]) {
      if (name === null) values.clear();
      else values.delete(name.toLowerCase());
    }
  }

  /** The value of a setting; null = unknown to the session. */
  show(name: string): string | null {
    const key = name.toLowerCase();
    const own = this.#local.get(key) ?? this.#set.get(key) ?? DEFAULTS.get(key) ?? FIXED.get(key) ?? null;
    const origin = OF_TRANSACTION.get(key);
    return own === null && origin !== undefined ? this.show(origin) : own;
  }

  /** The settings to report when a session starts. */
  reported(): readonly (readonly [name: string, value: string])[] {
    return [...REPORTED].map(([key, name]) => [name, this.show(key) ?? ''] as const);
  }
}

/** Durations in settings of Postgres: a number with an optional unit, by default milliseconds. */
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
  ['us', 0.001],
]);
const DURATION = /^\s*(\d{1,15}(?:\.\d{1,9})?)\s*(us|ms|s|min|h|d)?\s*$/;
const MS_MAX = 2 ** 31 - 1;

/** Parses a duration to whole milliseconds; null = invalid or too long. */
export function durationMs(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const ms = Math.round(Number(match[1]) * (UNIT_MS.get(match[2] ?? 'ms') ?? 1));
  return ms <= MS_MAX ? ms : null;
}

/** Formats a duration in the longest unit without a remainder: '0', '5s', '1500ms'. */
export function durationText(ms: number): string {
  if (ms === 0) return '0';
  const [unit, each] = [...UNIT_MS].find(([, unitMs]) => ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / each}${unit}`;
}
