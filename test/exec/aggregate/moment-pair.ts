/** Shards for tests of moments with plain maps of the same content, and generated requests of all kinds. */
import { hashBytes, type Prng, QuarryError } from '../../../src/base/index.js';
import { momentsOf } from '../../../src/exec/aggregate/moments.js';
import { EntitySelection } from '../../../src/exec/condition/selection.js';
import type { Buckets, Condition, MetricStatistic, ValueSource, Window } from '../../../src/ir/index.js';
import { INTERVALS, type ValueKind } from '../../../src/schema/index.js';
import { Arena, ArenaPool, type DimensionShard, Shard } from '../../../src/storage/index.js';
import { KEY } from '../../storage/shard-model.js';
import {
  applyPlain,
  batchOf,
  type Change,
  type StoredColumn,
  type StoredEntities,
} from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateTest } from '../condition/conditions.js';
import {
  bucketCountOf,
  expectedLines,
  fakeGroups,
  foundLines,
  type GroupRule,
  type MomentsRequest,
} from './moment-oracle.js';

export const START = 1_500_000_000;
export const DAY = 86_400;

/** Whether the combinations of groups and buckets exceed u32; such a request is refused. */
const hasTooManyGroups = (request: MomentsRequest, rule: GroupRule | null): boolean =>
  (rule?.groupCount ?? 1) * bucketCountOf(request) > 2 ** 32;

export class MomentPair {
  readonly scratch: Arena;
  readonly entities: StoredEntities = new Map();
  readonly #shard: Shard;

  constructor(module: WebAssembly.Module | null) {
    this.#shard = new Shard(new ArenaPool(module), 0);
    this.scratch = new Arena(module);
  }

  get dimension(): DimensionShard {
    return this.#shard.find(KEY) as DimensionShard;
  }

  apply(changes: readonly Change[]): void {
    this.#shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, changes));
    applyPlain(this.entities, changes);
  }

  delete(ids: readonly string[]): void {
    const rows = ids.map((id) => {
      const bytes = Buffer.from(id, 'utf8');
      return this.dimension.findRow(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
    });
    this.dimension.delete(Uint32Array.from(rows).sort());
    for (const id of ids) this.entities.delete(id);
  }

  run(
    request: MomentsRequest,
    condition: Condition | null,
    rule: GroupRule | null,
    run = boundedRun(),
  ): readonly string[] {
    const { dimension, entities } = this;
    const selection = new EntitySelection(dimension, condition, this.scratch, run);
    try {
      const groups = rule === null ? null : fakeGroups(dimension, entities, condition, rule);
      return foundLines(momentsOf(dimension, selection, groups, request, run));
    } finally {
      selection.release();
    }
  }

  /** null if the result is correct. */
  difference(request: MomentsRequest, condition: Condition | null, rule: GroupRule | null): string | null {
    if (hasTooManyGroups(request, rule))
      return codeOf(() => this.run(request, condition, rule)) === 9006 ? null : 'not refused';
    const found = this.run(request, condition, rule);
    const wanted = expectedLines(this.entities, condition, rule, request);
    const at = wanted.findIndex((line, index) => line !== found[index]);
    if (at < 0 && found.length === wanted.length) return null;
    const shown = JSON.stringify({ request, condition, groups: rule?.groupCount }, (_, part) =>
      typeof part === 'bigint' ? `${part}n` : part,
    );
    return `${found.length} lines, ${found[at]} instead of ${wanted.length}, ${wanted[at]}: ${shown}`;
  }
}

/** The code of the error that `work` throws; null if it throws none. */
export function codeOf(work: () => unknown): number | null {
  try {
    work();
  } catch (error) {
    if (error instanceof QuarryError) return error.code;
    throw error;
  }
  return null;
}

export const NUMBER_MOMENTS: readonly MetricStatistic[] = ['count', 'sum', 'extremes', 'squares', 'values'];
const OTHER_MOMENTS: readonly MetricStatistic[] = ['count', 'values'];

function generateSource(prng: Prng, columns: readonly StoredColumn[], window: Window): ValueSource {
  if (prng.chance(0.06)) return { from: 'entity-id' };
  const { id: columnId, form, kind } = prng.pick(columns);
  return form === 'event'
    ? { from: 'events', columnId, kind, window }
    : { from: 'attribute', columnId, kind };
}

export interface Span {
  readonly from: number;
  readonly days: number;
}

function generateWindow(prng: Prng, { from, days }: Span): Window {
  const at = from + prng.between(-2, days * DAY);
  return prng.pick([
    { from: at, to: at + prng.below(days * DAY) },
    { from: at, to: at + 7 * DAY },
    { from: from - DAY, to: from + (days + 1) * DAY },
    { from: at, to: at },
    { from: at, to: at - 1 },
    { from: 0, to: 2 ** 32 - 1 },
  ]);
}

function generateBuckets(prng: Prng, span: Span): Buckets {
  if (prng.chance(0.6)) return { by: 'interval', interval: prng.pick(INTERVALS) };
  const windows = Array.from({ length: prng.between(1, 5) }, () => generateWindow(prng, span));
  return { by: 'windows', windows };
}

export function generateRequest(
  prng: Prng,
  columns: readonly StoredColumn[],
  span: Span,
  textCount: number,
): MomentsRequest {
  let buckets = prng.chance(0.6) ? generateBuckets(prng, span) : null;
  const window =
    buckets?.by === 'windows'
      ? {
          from: Math.min(...buckets.windows.map(({ from }) => from)),
          to: Math.max(...buckets.windows.map(({ to }) => to)),
        }
      : generateWindow(prng, span);
  const source = generateSource(prng, columns, window);
  if (source.from !== 'events') buckets = null;
  const kind: ValueKind = source.from === 'entity-id' ? 'code' : source.kind;
  const testCount = prng.pick([0, 0, 1, 1, 2]);
  const tests = Array.from({ length: testCount }, () => generateTest(prng, kind, textCount));
  const moment = prng.pick(kind === 'code' || kind === 'geo' ? OTHER_MOMENTS : NUMBER_MOMENTS);
  return { kind: 'moments', level: { source, tests }, moment, buckets };
}
