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
  t.test(`every entity is found and no other if the hashes are ${what}`, async (t) => {
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

t.test('memory is accounted for during growth: 8 bytes per slot, at most four fifths full', async (t) => {
  const index = new EntityIndex();
  for (let id = 0; id < 100_000; id++) index.add(Math.imul(id, 0x9e3779b1) >>> 0, id);
  t.ok(index.memoryBytes >= (100_000 / 4) * 5 * 8, String(index.memoryBytes));
  t.ok(index.memoryBytes <= 100_000 * 2.5 * 8 * 2, String(index.memoryBytes));
});

t.test(
  'an index that is filled in bulk finds the same entities as one filled one by one, and can grow',
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

for (const [what, hashOf] of [
  ['spread over all bits', (id: number) => Math.imul(id, 0x9e3779b1) >>> 0],
  ['all equal', () => 0xdeadbeef],
  ['equal in their low 12 bits', (id: number) => ((id & 31) << 12) >>> 0],
  ['close together at the end of a part', (id: number) => (0xffffffff - (id % 40) * 64) >>> 0],
] as const) {
  t.test(`removed entities are not found and all others are if the hashes are ${what}`, async (t) => {
    const prng = new Prng(SEED + 1);
    const index = new EntityIndex();
    const rows = new Map<number, number>();
    const limit = what.startsWith('spread') ? 5_000 : 400;
    let idOfRow: number[] = [];
    let wrong = 0;
    const find = (id: number): number => index.find(hashOf(id), (row) => idOfRow[row] === id);
    for (let step = 0; step < limit * 6; step++) {
      const id = prng.below(limit);
      const row = find(id);
      if (row !== (rows.get(id) ?? -1)) wrong++;
      if (row < 0) {
        rows.set(id, idOfRow.length);
        index.add(hashOf(id), idOfRow.length);
        idOfRow.push(id);
      } else if (prng.chance(0.6)) {
        index.remove(hashOf(id), row);
        rows.delete(id);
      }
      if (step % (limit * 2) !== limit) continue;
      // Row numbers are compacted, as by compaction.
      const moved = new Uint32Array(idOfRow.length).fill(0xffffffff);
      const retained = [...rows].sort(([, a], [, b]) => a - b);
      retained.forEach(([one, before], after) => {
        moved[before] = after;
        rows.set(one, after);
      });
      index.remap(moved);
      idOfRow = retained.map(([one]) => one);
    }
    for (let id = 0; id < limit; id++) if (find(id) !== (rows.get(id) ?? -1)) wrong++;
    t.equal(wrong, 0);
  });
}

const reversed = (hash: number): number =>
  Number.parseInt([...hash.toString(2).padStart(32, '0')].reverse().join(''), 2);

for (const [what, hashOf] of [
  ['spread over all bits', (id: number) => Math.imul(id, 0x9e3779b1) >>> 0],
  ['all equal', () => 0xdeadbeef],
  ['equal in their low 12 bits', (id: number) => ((id & 31) << 12) >>> 0],
  ['close together at the end of a part', (id: number) => (0xffffffff - (id % 40) * 64) >>> 0],
  ['at both ends', (id: number) => (id % 2 === 0 ? 0 : 0xffffffff)],
] as const) {
  t.test(
    `a scan is ordered by the reversed bits of the hash from any hash on if the hashes are ${what}`,
    async (t) => {
      const prng = new Prng(SEED + 3);
      const index = new EntityIndex();
      const rows = new Set<number>();
      const faults: string[] = [];
      for (let step = 1; step <= 1_200; step++) {
        const row = prng.below(what.startsWith('spread') ? 5_000 : 300);
        if (!rows.has(row)) {
          rows.add(row);
          index.add(hashOf(row), row);
        } else if (prng.chance(0.5)) {
          rows.delete(row);
          index.remove(hashOf(row), row);
        }
        if (step % 40 !== 0) continue;
        const from = prng.chance(0.2) ? prng.u32() : hashOf(prng.pick([...rows]));
        const limit = prng.pick([1, 3, 10_000]);
        const found: number[] = [];
        // Rows with the same hash descend, which distinguishes their order from the order of insertion.
        index.scan(
          from,
          (a, b) => b - a,
          (one, hash) => {
            if (hash !== hashOf(one)) faults.push(`row ${one} has another hash`);
            return found.push(one) < limit;
          },
        );
        const wanted = [...rows]
          .filter((one) => reversed(hashOf(one)) >= reversed(from))
          .sort((a, b) => reversed(hashOf(a)) - reversed(hashOf(b)) || b - a)
          .slice(0, limit);
        if (String(found) !== String(wanted)) faults.push(`step ${step}: ${found} instead of ${wanted}`);
      }
      t.strictSame(faults.slice(0, 2), []);
    },
  );
}

for (const [what, hashOf] of [
  ['spread over all bits', (id: number) => Math.imul(id, 0x9e3779b1) >>> 0],
  ['all 0', () => 0],
  ['at both ends', (id: number) => (id % 2 === 0 ? 0 : 0xffffffff)],
  ['of the highest bit', (id: number) => (id % 2) * 2 ** 31 + (id % 7)],
] as const) {
  t.test(`entities are gathered by the low bits of their hash if the hashes are ${what}`, async (t) => {
    const prng = new Prng(SEED + 4);
    const index = new EntityIndex();
    const rows = new Set<number>();
    const faults: string[] = [];
    for (let step = 1; step <= 9_000; step++) {
      // Also the highest possible rows.
      const row = prng.below(what.startsWith('spread') ? 6_000 : 300) + (prng.chance(0.1) ? 2 ** 31 : 0);
      if (!rows.has(row)) {
        rows.add(row);
        index.add(hashOf(row), row);
      } else if (prng.chance(0.3)) {
        rows.delete(row);
        index.remove(hashOf(row), row);
      }
      if (step % 300 !== 0) continue;
      const bits = prng.pick([0, 1, 5, 6, 7, 10, 32]);
      const ending = prng.chance(0.3) ? prng.u32() : hashOf(prng.pick([...rows]));
      const words = prng.chance(0.3) ? null : Uint32Array.from({ length: 200 }, () => prng.u32());
      const found: number[] = [];
      index.gather(bits, ending, words, (one, hash) => {
        if (hash !== hashOf(one)) faults.push(`row ${one} has another hash`);
        found.push(one);
      });
      const wanted = [...rows].filter(
        (one) =>
          hashOf(one) % 2 ** bits === ending % 2 ** bits &&
          (words === null || (((words[Math.floor(one / 32)] ?? 0) >>> (one % 32)) & 1) === 1),
      );
      const [foundText, wantedText] = [found, wanted].map((list) => String(list.sort((a, b) => a - b)));
      if (foundText !== wantedText)
        faults.push(`step ${step}, ${bits} bits: ${foundText}, not ${wantedText}`);
    }
    t.strictSame(faults.slice(0, 2), []);
  });
}

t.test('memory shrinks when most entities are removed and the others move', async (t) => {
  const index = new EntityIndex();
  const hashOf = (id: number): number => Math.imul(id, 0x9e3779b1) >>> 0;
  for (let id = 0; id < 50_000; id++) index.add(hashOf(id), id);
  const before = index.memoryBytes;
  for (let id = 100; id < 50_000; id++) index.remove(hashOf(id), id);
  index.remap(Uint32Array.from({ length: 50_000 }, (_, row) => row + 7));
  t.ok(index.memoryBytes * 20 < before, `${before} to ${index.memoryBytes}`);
  for (let id = 0; id < 100; id++)
    t.equal(
      index.find(hashOf(id), (row) => row === id + 7),
      id + 7,
    );
});
