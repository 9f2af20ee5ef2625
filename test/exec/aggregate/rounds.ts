/** Rounds of aggregations over the columns of test/storage/stored.ts: generators and a plain oracle. */
import type { Prng } from '../../../src/base/index.js';
import type {
  Condition,
  DecidedLevel,
  LevelPlan,
  ValueCounts,
  ValueList,
  ValueSource,
  ValueTest,
} from '../../../src/ir/index.js';
import type { ValueKind } from '../../../src/schema/index.js';
import { countMatches, type StoredEntity } from '../../ir/evaluate.js';
import type { Change, Stored, StoredColumn, StoredEntities } from '../../storage/stored.js';
import { generateTest } from '../condition/conditions.js';

const WHOLE_TIME = { from: 0, to: 2 ** 32 - 1 };

/** A text that is the same for two values if and only if they are equal. */
export const keyOf = (value: Stored): string =>
  typeof value === 'object' ? `${value[0] + 0},${value[1] + 0}` : `${value}`;

// The oracle

export function satisfies(condition: Condition | null, id: string, entity: StoredEntity): boolean {
  return condition === null || countMatches(new Map([[0, new Map([[id, entity]])]]), 0, condition) === 1;
}

function passes(tests: readonly ValueTest[], value: Stored): boolean {
  if (tests.length === 0) return true;
  const entity = { attributes: new Map(), events: new Map([[0, [{ seconds: 1, value }]]]) };
  const event = { columnId: 0, window: WHOLE_TIME, tests };
  return satisfies({ op: 'event', event, minfreq: 1 }, '', entity);
}

const isList = (value: Stored | readonly Stored[]): value is readonly Stored[] =>
  Array.isArray(value) && typeof value[0] !== 'number';

/** The distinct values of the entity that the level reads, by key. */
export function valuesOf(
  { source, tests }: LevelPlan,
  id: string,
  entity: StoredEntity,
): Map<string, Stored> {
  let all: readonly Stored[];
  if (source.from === 'entity-id') all = [id];
  else if (source.from === 'events') {
    const { from, to } = source.window;
    const events = entity.events.get(source.columnId) ?? [];
    all = events.filter(({ seconds }) => seconds >= from && seconds <= to).map(({ value }) => value);
  } else {
    const value = entity.attributes.get(source.columnId);
    all = value === undefined ? [] : isList(value) ? value : [value];
  }
  return new Map(all.filter((value) => passes(tests, value)).map((value) => [keyOf(value), value]));
}

/** Returns a function that determines the groups of a selected entity. */
export function groupFinder(
  decided: readonly DecidedLevel[],
): (id: string, entity: StoredEntity) => readonly number[] {
  const paths = decided.map(({ parents, values }) => {
    const keys = listOf(values).map(keyOf);
    return new Map(keys.map((key, group) => [`${parents[group]} ${key}`, group]));
  });
  return (id, entity) =>
    decided.reduce(
      (groups, { level }, depth) => {
        if (groups.length === 0) return groups;
        const keys = [...valuesOf(level, id, entity).keys()];
        return groups.flatMap((above) => keys.flatMap((key) => paths[depth].get(`${above} ${key}`) ?? []));
      },
      [0],
    );
}

/** Lines "group | value | entities", sorted. */
export function countPlain(
  entities: StoredEntities,
  condition: Condition | null,
  decided: readonly DecidedLevel[],
  level: LevelPlan,
): string[] {
  const counts = new Map<string, number>();
  const groupsOf = groupFinder(decided);
  for (const [id, entity] of entities) {
    if (!satisfies(condition, id, entity)) continue;
    const groups = groupsOf(id, entity);
    const keys = groups.length === 0 ? [] : [...valuesOf(level, id, entity).keys()];
    for (const group of groups) {
      for (const key of keys) counts.set(`${group} | ${key}`, (counts.get(`${group} | ${key}`) ?? 0) + 1);
    }
  }
  return [...counts].map(([groupKey, count]) => `${groupKey} | ${count}`).sort();
}

/** The same lines from a shard's result. */
export function linesOf({ values, counts, groupKeys }: ValueCounts): string[] {
  const all = listOf(values);
  if (counts.length !== all.length) throw new Error(`${counts.length} counts for ${all.length} values`);
  return all
    .map((value, at) => `${groupKeys === null ? 0 : groupKeys[at]} | ${keyOf(value)} | ${counts[at]}`)
    .sort();
}

// Lists of values

export function listOf(values: ValueList): Stored[] {
  switch (values.kind) {
    case 'text': {
      const { offsets, bytes } = values;
      const text = (at: number): string =>
        Buffer.from(bytes.subarray(offsets[at], offsets[at + 1])).toString('utf8');
      return Array.from({ length: offsets.length - 1 }, (_, at) => text(at));
    }
    case 'i64':
      return [...new BigInt64Array(values.words.slice().buffer)];
    case 'geo':
      return Array.from({ length: values.points.length / 2 }, (_, at) => [
        values.points[at * 2],
        values.points[at * 2 + 1],
      ]);
  }
}

export function valueList(kind: 'text' | ValueKind, values: readonly Stored[]): ValueList {
  if (kind === 'geo') return { kind, points: Float64Array.from((values as [number, number][]).flat()) };
  if (kind !== 'text' && kind !== 'code') {
    return { kind: 'i64', words: new Uint32Array(BigInt64Array.from(values as bigint[]).buffer) };
  }
  const parts = values.map((text) => Buffer.from(text as string, 'utf8'));
  const offsets = new Uint32Array(parts.length + 1);
  parts.forEach((part, at) => {
    offsets[at + 1] = offsets[at] + part.length;
  });
  return { kind: 'text', offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
}

// Generators

/** Mappings of integers, so that columns have every width and wide and narrow ranges. */
export const INTEGERS = {
  any: (value: bigint) => value,
  '8-bit': (value: bigint) => BigInt.asIntN(7, value),
  '16-bit': (value: bigint) => BigInt.asIntN(5, value) * 1_000n,
  '32-bit, close together': (value: bigint) => 1_600_000_000n + BigInt.asIntN(6, value) * 7n,
  '32-bit, far apart': (value: bigint) => BigInt.asIntN(6, value) * 60_000_000n,
  '64-bit, close together': (value: bigint) => -(2n ** 45n) + BigInt.asIntN(6, value),
} as const;
export type Integers = keyof typeof INTEGERS;

/** The changes with their 64-bit integers mapped. */
export function withIntegers(changes: readonly Change[], integers: Integers): Change[] {
  const turn = (value: Stored): Stored => INTEGERS[integers](value as bigint);
  return changes.map(({ id, fields }) => ({
    id,
    fields: fields.map((field) => {
      if (field.column.kind !== 'i64') return field;
      if ('latest' in field) return { ...field, latest: field.latest === null ? null : turn(field.latest) };
      if ('list' in field) return { ...field, list: field.list.map(turn) };
      return { ...field, events: field.events.map((event) => ({ ...event, value: turn(event.value) })) };
    }),
  }));
}

function generateSource(prng: Prng, columns: readonly StoredColumn[]): ValueSource {
  if (prng.chance(0.08)) return { from: 'entity-id' };
  const { id: columnId, form, kind } = prng.pick(columns);
  if (form !== 'event') return { from: 'attribute', columnId, kind };
  const from = prng.pick([0, 1_500_000_000 + prng.below(100_000)]);
  const to = prng.pick([2 ** 32 - 1, from + prng.below(100_000), from - 1]);
  return { from: 'events', columnId, kind, window: { from, to } };
}

export function generateLevel(prng: Prng, columns: readonly StoredColumn[], textCount: number): LevelPlan {
  const source = generateSource(prng, columns);
  const tests = Array.from({ length: prng.pick([0, 0, 0, 1, 2]) }, (): ValueTest => {
    if (source.from !== 'entity-id') return generateTest(prng, source.kind, textCount);
    const match = prng.pick(['equals', 'contains', 'starts-with', 'ends-with'] as const);
    const texts = prng.pick([['7'], ['entity-1', '9'], ['entity-12', 'entity-3']]);
    return { kind: 'text', match, texts, negated: prng.chance(0.4) };
  });
  return { source, tests };
}

/** Groups of values that entities have, of values that no entity has, and of values that fail the level's tests. */
export function generateDecided(
  prng: Prng,
  levels: readonly LevelPlan[],
  entities: StoredEntities,
  groupMax: number,
): DecidedLevel[] {
  let above = 1;
  return levels.map((level) => {
    const { source } = level;
    const seen = new Map<string, Stored>();
    const some = [...entities].filter(() => prng.chance(0.3));
    for (const [id, entity] of some) {
      const tests = prng.chance(0.1) ? [] : level.tests;
      for (const [key, value] of valuesOf({ source, tests }, id, entity)) seen.set(key, value);
    }
    const kind = source.from === 'entity-id' ? 'text' : source.kind;
    const unknown: Stored =
      kind === 'geo' ? [0.125, 3] : kind === 'text' || kind === 'code' ? 'nobody has it' : 123_456_789n;
    const pool = prng.chance(0.3) ? [...seen.values(), unknown] : [...seen.values()];
    const paths = new Map<string, { parent: number; value: Stored }>();
    for (let tries = 0; tries < groupMax && pool.length > 0; tries++) {
      const [parent, value] = [prng.below(above), prng.pick(pool)];
      paths.set(`${parent} ${keyOf(value)}`, { parent, value });
    }
    const all = [...paths.values()];
    above = Math.max(1, all.length);
    return {
      level,
      parents: Uint32Array.from(all, ({ parent }) => parent),
      values: valueList(
        kind,
        all.map(({ value }) => value),
      ),
    };
  });
}

/** A short form of a plan for messages. */
export const shown = (plan: unknown): string =>
  JSON.stringify(plan, (_, part) =>
    typeof part === 'bigint' ? `${part}n` : ArrayBuffer.isView(part) ? `[${part}]` : part,
  );
