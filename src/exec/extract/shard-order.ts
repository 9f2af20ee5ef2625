/** The order in which a plan chooses rows of one dimension's shard: its keys, then the ID. */
import { invariant } from '../../base/index.js';
import type { OrderKey, OrderValue, RowPosition } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { IntegerKey } from './integer-key.js';
import { IdKey, type ShardIds } from './shard-ids.js';
import type { KeyBound, OrderSortKey, RowSortKey } from './sort-key.js';
import { ranksPay, TextKey } from './text-key.js';

/** The keys of the plan's `order`; `rowCount`: rows that the first key will compare. */
export function orderKeys(
  shard: DimensionShard,
  ids: ShardIds,
  order: readonly OrderKey[],
  rowCount: number,
  run: QueryRun,
): OrderSortKey[] {
  return order.map((key, at) => {
    if (key.by === 'entity-id') return new IdKey(ids, key.descending);
    const { columnId, kind, descending } = key;
    if (kind !== 'code') return new IntegerKey(shard, columnId, descending, at);
    const ranked = at === 0 && ranksPay(shard.dictionaries.get(columnId), rowCount);
    return new TextKey(shard, columnId, descending, at, ranked, run);
  });
}

/** A position as a limit among the shard's rows. */
export interface RowBound {
  /** The number of the first key. */
  readonly number: number;
  /** For a row with the same first number: negative if it sorts before the position, 0 if it is the position's row. */
  compareTied(row: number): number;
}

export class ShardOrder {
  readonly first: RowSortKey;
  readonly #rest: readonly RowSortKey[];
  readonly #ids: ShardIds;
  readonly #values: readonly OrderSortKey[];

  /** Orders by `keys`, which must not be empty; `values` are the keys of the plan's order. */
  constructor(keys: readonly RowSortKey[], values: readonly OrderSortKey[], ids: ShardIds) {
    const [first, ...rest] = keys;
    invariant(first !== undefined, 'an order has a key');
    this.first = first;
    this.#rest = rest;
    this.#values = values;
    this.#ids = ids;
  }

  /** For rows with the same first number: negative if `a` sorts before `b`, 0 only for the same row. */
  compareTied(a: number, b: number): number {
    const order = this.first.compareTied(a, b);
    if (order !== 0) return order;
    for (const key of this.#rest) {
      const [numberA, numberB] = [key.number(a), key.number(b)];
      if (numberA !== numberB) return numberA < numberB ? -1 : 1;
      const tied = key.compareTied(a, b);
      if (tied !== 0) return tied;
    }
    return this.#ids.compare(a, b);
  }

  bound(position: RowPosition): RowBound {
    const first = this.first.bound(position);
    const rest: readonly KeyBound[] = this.#rest.map((key) => key.bound(position));
    const id = Buffer.from(position.id, 'utf8');
    const compareTied = (row: number): number => {
      const order = first.compareTied(row);
      if (order !== 0) return order;
      for (let key = 0; key < rest.length; key++) {
        const number = this.#rest[key].number(row);
        if (number !== rest[key].number) return number < rest[key].number ? -1 : 1;
        const tied = rest[key].compareTied(row);
        if (tied !== 0) return tied;
      }
      return this.#ids.compareWith(row, id);
    };
    return { number: first.number, compareTied };
  }

  /** The values of the plan's order keys for a row's position. */
  values(row: number): OrderValue[] {
    return this.#values.map((key) => key.value(row));
  }
}
