/** A name that was meant, perhaps: the nearest by edit distance, where it is near. */
import { editDistance } from '../../base/index.js';
import { lowerCase } from '../../schema/index.js';

/** Longer names are nobody's typing errors, and would cost time. */
const CHARS_MAX = 64;
const DISTANCE_MAX = 3;
/** Candidates looked at: a dimension may have very many columns. */
const CANDIDATES_MAX = 5_000;

/**
 * The candidate nearest to `name`, ignoring case; of equally near ones the first. null where none is within a third of the
 * name's length (3 edits at most). Cost: bounded by CANDIDATES_MAX words of CHARS_MAX characters.
 */
export function suggestion(name: string, candidates: Iterable<string>): string | null {
  if (name.length === 0 || name.length > CHARS_MAX) return null;
  const wanted = lowerCase(name);
  let nearest: string | null = null;
  let bound = Math.min(DISTANCE_MAX, Math.max(1, Math.floor(name.length / 3)));
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > CANDIDATES_MAX) break;
    if (Math.abs(candidate.length - name.length) > bound) continue;
    const distance = editDistance(wanted, lowerCase(candidate), bound);
    if (distance > bound) continue;
    if (distance === 0) return candidate;
    nearest = candidate;
    bound = distance - 1;
  }
  return nearest;
}
