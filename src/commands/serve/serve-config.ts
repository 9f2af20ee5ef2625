/**
 * Reads the options of `quarry serve`. Precedence: flag, environment, config file, default.
 * Invariants: an unknown flag or key, an invalid value, or a file that cannot be read stops the start with exit code 2 and
 * a message that names it; pure except for the files read through `readText`.
 */
import { parse as parseToml } from 'smol-toml';
import { type LimitTable, SPEC_LIMITS } from '../../http/index.js';
import type { AuthenticationMethod } from '../../pg/index.js';
import { suggestionOf } from '../nearest.js';
import { limitsText, readLimits } from './limits-file.js';
import {
  ENVIRONMENT_PREFIX,
  environmentNameOf,
  type Machine,
  OPTIONS,
  type Option,
  type OptionValue,
} from './options.js';

export interface ServeConfig {
  readonly dataDir: string;
  readonly host: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  /** Port for Postgres clients; null = none. */
  readonly pgPort: number | null;
  readonly pgAuth: AuthenticationMethod;
  readonly workers: number;
  /** null = the number of the data directory; at the first start one per worker. */
  readonly shards: number | null;
  readonly memoryLimitBytes: number;
  /** Disk for rows of queries that have too little memory. */
  readonly spillBytesMax: number;
  readonly durability: 'fsync' | 'interval' | 'none';
  /** null = none. */
  readonly archiveDir: string | null;
  /** null = off. */
  readonly limits: LimitTable | null;
  /** Maximum number of stored Idempotency-Keys. */
  readonly idempotencyEntries: number;
  readonly lineKeys: number;
  /** Time limit of a query. */
  readonly querySeconds: number;
  /** `cert` and `key` are both set or both null. */
  readonly cert: string | null;
  readonly key: string | null;
  readonly trustProxy: readonly string[];
  /** Names of inlets, each with its dimension behind a colon if that is not the default one. */
  readonly inlets: readonly string[];
  readonly logLevel: string;
  /** Minimum duration of a logged query in milliseconds; null = no query is logged. */
  readonly slowQueryMs: number | null;
  /** null = the audit is only in the log. */
  readonly auditLog: string | null;
}

export type ConfigAction = 'serve' | 'print-config' | 'check-config' | 'help';
export type Source = 'flag' | 'environment' | 'file' | 'default';

export interface ReadConfig {
  readonly action: ConfigAction;
  readonly config: ServeConfig;
  /** Every option with its value and source, as TOML, for --print-config. */
  readonly text: string;
  /** Warnings: unknown environment names that begin with QUARRY_. */
  readonly warnings: readonly string[];
}

export interface ConfigError {
  readonly error: string;
  readonly exitCode: 2;
}

export interface ConfigContext {
  readonly machine: Machine;
  /** A file's text; throws when it cannot be read. */
  readonly readText: (path: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

class OptionError extends Error {}

interface Setting {
  readonly text: string;
  readonly source: Source;
  /** The source's name in messages: `--https-port`, `QUARRY_HTTPS_PORT`, `https-port in quarry.toml`. */
  readonly sourceName: string;
}

export function readOptions(
  argv: readonly string[],
  env: Environment,
  context: ConfigContext,
): ReadConfig | ConfigError {
  try {
    const flags = readFlags(argv);
    if (flags.has('help')) return read('help', new Map(), context, []);
    const environment = readEnvironment(env);
    const file = flags.get('config') ?? environment.get('config');
    const keys = file === undefined ? new Map<string, Setting>() : readFile(file, context);
    const settings = new Map([...keys, ...environment, ...flags]);
    const action = flags.has('print-config')
      ? 'print-config'
      : flags.has('check-config')
        ? 'check-config'
        : 'serve';
    return read(action, settings, context, warningsOf(env));
  } catch (error) {
    if (error instanceof OptionError) return { error: error.message, exitCode: 2 };
    throw error;
  }
}

function readFlags(argv: readonly string[]): Map<string, Setting> {
  const settings = new Map<string, Setting>();
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index];
    if (!word.startsWith('--')) throw new OptionError(`unexpected argument ${JSON.stringify(word)}`);
    const equals = word.indexOf('=');
    const name = word.slice(2, equals === -1 ? undefined : equals);
    const sourceName = `--${name}`;
    const option = optionNamed(name);
    if (option === undefined)
      throw new OptionError(`unknown flag ${sourceName}${suggestionOf(name, OPTION_NAMES, '--')}`);
    let text: string;
    if (equals !== -1) text = word.slice(equals + 1);
    else if (option.argument === null) text = 'true';
    else {
      index++;
      if (index === argv.length) throw new OptionError(`${sourceName}: ${option.argument} is missing`);
      text = argv[index];
    }
    const before = option.list === true ? settings.get(name) : undefined;
    settings.set(name, {
      text: before === undefined ? text : `${before.text},${text}`,
      source: 'flag',
      sourceName,
    });
  }
  return settings;
}

function readEnvironment(env: Environment): Map<string, Setting> {
  const settings = new Map<string, Setting>();
  for (const option of OPTIONS) {
    const sourceName = environmentNameOf(option);
    const text = env[sourceName];
    if (text !== undefined && option.flagOnly !== true) {
      settings.set(option.name, { text, source: 'environment', sourceName });
    }
  }
  return settings;
}

function readFile(file: Setting, context: ConfigContext): Map<string, Setting> {
  let table: Record<string, unknown>;
  try {
    table = parseToml(context.readText(file.text));
  } catch (error) {
    throw new OptionError(`${file.sourceName}: ${file.text}: ${(error as Error).message}`);
  }
  const settings = new Map<string, Setting>();
  for (const [name, value] of Object.entries(table)) {
    const option = optionNamed(name);
    if (option === undefined || option.flagOnly === true || name === 'config') {
      throw new OptionError(
        `unknown key ${JSON.stringify(name)} in ${file.text}${suggestionOf(name, OPTION_NAMES)}`,
      );
    }
    const sourceName = `${name} in ${file.text}`;
    settings.set(name, { text: tomlText(value, option, sourceName), source: 'file', sourceName });
  }
  return settings;
}

function tomlText(value: unknown, option: Option, source: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (option.list === true && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.join(',');
  }
  throw new OptionError(
    `${source}: expected ${option.list === true ? 'a list of texts' : 'a text or a number'}`,
  );
}

function read(
  action: ConfigAction,
  settings: ReadonlyMap<string, Setting>,
  context: ConfigContext,
  warnings: readonly string[],
): ReadConfig {
  const values = new Map<string, OptionValue>();
  const lines: string[] = [];
  for (const option of OPTIONS) {
    const from = settings.get(option.name);
    const text = from?.text ?? option.fallback?.(context.machine) ?? null;
    const parsed = text === null ? { value: null } : option.parse(text, context.machine);
    if ('wrong' in parsed) throw new OptionError(`${from?.sourceName ?? option.name}: ${parsed.wrong}`);
    values.set(option.name, parsed.value);
    if (option.flagOnly === true || option.name === 'config') continue;
    const source = `# ${from === undefined ? 'default' : from.sourceName}`;
    lines.push(
      parsed.value === null
        ? `# ${option.name} is not set`
        : `${option.name} = ${JSON.stringify(parsed.value)} ${source}`,
    );
  }
  const limits = limitsOf(
    values.get('limits') as string,
    settings.get('limits')?.sourceName ?? 'limits',
    context,
  );
  if (limits.text !== null) lines.push(...limits.text.split('\n').map((line) => `#   ${line}`));
  const config = configOf(values, limits.table);
  if ((config.cert === null) !== (config.key === null)) {
    const [there, missing] = config.cert === null ? ['key', 'cert'] : ['cert', 'key'];
    throw new OptionError(`${settings.get(there)?.sourceName}: requires ${missing} too`);
  }
  for (const name of ['cert', 'key'] as const) {
    const path = config[name];
    if (path !== null) readFileOf(path, settings.get(name)?.sourceName ?? name, context);
  }
  return { action, config, text: `${lines.join('\n')}\n`, warnings };
}

function readFileOf(path: string, source: string, context: ConfigContext): string {
  try {
    return context.readText(path);
  } catch (error) {
    throw new OptionError(`${source}: ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** The limits in force; null = none. `text` shows them when a file changed them. */
function limitsOf(
  value: string,
  source: string,
  context: ConfigContext,
): { readonly table: LimitTable | null; readonly text: string | null } {
  if (value === 'off') return { table: null, text: null };
  if (value === 'spec') return { table: SPEC_LIMITS, text: null };
  const table = readLimits(readFileOf(value, source, context));
  if ('wrong' in table) throw new OptionError(`${source}: ${value}: ${table.wrong}`);
  return { table, text: `the limits in force:\n${limitsText(table)}` };
}

/** Converts the values to the config; the table's `parse` functions return exactly these types. */
function configOf(values: ReadonlyMap<string, OptionValue>, limits: LimitTable | null): ServeConfig {
  const slowQuery = values.get('slow-query') as number | 'off';
  return {
    dataDir: values.get('data-dir') as string,
    host: values.get('host') as string,
    httpsPort: values.get('https-port') as number,
    httpPort: values.get('http-port') as number,
    pgPort: values.get('pg-port') as number | null,
    pgAuth: values.get('pg-auth') as ServeConfig['pgAuth'],
    workers: values.get('workers') as number,
    shards: values.get('shards') as number | null,
    memoryLimitBytes: values.get('memory-limit') as number,
    spillBytesMax: values.get('spill-limit') as number,
    durability: values.get('durability') as ServeConfig['durability'],
    archiveDir: values.get('archive-log') as string | null,
    limits,
    idempotencyEntries: values.get('idempotency-entries') as number,
    lineKeys: values.get('line-keys') as number,
    querySeconds: values.get('query-timeout') as number,
    cert: values.get('cert') as string | null,
    key: values.get('key') as string | null,
    trustProxy: values.get('trust-proxy') as readonly string[],
    inlets: values.get('inlets') as readonly string[],
    logLevel: values.get('log-level') as string,
    slowQueryMs: slowQuery === 'off' ? null : slowQuery,
    auditLog: values.get('audit-log') as string | null,
  };
}

/** Environment names read by the executable, by main and by client commands. */
const OTHER_NAMES = ['QUARRY_CACHE_DIR', 'QUARRY_KERNELS', 'QUARRY_URL', 'QUARRY_API_KEY', 'QUARRY_CA'];

function warningsOf(env: Environment): string[] {
  const options = OPTIONS.filter((option) => option.flagOnly !== true).map(environmentNameOf);
  const known = [...options, ...OTHER_NAMES];
  const tails = known.map((name) => name.slice(ENVIRONMENT_PREFIX.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(ENVIRONMENT_PREFIX) && !known.includes(name))
    .map((name) => {
      const hint = suggestionOf(name.slice(ENVIRONMENT_PREFIX.length), tails, ENVIRONMENT_PREFIX);
      return `the environment variable ${name} is not an option and is ignored${hint}`;
    });
}

function optionNamed(name: string): Option | undefined {
  return OPTIONS.find((option) => option.name === name);
}

const OPTION_NAMES: readonly string[] = OPTIONS.map(({ name }) => name);
