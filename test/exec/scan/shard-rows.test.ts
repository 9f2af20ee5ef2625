import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { JoinedTable } from '../../../src/exec/join/join-lookup.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { ShardOperatorStats } from '../../../src/exec/scan/operator-stats.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../../../src/exec/scan/row-batches.js';
import { ShardRows } from '../../../src/exec/scan/shard-rows.js';
import type { Expression, Grouping, SelectPlan } from '../../../src/ir/index.js';
import { Arena, type DimensionShard } from '../../../src/storage/index.js';
import { valueAt } from '../../../src/vector/index.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS } from '../../storage/stored.js';
import { generateCondition, generateTest } from '../condition/conditions.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction, generateEntities, WINDOW_START } from '../extract/extraction.js';
import {
  BOOLEAN,
  columnOf,
  dateInput,
  ID_INPUT,
  inputAt,
  inputOf,
  joinTable,
  naiveFeed,
  naiveRows,
  PLAIN,
  type PlainTable,
  shown,
  TEXT,
} from './select-rows.js';

const SEED = 30_103;
t.comment(`seed ${SEED}`);

const GROUPING: Grouping = { keys: [], perEntity: false, aggregates: [] };

const idAt = (dimension: DimensionShard, row: number): string => {
  const { offsets, bytes } = dimension.segments[row >>> 16].ids();
  return Buffer.from(bytes.subarray(offsets[row & 0xffff], offsets[(row & 0xffff) + 1])).toString('utf8');
};

/** The ID of each row's entity, and the values of some inputs. */
function linesOf(dimension: DimensionShard, batch: RowBatch | null, inputs: readonly number[]): string[] {
  if (batch === null) return [];
  return Array.from({ length: batch.count }, (_, row) =>
    shown([
      idAt(dimension, batch.entityRows[row]),
      ...inputs.map((input) => valueAt(batch.input(input), row)),
    ]),
  );
}

/** Overwrites the scratch bitmaps, as queries in between would. */
function spoilScratch(dimension: DimensionShard, scratch: Arena): void {
  const arenas = [...dimension.events.values()].flatMap(({ segments }) => segments.map(({ arena }) => arena));
  for (const arena of new Set([scratch, ...arenas])) {
    for (let bitmap = 0; bitmap < 3; bitmap++)
      arena.u8.fill(0x55, arena.scratchBitmap(bitmap), arena.scratchBitmap(bitmap) + 8_192);
  }
}

function generatePlan(prng: Prng): SelectPlan {
  const inputs = [
    inputOf(columnOf(4)),
    inputOf(columnOf(3)),
    { type: TEXT, from: 'joined', join: 0, column: 0 } as const,
    ...[21, 22].flatMap((id) => [inputOf(columnOf(id)), dateInput(id)]),
  ];
  const filter: Expression = {
    op: 'compare',
    type: BOOLEAN,
    comparison: '>=',
    left: inputAt({ inputs }, prng.pick([0, 2])),
    right: { op: 'constant', type: TEXT, value: prng.pick(['', '1', 'a long']) },
  };
  const eventOf = (columnId: number) => ({
    columnId,
    window: prng.pick([
      { from: 0, to: 4e9 },
      { from: WINDOW_START + 100, to: WINDOW_START + 600 },
    ]),
    tests: prng.chance(0.5) ? [generateTest(prng, columnOf(columnId).kind, 30)] : [],
  });
  const condition = generateCondition(prng, { columns: COLUMNS, idCount: 300, textCount: 30, depth: 1 });
  return {
    ...PLAIN,
    inputs,
    condition: prng.chance(0.4) ? condition : null,
    filter: prng.chance(0.5) ? filter : null,
    joins: [
      {
        dimensionId: 9,
        condition: null,
        kind: prng.pick(['inner', 'left']),
        on: inputAt({ inputs }, 0),
        columns: [],
      },
    ],
    feeds: [eventOf(21), eventOf(22)],
    grouping: GROUPING,
  };
}

for (const [kernels, module] of MODULES) {
  t.test(
    `${kernels} kernels: feeds return the events of the entities that pass, and no others`,
    async (t) => {
      const prng = new Prng(SEED);
      const extraction = new Extraction(module, 1, { compactionDeadMin: 60 });
      const scratch = new Arena(module);
      const wrong: string[] = [];
      for (let round = 0; round < 3; round++) {
        extraction.insert(generateEntities(prng, 150, { idCount: 300, wide: true, density: 0.5 }));
        extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.15)));
        const dimension = extraction.shards[0].dimension(KEY);
        const texts = [...extraction.entities.values()].flatMap(
          ({ attributes }) => (attributes.get(4) as string) ?? [],
        );
        for (let query = 0; query < 30; query++) {
          const rows = new Map(
            [...new Set(texts)].filter(() => prng.chance(0.6)).map((text) => [text, [`${text}!`]]),
          );
          const table: PlainTable = { types: [TEXT], rows };
          const plan = generatePlan(prng);
          const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
          const memory = run.child();
          const tables = [new JoinedTable(joinTable(table), memory)];
          const shardRows = new ShardRows(
            dimension,
            plan,
            tables,
            scratch,
            run,
            new ShardOperatorStats(0, false),
          );
          const found = (): string[] =>
            [...shardRows.batches()].flatMap((batch) => linesOf(dimension, batch, [])).sort();
          const wanted = naiveRows(extraction.entities, plan, [table])
            .map(({ id }) => shown([id]))
            .sort();
          // Rows may be read again, before or after feeds, unless other queries run in between.
          const rests = prng.chance(0.4);
          if (prng.chance(0.6) && shown(found()) !== shown(wanted)) wrong.push(`rows: ${shown(plan)}`);
          for (const feed of [0, 1]) {
            const inputs = [3 + feed * 2, 4 + feed * 2];
            const lines: string[] = [];
            for (const batch of shardRows.feedBatches(feed)) {
              lines.push(...linesOf(dimension, batch, inputs));
              if (rests) shardRows.rest(false);
              if (rests) spoilScratch(dimension, scratch);
            }
            const all = naiveFeed(extraction.entities, plan, feed, [table]);
            if (shown(lines.sort()) !== shown(all))
              wrong.push(`${lines.length} of ${all.length} events: ${shown(plan)}`);
          }
          if (!rests && shown(found()) !== shown(wanted)) wrong.push(`rows again: ${shown(plan)}`);
          shardRows.release();
          memory.releaseAll();
          t.equal(run.reservedBytes, 0);
        }
      }
      t.strictSame(wrong.slice(0, 2), []);
    },
  );

  t.test(
    `${kernels} kernels: events of many segments are returned by entity, all events of an entity together`,
    async (t) => {
      const prng = new Prng(SEED + 3);
      const extraction = new Extraction(module, 1);
      const scratch = new Arena(module);
      const column = columnOf(21);
      const ids = Array.from({ length: 9_000 }, (_, at) => `entity-${at}`);
      // Values of one byte, then of eight bytes, in separate segments.
      for (let round = 0; round < 3; round++) {
        const value = (): bigint =>
          round < 2 ? BigInt(prng.between(-99, 99)) : 2n ** 60n + BigInt(prng.below(9));
        const events = () =>
          Array.from({ length: prng.between(1, 9) }, () => ({
            seconds: WINDOW_START + prng.below(9_000),
            value: value(),
          }));
        extraction.insert(ids.map((id) => ({ id, fields: [{ column, events: events() }] })));
      }
      extraction.delete(ids.filter(() => prng.chance(0.01)));
      const dimension = extraction.shards[0].dimension(KEY);
      t.ok((dimension.events.get(21)?.segments.length ?? 0) > 1);
      for (const window of [
        { from: 0, to: 4e9 },
        { from: WINDOW_START, to: WINDOW_START + 3_000 },
      ]) {
        const inputs = [ID_INPUT, inputOf(column), dateInput(21)];
        const plan = { ...PLAIN, inputs, events: { columnId: 21, window, tests: [] }, grouping: GROUPING };
        const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
        const rows = new ShardRows(dimension, plan, [], scratch, run, new ShardOperatorStats(0, false));
        const lines: string[] = [];
        const entities: number[] = [];
        for (const batch of rows.batches()) {
          if (batch === null) continue;
          t.ok(batch.count > 0 && batch.count <= BATCH_ROWS_MAX);
          lines.push(...linesOf(dimension, batch, [0, 1, 2]));
          for (const row of batch.entityRows) if (entities.at(-1) !== row) entities.push(row);
        }
        rows.release();
        t.equal(run.reservedBytes, 0);
        t.equal(new Set(entities).size, entities.length, 'no entity occurs twice');
        const wanted = naiveRows(extraction.entities, plan, []).map(({ id, event }) =>
          shown([id, id, event?.value, BigInt(event?.seconds ?? 0)]),
        );
        t.equal(lines.sort().join('\n') === wanted.sort().join('\n'), true);
      }
    },
  );
}

t.test('the first batch has at most the requested size, and batches grow to their limit', async (t) => {
  const extraction = new Extraction(null, 1);
  const count = SEGMENT_ROWS_MAX + 10;
  extraction.insert(Array.from({ length: count }, (_, at) => ({ id: `entity-${at}`, fields: [] })));
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  const dimension = extraction.shards[0].dimension(KEY);
  const rows = new ShardRows(dimension, PLAIN, [], new Arena(null), run, new ShardOperatorStats(0, false));
  const sizes = [...rows.batches(1_000)].map((batch) => batch?.count);
  rows.release();
  t.strictSame(sizes.slice(0, 6), [1_000, 2_000, 4_000, 8_000, BATCH_ROWS_MAX, BATCH_ROWS_MAX]);
  t.equal(sizes.at(-1), 10);
  t.equal(
    sizes.reduce((sum: number, size) => sum + (size ?? 0), 0),
    count,
  );
  t.equal(rows.rowEnd, count);
});
