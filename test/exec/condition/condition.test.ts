/** Conditions over one shard compared with their evaluation entity by entity, with both sets of kernels. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { countEntities } from '../../../src/exec/index.js';
import type { Condition } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { ARENA_BYTES, Arena, ArenaPool, Shard } from '../../../src/storage/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { countMatches } from '../../ir/evaluate.js';
import {
  applyPlain,
  batchOf,
  type Change,
  COLUMNS,
  generateChanges,
  type StoredEntities,
} from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateCondition } from './conditions.js';

const SEED = 424_242;
t.comment(`seed ${SEED}`);

const KEY = { databaseId: 1, dimensionId: 2 };

/** A shard and a model of its expected content. */
class Pair {
  readonly pool: ArenaPool;
  readonly shard: Shard;
  readonly scratch: Arena;
  readonly entities: StoredEntities = new Map();

  constructor(module: WebAssembly.Module | null) {
    this.pool = new ArenaPool(module);
    this.shard = new Shard(this.pool, 0);
    this.scratch = new Arena(module);
  }

  apply(changes: readonly Change[]): void {
    this.shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, changes));
    applyPlain(this.entities, changes);
  }

  count(condition: Condition | null): number {
    return countEntities(this.shard, { ...KEY, condition }, this.scratch, boundedRun());
  }

  /** null if the count is correct. */
  difference(condition: Condition): string | null {
    const found = this.count(condition);
    const wanted = countMatches(new Map([[KEY.dimensionId, this.entities]]), KEY.dimensionId, condition);
    if (found === wanted) return null;
    const shown = JSON.stringify(condition, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));
    return `${found} instead of ${wanted}: ${shown}`;
  }
}

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  for (const textCount of [6, 400]) {
    t.test(
      `${kernels} kernels: counts of conditions over ${textCount} strings per column equal the model`,
      async (t) => {
        const prng = new Prng(SEED + textCount);
        const pair = new Pair(module);
        for (let round = 0; round < 6; round++) {
          pair.apply(generateChanges(prng, COLUMNS, { count: 130, idCount: 500, textCount, density: 0.4 }));
          const wrong = [];
          for (let query = 0; query < 120; query++) {
            const options = { columns: COLUMNS, idCount: 500, textCount, depth: prng.below(5) };
            const difference = pair.difference(generateCondition(prng, options));
            if (difference !== null) wrong.push(difference);
          }
          t.strictSame(wrong.slice(0, 3), []);
        }
        t.equal(pair.count(null), pair.entities.size);
      },
    );
  }

  t.test(
    `${kernels} kernels: counts of conditions over two segments, in which most rows have no values, equal the model`,
    async (t) => {
      const prng = new Prng(SEED + 2);
      const pair = new Pair(module);
      const options = { count: 150, idCount: 300, textCount: 50, density: 0.7 };
      pair.apply(generateChanges(prng, COLUMNS, options));
      const filler = SEGMENT_ROWS_MAX - 100;
      pair.apply(Array.from({ length: filler }, (_, index) => ({ id: `filler-${index}`, fields: [] })));
      for (let round = 0; round < 4; round++) pair.apply(generateChanges(prng, COLUMNS, options));
      t.equal(pair.shard.find(KEY)?.segments.length, 2);
      const wrong = [];
      for (let query = 0; query < 40; query++) {
        const condition = generateCondition(prng, {
          columns: COLUMNS,
          idCount: 300,
          textCount: 50,
          depth: 2,
        });
        const difference = pair.difference(condition);
        if (difference !== null) wrong.push(difference);
      }
      t.strictSame(wrong.slice(0, 3), []);
    },
  );

  t.test(
    `${kernels} kernels: a condition on many strings is evaluated even if the arena is full`,
    async (t) => {
      const prng = new Prng(SEED + 3);
      const pair = new Pair(module);
      for (let round = 0; round < 3; round++) {
        pair.apply(
          generateChanges(prng, COLUMNS, { count: 200, idCount: 400, textCount: 900, density: 0.6 }),
        );
      }
      const arenas = new Set(pair.shard.find(KEY)?.segments.map(({ arena }) => arena));
      for (const arena of arenas) {
        for (let bytes = ARENA_BYTES / 2; bytes >= 64; bytes /= 2) while (arena.allocate(bytes) !== null);
      }
      const wrong = [];
      for (let query = 0; query < 150; query++) {
        const condition = generateCondition(prng, {
          columns: COLUMNS.filter(({ kind }) => kind === 'code'),
          idCount: 400,
          textCount: 900,
          depth: 1,
        });
        const difference = pair.difference(condition);
        if (difference !== null) wrong.push(difference);
      }
      t.strictSame(wrong.slice(0, 3), []);
    },
  );
}

t.test('a condition releases all memory that it reserved', async (t) => {
  const prng = new Prng(SEED + 4);
  const pair = new Pair(null);
  pair.apply(generateChanges(prng, COLUMNS, { count: 200, idCount: 400, textCount: 900, density: 0.6 }));
  const before = pair.pool.usedBytes;
  for (let query = 0; query < 200; query++) {
    pair.count(generateCondition(prng, { columns: COLUMNS, idCount: 400, textCount: 900, depth: 3 }));
  }
  t.equal(pair.pool.usedBytes, before);
});

t.test('the count of a dimension without data in this shard is 0', async (t) => {
  const pair = new Pair(null);
  t.equal(pair.count(null), 0);
  t.equal(pair.count({ op: 'entity-id', tests: [] }), 0);
});
