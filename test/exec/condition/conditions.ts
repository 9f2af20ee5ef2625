/** Generated bound conditions over the columns of test/storage/stored.ts. */
import type { Prng } from '../../../src/base/index.js';
import type { Condition, EventTest, IntRange, ValueTest } from '../../../src/ir/index.js';
import type { ValueKind } from '../../../src/schema/index.js';
import type { StoredColumn } from '../../storage/stored.js';

const INTERESTING = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -(2n ** 31n) - 1n,
  -(2n ** 31n),
  -1n,
  0n,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
];

const bound = (prng: Prng): bigint =>
  prng.chance(0.5) ? prng.pick(INTERESTING) : BigInt(prng.between(-35, 35));

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Disjoint ascending ranges; sometimes none. */
export function generateRanges(prng: Prng): IntRange[] {
  const bounds = Array.from({ length: prng.pick([0, 1, 1, 1, 1, 2, 3]) * 2 }, () => bound(prng)).sort(
    ascending,
  );
  const ranges: IntRange[] = [];
  for (let index = 0; index < bounds.length; index += 2) {
    const [low, high] = [bounds[index], bounds[index + 1]];
    const last = ranges.at(-1);
    if (last === undefined || low > last.high) ranges.push({ low, high });
  }
  return ranges;
}

export function generateTest(prng: Prng, kind: ValueKind, textCount: number): ValueTest {
  const negated = prng.chance(0.4);
  if (kind === 'code') {
    const match = prng.pick(['equals', 'equals', 'contains', 'starts-with', 'ends-with', 'like'] as const);
    const whole = (): string => `text-${prng.below(textCount * 2)}-ß`;
    const piece = (): string =>
      match === 'equals'
        ? whole()
        : match === 'like'
          ? prng.pick([whole(), `%${prng.below(30)}%ß`, 'text-_-%', '%-__-ß', '\\text%'])
          : prng.pick([whole(), `${prng.below(30)}`, 't', 'ß', '-1', `${prng.below(9)}-ß`]);
    return {
      kind: 'text',
      match,
      texts: Array.from({ length: prng.pick([0, 1, 1, 1, 2, 4]) }, piece),
      negated,
    };
  }
  if (kind !== 'geo') return { kind: 'ranges', ranges: generateRanges(prng), negated };
  if (prng.chance(0.5)) {
    const [south, north] = [prng.between(-90, 90), prng.between(-90, 90)].sort((a, b) => a - b);
    const [west, east] = [prng.between(-180, 180), prng.between(-180, 180)];
    return { kind: 'geo-box', west, south, east, north, negated };
  }
  const [longitude, latitude] = [prng.between(-180, 180), prng.between(-90, 90)];
  return { kind: 'geo-radius', longitude, latitude, radiusKm: prng.unit() * 12_000, negated };
}

export interface ConditionOptions {
  readonly columns: readonly StoredColumn[];
  readonly idCount: number;
  readonly textCount: number;
  readonly depth: number;
}

function tests(prng: Prng, kind: ValueKind, textCount: number): ValueTest[] {
  return Array.from({ length: prng.pick([0, 1, 1, 1, 2, 3]) }, () => generateTest(prng, kind, textCount));
}

function generateEvent(prng: Prng, { columns, textCount }: ConditionOptions): EventTest {
  const column = prng.pick(columns.filter(({ form }) => form === 'event'));
  const from = 1_500_000_000 + prng.between(-10, 100_010);
  const to = prng.pick([from, from + prng.below(100_000), from - 1, 4_000_000_000]);
  return { columnId: column.id, window: { from, to }, tests: tests(prng, column.kind, textCount) };
}

export function generateCondition(prng: Prng, options: ConditionOptions): Condition {
  const { columns, idCount, textCount, depth } = options;
  const deeper = { ...options, depth: depth - 1 };
  if (depth > 0 && prng.chance(0.2)) return { op: 'not', member: generateCondition(prng, deeper) };
  if (depth > 0 && prng.chance(0.6)) {
    const members = Array.from({ length: prng.between(2, 4) }, () => generateCondition(prng, deeper));
    return { op: prng.pick(['and', 'or']), members };
  }
  const kind = prng.below(10);
  if (kind === 0) {
    const text = (): string => prng.pick([`entity-${prng.below(idCount * 2)}`, '7', 'entity-1', '99', '%_9']);
    const match = prng.pick(['equals', 'contains', 'starts-with', 'ends-with', 'like'] as const);
    const texts = Array.from({ length: prng.between(0, 3) }, text);
    return { op: 'entity-id', tests: [{ kind: 'text', match, texts, negated: prng.chance(0.4) }] };
  }
  if (kind < 4) {
    return { op: 'event', event: generateEvent(prng, options), minfreq: prng.pick([1, 1, 2, 3]) };
  }
  if (kind === 4) {
    const events = Array.from({ length: prng.between(1, 3) }, () => generateEvent(prng, options));
    return { op: 'freqgroup', events, minfreq: prng.pick([1, 2, 4]) };
  }
  const column = prng.pick(columns.filter(({ form }) => form !== 'event'));
  if (kind === 5 && prng.chance(0.5)) return { op: 'missing', columnId: column.id };
  return { op: 'attribute', columnId: column.id, tests: tests(prng, column.kind, textCount) };
}
