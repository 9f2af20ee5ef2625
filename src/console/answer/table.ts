/** Converts answers of the interface to tables: one reader for all, so that saved and hand-written queries look the same. */
import { isList, isObject, type Json, type JsonObject } from '../server/json.js';

export type CellKind = 'text' | 'number' | 'moment' | 'point';

export interface TableColumn {
  readonly title: string;
  readonly kind: CellKind;
}

export interface Table {
  /** Empty if the answer has only one table. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Json[])[];
  /** Number of all rows, if the table contains only the first of them. */
  readonly of?: number;
}

/** The tables of an answer; none = the answer is shown as JSON. */
export function tablesOf(answer: Json): Table[] {
  if (!isObject(answer)) return [];
  if (answer.data !== undefined) return [rowsTable('', extractedRows(answer.data))];
  const { result } = answer;
  if (isList(result)) return listTables(result);
  if (!isObject(result)) return [];
  return objectTables('', result);
}

/** Rows of an extraction: a list, or an object by entity ID. */
function extractedRows(data: Json): JsonObject[] {
  if (isList(data)) return data.filter(isObject);
  if (!isObject(data)) return [];
  return Object.entries(data).map(([id, row]) => ({ 'entity-id': id, ...(isObject(row) ? row : {}) }));
}

/** Rows of a SELECT, or the results of several. */
function listTables(list: readonly Json[]): Table[] {
  const objects = list.filter(isObject);
  if (objects.length !== list.length) return [];
  const areResults = objects.length > 0 && objects.every((one) => isList(one.result) && 'took' in one);
  if (!areResults) return [rowsTable('', objects)];
  return objects.map((one, index) =>
    rowsTable(`Statement ${index + 1}`, isList(one.result) ? one.result.filter(isObject) : []),
  );
}

/** Scalar members form one table; each member that is a list or an object forms its own. */
function objectTables(name: string, object: JsonObject): Table[] {
  const members = Object.entries(object);
  const scalars = members.filter(([, value]) => !isList(value) && !isObject(value));
  const tables = members.flatMap(([member, value]): Table[] => {
    if (isList(value)) return [bucketOrValueTable(name === '' ? '' : name, member, value)];
    if (isObject(value)) return objectTables(member, value);
    return [];
  });
  if (scalars.length === 0) return tables;
  const rows = scalars.map(([member, value]) => ({ [name === '' ? 'name' : name]: member, value }));
  return [rowsTable('', rows), ...tables];
}

function bucketOrValueTable(name: string, member: string, list: readonly Json[]): Table {
  const objects = list.filter(isObject);
  const first = objects[0];
  if (first !== undefined && isList(first.between)) {
    const rows = objects.map(({ between, ...rest }) => ({
      from: isList(between) ? between[0] : null,
      ...renamed(rest, member),
    }));
    return rowsTable(name, rows);
  }
  if (first !== undefined && 'quantity' in first) return rowsTable(name, levelRows(objects, member));
  return rowsTable(
    name,
    objects.length === list.length ? objects : list.map((value) => ({ [member]: value })),
  );
}

/** Names a metric with its column: `sum of paid` instead of `sum`. */
const renamed = (row: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(row).map(([metric, value]) => [titleOf(metric, member), value]));

const titleOf = (metric: string, column: string): string =>
  metric === 'count-events' ? `${column} events` : metric === 'count' ? `events` : `${metric} of ${column}`;

/** One row for each path through the levels. */
function levelRows(list: readonly JsonObject[], column: string): JsonObject[] {
  return list.flatMap(({ value, quantity, ...below }) => {
    const own = { [column]: value, [`entities (${column})`]: quantity };
    const levels = Object.entries(below);
    if (levels.length === 0) return [own];
    return levels.flatMap(([name, next]): JsonObject[] => {
      if (isList(next)) return levelRows(next.filter(isObject), name).map((row) => ({ ...own, ...row }));
      return [{ ...own, ...(isObject(next) ? renamed(next, name) : { [name]: next }) }];
    });
  });
}

/** Rows as a table with a column for each member. */
export function rowsTable(name: string, objects: readonly JsonObject[]): Table {
  const titles = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  const rows = objects.map((row) => titles.map((title) => row[title] ?? null));
  const columns = titles.map((title, index) => ({ title, kind: kindOf(rows.map((row) => row[index])) }));
  return { name, columns, rows };
}

const MOMENT = /^\d{4}-\d\d-\d\d([tT]\d\d:\d\d:\d\d(\.\d+)?[zZ])?$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const POINT = /^\[-?\d+(\.\d+)?,-?\d+(\.\d+)?\]$/;

/** The common kind of the values, ignoring missing ones. */
function kindOf(values: readonly Json[]): CellKind {
  const present = values.filter((value) => value !== null);
  const all = (test: (value: Json) => boolean): boolean => present.length > 0 && present.every(test);
  if (all((value) => typeof value === 'number' || typeof value === 'bigint')) return 'number';
  const allTexts = (pattern: RegExp): boolean =>
    all((value) => typeof value === 'string' && pattern.test(value));
  if (allTexts(MOMENT)) return 'moment';
  if (allTexts(NUMBER)) return 'number';
  return allTexts(POINT) || all((value) => pointsIn(value).length > 0) ? 'point' : 'text';
}

export type Point = readonly [longitude: number, latitude: number];

/** The points of a cell, which is a point or a list of events with points. */
export function pointsIn(cell: Json): readonly Point[] {
  if (typeof cell === 'string') {
    if (!POINT.test(cell)) return [];
    const [longitude, latitude] = cell.slice(1, -1).split(',').map(Number);
    return [[longitude, latitude]];
  }
  if (isList(cell)) return cell.flatMap((item) => (isObject(item) ? pointsIn(item) : []));
  return isObject(cell) && typeof cell.value === 'string' ? pointsIn(cell.value) : [];
}

/** A cell as text; empty for a missing value. */
export function cellText(cell: Json): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  if (isList(cell)) return cell.map(cellText).join(', ');
  if (isObject(cell)) return Object.values(cell).map(cellText).join(' · ');
  return String(cell);
}
