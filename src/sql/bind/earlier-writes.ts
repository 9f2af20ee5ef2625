/**
 * What the statements of a body write before another one, which reads the data as they are before the body: a statement that
 * would read what an earlier one writes is refused.
 */
import { quoted } from '../../base/index.js';
import { dimensionsOf, type ReadPlan } from '../../ir/index.js';
import { storedText } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type {
  InsertQueryStatement,
  InsertStatement,
  SourcePosition,
  TableName,
  WriteStatement,
} from '../tree.js';
import { dimensionOf } from './clauses/sources.js';
import { idOfMember } from './insert-target.js';
import type { SqlRequest } from './request.js';
import { rowBinder } from './writes.js';

type Written = WriteStatement | { readonly is: 'rows'; readonly table: TableName };

/** The writes of a dimension. */
interface DimensionWrites {
  /** Literal rows whose IDs are not yet among `ids`. */
  inserts: InsertStatement[];
  readonly ids: Set<string>;
  /** Whether other entities may be written. */
  isOpen: boolean;
}

export class EarlierWrites {
  readonly #written = new Map<number, DimensionWrites>();
  /** Dimensions that exist only after the body. */
  readonly #created = new Set<number>();
  /** Dimensions that have another name before the body. */
  readonly #renamed = new Set<number>();

  /** Throws 6000, 506. */
  add(statement: Written, { model }: SqlRequest): void {
    const { id } = dimensionOf(statement.table, model);
    const writes = this.#written.get(id) ?? { inserts: [], ids: new Set(), isOpen: false };
    this.#written.set(id, writes);
    if (statement.is === 'insert') writes.inserts.push(statement);
    else writes.isOpen = true;
  }

  /** Adds a write, or the dimensions that a change creates or renames. `at` and `after`: the requests before and after it. */
  addStatement(
    statement: Written | { readonly is: 'model' },
    at: SqlRequest,
    after: () => Pick<SqlRequest, 'model'>,
  ): void {
    if (statement.is !== 'model') {
      this.add(statement, at);
      return;
    }
    const names = new Map([...at.model.dimensions.values()].map(({ id, apiName }) => [id, apiName]));
    for (const { id, apiName } of after().model.dimensions.values()) {
      if (!names.has(id)) this.#created.add(id);
      else if (names.get(id) !== apiName) this.#renamed.add(id);
    }
  }

  /** Whether a statement inserts into, changes or deletes from the dimension. */
  writesTo = (dimensionId: number): boolean => this.#written.has(dimensionId);

  /** Throws 6000 if the plan reads a dimension that is written. */
  refusePlan(plan: ReadPlan, request: SqlRequest, position: SourcePosition): void {
    const read = dimensionsOf(plan).find(
      ({ dimensionId }) => this.#written.has(dimensionId) || this.#created.has(dimensionId),
    );
    if (read !== undefined) throw refusal(read.dimensionId, request, position);
  }

  /**
   * Throws 6000 if an entity may be written whose existence an INSERT ... ON CONFLICT reads, or if its dimension has no name
   * yet by which it can be read.
   */
  refuseConflict(statement: InsertStatement | InsertQueryStatement, request: SqlRequest): void {
    const { id } = dimensionOf(statement.table, request.model);
    if (this.#created.has(id) || this.#renamed.has(id)) throw refusal(id, request, statement.position);
    const writes = this.#written.get(id);
    if (writes === undefined) return;
    if (writes.isOpen || statement.is !== 'insert') throw refusal(id, request, statement.position);
    for (const insert of writes.inserts) for (const one of idsOf(insert, request)) writes.ids.add(one);
    writes.inserts = [];
    if (idsOf(statement, request).some((one) => writes.ids.has(one))) {
      throw refusal(id, request, statement.position);
    }
  }
}

function refusal(dimensionId: number, { model }: SqlRequest, position: SourcePosition): Error {
  const name = [...model.dimensions.values()].find(({ id }) => id === dimensionId)?.apiName ?? '';
  const what = `this statement reads ${quoted(name)}, which an earlier statement writes, creates or renames`;
  return sqlError(`${what}; send it when that one has taken effect`, position);
}

/** The IDs of the rows as they are stored. Throws 6000, 506. */
export function idsOf(statement: InsertStatement, request: SqlRequest): readonly string[] {
  const { textCase } = dimensionOf(statement.table, request.model);
  const memberOf = rowBinder(statement, request);
  return statement.rows.map((row) => storedText(idOfMember(memberOf(row)), { textCase }));
}
