/** Links of related events: their assignment, and their renumbering when the numbers are used up. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Section } from '../../src/column/index.js';
import { linksOf } from '../../src/storage/links.js';
import { RELATION_OF, ShardModel } from './shard-model.js';
import { COLUMNS, generateChanges, valuesOf } from './stored.js';

const SEED = 1_729;
t.comment(`seed ${SEED}`);

const EVENTS = COLUMNS.filter(({ form }) => form === 'event');

const section = (relationId: number, rows: number[]): Section => ({
  columnId: 1,
  form: 'event',
  rows: Uint32Array.from(rows),
  counts: null,
  dates: new Uint32Array(rows.length),
  relationId,
  valueCount: rows.length,
  values: valuesOf(
    'i64',
    rows.map(() => 0n),
  ),
});

const shown = (links: ReturnType<typeof linksOf>) =>
  links === null ? null : [links.count, ...links.bySection.map((one) => (one === null ? null : [...one]))];

t.test('the Nth event of a row shares its link with the Nth of that row in the other sections', async (t) => {
  t.strictSame(shown(linksOf([section(7, [0, 0, 2]), section(0, [0]), section(7, [0, 1, 1, 2, 2])], 3)), [
    6,
    [0, 1, 4],
    null,
    [0, 2, 3, 4, 5],
  ]);
  t.strictSame(
    shown(linksOf([section(7, [0]), section(8, [0, 0]), section(7, [0]), section(8, [0])], 1)),
    [3, [0], [1, 2], [0], [1]],
    'two relations',
  );
});

t.test('events whose relation has one section only, or none, have no link', async (t) => {
  t.equal(linksOf([section(7, [0, 0]), section(8, [0]), section(0, [0]), section(0, [0])], 1), null);
  t.equal(linksOf([], 0), null);
});

t.test('a segment keeps links only once an event has one; earlier events then have 0', async (t) => {
  const model = new ShardModel();
  const event = (columnId: number) => ({
    column: EVENTS[columnId - 21],
    events: [
      { seconds: 1_500_000_000, value: columnId === 21 ? 4n : columnId === 22 ? 'x' : ([1, 2] as const) },
    ],
  });
  const linksIn = (columnId: number) =>
    model.dimension.events.get(columnId)?.segments.map((one) => one.links());
  model.insert([{ id: 'a', fields: [event(21)] }]);
  model.insert([{ id: 'a', fields: [event(23)] }]);
  t.strictSame(linksIn(21), [null]);
  model.insert([{ id: 'a', fields: [event(21), event(22), event(23)] }]);
  t.strictSame(linksIn(21), [Uint32Array.of(0, 1)]);
  t.strictSame(linksIn(22), [Uint32Array.of(1)]);
  t.strictSame(linksIn(23), [null]);
  t.strictSame(model.differences(), []);
});

t.test(
  'links are renumbered when their numbers are used up, and the same events remain related',
  async (t) => {
    const prng = new Prng(SEED);
    const model = new ShardModel({ compactionDeadMin: 1, linkMax: 400 });
    const options = { count: 40, idCount: 100, textCount: 20, density: 0.7 };
    let greatest = 0;
    for (let round = 0; round < 40; round++) {
      model.insert(generateChanges(prng, EVENTS, options));
      model.update(model.someIds(prng).slice(0, 5), model.fields(prng, 20));
      // Leaves numbers for the next round.
      const before = 1_500_000_000 + prng.between(60_000, 100_000);
      for (const { id } of EVENTS) model.expire(id, before);
      for (const { id } of EVENTS.filter((column) => RELATION_OF(column.id) !== 0)) {
        for (const segment of model.dimension.events.get(id)?.segments ?? []) {
          greatest = Math.max(greatest, ...(segment.links() ?? []));
        }
      }
      t.strictSame(model.differences(), []);
    }
    t.ok(greatest > 0 && greatest <= 400, String(greatest));
  },
);
