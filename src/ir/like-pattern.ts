/** Classifies LIKE patterns: equality, prefix, suffix, substring, or a general pattern. */
import type { TextMatch } from './condition.js';

export interface TextPattern {
  /** any = matches every text. like = `text` is a general pattern in the form of conditions. */
  readonly match: TextMatch | 'any';
  readonly text: string;
  /** Length of the shortest text that matches, in code points. */
  readonly least: number;
}

/** Classifies a pattern without changing case. A trailing `escapedBy` is taken literally. */
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
