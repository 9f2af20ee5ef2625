/**
 * Bodies of SQL that ask, and the statements that were read of them: the same question comes again and again.
 * Invariants: what was read depends on the text alone, and nobody changes it; the least recently used texts go when all of
 * them together become too long.
 */
import { readScript } from './script.js';
import type { Script } from './tree.js';

/** Of one text. */
const LENGTH_MAX = 8 * 1024;
/** Of all texts together; a statement takes up to some hundred bytes per letter. */
const LENGTHS_MAX = 128 * 1024;

export class ScriptCache {
  /** The most recently used last. */
  readonly #scripts = new Map<string, Script>();
  #length = 0;

  /** As readScript. */
  read(text: string): Script {
    const known = this.#scripts.get(text);
    if (known !== undefined) {
      this.#scripts.delete(text);
      this.#scripts.set(text, known);
      return known;
    }
    const script = readScript(text);
    if (script.kind === 'reads' && text.length <= LENGTH_MAX) this.#keep(text, script);
    return script;
  }

  #keep(text: string, script: Script): void {
    this.#scripts.set(text, script);
    this.#length += text.length;
    for (const oldest of this.#scripts.keys()) {
      if (this.#length <= LENGTHS_MAX) return;
      this.#scripts.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}
