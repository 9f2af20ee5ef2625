/** Reads the arguments and flags of `quarry quarantine`. */
import { type Flags, flagTextOf, readArguments, type Wrong } from '../admin/admin-options.js';
import { REMOTE_FLAGS } from '../remote/index.js';

export const ACTIONS = ['list', 'show', 'export', 'retry', 'empty'] as const;
type Action = (typeof ACTIONS)[number];

const FLAGS = {
  ...REMOTE_FLAGS,
  code: { type: 'string' },
  before: { type: 'string' },
  limit: { type: 'string' },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
} as const;
type OwnFlag = Exclude<keyof typeof FLAGS, keyof typeof REMOTE_FLAGS>;

const FILTERS: readonly OwnFlag[] = ['code', 'before'];
/** The flags of each action, besides those of the server. */
const FLAGS_OF: Readonly<Record<Action, readonly OwnFlag[]>> = {
  list: [],
  show: [...FILTERS, 'limit'],
  export: [...FILTERS, 'output', 'force'],
  retry: [],
  empty: [...FILTERS, 'force'],
};

const SHOWN_LINES = 10;

export interface LineFilter {
  /** The error code; null = every code. */
  readonly code: number | null;
  /** Lines received before this time, ISO 8601 in UTC; null = at any time. */
  readonly before: string | null;
}

export interface QuarantineLine {
  readonly action: Action;
  /** The dimension whose refused lines are meant. */
  readonly dimension: string;
  readonly filter: LineFilter;
  /** Lines that `show` prints. */
  readonly limit: number;
  /** The file of `export`; null = standard output. */
  readonly file: string | null;
  readonly force: boolean;
  /** For `readRemote`. */
  readonly flags: Flags;
}

/** Reads the command line, or returns the reason why it is wrong. */
export function readQuarantineLine(argv: readonly string[]): QuarantineLine | Wrong {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return read;
  const { flags } = read;
  const [what, dimension, ...rest] = read.positionals;
  const action = ACTIONS.find((one) => one === what);
  if (action === undefined) {
    const suffix = what === undefined ? '' : `, not ${JSON.stringify(what)}`;
    return { wrong: `quarantine: expected one of ${ACTIONS.join(', ')}${suffix}` };
  }
  if (rest.length > 0) return { wrong: `quarantine ${action} takes one dimension` };
  if (action === 'list' && dimension !== undefined) return { wrong: 'quarantine list takes no dimension' };
  const own = Object.keys(FLAGS).filter((name) => !(name in REMOTE_FLAGS)) as OwnFlag[];
  const unfit = own.find((name) => flags.has(name) && !FLAGS_OF[action].includes(name));
  if (unfit !== undefined) return { wrong: `quarantine ${action} takes no --${unfit}` };
  return withValues({ action, dimension: dimension ?? 'default', flags });
}

function withValues(line: Pick<QuarantineLine, 'action' | 'dimension' | 'flags'>): QuarantineLine | Wrong {
  const { action, flags } = line;
  const [code, before, limit, output] = (['code', 'before', 'limit', 'output'] as const).map((name) =>
    flagTextOf(flags, name),
  );
  if (code !== undefined && !/^\d{1,5}$/.test(code))
    return { wrong: `--code: expected an error code such as 2011, not ${JSON.stringify(code)}` };
  if (limit !== undefined && !/^\d{1,9}$/.test(limit))
    return { wrong: `--limit: expected a whole number, not ${JSON.stringify(limit)}` };
  const time = before === undefined ? null : timeOf(before);
  if (time === undefined)
    return { wrong: `--before: expected a time such as 2026-01-05T10:00:00Z, not ${JSON.stringify(before)}` };
  const force = flags.has('force');
  if (action === 'empty' && code === undefined && time === null && !force) {
    return { wrong: 'quarantine empty removes all lines only with --force; or name --code or --before' };
  }
  const filter = { code: code === undefined ? null : Number(code), before: time };
  const file = output === undefined || output === '-' ? null : output;
  return { ...line, filter, limit: limit === undefined ? SHOWN_LINES : Number(limit), file, force };
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** In UTC and whole seconds; a text without a zone is UTC. undefined = it is no time. */
function timeOf(text: string): string | undefined {
  if (!TIME.test(text)) return undefined;
  const ms = Date.parse(/T.*[^Z:\d]|Z$/.test(text) || !text.includes('T') ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
