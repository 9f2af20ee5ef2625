/** Simplified groupings give the rows of the plan itself. */
import t from 'tap';
import { Prng, runToEnd } from '../../../../src/base/index.js';
import { groupShard } from '../../../../src/exec/aggregate/groups/group.js';
import { QueryRun } from '../../../../src/exec/index.js';
import { ShardOperatorStats } from '../../../../src/exec/scan/operator-stats.js';
import { ShardRows } from '../../../../src/exec/scan/shard-rows.js';
import {
  type Aggregate,
  type Expression,
  INTEGER,
  integerOf,
  type SelectPlan,
} from '../../../../src/ir/index.js';
import { finishGroups, simplifyGrouping } from '../../../../src/plan/index.js';
import { Arena } from '../../../../src/storage/index.js';
import { valueAt } from '../../../../src/vector/index.js';
import { MODULES } from '../../../exec/extract/extract-plans.js';
import { Extraction, generateEntities } from '../../../exec/extract/extraction.js';
import { columnOf, inputAt, inputOf, PLAIN, shown } from '../../../exec/scan/select-rows.js';
import { KEY } from '../../../storage/shard-model.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`seed ${SEED}`);

const SHARED = { ...PLAIN, inputs: [2, 3].map((id) => inputOf(columnOf(id))) };
const [DATE, NUMBER] = [0, 1].map((input) => inputAt(SHARED, input));
const { type: NUMBER_TYPE } = NUMBER;

const arithmetic = (operator: '+' | '-' | '*', left: Expression, right: Expression): Expression => ({
  op: 'arithmetic',
  type: left.type,
  operator,
  left,
  right,
});
const shift = (prng: Prng): Expression => ({ ...integerOf(prng.between(-9, 9)), type: NUMBER_TYPE });

function generateKey(prng: Prng): Expression {
  const operators = ['+', '-'] as const;
  return prng.pick([
    NUMBER,
    DATE,
    integerOf(prng.below(3)),
    arithmetic(prng.pick(operators), NUMBER, shift(prng)),
    arithmetic('-', shift(prng), NUMBER),
  ]);
}

function generateAggregate(prng: Prng): Aggregate {
  const shifted = prng.pick([
    NUMBER,
    arithmetic('+', NUMBER, shift(prng)),
    arithmetic('+', shift(prng), NUMBER),
    arithmetic('-', NUMBER, shift(prng)),
    arithmetic('-', shift(prng), NUMBER),
    arithmetic('+', arithmetic('+', NUMBER, shift(prng)), NUMBER),
  ]);
  const common = { feed: 'rows', fraction: null, of: shifted } as const;
  if (prng.chance(0.2)) return { ...common, function: 'count', distinct: false, type: INTEGER };
  return { ...common, function: 'sum', distinct: prng.chance(0.2), type: shifted.type };
}

function generatePlan(prng: Prng): SelectPlan {
  const keys = Array.from({ length: prng.below(5) }, () => generateKey(prng));
  const aggregates = Array.from({ length: prng.between(1, 6) }, () => generateAggregate(prng));
  const results = [...keys, ...aggregates].map(({ type }, input) => ({ op: 'input', type, input }) as const);
  const last = results[results.length - 1];
  return {
    ...SHARED,
    grouping: { keys, perEntity: false, aggregates },
    having: prng.chance(0.3)
      ? {
          op: 'compare',
          type: { type: 'boolean' },
          comparison: '>',
          left: last,
          right: { ...integerOf(3), type: last.type },
        }
      : null,
    outputs: results.map((of, index) => ({ name: String(index), type: of.type, of })),
    order: prng.chance(0.3) ? [{ of: prng.pick(results), descending: prng.chance(0.5) }] : [],
  };
}

t.test('keys and sums', async (t) => {
  const prng = new Prng(SEED);
  const extraction = new Extraction(MODULES[0][1], 2);
  extraction.insert(generateEntities(prng, 300, { idCount: 400, wide: false, density: 0.8 }));
  const scratch = new Arena(MODULES[0][1]);
  const answer = (plan: SelectPlan): string[] => {
    const partials = extraction.shards.map((shard) => {
      const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
      const dimension = shard.find(KEY);
      if (dimension === undefined) throw new Error('the shard is empty');
      const stats = new ShardOperatorStats(0, false);
      const rows = new ShardRows(dimension, plan, [], scratch, run, stats);
      const [partial] = runToEnd(groupShard(rows, plan, run, stats));
      rows.release();
      return partial;
    });
    const { columns, rowCount } = runToEnd(finishGroups(plan, partials, Number.POSITIVE_INFINITY));
    return Array.from({ length: rowCount }, (_, row) =>
      shown(columns.map((column) => valueAt(column, row))),
    ).sort();
  };
  let [fewerKeys, fewerSums] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const plan = generatePlan(prng);
    const simplified = simplifyGrouping(plan);
    const [before, after] = [plan.grouping, simplified.grouping];
    if ((after?.keys.length ?? 0) < (before?.keys.length ?? 0)) fewerKeys++;
    if (shown(after?.aggregates) !== shown(before?.aggregates)) fewerSums++;
    const [found, expected] = [shown(answer(simplified)), shown(answer(plan))];
    if (found !== expected) t.fail(`${shown(plan)}\n  returns ${found}\n  instead of ${expected}`);
  }
  t.ok(fewerKeys > 10, `${fewerKeys} plans have fewer keys`);
  t.ok(fewerSums > 10, `${fewerSums} plans have other aggregates`);
});
