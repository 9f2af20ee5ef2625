/** The word that somebody who typed another one may have meant. */
import { editDistance } from '../base/index.js';

/** No word is longer. */
const LETTERS_MAX = 64;

/** The one of `words` that takes the fewest edits; null when none is near. */
export function nearestOf(given: string, words: readonly string[]): string | null {
  const letters = given.slice(0, LETTERS_MAX);
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.ceil(letters.length / 3)) + 1;
  for (const word of words) {
    const edits = editDistance(letters, word, bestEdits - 1);
    if (edits < bestEdits) [best, bestEdits] = [word, edits];
  }
  return best;
}

/** "; did you mean X?", or nothing. */
export function suggestionOf(given: string, words: readonly string[], prefix = ''): string {
  const near = nearestOf(given, words);
  return near === null ? '' : `; did you mean ${prefix}${near}?`;
}
