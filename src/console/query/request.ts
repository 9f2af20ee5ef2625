/** Converts a draft to a request, or lists what is missing. Pure: the same draft gives the same body. */

import {
  type Operand,
  type Predicates,
  type Query,
  SAVED_QUERY_TYPES,
  TOP_VALUES_MAX,
} from '../../interface/index.js';
import type { ServerRequest } from '../server/client.js';
import { type Column, columnOf, type Dimension, ENTITY_ID, type ValueKind } from '../server/model.js';
import { type Condition, type Draft, type Measure, measureOf, type Test, type Window } from './draft.js';

/** A question that can be sent. */
export interface Question extends ServerRequest {
  readonly body: string;
  /** Whether the request is for all rows instead of one page. */
  readonly returnsRows: boolean;
}

export interface Problem {
  /** An instruction to the user, as a sentence. */
  readonly text: string;
}

export type Outcome = { readonly question: Question } | { readonly problems: readonly Problem[] };

/** The interface's limits. */
export const TOP_MAX = TOP_VALUES_MAX;
export const ROWS_MAX = 1_000;
export const POINTS_MAX = 20_000;

/** Extraction requires a condition: this one holds for every ID. */
const EVERY_ENTITY: Query = [{ [ENTITY_ID]: { equals: '-' } }, 'or', { [ENTITY_ID]: { 'not-equals': '-' } }];

class Problems {
  readonly found: Problem[] = [];

  add(text: string): void {
    if (!this.found.some((problem) => problem.text === text)) this.found.push({ text });
  }
}

export function requestOf(draft: Draft, dimension: Dimension | undefined): Outcome {
  const problems = new Problems();
  if (dimension === undefined) problems.add('Choose a dimension.');
  const filter = filterOf(draft, dimension, problems);
  const question = questionOf(draft, dimension, filter, problems);
  return problems.found.length > 0 ? { problems: problems.found } : { question };
}

function questionOf(
  draft: Draft,
  dimension: Dimension | undefined,
  filter: readonly unknown[],
  problems: Problems,
): Question {
  if (draft.show === 'count' && draft.measure.of === 'entities') return countOf(draft.dimension, filter);
  if (draft.show === 'rows') return rowsOf(draft, filter, problems);
  if (draft.show === 'map') return pointsOf(draft, dimension, filter, problems);
  return post('/v1/query/aggregation', {
    dimension: draft.dimension,
    ...(filter.length > 0 ? { filter } : {}),
    query: levelsOf(draft, dimension, problems),
  });
}

const post = (path: string, body: unknown, returnsRows = false): Question => ({
  ...{ method: 'POST', path, returnsRows },
  body: JSON.stringify(body),
});

const countOf = (dimension: string, filter: readonly unknown[]): Question =>
  filter.length === 0
    ? post('/v1/query/count/entity/total', { dimensions: [dimension] })
    : post('/v1/query/count/entity', { 'query-name': 'count', dimension, query: filter });

/** The levels of an aggregation: the groups, then the metric. */
function levelsOf(draft: Draft, dimension: Dimension | undefined, problems: Problems): object[] {
  const { show, interval } = draft;
  const measure = measureOf(draft);
  const metric = measure.of === 'entities' ? null : metricOf(measure, dimension, problems);
  if (show === 'time') {
    if (metric === null || !columnOf(dimension, measure.column)?.isEvent) {
      problems.add('Choose an event column, because only events have dates.');
    }
    return [{ ...metric, interval }];
  }
  if (show === 'count') return metric === null ? [] : [metric];
  const by = columnOf(dimension, draft.by);
  if (by === undefined) problems.add('Choose the column whose values to list.');
  if (by?.isEvent && metric !== null) {
    problems.add(`Group by an attribute, or count entities: “${by.name}” is an event column.`);
  }
  // The answer orders groups by their number of entities: any other order requires all groups.
  const limit = metric === null ? limitOf(draft.limit, TOP_MAX, problems) : TOP_MAX;
  const level = { [draft.by]: limit, ...(by?.isEvent ? between(measure, by.name, problems) : {}) };
  return metric === null ? [level] : [level, metric];
}

function metricOf(measure: Measure, dimension: Dimension | undefined, problems: Problems): object {
  const column = columnOf(dimension, measure.column);
  if (column === undefined) {
    problems.add('Choose the column to compute.');
    return {};
  }
  const metric = measure.of === 'events' ? 'count-events' : measure.of;
  if (!column.isEvent) return { [column.name]: metric };
  const test = measure.test.operator === 'any' ? {} : predicatesOf(measure.test, column, problems);
  return { [column.name]: metric, ...test, ...between(measure, column.name, problems) };
}

function rowsOf(draft: Draft, filter: readonly unknown[], problems: Problems): Question {
  if (draft.columns.length === 0) problems.add('Choose at least one column to show.');
  return post('/v1/data_extraction/result', {
    dimension: draft.dimension,
    query: filter.length > 0 ? filter : EVERY_ENTITY,
    columns: [ENTITY_ID, ...draft.columns],
    limit: limitOf(draft.limit, ROWS_MAX, problems),
  });
}

function pointsOf(
  draft: Draft,
  dimension: Dimension | undefined,
  filter: readonly unknown[],
  problems: Problems,
): Question {
  const column = columnOf(dimension, draft.point);
  if (column === undefined) problems.add('Choose a column of locations. This dimension may have none.');
  const window = column?.isEvent ? between(draft.measure, column.name, problems).between : null;
  const body = {
    dimension: draft.dimension,
    query: filter.length > 0 ? filter : EVERY_ENTITY,
    columns: [ENTITY_ID, window === null ? draft.point : { [draft.point]: window }],
    limit: POINTS_MAX,
  };
  return post('/v1/data_extraction/result', body, true);
}

function limitOf(typed: string, most: number, problems: Problems): number {
  const limit = Number(typed);
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  problems.add(`How many to show: a whole number from 1 to ${most}.`);
  return 1;
}

/** The conditions and their operators as a query list of the interface. */
export function filterOf(
  draft: Pick<Draft, 'conditions' | 'join'>,
  dimension: Dimension | undefined,
  problems: Problems = new Problems(),
): unknown[] {
  return draft.conditions.flatMap((condition, index) => {
    const column = columnOf(dimension, condition.column);
    if (column === undefined) {
      problems.add('Choose a column for each condition.');
      return [];
    }
    const bound = { [column.name]: conditionOf(condition, column, problems) };
    const member = condition.negated ? ['not', bound] : bound;
    return index === 0 ? [member] : [draft.join, member];
  });
}

function conditionOf(condition: Condition, column: Column, problems: Problems): Predicates {
  if (!column.isEvent) return predicatesOf(condition.test, column, problems);
  const atLeast = Number(condition.atLeast);
  if (!Number.isInteger(atLeast) || atLeast < 1 || atLeast > 10_000) {
    problems.add(`“${column.name}”, at least: a whole number from 1 to 10,000.`);
  }
  const isAny = condition.test.operator === 'any';
  return {
    ...(isAny ? {} : predicatesOf(condition.test, column, problems)),
    ...between(condition, column.name, problems),
    ...(isAny || atLeast !== 1 ? { minfreq: atLeast } : {}),
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The window with the whole last day. */
function between({ from, to }: Window, name: string, problems: Problems): { between: [string, string] } {
  if (!DAY.test(from) || !DAY.test(to)) problems.add(`“${name}”: choose the first and the last day.`);
  else if (from > to) problems.add(`“${name}”: the first day is after the last day.`);
  return { between: [from, `${to}T23:59:59Z`] };
}

function predicatesOf({ operator, values }: Test, column: Column, problems: Problems): Predicates {
  const operand = (index: number): Operand => operandOf(values[index] ?? '', column, problems);
  if (operator === 'near') return nearOf(values, column, problems);
  if (operator === 'range') return { range: [operand(0), operand(1)] };
  if (operator === 'in') {
    const items = (values[0] ?? '').split(',').map((item) => item.trim());
    return { in: items.filter((item) => item !== '').map((item) => operandOf(item, column, problems)) };
  }
  return { [operator]: operand(0) };
}

const EXAMPLES: Readonly<Record<ValueKind, string>> = {
  text: 'some text',
  number: 'a number, such as 120',
  'yes-no': 'yes or no',
  day: 'a day',
  moment: 'a date and a time',
  point: 'longitude and latitude',
};

function operandOf(typed: string, { name, kind }: Column, problems: Problems): Operand {
  const text = typed.trim();
  const isFit = kind === 'number' ? /^-?\d+(\.\d+)?$/.test(text) : text !== '';
  if (!isFit) {
    problems.add(`“${name}” needs ${EXAMPLES[kind]}${text === '' ? '' : `, not “${text}”`}.`);
    return '';
  }
  if (kind === 'yes-no') return text === 'true';
  if (kind === 'moment') return momentOf(text);
  // The interface accepts digits as text too, which keeps digits that a double would lose.
  if (kind === 'number') return String(Number(text)) === text ? Number(text) : text;
  return text;
}

/** Converts `2018-02-01T10:30`, the form of browsers, to a time in UTC. */
const momentOf = (text: string): string =>
  /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text.replace(/Z$/, '')}Z`;

function nearOf(values: readonly string[], { name }: Column, problems: Problems): Predicates {
  const [longitude, latitude, radius] = values.map((value) =>
    value.trim() === '' ? Number.NaN : Number(value),
  );
  const isFit = Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 && radius > 0;
  if (!isFit) {
    problems.add(`“${name}” needs a longitude (-180 to 180), a latitude (-90 to 90) and kilometres above 0.`);
  }
  return { geo_radius: { longitude, latitude, radius, unit: 'km' } };
}

/** The body of POST /v1/query/saved for a request; null if the interface cannot save its kind. */
export function savedForm({ path, body }: Pick<Question, 'path' | 'body'>): object | null {
  const type = SAVED_TYPES[path];
  if (type === undefined) return null;
  const { dimension, query, filter, dimensions } = singleBody(body);
  const named = typeof dimension === 'string' ? { dimension } : {};
  if (type === 'count/entity/total') return { type, query: dimensions ?? [] };
  if (type === 'aggregation')
    return { type, ...named, query: filter === undefined ? query : { filter, query } };
  if (type === 'top_values') return { type, query: JSON.parse(body) as unknown };
  return { type, ...named, query };
}

const SAVED_TYPES: Readonly<Record<string, (typeof SAVED_QUERY_TYPES)[number]>> = Object.fromEntries(
  SAVED_QUERY_TYPES.map((type) => [`/v1/query/${type}`, type]),
);

/** The only query of a body. Throws SyntaxError if the body is not JSON. */
function singleBody(body: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(body);
  return (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown>;
}
