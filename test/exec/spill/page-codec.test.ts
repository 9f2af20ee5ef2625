import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { decodePage, PageEncoder } from '../../../src/exec/spill/page-codec.js';
import { vectorKindOf } from '../../../src/vector/index.js';
import { generatedVectors, shownRow, TYPES } from './spill-rows.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const KINDS = TYPES.map(vectorKindOf);

t.test('rows of pages are those that were written', async (t) => {
  const prng = new Prng(SEED);
  const encoder = new PageEncoder();
  const wrong: string[] = [];
  for (let round = 0; round < 300; round++) {
    const count = 1 + prng.below(200);
    const vectors = generatedVectors(prng, count);
    const rows = Uint32Array.from({ length: count }, () => prng.below(count));
    const from = prng.below(count);
    if (prng.chance(0.3)) encoder.clear();
    const [start, end] = encoder.add(vectors, rows, from, count, 32);
    const payload = encoder.bytes.slice(start + 32, end);
    const found = decodePage(payload, KINDS, count - from);
    for (let row = from; row < count; row++) {
      const [shown, expected] = [shownRow(found, row - from), shownRow(vectors, rows[row])];
      if (shown !== expected) wrong.push(`round ${round}: ${shown} instead of ${expected}`);
    }
  }
  t.strictSame(wrong.slice(0, 3), []);
});

t.test('a negative zero keeps its sign, and a column without values has none', async (t) => {
  const encoder = new PageEncoder();
  const zeros = {
    kind: 'exact',
    count: 2,
    valid: null,
    numbers: Float64Array.of(-0, 0),
    wide: null,
  } as const;
  const none = { ...zeros, valid: Uint8Array.of(0, 0), numbers: Float64Array.of(Number.NaN, 1e300) } as const;
  const [start, end] = encoder.add([zeros, none], Uint32Array.of(0, 1), 0, 2, 8);
  const [first, second] = decodePage(encoder.bytes.slice(start + 8, end), ['exact', 'exact'], 2);
  t.strictSame(first.kind === 'exact' && [...(first.numbers ?? [])], [-0, 0]);
  t.strictSame(second.valid && [...second.valid], [0, 0]);
});
