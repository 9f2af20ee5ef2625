/** An update of many entities, compared with a batch of the same fields for each entity. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { ArenaPool, DimensionShard } from '../../src/storage/index.js';
import { RELATION_OF, ShardModel } from './shard-model.js';
import { batchOf, type Change, COLUMNS, dumpShard, generateChanges, valuesOf } from './stored.js';

const SEED = 27_182;
t.comment(`seed ${SEED}`);

t.test('an update has the effect of one insert per entity with the same fields', async (t) => {
  for (let round = 0; round < 12; round++) {
    const prng = new Prng(SEED + round);
    const [updated, inserted] = [new ShardModel(), new ShardModel()];
    const changes = generateChanges(prng, COLUMNS, { count: 200, idCount: 300, textCount: 50, density: 0.4 });
    for (const model of [updated, inserted]) model.insert(changes);
    for (let more = 0; more < 5; more++) {
      const ids = updated.someIds(prng);
      const fields = updated.fields(prng, 500);
      updated.update(ids, fields);
      for (const id of ids) inserted.insert([{ id, fields }]);
    }
    t.strictSame(updated.differences(), []);
    t.strictSame(dumpShard(updated.dimension), dumpShard(inserted.dimension));
  }
});

t.test('an update changes only the given rows, in several segments', async (t) => {
  const prng = new Prng(SEED + 50);
  const model = new ShardModel();
  const filler = (id: string): Change => ({ id, fields: [] });
  model.insert(Array.from({ length: SEGMENT_ROWS_MAX + 300 }, (_, index) => filler(`f${index}`)));
  const ids = [...model.entities.keys()].filter((_, index) => index < 100 || index > SEGMENT_ROWS_MAX - 100);
  for (let round = 0; round < 3; round++) model.update(ids, model.fields(prng, 10));
  t.strictSame(model.differences(), []);
});

t.test('the last of several values for a column is kept, and all events are', async (t) => {
  const shard = new DimensionShard(new ArenaPool(null), 1);
  shard.apply(
    batchOf(
      1,
      ['a', 'b', 'c'].map((id) => ({ id, fields: [] })),
    ),
  );
  const single = batchOf(1, [{ id: 'x', fields: [] }]);
  const twice = Uint32Array.of(0, 0);
  const common = { rows: twice, counts: null, dates: null, relationId: 0, valueCount: 2 };
  const words = valuesOf('i64', [1n, 2n]);
  const list = { ...common, counts: Uint32Array.of(2, 1), valueCount: 3 };
  shard.update(Uint32Array.of(0, 2), {
    ...single,
    sections: [
      { ...common, columnId: 3, form: 'latest', values: words },
      { ...list, columnId: 14, form: 'list', values: valuesOf('code', ['p', 'q', 'r']) },
      { ...common, columnId: 21, form: 'event', dates: Uint32Array.of(10, 11), values: words },
    ],
  });
  const event = (seconds: number, value: string) => JSON.stringify({ seconds, value });
  const line = (id: string): string =>
    JSON.stringify([
      id,
      [
        [3, '2'],
        [14, ['r']],
      ],
      [[21, [event(10, '1'), event(11, '2')]]],
      [],
    ]);
  t.strictSame(dumpShard(shard), [line('a'), JSON.stringify(['b', [], [], []]), line('c')]);
  t.equal(RELATION_OF(21), 5, 'a relation whose other columns are not set');
});
