/** Text vectors over a Texts without duplicates. */
import type { TextVector } from '../vector/index.js';
import { Texts } from '../vector/index.js';
import { tooMuchText, VECTOR_CHARS_MAX } from './error.js';

/** Concatenates the vectors over one Texts without duplicates. */
export function distinctTexts(vectors: readonly TextVector[]): TextVector {
  const count = vectors.reduce((sum, vector) => sum + vector.count, 0);
  const codes = new Uint32Array(count);
  const valid = new Uint8Array(count).fill(1);
  const strings: string[] = [];
  const known = new Map<string, number>();
  let chars = 0;
  let at = 0;
  let missing = false;
  for (const vector of vectors) {
    for (let row = 0; row < vector.count; row++, at++) {
      if (vector.valid !== null && vector.valid[row] === 0) {
        valid[at] = 0;
        missing = true;
        continue;
      }
      const text = vector.texts.text(vector.codes === null ? row : vector.codes[row]);
      let code = known.get(text);
      if (code === undefined) {
        code = strings.length;
        known.set(text, code);
        strings.push(text);
        chars += text.length;
        if (chars > VECTOR_CHARS_MAX) throw tooMuchText();
      }
      codes[at] = code;
    }
  }
  // The code of a missing value must be valid, so at least one text is needed.
  if (strings.length === 0) strings.push('');
  return { kind: 'text', count, valid: missing ? valid : null, codes, texts: Texts.ofStrings(strings, true) };
}
