/** Generated extraction plans over the columns of test/storage/stored.ts, and both sets of kernels. */
import type { Prng } from '../../../src/base/index.js';
import type { Condition, ExtractPlan, NearPlan, OrderKey, ValueTest } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS, type StoredColumn } from '../../storage/stored.js';
import { generateCondition, generateTest } from '../condition/conditions.js';
import { allColumns, generateValue, WINDOW_START } from './extraction.js';

export const MODULES = [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const;

export const PLAIN: ExtractPlan = {
  ...KEY,
  condition: null,
  scored: null,
  near: null,
  order: [],
  after: null,
  limit: 10,
  columns: [],
};

export const LATEST = COLUMNS.filter(({ form }) => form === 'latest');

export function keyOf(column: StoredColumn, descending: boolean): OrderKey {
  if (column.kind === 'geo') return { by: 'entity-id', descending };
  return { by: 'attribute', columnId: column.id, kind: column.kind, descending };
}

function generateOrder(prng: Prng): OrderKey[] {
  const count = prng.pick([1, 1, 2, 3]);
  return Array.from({ length: count }, () => keyOf(prng.pick(LATEST), prng.chance(0.5)));
}

function generateWindow(prng: Prng) {
  const from = WINDOW_START + prng.between(-10, 1_000);
  return { from, to: from + prng.pick([-1, 0, 200, 5_000]) };
}

function generateNear(prng: Prng): NearPlan {
  const tests: ValueTest[] = prng.chance(0.3) ? [generateTest(prng, 'geo', 1)] : [];
  const [longitude, latitude] = generateValue(prng, COLUMNS[4], true) as readonly [number, number];
  const columnId = prng.pick([5, 15, 23]);
  if (columnId !== 23) return { longitude, latitude, from: 'attribute', columnId, tests };
  return { longitude, latitude, from: 'events', columnId, window: generateWindow(prng), tests };
}

export function generatePlan(prng: Prng): ExtractPlan {
  const condition = (depth: number): Condition =>
    generateCondition(prng, { columns: COLUMNS, idCount: 300, textCount: 30, depth });
  const kind = prng.below(4);
  const scored = kind === 1 ? Array.from({ length: prng.between(1, 4) }, () => condition(1)) : null;
  return {
    ...PLAIN,
    condition: prng.chance(0.5) ? condition(prng.below(3)) : null,
    scored,
    near: kind === 2 || (kind === 1 && prng.chance(0.4)) ? generateNear(prng) : null,
    order: kind === 0 ? [] : kind === 3 || prng.chance(0.3) ? generateOrder(prng) : [],
    limit: prng.pick([1, 2, 7, 40, 1_025]),
    columns: allColumns(generateWindow(prng)),
  };
}

export const shown = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'undefined';
