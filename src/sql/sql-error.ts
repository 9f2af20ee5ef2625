/** Error 6000 as the interface tells it: what, and where. */
import { QuarryError } from '../base/index.js';
import type { Place } from './tree.js';

/** 6000: `what` is a sentence; `more` stands in more_info beside message, line and column (a suggestion, an inner code). */
export function sqlError(
  what: string,
  place: Place | null,
  more: Readonly<Record<string, unknown>> = {},
): QuarryError {
  const where = place === null ? {} : { line: place.line, column: place.column };
  return new QuarryError(6000, what, { message: what, ...where, ...more });
}
