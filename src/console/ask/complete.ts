/** Completions at the cursor: words of SQL or of the JSON interface, and names of the database's columns. */
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

const SQL_WORDS =
  'SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET JOIN LEFT ON AND OR NOT IN LIKE BETWEEN IS NULL AS CASE WHEN THEN ELSE END CAST EXPLAIN ANALYZE'.split(
    ' ',
  );
const SQL_FUNCTIONS =
  'COUNT SUM AVG MIN MAX MEDIAN PERCENTILE STDDEV INTERVAL DATEPART COALESCE ROUND UPPER LOWER LENGTH'.split(
    ' ',
  );
const PLAIN_WORD = /^[a-z_][a-z0-9_]*$/i;
/** Keywords, which are names only in brackets. */
const RESERVED: ReadonlySet<string> = new Set(
  [...SQL_WORDS, 'DEFAULT', 'KEY', 'INDEX', 'TABLE'].map((word) => word.toLowerCase()),
);

const JSON_WORDS: Readonly<Record<string, string>> = {
  'query-name': 'name of the query in the answer',
  dimension: 'the dimension to query',
  query: 'conditions, joined by "and" and "or"',
  filter: 'conditions that entities must satisfy',
  columns: 'the columns of a row',
  limit: 'maximum number of rows',
  order: 'the columns to sort by',
  between: 'two dates, both inclusive',
  interval: 'hours, days, weeks, months',
  equals: 'is',
  'not-equals': 'is not',
  in: 'is one of a list',
  contains: 'contains the text',
  'starts-with': 'begins with',
  'ends-with': 'ends with',
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  range: 'two numbers, both inclusive',
  minfreq: 'minimum number of events',
  geo_radius: 'within a radius of a point',
  'count-events': 'a metric: the number of events',
  sum: 'a metric',
  avg: 'a metric',
  and: 'both conditions hold',
  or: 'at least one condition holds',
  not: 'the condition does not hold',
};

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
  const words = Object.entries(JSON_WORDS).map(
    ([text, note]): Suggestion => ({ text, kind: 'predicate', note }),
  );
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
