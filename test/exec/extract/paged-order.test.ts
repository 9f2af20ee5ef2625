/** Pages of rows, with and without concurrent writes, with both sets of kernels. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import type { ExtractPlan } from '../../../src/ir/index.js';
import { COLUMNS, type StoredColumn } from '../../storage/stored.js';
import { generatePlan, keyOf, MODULES, PLAIN, shown } from './extract-plans.js';
import {
  Extraction,
  type GenerateOptions,
  generateEntities,
  generateFields,
  WINDOW_START,
} from './extraction.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

/**
 * All pages of a plan; `between` is called after each page except the last. Returns the IDs in order of their return.
 */
function pages(extraction: Extraction, plan: ExtractPlan, workers: number, between: () => void): string[] {
  const ids: string[] = [];
  for (let after = plan.after; ; ) {
    const rows = extraction.rows({ ...plan, after }, Math.min(workers, extraction.shards.length));
    ids.push(...rows.map(({ position }) => position.id));
    if (rows.length < plan.limit) return ids;
    after = rows[rows.length - 1].position;
    between();
  }
}

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: pages during writes neither skip nor repeat an unchanged row`, async (t) => {
    const prng = new Prng(SEED + 77);
    const faults: string[] = [];
    let [pageCount, untouchedCount] = [0, 0];
    for (let round = 0; round < 14 && faults.length === 0; round++) {
      const options: GenerateOptions = { idCount: 500, wide: round % 2 === 0, density: 0.5 };
      const extraction = new Extraction(module, prng.between(1, 5), { compactionDeadMin: 1 });
      extraction.insert(generateEntities(prng, 300, options));
      const plan = { ...generatePlan(prng), limit: prng.pick([7, 20, 31]), columns: [] };
      const before = extraction.wanted({ ...plan, limit: 10_000 }).map(({ position }) => position.id);
      const touched = new Set<string>();
      const ids = pages(extraction, plan, 2, () => {
        pageCount++;
        const some = [...extraction.entities.keys()].filter(() => prng.chance(0.04));
        const inserted = generateEntities(prng, 12, options);
        for (const id of [...some, ...inserted.map((one) => one.id)]) touched.add(id);
        extraction.insert(inserted);
        if (prng.chance(0.5)) extraction.delete(some);
        else extraction.update(some, generateFields(prng, options));
        if (prng.chance(0.15)) extraction.reshard(prng, prng.between(1, 5));
      });
      const untouched = before.filter((id) => !touched.has(id));
      const expected = new Set(untouched);
      untouchedCount += untouched.length;
      const met = ids.filter((id) => expected.has(id));
      if (shown(met) !== shown(untouched))
        faults.push(`round ${round}: ${shown(met)} not ${shown(untouched)}`);
    }
    t.strictSame(faults, []);
    t.ok(pageCount > 40 && untouchedCount > 200, `${pageCount} pages, ${untouchedCount} rows`);
  });
}

t.test('all pages together contain every row once, in order', async (t) => {
  const prng = new Prng(SEED + 5);
  for (const shardCount of [1, 3]) {
    const extraction = new Extraction(null, shardCount);
    extraction.insert(generateEntities(prng, 400, { idCount: 500, wide: true, density: 0.4 }));
    for (let query = 0; query < 25; query++) {
      const plan = { ...generatePlan(prng), limit: prng.pick([1, 13, 50]), columns: [] };
      const wanted = extraction.wanted({ ...plan, limit: 10_000 }).map(({ position }) => position.id);
      t.strictSame(
        pages(extraction, plan, shardCount, () => {}),
        wanted,
      );
    }
  }
});

t.test('rows with the same point or value are ordered by ID across pages', async (t) => {
  const extraction = new Extraction(null, 2);
  const [bits, , , , point] = COLUMNS;
  const geoColumn = COLUMNS.find(({ id }) => id === 23) as StoredColumn;
  const ids = Array.from({ length: 300 }, (_, at) => `same-${(at * 7919) % 300}`);
  extraction.insert(
    ids.map((id) => ({
      id,
      fields: [
        { column: bits, latest: 1n },
        { column: point, latest: [10, 20] as const },
        { column: geoColumn, events: [{ seconds: WINDOW_START, value: [10, 20] as const }] },
      ],
    })),
  );
  const sorted = [...ids].sort();
  const here = { longitude: 10, latitude: 20, tests: [] };
  const window = { from: WINDOW_START, to: WINDOW_START };
  const plans: Partial<ExtractPlan>[] = [
    { order: [keyOf(bits, true)] },
    { near: { ...here, from: 'attribute', columnId: 5 } },
    { near: { ...here, longitude: -170, from: 'attribute', columnId: 5 } },
    { near: { ...here, from: 'events', columnId: 23, window } },
    { near: { ...here, latitude: -89, from: 'events', columnId: 23, window } },
    { scored: [{ op: 'entity-id', tests: [] }] },
  ];
  for (const plan of plans) {
    t.strictSame(
      pages(extraction, { ...PLAIN, ...plan, limit: 9 }, 2, () => {}),
      sorted,
      shown(plan),
    );
  }
});
