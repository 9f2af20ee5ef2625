/** The dictionary against a Map from string to code. */
import t from 'tap';
import { hashBytes, Prng } from '../../src/base/index.js';
import { Dictionary } from '../../src/storage/index.js';

const SEED = 99;
t.comment(`seed ${SEED}`);

function stringOf(dictionary: Dictionary, code: number): string {
  const { offsets, bytes } = dictionary;
  return Buffer.from(bytes.subarray(offsets[code], offsets[code + 1])).toString('utf8');
}

/** Interns strings drawn with repeats and compares every code with a Map's. */
function compareWithMap(t: Tap.Test, strings: readonly string[], hash: (bytes: Uint8Array) => number): void {
  const dictionary = new Dictionary();
  const codes = new Map<string, number>();
  let wrong = 0;
  for (const text of strings) {
    const padded = Buffer.from(`<<${text}>>`, 'utf8');
    const [from, to] = [2, padded.length - 2];
    const own = hash(padded.subarray(from, to));
    if (dictionary.find(own, padded, from, to) !== (codes.get(text) ?? 0)) wrong++;
    if (!codes.has(text)) codes.set(text, codes.size + 1);
    if (dictionary.intern(own, padded, from, to) !== codes.get(text)) wrong++;
  }
  t.equal(wrong, 0, `${strings.length} strings`);
  t.equal(dictionary.codeCount, codes.size + 1);
  t.strictSame(
    [...codes].filter(([text, code]) => stringOf(dictionary, code) !== text),
    [],
  );
}
