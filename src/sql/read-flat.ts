/**
 * Parses flat SELECTs with the reader of SELECTs of general form, which takes an eighth of the time of the statement parser. What it
 * refuses, and what has no flat form, is read by read-select.ts, which says why. Both return equal trees for what both accept.
 */
import { QuarryError } from '../base/index.js';
import { flattened } from './query/flattened.js';
import { readQuery } from './query/read-query.js';
import type { Token } from './tokens.js';
import type { SelectStatement } from './tree.js';

/** `tokens` are those of a flat statement. Returns null for a statement that read-select.ts must read. */
export function readFlat(tokens: readonly Token[]): SelectStatement | null {
  try {
    const { position, explain, query } = readQuery(tokens);
    const flat = flattened(query);
    return flat === null ? null : { ...flat, position, explain };
  } catch (error) {
    if (error instanceof QuarryError) return null;
    throw error;
  }
}
