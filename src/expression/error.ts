/** Errors of evaluation, and the limits that they report. */
import { QuarryError } from '../base/index.js';
import type { SqlType } from '../vector/index.js';

/** Maximum length of a text that a function produces, in characters. */
export const TEXT_CHARS_MAX = 1_000_000;
/** Maximum total length of the texts of one vector, in characters: 64 MB as UTF-16. */
export const VECTOR_CHARS_MAX = 2 ** 25;
/** Maximum length of a pattern, in code points. */
export const PATTERN_POINTS_MAX = 10_000;

/** Number of characters of a value that a message quotes. */
const QUOTED_CHARS = 60;

/** Creates error 6000 without a source position, which is not known during evaluation. */
export const expressionError = (what: string): QuarryError => new QuarryError(6000, what, { message: what });

export const tooManyDigits = (): QuarryError => expressionError('a number has more than 38 digits');
export const tooMuchText = (): QuarryError =>
  expressionError(
    `the texts that a function produces for one vector have together more than ${VECTOR_CHARS_MAX.toLocaleString('en')} characters`,
  );
export const tooLongText = (): QuarryError =>
  expressionError(`a text has more than ${TEXT_CHARS_MAX.toLocaleString('en')} characters`);
export const outOfYears = (): QuarryError => expressionError('a date is outside the years 0000 to 9999');

/** Quotes a value for a message. */
export const quoted = (text: string): string =>
  text.length <= QUOTED_CHARS ? `"${text}"` : `"${text.slice(0, QUOTED_CHARS)}..."`;

/** The type with its article, for messages: 'an integer', 'a decimal(2)'. */
export function named(type: SqlType): string {
  if (type.type === 'integer') return 'an integer';
  return type.type === 'decimal' ? `a decimal(${type.scale})` : `a ${type.type}`;
}
