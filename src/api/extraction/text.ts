/**
 * Writes the rows of an extraction as JSON text. JSON.stringify does not fit: IDs may be "__proto__" or look like numbers,
 * which JavaScript would reorder in an object, and distances always have a fraction.
 * Invariant: a text of about ANSWER_CHARS_MAX characters or more is refused.
 */
import { ANSWER_CHARS_MAX, QuarryError } from '../../base/index.js';
import type { ExtractedRow } from '../../ir/index.js';
import type { Point } from '../../schema/index.js';
import type { ExtractColumn } from './columns.js';
import type { Extraction } from './extraction.js';
import { PAGE_TOKEN_FIELD, writePageToken } from './page-token.js';

/** The field with a row's score, next to its columns. */
export const SCORE_FIELD = 'score';

/**
 * Members of the answer as JSON text: the rows of the page and the token for the next page. `rows` is the result of the
 * extraction's plan. Throws 9006 if the text becomes too long.
 */
export function extractionText(
  extraction: Extraction,
  rows: readonly ExtractedRow[],
  charsMax = ANSWER_CHARS_MAX,
): string {
  const { page, asList, plan, owner } = extraction;
  const pageRows = rows.slice(0, page.rows);
  let chars = 0;
  const texts = pageRows.map((row) => {
    const text = rowText(extraction, row);
    chars += text.length;
    if (chars > charsMax) {
      throw new QuarryError(
        9006,
        `the answer has more than ${charsMax} characters; request fewer rows or columns`,
      );
    }
    return asList ? text : `${JSON.stringify(row.position.id)}:${text}`;
  });
  const data = asList ? `[${texts.join()}]` : `{${texts.join()}}`;
  const last = pageRows.at(-1)?.position;
  const hasMore = rows.length > pageRows.length && plan.scored === null;
  const here = `"data":${data},"page":${page.number}`;
  if (!hasMore || last === undefined) return `${here},"next-page":null`;
  const next = { page: page.number + 1, taken: page.taken + pageRows.length, firstMs: page.firstMs, last };
  return `${here},"next-page":${next.page},"${PAGE_TOKEN_FIELD}":"${writePageToken(owner, next)}"`;
}

const rowText = (extraction: Extraction, row: ExtractedRow): string =>
  `{${rowMembers(extraction, row).join()}}`;

/** The members of a row's object. */
export function rowMembers(
  { columns, near, plan }: Extraction,
  { position, nearest, values }: ExtractedRow,
): string[] {
  const members: string[] = [];
  columns.forEach((column, index) => {
    const value = values[index];
    if (value === null) return;
    members.push(`"${column.column.apiName}":${isOfJson(column) ? value : JSON.stringify(value)}`);
  });
  if (plan.scored !== null) members.push(`"${SCORE_FIELD}":${position.score}`);
  if (near !== null && nearest !== null) {
    const { apiName } = near.column;
    members.push(`"${apiName}_distance":${fraction(position.distanceKm)}`);
    if (near.showCoordinates) members.push(`"${apiName}_coordinates":${pointText(nearest)}`);
  }
  return members;
}

/** [longitude,latitude] */
export function pointText({ longitude, latitude }: Point): string {
  return `[${fraction(longitude)},${fraction(latitude)}]`;
}

/** Whether the values of a column are JSON: lists, or events. */
export const isOfJson = ({ column, window }: ExtractColumn): boolean =>
  window !== null || column.storage === 'list-of-values';

/** The JSON token of a number, with a fraction or an exponent. */
function fraction(value: number): string {
  const token = JSON.stringify(value);
  return /[.e]/.test(token) ? token : `${token}.0`;
}
