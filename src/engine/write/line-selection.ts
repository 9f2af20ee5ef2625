/** Which lines of one insert are left out, because their keys are known. */
import { LINE_KEY_BYTES, presentLineKeys } from '../../base/index.js';
import type { LineKeySettings } from '../../ingest/index.js';
import type { ParsedRecord } from '../../protocol/index.js';
import type { LineKeys } from './line-keys.js';

export class LineSelection {
  readonly #table: LineKeys;
  readonly #nowMs: number;
  #settings: LineKeySettings | null;

  /** `keys`: those of the caller, one per line; null = there are none, or the worker makes them of a field. */
  constructor(table: LineKeys, keys: Uint8Array | null, nowMs: number) {
    this.#table = table;
    this.#nowMs = nowMs;
    this.#settings = keys === null ? null : { keys, omitted: [] };
  }

  /** For the next parse. */
  get settings(): LineKeySettings | null {
    return this.#settings;
  }

  /** Leaves out the lines of the parse whose keys are known by now; true = there are some, and the rest must be parsed again. */
  findsKnown({ lineKeys, omittedLines }: ParsedRecord): boolean {
    if (lineKeys === null) return false;
    const known = this.#table.known(lineKeys, this.#nowMs);
    if (known.length === 0) return false;
    const keys = new Uint8Array(lineKeys);
    for (const line of known) keys.fill(0, line * LINE_KEY_BYTES, (line + 1) * LINE_KEY_BYTES);
    this.#settings = { keys, omitted: [...omittedLines, ...known] };
    return true;
  }

  /** The keys that the record of the parse has. Throws 9003 if the table has no capacity for them. */
  keysOf({ lineKeys }: ParsedRecord): Uint8Array | null {
    if (lineKeys === null) return null;
    const keys = presentLineKeys(lineKeys);
    this.#table.makeCapacity(keys.length / LINE_KEY_BYTES, this.#nowMs);
    return keys;
  }
}
