/** Queries of relational operators in a complete engine: stages, versions, limits and parts. */
import t, { type Test } from 'tap';
import type { Json } from '../../../src/api/index.js';
import { type Cancellation, Prng } from '../../../src/base/index.js';
import type { EngineOptions } from '../../../src/engine/index.js';
import { type CreateWorkerClient, WorkerClient } from '../../../src/engine/workers/worker-client.js';
import { INTEGER, type RelationPlan, TEXT } from '../../../src/ir/index.js';
import type { WorkerOp } from '../../../src/protocol/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { unsharedClients } from '../../support/unshared-client.js';
import {
  answerOf,
  compare,
  constant,
  difference,
  type Named,
  RelationBuilder,
  read,
  relationRows,
  resultOf,
  sortedLines,
} from '../relation-store.js';
import { COLUMNS, rowsOf } from '../select-store.js';
import { copyDir, makeDir, QUERY_OPTIONS, TestStore, workerFile } from '../store.js';
import { codeOf, untilBack, watchThreads, workerWith } from '../threads.js';

const SEED = 1_911;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

interface Person {
  readonly id: string;
  readonly n: number | null;
  readonly word: string | null;
}

const WORDS = 40;
const PEOPLE = 6_000;

/** People, some of whom have no number or word. */
const people: readonly Person[] = (() => {
  const prng = new Prng(SEED);
  return Array.from({ length: PEOPLE }, (_, index) => {
    const n = prng.chance(0.9) ? prng.between(-50, 50) : null;
    const word = n === null || prng.chance(0.9) ? `e${prng.below(WORDS)}` : null;
    return { id: `e${index}`, n, word };
  });
})();

const bodyOf = ({ n, word }: Person): Json =>
  jsonObject({ ...(n === null ? {} : { n: num(n) }), ...(word === null ? {} : { word }) });

async function fillPeople(store: TestStore): Promise<void> {
  await store.createColumns(COLUMNS);
  for (let from = 0; from < people.length; from += 1_000) {
    const part = people.slice(from, from + 1_000).map((person) => [person.id, bodyOf(person)] as const);
    await store.insert(jsonObject(Object.fromEntries(part)));
  }
}

/** Folders of stores with the people, by number of workers and shards. */
const dirs = new Map<string, string>();
async function openPeople(
  t: Test,
  [workerCount, shardCount]: readonly [number, number],
  options: Partial<EngineOptions> = {},
): Promise<TestStore> {
  const key = `${workerCount} ${shardCount}`;
  let dir = dirs.get(key);
  if (dir === undefined) {
    dir = makeDir(globalTest);
    dirs.set(key, dir);
    const store = await TestStore.open(t, dir, { workerCount, shardCount });
    await fillPeople(store);
    await store.close();
  }
  return TestStore.open(t, copyDir(t, dir), { workerCount, shardCount, ...options });
}
const globalTest = t as Test;

const ALL = 'SELECT [entity-id] AS id, n, word FROM [default]';

interface Case {
  readonly name: string;
  readonly of: (builder: RelationBuilder) => RelationPlan;
  readonly wanted: () => Iterable<object>;
}

const byId = new Map(people.map((person) => [person.id, person]));

function grouped(rows: readonly Person[]): object[] {
  const groups = new Map<string | null, { count: number; sum: number | null; words: Set<number> }>();
  for (const { n, word } of rows) {
    const group = groups.get(word) ?? { count: 0, sum: null, words: new Set<number>() };
    groups.set(word, group);
    group.count++;
    if (n === null) continue;
    group.sum = (group.sum ?? 0) + n;
    group.words.add(n);
  }
  return [...groups].map(([word, { count, sum, words }]) => ({ word, c: count, s: sum, d: words.size }));
}

/** By number, people without a number last, then by ID. */
const ordered: readonly Person[] = (() => {
  const key = ({ n }: Person): number => n ?? Number.POSITIVE_INFINITY;
  return [...people].sort((a, b) => (a.n === b.n ? (a.id < b.id ? -1 : 1) : key(a) - key(b)));
})();

const COUNTED = { c: ['count', ''], s: ['sum', 'n'], d: ['count', 'n', true] } as const;

const positive = (builder: RelationBuilder, named: Named): Named =>
  builder.filter(named, compare(read(named.columns.n), '>', constant(INTEGER, 0n)));

const CASES: readonly Case[] = [
  {
    name: 'a scan',
    of: (builder) => builder.plan(builder.scan(ALL)),
    wanted: () => people,
  },
  {
    name: 'a filter and a projection over a scan',
    of: (builder) => {
      const rows = positive(builder, builder.scan(`${ALL} WHERE word LIKE 'e1%'`));
      const { id, n } = rows.columns;
      const twice = {
        op: 'arithmetic',
        type: INTEGER,
        operator: '+',
        left: read(n),
        right: read(n),
      } as const;
      return builder.plan(builder.project(rows, { id: read(id), twice }));
    },
    wanted: () =>
      people
        .filter(({ n, word }) => n !== null && n > 0 && word?.startsWith('e1') === true)
        .map(({ id, n }) => ({ id, twice: (n as number) * 2 })),
  },
  {
    name: 'a union of two scans',
    of: (builder) => builder.plan(builder.union(builder.scan(ALL), positive(builder, builder.scan(ALL)))),
    wanted: () => [...people, ...people.filter(({ n }) => n !== null && n > 0)],
  },
  {
    name: 'groups of a union',
    of: (builder) => {
      const rows = builder.union(builder.scan(ALL), positive(builder, builder.scan(ALL)));
      return builder.plan(builder.aggregate(rows, ['word'], COUNTED));
    },
    wanted: () => grouped([...people, ...people.filter(({ n }) => n !== null && n > 0)]),
  },
  {
    name: 'groups of groups',
    of: (builder) => {
      const inner = builder.aggregate(builder.scan(ALL), ['word'], COUNTED);
      return builder.plan(builder.aggregate(inner, [], { groups: ['count', ''], most: ['max', 'c'] }));
    },
    wanted: () => {
      const counts = grouped(people).map((group) => (group as { c: number }).c);
      return [{ groups: counts.length, most: Math.max(...counts) }];
    },
  },
  {
    name: 'one group without rows',
    of: (builder) => {
      const none = builder.scan(`${ALL} WHERE n > 1000`);
      return builder.plan(builder.aggregate(none, [], { c: ['count', ''], s: ['sum', 'n'] }));
    },
    wanted: () => [{ c: 0, s: null }],
  },
  {
    name: 'no rows',
    of: (builder) => builder.plan(builder.scan(`${ALL} WHERE n > 1000`)),
    wanted: () => [],
  },
  {
    name: 'distinct words of a SELECT with a limit',
    of: (builder) => {
      const first = builder.scan(`${ALL} ORDER BY n, [entity-id] LIMIT 100 OFFSET 5`);
      return builder.plan(builder.aggregate(first, ['word'], {}));
    },
    wanted: () => [...new Set(ordered.slice(5, 105).map(({ word }) => word))].map((word) => ({ word })),
  },
  {
    name: 'the first rows of a union in order',
    of: (builder) => {
      const rows = builder.union(builder.scan(`${ALL} WHERE n > 10`), builder.scan(`${ALL} WHERE n <= 10`));
      return builder.plan(builder.sort(rows, ['n', 'id'], 7, 1_000));
    },
    wanted: () => ordered.filter(({ n }) => n !== null).slice(7, 1_007),
  },
  {
    name: 'numbers of rows by word',
    of: (builder) => builder.plan(builder.rowNumber(builder.scan(ALL), ['word'], ['n', 'id'])),
    wanted: () => {
      const counts = new Map<string | null, number>();
      return ordered.map((person) => {
        const number = (counts.get(person.word) ?? 0) + 1;
        counts.set(person.word, number);
        return { ...person, number };
      });
    },
  },
  {
    name: 'a join of two scans',
    of: (builder) => {
      const [left, right] = [builder.scan(ALL), builder.scan(ALL)];
      return builder.plan(builder.join('left', left, right, [['word', 'id']]));
    },
    wanted: () =>
      people.map(({ id, n, word }) => {
        const other = word === null ? undefined : byId.get(word);
        return {
          ...{ id, n, word },
          b_id: other?.id ?? null,
          b_n: other?.n ?? null,
          b_word: other?.word ?? null,
        };
      }),
  },
  {
    name: 'a shared table that is read twice',
    of: (builder) => {
      const table = builder.aggregate(builder.scan(ALL), ['word'], COUNTED);
      const [left, right] = [builder.shared(0, table), builder.shared(0, table)];
      const joined = builder.join('inner', left, right, [['word', 'word']]);
      const named = builder.project(joined, {
        word: read(joined.columns.word),
        c: read(joined.columns.b_c),
        s: read(joined.columns.s),
        d: read(joined.columns.b_d),
      });
      return builder.plan(named, [table.relation]);
    },
    wanted: () => grouped(people.filter(({ word }) => word !== null)),
  },
  {
    name: 'constants joined with a scan',
    of: (builder) => {
      const [word, weight] = [builder.column(TEXT), builder.column(INTEGER)];
      const rows = [
        ['e1', 10n],
        ['e2', 20n],
      ] as const;
      const values: Named = {
        relation: { op: 'values', columns: [word, weight], rows },
        columns: { word, weight },
      };
      return builder.plan(builder.join('semi', builder.scan(ALL), values, [['word', 'word']]));
    },
    wanted: () => people.filter(({ word }) => word === 'e1' || word === 'e2'),
  },
  {
    name: 'constants alone',
    of: (builder) => {
      const word = builder.column(TEXT);
      return builder.plan({
        relation: { op: 'values', columns: [word], rows: [['a'], [null]] },
        columns: { word },
      });
    },
    wanted: () => [{ word: 'a' }, { word: null }],
  },
];

async function compareAll(t: Test, store: TestStore): Promise<void> {
  for (const { name, of, wanted } of CASES) {
    const rows = await relationRows(store, of(new RelationBuilder(store)));
    t.equal(difference(sortedLines(rows), sortedLines(wanted())), '', name);
  }
}

t.test('answers equal those of plain code, whatever the number of workers and shards', async (t) => {
  for (const counts of [
    [1, 1],
    [2, 3],
    [3, 3],
  ] as const) {
    await t.test(`${counts[0]} workers, ${counts[1]} shards`, async (t) => {
      await compareAll(t, await openPeople(t, counts));
    });
  }
});

t.test('answers do not depend on the slices, and formats have the same rows', async (t) => {
  const store = await openPeople(t, [2, 3], { firstSliceMs: 0, sliceMs: 1e-9 });
  await compareAll(t, store);
  for (const { name, of, wanted } of CASES) {
    const plan = of(new RelationBuilder(store));
    const lines = (await answerOf(store, plan, 'ndjson')).split('\n').filter((line) => line !== '');
    t.equal(difference(lines.sort(), sortedLines(wanted())), '', `lines of ${name}`);
    const csv = await answerOf(store, plan, 'csv');
    t.equal(csv.split('\r\n').length, [...wanted()].length + 2, `CSV of ${name}`);
  }
});

t.test('with bytes, no message has shared memory, and the answers are the same', async (t) => {
  const found = { shared: [] as string[], bytes: [] as string[] };
  for (const exchange of ['shared', 'bytes'] as const) {
    const ops = new Set<WorkerOp>();
    const createWorkerClient = unsharedClients(workerFile, found[exchange], ops);
    const store = await openPeople(t, [2, 3], { exchange, partitionGroupsMin: 1, createWorkerClient });
    await compareAll(t, store);
    await store.close();
    t.ok(ops.has('stage-rows'), 'rows are sent');
    t.ok(ops.has(exchange === 'shared' ? 'select-merge' : 'select-groups'), 'groups are sent');
  }
  t.ok(found.shared.length > 0, 'shared memory is found');
  t.strictSame(found.bytes, []);
});

t.test('rows as bytes that need too much memory are refused, and the engine continues', async (t) => {
  const store = await openPeople(t, [2, 3], { exchange: 'bytes', queryBytesMax: 200_000 });
  t.equal(await codeOf(relationRows(store, pairs(store))), 9006);
  const builder = new RelationBuilder(store);
  const count = builder.aggregate(builder.scan(ALL), [], { c: ['count', ''] });
  t.strictSame(await relationRows(store, builder.plan(count)), [{ c: PEOPLE }]);
});

t.test('all stages of a query read one version', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
  await store.createColumns(COLUMNS);
  const accounts = 300;
  const bodyAt = (n: number): Json =>
    jsonObject(
      Object.fromEntries(
        Array.from({ length: accounts }, (_, index) => [`a${index}`, jsonObject({ n: num(n), word: `w` })]),
      ),
    );
  await store.insert(bodyAt(0));
  let running = true;
  let writes = 0;
  const writing = (async () => {
    while (running) await store.insert(bodyAt(++writes));
  })();
  const builder = new RelationBuilder(store);
  const [left, right] = [builder.scan(ALL), builder.scan(ALL)];
  const joined = builder.join('inner', left, right, [['id', 'id']]);
  const { n, b_n } = joined.columns;
  const different = builder.filter(joined, compare(read(n), '<>', read(b_n)));
  const mismatches = builder.plan(builder.aggregate(different, [], { c: ['count', ''] }));
  const versions = builder.aggregate(builder.union(builder.scan(ALL), builder.scan(ALL)), ['n'], {
    c: ['count', ''],
  });
  for (let round = 0; round < 40; round++) {
    t.strictSame(await relationRows(store, mismatches), [{ c: 0 }], `round ${round}`);
    const [{ c }] = await relationRows(store, builder.plan(versions));
    t.equal(c, accounts * 2);
  }
  running = false;
  await writing;
  t.ok(writes > 5, `${writes} writes`);
});

/** The rows of words, each joined with the people who have that word: many more rows than people. */
function pairs(store: TestStore): RelationPlan {
  const builder = new RelationBuilder(store);
  const [left, right] = [builder.scan(ALL), builder.scan(ALL)];
  return builder.plan(builder.join('inner', left, right, [['word', 'word']]));
}

const pairCount = [
  ...people
    .reduce(
      (counts, { word }) => (word === null ? counts : counts.set(word, (counts.get(word) ?? 0) + 1)),
      new Map<string, number>(),
    )
    .values(),
].reduce((sum, count) => sum + count * count, 0);

t.test('many rows are sent in parts, in little memory of the main thread', async (t) => {
  const store = await openPeople(t, [2, 3], { queryBytesMax: 48 * 2 ** 20 });
  const { parts, rowCount } = store.engine.select(
    [{ plan: pairs(store), explain: 'no' }],
    'ndjson',
    QUERY_OPTIONS,
  );
  let lines = 0;
  let partCount = 0;
  for await (const part of parts) {
    partCount++;
    for (const byte of part) if (byte === 10) lines++;
  }
  t.equal(lines, pairCount);
  t.equal(rowCount?.(), pairCount);
  t.ok(partCount > 10, `${partCount} parts`);
});

t.test('a query that needs too much memory is refused, and the engine continues', async (t) => {
  const store = await openPeople(t, [2, 3], { queryBytesMax: 200_000 });
  t.equal(await codeOf(relationRows(store, pairs(store))), 9006);
  const builder = new RelationBuilder(store);
  const count = builder.aggregate(builder.scan(ALL), [], { c: ['count', ''] });
  t.strictSame(await relationRows(store, builder.plan(count)), [{ c: PEOPLE }]);
});

/** Worker clients that call an observer before each request. */
const watched =
  (watch: (op: WorkerOp, worker: number) => void): CreateWorkerClient =>
  (start, onDown) => {
    const worker = new WorkerClient(workerFile, start, onDown);
    const send: WorkerClient['send'] = (op, request) => {
      watch(op, start.workerIndex);
      return worker.send(op, request);
    };
    return workerWith(worker, send);
  };

for (const exchange of ['shared', 'bytes'] as const) {
  t.test(`a query is cancelled within a slice (${exchange})`, async (t) => {
    // The join would take days, and a worker leaves a slice for nothing else.
    const store = await openPeople(t, [2, 3], { exchange, firstSliceMs: 1e9, sliceMs: 1e9 });
    const builder = new RelationBuilder(store);
    const twice = builder.join('inner', builder.scan(ALL), builder.scan(ALL), []);
    const all = builder.join('inner', twice, builder.scan(ALL), []);
    const plan = builder.plan(builder.aggregate(all, [], { c: ['count', ''] }));
    let cancel = (): void => {};
    const cancellation: Cancellation = {
      isCancelled: false,
      onCancel: (act) => {
        cancel = act ?? ((): void => {});
      },
    };
    const code = codeOf(relationRows(store, plan, { ...QUERY_OPTIONS, cancellation }));
    setTimeout(() => cancel(), 300);
    t.equal(await code, 9005);
    t.equal(await store.total(), PEOPLE, 'all workers answer');
  });
}

t.test('a cancelled query ends on all workers and leaves the barrier', async (t) => {
  let cancel = (): void => {};
  let slices = 0;
  const store = await openPeople(t, [2, 3], {
    ...{ firstSliceMs: 0, sliceMs: 1e-9 },
    createWorkerClient: watched((op) => {
      if (op === 'select-next' && ++slices === 20) cancel();
    }),
  });
  // More rounds than concurrency slots.
  for (let round = 0; round < 6; round++) {
    slices = 0;
    const cancellation: Cancellation = {
      isCancelled: false,
      onCancel: (act) => {
        cancel = act ?? ((): void => {});
      },
    };
    const options = { ...QUERY_OPTIONS, cancellation };
    t.equal(await codeOf(relationRows(store, pairs(store), options)), 9005);
    cancel = () => {};
    await store.insert(jsonObject({ [`z${round}`]: jsonObject({ n: num(1) }) }));
    t.equal(await store.total(), PEOPLE + round + 1);
  }
});

t.test('a query on a worker that ends is refused, and answered after the rebuild', async (t) => {
  const threads = watchThreads(t);
  for (const at of ['stage-rows', 'stage-begin', 'select-next'] as const) {
    let armed = true;
    const store = await openPeople(t, [2, 3], {
      createWorkerClient: watched((op) => {
        if (!armed || op !== at) return;
        armed = false;
        [...threads].at(-1)?.terminate();
      }),
    });
    const [case_] = CASES.filter(({ name }) => name === 'a join of two scans');
    const plan = case_.of(new RelationBuilder(store));
    t.equal(await codeOf(relationRows(store, plan)), 9004, at);
    await untilBack(store);
    const rows = await relationRows(store, plan);
    t.equal(difference(sortedLines(rows), sortedLines(case_.wanted())), '', at);
    await store.close();
  }
});

t.test('the answer has the requested order, also with many rows', async (t) => {
  const store = await openPeople(t, [2, 3]);
  const builder = new RelationBuilder(store);
  const left = builder.union(builder.scan(ALL), builder.scan(`${ALL} WHERE n > 1000`));
  for (const limit of [10, null]) {
    const rows = await relationRows(store, builder.plan(builder.sort(left, ['n', 'id'], 3, limit)));
    const wanted = ordered.slice(3, limit === null ? undefined : 3 + limit);
    const lines = [rows, wanted].map((list) => list.map((row) => JSON.stringify(row)));
    t.equal(difference(lines[0], lines[1]), '', `limit ${limit}`);
  }
});

t.test('a stage in one location runs outside the write barrier', async (t) => {
  let barrierIsOpen: Promise<unknown> | null = null;
  let free = 0;
  let store: TestStore | null = null;
  store = await openPeople(t, [2, 3], {
    ...{ firstSliceMs: 0, sliceMs: 1e-9 },
    createWorkerClient: watched((op) => {
      if (op === 'stage-begin' && ++free === 5) {
        // The last stage: the first ones ran on both workers, once in one slice and once inside the barrier.
        barrierIsOpen = store?.insert(jsonObject({ late: jsonObject({ n: num(1) }) })) ?? null;
      }
    }),
  });
  const builder = new RelationBuilder(store);
  const inner = builder.aggregate(builder.union(builder.scan(ALL), builder.scan(ALL)), ['word'], COUNTED);
  const outer = builder.aggregate(inner, [], { groups: ['count', ''] });
  const [{ groups }] = await relationRows(store, builder.plan(outer));
  t.equal(groups, grouped(people).length);
  t.equal(free, 5);
  await barrierIsOpen;
  t.equal(await store.total(), PEOPLE + 1);
});

t.test('several statements of any kind are answered together', async (t) => {
  const store = await openPeople(t, [2, 3]);
  const builder = new RelationBuilder(store);
  const plan = builder.plan(builder.aggregate(builder.scan(ALL), [], { c: ['count', ''] }));
  const requests = [
    { plan, explain: 'no' },
    { plan: pairs(store), explain: 'no' },
  ] as const;
  const { parts } = store.engine.select(requests, 'json', QUERY_OPTIONS);
  const bytes: Uint8Array[] = [];
  for await (const part of parts) bytes.push(part);
  const { result } = JSON.parse(`{${Buffer.concat(bytes).toString('utf8')}}`);
  t.equal(result.length, 2);
  t.strictSame(result[0].result, [{ c: PEOPLE }]);
  t.equal(result[1].count, pairCount);
});

t.test('EXPLAIN shows the operators of each stage, ANALYZE their rows', async (t) => {
  const store = await openPeople(t, [2, 3]);
  const builder = new RelationBuilder(store);
  const joined = builder.join('inner', builder.scan(ALL), builder.scan(ALL), [['word', 'id']]);
  const plan = builder.plan(builder.aggregate(joined, ['word'], COUNTED));
  const explained = resultOf(await answerOf(store, plan, 'json', QUERY_OPTIONS, 'plan'));
  t.strictSame(
    explained.map(({ operator }) => operator),
    [
      ...['stage 0 on all shards', '  scan'],
      ...['stage 1 on all shards', '  group', '    inner join', '      scan', '      rows of stage 0'],
    ],
  );
  const analysed = resultOf(await answerOf(store, plan, 'json', QUERY_OPTIONS, 'analyze'));
  const rowsOfOperator = (name: string): unknown[] =>
    analysed.filter(({ operator }) => String(operator).trim() === name).map(({ rows }) => rows);
  const matches = people.filter(({ word }) => word !== null && byId.has(word)).length;
  t.strictSame(rowsOfOperator('scan'), [PEOPLE, matches], 'the left scan reads only rows that have a match');
  t.strictSame(rowsOfOperator('inner join'), [matches]);
  t.match(analysed.at(-1), { operator: 'answer', rows: WORDS });
  const lines = await store.engine.summarizePlan({ kind: 'select', plan });
  t.equal(lines.length, explained.length);
  t.strictSame(await rowsOf(store, 'SELECT COUNT(*) AS c FROM [default]'), [{ c: PEOPLE }]);
});
