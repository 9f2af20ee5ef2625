/**
 * SIMILAR TO: its patterns as regular expressions. % is any text, _ any character; | * + ? { } ( ) [ ] have the same meaning as
 * in regular expressions.
 */
import { QuarryError } from '../base/index.js';

const refused = (what: string): QuarryError => new QuarryError(6000, what, { message: what });

/** Characters that a regular expression must escape and that mean themselves in a pattern of SIMILAR TO. */
const PLAIN = /[.^$\\]/;

/** The regular expression that matches whole texts; `escapedBy` is one character, or empty for none. Throws 6000. */
export function similarPattern(pattern: string, escapedBy: string): string {
  if (Array.from(escapedBy).length > 1) throw refused('ESCAPE takes one character');
  let made = '';
  let inBracket = false;
  let escaped = false;
  for (const point of pattern) {
    if (escaped) {
      made += /[A-Za-z0-9]/.test(point) ? point : `\\${point}`;
      escaped = false;
    } else if (point === escapedBy) escaped = true;
    else if (inBracket) {
      made += point === '\\' ? '\\\\' : point;
      inBracket = point !== ']' || made.endsWith('[]') || made.endsWith('[^]');
    } else if (point === '%') made += '.*';
    else if (point === '_') made += '.';
    else {
      inBracket = point === '[';
      made += PLAIN.test(point) ? `\\${point}` : point;
    }
  }
  if (escaped) throw refused('the pattern of SIMILAR TO ends with its escape character');
  return `***:^(?:${made})$`;
}
