/** Groups and aggregates of generated batches compared with a row-at-a-time model. */
import t from 'tap';
import { Prng, QuarryError } from '../../../../src/base/index.js';
import { type GroupOptions, groupShard } from '../../../../src/exec/aggregate/groups/group.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { ShardOperatorStats } from '../../../../src/exec/scan/operator-stats.js';
import type {
  Aggregate,
  AggregateFunction,
  Expression,
  Feed,
  Grouping,
  SelectPlan,
} from '../../../../src/ir/index.js';
import type { SqlType } from '../../../../src/vector/index.js';
import {
  type Data,
  expectedGroups,
  generateData,
  groupedRows,
  inputOf,
  plainGroups,
  type Table,
  toEnd,
} from './group-oracle.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);

const LIMITS: readonly GroupOptions[] = [
  { directPairsMax: 2 ** 22, gridBitsMax: 2 ** 27 },
  { directPairsMax: 0, gridBitsMax: 0 },
  // Direct tables and grids become too large after some rows.
  { directPairsMax: 200, gridBitsMax: 4_096 },
];

const FUNCTIONS: readonly AggregateFunction[] = ['count', 'sum', 'avg', 'min', 'max', 'stddev', 'percentile'];
const NUMBERS = ['integer', 'decimal', 'float'];

function inputOfType(
  prng: Prng,
  table: Table,
  feed: number | null,
  types: readonly string[] | null,
): Expression | null {
  const fitting = table.columns.flatMap(({ type }, column) =>
    types === null || types.includes(type.type) ? [{ type, column }] : [],
  );
  if (fitting.length === 0) return null;
  const { type, column } = prng.pick(fitting);
  return { op: 'input', type, input: inputOf(feed, column) };
}

function generateAggregate(prng: Prng, { rows, feeds }: Data): Aggregate {
  const feed = prng.pick<Feed>(['rows', 'rows', 'entities', 0, 1]);
  const name = prng.pick(FUNCTIONS);
  const table = typeof feed === 'number' ? feeds[feed] : rows;
  const requiresNumbers = name === 'sum' || name === 'avg' || name === 'stddev' || name === 'percentile';
  const of = inputOfType(
    prng,
    table,
    typeof feed === 'number' ? feed : null,
    requiresNumbers ? NUMBERS : null,
  );
  const type: SqlType = { type: 'float' };
  if (of === null || (name === 'count' && prng.chance(0.4))) {
    return { function: 'count', of: null, distinct: false, feed, fraction: null, type };
  }
  return { function: name, of, distinct: prng.chance(0.4), feed, fraction: 0.5, type };
}

function generateGrouping(prng: Prng, data: Data): Grouping {
  const keys = Array.from({ length: prng.below(4) }, () => inputOfType(prng, data.rows, null, null));
  return {
    keys: keys.filter((key) => key !== null),
    perEntity: prng.chance(0.2),
    aggregates: Array.from({ length: prng.below(7) }, () => generateAggregate(prng, data)),
  };
}

const planOf = (grouping: Grouping): SelectPlan => ({
  databaseId: 1,
  dimensionId: 1,
  condition: null,
  filter: null,
  events: null,
  joins: [],
  inputs: [],
  feeds: [],
  grouping,
  having: null,
  outputs: [],
  distinct: false,
  order: [],
  offset: 0,
  limit: null,
});

t.test('every grouping returns the groups, sums and values of a row-at-a-time model', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 250; round++) {
    const data = generateData(prng, prng.pick([0, 1, 5, 60, 60, 900]));
    const grouping = generateGrouping(prng, data);
    const expected = expectedGroups(grouping, data);
    const limits = prng.pick(LIMITS);
    const rows = groupedRows(data, prng.pick([3, 50, 8_192]), prng);
    const stats = new ShardOperatorStats(0, true);
    const run = new QueryRun(null, 0, 2 ** 30);
    const [partial] = toEnd(groupShard(rows, planOf(grouping), run, stats, limits));
    const actual = plainGroups(partial, grouping.perEntity, data.rows.entities);
    t.strictSame([...actual].sort(), [...expected].sort(), `round ${round}`);
    t.equal(stats.take()[0].rows, partial.groupCount, `stats of round ${round}`);
    if (!t.passing()) return;
  }
});

t.test(
  'a query with too little memory is refused, and releases all memory except that of its result',
  async (t) => {
    const prng = new Prng(SEED + 1);
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      const data = generateData(prng, 300);
      const grouping = generateGrouping(prng, data);
      const whole = new QueryRun(null, 0, 2 ** 30);
      const seed = prng.u32();
      const group = (run: QueryRun): unknown =>
        toEnd(
          groupShard(
            groupedRows(data, 100, new Prng(seed)),
            planOf(grouping),
            run,
            new ShardOperatorStats(0, false),
          ),
        );
      const answer = group(whole);
      const answerBytes = whole.reservedBytes;
      const run = new QueryRun(null, 0, prng.below(200_000));
      try {
        t.strictSame(group(run), answer, `round ${round}`);
        t.equal(run.reservedBytes, answerBytes, `bytes of round ${round}`);
      } catch (error) {
        refused++;
        t.ok(error instanceof QuarryError && error.code === 9006, `round ${round}: ${error}`);
        t.ok(run.reservedBytes <= answerBytes, `bytes left in round ${round}`);
      }
      if (!t.passing()) return;
    }
    t.ok(refused > 5 && refused < 55, `${refused} refused`);
  },
);

t.test('a canceled query stops', async (t) => {
  const prng = new Prng(SEED + 2);
  const data = generateData(prng, 300);
  const run = new QueryRun(Int32Array.of(0, 1), 1, 2 ** 30);
  const grouping: Grouping = { keys: [], perEntity: false, aggregates: [] };
  t.throws(
    () =>
      toEnd(groupShard(groupedRows(data, 10, prng), planOf(grouping), run, new ShardOperatorStats(0, false))),
    {
      code: 9005,
    },
  );
});

t.test('aggregates of the same values share one state', async (t) => {
  const prng = new Prng(SEED + 3);
  const data = generateData(prng, 50);
  const of: Expression = { op: 'input', type: data.rows.columns[0].type, input: 0 };
  const aggregate = (feed: Feed): Aggregate => ({
    function: 'count',
    of,
    distinct: false,
    feed,
    fraction: null,
    type: { type: 'integer' },
  });
  const aggregates = [aggregate('rows'), aggregate('rows'), aggregate('entities')];
  const [{ states }] = toEnd(
    groupShard(
      groupedRows(data, 10, prng),
      planOf({ keys: [], perEntity: false, aggregates }),
      new QueryRun(null, 0, 2 ** 30),
      new ShardOperatorStats(0, false),
    ),
  );
  t.equal(states[0], states[1]);
  t.not(states[0], states[2]);
});
