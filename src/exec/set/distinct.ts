/** Returns each different row of its input once, in the order of first occurrence. Missing values are equal. */
import type { RelationColumn, RelationOf } from '../../ir/index.js';
import { concat, type Vector } from '../../vector/index.js';
import { buildKeyTable, type KeyTable } from '../join/keys/key-table.js';
import type { QueryRun } from '../query-run.js';
import { CollectedRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { pickedOf } from '../relation/picked-batch.js';
import { MemoryOperator, VALUE_BYTES } from '../relation/row-batches.js';
import { SpillableInput } from '../relation/spillable-input.js';
import { finishedRows, PARTITION_DEPTH_MAX, partitionRows, rowPartitions } from '../relation/stored-rows.js';
import type { RowPartitions } from '../spill/row-partitions.js';

/** `relation` has no aggregates. `depth`: how often the rows were divided into partitions. */
export function distinctRows(
  input: Operator,
  relation: RelationOf<'aggregate'>,
  run: QueryRun,
  depth = 0,
): Operator {
  const { keys } = relation;
  return new MemoryOperator(keys, input, run, function* (memory) {
    const columns = keys.map(({ column }) => column);
    const canSpill = depth <= PARTITION_DEPTH_MAX && keys.length > 0;
    const spillable = new SpillableInput(input, memory, canSpill ? depth : null, () =>
      rowPartitions(input.columns, columns, depth, memory),
    );
    try {
      const found = yield* spillable.run(function* (rows, work) {
        return { added: yield* new SeenRows(keys, work).added(rows) };
      });
      if (found !== null) {
        yield found.added;
        return undefined;
      }
      const rows = yield* finishedRows(spillable.store as RowPartitions);
      for (let partition = 0; partition < rows.partitionCount; partition++) {
        if (rows.rowCounts[partition] === 0) continue;
        const part = partitionRows(input.columns, rows, partition, memory);
        yield* distinctRows(part, relation, memory, depth + 1).batches();
      }
    } finally {
      spillable.store?.release();
    }
    return undefined;
  });
}

interface Level {
  readonly rows: RelationBatch;
  readonly table: KeyTable;
  readonly memory: QueryRun;
}

/**
 * The different rows so far. They are in tables whose sizes at least double from the last to the first, so that a row is
 * hashed again only as often as the number of rows doubles.
 */
export class SeenRows {
  readonly #columns: readonly RelationColumn[];
  readonly #run: QueryRun;
  readonly #levels: Level[] = [];

  /** Rows are compared by `columns`. */
  constructor(columns: readonly RelationColumn[], run: QueryRun) {
    this.#columns = columns;
    this.#run = run;
  }

  /** Adds the rows that are not in the tables yet and returns them, each once; null = none. Throws 9005, 9006. */
  *added(rows: RelationBatch): Generator<null, RelationBatch | null> {
    const found = new Int32Array(rows.count);
    const isNew = new Uint8Array(rows.count).fill(1);
    for (const { table } of this.#levels) {
      table.find(this.#vectors(rows), rows.count, found);
      for (let row = 0; row < rows.count; row++) if (found[row] !== 0) isNew[row] = 0;
      yield null;
    }
    const { codes } = yield* this.#built(rows, this.#run.child());
    const picked = new Uint32Array(rows.count);
    let count = 0;
    for (let row = 0; row < rows.count; row++) {
      if (isNew[row] === 1 && codes[row] === row + 1) picked[count++] = row;
    }
    const added = pickedOf(rows, picked, count);
    if (added !== null) yield* this.#add(added);
    return added;
  }

  *#built(rows: RelationBatch, memory: QueryRun) {
    const keys = this.#vectors(rows).map((vector) => ({ vector, nullsEqual: true }));
    try {
      return yield* buildKeyTable(keys, rows.count, memory);
    } finally {
      memory.releaseAll();
    }
  }

  #vectors(rows: RelationBatch): Vector[] {
    return this.#columns.map(({ column }) => rows.input(column));
  }

  *#add(added: RelationBatch): Generator<null, void> {
    const parts = [added];
    let { count } = added;
    for (
      let last = this.#levels.at(-1);
      last !== undefined && last.rows.count <= count * 2;
      last = this.#levels.at(-1)
    ) {
      parts.unshift(last.rows);
      count += last.rows.count;
      last.memory.releaseAll();
      this.#levels.pop();
    }
    const memory = this.#run.child();
    memory.reserve(count * this.#columns.length * VALUE_BYTES);
    const vectors = this.#columns.map(({ column, type }) => {
      return [
        column,
        concat(
          parts.map((part) => part.input(column)),
          type,
        ),
      ] as const;
    });
    const rows = new CollectedRows(count, new Map(vectors));
    const keys = vectors.map(([, vector]) => ({ vector, nullsEqual: true }));
    const { table } = yield* buildKeyTable(keys, count, memory);
    this.#levels.push({ rows, table, memory });
  }
}
