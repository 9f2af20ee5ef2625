/** Scripts: several writes that take effect together and exactly once, and identically in every replay. */
import t from 'tap';
import type { Json } from '../../../src/api/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { StepRefused } from '../../../src/engine/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { copyDir, makeDir, TestStore, type TestWrite } from '../store.js';

const COLUMNS: Json = [
  jsonObject({ name: 'number', type: 'integer' }),
  jsonObject({ name: 'visits', type: 'integer-event' }),
];
const visit = jsonObject({ value: num(1), date: '2016-01-03' });
const numbered = (number: number): Json => jsonObject({ number: num(number) });
const equals = (number: number): Json => [jsonObject({ number: jsonObject({ equals: num(number) }) })];
const visitedAtLeast = (times: number): Json => [
  jsonObject({
    visits: jsonObject({ equals: num(1), between: ['2016-01-01', '2016-01-07'], minfreq: num(times) }),
  }),
];

const SCRIPT: readonly TestWrite[] = [
  {
    insert: [
      ['a', jsonObject({ number: num(1), visits: visit })],
      ['b', numbered(1)],
      ['c', numbered(2)],
    ],
  },
  { query: equals(1), set: jsonObject({ number: num(3), visits: visit }) },
  { query: equals(2), set: null },
  { insert: [['d', numbered(3)]] },
  { query: equals(3), set: jsonObject({ number: num(4) }) },
];
/** The counts of entities and values of inserts, and of entities of changes: each write sees the writes before it. */
const ANSWER = [3, 4, 2, 1, 1, 1, 3];

t.test(
  'writes of a script see the writes before them, and take effect once, also after every replay',
  async (t) => {
    const dir = makeDir(t);
    let store = await TestStore.open(t, dir, { workerCount: 2, shardCount: 3 });
    await store.createColumns(COLUMNS);
    const lsn = store.engine.stats().lsnDurable;
    const named = { idempotencyId: 'script', bodyHash: 'x' };
    const answers = await Promise.all([store.script(SCRIPT, named), store.script(SCRIPT, named)]);
    t.strictSame(answers, [ANSWER, ANSWER]);
    t.equal(store.engine.stats().lsnDurable, lsn + 1, 'one record');
    await t.rejects(store.script(SCRIPT, { ...named, bodyHash: 'y' }), { code: 9001 });
    const check = async (what: string): Promise<void> => {
      t.strictSame(await store.script(SCRIPT, named), ANSWER, what);
      t.strictSame(await store.exists(['a', 'b', 'c', 'd']), [true, true, false, true], what);
      t.equal(await store.countOne(equals(4)), 3, what);
      t.equal(await store.countOne(visitedAtLeast(1)), 2, what);
      t.equal(await store.countOne(visitedAtLeast(2)), 1, what);
      const usage = { insertedEntityCount: 4, insertedValueCount: 5, updatedEntityCount: 5 };
      t.match(store.engine.usage(1), usage, what);
    };
    await check('at once');
    const killed = copyDir(t, dir);
    await store.engine.checkpoint();
    const killedLater = copyDir(t, dir);
    await store.close();
    for (const [what, again, workerCount] of [
      ['after a kill', killed, 1],
      ['after a kill that follows a checkpoint', killedLater, 3],
      ['after a close', dir, 2],
    ] as const) {
      store = await TestStore.open(t, again, { workerCount });
      await check(what);
      await store.close();
    }
  },
);

t.test(
  'a script with a write that violates a rule changes nothing, and the error names the write and row',
  async (t) => {
    const seed = 20_161;
    t.comment(`seed ${seed}`);
    const prng = new Prng(seed);
    const store = await TestStore.open(t, makeDir(t), { workerCount: 2 });
    await store.createColumns(COLUMNS);
    const before = store.engine.stats().lsnDurable;
    for (let round = 0; round < 20; round++) {
      const rowCount = prng.between(1, 40);
      const badRow = prng.below(rowCount);
      const rows = Array.from({ length: rowCount }, (_, row): [string, Json] => [
        `e${row}`,
        row < badRow ? numbered(row) : jsonObject({ number: row === badRow ? 'word' : 'other' }),
      ]);
      const good = Array.from({ length: prng.below(4) }, (): TestWrite => ({ insert: [['x', numbered(1)]] }));
      const refused = await store.script([...good, { insert: rows }]).catch((error) => error);
      t.ok(refused instanceof StepRefused, `round ${round}`);
      t.match(refused, { statement: good.length, row: badRow, refusal: { code: 2007 } }, `round ${round}`);
    }
    const changes: readonly TestWrite[] = [
      { insert: [['y', numbered(1)]] },
      { query: equals(1), set: jsonObject({ number: 'word' }) },
    ];
    const refused: unknown = await store.script(changes).catch((error) => error);
    t.match(refused, { statement: 1, row: null, refusal: { code: 2007 } });
    const charged = store.script(SCRIPT, {
      charge: () => {
        throw new QuarryError(1502, 'too many');
      },
    });
    await t.rejects(charged, { code: 1502 });
    t.equal(store.engine.stats().lsnDurable, before);
    t.equal(await store.total(), 0);
  },
);

t.test('a script is charged for its inserts and updates before anything is written', async (t) => {
  const store = await TestStore.open(t, makeDir(t));
  await store.createColumns(COLUMNS);
  await store.insert(jsonObject({ z: numbered(1) }));
  const charges: (readonly number[])[] = [];
  const charge = (...counts: readonly number[]): void => {
    charges.push(counts);
  };
  t.strictSame(await store.script(SCRIPT, { charge }), [3, 4, 3, 1, 1, 1, 4]);
  // An update may meet every entity that was inserted before it.
  t.strictSame(charges, [[4, 1 + 3 + 0 + 4]]);
});
