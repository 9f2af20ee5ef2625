/** Creation of error 6000 with message and source position. */
import { QuarryError } from '../base/index.js';
import type { SourcePosition } from './tree.js';

/** Creates error 6000. `more` adds fields to more_info (a suggestion, an inner code) next to message, line and column. */
export function sqlError(
  what: string,
  position: SourcePosition | null,
  more: Readonly<Record<string, unknown>> = {},
): QuarryError {
  const where = position === null ? {} : { line: position.line, column: position.column };
  return new QuarryError(6000, what, { message: what, ...where, ...more });
}
