/** Suggests a known name for a mistyped one. */
import { editDistance } from '../base/index.js';

/** Longer texts get no suggestion. */
const LETTERS_MAX = 64;

/** The candidate with the smallest edit distance; null when none is near. */
export function nearestOf(name: string, candidates: readonly string[]): string | null {
  const letters = name.slice(0, LETTERS_MAX);
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.ceil(letters.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(letters, candidate, bestEdits - 1);
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** "; did you mean X?", or ''. */
export function suggestionOf(name: string, candidates: readonly string[], prefix = ''): string {
  const near = nearestOf(name, candidates);
  return near === null ? '' : `; did you mean ${prefix}${near}?`;
}
