/** Values found in JSON texts are those that JSON.parse finds, as they are written. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { endOfJson, jsonArrayLength, jsonAt, readJsonPath } from '../../src/schema/index.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const STRINGS = ['', 'a', '"', '\\', 'a]b}', '{"', '\\"', ',', 'é😀', 'a'.repeat(500)];

function generate(prng: Prng, depth: number): unknown {
  if (depth === 0 || prng.chance(0.3)) {
    return prng.pick([null, true, false, 0, -1.5, 1e21, prng.pick(STRINGS)]);
  }
  const members = Array.from({ length: prng.below(4) }, () => generate(prng, depth - 1));
  if (prng.chance(0.5)) return members;
  return Object.fromEntries(members.map((member) => [prng.pick(STRINGS), member]));
}

t.test('the end of a value, whatever follows it', async (t) => {
  const prng = new Prng(SEED);
  const wrong: string[] = [];
  for (let round = 0; round < 2_000; round++) {
    const text = JSON.stringify(generate(prng, 3));
    const before = prng.pick(['', '[', '{"x":']);
    const after = prng.pick(['', ',1]', ']', '}', ' ,"y":[1]}']);
    if (endOfJson(before + text + after, before.length) !== before.length + text.length) wrong.push(text);
  }
  t.strictSame(wrong.slice(0, 3), []);
  t.equal(endOfJson(`"${'a'.repeat(5_000_000)}",`, 0), 5_000_002, 'a long string');
  for (const broken of ['"a', '["a', '{"a":"\\']) {
    t.ok(endOfJson(broken, 0) >= broken.length - 1, `${broken} is searched to its end`);
  }
});

t.test('items and members', async (t) => {
  const prng = new Prng(SEED);
  const wrong: unknown[] = [];
  for (let round = 0; round < 1_000; round++) {
    const value = generate(prng, 3);
    const text = JSON.stringify(value, null, prng.pick([0, 1]));
    const length = jsonArrayLength(text);
    if (length !== (Array.isArray(value) ? value.length : null)) wrong.push(text);
    const steps = Object.keys((value as object | null) ?? {});
    for (const step of typeof value === 'object' ? steps : []) {
      const found = jsonAt(text, [Array.isArray(value) ? Number(step) : step]);
      const expected = (value as Record<string, unknown>)[step];
      if (found === null || JSON.stringify(JSON.parse(found)) !== JSON.stringify(expected))
        wrong.push([text, step]);
    }
  }
  t.strictSame(wrong.slice(0, 3), []);
  t.equal(jsonAt('[1.50,{"a":{"b":[7,8]}}]', readJsonPath('$[1].a.b[-1]') ?? []), '8');
  t.equal(jsonAt('[1.50]', [0]), '1.50', 'numbers keep their digits');
});
