/** The word that somebody who typed another one may have meant. */

/** No word is longer. */
const LETTERS_MAX = 64;

/** The one of `words` that takes the fewest edits; null when none is near. */
export function nearestOf(given: string, words: readonly string[]): string | null {
  const letters = given.slice(0, LETTERS_MAX);
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.ceil(letters.length / 3)) + 1;
  for (const word of words) {
    const edits = editsBetween(letters, word);
    if (edits < bestEdits) [best, bestEdits] = [word, edits];
  }
  return best;
}

/** "; did you mean X?", or nothing. */
export function suggestionOf(given: string, words: readonly string[], prefix = ''): string {
  const near = nearestOf(given, words);
  return near === null ? '' : `; did you mean ${prefix}${near}?`;
}

/** Levenshtein's distance. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const swap = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}
