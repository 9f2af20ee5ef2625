/** Without memory for groups in partitions, they are returned as they are. */
import t from 'tap';
import { NEVER_OVER } from '../../src/base/index.js';
import { QueryRun, type SelectCursor } from '../../src/exec/index.js';
import { type GroupPartial, INTEGER } from '../../src/ir/index.js';
import { planMerge, sharedMerge } from '../../src/plan/index.js';
import { PartMemory, type SelectPart } from '../../src/protocol/index.js';
import { toWire, vectorOf } from '../../src/vector/index.js';
import { GroupsCursor } from '../../src/worker/groups-cursor.js';
import { inputOf, planOf } from '../plan/select/model.js';

const GROUPS = 1_000;
const key = inputOf(0, INTEGER);
const plan = planOf({
  grouping: { keys: [key], perEntity: false, aggregates: [] },
  outputs: [{ name: 'k', type: INTEGER, of: key }],
});
const values = Array.from({ length: GROUPS }, (_, group) => BigInt(group));
const partial: GroupPartial = { groupCount: GROUPS, keys: [toWire(vectorOf(INTEGER, values))], states: [] };

/** A cursor whose source has computed `partial`. */
function cursorOf(run: QueryRun, partitionGroupsMin: number): GroupsCursor {
  const part: SelectPart = { done: true, operatorStats: [], gives: 'groups', partials: [partial] };
  const source: Pick<SelectCursor, 'countsTexts' | 'next' | 'release'> = {
    countsTexts: false,
    next: () => part,
    release: () => {},
  };
  const settings = {
    plan,
    partitionGroupsMin,
    run,
    partMemory: new PartMemory('shared', Number.POSITIVE_INFINITY),
    exchange: 'shared',
  } as const;
  return new GroupsCursor(source as SelectCursor, settings);
}

const next = (cursor: GroupsCursor): SelectPart => cursor.next(400, Number.POSITIVE_INFINITY, NEVER_OVER);

t.test('few groups, and groups without memory for a copy, are returned as they are', async (t) => {
  t.equal(next(cursorOf(new QueryRun(null, 0, 2 ** 20), GROUPS + 1)).gives, 'groups');
  const run = new QueryRun(null, 0, GROUPS * 10);
  const cursor = cursorOf(run, GROUPS);
  t.strictSame(next(cursor), { done: false, operatorStats: [], gives: 'group-count', groupCount: GROUPS });
  const part = next(cursor);
  t.equal(part.gives === 'groups' && part.partials[0], partial);
  t.equal(run.reservedBytes, 0);
});

t.test(
  'many groups are returned as ordered rows in parts, and their memory is released at the end',
  async (t) => {
    const run = new QueryRun(null, 0, 2 ** 20);
    const cursor = cursorOf(run, GROUPS);
    t.equal(next(cursor).gives, 'group-count');
    const part = next(cursor);
    if (part.gives !== 'partitions') throw new Error(part.gives);
    t.ok(run.reservedBytes >= GROUPS * 8);
    cursor.merge(part.partials, sharedMerge(planMerge(plan, GROUPS, 1)));
    const found: number[] = [];
    const counts: number[] = [];
    for (let done = false; !done; ) {
      const rows = next(cursor);
      if (rows.gives === 'nothing') continue;
      if (rows.gives !== 'columns' || rows.outputs[0].kind !== 'exact') throw new Error(rows.gives);
      found.push(...(rows.outputs[0].numbers ?? []));
      counts.push(rows.rowCount);
      done = rows.done;
    }
    t.strictSame(counts, [400, 400, 200]);
    t.strictSame(found, values.map(Number));
    cursor.release();
    t.equal(run.reservedBytes, 0);
  },
);
