/** Completions at the cursor: words of SQL or of the JSON interface, and names of the database's columns. */
import {
  aggregation,
  countEventQuery,
  eventFields,
  extraction,
  METRICS,
  OPERATORS,
  predicateFields,
  type Schema,
  SQL_AGGREGATE_NAMES,
  SQL_SCALAR_NAMES,
} from '../../interface/index.js';
import { activeColumns, type Dimension, ENTITY_ID, type Model } from '../server/model.js';

export interface Suggestion {
  /** The text to insert. */
  readonly text: string;
  readonly kind: 'keyword' | 'function' | 'table' | 'column' | 'predicate';
  /** A short description. */
  readonly note: string;
}

export interface Completion {
  /** Start of the replaced part in the text before the cursor. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

export const SQL_WORDS =
  'SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET JOIN LEFT ON AND OR NOT IN LIKE BETWEEN IS NULL AS CASE WHEN THEN ELSE END CAST EXPLAIN ANALYZE'.split(
    ' ',
  );
const SQL_FUNCTIONS = [...SQL_AGGREGATE_NAMES, 'INTERVAL', ...SQL_SCALAR_NAMES];
const PLAIN_WORD = /^[a-z_][a-z0-9_]*$/i;
/** Keywords, which are names only in brackets. */
const RESERVED: ReadonlySet<string> = new Set(
  [...SQL_WORDS, 'DEFAULT', 'KEY', 'INDEX', 'TABLE'].map((word) => word.toLowerCase()),
);

/** The names in the bodies of queries, with the first words of their descriptions. */
const JSON_WORDS: ReadonlyMap<string, string> = new Map([
  ...OPERATORS.map((name): [string, string] => [name, 'an operator between conditions']),
  ...METRICS.map((name): [string, string] => [name, 'a metric']),
  ...[predicateFields, eventFields, ...[countEventQuery, aggregation, extraction].map(fieldsIn)].flatMap(
    (fields) => Object.entries(fields).map(([name, schema]): [string, string] => [name, noteOf(schema)]),
  ),
]);

function fieldsIn({ properties }: Schema): Readonly<Record<string, Schema>> {
  return properties as Readonly<Record<string, Schema>>;
}

function noteOf({ description, of }: Schema): string {
  const text = typeof description === 'string' ? description : of?.description;
  return String(text ?? '').split(/[.:;]/, 1)[0];
}

export function completeSql(before: string, whole: string, model: Model): Completion | null {
  const typed = /[[\w.-]*$/.exec(before)?.[0] ?? '';
  if (isInsideText(before)) return null;
  const named = model.dimensions.filter(({ name }) =>
    new RegExp(`(from|join)\\s+\\[?${escaped(name)}\\]?(\\s|$|;)`, 'i').test(whole),
  );
  const columns = (named.length > 0 ? named : model.dimensions).flatMap(sqlColumns);
  const tables = model.dimensions.map(
    ({ name }): Suggestion => ({ text: quoted(name), kind: 'table', note: 'dimension' }),
  );
  const words = SQL_WORDS.map((text): Suggestion => ({ text, kind: 'keyword', note: '' }));
  const functions = SQL_FUNCTIONS.map((text): Suggestion => ({ text, kind: 'function', note: '' }));
  const all = /(from|join)\s+[[\w-]*$/i.test(before)
    ? tables
    : [...columns, ...tables, ...functions, ...words];
  return { from: before.length - typed.length, suggestions: matching(all, typed) };
}

function sqlColumns(dimension: Dimension): Suggestion[] {
  const id: Suggestion = { text: `[${ENTITY_ID}]`, kind: 'column', note: dimension.name };
  return [
    id,
    ...activeColumns(dimension).flatMap(({ name, type, isEvent }): Suggestion[] => {
      const note = `${dimension.name} · ${type}`;
      if (!isEvent) return [{ text: quoted(name), kind: 'column', note }];
      return [
        { text: `[${name}.value]`, kind: 'column', note },
        { text: `[${name}.date]`, kind: 'column', note },
      ];
    }),
  ];
}

const quoted = (name: string): string =>
  PLAIN_WORD.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `[${name}]`;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether the cursor is in a quoted string, in which nothing is completed. */
const isInsideText = (before: string): boolean => (before.match(/'/g)?.length ?? 0) % 2 === 1;

export function completeJson(before: string, whole: string, model: Model): Completion | null {
  const typed = /"([^"\\\n]*)$/.exec(before)?.[1];
  const isOpen = (before.replace(/\\./g, '').match(/"/g)?.length ?? 0) % 2 === 1;
  if (typed === undefined || !isOpen) return null;
  const named = model.dimensions.filter(
    ({ name }) => whole.includes(`"dimension": "${name}"`) || whole.includes(`"dimension":"${name}"`),
  );
  const columns = (named.length > 0 ? named : model.dimensions).flatMap((dimension) =>
    activeColumns(dimension).map(
      ({ name, type }): Suggestion => ({ text: name, kind: 'column', note: `${dimension.name} · ${type}` }),
    ),
  );
  const dimensions = model.dimensions.map(
    ({ name }): Suggestion => ({ text: name, kind: 'table', note: 'dimension' }),
  );
  const words = [...JSON_WORDS].map(([text, note]): Suggestion => ({ text, kind: 'predicate', note }));
  const all = /"dimension"\s*:\s*"[^"]*$/.test(before) ? dimensions : [...columns, ...words, ...dimensions];
  return { from: before.length - typed.length, suggestions: matching(all, typed) };
}

/** The distinct suggestions that begin with the typed text, ignoring brackets. */
function matching(all: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = bare(typed);
  const seen = new Set<string>();
  return all.filter(({ text }) => {
    if (seen.has(text) || !bare(text).startsWith(wanted)) return false;
    seen.add(text);
    return true;
  });
}

const bare = (text: string): string => text.replace(/^\[/, '').toLowerCase();
