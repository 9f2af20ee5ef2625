/**
 * The columns and rows of a database that one caller may use. The access is made from the caller's key; a key without
 * restrictions has FULL_ACCESS.
 * Invariants: a filter that cannot be bound (its column is deleted or inactive) refuses the request and never widens the
 * access; every request of a caller is bound with `checkColumn` and `restrict`.
 */
import { type BindingTime, QuarryError, quoted } from '../../base/index.js';
import type { ApiKey, CustomKey } from '../../catalog/index.js';
import type { Condition } from '../../ir/index.js';
import { type Column, type DatabaseModel, type Dimension, ENTITY_ID_COLUMN } from '../../schema/index.js';
import type { ColumnCheck } from '../condition/column-check.js';
import { bindQuery } from '../condition/condition.js';
import { objectAt } from './fields.js';
import { type Json, type JsonObject, parseJson } from './json.js';

export interface Access {
  /** Two accesses with the same fingerprint show the same columns and rows of a database while its model is unchanged. */
  readonly fingerprint: string;
  /** Whether the caller may use the column; `entity-id` always. */
  allows(dimension: Dimension, column: Column): boolean;
  /** Throws 506 if `allows` is false. A bound function, so that it can be passed without its object. */
  readonly checkColumn: ColumnCheck;
  /** Narrows `condition` (null = all entities) to the rows that the caller sees. Throws 506 if the row filter cannot be bound. */
  restrict<C extends Condition | null>(dimension: Dimension, condition: C, nowMs: BindingTime): Condition | C;
  /** Membership in a segment of the dimension. Throws 506, 9101, 9106 and the errors of its query. */
  segment(name: string, dimension: Dimension, nowMs: BindingTime): Condition;
  /** Ids of the columns of `model` that the caller may write; null = all. Returns the same list for the same model. */
  columnIds(model: DatabaseModel): readonly number[] | null;
  /** Result of `decide` for `subject`, computed once per subject and model. Always true for unrestricted access. */
  opens(subject: object, model: DatabaseModel, decide: () => boolean): boolean;
}

export const FULL_ACCESS: Access = {
  fingerprint: '',
  allows: () => true,
  checkColumn: () => {},
  restrict: (_dimension, condition) => condition,
  segment: (name, dimension, nowMs) => bindQuery(segmentQuery(name), dimension, nowMs),
  columnIds: () => null,
  opens: () => true,
};

export function accessOf(key: ApiKey): Access {
  if (key.kind !== 'custom') return FULL_ACCESS;
  return key.columnsWhitelist === null && key.filter.length === 0 ? FULL_ACCESS : new CustomAccess(key);
}

class CustomAccess implements Access {
  readonly fingerprint: string;
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>> | null;
  readonly #filters: ReadonlyMap<string, string>;
  /** The last result of `columnIds`. Models are immutable, so it stays valid for its model. */
  #writable: { readonly model: DatabaseModel; readonly ids: readonly number[] } | null = null;
  /** Results of `opens`, for the model of the last call. */
  #opened: { readonly model: DatabaseModel; readonly bySubject: WeakMap<object, boolean> } | null = null;

  constructor({ columnsWhitelist, filter }: CustomKey) {
    this.fingerprint = JSON.stringify([columnsWhitelist, filter]);
    this.#columns =
      columnsWhitelist === null
        ? null
        : new Map(columnsWhitelist.map(({ dimension, columns }) => [dimension, new Set(columns)]));
    this.#filters = new Map(filter.map(({ dimension, conditions }) => [dimension, conditions]));
  }

  allows(dimension: Dimension, column: Column): boolean {
    if (this.#columns === null || column.apiName === ENTITY_ID_COLUMN) return true;
    return this.#columns.get(dimension.apiName)?.has(column.apiName) === true;
  }

  readonly checkColumn = (dimension: Dimension, column: Column): void => {
    if (this.allows(dimension, column)) return;
    const where = `in dimension ${quoted(dimension.apiName)}`;
    throw new QuarryError(506, `this key may not use the column ${quoted(column.apiName)} ${where}`);
  };

  restrict<C extends Condition | null>(
    dimension: Dimension,
    condition: C,
    nowMs: BindingTime,
  ): Condition | C {
    const conditions = this.#filters.get(dimension.apiName);
    if (conditions === undefined) return condition;
    const filter = bindFilter(conditions, dimension, nowMs);
    return condition === null ? filter : { op: 'and', members: [filter, condition] };
  }

  segment(name: string, dimension: Dimension, nowMs: BindingTime): Condition {
    return bindQuery(segmentQuery(name), dimension, nowMs, { checkColumn: this.checkColumn });
  }

  columnIds(model: DatabaseModel): readonly number[] | null {
    if (this.#columns === null) return null;
    if (this.#writable?.model === model) return this.#writable.ids;
    const ids: number[] = [];
    for (const dimension of model.dimensions.values()) {
      for (const column of dimension.columns.values()) {
        if (this.allows(dimension, column)) ids.push(column.id);
      }
    }
    this.#writable = { model, ids };
    return ids;
  }

  opens(subject: object, model: DatabaseModel, decide: () => boolean): boolean {
    if (this.#opened?.model !== model) this.#opened = { model, bySubject: new WeakMap() };
    const { bySubject } = this.#opened;
    const known = bySubject.get(subject);
    if (known !== undefined) return known;
    const opened = decide();
    bySubject.set(subject, opened);
    return opened;
  }
}

/** The query list of the members of a segment. */
export const segmentQuery = (name: string): Json => [new Map([['segment', name]])];

/** The conditions of a filter, one per column, as a query that joins them by `and`. */
export function filterQuery(columns: JsonObject): Json {
  return [...columns].flatMap(([column, condition], index) => [
    ...(index === 0 ? [] : ['and']),
    new Map([[column, condition]]),
  ]);
}

/** The conditions of a key's filter, joined by `and`. Throws 506 with a message that reveals nothing of the filter's content. */
function bindFilter(conditions: string, dimension: Dimension, nowMs: BindingTime): Condition {
  try {
    const columns = objectAt(parseJson(new TextEncoder().encode(conditions)), 4004, 'the filter');
    return bindQuery(filterQuery(columns), dimension, nowMs);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const where = `dimension ${quoted(dimension.apiName)}`;
    throw new QuarryError(506, `the row filter of this key no longer fits the columns of ${where}`);
  }
}
