/** Prepared statements and portals: what a session keeps of each, and the rows that a portal still has. */
import { QuarryError } from '../base/index.js';
import type * as sql from '../sql/index.js';
import type { Answer } from './answer.js';
import { Refused } from './fault.js';
import type { RowField } from './messages.js';
import { type Admission, bindSelect, rowFields } from './select.js';

const EMPTY = Buffer.alloc(0);

export interface Prepared {
  readonly text: string;
  /** null = an empty query. */
  readonly statement: sql.PostgresStatement | null;
  readonly typeIds: readonly number[];
}

export interface Portal {
  readonly prepared: Prepared;
  readonly values: readonly (Buffer | null)[];
  readonly parameterFormats: readonly number[];
  readonly formats: readonly number[];
  answer: Answer | null;
  /** Rows that came and were not asked for yet. */
  left: Buffer;
  rowCount: number;
  /** Its answer was taken to its end, or left. */
  isOver: boolean;
}

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

/** Stand-ins for parameters whose values are not known yet, from the one that fits most places. */
const STAND_INS: readonly sql.SqlParameter[] = [
  { is: 'null' },
  { is: 'number', text: '0' },
  { is: 'text', text: '2000-01-01' },
  { is: 'text', text: '' },
];

/** The columns of the rows, whatever the parameters will be. Throws what the first stand-in is refused with. */
export function fieldsWithout(
  statement: sql.PostgresStatement,
  typeIds: readonly number[],
  admission: Admission,
): readonly RowField[] {
  let first: unknown = null;
  for (const standIn of STAND_INS) {
    try {
      return rowFields(
        bindSelect(
          statement,
          typeIds.map(() => standIn),
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
