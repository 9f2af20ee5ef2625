/**
 * Caches parsed SELECT bodies by text, because clients repeat the same statements.
 * Invariants: the result depends only on the text and is never modified; the least recently used texts are evicted when the
 * total length exceeds the limit.
 */
import { readScript } from './script.js';
import type { Script } from './tree.js';

/** Maximum length of a cached text. */
const LENGTH_MAX = 8 * 1024;
/** Maximum total length of cached texts; a statement takes up to a few hundred bytes per character. */
const LENGTHS_MAX = 128 * 1024;

export class ScriptCache {
  /** Most recently used last. */
  readonly #scripts = new Map<string, Script>();
  #length = 0;

  /** Like readScript. */
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
