/** What cannot be worked out, as the client is told. */
import { QuarryError } from '../base/index.js';
import type { SqlType } from '../vector/index.js';

/** Characters of one text that a function makes. */
export const TEXT_CHARS_MAX = 1_000_000;
/** Characters of the texts of one vector: 64 MB as UTF-16. */
export const VECTOR_CHARS_MAX = 2 ** 25;
/** Code points of a pattern. */
export const PATTERN_POINTS_MAX = 10_000;

/** Characters of a value that a message repeats. */
const QUOTED_CHARS = 60;

/** 6000; `what` is a sentence. Where it stands in the text of the statement is not known here. */
export const fault = (what: string): QuarryError => new QuarryError(6000, what, { message: what });

export const tooManyDigits = (): QuarryError => fault('a number has more than 38 digits');
export const tooMuchText = (): QuarryError =>
  fault(
    `the texts that a function makes for a few thousand rows have together more than ${VECTOR_CHARS_MAX.toLocaleString('en')} characters`,
  );
export const tooLongText = (): QuarryError =>
  fault(`a text has more than ${TEXT_CHARS_MAX.toLocaleString('en')} characters`);
export const outOfYears = (): QuarryError => fault('a date lies outside the years 0000 to 9999');

/** A value within a message. */
export const quoted = (text: string): string =>
  text.length <= QUOTED_CHARS ? `"${text}"` : `"${text.slice(0, QUOTED_CHARS)}..."`;

/** 'an integer', 'a decimal(2)'. */
export function named(type: SqlType): string {
  if (type.type === 'integer') return 'an integer';
  return type.type === 'decimal' ? `a decimal(${type.scale})` : `a ${type.type}`;
}
