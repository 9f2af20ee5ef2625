import t from 'tap';
import { bindQuery } from '../../../src/api/index.js';
import { Prng } from '../../../src/base/index.js';
import { databaseOf } from '../../../src/catalog/index.js';
import type { QueryPlan } from '../../../src/engine/index.js';
import type { AggregatePlan, ExtractPlan, LevelPlan } from '../../../src/ir/index.js';
import type { Dimension, ValueKind } from '../../../src/schema/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { fill, requestsOf, rowsOf } from '../select-store.js';
import { DATABASE_ID, makeDir, NOW_MS, TestStore } from '../store.js';

const WHERE = jsonObject({ n: jsonObject({ gt: num(5_000) }) });

t.test('the summary of every kind of query is that of EXPLAIN, summed over the shards', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
  await fill(store, new Prng(31), 3_000);
  const dimension = databaseOf(store.engine.catalog(), DATABASE_ID).dimensions.get('default') as Dimension;
  const condition = bindQuery([WHERE], dimension, NOW_MS);
  const target = { databaseId: DATABASE_ID, dimensionId: dimension.id };
  const idOf = (name: string): number => dimension.columns.get(name)?.id ?? -1;
  const summaryOf = (query: QueryPlan): Promise<readonly string[]> => store.engine.summarizePlan(query);

  const scan = 'scan default: 3000 entities in 3 segments of 3 shards, about 0 rows pass';
  const tested = 'condition n (values): 0 segments looked at, 3 skipped, 0 taken whole';
  t.strictSame(await summaryOf({ kind: 'count', plan: { ...target, condition } }), [scan, tested, 'count']);
  t.strictSame(await summaryOf({ kind: 'exist', plan: { ...target, condition: null } }), [
    'scan default: 3000 entities in 3 segments of 3 shards, about 3000 rows pass',
    'look up entity IDs',
  ]);

  const level = (name: string, kind: ValueKind): LevelPlan => ({
    source: { from: 'attribute', columnId: idOf(name), kind },
    tests: [],
  });
  const form = { type: 'integer', decimalPlaces: 0 } as never;
  const aggregation: AggregatePlan = {
    ...{ ...target, entities: condition },
    levels: [{ ...level('word', 'code'), ...(form as object), limit: 10, minQuantity: 1 } as never],
    metric: { ...level('n', 'i64'), ...(form as object), metric: 'avg', buckets: null } as never,
  };
  t.strictSame(await summaryOf({ kind: 'aggregate', plan: aggregation }), [
    ...[scan, tested, 'top 10 values of word', 'avg of n'],
  ]);
  const extraction: ExtractPlan = {
    ...{ ...target, condition, scored: null, near: null, after: null, limit: 100, columns: [] },
    order: [{ by: 'entity-id', descending: false }],
  };
  t.strictSame(await summaryOf({ kind: 'extract', plan: extraction }), [
    ...[scan, tested, 'sort by 1 key', 'first 100 rows'],
  ]);
  t.strictSame(
    await summaryOf({ kind: 'extract', plan: { ...extraction, scored: [condition] } }),
    [scan, tested, 'score by 1 condition', 'first 100 rows', 'sort by 1 key'],
    'the score chooses the rows, the order sorts them',
  );

  const text = 'SELECT word, COUNT(*) FROM [default] WHERE n > 5000 GROUP BY word ORDER BY word LIMIT 3';
  const [{ plan }] = requestsOf(store, text);
  const lines = await summaryOf({ kind: 'select', plan });
  t.strictSame(lines.slice(0, 2), [scan, tested]);
  const explained = await rowsOf(store, `EXPLAIN ${text}`);
  const onMain = explained.filter(({ shard }) => shard === null);
  t.strictSame(
    lines.slice(2),
    onMain.map(({ operator, detail }) => `${operator} ${detail}`),
  );
  const [constant] = requestsOf(store, 'SELECT 1');
  t.strictSame(await summaryOf({ kind: 'select', plan: constant.plan }), [
    'constant one row, computed on the main thread',
  ]);
});

t.test('the rows of an answer are counted while it is produced', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2 });
  await fill(store, new Prng(7), 2_500);
  const countOf = async (text: string): Promise<number | undefined> => {
    const request = { cancellation: null, bypassCache: true };
    const { parts, rowCount } = store.engine.select(requestsOf(store, text), 'json', request);
    for await (const part of parts) t.type(part, Uint8Array);
    return rowCount?.();
  };
  t.equal(await countOf('SELECT n FROM [default]'), 2_500);
  t.equal(await countOf('SELECT n FROM [default] ORDER BY n LIMIT 17'), 17);
  t.equal(await countOf('SELECT COUNT(*) FROM [default]; SELECT n FROM [default] LIMIT 5'), 6);
});
