/** Prepared statements and portals, and the reading of a portal's rows. */
import { QuarryError } from '../../base/index.js';
import type * as sql from '../../sql/index.js';
import { StatementError } from '../protocol/errors.js';
import type { RowField } from '../protocol/messages.js';
import { sampleOf } from '../protocol/parameters.js';
import { exceedsLimit } from '../protocol/sql-states.js';
import type { Answer } from './answer.js';
import { bindSelect, type DatabaseContext, rowFields } from './queries/select.js';
import type { SessionTables } from './session-tables.js';
import { Waiting } from './waiting.js';

const EMPTY = Buffer.alloc(0);

export interface PreparedStatement {
  readonly text: string;
  /** null = an empty query. */
  readonly statement: sql.PostgresStatement | null;
  /** Parameter types from the client; 0 = left open. */
  readonly typeIds: readonly number[];
  /** `typeIds` with inferred types; null = not inferred yet. */
  inferredIds: readonly number[] | null;
  /** The row description sent before parameters were known; null = not described. */
  describedFields: readonly RowField[] | null;
  /** The catalog described the statement, so the catalog answers it. */
  isOfCatalog: boolean;
}

export interface Portal {
  readonly prepared: PreparedStatement;
  readonly values: readonly (Buffer | null)[];
  readonly parameterFormats: readonly number[];
  readonly formats: readonly number[];
  /** Cancels the answer. */
  readonly waiting: Waiting;
  answer: Answer | null;
  /** Rows that were read from the answer but not sent yet. */
  unsentRows: Buffer;
  rowCount: number;
  /** The answer was read to its end, failed or was abandoned. */
  isOver: boolean;
}

export const newPrepared = (
  text: string,
  statement: sql.PostgresStatement | null,
  typeIds: readonly number[],
): PreparedStatement => ({
  text,
  statement,
  typeIds,
  inferredIds: null,
  describedFields: null,
  isOfCatalog: false,
});

export function newPortal(
  prepared: PreparedStatement,
  values: readonly (Buffer | null)[],
  parameterFormats: readonly number[],
  formats: readonly number[],
): Portal {
  return {
    prepared,
    values,
    parameterFormats,
    formats,
    answer: null,
    waiting: new Waiting(),
    unsentRows: EMPTY,
    rowCount: 0,
    isOver: false,
  };
}

export const bytesOf = ({ values }: Portal): number =>
  values.reduce((sum, value) => sum + (value?.length ?? 0), 0);

/** Abandons the portal's answer and ends its query. */
export function leavePortal(portal: Portal): void {
  const { answer } = portal;
  if (answer === null || portal.isOver) return;
  portal.isOver = true;
  portal.unsentRows = EMPTY;
  answer.over(null, portal.rowCount);
  void answer.rows.return?.()?.catch(() => {});
}

/** Reads the next rows into `unsentRows`; false = there are none. */
export async function nextRows(portal: Portal, answer: Answer): Promise<boolean> {
  try {
    const { done, value } = await answer.rows.next();
    if (done === true) return false;
    portal.unsentRows = value;
    return true;
  } catch (error) {
    portal.isOver = true;
    answer.over(error, portal.rowCount);
    throw new StatementError(error, portal.prepared.text);
  }
}

/** Sample values for parameters of unknown type, which most clients send as text. */
const STAND_INS: readonly sql.SqlParameter[] = [
  { is: 'text', text: '1' },
  { is: 'text', text: '2000-01-01' },
  { is: 'text', text: 'day' },
  { is: 'null' },
  { is: 'number', text: '1' },
];

/**
 * The fields of a statement whose parameter values are unknown: binds it with sample values until one is accepted.
 * `typeIds`: 0 = unknown type. Throws the error of the first sample if none is accepted.
 */
export function fieldsWithout(
  statement: sql.PostgresStatement,
  typeIds: readonly number[],
  admission: DatabaseContext,
  dialect: sql.SqlDialect,
  tables: Pick<SessionTables, 'all'>,
): readonly RowField[] {
  let first: unknown = null;
  for (const standIn of STAND_INS) {
    try {
      return rowFields(
        bindSelect(
          statement,
          typeIds.map((typeId) => sampleOf(typeId) ?? standIn),
          admission,
          dialect,
          tables,
        ),
      );
    } catch (error) {
      if (!isOfSql(error)) throw error;
      first ??= error;
    }
  }
  throw first;
}

export const isOfSql = (error: unknown): boolean => error instanceof QuarryError && error.code === 6000;

/** Whether the engine lacks something in a statement that the catalog may have: not if the statement exceeds a limit. */
export const mayBeOfCatalog = (error: unknown): boolean =>
  error instanceof QuarryError && error.code === 6000 && !exceedsLimit(error);
