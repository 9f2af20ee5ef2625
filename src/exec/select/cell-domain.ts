/**
 * All values that a column may have within one shard, as rows: what depends on that column alone is worked out once per value
 * and not once per row.
 * Layout  row 0 stands for a missing value, row v - least for the stored value v: a code, an integer or a bit.
 */
import { invariant } from '../../base/index.js';
import type { RowSource } from '../../expression/index.js';
import type { Input } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { Texts, Vector } from '../../vector/index.js';
import type { ShardJoins } from './joins.js';
import { findRows } from './pick-rows.js';

export interface CellDomain {
  readonly columnId: number;
  readonly kind: 'code' | 'i32' | 'i64' | 'bits';
  readonly least: number;
  /** Rows, that of a missing value included. */
  readonly count: number;
}

/** null: it may have more values than `rowsMax` less one, or of a kind that is not counted in steps. */
export function cellDomain(
  shard: DimensionShard,
  input: Extract<Input, { readonly from: 'attribute' }>,
  rowsMax: number,
): CellDomain | null {
  const { columnId, kind } = input;
  switch (kind) {
    case 'geo':
      return null;
    case 'bits':
      return { columnId, kind, least: -1, count: 3 };
    case 'code': {
      const count = shard.dictionaries.get(columnId)?.codeCount;
      return count === undefined || count > rowsMax ? null : { columnId, kind, least: 0, count };
    }
    default: {
      const bounds = boundsOf(shard, columnId);
      if (bounds === null) return null;
      const count = bounds.max - bounds.min + 2;
      return count > rowsMax ? null : { columnId, kind, least: bounds.min - 1, count };
    }
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Of what is stored, the 0 of missing values included; null where it does not fit 32 bits. */
function boundsOf({ segments }: DimensionShard, columnId: number): Bounds | null {
  let min = 0;
  let max = 0;
  let isFirst = true;
  for (const segment of segments) {
    const column = segment.latest(columnId);
    if (column === undefined || column.presentCount === 0) continue;
    if (column.kind === 'i64' && column.width === 8) return null;
    const isWhole = column.presentCount === segment.rowCount;
    const low = isWhole ? column.min : Math.min(column.min, 0);
    const high = isWhole ? column.max : Math.max(column.max, 0);
    min = isFirst ? low : Math.min(min, low);
    max = isFirst ? high : Math.max(max, high);
    isFirst = false;
  }
  return { min, max };
}

export class DomainRows implements RowSource {
  readonly count: number;
  readonly #domain: CellDomain;
  readonly #inputs: readonly Input[];
  readonly #joins: ShardJoins;
  readonly #textsOf: (columnId: number) => Texts | null;
  readonly #vectors: (Vector | undefined)[] = [];
  readonly #found: (Int32Array | undefined)[] = [];

  constructor(
    domain: CellDomain,
    inputs: readonly Input[],
    joins: ShardJoins,
    textsOf: (columnId: number) => Texts | null,
  ) {
    this.count = domain.count;
    this.#domain = domain;
    this.#inputs = inputs;
    this.#joins = joins;
    this.#textsOf = textsOf;
  }

  /** An input that depends on the column alone. Throws 6000, 9006. */
  input(index: number): Vector {
    this.#vectors[index] ??= this.#read(this.#inputs[index]);
    return this.#vectors[index];
  }

  #read(input: Input): Vector {
    if (input.from === 'joined') {
      return findRows(this.#joins.column(input.join, input.column), this.joined(input.join), this.count);
    }
    invariant(
      input.from === 'attribute' && input.columnId === this.#domain.columnId,
      'an expression of one column reads no other',
    );
    return this.#values();
  }

  /** The row of join `join` that each value finds, NOT_FOUND where there is none. Throws 6000, 9006. */
  joined(join: number): Int32Array {
    this.#found[join] ??= this.#joins.find(join, this);
    return this.#found[join];
  }

  #values(): Vector {
    const { kind, columnId, count, least } = this.#domain;
    const valid = new Uint8Array(count).fill(1, 1);
    if (kind === 'bits') return { kind: 'boolean', count, valid, bits: Uint8Array.of(0, 0, 1) };
    if (kind === 'code') {
      const texts = this.#textsOf(columnId);
      invariant(texts !== null, 'a column with codes has strings');
      return {
        kind: 'text',
        count,
        valid,
        codes: Uint32Array.from({ length: count }, (_, row) => row),
        texts,
      };
    }
    const numbers = Float64Array.from({ length: count }, (_, row) => (row === 0 ? 0 : row + least));
    return { kind: 'exact', count, valid, numbers, wide: null };
  }
}
