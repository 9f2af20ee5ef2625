/** Reads and checks the arguments and flags of `quarry import`. */
import os from 'node:os';
import { TEXT_CASES } from '../../interface/index.js';
import type { TextCase } from '../../schema/index.js';
import { type FlagKinds, type Flags, flagTextOf, readArguments, type Wrong } from '../admin/admin-options.js';
import { REMOTE_FLAGS } from '../remote/index.js';
import { ENCODINGS, type Encoding } from './formats/encoding.js';
import { FORMATS, type Format } from './formats/format.js';
import type { BaseType } from './mapping/guess.js';
import { API_NAME } from './mapping/server-model.js';
import { type TextReading, wrongFormat } from './mapping/text-reading.js';

export const LINE_ID = ':line';
const THREADS_DEFAULT_MAX = 4;
const THREADS_MAX = 64;

export interface EventFlag {
  readonly column: string;
  readonly value: string;
  readonly date: string;
}

export interface TypeFlag {
  readonly type: BaseType;
  readonly isList: boolean;
  readonly decimalPlaces: number | null;
}

export interface ImportOptions {
  /** "-" is standard input. */
  readonly files: readonly string[];
  readonly format: Format | null;
  readonly delimiter: string | null;
  readonly header: readonly string[] | null;
  /** null = that of the byte order mark, otherwise UTF-8. */
  readonly encoding: Encoding | null;
  readonly reading: TextReading;
  /** null = the dimension that the lines name, otherwise the default one. */
  readonly dimension: string | null;
  /** null = chosen by the columns' names; [LINE_ID] = the row's number. */
  readonly id: readonly string[] | null;
  readonly events: readonly EventFlag[];
  /** null = all. */
  readonly columns: readonly string[] | null;
  readonly skip: readonly string[];
  readonly renames: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, TypeFlag>;
  readonly nulls: readonly string[];
  readonly mayCreate: boolean;
  /** Case of the dimension and the string columns that the import creates; null = the default of the database. */
  readonly textCase: TextCase | null;
  readonly dryRun: boolean;
  /** Infinity = all. */
  readonly limit: number;
  readonly skipRows: number;
  readonly badFile: string | null;
  readonly badMax: number;
  readonly stateFile: string | null;
  readonly retrySeconds: number;
  readonly connections: number;
  /** Threads that make columns of texts. */
  readonly threads: number;
}

const TEXT_FLAGS = [
  'format',
  'delimiter',
  'header',
  'encoding',
  'decimal',
  'date-format',
  'dimension',
  'id',
  'event',
  'columns',
  'skip',
  'rename',
  'type',
  'null',
  'case',
  'limit',
  'skip-rows',
  'bad',
  'max-bad',
  'state',
  'retry-seconds',
  'connections',
  'threads',
] as const;
type TextFlag = (typeof TEXT_FLAGS)[number];

const FLAGS: FlagKinds = {
  ...REMOTE_FLAGS,
  ...Object.fromEntries(TEXT_FLAGS.map((name) => [name, { type: 'string' }] as const)),
  'no-create': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
};
/** Flags that may be repeated. */
const REPEATED: readonly string[] = ['event', 'columns', 'skip', 'rename', 'type', 'null', 'date-format'];
const CONNECTIONS_MAX = 64;
const RETRY_SECONDS_MAX = 86_400;
const DECIMAL_PLACES_MAX = 20;

export interface ImportLine {
  readonly options: ImportOptions;
  /** For `readRemote`. */
  readonly flags: Flags;
}

class WrongFlag extends Error {}

function wrong(text: string): never {
  throw new WrongFlag(text);
}

export function readImportLine(argv: readonly string[]): ImportLine | Wrong {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return read;
  const repeated = repeatedTexts(argv);
  try {
    return { options: optionsOf(read.positionals, read.flags, repeated), flags: read.flags };
  } catch (error) {
    if (error instanceof WrongFlag) return { wrong: error.message };
    throw error;
  }
}

/** All values of the flags that may be repeated: readArguments keeps only the last one. */
function repeatedTexts(argv: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>(REPEATED.map((name) => [name, []]));
  for (let at = 0; at < argv.length && argv[at] !== '--'; at++) {
    const [, name = '', , text] = /^--([a-z-]+)(=(.*))?$/s.exec(argv[at]) ?? [];
    const takesText = (FLAGS[name]?.type ?? 'boolean') === 'string';
    const value = text ?? (takesText ? argv[++at] : undefined);
    if (value !== undefined) texts.get(name)?.push(value);
  }
  return texts;
}

function optionsOf(
  positionals: readonly string[],
  flags: Flags,
  repeated: ReadonlyMap<string, readonly string[]>,
): ImportOptions {
  const text = (name: TextFlag): string | null => flagTextOf(flags, name) ?? null;
  const all = (name: TextFlag): readonly string[] => repeated.get(name) ?? [];
  const whole = (name: TextFlag, fallback: number, low: number, high: number): number => {
    const argument = text(name);
    if (argument === null) return fallback;
    const value = /^\d{1,15}$/.test(argument) ? Number(argument) : Number.NaN;
    return value >= low && value <= high
      ? value
      : wrong(`--${name}: expected a whole number from ${low} to ${high}, not ${JSON.stringify(argument)}`);
  };
  if (positionals.length === 0)
    return wrong('import takes files, directories, addresses, or - for standard input');
  if (new Set(positionals).size < positionals.length) wrong('a file is named more than once');
  const several = positionals.length > 1;
  if (several && (flags.has('bad') || flags.has('state')))
    wrong('--bad and --state can only be used with a single file');
  return {
    files: positionals,
    format: readFormat(text('format')),
    delimiter: readDelimiter(text('delimiter')),
    header: text('header') === null ? null : names('header', [text('header') ?? '']),
    encoding: readEncoding(text('encoding')),
    reading: {
      decimal: readDecimalSign(text('decimal')),
      dateFormats: all('date-format').map(readDateFormat),
    },
    dimension: readDimension(text('dimension')),
    id: text('id') === null ? null : names('id', [text('id') ?? '']),
    events: all('event').map(readEvent),
    columns: all('columns').length === 0 ? null : names('columns', all('columns')),
    skip: names('skip', all('skip')),
    renames: new Map(all('rename').map(readRename)),
    types: new Map(all('type').map(readType)),
    nulls: all('null'),
    mayCreate: !flags.has('no-create'),
    textCase: readTextCase(text('case')),
    dryRun: flags.has('dry-run'),
    limit: whole('limit', Number.POSITIVE_INFINITY, 1, 1e15),
    skipRows: whole('skip-rows', 0, 0, 1e15),
    badFile: text('bad'),
    badMax: whole('max-bad', Number.POSITIVE_INFINITY, 0, 1e15),
    stateFile: text('state'),
    retrySeconds: whole('retry-seconds', 60, 0, RETRY_SECONDS_MAX),
    connections: whole('connections', 4, 1, CONNECTIONS_MAX),
    threads: whole('threads', Math.min(THREADS_DEFAULT_MAX, os.availableParallelism()), 1, THREADS_MAX),
  };
}

/** Reads names separated by commas. */
function names(flag: string, texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => text.split(',').map((name) => name.trim()));
  if (found.includes('')) wrong(`--${flag}: expected names separated by commas, such as a,b`);
  return found;
}

function readFormat(value: string | null): Format | null {
  if (value === null) return null;
  return (
    FORMATS.find((format) => format === value) ?? wrong(`--format: expected one of ${FORMATS.join(', ')}`)
  );
}

function readEncoding(value: string | null): Encoding | null {
  if (value === null) return null;
  return (
    ENCODINGS.find((encoding) => encoding === value.toLowerCase()) ??
    wrong(`--encoding: expected one of ${ENCODINGS.join(', ')}, not ${JSON.stringify(value)}`)
  );
}

function readDecimalSign(value: string | null): '.' | ',' {
  if (value === null || value === '.' || value === ',') return value ?? '.';
  return wrong(`--decimal: expected , or . and not ${JSON.stringify(value)}`);
}

function readDateFormat(format: string): string {
  const reason = wrongFormat(format);
  return reason === null ? format : wrong(`--date-format: ${reason}`);
}

function readTextCase(value: string | null): TextCase | null {
  if (value === null) return null;
  return (
    TEXT_CASES.find((textCase) => textCase === value) ??
    wrong(`--case: expected one of ${TEXT_CASES.join(', ')}, not ${JSON.stringify(value)}`)
  );
}

function readDelimiter(value: string | null): string | null {
  const delimiter = value === '\\t' || value === 'tab' ? '\t' : value;
  if (delimiter === null || (delimiter.length === 1 && !/["\r\n]/.test(delimiter))) return delimiter;
  return wrong(`--delimiter: expected one character such as ; or \\t, not ${JSON.stringify(value)}`);
}

const NAME_RULE = 'at most 64 lower-case letters, digits and dashes';

function readDimension(value: string | null): string | null {
  if (value === null || API_NAME.test(value)) return value;
  return wrong(`--dimension: expected a name of ${NAME_RULE}, not ${JSON.stringify(value)}`);
}

function readEvent(text: string): EventFlag {
  const [column = '', value = '', ...rest] = text.split(':');
  const date = rest.join(':');
  if (!API_NAME.test(column) || value === '' || date === '') {
    wrong(
      `--event: expected COLUMN:VALUE:DATE (the column's name and two columns of the file), not ${JSON.stringify(text)}`,
    );
  }
  return { column, value, date };
}

function readRename(value: string): readonly [string, string] {
  const at = value.lastIndexOf('=');
  const to = value.slice(at + 1);
  if (at < 1 || !API_NAME.test(to)) {
    wrong(`--rename: expected OLD=NEW, where NEW consists of ${NAME_RULE}, not ${JSON.stringify(value)}`);
  }
  return [value.slice(0, at), to];
}

const TYPE = /^(string|integer|decimal|boolean|date|datetime|geolocation)(?:\((\d{1,2})\))?(\[\])?$/;

function readType(value: string): readonly [string, TypeFlag] {
  const at = value.lastIndexOf('=');
  const match = TYPE.exec(value.slice(at + 1));
  const places = match?.[2] === undefined ? null : Number(match[2]);
  const arePlaces =
    places === null || (match?.[1] === 'decimal' && places >= 1 && places <= DECIMAL_PLACES_MAX);
  if (at < 1 || match === null || !arePlaces) {
    return wrong(
      `--type: expected NAME=TYPE, where TYPE is string, integer, decimal, decimal(2), boolean, date, datetime or geolocation ` +
        `(with [] appended for a list), not ${JSON.stringify(value)}`,
    );
  }
  return [
    value.slice(0, at),
    { type: match[1] as BaseType, isList: match[3] !== undefined, decimalPlaces: places },
  ];
}
