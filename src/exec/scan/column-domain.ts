/**
 * The domain of a column: every value that the column may have within one shard, as rows. Expressions that depend
 * only on this column are evaluated once per value instead of once per row.
 * Layout  row 0 is the missing value; row v - least is the stored value v: a code, an integer or a bit.
 */
import { invariant } from '../../base/index.js';
import type { RowSource } from '../../expression/index.js';
import type { Input } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { gatherOrMissing, type Texts, type Vector } from '../../vector/index.js';
import type { ShardJoins } from '../join/joins.js';

export interface ColumnDomain {
  readonly columnId: number;
  readonly kind: 'code' | 'i32' | 'i64' | 'bits';
  readonly least: number;
  /** Number of rows, including the row of the missing value. */
  readonly count: number;
}

/** The domain of the column; null if it has more than `rowsMax` rows or the column's kind is not discrete. */
export function columnDomain(
  shard: DimensionShard,
  input: Extract<Input, { readonly from: 'attribute' }>,
  rowsMax: number,
): ColumnDomain | null {
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
      const bounds = storedRange(shard, columnId);
      if (bounds === null) return null;
      const count = bounds.max - bounds.min + 2;
      return count > rowsMax ? null : { columnId, kind, least: bounds.min - 1, count };
    }
  }
}

interface StoredRange {
  readonly min: number;
  readonly max: number;
}

/** The range of the stored values, including the 0 of missing values; null if a segment stores 64-bit integers. */
function storedRange({ segments }: DimensionShard, columnId: number): StoredRange | null {
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
  readonly #domain: ColumnDomain;
  readonly #inputs: readonly Input[];
  readonly #joins: ShardJoins;
  readonly #textsOf: (columnId: number) => Texts | null;
  readonly #vectors: (Vector | undefined)[] = [];
  readonly #found: (Int32Array | undefined)[] = [];

  constructor(
    domain: ColumnDomain,
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

  /** An input that depends only on this column. Throws 6000, 9006. */
  input(index: number): Vector {
    this.#vectors[index] ??= this.#read(this.#inputs[index]);
    return this.#vectors[index];
  }

  #read(input: Input): Vector {
    if (input.from === 'joined') {
      return gatherOrMissing(
        this.#joins.column(input.join, input.column),
        this.joined(input.join),
        this.count,
      );
    }
    invariant(
      input.from === 'attribute' && input.columnId === this.#domain.columnId,
      'an expression of one column reads no other column',
    );
    return this.#values();
  }

  /** For each value, the row that join `join` finds, or NOT_FOUND. Throws 6000, 9006. */
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
