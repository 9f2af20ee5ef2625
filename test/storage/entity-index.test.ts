/** The entity index against a Map from ID to row. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { EntityIndex } from '../../src/storage/entity-index.js';

const SEED = 1234;
t.comment(`seed ${SEED}`);

for (const [what, hashOf] of [
  ['spread over all bits', (id: number) => Math.imul(id, 0x9e3779b1) >>> 0],
  ['all equal', () => 0xdeadbeef],
  ['equal in their low 12 bits', (id: number) => ((id & 31) << 12) >>> 0],
  ['0', () => 0],
] as const) {
  t.test(`every entity is found and no other when the hashes are ${what}`, async (t) => {
    const prng = new Prng(SEED);
    const index = new EntityIndex();
    const ids: number[] = [];
    const rows = new Map<number, number>();
    const limit = what.startsWith('spread') ? 50_000 : 1_500;
    let wrong = 0;
    for (let step = 0; step < limit * 2; step++) {
      const id = prng.below(limit);
      const hash = hashOf(id);
      const found = index.find(hash, (row) => ids[row] === id);
      if (found !== (rows.get(id) ?? -1)) wrong++;
      if (found >= 0) continue;
      index.add(hash, ids.length);
      rows.set(id, ids.length);
      ids.push(id);
    }
    t.equal(wrong, 0);
    t.ok(
      [...rows].every(([id, row]) => index.find(hashOf(id), (candidate) => ids[candidate] === id) === row),
    );
  });
}

t.test('memory is counted through growth: 8 bytes a slot, at most four fifths full', async (t) => {
  const index = new EntityIndex();
  for (let id = 0; id < 100_000; id++) index.add(Math.imul(id, 0x9e3779b1) >>> 0, id);
  t.ok(index.memoryBytes >= (100_000 / 4) * 5 * 8, String(index.memoryBytes));
  t.ok(index.memoryBytes <= 100_000 * 2.5 * 8 * 2, String(index.memoryBytes));
});

t.test(
  'an index filled at once finds what one filled entity by entity finds, and goes on growing',
  async (t) => {
    for (const count of [0, 1, 7, 64, 5_000, 100_000]) {
      const index = new EntityIndex();
      const hashes = Uint32Array.from({ length: count }, (_, id) => Math.imul(id, 0x9e3779b1) >>> 0);
      index.fill(
        hashes,
        Uint32Array.from({ length: count }, (_, id) => id),
      );
      const hashOf = (id: number): number => Math.imul(id, 0x9e3779b1) >>> 0;
      for (let id = count; id < count * 3 + 20; id++) index.add(hashOf(id), id);
      const lost = Array.from({ length: count * 3 + 20 }, (_, id) => id).filter(
        (id) => index.find(hashOf(id), (row) => row === id) !== id,
      );
      t.strictSame(lost, [], `${count} at once`);
      t.equal(
        index.find(hashOf(count * 3 + 20), () => true),
        -1,
      );
    }
  },
);
