/**
 * The events of one column in the order of entity and date, with the bits of a question and what else it reads of them.
 * Method  the events of a block of entities are selected by their bits first; the other columns are gathered for those.
 */
import type { Codes, EntityOrder } from '../event-order/entity-order.js';

/** Event i of the order has the value table[keys[i]], or keys[i] without a table. */
export interface OrderedColumn {
  readonly keys: Codes;
  readonly table: Uint32Array | null;
}

/** Columns of a block of entities: dates, words of bits, others; starts[i] is the first event of the block's entity i. */
export interface EventBlock {
  readonly starts: Uint32Array;
  readonly columns: readonly Uint32Array[];
}

export class OrderedEvents {
  readonly #order: EntityOrder;
  readonly #words: readonly OrderedColumn[];
  /** A number = all events have this value. */
  readonly #others: readonly (OrderedColumn | number)[];
  /** The index in the order of each event of the block. */
  readonly #selected: Uint32Array;

  /** `capacity`: one more than the greatest number of events of a block. */
  constructor(
    order: EntityOrder,
    words: readonly OrderedColumn[],
    others: readonly (OrderedColumn | number)[],
    capacity: number,
  ) {
    this.#order = order;
    this.#words = words;
    this.#others = others;
    this.#selected = new Uint32Array(capacity);
  }

  /** The number of events of entities [fromRow, toRow), selected or not. */
  countOf(fromRow: number, toRow: number): number {
    const { starts } = this.#order;
    const last = starts.length - 1;
    return starts[Math.min(toRow, last)] - starts[Math.min(fromRow, last)];
  }

  /** Writes the events of entities [fromRow, toRow) that have a bit, of those in `rows` (null = all). */
  read({ starts, columns }: EventBlock, rows: Uint8Array | null, fromRow: number, toRow: number): void {
    const [dates, masks] = columns;
    const count =
      this.#words.length === 1
        ? this.#select(starts, dates, masks, rows, fromRow, toRow)
        : this.#selectWide(starts, columns, rows, fromRow, toRow);
    this.#others.forEach((column, index) => {
      const target = columns[1 + this.#words.length + index];
      if (typeof column === 'number') target.fill(column, 0, count);
      else gather(column, this.#selected, target, count);
    });
  }

  #select(
    starts: Uint32Array,
    dates: Uint32Array,
    masks: Uint32Array,
    rows: Uint8Array | null,
    fromRow: number,
    toRow: number,
  ): number {
    const { starts: from, dates: all } = this.#order;
    const [{ keys, table }] = this.#words;
    const selected = this.#selected;
    const last = from.length - 1;
    let count = 0;
    starts[0] = 0;
    for (let row = fromRow; row < toRow; row++) {
      if (row < last && (rows === null || ((rows[row >>> 3] >> (row & 7)) & 1) === 1)) {
        const end = from[row + 1];
        for (let at = from[row]; at < end; at++) {
          const mask = (table as Uint32Array)[keys[at]];
          dates[count] = all[at];
          masks[count] = mask;
          selected[count] = at;
          // Without a branch, which would be predicted badly: 1 unless the mask is 0.
          count += (mask | -mask) >>> 31;
        }
      }
      starts[row - fromRow + 1] = count;
    }
    return count;
  }

  #selectWide(
    starts: Uint32Array,
    columns: readonly Uint32Array[],
    rows: Uint8Array | null,
    fromRow: number,
    toRow: number,
  ): number {
    const { starts: from, dates: all } = this.#order;
    const words = this.#words;
    const [dates] = columns;
    const selected = this.#selected;
    const last = from.length - 1;
    let count = 0;
    starts[0] = 0;
    for (let row = fromRow; row < toRow; row++) {
      if (row < last && (rows === null || ((rows[row >>> 3] >> (row & 7)) & 1) === 1)) {
        const end = from[row + 1];
        for (let at = from[row]; at < end; at++) {
          let any = 0;
          for (let word = 0; word < words.length; word++) {
            const { keys, table } = words[word];
            const mask = (table as Uint32Array)[keys[at]];
            columns[1 + word][count] = mask;
            any |= mask;
          }
          if (any === 0) continue;
          dates[count] = all[at];
          selected[count] = at;
          count++;
        }
      }
      starts[row - fromRow + 1] = count;
    }
    return count;
  }
}

function gather(
  { keys, table }: OrderedColumn,
  selected: Uint32Array,
  target: Uint32Array,
  count: number,
): void {
  if (table === null) for (let at = 0; at < count; at++) target[at] = keys[selected[at]];
  else for (let at = 0; at < count; at++) target[at] = table[keys[selected[at]]];
}
