/** SELECTs that run in slices, with other queries in between, return the same as in one run. */
import t from 'tap';
import type { IsOver } from '../../../src/base/index.js';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { QueryMemories, QueryRun, SelectCursor, type SelectOptions } from '../../../src/exec/index.js';
import type { Aggregate, AggregateFunction, Feed, SelectPlan } from '../../../src/ir/index.js';
import type { OperatorStats, SelectPart } from '../../../src/protocol/index.js';
import { Arena, type Shard } from '../../../src/storage/index.js';
import { generateTest } from '../condition/conditions.js';
import { MODULES } from '../extract/extract-plans.js';
import { Extraction, generateEntities, WINDOW_START } from '../extract/extraction.js';
import { generateOrder, generatePlan, generateTables } from './select-plans.js';
import {
  arenasOf,
  columnOf,
  dateInput,
  ID_INPUT,
  INTEGER,
  inputAt,
  inputOf,
  joinTable,
  PLAIN,
  shown,
  withAllOutputs,
} from './select-rows.js';

const SEED = 271_828;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const always: IsOver = () => true;

/**
 * The parts without the flag that texts are distinct: the flag depends on how many rows were combined and does not
 * affect the rows.
 */
const rowsShown = (parts: readonly SelectPart[]): string =>
  shown(parts).replace(/,"distinct":(true|false)/g, '');

interface Sliced {
  readonly parts: readonly SelectPart[];
  /** The number of slices that returned nothing. */
  readonly cut: number;
  readonly stats: readonly OperatorStats[];
  readonly takenBytes: number;
}

/** Runs until everything was returned; `between` is called after every slice. */
function selectInSlices(
  shards: readonly Shard[],
  settings: Pick<SelectOptions, 'plan'> & Partial<SelectOptions>,
  scratch: Arena,
  rowsMax: number,
  isOver?: IsOver,
  between = (): void => {},
): Sliced {
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  // The same seed in each run, because it decides the order of the groups of a shard.
  const memories = new QueryMemories(null, (count) => new Uint8Array(count).fill(0x5b));
  const all = { tables: [], format: null, profiled: true, memories, ...settings };
  const cursor = new SelectCursor(shards, all, scratch, run);
  const [parts, stats]: [SelectPart[], OperatorStats[]] = [[], []];
  let cut = 0;
  for (let done = false; !done; ) {
    const part = cursor.next(rowsMax, Number.POSITIVE_INFINITY, isOver);
    between();
    stats.push(...part.operatorStats);
    done = part.done;
    if (part.gives === 'nothing') cut++;
    else parts.push({ ...part, operatorStats: [] });
  }
  cursor.release();
  return { parts, cut, stats, takenBytes: run.reservedBytes };
}

/** The number of rows by operator and shard. */
function rowsOf(stats: readonly OperatorStats[]): [string, number][] {
  const rows = new Map<string, number>();
  for (const { shard, operator, rows: count } of stats) {
    const key = `${shard} ${operator}`;
    rows.set(key, (rows.get(key) ?? 0) + count);
  }
  return [...rows].sort();
}

/** Returns a function that fails if arena memory is held, and overwrites memory that another query may use. */
function otherQueries(shards: readonly Shard[], scratch: Arena): () => void {
  const arenas = arenasOf(shards, scratch);
  return () => {
    for (const arena of arenas) {
      const at = arena.reserveTemporary(64);
      if (at !== 256 * 2 ** 20 - 8 * 2 ** 20) throw new Error(`temporary memory is held up to ${at}`);
      arena.u8.fill(0x55, at, at + 64);
      arena.releaseTemporary();
      for (let bitmap = 0; bitmap < 4; bitmap++)
        arena.u8.fill(0x55, arena.scratchBitmap(bitmap), arena.scratchBitmap(bitmap) + 8_192);
      arena.u8.fill(0x55, arena.scratchSelection, arena.scratchSelection + 8_192);
    }
  };
}

const FUNCTIONS: readonly AggregateFunction[] = ['count', 'sum', 'min', 'max', 'avg', 'stddev', 'percentile'];

/** The plan grouped by some of its inputs, with aggregates over other inputs and over events. */
function groupedPlan(prng: Prng, plan: SelectPlan): SelectPlan {
  const feedColumns = plan.events === null ? prng.pick([[], [21], [22, 23]]) : [];
  const own = plan.inputs.length;
  const inputs = [...plan.inputs, ...feedColumns.flatMap((id) => [inputOf(columnOf(id)), dateInput(id)])];
  const feeds = feedColumns.map((columnId) => ({
    columnId,
    window: prng.pick([
      { from: 0, to: 4e9 },
      { from: WINDOW_START + 100, to: WINDOW_START + 600 },
    ]),
    tests: prng.chance(0.5) ? [generateTest(prng, columnOf(columnId).kind, 30)] : [],
  }));
  const aggregateOf = (input: number, feed: Feed): Aggregate => {
    const of = inputAt({ inputs }, input);
    const isNumber = of.type.type === 'decimal';
    const name = prng.pick(FUNCTIONS.filter((one) => isNumber || ['count', 'min', 'max'].includes(one)));
    const fraction = name === 'percentile' ? 0.5 : null;
    const distinct = name === 'count' && prng.chance(0.5);
    return { function: name, of, distinct, feed, fraction, type: of.type };
  };
  const aggregates = [
    { ...aggregateOf(0, 'rows'), function: 'count', of: null, distinct: false, type: INTEGER } as const,
    ...Array.from({ length: prng.below(4) }, () => {
      const feed = plan.events !== null && prng.chance(0.3) ? 'entities' : 'rows';
      return aggregateOf(prng.below(own), feed);
    }),
    ...feeds.map((_, feed) => aggregateOf(own + feed * 2, feed)),
  ];
  const keys = Array.from({ length: prng.below(4) }, () => inputAt({ inputs }, prng.below(own)));
  return { ...plan, inputs, feeds, grouping: { keys, perEntity: prng.chance(0.2), aggregates }, outputs: [] };
}

for (const [kernels, module] of MODULES) {
  t.test(
    `${kernels} kernels: plans of all kinds return the same parts in slices and in one run`,
    async (t) => {
      const prng = new Prng(SEED);
      const extraction = new Extraction(module, 3, { compactionDeadMin: 40 });
      const scratch = new Arena(module);
      const cuts = { grouped: 0, ordered: 0, plain: 0 };
      for (let round = 0; round < 3; round++) {
        extraction.insert(generateEntities(prng, 150, { idCount: 400, wide: true, density: 0.4 }));
        extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
        const texts = [...extraction.entities.values()].flatMap(
          ({ attributes }) => (attributes.get(4) as string) ?? [],
        );
        const between = otherQueries(extraction.shards, scratch);
        for (let query = 0; query < 30; query++) {
          const joins = prng.pick([0, 0, 1, 2]);
          const tables = generateTables(prng, texts).slice(0, joins).map(joinTable);
          const kind = prng.pick(['grouped', 'ordered', 'plain'] as const);
          const unordered = generatePlan(prng, joins);
          const limit = prng.pick([null, 1, 40]);
          const plan =
            kind === 'grouped'
              ? groupedPlan(prng, unordered)
              : { ...unordered, limit, order: kind === 'ordered' ? generateOrder(prng, unordered, 2) : [] };
          const rowsMax = prng.pick([1, 7, 100_000]);
          const settings = { plan, tables };
          const whole = selectInSlices(extraction.shards, settings, scratch, rowsMax);
          const isOver = prng.chance(0.5) ? always : () => prng.chance(0.5);
          const sliced = selectInSlices(extraction.shards, settings, scratch, rowsMax, isOver, between);
          cuts[kind] += sliced.cut;
          t.equal(whole.cut, 0);
          t.equal(sliced.takenBytes, 0, 'all memory was released');
          t.strictSame(rowsOf(sliced.stats), rowsOf(whole.stats), `figures of ${shown(plan)}`);
          t.equal(rowsShown(sliced.parts) === rowsShown(whole.parts), true, shown(plan));
          if (!t.passing()) return;
        }
      }
      t.ok(cuts.grouped > 60 && cuts.ordered > 60 && cuts.plain > 15, shown(cuts));
    },
  );
}

t.test('a slice reads at least one batch of many rows, and never rows of several segments', async (t) => {
  const SIMD = MODULES[1][1];
  const prng = new Prng(SEED + 1);
  const extraction = new Extraction(SIMD, 1);
  const scratch = new Arena(SIMD);
  const [number, text] = [columnOf(3), columnOf(4)];
  extraction.insert(
    Array.from({ length: SEGMENT_ROWS_MAX + 9_000 }, (_, at) => ({
      id: `entity-${at}`,
      fields: [
        { column: number, latest: BigInt(prng.below(3_000_000)) },
        { column: text, latest: `text ${prng.below(900)}` },
      ],
    })),
  );
  const plan = withAllOutputs({ ...PLAIN, inputs: [ID_INPUT, inputOf(number), inputOf(text)] });
  const [id, decimal, word] = plan.inputs.map((_, input) => inputAt(plan, input));
  const median: Aggregate = {
    ...{ function: 'percentile', of: decimal, distinct: false, feed: 'rows', fraction: 0.5 },
    type: { type: 'float' },
  };
  const rare = {
    ...({ op: 'compare', type: { type: 'boolean' }, comparison: '=', left: id } as const),
    right: { op: 'constant', type: id.type, value: 'entity-70000' } as const,
  };
  const byKeys = (keys: (typeof id)[], aggregates: Aggregate[]): SelectPlan => ({
    ...plan,
    ...{ outputs: [], grouping: { keys, perEntity: false, aggregates } },
  });
  const plans: Record<string, SelectPlan> = {
    grouped: byKeys([word], [median]),
    distinct: byKeys([id, decimal, word], []),
    ordered: { ...plan, order: [{ of: decimal, descending: true }], limit: 50 },
    'ordered whole': { ...plan, order: [{ of: word, descending: false }] },
    'one row of many': { ...plan, filter: rare, limit: 10 },
  };
  const between = otherQueries(extraction.shards, scratch);
  for (const [name, requested] of Object.entries(plans)) {
    const whole = selectInSlices(extraction.shards, { plan: requested }, scratch, 1_000_000);
    const sliced = selectInSlices(
      extraction.shards,
      { plan: requested },
      scratch,
      1_000_000,
      always,
      between,
    );
    t.equal(rowsShown(sliced.parts) === rowsShown(whole.parts), true, `${name}: the same rows`);
    t.ok(sliced.cut >= 9, `${name}: ${sliced.cut} slices`);
  }
});

t.test('a cursor that is released between slices releases all memory', async (t) => {
  const prng = new Prng(SEED + 2);
  const extraction = new Extraction(null, 2);
  const scratch = new Arena(null);
  extraction.insert(generateEntities(prng, 300, { idCount: 400, wide: true, density: 0.4 }));
  const between = otherQueries(extraction.shards, scratch);
  for (let query = 0; query < 60; query++) {
    const unordered = generatePlan(prng, 0);
    const plan = prng.pick([
      groupedPlan(prng, unordered),
      { ...unordered, order: generateOrder(prng, unordered, 2) },
      unordered,
    ]);
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const memories = new QueryMemories(null);
    const settings = { plan, tables: [], format: null, profiled: false, memories };
    const cursor = new SelectCursor(extraction.shards, settings, scratch, run);
    let done = false;
    for (let slices = prng.below(6); slices > 0 && !done; slices--) {
      ({ done } = cursor.next(1, Number.POSITIVE_INFINITY, always));
    }
    cursor.release();
    between();
    t.equal(run.reservedBytes, 0, shown(plan));
  }
});
