/**
 * The numbers of rows that UPDATE and DELETE of a transaction block answer before COMMIT.
 * Invariant: a block takes effect only if each of its statements changes as many rows as it answered.
 */
import { rememberLast } from '../../../base/index.js';
import type { ScriptReader } from '../../../engine/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';

/** Counts that are read at a time. */
const READS_MAX = 16;

/** A write of the block; `rowCount`: the number that was answered, absent = none. */
export interface CountedWrite {
  readonly statement: sql.PreparedStatement;
  readonly rowCount?: number;
}

/** The statement if its number of rows can be answered. */
export const changingStatement = (statement: sql.PreparedStatement): sql.ChangingStatement | null =>
  statement.is === 'update' || (statement.is === 'delete' && statement.truncates !== true) ? statement : null;

/** The number, by the line that the plan returns; absent = there is no plan. */
export const rowCountIn = ({ known }: sql.TouchedCount, line?: string): number =>
  known + (line === undefined ? 0 : Number((JSON.parse(line) as { readonly 0: number })[0]));

/** Rejects with 40001 if a statement changes another number of rows than it answered; 6000, 506, and the errors of queries. */
export async function checkRowCounts(
  writes: readonly CountedWrite[],
  model: DatabaseModel,
  requestAt: sql.RequestAt,
  reader: ScriptReader,
): Promise<void> {
  if (writes.every(({ rowCount }) => rowCount === undefined)) return;
  const countsIn = rememberLast((newest: DatabaseModel) => {
    const touched = new sql.TouchedEntities();
    return writes.map(({ statement, rowCount }, index) => {
      const at = requestAt(newest, index);
      const changing = rowCount === undefined ? null : changingStatement(statement);
      const count = changing === null ? null : touched.count(changing, at, newest);
      touched.add(statement, at);
      return count;
    });
  });
  const check = async ({ rowCount }: CountedWrite, index: number): Promise<void> => {
    if (rowCount === undefined) return;
    const count = countsIn(model)[index];
    const plan = count?.plan ?? null;
    const [line] = plan === null ? [] : await reader.lines((newest) => countsIn(newest)[index]?.plan ?? plan);
    const found = count === null ? null : rowCountIn(count, line);
    if (found === rowCount) return;
    const counts = `${rowCount} rows when it was sent, and ${found ?? 'an unknown number'} now`;
    throw new ProtocolError(
      '40001',
      `could not serialize access: statement ${index + 1} of the writes of the transaction block changes ${counts}; try again`,
    );
  };
  for (let from = 0; from < writes.length; from += READS_MAX) {
    const part = writes.slice(from, from + READS_MAX);
    await Promise.all(part.map((write, at) => check(write, from + at)));
  }
}
