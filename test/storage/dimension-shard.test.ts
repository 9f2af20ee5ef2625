/** A dimension's shard compared with plain maps of entities. */
import t from 'tap';
import { hashBytes, Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { ARENA_BYTES, ArenaPool, DimensionShard } from '../../src/storage/index.js';
import {
  applyPlain,
  batchOf,
  type Change,
  COLUMNS,
  dumpPlain,
  dumpShard,
  generateChanges,
  type StoredEntities,
} from './stored.js';

const SEED = 31_337;
t.comment(`seed ${SEED}`);

function findRow(shard: DimensionShard, id: string): number {
  const bytes = Buffer.from(id, 'utf8');
  return shard.findRow(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
}

for (const textCount of [5, 300, 70_000]) {
  t.test(`a shard equals the model after batches with up to ${textCount} strings per column`, async (t) => {
    const prng = new Prng(SEED + textCount);
    const pool = new ArenaPool(null);
    const shard = new DimensionShard(pool, 1);
    const entities: StoredEntities = new Map();
    for (let round = 0; round < 25; round++) {
      const options = { count: prng.between(1, 150), idCount: 1500, textCount, density: 0.4 };
      const changes = generateChanges(prng, COLUMNS, options);
      shard.apply(batchOf(1, changes));
      applyPlain(entities, changes);
      t.equal(shard.entityCount, entities.size);
    }
    t.strictSame(dumpShard(shard), dumpPlain(entities));
    t.ok([...entities.keys()].every((id) => findRow(shard, id) >= 0));
    t.equal(findRow(shard, 'entity-none'), -1);
    shard.release();
    t.equal(pool.usedBytes, 0, 'all arena memory is released');
  });
}

t.test('columns whose arena is full move to another arena without losing a value', async (t) => {
  const prng = new Prng(SEED + 1);
  const pool = new ArenaPool(null);
  const shard = new DimensionShard(pool, 1);
  const entities: StoredEntities = new Map();
  const write = (idCount: number, textCount: number): void => {
    const changes = generateChanges(prng, COLUMNS, { count: 200, idCount, textCount, density: 0.5 });
    shard.apply(batchOf(1, changes));
    applyPlain(entities, changes);
  };
  write(150, 5);
  // Leaves little capacity in the first arena.
  for (let bytes = ARENA_BYTES / 2; bytes >= 65_536; bytes /= 2) {
    pool.allocate([bytes], shard.segments[0].arena);
  }
  for (let round = 0; round < 10; round++) write(1000, 100_000);
  t.strictSame(dumpShard(shard), dumpPlain(entities));
});

t.test('a new segment starts when one is full, earlier with long IDs', async (t) => {
  const shard = new DimensionShard(new ArenaPool(null), 1);
  const ids = (from: number, count: number, tail: string): Change[] =>
    Array.from({ length: count }, (_, index) => ({ id: `e${from + index}${tail}`, fields: [] }));
  shard.apply(batchOf(1, ids(0, SEGMENT_ROWS_MAX - 1, '')));
  t.equal(shard.segments.length, 1);
  shard.apply(batchOf(1, ids(SEGMENT_ROWS_MAX - 1, 2, '')));
  t.strictSame(
    shard.segments.map(({ rowCount }) => rowCount),
    [SEGMENT_ROWS_MAX, 1],
  );
  const tail = 'x'.repeat(4000);
  shard.apply(batchOf(1, ids(100_000, 5000, tail)));
  t.equal(shard.segments.length, 3);
  t.ok(shard.segments[1].rowCount < 5000);
  t.equal(shard.entityCount, SEGMENT_ROWS_MAX + 1 + 5000);
  const rows = new Set(
    Array.from({ length: 5000 }, (_, index) => findRow(shard, `e${100_000 + index}${tail}`)),
  );
  t.equal(rows.size, 5000);
  t.notOk(rows.has(-1));
  t.equal(Math.max(...rows) + 1, shard.rowEnd);
});

t.test('the same batches in the same order result in the same rows and codes', async (t) => {
  const build = (): DimensionShard => {
    const prng = new Prng(SEED + 2);
    const shard = new DimensionShard(new ArenaPool(null), 1);
    for (let round = 0; round < 8; round++) {
      const options = { count: 100, idCount: 300, textCount: 400, density: 0.5 };
      shard.apply(batchOf(1, generateChanges(prng, COLUMNS, options)));
    }
    return shard;
  };
  const [a, b] = [build(), build()];
  for (let id = 0; id < 300; id++) t.equal(findRow(a, `entity-${id}`), findRow(b, `entity-${id}`));
  for (const [columnId, dictionary] of a.dictionaries) {
    t.strictSame(dictionary.bytes, b.dictionaries.get(columnId)?.bytes);
  }
});
