/** Text tests over many strings at once, compared with JavaScript's string functions. */
import t from 'tap';
import { hashBytes, Prng } from '../../../src/base/index.js';
import { eachMatch, MatchingCodes, type TextTest } from '../../../src/exec/condition/text-match.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import type { TextMatch } from '../../../src/ir/index.js';
import { Dictionary } from '../../../src/storage/index.js';
import { boundedRun } from '../bounded.js';

const SEED = 55;
t.comment(`seed ${SEED}`);

const MATCHES: readonly TextMatch[] = ['equals', 'contains', 'starts-with', 'ends-with'];
const PARTS = ['a', 'ab', 'b', 'ß', '😀', 'aa', 'ba', '\0', 'x'];

function generateText(prng: Prng, partsMax: number): string {
  return Array.from({ length: prng.between(1, partsMax) }, () => prng.pick(PARTS)).join('');
}

function matches(match: TextMatch, text: string, piece: string): boolean {
  if (match === 'equals') return text === piece;
  if (match === 'contains') return text.includes(piece);
  return match === 'starts-with' ? text.startsWith(piece) : text.endsWith(piece);
}

function dictionaryOf(texts: readonly string[]): Dictionary {
  const dictionary = new Dictionary();
  for (const text of texts) {
    const bytes = Buffer.from(text, 'utf8');
    dictionary.intern(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
  }
  return dictionary;
}

t.test(
  'a code matches exactly if its string matches, even if two adjacent strings contain a match together',
  async (t) => {
    const prng = new Prng(SEED);
    for (let round = 0; round < 40; round++) {
      const texts = [...new Set(Array.from({ length: prng.below(200) }, () => generateText(prng, 4)))];
      const dictionary = dictionaryOf(texts);
      for (let query = 0; query < 20; query++) {
        const pieces = Array.from({ length: prng.between(1, 3) }, () => generateText(prng, 3));
        const test: TextTest = { kind: 'text', match: prng.pick(MATCHES), texts: pieces, negated: false };
        const wanted = texts.flatMap((text, index) =>
          pieces.some((piece) => matches(test.match, text, piece)) ? [index + 1] : [],
        );
        const found = new MatchingCodes(test, dictionary, boundedRun());
        const codes = texts.flatMap((_, index) => (found.has(index + 1) ? [index + 1] : []));
        t.strictSame(codes, wanted, `${test.match} ${JSON.stringify(pieces)}`);
        t.equal(found.count, wanted.length);
        if (wanted.length > 0) t.strictSame([found.least, found.greatest], [wanted[0], wanted.at(-1)]);
      }
    }
  },
);

t.test('a needle longer than all strings, and an empty run, match nothing', async (t) => {
  const dictionary = dictionaryOf(['a', 'aa']);
  for (const match of MATCHES) {
    const none: TextTest = { kind: 'text', match, texts: ['aaaa'], negated: false };
    t.equal(new MatchingCodes(none, dictionary, boundedRun()).count, 0);
    eachMatch(
      { kind: 'text', match, texts: ['a'], negated: false },
      new Uint32Array(1),
      new Uint8Array(0),
      0,
      0,
      () => t.fail('there is no string to match'),
      boundedRun(),
    );
  }
});

t.test('a test that is canceled or has no memory for its codes is aborted', async (t) => {
  const dictionary = dictionaryOf(Array.from({ length: 2_000 }, (_, index) => `text ${index}`));
  const stopped = new QueryRun(Int32Array.of(1), 0, 2 ** 20);
  for (const match of MATCHES.filter((one) => one !== 'equals')) {
    const test: TextTest = { kind: 'text', match, texts: ['text'], negated: false };
    t.throws(() => new MatchingCodes(test, dictionary, stopped), { code: 9005 }, match);
    t.throws(() => new MatchingCodes(test, dictionary, boundedRun(200)), { code: 9006 }, match);
  }
});
