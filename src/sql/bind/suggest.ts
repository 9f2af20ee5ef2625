/** Suggestions for mistyped names by edit distance. */
import { editDistance } from '../../base/index.js';
import { lowerCase } from '../../schema/index.js';

/** Longer names get no suggestion, because the comparison would take too long. */
const CHARS_MAX = 64;
const DISTANCE_MAX = 3;
/** Maximum number of candidates compared; a dimension may have very many columns. */
const CANDIDATES_MAX = 5_000;

/**
 * The first candidate with the smallest edit distance to `name`, ignoring case; null if none is within a third of the name's
 * length (at most 3 edits). Cost: at most CANDIDATES_MAX words of CHARS_MAX characters.
 */
export function suggestion(name: string, candidates: Iterable<string>): string | null {
  if (name.length === 0 || name.length > CHARS_MAX) return null;
  const target = lowerCase(name);
  let nearest: string | null = null;
  let bound = Math.min(DISTANCE_MAX, Math.max(1, Math.floor(name.length / 3)));
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > CANDIDATES_MAX) break;
    if (Math.abs(candidate.length - name.length) > bound) continue;
    const distance = editDistance(target, lowerCase(candidate), bound);
    if (distance > bound) continue;
    if (distance === 0) return candidate;
    nearest = candidate;
    bound = distance - 1;
  }
  return nearest;
}
