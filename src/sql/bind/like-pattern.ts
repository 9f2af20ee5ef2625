/** Patterns of LIKE: which of them ask for a whole text, its start, its end, or a part of it, and which for more. */
import type { TextMatch } from '../../ir/index.js';

export interface TextPattern {
  /** any: every text. like: `text` is a pattern as conditions hold it. */
  readonly match: TextMatch | 'any';
  readonly text: string;
  /** Code points of the shortest text that matches. */
  readonly least: number;
}

/** In the letters as they are. A last `escapedBy` stands for itself. */
export function textPattern(pattern: string, escapedBy: string | null): TextPattern {
  const points = Array.from(pattern);
  let [literal, like, least] = ['', '', 0];
  let [before, behind, more, afterAny] = [false, false, false, false];
  for (let at = 0; at < points.length; at++) {
    let point = points[at];
    if (point === escapedBy && at + 1 < points.length) point = points[++at];
    else if (point === '%') {
      if (literal === '') before = true;
      else behind = true;
      if (!afterAny) like += '%';
      afterAny = true;
      continue;
    } else if (point === '_') {
      more = true;
      least++;
      like += '_';
      afterAny = false;
      continue;
    }
    more ||= behind;
    afterAny = false;
    least++;
    literal += point;
    like += point === '%' || point === '_' || point === '\\' ? `\\${point}` : point;
  }
  if (more) return { match: 'like', text: like, least };
  if (literal === '') return { match: before ? 'any' : 'equals', text: literal, least };
  const match = before ? (behind ? 'contains' : 'ends-with') : behind ? 'starts-with' : 'equals';
  return { match, text: literal, least };
}
