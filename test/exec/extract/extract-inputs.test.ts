/** Extractions over shards compared with a scan of plain maps, with both sets of kernels. */
import t from 'tap';
import { Prng, QuarryError, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import type { ExtractPlan, ValueTest } from '../../../src/ir/index.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS, type StoredColumn } from '../../storage/stored.js';
import { generatePlan, keyOf, LATEST, MODULES, PLAIN, shown } from './extract-plans.js';
import {
  allColumns,
  Extraction,
  type GenerateOptions,
  generateEntities,
  generateValue,
  idOf,
  unbounded,
  WINDOW_START,
} from './extraction.js';

const SEED = 271_828;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

/** The first row that differs from the expected row; null if there is none. */
function difference(
  extraction: Extraction,
  plan: ExtractPlan,
  workers: number,
  partRows = 1_000_000,
): string | null {
  const found = extraction.rows(plan, workers, unbounded(), partRows);
  const wanted = extraction.wanted(plan);
  for (let at = 0; at < Math.max(found.length, wanted.length); at++) {
    if (shown(found[at]) === shown(wanted[at])) continue;
    return `row ${at} of ${wanted.length}: ${shown(found[at])} instead of ${shown(wanted[at])}: ${shown(plan)}`;
  }
  return null;
}

for (const [kernels, module] of MODULES) {
  for (const shardCount of [1, 2, 5]) {
    t.test(
      `${kernels} kernels, ${shardCount} shards: extractions return the rows of the model`,
      async (t) => {
        const prng = new Prng(SEED + shardCount);
        const wide = shardCount !== 2;
        const options: GenerateOptions = { idCount: 400, wide, density: 0.4 };
        const extraction = new Extraction(module, shardCount, { compactionDeadMin: 40 });
        const wrong: string[] = [];
        for (let round = 0; round < 3; round++) {
          extraction.insert(generateEntities(prng, 150, options));
          extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
          for (let query = 0; query < 60; query++) {
            const plan = generatePlan(prng);
            const all = extraction.wanted({ ...plan, limit: 10_000, columns: [] });
            const after = all.length > 0 && prng.chance(0.6) ? prng.pick(all).position : null;
            const partRows = prng.pick([3, 50, 1_000_000]);
            const fault = difference(extraction, { ...plan, after }, prng.pick([1, 2]), partRows);
            if (fault !== null) wrong.push(fault);
          }
        }
        t.strictSame(wrong.slice(0, 2), []);
      },
    );
  }

  t.test(`${kernels} kernels: rows of two segments are returned in order after any row`, async (t) => {
    const prng = new Prng(SEED + 9);
    const extraction = new Extraction(module, 1);
    const options: GenerateOptions = { idCount: 800, wide: true, density: 0.5 };
    extraction.insert(generateEntities(prng, 300, options));
    const filler = Array.from({ length: SEGMENT_ROWS_MAX - 100 }, (_, at) => ({
      id: `filler-${at}`,
      fields: [],
    }));
    extraction.insert(filler);
    extraction.insert(generateEntities(prng, 300, options));
    t.equal(extraction.shards[0].find(KEY)?.segments.length, 2);
    // The model contains only entities with values; these conditions exclude the other entities.
    const small = new Map([...extraction.entities].filter(([id]) => !id.startsWith('filler')));
    extraction.entities.clear();
    for (const [id, entity] of small) extraction.entities.set(id, entity);
    const wrong: string[] = [];
    for (let query = 0; query < 60; query++) {
      const tests: ValueTest[] = [{ kind: 'text', match: 'starts-with', texts: ['filler'], negated: true }];
      const plan = { ...generatePlan(prng), condition: { op: 'entity-id', tests } as const, scored: null };
      const all = extraction.wanted({ ...plan, limit: 10_000, columns: [] });
      const after = all.length > 0 && prng.chance(0.6) ? prng.pick(all).position : null;
      const fault = difference(extraction, { ...plan, after }, 1);
      if (fault !== null) wrong.push(fault);
    }
    t.strictSame(wrong.slice(0, 2), []);
  });
}

/** Few columns, so that many entities are created quickly. */
const QUICK = COLUMNS.filter(({ id }) => id <= 5 || id === 23);

for (const [kernels, module] of MODULES) {
  t.test(
    `${kernels} kernels: thousands of rows, which scans narrow, are returned in order after any row`,
    async (t) => {
      const prng = new Prng(SEED + 31);
      const extraction = new Extraction(module, 2);
      const changes = Array.from({ length: 6_000 }, (_, at) => ({
        id: idOf(at),
        fields: QUICK.filter(() => prng.chance(0.9)).map((column) =>
          column.form === 'event'
            ? { column, events: [{ seconds: WINDOW_START, value: generateValue(prng, column, true) }] }
            : { column, latest: generateValue(prng, column, at > 3_000) },
        ),
      }));
      extraction.insert(changes);
      extraction.delete(changes.filter(() => prng.chance(0.05)).map(({ id }) => id));
      const [longitude, latitude] = [prng.unit() * 360 - 180, prng.unit() * 180 - 90];
      const near = { longitude, latitude, tests: [] };
      const window = { from: 0, to: 4e9 };
      const plans: Partial<ExtractPlan>[] = [
        ...LATEST.flatMap((column) => [{ order: [keyOf(column, false)] }, { order: [keyOf(column, true)] }]),
        {},
        { near: { ...near, from: 'attribute', columnId: 5 } },
        { near: { ...near, from: 'events', columnId: 23, window } },
        {
          scored: [
            { op: 'attribute', columnId: 1, tests: [] },
            { op: 'attribute', columnId: 2, tests: [] },
          ],
        },
      ];
      const wrong: string[] = [];
      for (const part of plans) {
        const plan = { ...PLAIN, ...part };
        const all = extraction.wanted({ ...plan, limit: 10_000 });
        for (const limit of [1, 100, 1_025]) {
          for (const at of [-1, prng.below(all.length), all.length - 2]) {
            const found = extraction.rows({ ...plan, limit, after: all[at]?.position ?? null });
            const wanted = all.slice(at + 1, at + 1 + limit);
            if (shown(found) !== shown(wanted)) wrong.push(`${limit} after row ${at}: ${shown(plan)}`);
          }
        }
      }
      t.strictSame(wrong.slice(0, 3), []);
    },
  );
}

t.test('datetimes of attributes are in lower case, dates of events in upper case', async (t) => {
  const extraction = new Extraction(null, 1);
  const [, , instant] = COLUMNS;
  const events = COLUMNS.find(({ id }) => id === 21) as StoredColumn;
  extraction.insert([
    {
      id: 'one',
      fields: [
        { column: instant, latest: 1_517_529_631n },
        { column: events, events: [{ seconds: 1_517_529_631, value: 5n }] },
      ],
    },
  ]);
  const window = { from: 1_517_529_631, to: 1_517_529_631 };
  const rows = extraction.rows({
    ...PLAIN,
    columns: [
      { from: 'attribute', columnId: 3, type: 'datetime', decimalPlaces: null },
      { from: 'events', columnId: 21, type: 'decimal-event', decimalPlaces: 1, window },
    ],
  });
  t.strictSame(rows[0].values, ['2018-02-02t00:00:31z', '{"value":"0.5","date":"2018-02-02T00:00:31Z"}']);
});

t.test('a canceled extraction stops, and one that needs too much memory is refused', async (t) => {
  const prng = new Prng(SEED + 6);
  const extraction = new Extraction(null, 2);
  extraction.insert(generateEntities(prng, 200, { idCount: 300, wide: true, density: 0.6 }));
  const codeOf = (plan: ExtractPlan, run: QueryRun): number | null => {
    try {
      extraction.rows(plan, 1, run);
      return null;
    } catch (error) {
      return error instanceof QuarryError ? error.code : -1;
    }
  };
  const stopped = new Int32Array([0, 1]);
  const plans: Partial<ExtractPlan>[] = [
    { columns: allColumns({ from: 0, to: 4_000_000_000 }) },
    { order: [keyOf(COLUMNS[3], false)] },
    { scored: [{ op: 'entity-id', tests: [] }] },
    { near: { longitude: 0, latitude: 0, from: 'attribute', columnId: 5, tests: [] } },
    {
      near: {
        longitude: 0,
        latitude: 0,
        from: 'events',
        columnId: 23,
        window: { from: 0, to: 4e9 },
        tests: [],
      },
    },
  ];
  for (const plan of plans) {
    const whole = { ...PLAIN, ...plan };
    t.equal(codeOf(whole, new QueryRun(stopped, 1, 2 ** 30)), 9005, shown(plan));
    t.equal(codeOf(whole, new QueryRun(stopped, 0, 2 ** 30)), null, shown(plan));
    t.equal(codeOf(whole, new QueryRun(stopped, 0, 200)), 9006, shown(plan));
  }
});

t.test('the memory of an extraction does not grow with the number of shards that it reads', async (t) => {
  const extraction = new Extraction(null, 8);
  extraction.insert(Array.from({ length: 400 }, (_, at) => ({ id: `e${at}`, fields: [] })));
  const run = new QueryRun(null, 0, 2 ** 30);
  extraction.rows({ ...PLAIN, scored: [{ op: 'entity-id', tests: [] }], limit: 3 }, 1, run);
  t.ok(run.reservedBytes > 0 && run.reservedBytes < SEGMENT_ROWS_MAX / 4, String(run.reservedBytes));
});

t.test('a dimension without data in any shard has no rows', async (t) => {
  const extraction = new Extraction(null, 2);
  t.strictSame(extraction.rows(PLAIN), []);
});
