/**
 * Compares with plain arrays: more than one segment of entities and several of events, and more strings than 8 and 16
 * bits can encode. Covers sealing, widening in place, windows by bisection, updates and deletes of whole thirds,
 * compaction and checkpoints of many segments.
 * A longer run: node dist/test/metamorphic/wide.test.js --entities 1000000 --seed 3
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import type { Json } from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import { formatDateTime } from '../../src/schema/index.js';
import { copyDir, makeDir, SIMD_KERNELS, TestStore } from '../engine/store.js';
import { jsonObject, jsonText, num } from '../support/generate.js';

const { values: input } = parseArgs({
  options: {
    entities: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '7' },
  },
});
const [ENTITIES, SEED] = [Number(input.entities), Number(input.seed)];
t.comment(`seed ${SEED}, ${ENTITIES} entities`);
t.setTimeout(600_000);

const PER_REQUEST = 1000;
const START = Date.UTC(2017, 0, 1) / 1000;
const DAYS = 60;
const DAY = 86_400;

interface Entity {
  alive: boolean;
  few: string;
  many: string;
  code: string | null;
  amount: bigint;
  readonly visits: { readonly seconds: number; readonly value: string }[];
  readonly sums: { readonly seconds: number; readonly value: bigint }[];
}

const COLUMNS: Json = [
  jsonObject({ name: 'few', type: 'string', cardinality: 'low' }),
  jsonObject({ name: 'many', type: 'string' }),
  jsonObject({ name: 'code', type: 'string' }),
  jsonObject({ name: 'amount', type: 'integer' }),
  jsonObject({ name: 'visits', type: 'string-event' }),
  jsonObject({ name: 'sums', type: 'integer-event' }),
];

/** The inserted entities and the bodies that insert them. */
class Wide {
  readonly entities: Entity[] = [];
  readonly #prng: Prng;

  constructor(seed: number) {
    this.#prng = new Prng(seed);
  }

  get livingCount(): number {
    return this.entities.filter(({ alive }) => alive).length;
  }

  #seconds(): number {
    const days = this.#prng.below(DAYS) * DAY;
    return START + days + (this.#prng.chance(0.5) ? this.#prng.below(DAY) : 0);
  }

  /** The next `count` entities. The second segment has more distinct strings than the first. */
  *additions(count: number): Generator<string> {
    const end = this.entities.length + count;
    while (this.entities.length < end) {
      const parts: string[] = [];
      while (parts.length < PER_REQUEST && this.entities.length < end) parts.push(this.#add());
      yield `{${parts.join(',')}}`;
    }
  }

  #add(): string {
    const prng = this.#prng;
    const index = this.entities.length;
    const late = index > ENTITIES / 2;
    const entity: Entity = {
      alive: true,
      few: `few-${prng.below(3)}`,
      many: late ? `many-${index}` : `many-${prng.below(5)}`,
      code: prng.chance(0.01) ? null : `code-${prng.below(late ? 50_000 : 300)}`,
      amount: BigInt(prng.below(100)),
      visits: [],
      sums: [],
    };
    this.entities.push(entity);
    return `"id-${index}":${this.#fields(entity, this.#events(entity, late))}`;
  }

  #events(entity: Entity, late: boolean): string {
    const prng = this.#prng;
    const write = (event: { seconds: number; value: string | bigint }): string => {
      const value = typeof event.value === 'string' ? `"${event.value}"` : event.value;
      return `{"value":${value},"date":"${formatDateTime(event.seconds)}"}`;
    };
    const visits = Array.from({ length: prng.between(1, 2) }, () => {
      const value = `page-${prng.below(late ? 90_000 : 20)}`;
      return { seconds: this.#seconds(), value };
    });
    entity.visits.push(...visits);
    let text = `"visits":[${visits.map(write).join(',')}]`;
    if (prng.chance(0.6)) {
      const value = late ? BigInt(prng.below(100_000)) - 50_000n : BigInt(prng.below(50));
      const sum = { seconds: this.#seconds(), value };
      entity.sums.push(sum);
      text += `,"sums":${write(sum)}`;
    }
    return text;
  }

  #fields(entity: Entity, more: string): string {
    const code = entity.code === null ? 'null' : `"${entity.code}"`;
    return `{"few":"${entity.few}","many":"${entity.many}","code":${code},"amount":${entity.amount},${more}}`;
  }

  /** Changes entities in all segments to values that no entity had; a deleted entity is inserted again. */
  *alterations(requests: number): Generator<string> {
    const prng = this.#prng;
    for (let request = 0; request < requests; request++) {
      const indexes = new Set(Array.from({ length: 300 }, () => prng.below(this.entities.length)));
      const parts = [...indexes].map((index) => {
        const entity = this.entities[index];
        if (!entity.alive) {
          entity.alive = true;
          entity.visits.length = 0;
          entity.sums.length = 0;
        }
        entity.many = `many-${prng.below(ENTITIES * 2)}`;
        entity.few = prng.pick(['few-0', 'few-4']);
        entity.code = prng.chance(0.3) ? null : `code-${prng.below(120_000)}`;
        entity.amount = prng.pick([-1n, 127n, 128n, 40_000n, 2n ** 31n, 2n ** 63n - 1n, -(2n ** 63n)]);
        return `"ID-${index}":${this.#fields(entity, this.#events(entity, true))}`;
      });
      yield `{${parts.join(',')}}`;
    }
  }

  /** Sets values of all entities that the question finds, and adds events to them. */
  update({ query, holds }: Question): Mutation {
    const prng = this.#prng;
    const many = `many-${prng.below(ENTITIES * 2)}`;
    const code = prng.chance(0.5) ? null : `code-${prng.below(120_000)}`;
    const amount = prng.pick([-2n, 126n, 40_001n, 2n ** 63n - 1n]);
    const visits = Array.from({ length: prng.between(0, 2) }, () => ({
      seconds: this.#seconds(),
      value: `page-${prng.below(90_000)}`,
    }));
    const sum = { seconds: this.#seconds(), value: BigInt(prng.below(100_000)) };
    let count = 0;
    for (const entity of this.entities) {
      if (!entity.alive || !holds(entity)) continue;
      count++;
      Object.assign(entity, { many, code, amount });
      entity.visits.push(...visits);
      entity.sums.push(sum);
    }
    const events = visits.map(({ seconds, value }) => jsonObject({ value, date: date(seconds) }));
    const sums = jsonObject({ value: num(sum.value), date: date(sum.seconds) });
    return { query, set: jsonObject({ many, code, amount: num(amount), visits: events, sums }), count };
  }

  /** Deletes all entities that the question finds. */
  delete({ query, holds }: Question): Mutation {
    const found = this.entities.filter((entity) => entity.alive && holds(entity));
    for (const entity of found) entity.alive = false;
    return { query, set: null, count: found.length };
  }
}

/** An update, or a delete if `set` is null, and the number of entities that it affects. */
interface Mutation {
  readonly query: Json;
  readonly set: Json | null;
  readonly count: number;
}

interface Question {
  readonly query: Json;
  readonly holds: (entity: Entity) => boolean;
}

const date = (seconds: number): string => formatDateTime(seconds);
const attribute = (column: string, word: string, operand: Json): Json =>
  jsonObject({ [column]: jsonObject({ [word]: operand }) });

function textQuestion(prng: Prng): Question {
  const column = prng.pick(['few', 'many', 'code'] as const);
  const value = (): string => {
    if (column === 'few') return `few-${prng.below(5)}`;
    if (column === 'many') return `many-${prng.pick([prng.below(5), prng.below(ENTITIES * 2)])}`;
    return `code-${prng.below(prng.pick([300, 120_000]))}`;
  };
  const several = Array.from({ length: prng.between(2, 60) }, value);
  const members = new Set(several);
  const piece = prng.pick(['1', '77', '-4', '999']);
  const kinds: readonly [string, Json, (text: string) => boolean][] = [
    ['equals', several[0], (text) => text === several[0]],
    ['not-equals', several[0], (text) => text !== several[0]],
    ['in', several, (text) => members.has(text)],
    ['not-in', several, (text) => !members.has(text)],
    ['contains', piece, (text) => text.includes(piece)],
    ['ends-with', piece, (text) => text.endsWith(piece)],
    ['not-starts-with', several[0].slice(0, 7), (text) => !text.startsWith(several[0].slice(0, 7))],
  ];
  const [word, operand, passes] = prng.pick(kinds);
  return {
    query: [attribute(column, word, operand)],
    holds: (entity) => {
      const text = entity[column];
      return text !== null && passes(text);
    },
  };
}

function amountQuestion(prng: Prng): Question {
  const low = prng.pick([-(2n ** 63n), -1n, 0n, BigInt(prng.below(130)), 40_000n, 2n ** 31n, 2n ** 63n - 1n]);
  const high = prng.pick([low, low + 1n > 2n ** 63n - 1n ? low : low + 1n, 2n ** 63n - 1n]);
  if (prng.chance(0.3)) {
    return { query: [attribute('amount', 'not-equals', num(low))], holds: ({ amount }) => amount !== low };
  }
  return {
    query: [attribute('amount', 'range', [num(low), num(high)])],
    holds: ({ amount }) => amount >= low && amount <= high,
  };
}

function eventQuestion(prng: Prng): Question {
  const from = START + prng.pick([-DAY, prng.below(DAYS) * DAY, prng.below(DAYS * DAY)]);
  const to = from + prng.pick([0, 1, DAY - 1, DAY, 7 * DAY, 100 * DAY]);
  const minfreq = prng.pick([1, 1, 2, 3]);
  const common = { between: [date(from), date(to)], minfreq: num(minfreq) };
  const negated = prng.chance(0.25);
  const question = <E extends { seconds: number }>(
    column: string,
    predicate: Record<string, Json>,
    eventsOf: (entity: Entity) => readonly E[],
    passes: (event: E) => boolean,
  ): Question => {
    const condition = jsonObject({ [column]: jsonObject({ ...predicate, ...common }) });
    return {
      query: negated ? ['not', condition] : [condition],
      holds: (entity) => {
        const events = eventsOf(entity);
        if (events.length === 0) return false;
        let inside = 0;
        for (const one of events) if (one.seconds >= from && one.seconds <= to && passes(one)) inside++;
        return inside >= minfreq !== negated;
      },
    };
  };
  if (prng.chance(0.4)) {
    const low = BigInt(prng.pick([prng.below(50), prng.below(100_000) - 50_000]));
    return question(
      'sums',
      { range: [num(low), num(low + 500n)] },
      (entity) => entity.sums,
      ({ value }) => value >= low && value <= low + 500n,
    );
  }
  const page = `page-${prng.below(prng.pick([20, 90_000]))}`;
  if (prng.chance(0.4)) {
    return question(
      'visits',
      { 'not-equals': page },
      (entity) => entity.visits,
      ({ value }) => value !== page,
    );
  }
  if (prng.chance(0.5)) {
    return question(
      'visits',
      { 'ends-with': '7' },
      (entity) => entity.visits,
      ({ value }) => value.endsWith('7'),
    );
  }
  return question(
    'visits',
    { equals: page },
    (entity) => entity.visits,
    ({ value }) => value === page,
  );
}

/** The entities of the question whose string of the column with many strings ends with the digit. */
function narrowed({ query, holds }: Question, digit: string): Question {
  return {
    query: [query, 'and', attribute('many', 'ends-with', digit)],
    holds: (entity) => holds(entity) && entity.many.endsWith(digit),
  };
}

function joined(prng: Prng): Question {
  const members = [textQuestion(prng), amountQuestion(prng), eventQuestion(prng)];
  const operator = prng.pick(['and', 'or']);
  return {
    query: members.flatMap(({ query }, index) => (index === 0 ? [query] : [operator, query])),
    holds: (entity) =>
      operator === 'and'
        ? members.every(({ holds }) => holds(entity))
        : members.some(({ holds }) => holds(entity)),
  };
}

/** Both runs have the same rows at the same times and get the same queries: answers by time and question. */
const answers = new Map<string, number>();

function countOf(entities: readonly Entity[], holds: Question['holds']): number {
  let count = 0;
  for (const entity of entities) if (entity.alive && holds(entity)) count++;
  return count;
}

const QUESTIONS = 70;
const DRAWS_MAX = 1_000;

/** Queries, most of which match something, and their expected answers at the time `when`. */
function queriesOf(prng: Prng, entities: readonly Entity[], when: string): { query: Json; count: number }[] {
  const questions: { query: Json; count: number }[] = [];
  let emptyCount = 0;
  for (let draws = 0; questions.length < QUESTIONS && draws < DRAWS_MAX; draws++) {
    const { query, holds } = prng.pick([textQuestion, amountQuestion, eventQuestion, eventQuestion, joined])(
      prng,
    );
    const key = `${when} ${jsonText(query)}`;
    const count = answers.get(key) ?? countOf(entities, holds);
    answers.set(key, count);
    if (count > 0 || ++emptyCount < QUESTIONS / 2) questions.push({ query, count });
  }
  return questions;
}

for (const [what, options] of [
  ['1 shard, SIMD kernels', { shardCount: 1, workerCount: 1, kernels: SIMD_KERNELS }],
  ['2 shards on 2 workers, JS kernels', { shardCount: 2, workerCount: 2, kernels: null }],
] as const) {
  t.test(`${what}: answers over many segments are those of plain arrays`, async (t) => {
    const prng = new Prng(SEED);
    const wide = new Wide(SEED + 1);
    const dir = makeDir(t);
    const settings = { ...options, logFileBytes: 16 * 2 ** 20 };
    let store = await TestStore.open(t, dir, settings);
    await store.createColumns(COLUMNS);
    const check = async (
      checked: TestStore,
      questions: ReturnType<typeof queriesOf>,
      when: string,
    ): Promise<void> => {
      const wrong: string[] = [];
      for (const { query, count } of questions) {
        const found = await checked.countOne(query);
        if (found !== count) wrong.push(`${found} instead of ${count}: ${JSON.stringify(query)}`);
      }
      t.strictSame(wrong.slice(0, 3), [], when);
      t.equal(await checked.total(), wide.livingCount, when);
    };
    const insertAll = async (bodies: Iterable<string>): Promise<void> => {
      const waiting: Promise<unknown>[] = [];
      for (const body of bodies) {
        waiting.push(store.insert(body));
        if (waiting.length === 8) await Promise.all(waiting.splice(0));
      }
      await Promise.all(waiting);
    };

    await insertAll(wide.additions(ENTITIES));
    const afterLoad = queriesOf(prng, wide.entities, 'load');
    t.ok(afterLoad.filter(({ count }) => count > 0).length > 35, 'most questions match something');
    await check(store, afterLoad, 'after the load');
    // Concurrent changes of one entity have no defined order, so they are sent one after another.
    const checkpoint = store.engine.checkpoint();
    for (const body of wide.alterations(25)) await store.insert(body);
    await checkpoint;
    const afterAll = queriesOf(prng, wide.entities, 'alterations');
    await check(store, afterAll, 'after alterations during a checkpoint');
    const copy = await TestStore.open(t, copyDir(t, dir), settings);
    await check(copy, afterAll, 'after a restart from that checkpoint and the log');
    await copy.close();
    await store.close();
    store = await TestStore.open(t, dir, settings);
    await check(store, afterAll, 'after a restart from the last snapshot');

    const mutate = async ({ query, set, count }: Mutation): Promise<void> => {
      t.equal(await store.mutate(query, set), count, jsonText(query).slice(0, 100));
    };
    const few = (value: string): Question => ({
      query: [attribute('few', 'equals', value)],
      holds: (entity) => entity.few === value,
    });
    await mutate(wide.update(few('few-1')));
    const beside = store.engine.checkpoint();
    await mutate(wide.delete(few('few-2')));
    for (const question of [textQuestion, amountQuestion, eventQuestion]) {
      await mutate(wide.update(question(prng)));
      await mutate(wide.delete(narrowed(question(prng), `${prng.below(10)}`)));
    }
    await beside;
    for (const body of wide.alterations(3)) await store.insert(body);
    await mutate(wide.delete(narrowed(few('few-0'), '5')));
    const afterDeletes = queriesOf(prng, wide.entities, 'deletes');
    await check(store, afterDeletes, 'after updates and deletes during a checkpoint');
    const killed = await TestStore.open(t, copyDir(t, dir), settings);
    await check(killed, afterDeletes, 'after a restart from that checkpoint and the log, with deletes');
    await killed.close();
    await store.close();
    store = await TestStore.open(t, dir, settings);
    await check(store, afterDeletes, 'after a restart from a snapshot with deletes');
    for (const body of wide.alterations(3)) await store.insert(body);
    await check(store, queriesOf(prng, wide.entities, 'more'), 'after more alterations');
    await store.close();
  });
}
