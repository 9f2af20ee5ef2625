/** A column filter of texts: each text of a dictionary is looked up once. */
import type { LatestColumn } from '../../storage/index.js';
import type { Texts, TextVector, Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { ColumnFilter } from './column-filter.js';

/** Looks up a text of any dictionary. */
export type HasText = (texts: Texts, text: number) => boolean;

const UNKNOWN = 0;
const ABSENT = 1;
const PRESENT = 2;

export class TextFilter implements ColumnFilter {
  readonly #has: HasText;
  readonly #run: QueryRun;
  /** The dictionary used last, and the results for those of its texts that were looked up. */
  #texts: Texts | null = null;
  #known = new Uint8Array(0);

  constructor(has: HasText, run: QueryRun) {
    this.#has = has;
    this.#run = run;
  }

  mayPass(): boolean {
    return true;
  }

  #knownOf(texts: Texts): Uint8Array {
    if (this.#texts === texts) return this.#known;
    if (texts.size > this.#known.length) {
      this.#run.reserve(texts.size - this.#known.length);
      this.#known = new Uint8Array(texts.size);
    } else this.#known.fill(UNKNOWN);
    this.#texts = texts;
    return this.#known;
  }

  #find(texts: Texts, text: number, known: Uint8Array): number {
    known[text] = this.#has(texts, text) ? PRESENT : ABSENT;
    return known[text];
  }

  keepStored(
    { arena, width, valuesAt }: LatestColumn,
    texts: Texts | null,
    rows: Uint32Array | null,
    count: number,
    out: Uint32Array,
  ): number {
    if (texts === null) return 0;
    const known = this.#knownOf(texts);
    const [codes, first] =
      width === 4
        ? [arena.u32, valuesAt >> 2]
        : width === 2
          ? [arena.u16, valuesAt >> 1]
          : [arena.u8, valuesAt];
    // Code 0 is the missing value.
    known[0] = ABSENT;
    let remaining = 0;
    for (let at = 0; at < count; at++) {
      const row = rows === null ? at : rows[at];
      const code = codes[first + row];
      const found = known[code] === UNKNOWN ? this.#find(texts, code, known) : known[code];
      out[remaining] = row;
      remaining += found >> 1;
    }
    return remaining;
  }

  keep(vector: Vector, out: Uint32Array): number {
    const { codes, texts, valid, count } = vector as TextVector;
    const known = codes === null || texts.size > count ? null : this.#knownOf(texts);
    let remaining = 0;
    for (let row = 0; row < count; row++) {
      if (valid !== null && valid[row] === 0) continue;
      const text = codes === null ? row : codes[row];
      let found = known === null ? UNKNOWN : known[text];
      if (found === UNKNOWN)
        found = known === null ? (this.#has(texts, text) ? PRESENT : ABSENT) : this.#find(texts, text, known);
      out[remaining] = row;
      remaining += found >> 1;
    }
    return remaining;
  }
}
