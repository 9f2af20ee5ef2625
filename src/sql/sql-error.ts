/** Error 6000 as the interface tells it: what, and where. */
import { QuarryError } from '../base/index.js';
import type { SourcePosition } from './tree.js';

/** 6000: `what` is a sentence; `more` stands in more_info beside message, line and column (a suggestion, an inner code). */
export function sqlError(
  what: string,
  position: SourcePosition | null,
  more: Readonly<Record<string, unknown>> = {},
): QuarryError {
  const where = position === null ? {} : { line: position.line, column: position.column };
  return new QuarryError(6000, what, { message: what, ...where, ...more });
}
