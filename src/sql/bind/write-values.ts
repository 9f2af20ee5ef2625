/**
 * Converts literals of INSERT and UPDATE to the JSON of /v1/insert, so that one parser checks both. Values are not checked here:
 * a value that does not fit its column is passed on unchanged and refused by the insert parser.
 */
import { type Column, type Dimension, isEventType, lowerCase } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { SourcePosition, SqlNode } from '../tree.js';
import { namedOrDashed } from './clauses/sources.js';
import { fromPostgres, jsonNumber } from './postgres-values.js';
import type { SqlAccess, SqlDialect } from './request.js';
import { suggestion } from './suggest.js';

/** The target of a named column's literals. */
export type WriteColumn =
  | { readonly is: 'entity-id' }
  | { readonly is: 'attribute'; readonly column: Column }
  /** [column.value] and [column.date], or [column.N.value] and [column.N.date] for the Nth event. */
  | {
      readonly is: 'event';
      readonly column: Column;
      readonly ordinal: number;
      readonly part: 'value' | 'date';
    };

const EVENT_NAME = /^(.+?)(?:\.([1-9]\d{0,3}))?\.(value|date)$/;
/** The syntax of JSON numbers. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER_TYPES: readonly string[] = [
  'integer',
  'decimal',
  'enumerated',
  'integer-event',
  'decimal-event',
];

/** Resolves a column. Throws 6000 if it does not exist, with a suggestion among the columns that the caller may use. */
export function writeColumn(
  written: string,
  dimension: Dimension,
  access: SqlAccess,
  position: SourcePosition,
): WriteColumn {
  const name = lowerCase(written);
  const plain = namedOrDashed(dimension.columns, name) ?? undefined;
  if (plain?.type === 'unique-id') return { is: 'entity-id' };
  if (plain !== undefined && !isEventType(plain.type)) return { is: 'attribute', column: plain };
  const match = EVENT_NAME.exec(name);
  const column = match === null ? null : namedOrDashed(dimension.columns, match[1]);
  if (match !== null && column !== null && isEventType(column.type)) {
    return { is: 'event', column, ordinal: Number(match[2] ?? 1), part: match[3] as 'value' | 'date' };
  }
  if (plain !== undefined) {
    throw sqlError(`[${written}] is an event column: write [${name}.value] and [${name}.date]`, position);
  }
  const usable = [...dimension.columns.values()].filter((column) => access.allows(dimension, column));
  const meant = suggestion(
    match?.[1] ?? name,
    usable.map(({ apiName }) => apiName),
  );
  throw sqlError(
    `there is no column [${written}] in ${dimension.apiName}`,
    position,
    meant === null ? {} : { suggestion: meant },
  );
}

/** Throws 6000 if a column is named twice. */
export function checkDistinct(columns: readonly WriteColumn[], positions: readonly SourcePosition[]): void {
  const seen = new Set<string>();
  columns.forEach((column, index) => {
    const key = JSON.stringify(
      column.is === 'entity-id'
        ? 'entity-id'
        : column.is === 'attribute'
          ? column.column.id
          : [column.column.id, column.ordinal, column.part],
    );
    if (seen.has(key)) throw sqlError('the column is named twice', positions[index]);
    seen.add(key);
  });
}

/**
 * The members of an entity's JSON object, without braces: columns in the order of first mention, each event column as a list of
 * its events by ordinal. An event whose value and date are both NULL is omitted.
 */
export function membersOfRow(
  columns: readonly WriteColumn[],
  values: readonly SqlNode[],
  dialect: SqlDialect = 'http',
): string {
  const members: string[] = [];
  const events = new Map<string, Map<number, { value: string | null; date: string | null }>>();
  columns.forEach((target, index) => {
    if (target.is === 'attribute') {
      members.push(
        `${JSON.stringify(target.column.apiName)}:${jsonOf(values[index], target.column, dialect)}`,
      );
    } else if (target.is === 'event') {
      const { apiName } = target.column;
      let ofColumn = events.get(apiName);
      if (ofColumn === undefined) {
        ofColumn = new Map();
        events.set(apiName, ofColumn);
      }
      let event = ofColumn.get(target.ordinal);
      if (event === undefined) {
        event = { value: null, date: null };
        ofColumn.set(target.ordinal, event);
      }
      const isMissing = values[index].is === 'null';
      if (!isMissing)
        event[target.part] = jsonOf(values[index], target.part === 'value' ? target.column : null, dialect);
    }
  });
  for (const [apiName, ofColumn] of events) {
    const written = [...ofColumn]
      .filter(([, { value, date }]) => value !== null || date !== null)
      .sort(([a], [b]) => a - b)
      .map(([, { value, date }]) => {
        const parts = [value === null ? null : `"value":${value}`, date === null ? null : `"date":${date}`];
        return `{${parts.filter((part) => part !== null).join(',')}}`;
      });
    if (written.length > 0) members.push(`${JSON.stringify(apiName)}:[${written.join(',')}]`);
  }
  return members.join(',');
}

/** The text of a literal that must be a text, such as an entity ID. Throws 6000 for NULL and booleans. */
export function textOfLiteral(node: SqlNode, what: string): string {
  if (node.is === 'string') return node.text;
  if (node.is === 'number') return node.text;
  if (node.is === 'negative' && node.of.is === 'number') return `-${node.of.text}`;
  throw sqlError(`${what} is a string or a number`, node.position);
}

/** Whether a value is a constant as VALUES takes it. */
export const isLiteral = (node: SqlNode): boolean =>
  ['number', 'string', 'boolean', 'null'].includes(node.is) ||
  (node.is === 'negative' && node.of.is === 'number');

/** Converts a literal; `column` null = a date. Throws 6000 for other nodes. */
function jsonOf(node: SqlNode, column: Column | null, dialect: SqlDialect): string {
  switch (node.is) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(node.value);
    case 'number':
      return numberOf(node.text, node);
    case 'negative':
      if (node.of.is === 'number') return numberOf(`-${node.of.text}`, node);
      break;
    case 'string': {
      if (dialect === 'http') return stringOf(node.text, column);
      const value = fromPostgres(node.text, column);
      return typeof value === 'boolean' ? String(value) : stringOf(value, column);
    }
  }
  throw sqlError('only literals can be written: numbers, strings, TRUE, FALSE, NULL', node.position);
}

function numberOf(text: string, { position }: SqlNode): string {
  const written = jsonNumber(text);
  if (!JSON_NUMBER.test(written)) throw sqlError(`${text} is not a number`, position);
  return written;
}

/** Converts a string, which may contain a number or a list. */
function stringOf(text: string, column: Column | null): string {
  if (column !== null) {
    const isListed = column.storage === 'list-of-values' || /^geolocation/.test(column.type);
    if (isListed && isJsonList(text)) return text;
    if (NUMBER_TYPES.includes(column.type) && column.storage !== 'list-of-values' && JSON_NUMBER.test(text)) {
      return text;
    }
  }
  return JSON.stringify(text);
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
