/**
 * Generated schemas, inserts and queries: whatever the number of shards and workers and whichever kernels run, the
 * answers are those of the row-at-a-time model, before and after restarts from log, snapshot and both.
 * A longer run: node dist/test/metamorphic/shards.test.js --runs 50 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import type { Json, JsonObject } from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import type { EngineOptions } from '../../src/engine/index.js';
import { copyDir, makeDir, NOW_MS, SIMD_KERNELS, TestStore } from '../engine/store.js';
import {
  type GeneratedColumn,
  type GeneratedSchema,
  generateCountBody,
  generateId,
  generateInsert,
  generateSchema,
  jsonObject,
  jsonText,
  num,
} from '../support/generate.js';
import { RowModel } from '../support/model.js';

const { values: given } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [RUNS, SEED] = [Number(given.runs), Number(given.seed)];
t.comment(`seed ${SEED}, ${RUNS} runs`);
t.setTimeout(RUNS * 120_000);

const ID_COUNT = 400;
const QUERY_OPTIONS = { depthMax: 4, idCount: ID_COUNT, withNow: true };

interface Layout {
  readonly shardCount: number;
  readonly laneCount: number;
  readonly kernels: Uint8Array | null;
}
const LAYOUTS: readonly Layout[] = [
  { shardCount: 1, laneCount: 1, kernels: SIMD_KERNELS },
  { shardCount: 2, laneCount: 2, kernels: null },
  { shardCount: 5, laneCount: 2, kernels: SIMD_KERNELS },
  { shardCount: 5, laneCount: 1, kernels: null },
];
const nameOf = ({ shardCount, laneCount, kernels }: Layout): string =>
  `${shardCount} shards, ${laneCount} workers, ${kernels === null ? 'JS' : 'SIMD'} kernels`;
const optionsOf = (layout: Layout): Partial<EngineOptions> => ({ ...layout, logFileBytes: 8 * 2 ** 20 });

/** A dimension that only auto-create makes: what type each column gets, and the values that decide it. */
const AUTO_COLUMNS: readonly (readonly [string, string, GeneratedColumn['storage'], Json])[] = [
  ['words', 'string', 'latest-value', 'Straße'],
  ['numbers', 'integer', 'latest-value', num('9223372036854775807')],
  ['amounts', 'decimal', 'latest-value', num('1.5')],
  ['flags', 'boolean', 'latest-value', true],
  ['days', 'date', 'latest-value', '2016-02-29'],
  ['times', 'datetime', 'latest-value', '2016-01-01T03:00:00+03:00'],
  ['word-list', 'string', 'list-of-values', ['red', 'RED', 'wine']],
  ['number-list', 'integer', 'list-of-values', [num(1), num(2)]],
  ['visits', 'string-event', null, [jsonObject({ value: 'home', date: '2016-01-03' })]],
  ['sales', 'decimal-event', null, jsonObject({ value: num('2.25'), date: '2016-01-01' })],
];

const AUTO_BODY: Json = AUTO_COLUMNS.map(([name, type, storage]) =>
  jsonObject({
    name,
    'api-name': name,
    type,
    dimension: 'auto',
    ...(storage === null ? {} : { storage }),
  }),
);

const AUTO_FIRST: JsonObject = jsonObject({
  'First-Of-Auto': jsonObject({
    dimension: 'auto',
    ...Object.fromEntries(AUTO_COLUMNS.map(([name, , , value]) => [name, value])),
  }),
});

function withAutoCreate(body: Json): Json {
  return new Map<string, Json>([...(body as JsonObject), ['auto-create', ['dimension', 'column']]]);
}

/** Requests of one kind of moment and the model's answers to them. */
interface Asked {
  readonly bodies: readonly Json[];
  readonly counts: readonly string[];
  readonly totals: readonly number[];
  readonly ids: readonly (readonly string[])[];
  readonly found: readonly (readonly boolean[])[];
}

const DIMENSIONS = ['default', 'second', 'auto'];

/** One run: what is inserted when, and what must be answered then. */
class Scenario {
  readonly schema: GeneratedSchema;
  readonly first: readonly Json[];
  readonly later: readonly Json[];
  readonly last: readonly Json[];
  readonly afterFirst: Asked;
  readonly afterAll: Asked;

  constructor(seed: number) {
    const prng = new Prng(seed);
    const made = generateSchema(prng);
    const auto = AUTO_COLUMNS.map(
      ([apiName, type, storage]): GeneratedColumn => ({
        dimension: 'auto',
        apiName,
        type,
        storage,
        decimalPlaces: 6,
        bounds: [],
      }),
    );
    const columns = [...made.columns, ...auto];
    // `second` may have lost all its columns to chance; then nothing can be inserted there.
    const dimensions = DIMENSIONS.filter((name) => columns.some(({ dimension }) => dimension === name));
    this.schema = { columns, dimensions, body: made.body };
    const model = new RowModel();
    model.createColumns(made.body);
    model.createColumns(AUTO_BODY);
    const insert = (entityCount: number): Json => {
      const body = generateInsert(prng, this.schema, { entityCount, idCount: ID_COUNT });
      model.insert(body, NOW_MS);
      return prng.chance(0.5) ? withAutoCreate(body) : body;
    };
    model.insert(AUTO_FIRST, NOW_MS);
    this.first = [withAutoCreate(AUTO_FIRST), ...[1, 30, 150, 150, 150].map(insert)];
    this.afterFirst = this.#ask(prng, model, 45);
    this.later = [60, 2, 100].map(insert);
    this.last = [100, 30].map(insert);
    this.afterAll = this.#ask(prng, model, 45);
  }

  #ask(prng: Prng, model: RowModel, bodyCount: number): Asked {
    const bodies = Array.from({ length: bodyCount }, () =>
      generateCountBody(prng, this.schema, QUERY_OPTIONS),
    );
    const ids = this.schema.dimensions.map(() =>
      Array.from({ length: 60 }, () => generateId(prng, ID_COUNT * 2)),
    );
    return {
      bodies,
      counts: bodies.map((body) => shown(model.count(body, NOW_MS))),
      totals: [[], ...this.schema.dimensions.map((name) => [name])].map((names) => model.total(names)),
      ids,
      found: this.schema.dimensions.map((name, index) => model.exists(ids[index], name)),
    };
  }
}

const shown = (counts: ReadonlyMap<string, number>): string => JSON.stringify([...counts]);

/** The first answer that differs from the model's, or null. */
async function firstDifference(store: TestStore, { schema }: Scenario, asked: Asked): Promise<string | null> {
  for (const [index, body] of asked.bodies.entries()) {
    const found = shown(await store.count(body));
    if (found !== asked.counts[index]) return `${jsonText(body)}: ${found} instead of ${asked.counts[index]}`;
  }
  for (const [index, names] of [[], ...schema.dimensions.map((name) => [name])].entries()) {
    const total = await store.total(names);
    if (total !== asked.totals[index]) {
      return `total of [${names}]: ${total} instead of ${asked.totals[index]}`;
    }
  }
  for (const [index, name] of schema.dimensions.entries()) {
    const found = await store.exists(asked.ids[index], name);
    const wrong = found.findIndex((one, at) => one !== asked.found[index][at]);
    if (wrong >= 0) return `${asked.ids[index][wrong]} in ${name}: ${found[wrong]}`;
  }
  return null;
}

async function insertAll(store: TestStore, bodies: readonly Json[]): Promise<void> {
  for (const body of bodies) await store.insert(body);
}

for (let run = 0; run < RUNS; run++) {
  t.test(`run ${run} of seed ${SEED}`, async (t) => {
    const scenario = new Scenario(SEED + run);
    const zeros = scenario.afterAll.counts.filter((counts) => !/[1-9]\d*\]/.test(counts)).length;
    t.ok(zeros < scenario.afterAll.counts.length / 2, 'most requests match something');
    for (const layout of LAYOUTS) {
      await t.test(`${nameOf(layout)} answer as the model does`, async (t) => {
        const options = optionsOf(layout);
        const check = async (store: TestStore, asked: Asked, when: string): Promise<void> => {
          t.equal(await firstDifference(store, scenario, asked), null, when);
        };
        const dir = makeDir(t);
        const store = await TestStore.open(t, dir, options);
        await store.createColumns(scenario.schema.body);
        await insertAll(store, scenario.first);
        await check(store, scenario.afterFirst, 'after the first inserts');
        await t.test('after a restart from the log only', async (t) => {
          const copy = await TestStore.open(t, copyDir(t, dir), options);
          t.equal(await firstDifference(copy, scenario, scenario.afterFirst), null);
        });
        await store.close();

        const again = await TestStore.open(t, dir, options);
        await check(again, scenario.afterFirst, 'after a restart from the snapshot');
        const checkpoint = again.engine.checkpoint();
        await insertAll(again, scenario.later);
        await checkpoint;
        await again.engine.checkpoint();
        await insertAll(again, scenario.last);
        await check(again, scenario.afterAll, 'after more inserts');
        await t.test('after a restart from snapshot and log', async (t) => {
          const copy = await TestStore.open(t, copyDir(t, dir), options);
          t.equal(await firstDifference(copy, scenario, scenario.afterAll), null);
        });
        await again.close();

        const last = await TestStore.open(t, dir, options);
        await check(last, scenario.afterAll, 'after a restart from a snapshot of partly unchanged segments');
        await last.close();
      });
    }
  });
}
