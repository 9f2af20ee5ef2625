/** The table of scalar SQL functions, and the binding of calls to its entries. */
import { quoted } from '../../../base/index.js';
import type { DateUnit, Expression } from '../../../ir/index.js';
import { ROW_FUNCTION_NAMES } from '../../query/row-functions.js';
import { sqlError } from '../../sql-error.js';
import type { SqlNode } from '../../tree.js';
import type { Binder } from '../binder.js';
import { asText } from '../expressions/arithmetic.js';
import type { NodeOf } from '../scope.js';
import { suggestion } from '../suggest.js';
import { CHOICE_FUNCTIONS } from './choice.js';
import { DATE_FUNCTIONS } from './date.js';
import { DERIVED_FUNCTIONS } from './derived.js';
import { argumentAs, kindAt, type SqlFunction, signatureOf, unitOf } from './function.js';
import { GEO_FUNCTIONS } from './geo.js';
import { JSON_FUNCTIONS } from './json.js';
import { NUMBER_FUNCTIONS } from './number.js';
import { RANDOM_FUNCTIONS } from './random.js';
import { REGEX_FUNCTIONS } from './regex.js';
import { TEXT_FUNCTIONS } from './text.js';
import { TEXT_EDIT_FUNCTIONS } from './text-edits.js';
import { TO_CHAR_FUNCTIONS } from './to-char.js';

/** All functions. To add a function, add an entry. */
export const SQL_FUNCTIONS: readonly SqlFunction[] = [
  ...TEXT_FUNCTIONS,
  ...TEXT_EDIT_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...TO_CHAR_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...GEO_FUNCTIONS,
  ...RANDOM_FUNCTIONS,
  ...CHOICE_FUNCTIONS,
  ...DERIVED_FUNCTIONS,
];

const BY_NAME: ReadonlyMap<string, SqlFunction> = new Map(
  SQL_FUNCTIONS.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

/** In lower case. Names with a blank are for the reader alone. */
export const FUNCTION_NAMES: readonly string[] = [...BY_NAME.keys()].filter((name) => !name.includes(' '));

const SUBSTRING_NAMES: ReadonlySet<string> = new Set(['substring', 'substr', 'mid']);
/** A group that a regular expression captures. */
const GROUP = /(?<!\\)\((?!\?)/;

/** SUBSTRING(text FROM 'pattern') returns what matches the regular expression, or its first group. */
function asPatternCall(node: NodeOf<'call'>): NodeOf<'call'> {
  const { name, args, position } = node;
  const pattern = args[1];
  const isPattern = SUBSTRING_NAMES.has(name) && args.length === 2 && pattern.is === 'string';
  if (!isPattern || /^\s*[+-]?\d+\s*$/.test(pattern.text)) return node;
  const at = { position, parenthesized: false };
  const integer = (text: string): SqlNode => ({ is: 'number', text, ...at });
  const options: SqlNode = { is: 'string', text: '', quotes: 'single', ...at };
  const group = integer(GROUP.test(pattern.text) ? '1' : '0');
  return { ...node, name: 'regexp_substr', args: [...args, integer('1'), integer('1'), options, group] };
}

/** Binds a call. Throws 6000 for an unknown function or unsuitable arguments. */
export function bindFunction(call: NodeOf<'call'>, binder: Binder): Expression {
  const node = asPatternCall(call);
  const { args, position, ofPostgres = false } = node;
  const entry = entryOf(node);
  const signature = signatureOf(node.name, entry);
  const most = entry.rest === undefined ? entry.parameters.length + (entry.optional?.length ?? 0) : Infinity;
  if (args.length < entry.parameters.length || args.length > most) {
    throw sqlError(`${signature} was given ${countOf(args.length)}`, position);
  }
  let unit: DateUnit | null = null;
  const taken: Expression[] = [];
  args.forEach((argument, index) => {
    const kind = kindAt(entry, index) ?? 'value';
    if (kind === 'unit') unit = unitOf(argument, signature);
    else {
      const takesJson = kind === 'json' || kind === 'point' || kind === 'any';
      const bound = takesJson ? binder.bind(argument) : binder.value(argument);
      if (kind === 'words') taken.push(asText(bound, ofPostgres));
      else taken.push(argumentAs(kind, bound, signature, argument.position));
    }
  });
  return entry.make(taken, { position, scope: binder.scope, unit, ofPostgres });
}

const RETURNS_ROWS = 'returns rows: it is allowed in FROM, and once in the select list';

/** Functions of PostgreSQL that are not available here, and what to use instead. */
const UNAVAILABLE: ReadonlyMap<string, string> = new Map([
  ...ROW_FUNCTION_NAMES.map((name) => [name, RETURNS_ROWS] as const),
  [
    'regexp_matches',
    `${RETURNS_ROWS}; use REGEXP_LIKE for a test and REGEXP_MATCH for the texts of the first match`,
  ],
  ['setseed', 'is not available, because statements have no session; write RANDOM(seed)'],
]);

const countOf = (count: number): string => (count === 1 ? '1 argument' : `${count} arguments`);

function entryOf({ name, distinct, position }: NodeOf<'call'>): SqlFunction {
  const entry = BY_NAME.get(name);
  if (entry === undefined) {
    const why = UNAVAILABLE.get(name);
    if (why !== undefined) throw sqlError(`${name.toUpperCase()} ${why}`, position);
    const near = suggestion(name, FUNCTION_NAMES);
    const more = near === null ? {} : { suggestion: near.toUpperCase() };
    throw sqlError(`there is no function ${quoted(name)}`, position, more);
  }
  if (distinct)
    throw sqlError(`DISTINCT is allowed only in aggregates, not in ${name.toUpperCase()}`, position);
  return entry;
}
