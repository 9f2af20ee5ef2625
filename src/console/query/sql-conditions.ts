/** Conditions of the interface as predicates of SQL. What SQL says in another way, or not at all, throws NotInSql. */
import { activeColumns, type Column, columnOf, type Dimension, ENTITY_ID } from '../server/model.js';

/** The question has parts that no SELECT has. */
export class NotInSql extends Error {}

export const refuse = (): never => {
  throw new NotInSql('there is no SQL for this');
};

type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const nameSql = (name: string): string => `[${name}]`;
export const textSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `expression` compared with the predicates on one value. Throws NotInSql. */
export function testsSql(expression: string, column: Column, predicates: Fields): string[] {
  return Object.entries(predicates).map(([name, operand]) => testSql(expression, column, name, operand));
}

const COMPARISONS: Readonly<Record<string, string>> = {
  ...{ equals: '=', 'not-equals': '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' },
};
const TEXT_FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ contains: 'CONTAINS', 'starts-with': 'STARTS_WITH', 'ends-with': 'ENDS_WITH' },
};

function testSql(expression: string, column: Column, name: string, operand: unknown): string {
  if (column.isList) return refuse();
  const value = (one: unknown): string => valueSql(column, one);
  if (name in COMPARISONS) return `${expression} ${COMPARISONS[name]} ${value(operand)}`;
  if (name in TEXT_FUNCTIONS) return `${TEXT_FUNCTIONS[name]}(${expression}, ${value(operand)})`;
  if (name === 'in' && Array.isArray(operand) && operand.length > 0) {
    return `${expression} IN (${operand.map(value).join(', ')})`;
  }
  if (name === 'range' && Array.isArray(operand) && operand.length === 2) {
    return `${expression} BETWEEN ${value(operand[0])} AND ${value(operand[1])}`;
  }
  if (name === 'geo_radius' && isFields(operand) && operand.unit === 'km' && !column.isEvent) {
    const { longitude, latitude, radius } = operand;
    return `GEO_WITHIN_RADIUS(${expression}, GEO_POINT(${longitude}, ${latitude}), ${Number(radius) * 1_000})`;
  }
  return refuse();
}

/** Digits are written without quotes, however many there are. */
function valueSql({ kind }: Column, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const text = String(value);
  if (kind !== 'number') return textSql(text);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : refuse();
}

/** The predicates of a range of time on the dates of an event column. Throws NotInSql if a date is relative. */
export function datesSql(column: Column, between: unknown): string {
  if (!Array.isArray(between) || between.length !== 2) return refuse();
  if (!between.every((date) => /^\d{4}-\d\d-\d\d/.test(String(date)))) return refuse();
  const [from, to] = between.map((date) => textSql(String(date)));
  return `${nameSql(`${column.name}.date`)} BETWEEN ${from} AND ${to}`;
}

/** The condition on WHERE that a query list is; empty = every entity. */
export interface Where {
  readonly text: string;
  /** Whether events are among what it reads: their conditions need a SELECT of their own beside other events. */
  readonly readsEvents: boolean;
  /** Whether its conditions are joined by OR. */
  readonly isOr: boolean;
}

/** A query list with one operator between its conditions. Throws NotInSql. */
export function whereSql(list: readonly unknown[], dimension: Dimension): Where {
  const operators = new Set(list.filter((member) => member === 'and' || member === 'or'));
  if (operators.size > 1) refuse();
  const [operator = 'and'] = operators;
  const parts = list.flatMap((member) => (member === operator ? [] : [conditionSql(member, dimension)]));
  const isOr = operator === 'or' && parts.length > 1;
  const text = parts.map((part) => part.text).join(isOr ? ' OR ' : ' AND ');
  return { text, readsEvents: parts.some(({ readsEvents }) => readsEvents), isOr };
}

function conditionSql(member: unknown, dimension: Dimension): Omit<Where, 'isOr'> {
  if (Array.isArray(member)) {
    const [first, ...others] = member;
    const inner = first === 'not' ? others : member;
    const { text, readsEvents } = whereSql(inner, dimension);
    return { text: first === 'not' ? `NOT (${text})` : `(${text})`, readsEvents };
  }
  if (!isFields(member)) return refuse();
  const [[name, predicates], ...others] = Object.entries(member);
  if (others.length > 0) return refuse();
  if (name === 'segment' && typeof predicates === 'string') {
    return { text: `${nameSql(ENTITY_ID)} IN SEGMENT ${textSql(predicates)}`, readsEvents: false };
  }
  const column = columnOf(dimension, name);
  if (column === undefined || !isFields(predicates)) return refuse();
  if (column.isEvent) return { text: eventsSql(column, predicates, dimension), readsEvents: true };
  const tests = testsSql(nameSql(name), column, predicates);
  return { text: tests.length > 1 ? `(${tests.join(' AND ')})` : tests[0], readsEvents: false };
}

/** Predicates on the same event stand in parentheses of their own. Several events are counted in the table of the column. */
function eventsSql(column: Column, fields: Fields, dimension: Dimension): string {
  const { between, minfreq = 1, ...predicates } = fields;
  const values = testsSql(nameSql(`${column.name}.value`), column, predicates);
  if (minfreq === 1) return `(${[datesSql(column, between), ...values].join(' AND ')})`;
  const inside = [datesSql(column, between), ...values].join(' AND ');
  return (
    `${nameSql(ENTITY_ID)} IN (SELECT ${nameSql(ENTITY_ID)} FROM ${nameSql(dimension.name)} ` +
    `WHERE ${inside} GROUP BY ${nameSql(ENTITY_ID)} HAVING COUNT(${nameSql(`${column.name}.value`)}) >= ${Number(minfreq)})`
  );
}

/** The column of this name that a SELECT can read. Throws NotInSql. */
export const selectable = (dimension: Dimension, name: string): Column =>
  activeColumns(dimension).find((column) => column.name === name) ?? refuse();
