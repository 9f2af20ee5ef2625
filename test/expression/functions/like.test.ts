import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { compile } from '../../../src/expression/index.js';
import type { Expression } from '../../../src/ir/index.js';
import { Texts, type Value, type Vector, valueAt } from '../../../src/vector/index.js';
import { constant } from '../generate.js';
import { evaluateRow } from '../oracle.js';
import { BOOLEAN, TEXT } from '../rows.js';

const SEED = 5;

const likeOf = (pattern: string, escapedBy: string | null): Expression => {
  return {
    op: 'like',
    type: BOOLEAN,
    of: { op: 'input', type: TEXT, input: 0 },
    pattern,
    escape: escapedBy,
    negated: false,
  };
};

function matched(expression: Expression, strings: readonly string[]): Value[] {
  const whole = Texts.ofStrings([...strings]);
  const texts = Texts.ofBytes(whole.utf8, strings.length, false);
  const vector: Vector = { kind: 'text', count: strings.length, valid: null, codes: null, texts };
  const found = compile(expression)({ count: strings.length, input: () => vector });
  return strings.map((_, row) => valueAt(found, row));
}

t.test(`patterns match as computed by a table over all prefixes (seed ${SEED})`, async (t) => {
  const random = new Prng(SEED);
  const alphabet = ['a', 'a', 'b', 'é', '😀', '%', '_', '\\'];
  const word = (length: number): string => Array.from({ length }, () => random.pick(alphabet)).join('');
  let hits = 0;
  for (let round = 0; round < 1_500; round++) {
    // Long parts between two % are searched with another algorithm than short ones.
    const pieces = Array.from({ length: random.between(1, 4) }, () => {
      const piece = word(random.chance(0.3) ? random.between(17, 70) : random.below(5));
      return random.chance(0.5)
        ? piece.replaceAll(/[%_\\]/g, 'a')
        : piece.replaceAll('\\', random.chance(0.5) ? 'b' : '\\%');
    });
    const pattern = pieces.join('%');
    const escapedBy = pattern.includes('\\') ? '\\' : null;
    const strings = Array.from({ length: 12 }, () => {
      const like = Array.from(pattern, (character) =>
        character === '%' ? word(random.below(6)) : character === '_' ? random.pick(alphabet) : character,
      ).join('');
      return random.chance(0.7)
        ? like.replaceAll('\\', '')
        : random.chance(0.5)
          ? like.repeat(2)
          : word(random.below(90));
    });
    const expression = likeOf(pattern, escapedBy);
    const expected = strings.map((text) => evaluateRow(expression, [text]));
    hits += expected.filter((value) => value === true).length;
    t.strictSame(matched(expression, strings), expected, JSON.stringify({ pattern, strings }));
  }
  t.ok(hits > 3_000, `${hits} matches`);
});

t.test('a pathological pattern is matched without backtracking', async (t) => {
  const text = 'a'.repeat(200_000);
  for (const pattern of [
    `%${'a'.repeat(5_000)}b%`,
    `%${'a_'.repeat(2_500)}b%`,
    '%a'.repeat(4_000),
    `${'%_a'.repeat(3_000)}b`,
  ]) {
    t.strictSame(matched(likeOf(pattern, null), [text]), [!pattern.includes('b')]);
  }
});

t.test('a pattern that is too long or ends with its escape is refused', async (t) => {
  t.throws(() => compile(likeOf('x'.repeat(10_001), null)), {
    code: 6000,
    message: 'a pattern of LIKE has more than 10,000 characters',
  });
  t.throws(() => compile(likeOf('50\\', '\\')), {
    code: 6000,
    message: 'a pattern of LIKE ends with its escape character',
  });
  t.strictSame(matched(likeOf('50\\%', '\\'), ['50%', '500']), [true, false]);
  t.strictSame(
    matched(likeOf('é😀__', '😀'), ['é_😀', 'éx😀', 'é_']),
    [true, false, false],
    'an escape takes any character literally',
  );
  t.strictSame(
    valueAt(
      compile({ ...likeOf('%', null), of: constant(TEXT, null) } as Expression)({
        count: 1,
        input: () => {
          throw new Error('none');
        },
      }),
      0,
    ),
    null,
  );
});
