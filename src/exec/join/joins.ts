/** The joins of a SELECT within one shard. */

import { invariant, type MemoryAccount } from '../../base/index.js';
import { compile, type Evaluate, type RowSource } from '../../expression/index.js';
import { type Expression, inputsOf, type SelectPlan } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { SegmentFilters } from '../scan/segment-filters.js';
import { TextFilter } from '../scan/text-filter.js';
import { type JoinedTable, JoinLookup, NOT_FOUND } from './join-lookup.js';

export class ShardJoins {
  readonly #tables: readonly JoinedTable[];
  readonly #on: readonly Evaluate[];
  readonly #lookups: readonly JoinLookup[];
  readonly #account: MemoryAccount;
  /** Memory of the filters. */
  readonly #run: QueryRun;

  /** `release` must be called at the end. */
  constructor({ joins }: SelectPlan, tables: readonly JoinedTable[], run: QueryRun) {
    invariant(joins.length === tables.length, 'every join has a table');
    this.#tables = tables;
    this.#account = run.child();
    this.#run = run.child();
    this.#on = joins.map(({ on }) => compile(on, this.#account));
    this.#lookups = tables.map((table) => new JoinLookup(table, run));
  }

  /** For each row, the matching row of the join's table, or NOT_FOUND. Throws 6000, 9006. */
  find(join: number, rows: RowSource): Int32Array {
    const ids = this.#on[join](rows);
    invariant(ids.kind === 'text', 'a joined ID is a text');
    return this.#lookups[join].find(ids);
  }

  /** Adds filters that keep only rows with a match in the inner joins. */
  addFilters({ joins, inputs }: SelectPlan, filters: SegmentFilters): void {
    for (const [index, { kind, on }] of joins.entries()) {
      const input = kind === 'inner' && on.op === 'input' ? inputs[on.input] : null;
      if (input?.from !== 'attribute' || input.kind !== 'code') continue;
      const table = this.#tables[index];
      filters.add(
        input.columnId,
        new TextFilter((texts, text) => table.find(texts, text) !== NOT_FOUND, this.#run),
      );
    }
  }

  column(join: number, column: number): Vector {
    return this.#tables[join].columns[column];
  }

  release(): void {
    for (const lookup of this.#lookups) lookup.release();
    this.#account.releaseAll();
    this.#run.releaseAll();
  }
}

/** Whether the expression reads a column of a joined dimension. */
export function readsJoined(expression: Expression | null, { inputs }: SelectPlan): boolean {
  return expression !== null && [...inputsOf(expression)].some((input) => inputs[input].from === 'joined');
}
