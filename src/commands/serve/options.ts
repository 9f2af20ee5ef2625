/**
 * The table of the options of `quarry serve`. It defines the flags, the environment names, the keys of the config file, the
 * help text and the check of each value.
 * Invariants: an option has one entry; its flag is `--name`, its environment name QUARRY_NAME with underscores, its config
 * key `name`; every invalid value is refused here.
 */
import { INLET_NAMES, parseInlets, parseProxies } from '../../http/index.js';
import { AUTHENTICATION_METHODS } from '../../pg/index.js';

/** The properties of the machine on which defaults and percentages depend. */
export interface Machine {
  readonly cpuCount: number;
  /** Memory that this process may use: the machine's memory or a smaller limit of its cgroup. */
  readonly memoryBytes: number;
}

export type OptionValue = string | number | boolean | null | readonly string[];
export type Parsed = { readonly value: OptionValue } | { readonly wrong: string };

export interface Option {
  readonly name: string;
  /** The value's name in the help text; null for switches, which take no value. */
  readonly argument: string | null;
  readonly help: string;
  /** Text of the default value, read by `parse`; null = not set. */
  readonly fallback: ((machine: Machine) => string) | null;
  readonly parse: (text: string, machine: Machine) => Parsed;
  /** Whether the option may be repeated or have several values separated by commas. */
  readonly list?: boolean;
  /** Whether the option is allowed on the command line only. */
  readonly flagOnly?: boolean;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const DURABILITIES = ['fsync', 'interval', 'none'] as const;

const WORKERS_MAX = 256;
const SHARDS_MAX = 1024;
/** A JS Map holds at most 2^24 entries. */
const IDEMPOTENCY_ENTRIES_MAX = 10_000_000;
const LINE_KEYS_MAX = 500_000_000;
const MEMORY_BYTES_MIN = 2 ** 20;
const QUERY_SECONDS_MAX = 86_400;
const SLOW_QUERY_MS_MAX = QUERY_SECONDS_MAX * 1_000;

export const OPTIONS: readonly Option[] = [
  {
    name: 'data-dir',
    argument: 'DIR',
    help: 'directory for all data',
    fallback: () => 'data/store',
    parse: text('a directory'),
  },
  {
    name: 'host',
    argument: 'ADDRESS',
    help: 'address to listen on',
    fallback: () => '127.0.0.1',
    parse: text('an address'),
  },
  {
    name: 'https-port',
    argument: 'PORT',
    help: 'port for HTTPS, which serves all endpoints; 0 = any free port',
    fallback: () => '8443',
    parse: whole(0, 65_535),
  },
  {
    name: 'http-port',
    argument: 'PORT',
    help: 'port for HTTP, which serves /v1/insert, probes and metrics; 0 = any free port',
    fallback: () => '8080',
    parse: whole(0, 65_535),
  },
  {
    name: 'pg-port',
    argument: 'PORT',
    help: 'port for Postgres clients (default: none); 0 = any free port',
    fallback: null,
    parse: whole(0, 65_535),
  },
  {
    name: 'pg-auth',
    argument: 'METHOD',
    help: 'how Postgres clients present their keys: password (in clear text, over TLS) or scram (SCRAM-SHA-256)',
    fallback: () => 'password',
    parse: choice(AUTHENTICATION_METHODS),
  },
  {
    name: 'workers',
    argument: 'N',
    help: 'worker threads (default: one per core)',
    fallback: (machine) => String(Math.min(machine.cpuCount, WORKERS_MAX)),
    parse: whole(1, WORKERS_MAX),
  },
  {
    name: 'shards',
    argument: 'N',
    help: 'shards of every dimension (default: the number in the data directory; at the first start one per worker)',
    fallback: null,
    parse: whole(1, SHARDS_MAX),
  },
  {
    name: 'memory-limit',
    argument: 'SIZE',
    help: 'memory for data: bytes, 512MiB, 4GiB, 8GB or a share of the machine or cgroup such as 70%',
    fallback: () => '70%',
    parse: memory,
  },
  {
    name: 'spill-limit',
    argument: 'SIZE',
    help: 'disk for rows of queries that have too little memory: bytes, 512MiB, 4GiB; one query may use half of it',
    fallback: () => '16GiB',
    parse: disk,
  },
  {
    name: 'durability',
    argument: 'MODE',
    help: 'when a write is on disk: fsync: before the answer; interval: soon after it; none: when the system decides',
    fallback: () => 'fsync',
    parse: choice(DURABILITIES),
  },
  {
    name: 'archive-log',
    argument: 'DIR',
    help: 'folder for copies of complete log files; a file is complete at most a minute after its first write',
    fallback: null,
    parse: text('a directory'),
  },
  {
    name: 'limits',
    argument: 'spec|off|FILE',
    help: 'rates and plans: those of the interface, none, or with the values of a TOML file',
    fallback: () => 'spec',
    parse: text('spec, off or a file'),
  },
  {
    name: 'query-timeout',
    argument: 'SECONDS',
    help: 'time limit of a query; a longer query is stopped',
    fallback: () => '30',
    parse: whole(1, QUERY_SECONDS_MAX),
  },
  {
    name: 'idempotency-entries',
    argument: 'N',
    help: 'number of Idempotency-Keys stored, each for 24 hours; beyond it, writes with a new key are refused',
    fallback: () => '1000000',
    parse: whole(1, IDEMPOTENCY_ENTRIES_MAX),
  },
  {
    name: 'line-keys',
    argument: 'N',
    help: 'number of keys of dedupe=FIELD stored for 24 hours; lines with further keys are refused',
    fallback: () => '10000000',
    parse: whole(1, LINE_KEYS_MAX),
  },
  { name: 'cert', argument: 'FILE', help: 'certificate chain, PEM', fallback: null, parse: text('a file') },
  {
    name: 'key',
    argument: 'FILE',
    help: 'private key, PEM (without cert and key, a self-signed pair is created in the data directory)',
    fallback: null,
    parse: text('a file'),
  },
  {
    name: 'trust-proxy',
    argument: 'CIDR',
    help: 'network whose X-Forwarded-Proto and X-Forwarded-For are trusted; may be repeated',
    fallback: () => '',
    parse: networks,
    list: true,
  },
  {
    name: 'inlets',
    argument: 'NAMES',
    help: `protocols of other products that are served: ${INLET_NAMES.join(', ')}; NAME:DIMENSION sets the dimension`,
    fallback: () => '',
    parse: inlets,
    list: true,
  },
  {
    name: 'log-level',
    argument: 'LEVEL',
    help: LOG_LEVELS.join(', '),
    fallback: () => 'info',
    parse: choice(LOG_LEVELS),
  },
  {
    name: 'slow-query',
    argument: 'MS|off',
    help: 'log queries that take at least this many milliseconds, with plan and text (which may hold values)',
    fallback: () => '1000',
    parse: milliseconds,
  },
  {
    name: 'audit-log',
    argument: 'FILE',
    help: 'file for audit lines, one per administrative change and sign-in; reopened on SIGHUP',
    fallback: null,
    parse: text('a file'),
  },
  {
    name: 'config',
    argument: 'FILE',
    help: 'TOML file whose keys are options without the leading dashes',
    fallback: null,
    parse: text('a file'),
  },
  switchOption('print-config', 'print every option with its value and source, and exit'),
  switchOption('check-config', 'check the options and exit'),
  switchOption('help', 'print this text and exit'),
];

export const ENVIRONMENT_PREFIX = 'QUARRY_';

export function environmentNameOf(option: Option): string {
  return `${ENVIRONMENT_PREFIX}${option.name.toUpperCase().replaceAll('-', '_')}`;
}

/** Formats the help text of `quarry serve`. */
export function helpText(): string {
  const left = OPTIONS.map(({ name, argument }) => `--${name}${argument === null ? '' : ` ${argument}`}`);
  const width = Math.max(...left.map((flag) => flag.length)) + 2;
  const lines = OPTIONS.map((option, index) => {
    const { help, fallback, argument } = option;
    const constant = argument !== null && fallback !== null && option.name !== 'workers';
    const text = constant ? fallback({ cpuCount: 0, memoryBytes: 0 }) : '';
    return `  ${left[index].padEnd(width)}${help}${text === '' ? '' : ` (default: ${text})`}`;
  });
  return [
    'quarry serve [options]',
    '',
    ...lines,
    '',
    'All options except the last three can also be set by an environment variable (--data-dir: QUARRY_DATA_DIR) and,',
    'except --config, in the config file. Flags override the environment, which overrides the file.',
    '',
    '  quarry serve --data-dir /var/lib/quarry --host 0.0.0.0 --memory-limit 60%',
    '  quarry serve --config /etc/quarry/quarry.toml --check-config',
    '',
    'Exit code 0: stopped by SIGTERM or SIGINT, everything on disk; 1: the server could not start; 2: wrong options; 3: the',
    'data directory is damaged or of a newer release; 70: the server stopped because a write or sync of the log failed.',
    '',
  ].join('\n');
}

function switchOption(name: string, help: string): Option {
  return { name, argument: null, help, fallback: () => 'false', parse: choiceOfSwitch, flagOnly: true };
}

function choiceOfSwitch(text: string): Parsed {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { wrong: 'the flag takes no value' };
}

function text(what: string): Option['parse'] {
  return (text) => (text === '' ? { wrong: `expected ${what}, not an empty text` } : { value: text });
}

function whole(low: number, high: number): Option['parse'] {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= low && value <= high
      ? { value }
      : { wrong: `expected a whole number from ${low} to ${high}, not ${JSON.stringify(text)}` };
  };
}

function milliseconds(text: string): Parsed {
  if (text === 'off') return { value: 'off' };
  const value = /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN;
  return value <= SLOW_QUERY_MS_MAX
    ? { value }
    : {
        wrong: `expected off or a whole number up to ${SLOW_QUERY_MS_MAX}, not ${JSON.stringify(text)}`,
      };
}

function choice(values: readonly string[]): Option['parse'] {
  return (text) =>
    values.includes(text)
      ? { value: text }
      : { wrong: `expected one of ${values.join(', ')}, not ${JSON.stringify(text)}` };
}

/** The blocks of a spill space are counted in 31 bits. */
const DISK_BYTES_MAX = 64 * 2 ** 40;

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
  ['tib', 2 ** 40],
]);

function memory(text: string, machine: Machine): Parsed {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*(%|[a-z]{0,3})$/i.exec(text);
  const unit = match?.[2].toLowerCase() ?? '';
  const factor = unit === '%' ? machine.memoryBytes / 100 : UNIT_BYTES.get(unit);
  if (match === null || factor === undefined || (unit === '%' && Number(match[1]) > 100)) {
    return {
      wrong: `expected a size such as 4GiB, a number of bytes or a share up to 100%, not ${JSON.stringify(text)}`,
    };
  }
  const bytes = Math.floor(Number(match[1]) * factor);
  return bytes >= MEMORY_BYTES_MIN && Number.isSafeInteger(bytes)
    ? { value: bytes }
    : { wrong: `expected at least 1MiB; ${text} is ${bytes} bytes` };
}

function disk(text: string): Parsed {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]{0,3})$/i.exec(text);
  const factor = UNIT_BYTES.get(match?.[2].toLowerCase() ?? '');
  if (match === null || factor === undefined) {
    return { wrong: `expected a size such as 4GiB or a number of bytes, not ${JSON.stringify(text)}` };
  }
  const bytes = Math.floor(Number(match[1]) * factor);
  return bytes <= DISK_BYTES_MAX
    ? { value: bytes }
    : { wrong: `expected at most 64TiB; ${text} is ${bytes} bytes` };
}

const itemsOf = (text: string): readonly string[] =>
  text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));

function inlets(text: string): Parsed {
  const list = itemsOf(text);
  const settings = parseInlets(list);
  if (!('bad' in settings)) return { value: list };
  const names = INLET_NAMES.join(', ');
  return { wrong: `expected different names of ${names}, not ${JSON.stringify(settings.bad)}` };
}

function networks(text: string): Parsed {
  const list = itemsOf(text);
  const proxies = parseProxies(list);
  return 'bad' in proxies
    ? { wrong: `expected a network such as 10.0.0.0/8, not ${JSON.stringify(proxies.bad)}` }
    : { value: list };
}
