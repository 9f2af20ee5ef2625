/** Compares recursive relations with plain loops over graphs. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { joinRows } from '../../../src/exec/join/join.js';
import { filterRows } from '../../../src/exec/relation/filter.js';
import { valuesRows } from '../../../src/exec/relation/values.js';
import {
  type RecursionLimits,
  recursiveRows,
  type WorkingRows,
  workingRows,
} from '../../../src/exec/set/recursive.js';
import { constantOf, INTEGER, type RelationColumn, type RelationOf, TEXT } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { difference, shownRow, shownRows } from '../relation/tables.js';

const SEED = 90_210;
t.comment(`seed ${SEED}`);

const column = (number: number, type = INTEGER): RelationColumn => ({ column: number, type });
const values = (columns: readonly RelationColumn[], rows: readonly (readonly Value[])[]) =>
  ({ op: 'values', columns, rows }) as const;

/** The names of the nodes that are reached from node 0; each round follows one more edge. */
function reached(edges: readonly (readonly [Value, Value])[], all: boolean, run: QueryRun): string[] {
  const first = values([column(0), column(1, TEXT)], [[0n, 'node 0']]);
  const target = column(5, TEXT);
  const edge = values(
    [column(3), column(4), target],
    edges.map(([from, to]) => [from, to, to === null ? null : `node ${to}`]),
  );
  const working = [column(6), column(7, TEXT)];
  const join: RelationOf<'join'> = {
    ...{ op: 'join', kind: 'inner', left: edge, right: { op: 'working', recursion: 0, columns: working } },
    keys: [{ left: 3, right: 6, nullsEqual: false }],
    ...{ condition: null, mark: null },
  };
  const relation: RelationOf<'recursive'> = {
    ...{ op: 'recursive', recursion: 0, all, left: first, right: join },
    columns: [
      { ...column(10), left: 0, right: 4 },
      { ...column(11, TEXT), left: 1, right: 5 },
    ],
  };
  const rounds = (rows: WorkingRows) =>
    joinRows(valuesRows(edge, run), workingRows(working, rows), join, run);
  const found = shownRows(recursiveRows(valuesRows(first, run), rounds, relation, run));
  t.equal(run.reservedBytes, 0);
  return found;
}

const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

t.test('without ALL each row is returned once, in whatever rounds it is found', async (t) => {
  const prng = new Prng(SEED);
  for (const nodeCount of [1, 5, 300, 3_000]) {
    const node = (): bigint => BigInt(prng.below(nodeCount));
    const edges = Array.from(
      { length: nodeCount * 2 },
      () => [node(), prng.chance(0.1) ? null : node()] as const,
    );
    const seen = new Set<Value>([0n]);
    const open: Value[] = [0n];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const [own, to] of edges) {
        if (own !== from || from === null || seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    }
    const expected = [...seen].map((to) => shownRow([to, to === null ? null : `node ${to}`])).sort();
    t.equal(difference(reached(edges, false, unlimited()).sort(), expected), '', `${nodeCount} nodes`);
  }
});

t.test('with ALL a row is returned for every path that leads to it', async (t) => {
  const edges = [0n, 1n, 2n].flatMap((from) => [[from, from + 1n] as const, [from, from + 1n] as const]);
  const counts = [1, 2, 4, 8];
  const expected = counts.flatMap((count, node) =>
    new Array(count).fill(shownRow([BigInt(node), `node ${node}`])),
  );
  t.strictSame(reached(edges, true, unlimited()), expected);
});

t.test('rows that exceed the memory end the query', async (t) => {
  const edges = [[0n, 0n] as const, [0n, 0n] as const];
  t.throws(() => reached(edges, true, new QueryRun(null, 0, 1_000_000)), { code: 9006 });
});

t.test('a query without an end is stopped by its number of rounds or rows', async (t) => {
  const one = values([column(0)], [[1n]]);
  const working = [column(1)];
  const filter: RelationOf<'filter'> = {
    ...{ op: 'filter', input: { op: 'working', recursion: 0, columns: working } },
    condition: constantOf({ type: 'boolean' }, true),
  };
  const relation: RelationOf<'recursive'> = {
    ...{ op: 'recursive', recursion: 0, all: true, left: one, right: filter },
    columns: [{ ...column(2), left: 0, right: 1 }],
  };
  const run = unlimited();
  const rounds = (rows: WorkingRows) => filterRows(workingRows(working, rows), filter, run);
  const read = (limits: RecursionLimits): void => {
    const operator = recursiveRows(valuesRows(one, run), rounds, relation, run, limits);
    for (const batch of operator.batches()) void batch;
  };
  t.throws(() => read({ rounds: 500, rows: 1_000 }), { code: 6000, message: /not ended after 500 rounds/ });
  t.throws(() => read({ rounds: 2_000, rows: 1_000 }), { code: 6000, message: /not ended after 1000 rows/ });
  t.equal(run.reservedBytes, 0);
});
