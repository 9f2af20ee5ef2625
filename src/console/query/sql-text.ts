/** Questions of the JSON interface as SQL with the same numbers: SELECTs over a dimension, and the tables of questions about behaviour. */
import { BEHAVIOUR_KINDS } from '../../interface/index.js';
import type { ServerRequest } from '../server/client.js';
import {
  type Column,
  columnOf,
  type Dimension,
  dimensionOf,
  ENTITY_ID,
  type Model,
} from '../server/model.js';
import {
  datesSql,
  isFields,
  NotInSql,
  nameSql,
  refuse,
  selectable,
  testsSql,
  textSql,
  type Where,
  whereSql,
} from './sql-conditions.js';

const SQL_PATH = '/v1/sql';

type Fields = Readonly<Record<string, unknown>>;

/** The requests as SQL with the same numbers, one statement each; null = a request has no SQL. */
export function sqlOfAll(requests: readonly ServerRequest[], model: Model): string | null {
  const statements = requests.map((request) =>
    request.path === SQL_PATH ? (request.body ?? null) : sqlOf(request, model),
  );
  return statements.includes(null) ? null : statements.join(';\n\n');
}

/** A question of the JSON interface as SQL; null = there is none. */
export function sqlOf({ path, body }: ServerRequest, model: Model): string | null {
  try {
    const read: unknown = JSON.parse(body ?? '');
    const question = Array.isArray(read) && read.length === 1 ? read[0] : read;
    return isFields(question) ? statementOf(path, question, model) : null;
  } catch (error) {
    if (error instanceof NotInSql || error instanceof SyntaxError) return null;
    throw error;
  }
}

function statementOf(path: string, question: Fields, model: Model): string {
  const kind = BEHAVIOUR_KINDS.find((one) => path === `/v1/query/${one}`);
  if (kind !== undefined) return behaviourSql(kind, question);
  if (path === '/v1/query/count/entity/total') return totalSql(question, model);
  const dimension = dimensionOf(model, String(question.dimension ?? 'default')) ?? refuse();
  if (path === '/v1/query/count/entity') return countSql(question, dimension);
  if (path === '/v1/query/aggregation') return aggregationSql(question, dimension);
  return path === '/v1/data_extraction/result' ? rowsSql(question, dimension) : refuse();
}

/** Classes of seconds are only in the answer of the endpoint. */
function behaviourSql(kind: string, question: Fields): string {
  const { 'query-name': _, 'page-token': __, histogram: ___, ...fields } = question;
  return `SELECT * FROM ${kind}(${textSql(JSON.stringify(fields))})`;
}

function totalSql({ dimensions }: Fields, model: Model): string {
  const [name, ...others] = Array.isArray(dimensions) ? dimensions.map(String) : [];
  if (name === undefined || others.length > 0 || dimensionOf(model, name) === undefined) return refuse();
  return `SELECT COUNT(*) AS count\nFROM ${nameSql(name)}`;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Whether the list is the condition that every entity satisfies, which extractions have for want of another. */
const isEvery = (list: readonly unknown[]): boolean =>
  list.length === 3 &&
  list[1] === 'or' &&
  list.every((one) => one === 'or' || (isFields(one) && ENTITY_ID in one));

const filterOf = (list: unknown, dimension: Dimension): Where =>
  isEvery(listOf(list)) ? { text: '', readsEvents: false, isOr: false } : whereSql(listOf(list), dimension);

const whereLine = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`;

function countSql({ query }: Fields, dimension: Dimension): string {
  const { text } = filterOf(query, dimension);
  return `SELECT COUNT(*) AS count\nFROM ${nameSql(dimension.name)}${whereLine(text === '' ? [] : [text])}`;
}

function rowsSql({ query, columns, limit }: Fields, dimension: Dimension): string {
  const names = listOf(columns).map((one) =>
    one === ENTITY_ID || (typeof one === 'string' && !selectable(dimension, one).isEvent)
      ? nameSql(one)
      : refuse(),
  );
  const { text } = filterOf(query, dimension);
  const most = limit === undefined ? '' : `\nLIMIT ${Number(limit)}`;
  return `SELECT ${names.join(', ')}\nFROM ${nameSql(dimension.name)}${whereLine(text === '' ? [] : [text])}${most}`;
}

const METRICS: Readonly<Record<string, (value: string) => string>> = {
  'count-events': (value) => `COUNT(${value})`,
  sum: (value) => `SUM(${value})`,
  avg: (value) => `AVG(${value})`,
  min: (value) => `MIN(${value})`,
  max: (value) => `MAX(${value})`,
  median: (value) => `MEDIAN(${value})`,
  p95: (value) => `PERCENTILE(${value}, 0.95)`,
  'count-distinct': (value) => `COUNT(DISTINCT ${value})`,
};
const UNITS: Readonly<Record<string, string>> = {
  ...{ minutes: 'minute', hours: 'hour', days: 'day', weeks: 'week', months: 'month', years: 'year' },
};

/** A level of an aggregation: its column, and what is computed or how many values there are. */
interface Level {
  readonly column: Column;
  readonly wanted: unknown;
  readonly fields: Fields;
}

function levelOf(level: unknown, dimension: Dimension): Level {
  if (!isFields(level)) return refuse();
  const named = Object.keys(level).filter((name) => columnOf(dimension, name) !== undefined);
  if (named.length !== 1) return refuse();
  const { [named[0]]: wanted, ...fields } = level;
  return { column: selectable(dimension, named[0]), wanted, fields };
}

const valueName = ({ name, isEvent }: Column): string => nameSql(isEvent ? `${name}.value` : name);

function aggregationSql({ filter, query }: Fields, dimension: Dimension): string {
  const levels = listOf(query).map((level) => levelOf(level, dimension));
  const [first, second] = levels;
  if (levels.length === 0 || levels.length > 2) return refuse();
  const where = filterOf(filter, dimension);
  if (typeof first.wanted !== 'number') {
    return second === undefined ? metricSql(null, first, where, dimension) : refuse();
  }
  return second === undefined
    ? valuesSql(first, where, dimension)
    : metricSql(first, second, where, dimension);
}

/** The most frequent values of a column, with their numbers of entities. */
function valuesSql({ column, wanted, fields }: Level, where: Where, dimension: Dimension): string {
  const { between, ...predicates } = fields;
  if (column.isList || Object.keys(predicates).length > 0) return refuse();
  const own = column.isEvent ? datesSql(column, between) : `${valueName(column)} IS NOT NULL`;
  const entities = column.isEvent ? `COUNT(DISTINCT ${nameSql(ENTITY_ID)})` : 'COUNT(*)';
  return (
    `SELECT ${valueName(column)}, ${entities} AS entities\nFROM ${nameSql(dimension.name)}` +
    `${whereLine([own, ...entitiesSql(where, column.isEvent, dimension)])}\n` +
    `GROUP BY ${valueName(column)}\nORDER BY entities DESC, ${valueName(column)}\nLIMIT ${Number(wanted)}`
  );
}

/** Beside the events that are counted, conditions on events select entities in a SELECT of their own. */
function entitiesSql(
  { text, readsEvents, isOr }: Where,
  besideEvents: boolean,
  dimension: Dimension,
): string[] {
  if (text === '') return [];
  if (!besideEvents || !readsEvents) return [isOr ? `(${text})` : text];
  const id = nameSql(ENTITY_ID);
  return [`${id} IN (SELECT ${id} FROM ${nameSql(dimension.name)} WHERE ${text})`];
}

/** A metric of a column, for each of the most frequent values of an attribute, or for each period. */
function metricSql(by: Level | null, metric: Level, where: Where, dimension: Dimension): string {
  const { column, wanted, fields } = metric;
  const { between, interval, ...predicates } = fields;
  const compute = METRICS[String(wanted)] ?? refuse();
  if (column.isList || (by !== null && (by.column.isEvent || by.column.isList))) return refuse();
  if (by !== null && Object.keys(by.fields).length > 0) return refuse();
  const dates = nameSql(`${column.name}.date`);
  const unit = interval === undefined ? null : (UNITS[String(interval)] ?? refuse());
  const period = unit === null ? null : `DATE_TRUNC('${unit}', ${dates})`;
  const group = by === null ? [] : [valueName(by.column)];
  const conditions = [
    ...(column.isEvent ? [datesSql(column, between)] : []),
    ...testsSql(valueName(column), column, predicates),
    ...(by === null ? [] : [groupsSql(by, where, dimension)]),
    ...entitiesSql(where, column.isEvent, dimension),
  ];
  const keys = [...group, ...(period === null ? [] : [period])];
  const shown = [...group, ...(period === null ? [] : [`${period} AS [from]`])];
  const value = `${compute(valueName(column))} AS ${nameSql(String(wanted))}`;
  const grouped = keys.length === 0 ? '' : `\nGROUP BY ${keys.join(', ')}\nORDER BY ${keys.join(', ')}`;
  return `SELECT ${[...shown, value].join(', ')}\nFROM ${nameSql(dimension.name)}${whereLine(conditions)}${grouped}`;
}

/** The values of the groups: those of the most entities. */
function groupsSql({ column, wanted }: Level, where: Where, dimension: Dimension): string {
  const value = valueName(column);
  const conditions = [`${value} IS NOT NULL`, ...entitiesSql(where, false, dimension)];
  return (
    `${value} IN (SELECT ${value} FROM ${nameSql(dimension.name)} WHERE ${conditions.join(' AND ')} ` +
    `GROUP BY ${value} ORDER BY COUNT(*) DESC, ${value} LIMIT ${Number(wanted)})`
  );
}
