/** Compares tables of rows by key, large enough to grow, with maps of plain values. */
import t from 'tap';
import { Prng, runToEnd, type Task } from '../../../../src/base/index.js';
import { QueryRun } from '../../../../src/exec/index.js';
import {
  type BuiltTable,
  buildKeyTable,
  chainsOf,
  type KeyColumn,
} from '../../../../src/exec/join/keys/key-table.js';
import { type SqlType, type Value, type Vector, vectorOf } from '../../../../src/vector/index.js';
import { shownRow } from '../../relation/tables.js';

const SEED = 1_618;
t.comment(`seed ${SEED}`);

const ROWS = 70_000;

const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

const built = (keys: readonly KeyColumn[], count: number, run: QueryRun): BuiltTable =>
  runToEnd(buildKeyTable(keys, count, run) as Generator<unknown, BuiltTable> as Task<BuiltTable>);

const KINDS: readonly (readonly [string, SqlType, (index: number) => Value])[] = [
  ['dense', { type: 'integer' }, (index) => BigInt(index)],
  ['with gaps', { type: 'integer' }, (index) => BigInt(index) * 20n - 5_000n],
  ['sparse', { type: 'integer' }, (index) => BigInt(index) * 7_919_777n],
  ['negative', { type: 'integer' }, (index) => BigInt(index % 2 === 0 ? index : -index) * 123_456_789n],
  ['beyond 2^53', { type: 'integer' }, (index) => BigInt(index) * (1n << 60n)],
  ['float', { type: 'float' }, (index) => (index - 5) / 8],
  ['text', { type: 'text' }, (index) => `é${index}`],
];

for (const [name, type, valueAt] of KINDS) {
  t.test(`${name}: codes are the first rows with the key`, async (t) => {
    const prng = new Prng(SEED);
    // With many first and second values of few others, chains of pairs are by the second value, or become a hash table.
    for (const [distinctCount, secondCount] of [
      [100, 2],
      [100, ROWS],
      [100, 5_000],
      [ROWS * 10, 2],
    ]) {
      const values = Array.from({ length: ROWS }, () => valueAt(prng.below(distinctCount)));
      const second = values.map(() => BigInt(prng.below(secondCount)));
      const run = unlimited();
      const keys = [vectorOf(type, values), vectorOf({ type: 'integer' }, second)];
      const columns = keys.map((vector) => ({ vector, nullsEqual: false }));
      for (const keyCount of [1, 2]) {
        const { table, codes } = built(columns.slice(0, keyCount), ROWS, run);
        const firsts = new Map<string, number>();
        const shown = values.map((value, row) => shownRow([value, second[row]].slice(0, keyCount)));
        for (const [row, key] of shown.entries()) if (!firsts.has(key)) firsts.set(key, row + 1);
        t.equal(
          codes.findIndex((code, row) => code !== firsts.get(shown[row])),
          -1,
        );
        // Most are not found at first, then all are found.
        const probes = Array.from({ length: 9_000 }, (_, index) =>
          index < 4_000 ? valueAt(ROWS * 10 + index * 3) : values[index],
        );
        const out = new Int32Array(3_000);
        let wrong = 0;
        for (let from = 0; from < probes.length; from += 3_000) {
          const part = probes.slice(from, from + 3_000);
          const others = second.slice(from, from + 3_000);
          const vectors: Vector[] = [vectorOf(type, part), vectorOf({ type: 'integer' }, others)];
          table.find(vectors.slice(0, keyCount), part.length, out);
          part.forEach((value, index) => {
            const key = shownRow([value, others[index]].slice(0, keyCount));
            if (out[index] !== (firsts.get(key) ?? 0)) wrong++;
          });
        }
        t.equal(wrong, 0);
      }
      run.releaseAll();
    }
  });
}

t.test('the rows of a key are chained in order', async (t) => {
  const run = unlimited();
  t.equal(chainsOf(Int32Array.of(1, 2, 0, 4), run), null);
  t.equal(run.reservedBytes, 0);
  const next = chainsOf(Int32Array.of(1, 2, 1, 0, 2, 1), run);
  t.strictSame([...(next ?? [])], [3, 5, 6, 0, 0, 0]);
});
