/**
 * `columns` and `order` of an extraction. A column named twice counts once; "all" are the attribute columns that the
 * caller may use.
 */
import {
  COLUMNS_PER_EXTRACTION_MAX,
  checkAll,
  ORDER_KEYS_MAX,
  QuarryError,
  quoted,
} from '../../base/index.js';
import type { OrderKey, OutputColumn, Window } from '../../ir/index.js';
import {
  type Column,
  type Dimension,
  ENTITY_ID_COLUMN,
  isEventType,
  valueKindOf,
} from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { isList, isObject, type Json, type JsonObject, kindOf } from '../body/json.js';
import { readWindow } from '../condition/window.js';

/** The dimension and access with which the columns of a request are looked up. */
export interface ColumnScope {
  readonly dimension: Dimension;
  readonly access: Pick<Access, 'allows' | 'checkColumn'>;
  readonly nowMs: number;
}

/** A column of the answer's rows. */
export interface ExtractColumn {
  readonly column: Column;
  /** Window of the events that the answer contains; null for attribute columns. */
  readonly window: Window | null;
}

/** null = all of them. */
export type ExtractColumns = readonly ExtractColumn[] | null;

const ALL = 'all';

/**
 * Reads the value of `columns`, a list of columns or "all". Throws 4003, 4008, 4017, 4018, 4030, 4049, 4053 and 506; the
 * error reports all invalid columns.
 */
export function readColumns(json: Json, scope: ColumnScope): ExtractColumns {
  if (json === ALL || (isList(json) && json.length === 1 && json[0] === ALL && !hasColumn(ALL, scope))) {
    return null;
  }
  if (!isList(json)) {
    throw new QuarryError(4049, `"columns" must be a list of columns or "${ALL}", not ${kindOf(json)}`);
  }
  if (json.length === 0) throw new QuarryError(4049, '"columns" is an empty list');
  const named = new Map<string, ExtractColumn>();
  const repeated = new Set<Json>();
  checkAll(json, (item, index) => {
    if (repeated.has(item)) return;
    repeated.add(item);
    const path = `columns[${index}]`;
    const found = isObject(item) ? readEventColumn(item, scope, path) : readColumn(item, scope, path);
    const { apiName } = found.column;
    const other = named.get(apiName)?.window ?? found.window;
    if (other?.from !== found.window?.from || other?.to !== found.window?.to) {
      throw new QuarryError(4049, `${path} names ${quoted(apiName)} again with other dates`);
    }
    named.set(apiName, found);
    if (named.size === COLUMNS_PER_EXTRACTION_MAX + 1) {
      throw new QuarryError(
        4030,
        `${path} is more than the ${COLUMNS_PER_EXTRACTION_MAX} columns of a request`,
      );
    }
  });
  return [...named.values()];
}

function hasColumn(apiName: string, { dimension }: ColumnScope): boolean {
  return dimension.columns.get(apiName)?.active === true;
}

/** The active column that the caller may use. Throws 4008 and 506. */
function columnOf(apiName: string, { dimension, access }: ColumnScope, path: string): Column {
  const column = dimension.columns.get(apiName);
  if (column === undefined || !column.active) {
    throw new QuarryError(4008, `${path}: column ${quoted(apiName)} is inactive or does not exist`);
  }
  access.checkColumn(dimension, column);
  return column;
}

function readColumn(item: Json, scope: ColumnScope, path: string): ExtractColumn {
  if (typeof item !== 'string') {
    throw new QuarryError(4049, `${path} must be the api-name of a column, not ${kindOf(item)}`);
  }
  const column = columnOf(item, scope, path);
  if (!isEventType(column.type)) return { column, window: null };
  const form = `{${quoted(item)}: [from, to]}`;
  throw new QuarryError(4018, `${path}: ${quoted(item)} is an event column, which needs its dates: ${form}`);
}

function readEventColumn(item: JsonObject, scope: ColumnScope, path: string): ExtractColumn {
  const [[apiName, between] = [], ...more] = item;
  if (apiName === undefined || between === undefined || more.length > 0) {
    const also = more.length === 0 ? '' : `, not also ${quoted(more[0][0])}`;
    throw new QuarryError(4049, `${path} must name one event column${also}`);
  }
  const column = columnOf(apiName, scope, path);
  if (!isEventType(column.type)) {
    throw new QuarryError(4017, `${path}: ${quoted(apiName)} is not an event column and has no dates`);
  }
  return { column, window: readWindow(between, scope.nowMs, `${path}.${apiName}`) };
}

/** Every active attribute column that the caller may use; with the entity ID if `withIds`. */
export function allColumns({ dimension, access }: ColumnScope, withIds: boolean): readonly ExtractColumn[] {
  return [...dimension.columns.values()]
    .filter((column) => column.active && !isEventType(column.type) && access.allows(dimension, column))
    .filter(({ apiName }) => withIds || apiName !== ENTITY_ID_COLUMN)
    .map((column) => ({ column, window: null }));
}

export function outputColumn({ column, window }: ExtractColumn): OutputColumn {
  const { type, decimalPlaces, id: columnId, apiName } = column;
  if (apiName === ENTITY_ID_COLUMN) return { type, decimalPlaces, from: 'entity-id' };
  return window === null
    ? { type, decimalPlaces, from: 'attribute', columnId }
    : { type, decimalPlaces, from: 'events', columnId, window };
}

/** Reads the keys of an `order`, which is an object or a list of objects. Throws 4008, 4039, 4040, 4048, 4049 and 506. */
export function readOrder(json: Json, scope: ColumnScope): readonly OrderKey[] {
  const items = isObject(json) ? [json] : json;
  if (!isList(items)) throw new QuarryError(4049, `"order" must be a list of columns, not ${kindOf(json)}`);
  if (items.length === 0) throw new QuarryError(4049, '"order" is an empty list');
  if (items.length > ORDER_KEYS_MAX) {
    throw new QuarryError(4048, `"order" has ${items.length} columns; at most ${ORDER_KEYS_MAX}`);
  }
  const named = new Set<string>();
  return checkAll(items, (item, index) => {
    const path = isList(json) ? `order[${index}]` : '"order"';
    const [[apiName, direction] = [], ...more] = isObject(item) ? item : [];
    if (apiName === undefined || more.length > 0) {
      const also = more.length === 0 ? '' : `, not also of ${quoted(more[0][0])}`;
      throw new QuarryError(4049, `${path} must be an object of one column, such as {"name": "asc"}${also}`);
    }
    const key = orderKey(columnOf(apiName, scope, path), direction === 'desc', path);
    if (direction !== 'asc' && direction !== 'desc') {
      throw new QuarryError(4049, `${path}: the order of ${quoted(apiName)} must be "asc" or "desc"`);
    }
    if (named.has(apiName)) throw new QuarryError(4049, `${path} names ${quoted(apiName)} again`);
    named.add(apiName);
    return key;
  });
}

function orderKey({ id, apiName, type, storage }: Column, descending: boolean, path: string): OrderKey {
  if (apiName === ENTITY_ID_COLUMN) return { by: 'entity-id', descending };
  if (isEventType(type)) {
    throw new QuarryError(
      4040,
      `${path}: ${quoted(apiName)} is an event column, by which rows cannot be ordered`,
    );
  }
  const kind = valueKindOf(type);
  if (kind === 'geo' || storage === 'list-of-values') {
    const what = kind === 'geo' ? `of type ${type}` : 'with lists of values';
    throw new QuarryError(
      4039,
      `${path}: ${quoted(apiName)} is a column ${what}, by which rows cannot be ordered`,
    );
  }
  return { by: 'attribute', columnId: id, kind, descending };
}
