/**
 * The oracle for momentsOf: computes moments of a level's values entity by entity with BigInt, from plain maps and a
 * table of groups.
 */
import { hashBytes, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { type GroupsOfRows, ManyGroups, PairList } from '../../../src/exec/aggregate/group-rows.js';
import { UNBOUNDED } from '../../../src/exec/query-run.js';
import type {
  Buckets,
  Condition,
  MetricStatistic,
  RoundPartial,
  RoundRequest,
  ValueList,
} from '../../../src/ir/index.js';
import type { Interval } from '../../../src/schema/index.js';
import type { DimensionShard } from '../../../src/storage/index.js';
import { countMatches, passes, type StoredEntity } from '../../ir/evaluate.js';
import type { Stored, StoredEntities } from '../../storage/stored.js';

export type MomentsRequest = Extract<RoundRequest, { kind: 'moments' }>;

/** The groups of an entity by its ID. The rule is arbitrary: some entities belong to no group and some to several. */
export interface GroupRule {
  readonly groupCount: number;
  groupsOf(id: string): readonly number[];
}

export function groupRule(groupCount: number): GroupRule {
  return {
    groupCount,
    groupsOf: (id) => {
      const bytes = Buffer.from(id, 'utf8');
      const hash = hashBytes(bytes, 0, bytes.length);
      const groups = [0, 1, 2].slice(0, hash % 4).map((nth) => Math.imul(hash + nth, 0x9e3779b1) >>> 0);
      return [...new Set(groups.map((group) => group % groupCount))].sort((a, b) => a - b);
    },
  };
}

export function holds(condition: Condition | null, id: string, entity: StoredEntity): boolean {
  return condition === null || countMatches(new Map([[1, new Map([[id, entity]])]]), 1, condition) === 1;
}

/** The rule applied to the living entities of a shard that satisfy the condition. */
export function fakeGroups(
  shard: DimensionShard,
  entities: StoredEntities,
  condition: Condition | null,
  { groupCount, groupsOf }: GroupRule,
): GroupsOfRows {
  const pairs = new PairList(UNBOUNDED.child());
  shard.segments.forEach((segment, index) => {
    const { offsets, bytes } = segment.ids();
    for (let segmentRow = 0; segmentRow < segment.rowCount; segmentRow++) {
      if (segment.isDead(segmentRow)) continue;
      const id = Buffer.from(bytes.subarray(offsets[segmentRow], offsets[segmentRow + 1])).toString('utf8');
      const entity = entities.get(id);
      if (entity === undefined) throw new Error(`the model lacks ${id}`);
      if (!holds(condition, id, entity)) continue;
      const groups = Uint32Array.from(groupsOf(id));
      pairs.append(
        groups.map(() => index * SEGMENT_ROWS_MAX + segmentRow),
        groups,
        groups.length,
      );
    }
  });
  return new ManyGroups(shard, groupCount, pairs, UNBOUNDED.child());
}

/** The content of a partial regardless of the order of its groups: sorted lines, one per group or per group and value. */
export type Lines = readonly string[];

const plainOf = (value: Stored): string => (Array.isArray(value) ? value.join(',') : String(value));

export function expectedLines(
  entities: StoredEntities,
  condition: Condition | null,
  rule: GroupRule | null,
  request: MomentsRequest,
): Lines {
  const groupKeys = new Map<number, Stored[]>();
  const buckets = bucketCountOf(request);
  for (const [id, entity] of entities) {
    if (!holds(condition, id, entity)) continue;
    const groups = rule === null ? [0] : rule.groupsOf(id);
    if (groups.length === 0) continue;
    for (const { value, bucket } of valuesOf(id, entity, request)) {
      for (const group of groups) {
        const groupKey = group * buckets + bucket;
        const values = groupKeys.get(groupKey);
        if (values === undefined) groupKeys.set(groupKey, [value]);
        else values.push(value);
      }
    }
  }
  return [...groupKeys].flatMap(([groupKey, values]) => linesOf(groupKey, values, request.moment)).sort();
}

function linesOf(groupKey: number, values: readonly Stored[], moment: MetricStatistic): string[] {
  if (moment === 'values') {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(plainOf(value), (counts.get(plainOf(value)) ?? 0) + 1);
    return [...counts].map(([value, count]) => `${groupKey}: ${value} x ${count}`);
  }
  const numbers = moment === 'count' ? [] : (values as readonly bigint[]);
  const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
  const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  const sum = numbers.reduce((a, b) => a + b, 0n);
  const squares = numbers.reduce((a, b) => a + b * b, 0n);
  const line = (...parts: (bigint | null)[]): string[] => [
    `${groupKey}: ${values.length} ${parts.join(' ')}`,
  ];
  if (moment === 'sum') return line(sum);
  if (moment === 'squares') return line(sum, squares);
  return moment === 'extremes' ? line(numbers.reduce(least), numbers.reduce(greatest)) : line();
}

interface Placed {
  readonly value: Stored;
  readonly bucket: number;
}

function valuesOf(id: string, entity: StoredEntity, { level, buckets }: MomentsRequest): Placed[] {
  const { source, tests } = level;
  const passing = (value: Stored): boolean => tests.every((test) => passes(test, value));
  if (source.from === 'entity-id') return passing(id) ? [{ value: id, bucket: 0 }] : [];
  if (source.from === 'attribute') {
    const stored = entity.attributes.get(source.columnId);
    if (stored === undefined) return [];
    const items =
      Array.isArray(stored) && typeof stored[0] !== 'number'
        ? (stored as readonly Stored[])
        : [stored as Stored];
    return items.filter(passing).map((value) => ({ value, bucket: 0 }));
  }
  const { window } = source;
  return (entity.events.get(source.columnId) ?? [])
    .filter(({ seconds, value }) => seconds >= window.from && seconds <= window.to && passing(value))
    .flatMap(({ seconds, value }) =>
      bucketsOf(buckets, window.from, seconds).map((bucket) => ({ value, bucket })),
    );
}

/** The number of the interval that contains the timestamp, counted from an arbitrary origin. */
function ordinalOf(interval: Interval, seconds: number): number {
  const date = new Date(seconds * 1000);
  const days = Math.floor(seconds / 86_400);
  switch (interval) {
    case 'seconds':
      return seconds;
    case 'minutes':
      return Math.floor(seconds / 60);
    case 'hours':
      return Math.floor(seconds / 3_600);
    case 'days':
      return days;
    case 'weeks':
      return (days - ((date.getUTCDay() + 6) % 7) + 3) / 7;
    case 'months':
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }
}

function bucketsOf(buckets: Buckets | null, from: number, seconds: number): number[] {
  if (buckets === null) return [0];
  if (buckets.by === 'interval') {
    return [ordinalOf(buckets.interval, seconds) - ordinalOf(buckets.interval, from)];
  }
  return buckets.windows.flatMap((window, bucket) =>
    seconds >= window.from && seconds < window.to ? [bucket] : [],
  );
}

export function bucketCountOf({ level, buckets }: MomentsRequest): number {
  const { source } = level;
  if (buckets === null || source.from !== 'events') return 1;
  if (buckets.by === 'windows') return buckets.windows.length;
  const { from, to } = source.window;
  return Math.max(1, ordinalOf(buckets.interval, to) - ordinalOf(buckets.interval, from) + 1);
}

export function foundLines(partial: RoundPartial): Lines {
  const lineOfGroup = (at: number): number => partial.groupKeys?.[at] ?? 0;
  if (partial.answers === 'values') {
    const { values, counts } = partial;
    return Array.from(counts, (count, at) => `${lineOfGroup(at)}: ${valueAt(values, at)} x ${count}`).sort();
  }
  const { counts, sums, squares, least, greatest } = partial;
  const stored = [sums, squares, least, greatest].filter((list) => list !== null);
  return Array.from(counts)
    .flatMap((count, at) =>
      count === 0 ? [] : [`${lineOfGroup(at)}: ${count} ${stored.map((list) => list[at]).join(' ')}`],
    )
    .sort();
}

function valueAt(values: ValueList, at: number): string {
  if (values.kind === 'text') {
    return Buffer.from(values.bytes.subarray(values.offsets[at], values.offsets[at + 1])).toString('utf8');
  }
  if (values.kind === 'geo') return `${values.points[at * 2]},${values.points[at * 2 + 1]}`;
  return String(BigInt.asIntN(64, (BigInt(values.words[at * 2 + 1]) << 32n) | BigInt(values.words[at * 2])));
}
