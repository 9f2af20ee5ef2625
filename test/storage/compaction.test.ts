/** Deletion and compaction under generated changes of every kind, compared with plain maps of entities. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { isCompactionDue } from '../../src/storage/compaction.js';
import { ShardModel } from './shard-model.js';
import { type Change, COLUMNS, dumpShard, generateChanges } from './stored.js';

const SEED = 62_831;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const [INTEGER_EVENT] = COLUMNS.filter(({ form }) => form === 'event');
const INTEGER = COLUMNS[2];
const START = 1_500_000_000;

for (const [what, bounds] of [
  ['compacted as often as possible', { compactionDeadMin: 1 }],
  ['compacted only when it is empty', { compactionDeadMin: 2 ** 31 }],
  ['compacted occasionally', { compactionDeadMin: 100 }],
] as const) {
  t.test(`a shard that is ${what} equals the model after changes of every kind`, async (t) => {
    for (let round = 0; round < 3; round++) {
      const prng = new Prng(SEED + round);
      const model = new ShardModel(bounds);
      const options = { idCount: 400, textCount: prng.pick([5, 300, 70_000]), count: 120 };
      const faults: string[] = [];
      for (let step = 0; step < 40 && faults.length === 0; step++) {
        const kind = model.step(prng, options);
        faults.push(
          ...model.differences().map((fault) => `round ${round}, step ${step} (${kind}): ${fault}`),
        );
      }
      t.strictSame(faults.slice(0, 2), []);
    }
  });
}

const filler = (from: number, count: number): Change[] =>
  Array.from({ length: count }, (_, index) => ({ id: `filler-${from + index}`, fields: [] }));
const fillerIds = (from: number, count: number): string[] => filler(from, count).map(({ id }) => id);

t.test(
  'rows of several segments move, later entities fill the free rows, and empty segments are removed',
  async (t) => {
    const prng = new Prng(SEED + 100);
    const model = new ShardModel();
    const change = () =>
      model.insert(generateChanges(prng, COLUMNS, { count: 150, idCount: 300, textCount: 40, density: 0.6 }));
    change();
    model.insert(filler(0, SEGMENT_ROWS_MAX));
    for (let round = 0; round < 3; round++) change();
    model.insert(filler(SEGMENT_ROWS_MAX, SEGMENT_ROWS_MAX));
    change();
    t.equal(model.dimension.segments.length, 3);
    model.delete(fillerIds(0, SEGMENT_ROWS_MAX - 50));
    t.strictSame(model.differences(), []);
    t.ok(model.dimension.segments[0].rowCount < 1000, 'the first segment was rewritten');
    t.equal(model.dimension.segments[0].deadCount, 0);
    const rows = model.dimension.segments[0].rowCount;
    change();
    model.insert(filler(1_000_000, 500));
    t.ok(
      model.dimension.segments[0].rowCount >= rows + 500,
      'new entities are added to the first segment with free rows',
    );
    t.strictSame(model.differences(), []);
    model.delete([...model.entities.keys()].filter((id) => id.startsWith('filler')));
    t.strictSame(model.differences(), []);
    model.delete([...model.entities.keys()]);
    t.equal(model.dimension.segments.length, 0, 'nothing is left');
    t.equal(model.dimension.rowEnd, 0);
    change();
    t.strictSame(model.differences(), []);
  },
);

t.test('repeated inserts and deletions need no more memory than one round', async (t) => {
  const model = new ShardModel({ compactionDeadMin: 1 });
  const sizes: number[] = [];
  for (let round = 0; round < 12; round++) {
    const changes = filler(round * 5_000, 5_000).map(({ id }, index) => ({
      id,
      fields: [
        { column: INTEGER, latest: BigInt(index) },
        { column: INTEGER_EVENT, events: [{ seconds: START + index, value: 1n }] },
      ],
    }));
    model.insert(changes);
    model.delete(fillerIds(round * 5_000, 4_990));
    sizes.push(model.dimension.heapBytes + model.dimension.segments.length);
  }
  t.equal(model.dimension.segments.length, 1);
  t.ok(sizes[11] <= sizes[1] * 2, sizes.join());
  t.strictSame(model.differences(), []);
});

t.test(
  'events of deleted entities are removed from sealed segments, which stay ordered by date',
  async (t) => {
    const prng = new Prng(SEED + 200);
    const model = new ShardModel();
    const ids = Array.from({ length: 60 }, (_, index) => `e${index}`);
    const value = (): bigint => prng.pick([BigInt(prng.between(-90, 90)), 2n ** 40n]);
    for (let round = 0; round < 5; round++) {
      model.insert(
        ids.map((id) => ({
          id,
          fields: [
            {
              column: INTEGER_EVENT,
              events: Array.from({ length: 500 }, () => ({
                seconds: START + prng.below(90_000),
                value: value(),
              })),
            },
          ],
        })),
      );
    }
    const table = model.dimension.events.get(INTEGER_EVENT.id);
    t.strictSame(
      table?.segments.map(({ sealed }) => sealed),
      [true, true, false],
    );
    model.delete(ids.filter((_, index) => index % 3 === 0));
    t.equal(table?.eventCount, 40 * 5 * 500, 'compacted');
    t.strictSame(model.differences(), []);
    model.expire(INTEGER_EVENT.id, START + 45_000);
    t.strictSame(model.differences(), []);
    model.insert([
      { id: 'late', fields: [{ column: INTEGER_EVENT, events: [{ seconds: START, value: 7n }] }] },
    ]);
    t.strictSame(model.differences(), []);
  },
);

t.test(
  'an ID that is inserted again after its deletion is a new entity without values or events',
  async (t) => {
    const model = new ShardModel({ compactionDeadMin: 1_000 });
    const old: Change = {
      id: 'a',
      fields: [
        { column: INTEGER, latest: 1n },
        { column: INTEGER_EVENT, events: [{ seconds: START, value: 1n }] },
      ],
    };
    model.insert([old, { id: 'b', fields: [] }]);
    const row = model.row('a');
    model.delete(['a']);
    t.equal(model.row('a'), -1);
    t.ok(model.dimension.isDead(row));
    model.insert([{ id: 'a', fields: [] }]);
    t.not(model.row('a'), row);
    t.strictSame(dumpShard(model.dimension), ['["a",[],[],[]]', '["b",[],[],[]]']);
  },
);

t.test('compaction is due when a quarter of the rows, or all of them, are deleted', async (t) => {
  const due = (dead: number, living: number) => isCompactionDue(dead, living, 10);
  t.strictSame(
    [due(10, 30), due(10, 31), due(9, 1), due(1, 0), due(0, 0)],
    [true, false, false, true, false],
  );
});

t.test('memory is freed when values, events and columns are removed', async (t) => {
  const prng = new Prng(SEED + 300);
  const model = new ShardModel();
  for (let round = 0; round < 5; round++) model.step(prng, { idCount: 200, textCount: 30, count: 100 });
  for (const { id } of COLUMNS) model.dropColumn(id);
  t.strictSame(model.differences(), []);
  t.equal(model.dimension.events.size, 0);
  t.equal(model.dimension.dictionaries.size, 0);
  t.strictSame(
    model.dimension.segments.flatMap(({ columnIds }) => columnIds),
    [],
  );
});
