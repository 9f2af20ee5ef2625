/**
 * Updates and deletions by generated conditions, with counts between them, compared with plain maps, for both sets of
 * kernels.
 */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { countEntities, mutateEntities } from '../../src/exec/index.js';
import type { Condition } from '../../src/ir/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { Arena, ArenaPool, Shard } from '../../src/storage/index.js';
import { SIMD_KERNELS } from '../engine/store.js';
import { countMatches } from '../ir/evaluate.js';
import { KEY, RELATION_OF, ShardModel } from '../storage/shard-model.js';
import { batchOf, COLUMNS, type Field, generateChanges, updatePlain } from '../storage/stored.js';
import { boundedRun } from './bounded.js';
import { generateCondition } from './condition/conditions.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

/** The model's shard with updates and deletions by condition. */
class Pair extends ShardModel {
  readonly scratch: Arena;

  constructor(module: WebAssembly.Module | null, compactionDeadMin: number) {
    super({ compactionDeadMin });
    this.scratch = new Arena(module);
    this.shard = new Shard(new ArenaPool(module), 0, this.bounds);
  }

  matching(condition: Condition): string[] {
    return [...this.entities]
      .filter(([id, entity]) => {
        const alone = new Map([[KEY.dimensionId, new Map([[id, entity]])]]);
        return countMatches(alone, KEY.dimensionId, condition) === 1;
      })
      .map(([id]) => id);
  }

  count(condition: Condition | null): number {
    return countEntities(this.shard, { ...KEY, condition }, this.scratch, boundedRun());
  }

  mutate(condition: Condition, fields: readonly Field[] | null): number {
    const set = fields === null ? null : batchOf(KEY.dimensionId, [{ id: 'any', fields }], RELATION_OF);
    return mutateEntities(this.shard, { ...KEY, condition }, set, this.scratch);
  }
}

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  for (const deadMin of [1, 2 ** 31]) {
    const often = deadMin === 1 ? 'compacted' : 'with deleted rows not yet compacted';
    t.test(
      `${kernels} kernels: conditions select, update and delete the entities of the model, ${often}`,
      async (t) => {
        const prng = new Prng(SEED + deadMin);
        const pair = new Pair(module, deadMin);
        const faults: string[] = [];
        for (let round = 0; round < 25 && faults.length === 0; round++) {
          const changes = { count: 100, idCount: 300, textCount: 30, density: 0.4 };
          pair.insert(generateChanges(prng, COLUMNS, changes));
          const options = { columns: COLUMNS, idCount: 300, textCount: 30, depth: prng.below(4) };
          const mutate = () => {
            for (let query = 0; query < 6; query++) {
              const condition = generateCondition(prng, options);
              const [found, wanted] = [pair.count(condition), pair.matching(condition).length];
              if (found !== wanted) faults.push(`round ${round}: ${found} instead of ${wanted}`);
            }
          };
          mutate();
          const condition = generateCondition(prng, options);
          const ids = pair.matching(condition);
          const fields = prng.chance(0.5) ? null : pair.fields(prng, 30);
          const changed = pair.mutate(condition, fields);
          if (changed !== ids.length)
            faults.push(`round ${round}: ${changed} changed instead of ${ids.length}`);
          if (fields === null) for (const id of ids) pair.entities.delete(id);
          else updatePlain(pair.entities, ids, fields, RELATION_OF);
          mutate();
          if (pair.count(null) !== pair.entities.size) faults.push(`round ${round}: wrong count of all`);
          faults.push(...pair.differences().map((fault) => `round ${round}: ${fault}`));
        }
        t.strictSame(faults.slice(0, 2), []);
      },
    );
  }

  t.test(
    `${kernels} kernels: conditions select correctly in whole, half-deleted and emptied segments`,
    async (t) => {
      const pair = new Pair(module, 2 ** 31);
      const ids = Array.from({ length: 3 * SEGMENT_ROWS_MAX + 130 }, (_, index) => `e${index}`);
      pair.insert(ids.map((id) => ({ id, fields: [] })));
      const all: Condition = { op: 'entity-id', tests: [] };
      const none: Condition = { op: 'not', member: all };
      const equals = (texts: string[], negated: boolean): Condition => ({
        op: 'entity-id',
        tests: [{ kind: 'text', match: 'equals', texts, negated }],
      });
      t.strictSame([pair.count(all), pair.count(none)], [ids.length, 0]);
      // The second segment is emptied; the third loses every other row.
      const gone = ids.filter((_, row) => row >> 16 === 1 || (row >> 16 === 2 && row % 2 === 0));
      pair.delete(gone);
      const left = ids.length - gone.length;
      t.strictSame([pair.count(null), pair.count(all), pair.count(none)], [left, left, 0]);
      t.equal(pair.count(equals(['e3', gone[0], gone[40_000]], false)), 1);
      t.equal(pair.count(equals(['e3', gone[0]], true)), left - 1);
      t.equal(pair.mutate(equals([ids[0], ids[3 * SEGMENT_ROWS_MAX], gone[5]], true), null), left - 2);
      t.strictSame([pair.count(null), pair.dimension.isDead(0), pair.dimension.isDead(1)], [2, false, true]);
      t.equal(pair.mutate(all, null), 2);
      t.equal(pair.dimension.segments.length, 0);
      t.equal(pair.count(all), 0);
    },
  );
}

t.test('entities are selected before the first one is changed', async (t) => {
  const pair = new Pair(null, 1);
  const [, , integer] = COLUMNS;
  const value = (latest: bigint): Field[] => [{ column: integer, latest }];
  pair.insert(Array.from({ length: 500 }, (_, index) => ({ id: `e${index}`, fields: value(BigInt(index)) })));
  const condition: Condition = {
    op: 'attribute',
    columnId: integer.id,
    tests: [{ kind: 'ranges', ranges: [{ low: 0n, high: 99n }], negated: false }],
  };
  t.equal(pair.mutate(condition, value(100n)), 100);
  t.equal(pair.mutate(condition, value(0n)), 0);
});

t.test('a dimension without data has no entities to change', async (t) => {
  const shard = new Shard(new ArenaPool(null), 0);
  const condition: Condition = { op: 'entity-id', tests: [] };
  t.equal(mutateEntities(shard, { ...KEY, condition }, null, new Arena(null)), 0);
  t.equal(shard.find(KEY), undefined, 'the dimension is not created');
});
