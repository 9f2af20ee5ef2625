import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { isLike, likeTokens } from '../../../src/exec/condition/like-match.js';

/** Matches by a regular expression over code points. */
function slowLike(pattern: string, text: string): boolean {
  let source = '';
  const points = Array.from(pattern);
  for (let at = 0; at < points.length; at++) {
    if (points[at] === '%') source += '[^]*';
    else if (points[at] === '_') source += '[^]';
    else {
      if (points[at] === '\\' && at + 1 < points.length) at++;
      source += `\\u{${(points[at].codePointAt(0) as number).toString(16)}}`;
    }
  }
  return new RegExp(`^${source}$`, 'u').test(text);
}

const SEED = 11;
t.test(`patterns match like regular expressions over code points, seed ${SEED}`, async (t) => {
  const prng = new Prng(SEED);
  const piece = (pieces: readonly string[], most: number): string =>
    Array.from({ length: prng.below(most + 1) }, () => prng.pick(pieces)).join('');
  let matching = 0;
  for (let round = 0; round < 20_000; round++) {
    const pattern = piece(['%', '_', 'a', 'b', 'ß', '😀', '\\%', '\\_', '\\\\', '\\a', '%a'], 6);
    const text = piece(['a', 'b', 'ß', '😀', '%', '_', '\\'], 7);
    const bytes = Buffer.from(`x${text}y`, 'utf8');
    const wanted = slowLike(pattern, text);
    if (wanted) matching++;
    const found = isLike(likeTokens(pattern), bytes, 1, bytes.length - 1);
    if (found !== wanted) t.equal(found, wanted, `${JSON.stringify(text)} LIKE ${JSON.stringify(pattern)}`);
  }
  t.ok(matching > 500, `${matching} matched`);
});

t.test('a backslash at the end of a pattern matches a backslash', async (t) => {
  t.equal(isLike(likeTokens('a\\'), Buffer.from('a\\'), 0, 2), true);
});
