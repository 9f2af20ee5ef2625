/** Compares batches of rows with the last of the first rows of an order. */
import { invariant } from '../../base/index.js';
import type { RelationSortKey } from '../../ir/index.js';
import { compareRows, type Texts, type TextVector, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { RelationBatch } from '../relation/operator.js';

/** By code of `texts`: 0 = not known yet, else how the text compares with that of the last row, plus 2. */
interface KnownTexts {
  readonly texts: Texts;
  readonly orders: Uint8Array;
}

interface Key extends RelationSortKey {
  /** One row: the key of the last row. */
  readonly last: Vector;
  known: KnownTexts | null;
}

export class LastRow {
  readonly #keys: readonly Key[];
  readonly #memory: QueryRun;
  /** By row of a batch: -1 = sorts before the last row by the first key, 0 = ties, 1 = sorts after it. */
  #orders = new Int8Array(0);

  /** `last` has the last row's value of each key. */
  constructor(keys: readonly RelationSortKey[], last: readonly Vector[], memory: QueryRun) {
    this.#keys = keys.map((key, index) => ({ ...key, last: last[index], known: null }));
    this.#memory = memory.child();
  }

  /** Writes the rows that sort before the last row to `rows` and returns their number. Throws 9006. */
  rowsBefore(batch: RelationBatch, rows: Uint32Array): number {
    const { count } = batch;
    if (this.#orders.length < count) {
      this.#memory.reserve(count - this.#orders.length);
      this.#orders = new Int8Array(count);
    }
    const orders = this.#orders;
    const [first] = this.#keys;
    this.#compareAll(first, batch.input(first.column), orders);
    let found = 0;
    if (this.#keys.length === 1) {
      for (let row = 0; row < count; row++) if (orders[row] < 0) rows[found++] = row;
      return found;
    }
    for (let row = 0; row < count; row++) {
      if (orders[row] < 0 || (orders[row] === 0 && this.#isBefore(batch, row))) rows[found++] = row;
    }
    return found;
  }

  /** Whether the row sorts before the last row by the keys after the first. */
  #isBefore(batch: RelationBatch, row: number): boolean {
    for (let index = 1; index < this.#keys.length; index++) {
      const key = this.#keys[index];
      const order = compareWithLast(key, batch.input(key.column), row);
      if (order !== 0) return order < 0;
    }
    return false;
  }

  #compareAll(key: Key, vector: Vector, orders: Int8Array): void {
    const { last } = key;
    const { count, valid } = vector;
    if (last.valid !== null && last.valid[0] === 0) {
      for (let row = 0; row < count; row++) {
        const isMissing = valid !== null && valid[row] === 0;
        orders[row] = isMissing ? 0 : key.missingFirst ? 1 : -1;
      }
      return;
    }
    if (vector.kind === 'text') this.#compareTexts(key, vector, orders);
    else if (vector.kind === 'boolean') compareNumbers(key, vector.bits, count, orders);
    else if (vector.numbers !== null && isNumber(last)) compareNumbers(key, vector.numbers, count, orders);
    else {
      for (let row = 0; row < count; row++) {
        const isMissing = valid !== null && valid[row] === 0;
        orders[row] = isMissing ? 0 : Math.sign(compareWithLast(key, vector, row));
      }
    }
    if (valid === null) return;
    const ofMissing = key.missingFirst ? -1 : 1;
    for (let row = 0; row < count; row++) if (valid[row] === 0) orders[row] = ofMissing;
  }

  #compareTexts(key: Key, vector: TextVector, orders: Int8Array): void {
    const { codes, texts, count, valid } = vector;
    const sign = key.descending ? -1 : 1;
    const { last } = key;
    invariant(last.kind === 'text', 'a key keeps its kind');
    if (codes === null) {
      for (let row = 0; row < count; row++) {
        if (valid !== null && valid[row] === 0) continue;
        orders[row] = sign * Math.sign(texts.compare(row, last.texts, last.codes?.[0] ?? 0));
      }
      return;
    }
    const known = this.#knownTexts(key, texts);
    for (let row = 0; row < count; row++) {
      const code = codes[row];
      if (known[code] === 0) {
        known[code] = 2 + sign * Math.sign(texts.compare(code, last.texts, last.codes?.[0] ?? 0));
      }
      orders[row] = known[code] - 2;
    }
  }

  #knownTexts(key: Key, texts: Texts): Uint8Array {
    if (key.known !== null && key.known.texts === texts) return key.known.orders;
    this.#memory.release(key.known?.orders.byteLength ?? 0);
    key.known = null;
    this.#memory.reserve(texts.size);
    key.known = { texts, orders: new Uint8Array(texts.size) };
    return key.known.orders;
  }

  release(): void {
    this.#memory.releaseAll();
  }
}

const isNumber = (vector: Vector): boolean =>
  vector.kind === 'float' || (vector.kind === 'exact' && vector.numbers !== null);

function compareNumbers(
  { last, descending }: Key,
  values: Float64Array | Uint8Array,
  count: number,
  orders: Int8Array,
): void {
  const of = last.kind === 'boolean' ? last.bits : last.kind === 'text' ? null : last.numbers;
  invariant(of !== null, 'a key keeps its kind');
  const [bound] = of;
  const [less, greater] = descending ? [1, -1] : [-1, 1];
  for (let row = 0; row < count; row++) {
    const value = values[row];
    orders[row] = value < bound ? less : value > bound ? greater : 0;
  }
}

/** Negative if the row sorts before the last row by the key, 0 if they tie. */
function compareWithLast({ last, descending, missingFirst }: Key, vector: Vector, row: number): number {
  const isMissing = vector.valid !== null && vector.valid[row] === 0;
  const isLastMissing = last.valid !== null && last.valid[0] === 0;
  if (isMissing || isLastMissing) {
    const order = (isMissing ? 1 : 0) - (isLastMissing ? 1 : 0);
    return missingFirst ? -order : order;
  }
  const order = compareRows(vector, row, last, 0);
  return descending ? -order : order;
}
