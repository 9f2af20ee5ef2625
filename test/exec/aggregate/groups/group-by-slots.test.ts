/** Grouping by slots returns the same groups as the model and as row-by-row grouping. */

import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../../src/base/index.js';
import { groupShard } from '../../../../src/exec/aggregate/groups/group.js';
import { groupBySlots } from '../../../../src/exec/aggregate/groups/group-by-slots.js';
import { JoinedTable } from '../../../../src/exec/join/join-lookup.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { ShardOperatorStats } from '../../../../src/exec/scan/operator-stats.js';
import { ShardRows } from '../../../../src/exec/scan/shard-rows.js';
import type { Aggregate, Expression, GroupPartial, Join, SelectPlan } from '../../../../src/ir/index.js';
import { Arena, type Shard } from '../../../../src/storage/index.js';
import { fromWire, type Value, valueAt } from '../../../../src/vector/index.js';
import { KEY } from '../../../storage/shard-model.js';
import { COLUMNS } from '../../../storage/stored.js';
import { COUNT_ROWS } from '../../../support/aggregates.js';
import { generateCondition } from '../../condition/conditions.js';
import { MODULES } from '../../extract/extract-plans.js';
import { Extraction, type GenerateOptions, generateEntities } from '../../extract/extraction.js';
import { generateTables } from '../../scan/select-plans.js';
import {
  BOOLEAN,
  columnOf,
  ID_INPUT,
  INTEGER,
  inputAt,
  inputOf,
  joinTable,
  naiveAnswers,
  PLAIN,
  type PlainTable,
  shown,
  TEXT,
} from '../../scan/select-rows.js';
import { toEnd } from './group-oracle.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const unbounded = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

/** Booleans, dates, numbers, texts, columns joined by the texts, and columns joined by the result of that join. */
const INPUTS = [
  ...[1, 2, 3, 4].map((id) => inputOf(columnOf(id))),
  { type: TEXT, from: 'joined', join: 0, column: 0 },
  { type: INTEGER, from: 'joined', join: 0, column: 1 },
  { type: BOOLEAN, from: 'joined', join: 1, column: 0 },
] as const;
const JOINED_FROM = 4;
const SHARED = { ...PLAIN, inputs: INPUTS };

function generateKey(prng: Prng, inputEnd: number): Expression {
  const of = inputAt(SHARED, prng.below(inputEnd));
  const kind = prng.below(3);
  if (kind === 0) return { op: 'is-null', type: BOOLEAN, of, negated: prng.chance(0.5) };
  if (kind === 1 && of.type.type === 'decimal') {
    const right: Expression = { op: 'constant', type: of.type, value: BigInt(prng.between(-50, 50)) };
    return { op: 'compare', type: BOOLEAN, comparison: prng.pick(['<', '=']), left: of, right };
  }
  return of;
}

function generateFilter(prng: Prng, inputEnd: number): Expression | null {
  const part = (): Expression => {
    const key = generateKey(prng, inputEnd);
    return key.type.type === 'boolean' ? key : { op: 'is-null', type: BOOLEAN, of: key, negated: true };
  };
  if (prng.chance(0.5)) return null;
  return prng.chance(0.5) ? part() : { op: 'and', type: BOOLEAN, members: [part(), part()] };
}

function generateAggregate(prng: Prng): Aggregate {
  const common = { distinct: false, feed: 'rows', fraction: null } as const;
  const which = prng.below(3);
  if (which === 0) return { ...common, function: 'count', of: null, type: INTEGER };
  if (which === 1) return { ...common, function: 'count', of: inputAt(SHARED, prng.below(4)), type: INTEGER };
  const name = prng.pick(['sum', 'avg', 'min', 'max'] as const);
  const of = inputAt(SHARED, name === 'min' || name === 'max' ? prng.pick([1, 2]) : 2);
  return { ...common, function: name, of, type: of.type };
}

function generatePlan(prng: Prng): SelectPlan {
  const joinCount = prng.below(3);
  const inputEnd = JOINED_FROM + [0, 2, 3][joinCount];
  const join = (on: number): Join => ({
    dimensionId: 9,
    condition: null,
    kind: prng.pick(['inner', 'left']),
    on: inputAt(SHARED, on),
    columns: [],
  });
  return {
    ...SHARED,
    inputs: INPUTS.slice(0, inputEnd),
    condition: prng.chance(0.5)
      ? generateCondition(prng, { columns: COLUMNS, idCount: 400, textCount: 30, depth: 2 })
      : null,
    filter: generateFilter(prng, inputEnd),
    joins: [join(3), join(JOINED_FROM)].slice(0, joinCount),
    grouping: {
      keys: Array.from({ length: prng.below(4) }, () => generateKey(prng, inputEnd)),
      perEntity: false,
      aggregates: Array.from({ length: prng.between(1, 4) }, () => generateAggregate(prng)),
    },
  };
}

/** The aggregates of each group, by the text of its keys. */
type PlainGroups = Map<string, string>;

function naiveGroups(extraction: Extraction, plan: SelectPlan, tables: readonly PlainTable[]): PlainGroups {
  const { keys, aggregates } = plan.grouping as NonNullable<SelectPlan['grouping']>;
  const operands = aggregates.map(({ of }) => of ?? keys[0] ?? inputAt(plan, 0));
  const outputs = [...keys, ...operands].map((of) => ({ name: '', type: of.type, of }));
  const groups = new Map<string, Value[][]>(keys.length === 0 ? [['[]', []]] : []);
  for (const { outputs: row } of naiveAnswers(extraction.entities, { ...plan, outputs }, tables)) {
    const key = shown(row.slice(0, keys.length));
    groups.set(key, [...(groups.get(key) ?? []), row.slice(keys.length)]);
  }
  const actual = new Map<string, string>();
  for (const [key, rows] of groups) {
    const states = aggregates.map(({ function: name, of }, at) => {
      const values = rows.map((row) => row[at]).filter((value) => of === null || value !== null);
      if (name === 'count') return [values.length];
      if (name === 'min' || name === 'max') return [extreme(name, values as bigint[])];
      return [values.length, values.reduce((sum: bigint, value) => sum + (value as bigint), 0n)];
    });
    actual.set(key, shown(states));
  }
  return actual;
}

function extreme(name: 'min' | 'max', values: readonly bigint[]): bigint | null {
  if (values.length === 0) return null;
  return values.reduce((best, value) => ((name === 'min' ? value < best : value > best) ? value : best));
}

type States = (number | bigint | null)[][];

/** Adds the groups of a shard to the groups of other shards. */
function addGroups(actual: Map<string, States>, partial: GroupPartial, plan: SelectPlan): void {
  const keys = partial.keys.map(fromWire);
  for (let group = 0; group < partial.groupCount; group++) {
    const key = shown(keys.map((vector) => valueAt(vector, group)));
    const before = actual.get(key);
    const added = partial.states.map((state, at) => {
      const stored = before?.[at];
      switch (state.holds) {
        case 'count':
          return [state.counts[group] + Number(stored?.[0] ?? 0)];
        case 'sum': {
          const sum = valueAt(fromWire(state.sums), group) as bigint;
          return [state.counts[group] + Number(stored?.[0] ?? 0), sum + BigInt(stored?.[1] ?? 0n)];
        }
        case 'extreme': {
          const values = [valueAt(fromWire(state.values), group), stored?.[0] ?? null];
          const name = plan.grouping?.aggregates[at].function as 'min' | 'max';
          return [
            extreme(
              name,
              values.filter((value) => typeof value === 'bigint'),
            ),
          ];
        }
        default:
          throw new Error(`unexpected state ${state.holds}`);
      }
    });
    actual.set(key, added);
  }
}

/** null: grouping by slots does not apply to some shard. */
function slotGroups(
  shards: readonly Shard[],
  plan: SelectPlan,
  tables: readonly JoinedTable[],
  scratch: Arena,
): PlainGroups | null {
  const actual = new Map<string, States>();
  for (const shard of shards) {
    const dimension = shard.find(KEY);
    if (dimension === undefined) continue;
    const run = unbounded();
    const partial = groupBySlots({ dimension, plan, tables, scratch }, run, new ShardOperatorStats(0, false));
    if (partial === null) return null;
    addGroups(actual, partial, plan);
  }
  return new Map([...actual].map(([key, states]) => [key, shown(states)]));
}

const sorted = (actual: PlainGroups): [string, string][] => [...actual].sort(([a], [b]) => (a < b ? -1 : 1));

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: groups equal the model`, async (t) => {
    const prng = new Prng(SEED);
    const options: GenerateOptions = { idCount: 400, wide: false, density: 0.5 };
    const extraction = new Extraction(module, 2, { compactionDeadMin: 1_000 });
    const scratch = new Arena(module);
    const wrong: string[] = [];
    let bySlots = 0;
    for (let round = 0; round < 4; round++) {
      extraction.insert(generateEntities(prng, 300, options));
      if (round > 1) extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
      const texts = [...extraction.entities.values()].flatMap(({ attributes }) => {
        const text = attributes.get(4);
        return typeof text === 'string' ? [text] : [];
      });
      for (let requested = 0; requested < 60; requested++) {
        const plan = generatePlan(prng);
        const plain = generateTables(prng, texts).slice(0, plan.joins.length);
        const memory = unbounded().child();
        const tables = plain.map((table) => new JoinedTable(joinTable(table), memory));
        const found = slotGroups(extraction.shards, plan, tables, scratch);
        if (found === null) continue;
        bySlots++;
        const [got, wanted] = [sorted(found), sorted(naiveGroups(extraction, plan, plain))];
        if (shown(got) !== shown(wanted)) {
          wrong.push(`${shown(plan)}\n  returns ${shown(got)}\n  instead of ${shown(wanted)}`);
        }
      }
    }
    t.strictSame(wrong.slice(0, 2), [], `${wrong.length} of ${bySlots} differ`);
    t.ok(bySlots > 60, `${bySlots} of 240 were grouped by slots`);
  });
}

const BY_TEXT = {
  ...SHARED,
  inputs: [inputOf(columnOf(4)), inputOf(columnOf(3)), ID_INPUT],
};
t.test(
  'grouping by slots is not used for expressions of several columns, many values or wide numbers',
  async (t) => {
    const extraction = new Extraction(null, 1);
    extraction.insert(generateEntities(new Prng(SEED), 300, { idCount: 400, wide: true, density: 0.9 }));
    const scratch = new Arena(null);
    const [shard] = extraction.shards;
    const dimension = shard.find(KEY);
    if (dimension === undefined) throw new Error('the shard is empty');
    const [text, wide, id] = [0, 1, 2].map((input) => inputAt(BY_TEXT, input));
    const goes = (keys: readonly Expression[], aggregates: readonly Aggregate[], more = {}): boolean => {
      const plan = { ...BY_TEXT, grouping: { keys, perEntity: false, aggregates }, ...more };
      const source = { dimension, plan, tables: [], scratch };
      return groupBySlots(source, unbounded(), new ShardOperatorStats(0, false)) !== null;
    };
    const sum: Aggregate = { ...COUNT_ROWS, function: 'sum', of: wide, type: wide.type };
    t.equal(goes([text], [COUNT_ROWS]), true);
    t.equal(goes([text], [{ ...COUNT_ROWS, of: wide }]), true, 'values of any kind are counted');
    t.equal(goes([text], [sum]), false, 'sums of eight-byte integers may overflow');
    t.equal(goes([id], [COUNT_ROWS]), false, 'entity IDs are not stored values');
    t.equal(
      goes([text], [{ ...sum, function: 'max' }]),
      false,
      'extremes of eight-byte integers are not supported',
    );
    t.equal(goes([wide], [COUNT_ROWS]), false, 'too many values');
    t.equal(goes([], [COUNT_ROWS]), false, 'no key depends on a column');
    t.equal(goes([text], [{ ...COUNT_ROWS, of: text, distinct: true }]), false);
    t.equal(goes([text], [{ ...COUNT_ROWS, feed: 'entities' }]), false);
    const filter: Expression = { op: 'is-null', type: BOOLEAN, of: id, negated: true };
    t.equal(goes([text], [COUNT_ROWS], { filter }), false, 'a filter of rows');
  },
);

t.test('grouping by slots is used for many values only if they give few groups', async (t) => {
  const number = columnOf(3);
  const plan = { ...PLAIN, inputs: [inputOf(number)] };
  const key = inputAt(plan, 0);
  const isMissing: Expression = { op: 'is-null', type: BOOLEAN, of: key, negated: false };
  for (const [valueCount, few, many] of [
    [16_000, true, true],
    [17_000, true, false],
  ] as const) {
    const extraction = new Extraction(null, 1);
    extraction.insert(
      Array.from({ length: 40_000 }, (_, at) => ({
        id: `entity-${at}`,
        fields: [{ column: number, latest: BigInt(at % valueCount) }],
      })),
    );
    const dimension = extraction.shards[0].find(KEY);
    if (dimension === undefined) throw new Error('the shard is empty');
    const groupCountBy = (of: Expression): number | null => {
      const grouping = { keys: [of], perEntity: false, aggregates: [COUNT_ROWS] };
      const source = { dimension, plan: { ...plan, grouping }, tables: [], scratch: new Arena(null) };
      return groupBySlots(source, unbounded(), new ShardOperatorStats(0, false))?.groupCount ?? null;
    };
    t.equal(groupCountBy(isMissing), few ? 1 : null, `${valueCount} values, one group`);
    t.equal(groupCountBy(key), many ? valueCount : null, `${valueCount} values and groups`);
  }
});

t.test('several segments and arenas are summed, and all memory is released', async (t) => {
  const extraction = new Extraction(null, 1);
  const options = { idCount: 1_000_000, wide: false, density: 0.9 };
  for (let from = 0; extraction.entities.size < SEGMENT_ROWS_MAX + 2_000; from++) {
    extraction.insert(generateEntities(new Prng(from), 5_000, options));
  }
  const [shard] = extraction.shards;
  const dimension = shard.find(KEY);
  if (dimension === undefined) throw new Error('the shard is empty');
  t.ok(dimension.segments.length > 1, `${dimension.segments.length} segments`);
  const [text, number] = [inputAt(BY_TEXT, 0), inputAt(BY_TEXT, 1)];
  const sum: Aggregate = { ...COUNT_ROWS, function: 'sum', of: number, type: number.type };
  const plan = { ...BY_TEXT, grouping: { keys: [text], perEntity: false, aggregates: [COUNT_ROWS, sum] } };
  const scratch = new Arena(null);
  const run = unbounded();
  const partial = groupBySlots(
    { dimension, plan, tables: [], scratch },
    run,
    new ShardOperatorStats(0, false),
  );
  if (partial === null) throw new Error('grouping by slots does not apply');
  const actual = new Map<string, States>();
  addGroups(actual, partial, plan);
  const found = new Map([...actual].map(([key, states]) => [key, shown(states)]));
  t.strictSame(sorted(found), sorted(naiveGroups(extraction, plan, [])));
  const byRow = unbounded();
  const rows = new ShardRows(dimension, plan, [], scratch, byRow, new ShardOperatorStats(0, false));
  const same = new Map<string, States>();
  addGroups(same, toEnd(groupShard(rows, plan, byRow, new ShardOperatorStats(0, false)))[0], plan);
  rows.release();
  t.strictSame(same, actual, 'row-by-row grouping returns the same groups');
  t.equal(run.reservedBytes, byRow.reservedBytes, 'only the memory of the result stays reserved');
  const arena = dimension.segments[0].arena;
  const first = arena.reserveTemporary(64);
  arena.releaseTemporary();
  const again = arena.reserveTemporary(64);
  arena.releaseTemporary();
  t.equal(first, again);
});
