import t from 'tap';
import { ROW_FORMATS, rowEncoder } from '../../../src/answer/index.js';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { QueryMemories, QueryRun } from '../../../src/exec/index.js';
import type { Condition, SelectPlan } from '../../../src/ir/index.js';
import { Arena, type Shard } from '../../../src/storage/index.js';
import { fromWire, valueAt } from '../../../src/vector/index.js';
import { COLUMNS } from '../../storage/stored.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction, type GenerateOptions, generateEntities, WINDOW_START } from '../extract/extraction.js';
import { generateOrder, generatePlan, generateTables } from '../scan/select-plans.js';
import {
  type Answer,
  ATTRIBUTE_INPUTS,
  arenasOf,
  columnOf,
  compareKeys,
  conditionInput,
  dateInput,
  ID_INPUT,
  inputAt,
  inputOf,
  joinTable,
  naiveAnswers,
  PLAIN,
  runSelect,
  shown,
  withAllOutputs,
} from '../scan/select-rows.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const SIMD = MODULES[1][1];

const OPTIONS: GenerateOptions = { idCount: 400, wide: true, density: 0.4 };

/** Assigns the shards to `count` workers in turn. */
const workersOf = (shards: readonly Shard[], count: number): Shard[][] =>
  Array.from({ length: count }, (_, worker) => shards.filter((_, index) => index % count === worker));

const sortedLines = (answers: readonly Answer[]): string[] =>
  answers.map(({ outputs }) => shown(outputs)).sort();

const countOf = (lines: readonly string[], line: string): number =>
  lines.filter((one) => one === line).length;

/**
 * The fault of ordered rows, the first `count` of which were requested, or null; rows with equal keys may be in any
 * order.
 */
function orderFault(
  plan: SelectPlan,
  answers: readonly Answer[],
  all: readonly Answer[],
  count: number,
): string | null {
  const wanted = all.slice(0, count);
  if (answers.length !== wanted.length) return `${answers.length} rows instead of ${wanted.length}`;
  for (let from = 0, to = 0; from < wanted.length; from = to) {
    while (to < wanted.length && compareKeys(plan.order, wanted[from].keys, wanted[to].keys) === 0) to++;
    for (let at = from; at < to; at++) {
      if (compareKeys(plan.order, answers[at].keys, wanted[from].keys) !== 0) {
        return `row ${at} has keys ${shown(answers[at].keys)} instead of ${shown(wanted[from].keys)}`;
      }
    }
    const tied = all.filter(({ keys }) => compareKeys(plan.order, keys, wanted[from].keys) === 0);
    const [got, may] = [sortedLines(answers.slice(from, to)), sortedLines(tied)];
    const missing = got.filter((line) => countOf(got, line) > countOf(may, line));
    if (missing.length > 0) return `an unexpected row: ${missing[0]}`;
  }
  return null;
}

for (const [kernels, module] of MODULES) {
  for (const shardCount of module === null ? [3] : [1, 3]) {
    t.test(`${kernels} kernels, ${shardCount} shards: rows equal the model`, async (t) => {
      const prng = new Prng(SEED + shardCount);
      const extraction = new Extraction(module, shardCount, { compactionDeadMin: 40 });
      const scratch = new Arena(module);
      const wrong: string[] = [];
      for (let round = 0; round < 3; round++) {
        extraction.insert(generateEntities(prng, 150, OPTIONS));
        extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
        const texts = [...extraction.entities.values()].flatMap(
          ({ attributes }) => (attributes.get(4) as string) ?? [],
        );
        for (let query = 0; query < 25; query++) {
          const joins = prng.pick([0, 0, 1, 2]);
          const tables = generateTables(prng, texts).slice(0, joins);
          const plan = generatePlan(prng, joins);
          const settings = { plan, tables: tables.map(joinTable) };
          const workers = workersOf(extraction.shards, prng.pick([1, 2]));
          const rowsMax = prng.pick([1, 7, 64, 100_000]);
          const requested = workers.map((shards) => runSelect(shards, settings, scratch, rowsMax));
          const answers = sortedLines(requested.flatMap(({ answers }) => answers));
          const wanted = sortedLines(naiveAnswers(extraction.entities, plan, tables));
          if (shown(answers) !== shown(wanted)) {
            const at = wanted.findIndex((line, index) => line !== answers[index]);
            wrong.push(
              `${answers.length} rows of ${wanted.length}: ${answers[at]} instead of ${wanted[at]}: ${shown(plan)}`,
            );
          }
          const sizes = requested.flatMap(({ parts }) =>
            parts.map((part) => (part.gives === 'columns' ? part.rowCount : -1)),
          );
          if (sizes.some((size) => size < 0 || size > rowsMax)) wrong.push(`parts of ${sizes} rows`);
        }
      }
      t.strictSame(wrong.slice(0, 2), []);
    });

    t.test(`${kernels} kernels, ${shardCount} shards: ordered rows equal the model`, async (t) => {
      const prng = new Prng(SEED + 50 + shardCount);
      const extraction = new Extraction(module, shardCount, { compactionDeadMin: 40 });
      const scratch = new Arena(module);
      const wrong: string[] = [];
      for (let round = 0; round < 3; round++) {
        extraction.insert(generateEntities(prng, 150, { ...OPTIONS, wide: round > 0 }));
        extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
        const texts = [...extraction.entities.values()].flatMap(
          ({ attributes }) => (attributes.get(4) as string) ?? [],
        );
        for (let query = 0; query < 25; query++) {
          const joins = prng.pick([0, 0, 2]);
          const tables = generateTables(prng, texts).slice(0, joins);
          const unordered = generatePlan(prng, joins);
          const order = generateOrder(prng, unordered, prng.pick([1, 1, 2, 3]));
          const limit = prng.pick([null, 0, 1, 5, 40, 200_000]);
          const plan = { ...unordered, order, limit, offset: prng.pick([0, 3]) };
          const settings = { plan, tables: tables.map(joinTable) };
          const rowsMax = prng.pick([1, 9, 100_000]);
          const { answers } = runSelect(extraction.shards, settings, scratch, rowsMax);
          const all = naiveAnswers(extraction.entities, plan, tables);
          const fault = orderFault(plan, answers, all, limit === null ? all.length : limit + plan.offset);
          if (fault !== null) wrong.push(`${fault}: ${shown(plan)}`);
        }
      }
      t.strictSame(wrong.slice(0, 2), []);
    });
  }

  t.test(
    `${kernels} kernels: the first of many rows are correct for keys of all kinds with many ties`,
    async (t) => {
      const prng = new Prng(SEED + 13);
      const extraction = new Extraction(module, 1);
      const scratch = new Arena(module);
      const quick = COLUMNS.filter(({ id }) => [1, 3, 4].includes(id));
      const values = {
        bits: () => BigInt(prng.below(2)),
        i64: () => prng.pick([-1n, 1n]) * (2n ** 62n + BigInt(prng.below(40))),
        code: () => `a text of ${prng.below(40)}`,
      };
      const changes = Array.from({ length: 12_000 }, (_, at) => ({
        id: `entity-${at}`,
        fields: quick
          .filter(() => prng.chance(0.95))
          .map((column) => ({ column, latest: values[column.kind as keyof typeof values]() })),
      }));
      extraction.insert(changes);
      const inputs = [ID_INPUT, ...quick.map(inputOf)];
      const plan = withAllOutputs({ ...PLAIN, inputs });
      for (const keys of [[0], [2, 0], [3, 2, 0], [1, 3, 0], [3], [2]]) {
        const order = keys.map((input) => ({ of: inputAt(plan, input), descending: prng.chance(0.5) }));
        const all = naiveAnswers(extraction.entities, { ...plan, order });
        for (const limit of [1, 90, 9_000]) {
          const { answers } = runSelect(
            extraction.shards,
            { plan: { ...plan, order, limit } },
            scratch,
            8_000,
          );
          // Both sorts are stable, and the model reads entities in order of insertion.
          t.equal(shown(answers) === shown(all.slice(0, limit)), true, `keys ${keys}, limit ${limit}`);
        }
      }
    },
  );

  t.test(`${kernels} kernels: each format returns the rows of the columns, part by part`, async (t) => {
    const prng = new Prng(SEED + 17);
    const extraction = new Extraction(module, 2);
    const scratch = new Arena(module);
    extraction.insert(generateEntities(prng, 300, OPTIONS));
    for (const format of ROW_FORMATS) {
      const plan = withAllOutputs({ ...PLAIN, inputs: ATTRIBUTE_INPUTS });
      const encoder = rowEncoder(format, plan.outputs);
      for (const rowsMax of [3, 100_000]) {
        const columns = runSelect(extraction.shards, { plan }, scratch, rowsMax);
        const wanted = columns.parts.map((part) => {
          if (part.gives !== 'columns' || part.rowCount === 0) return Buffer.alloc(0);
          return Buffer.from(encoder.rows(part.outputs.map(fromWire), 0, part.rowCount, false));
        });
        const bytes = runSelect(extraction.shards, { plan, format }, scratch, rowsMax).parts.map((part) =>
          part.gives === 'bytes' ? Buffer.concat(part.parts) : null,
        );
        t.strictSame(bytes, wanted, `${format}, ${rowsMax} rows`);
      }
    }
  });

  t.test(`${kernels} kernels: memory is released, and a query that needs too much is refused`, async (t) => {
    const prng = new Prng(SEED + 23);
    const extraction = new Extraction(module, 2);
    const scratch = new Arena(module);
    extraction.insert(generateEntities(prng, 300, OPTIONS));
    let refused = 0;
    for (let query = 0; query < 60; query++) {
      const joins = prng.pick([0, 2]);
      const tables = generateTables(prng, ['a', '1']).slice(0, joins).map(joinTable);
      const unordered = generatePlan(prng, joins);
      const order = prng.chance(0.5) ? generateOrder(prng, unordered, 2) : [];
      const settings = { plan: { ...unordered, order, limit: prng.pick([null, 20]) }, tables };
      const run = new QueryRun(null, 0, prng.pick([Number.POSITIVE_INFINITY, 3_000, 100_000]));
      try {
        runSelect(extraction.shards, settings, scratch, 50, run);
        // The caches of expressions are released as well.
        t.equal(run.reservedBytes, 0, shown(settings.plan));
      } catch (error) {
        refused++;
        t.match(error, { code: 9006 });
      }
      t.equal(holdsTemporary(extraction.shards, scratch), false);
    }
    t.ok(refused > 0 && refused < 60, `${refused} refused`);
  });
}

t.test('rows of several segments are returned in batches of many rows', async (t) => {
  const prng = new Prng(SEED + 9);
  const extraction = new Extraction(SIMD, 1);
  const scratch = new Arena(SIMD);
  const quick = COLUMNS.filter(({ id }) => [1, 3, 4, 22].includes(id));
  const changes = Array.from({ length: SEGMENT_ROWS_MAX + 3_000 }, (_, at) => ({
    id: `entity-${at}`,
    fields: (at % 3 === 0 ? quick : []).map((column) => {
      const value =
        column.kind === 'code'
          ? `text ${prng.below(900)}`
          : BigInt(prng.below(column.kind === 'bits' ? 2 : 5_000));
      return column.form === 'event'
        ? { column, events: [{ seconds: WINDOW_START + prng.below(1_000), value }] }
        : { column, latest: value };
    }),
  }));
  extraction.insert(changes);
  extraction.delete(changes.filter(() => prng.chance(0.02)).map(({ id }) => id));
  t.ok((extraction.shards[0].find(PLAIN as SelectPlan & { dimensionId: number })?.segments.length ?? 0) > 1);
  const inputs = [ID_INPUT, ...[1, 3, 4].map((id) => inputOf(columnOf(id)))];
  const plan = withAllOutputs({ ...PLAIN, inputs });
  const all = runSelect(extraction.shards, { plan }, scratch, 30_000);
  t.strictSame(sortedLines(all.answers), sortedLines(naiveAnswers(extraction.entities, plan)));
  const eventInputs = [...inputs, inputOf(columnOf(22)), dateInput(22)];
  const window = { from: WINDOW_START, to: WINDOW_START + 400 };
  const eventPlan = withAllOutputs({
    ...PLAIN,
    inputs: eventInputs,
    events: { columnId: 22, window, tests: [] },
  });
  const events = runSelect(extraction.shards, { plan: eventPlan }, scratch, 20_000);
  t.strictSame(sortedLines(events.answers), sortedLines(naiveAnswers(extraction.entities, eventPlan)));
  const order = [
    { of: inputAt(plan, 3), descending: true },
    { of: inputAt(plan, 2), descending: false },
    { of: inputAt(plan, 0), descending: false },
  ];
  for (const limit of [null, 20_000]) {
    const ordered = { ...plan, order, limit };
    const { answers } = runSelect(extraction.shards, { plan: ordered }, scratch, 50_000);
    const wanted = naiveAnswers(extraction.entities, ordered);
    t.equal(shown(answers) === shown(wanted.slice(0, limit ?? wanted.length)), true, `limit ${limit}`);
  }
});

t.test('a query holds no arena memory between its parts', async (t) => {
  const prng = new Prng(SEED + 29);
  const extraction = new Extraction(null, 2);
  const scratch = new Arena(null);
  extraction.insert(generateEntities(prng, 300, OPTIONS));
  const condition: Condition = {
    op: 'attribute',
    columnId: 4,
    tests: [{ kind: 'text', match: 'contains', texts: ['1', 'a'], negated: true }],
  };
  const inputs = [ID_INPUT, conditionInput(condition)];
  for (const events of [null, { columnId: 22, window: { from: 0, to: 4e9 }, tests: condition.tests }]) {
    for (const key of [[], [0], [1, 0]]) {
      const order = key.map((input) => ({ of: inputAt({ inputs }, input), descending: false }));
      const plan = withAllOutputs({ ...PLAIN, inputs, condition, events, order });
      const wanted = sortedLines(naiveAnswers(extraction.entities, plan));
      const { SelectCursor } = await import('../../../src/exec/index.js');
      const { answersOf } = await import('../scan/select-rows.js');
      const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
      const cursor = new SelectCursor(
        extraction.shards,
        { plan, tables: [], format: null, profiled: false, memories: new QueryMemories(null) },
        scratch,
        run,
      );
      const answers: Answer[] = [];
      for (let done = false; !done; ) {
        const part = cursor.next(20);
        answers.push(...answersOf(part));
        done = part.done;
        t.equal(holdsTemporary(extraction.shards, scratch), false);
        // Another query overwrites the scratch bitmaps.
        for (let bitmap = 0; bitmap < 4; bitmap++)
          scratch.u8.fill(0x55, scratch.scratchBitmap(bitmap), scratch.scratchBitmap(bitmap) + 8_192);
      }
      cursor.release();
      t.strictSame(sortedLines(answers), wanted);
    }
  }
});

t.test('a part ends at its byte limit, and the parts together contain the same rows', async (t) => {
  const prng = new Prng(SEED + 31);
  const extraction = new Extraction(null, 2);
  const scratch = new Arena(null);
  const bytesMax = 10_000;
  extraction.insert(generateEntities(prng, 6_000, { ...OPTIONS, idCount: 6_000, density: 0.05 }));
  const { SelectCursor } = await import('../../../src/exec/index.js');
  const { answersOf } = await import('../scan/select-rows.js');
  for (const key of [[], [0]]) {
    const order = key.map((input) => ({ of: inputAt({ inputs: [ID_INPUT] }, input), descending: false }));
    const narrow = { ...PLAIN, inputs: [ID_INPUT], order };
    const [output] = withAllOutputs(narrow).outputs;
    const plan = { ...narrow, outputs: Array.from({ length: 30 }, () => output) };
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const settings = { plan, tables: [], format: null, profiled: false, memories: new QueryMemories(null) };
    const whole = new SelectCursor(extraction.shards, settings, scratch, run).next(100_000);
    const cursor = new SelectCursor(extraction.shards, settings, scratch, run);
    const answers: Answer[] = [];
    const sizes: number[] = [];
    for (let done = false; !done; ) {
      const part = cursor.next(100_000, bytesMax);
      answers.push(...answersOf(part));
      sizes.push(answersOf(part).length);
      done = part.done;
    }
    cursor.release();
    t.ok(sizes.length > 1, `parts of ${sizes} rows`);
    t.strictSame(answers, answersOf(whole));
  }
});

t.test('rows with equal keys stay in stored order', async (t) => {
  const extraction = new Extraction(null, 1);
  const scratch = new Arena(null);
  const [bits, integers] = [columnOf(1), columnOf(3)];
  const changes = Array.from({ length: 30_000 }, (_, at) => ({
    id: `entity-${at}`,
    fields: [
      { column: bits, latest: BigInt(at % 2) },
      { column: integers, latest: BigInt(at % 3) },
    ],
  }));
  extraction.insert(changes);
  const inputs = [ID_INPUT, inputOf(bits), inputOf(integers)];
  const plan = withAllOutputs({ ...PLAIN, inputs });
  for (const limit of [null, 6_000, 10]) {
    const order = [
      { of: inputAt(plan, 1), descending: true },
      { of: inputAt(plan, 2), descending: false },
    ];
    const { answers } = runSelect(extraction.shards, { plan: { ...plan, order, limit } }, scratch, 9_999);
    const wanted = naiveAnswers(extraction.entities, { ...plan, order }).slice(0, limit ?? 30_000);
    t.equal(shown(answers), shown(wanted), `limit ${limit}`);
  }
});

t.test('no more rows are read than requested', async (t) => {
  const extraction = new Extraction(null, 1);
  const scratch = new Arena(null);
  const changes = Array.from({ length: 50_000 }, (_, at) => ({
    id: `entity-${at}`,
    fields: [{ column: columnOf(3), latest: BigInt(at) }],
  }));
  extraction.insert(changes);
  const plan = withAllOutputs({ ...PLAIN, inputs: [ID_INPUT, inputOf(columnOf(3))], limit: 7, offset: 3 });
  const { answers, parts, stats } = runSelect(extraction.shards, { plan, profiled: true }, scratch, 1_000);
  t.strictSame(
    answers.map(({ outputs }) => outputs),
    Array.from({ length: 10 }, (_, at) => [`entity-${at}`, BigInt(at)]),
  );
  t.equal(parts.length, 1);
  t.strictSame(
    stats.map(({ shard, operator, rows }) => ({ shard, operator, rows })),
    [
      { shard: 0, operator: 'scan', rows: 50_000 },
      { shard: 0, operator: 'project', rows: 10 },
      { shard: 0, operator: 'encode', rows: 10 },
    ],
  );
});

t.test('a grouped plan returns the groups of every shard with entities in one part', async (t) => {
  const prng = new Prng(SEED + 37);
  const extraction = new Extraction(SIMD, 3);
  extraction.insert(generateEntities(prng, 200, OPTIONS));
  const inputs = [inputOf(columnOf(4))];
  const grouping = { keys: [inputAt({ inputs }, 0)], perEntity: false, aggregates: [COUNT_ROWS] };
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  const { parts } = runSelect(
    extraction.shards,
    { plan: { ...PLAIN, inputs, grouping } },
    new Arena(SIMD),
    1,
    run,
  );
  t.equal(run.reservedBytes, 0);
  t.equal(parts.length, 1);
  const [part] = parts;
  const found = new Map<string, number>();
  for (const { groupCount, keys, states } of part.gives === 'groups' ? part.partials : []) {
    const [state] = states;
    for (let group = 0; group < groupCount; group++) {
      const key = shown(valueAt(fromWire(keys[0]), group));
      found.set(key, (found.get(key) ?? 0) + (state.holds === 'count' ? state.counts[group] : 0));
    }
  }
  const wanted = new Map<string, number>();
  for (const { attributes } of extraction.entities.values()) {
    const key = shown(attributes.get(4) ?? null);
    wanted.set(key, (wanted.get(key) ?? 0) + 1);
  }
  t.strictSame([...found].sort(), [...wanted].sort());
});

t.test('a canceled query stops within a batch', async (t) => {
  const extraction = new Extraction(null, 1);
  extraction.insert(generateEntities(new Prng(SEED), 50, OPTIONS));
  const run = new QueryRun(Int32Array.of(0, 1), 1, Number.POSITIVE_INFINITY);
  const plan = withAllOutputs({ ...PLAIN, inputs: ATTRIBUTE_INPUTS });
  t.throws(() => runSelect(extraction.shards, { plan }, new Arena(null), 10, run), { code: 9005 });
});

/** Whether temporary memory of some arena is in use. */
function holdsTemporary(shards: readonly Shard[], scratch: Arena): boolean {
  return [...arenasOf(shards, scratch)].some((arena) => {
    const at = arena.reserveTemporary(64);
    arena.releaseTemporary();
    return at !== 256 * 2 ** 20 - 8 * 2 ** 20;
  });
}
