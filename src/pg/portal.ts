/** Prepared statements and portals: what a session keeps of each, and the rows that a portal still has. */
import { QuarryError } from '../base/index.js';
import type * as sql from '../sql/index.js';
import type { Answer } from './answer.js';
import { Refused } from './fault.js';
import type { RowField } from './messages.js';
import { sampleOf } from './parameters.js';
import { bindSelect, type DatabaseContext, rowFields } from './select.js';
import { Waiting } from './waiting.js';

const EMPTY = Buffer.alloc(0);

export interface Prepared {
  readonly text: string;
  /** null = an empty query. */
  readonly statement: sql.PostgresStatement | null;
  /** As they were given; 0 = left open. */
  readonly typeIds: readonly number[];
  /** The same with those that were inferred; null = nobody asked for them yet. */
  inferredIds: readonly number[] | null;
  /** What its rows were described as, before its parameters were known; null = nobody asked. */
  told: readonly RowField[] | null;
  /** The catalog described it, and answers it. */
  isOfCatalog: boolean;
}

export interface Portal {
  readonly prepared: Prepared;
  readonly values: readonly (Buffer | null)[];
  readonly parameterFormats: readonly number[];
  readonly formats: readonly number[];
  /** Who waits for the answer. */
  readonly waiting: Waiting;
  answer: Answer | null;
  /** Rows that came and were not asked for yet. */
  left: Buffer;
  rowCount: number;
  /** Its answer was taken to its end, or left. */
  isOver: boolean;
}

export const newPrepared = (
  text: string,
  statement: sql.PostgresStatement | null,
  typeIds: readonly number[],
): Prepared => ({ text, statement, typeIds, inferredIds: null, told: null, isOfCatalog: false });

export function newPortal(
  prepared: Prepared,
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
    left: EMPTY,
    rowCount: 0,
    isOver: false,
  };
}

export const bytesOf = ({ values }: Portal): number =>
  values.reduce((sum, value) => sum + (value?.length ?? 0), 0);

/** Ends what makes its rows, if anything does. */
export function leavePortal(portal: Portal): void {
  const { answer } = portal;
  if (answer === null || portal.isOver) return;
  portal.isOver = true;
  portal.left = EMPTY;
  answer.over(null, portal.rowCount);
  void answer.rows.return?.()?.catch(() => {});
}

/** Takes the rows that come next; false = there are none. */
export async function nextRows(portal: Portal, answer: Answer): Promise<boolean> {
  try {
    const { done, value } = await answer.rows.next();
    if (done === true) return false;
    portal.left = value;
    return true;
  } catch (error) {
    portal.isOver = true;
    answer.over(error, portal.rowCount);
    throw new Refused(error, portal.prepared.text);
  }
}

/** Stand-ins for parameters of which neither value nor type is known, which mostly come as text. */
const STAND_INS: readonly sql.SqlParameter[] = [
  { is: 'text', text: '1' },
  { is: 'text', text: '2000-01-01' },
  { is: 'text', text: 'day' },
  { is: 'null' },
  { is: 'number', text: '1' },
];

/**
 * The columns of the rows, whatever the parameters will be. `typeIds`: 0 = not known. Throws what the first stand-in is refused
 * with.
 */
export function fieldsWithout(
  statement: sql.PostgresStatement,
  typeIds: readonly number[],
  admission: DatabaseContext,
): readonly RowField[] {
  let first: unknown = null;
  for (const standIn of STAND_INS) {
    try {
      return rowFields(
        bindSelect(
          statement,
          typeIds.map((typeId) => sampleOf(typeId) ?? standIn),
          admission,
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
