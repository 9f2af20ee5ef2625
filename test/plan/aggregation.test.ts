import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  type AggregateAnswer,
  type AggregatePlan,
  type Buckets,
  METRICS,
  type MetricLevel,
  type RoundPlan,
  type TopLevel,
  type ValueSource,
} from '../../src/ir/index.js';
import { Aggregation } from '../../src/plan/index.js';
import { type ColumnType, INTERVALS, isEventType, valueKindOf } from '../../src/schema/index.js';
import { type PlainEntity, type PlainEvent, shardAnswer, slowAnswer } from './shard-model.js';
import { countsOf, type Plain } from './values.js';

const SEED = 331_662;
t.comment(`seed ${SEED}`);

const ENOUGH = 2 ** 30;
const SHARD_COUNTS = [1, 2, 7];
/** 2016-01-01. */
const START = 1_451_606_400;
const DAY = 86_400;
const SPAN = 70 * DAY;

interface ModelColumn {
  readonly id: number;
  readonly type: ColumnType;
  readonly decimalPlaces: number | null;
  readonly make: (prng: Prng) => Plain;
}

const integer = (prng: Prng): bigint => BigInt(prng.between(-12, 12));
const large = (prng: Prng): bigint =>
  BigInt.asIntN(64, (1n << BigInt(prng.pick([53, 62, 63]))) - BigInt(prng.between(1, 5)));
const word = (prng: Prng): string =>
  prng.pick(['red', 'Ärger', 'a', 'aa', 'b', '😀', '\uffff', `user-${prng.below(60)}`]);
const point = (prng: Prng): Plain => [prng.between(-3, 3) / 2, prng.between(-2, 2) / 4];

const COLUMNS: readonly ModelColumn[] = [
  { id: 1, type: 'string', decimalPlaces: null, make: word },
  { id: 2, type: 'integer', decimalPlaces: null, make: integer },
  { id: 3, type: 'integer', decimalPlaces: null, make: large },
  { id: 4, type: 'decimal', decimalPlaces: 2, make: (prng) => integer(prng) * 25n },
  { id: 5, type: 'boolean', decimalPlaces: null, make: (prng) => BigInt(prng.below(2)) },
  { id: 6, type: 'date', decimalPlaces: null, make: (prng) => BigInt(prng.between(16_800, 16_830)) },
  { id: 7, type: 'datetime', decimalPlaces: null, make: (prng) => BigInt(START + prng.below(9)) },
  { id: 8, type: 'geolocation', decimalPlaces: null, make: point },
  { id: 9, type: 'string-event', decimalPlaces: null, make: word },
  { id: 10, type: 'integer-event', decimalPlaces: null, make: integer },
  { id: 11, type: 'decimal-event', decimalPlaces: 20, make: large },
  { id: 12, type: 'geolocation-event', decimalPlaces: null, make: point },
];
const EVENT_COLUMNS = COLUMNS.filter(({ type }) => isEventType(type));
const NUMBERS: readonly ColumnType[] = ['integer', 'decimal', 'integer-event', 'decimal-event'];

function makeEntity(prng: Prng, index: number): PlainEntity {
  const attributes = new Map<number, readonly Plain[]>();
  const events = new Map<number, readonly PlainEvent[]>();
  for (const { id, type, make } of COLUMNS) {
    const count = prng.chance(0.7) ? prng.pick([1, 1, 2, 4]) : 0;
    if (!isEventType(type))
      attributes.set(
        id,
        Array.from({ length: count }, () => make(prng)),
      );
    else
      events.set(
        id,
        Array.from({ length: count * 2 }, () => ({ value: make(prng), date: START + prng.below(SPAN) })),
      );
  }
  return { id: `entity-${index}`, attributes, events };
}

function makeWindow(prng: Prng): { from: number; to: number } {
  if (prng.chance(0.05)) return { from: START + SPAN, to: START };
  const from = START + (prng.chance(0.5) ? 0 : prng.below(SPAN));
  return { from, to: Math.min(START + SPAN, from + prng.below(SPAN)) };
}

function sourceOf({ id, type }: ModelColumn, prng: Prng): ValueSource {
  const kind = valueKindOf(type);
  if (!isEventType(type)) return { from: 'attribute', columnId: id, kind };
  return { from: 'events', columnId: id, kind, window: makeWindow(prng) };
}

function makeLevel(prng: Prng): TopLevel {
  const rest = { tests: [], limit: prng.pick([1, 2, 3, 10, 1_000]), minQuantity: prng.pick([1, 1, 1, 2, 4]) };
  if (prng.chance(0.1))
    return { ...rest, source: { from: 'entity-id' }, type: 'unique-id', decimalPlaces: null };
  const column = prng.pick(COLUMNS);
  return { ...rest, source: sourceOf(column, prng), type: column.type, decimalPlaces: column.decimalPlaces };
}

function makeBuckets(prng: Prng): Buckets {
  if (prng.chance(0.5)) return { by: 'interval', interval: prng.pick(INTERVALS.slice(2)) };
  const windows = Array.from({ length: prng.between(1, 4) }, () => {
    const from = START + prng.below(SPAN);
    return { from, to: from + prng.below(SPAN) };
  });
  return { by: 'windows', windows };
}

function makeMetric(prng: Prng): MetricLevel {
  const metric = prng.pick(METRICS);
  const fitting = COLUMNS.filter(({ type }) => {
    if (metric === 'count' || metric === 'count-distinct') return true;
    if (metric === 'count-events') return isEventType(type);
    if (metric === 'min' || metric === 'max') return NUMBERS.includes(type) || type.startsWith('date');
    return NUMBERS.includes(type);
  });
  const dated = fitting.filter((column) => EVENT_COLUMNS.includes(column));
  const histogram = dated.length > 0 && prng.chance(0.5);
  const column = prng.pick(histogram ? dated : fitting);
  return {
    source: sourceOf(column, prng),
    tests: [],
    type: column.type,
    decimalPlaces: column.decimalPlaces,
    metric,
    buckets: histogram ? makeBuckets(prng) : null,
  };
}

function planOf(levels: readonly TopLevel[], metric: MetricLevel | null): AggregatePlan {
  return { databaseId: 1, dimensionId: 2, entities: null, levels, metric };
}

function makePlan(prng: Prng): AggregatePlan {
  const depth = prng.below(4);
  const levels = Array.from({ length: depth }, () => makeLevel(prng));
  return planOf(levels, depth === 0 || prng.chance(0.5) ? makeMetric(prng) : null);
}

interface Run {
  readonly answer: AggregateAnswer;
  readonly rounds: readonly RoundPlan[];
}

function run(plan: AggregatePlan, shards: readonly (readonly PlainEntity[])[], bytesMax = ENOUGH): Run {
  const aggregation = new Aggregation(plan, bytesMax);
  const rounds: RoundPlan[] = [];
  for (let round = aggregation.round; round !== null; round = aggregation.round) {
    const requested = structuredClone(round);
    rounds.push(requested);
    aggregation.take(shards.map((entities) => shardAnswer(entities, requested)));
  }
  return { answer: aggregation.answer(), rounds };
}

/** Distributes the entities to shards, some of which may be empty. */
function spread(entities: readonly PlainEntity[], shardCount: number, prng: Prng): PlainEntity[][] {
  const shards: PlainEntity[][] = Array.from({ length: shardCount }, () => []);
  for (const entity of entities) shards[prng.below(shardCount)].push(entity);
  return shards;
}

t.test(
  'generated aggregations return the same result for 1, 2 and 7 shards as for all entities at once',
  async (t) => {
    const prng = new Prng(SEED);
    const found = { values: 0, metric: 0, buckets: 0 };
    for (let round = 0; round < 400; round++) {
      const entities = Array.from({ length: prng.pick([0, 1, 5, 60]) }, (_, index) =>
        makeEntity(prng, index),
      );
      const plan = makePlan(prng);
      const expected = slowAnswer(entities, plan);
      found[expected.answers]++;
      for (const shardCount of SHARD_COUNTS) {
        const { answer } = run(plan, spread(entities, shardCount, prng));
        if (JSON.stringify(answer) === JSON.stringify(expected)) continue;
        t.strictSame(answer, expected, `round ${round}, ${shardCount} shards`);
      }
    }
    for (const [kind, count] of Object.entries(found)) t.ok(count > 20, `${count} answers of ${kind}`);
  },
);

const stringLevel = (limit: number, columnId = 1): TopLevel => ({
  source: { from: 'attribute', columnId, kind: 'code' },
  tests: [],
  type: 'string',
  decimalPlaces: null,
  limit,
  minQuantity: 1,
});
const EVENTS: ValueSource = {
  from: 'events',
  columnId: 10,
  kind: 'i64',
  window: { from: START + 10, to: START + 3 * DAY },
};
const integerMetric = (metric: MetricLevel['metric'], buckets: Buckets | null): MetricLevel => ({
  source: EVENTS,
  tests: [],
  type: 'integer-event',
  decimalPlaces: null,
  metric,
  buckets,
});

t.test('a round requests one level within the decided groups, and only what it needs', async (t) => {
  const prng = new Prng(SEED);
  const entities = Array.from({ length: 50 }, (_, index) => makeEntity(prng, index));
  const level = { ...stringLevel(2), tests: [{ kind: 'ranges', ranges: [], negated: false }] } as const;
  const entitiesOf = { op: 'entity-id', tests: [] } as const;
  const plan = { ...planOf([level, stringLevel(3, 9)], integerMetric('avg', null)), entities: entitiesOf };
  const { rounds } = run(plan, [entities]);
  const bare = { source: level.source, tests: level.tests };
  t.strictSame(rounds[0], {
    databaseId: 1,
    dimensionId: 2,
    entities: entitiesOf,
    decided: [],
    request: { kind: 'values', level: bare, best: 1_024 },
  });
  t.equal(rounds.length, 2, 'column 9 has events and no attribute, so no group is decided in it');
  const [decided] = rounds[1].decided;
  t.strictSame(
    decided.level,
    { source: bare.source, tests: [] },
    'the values of a decided level have already passed its tests',
  );
  t.strictSame(decided.parents, Uint32Array.of(0, 0));
});

t.test('a metric is requested by its moment', async (t) => {
  const moments = METRICS.map((metric) => {
    const { request } = new Aggregation(planOf([], integerMetric(metric, null)), ENOUGH).round as RoundPlan;
    return [metric, request.kind === 'moments' ? request.moment : 'values of a level'];
  });
  t.strictSame(Object.fromEntries(moments), {
    min: 'extremes',
    max: 'extremes',
    avg: 'sum',
    sum: 'sum',
    'count-events': 'count',
    count: 'count',
    'count-distinct': 'values',
    median: 'values',
    p95: 'values',
    p99: 'values',
    stddev: 'squares',
  });
});

t.test('an empty result has no rows, needs no further round, and has a metric over no values', async (t) => {
  const empty = { answers: 'values', rows: [] } as const;
  const levels = [stringLevel(3), stringLevel(3, 9)];
  for (const shards of [[], [[]], [[], []]]) {
    const { answer, rounds } = run(planOf(levels, integerMetric('sum', null)), shards);
    t.strictSame(answer, empty);
    t.equal(rounds.length, 1);
    t.strictSame(run(planOf([], integerMetric('sum', null)), shards).answer, {
      answers: 'metric',
      token: '0',
    });
    t.strictSame(run(planOf([], integerMetric('min', { by: 'interval', interval: 'days' })), shards).answer, {
      answers: 'buckets',
      rows: [],
    });
  }
});

const entityOf = (id: string, name: string, events: readonly PlainEvent[]): PlainEntity => ({
  id,
  attributes: new Map([[1, [name]]]),
  events: new Map([[10, events]]),
});

t.test(
  'groups without values of the next level have no rows; groups without values of the metric have a metric over no values',
  async (t) => {
    const shards = [
      [entityOf('1', 'a', [{ value: 5n, date: START + 60 }])],
      [entityOf('2', 'b', []), entityOf('3', 'b', [{ value: 9n, date: START }])],
    ];
    const second: TopLevel = { ...stringLevel(3), source: EVENTS, type: 'integer-event' };
    t.strictSame(run(planOf([stringLevel(3), second], null), shards).answer, {
      answers: 'values',
      rows: [
        { value: 'b', quantity: 2, next: { answers: 'values', rows: [] } },
        {
          value: 'a',
          quantity: 1,
          next: { answers: 'values', rows: [{ value: '5', quantity: 1, next: null }] },
        },
      ],
    });
    const rowsOf = (metric: MetricLevel) => run(planOf([stringLevel(3)], metric), shards).answer;
    t.strictSame(rowsOf(integerMetric('max', null)), {
      answers: 'values',
      rows: [
        { value: 'b', quantity: 2, next: { answers: 'metric', token: 'null' } },
        { value: 'a', quantity: 1, next: { answers: 'metric', token: '5' } },
      ],
    });
    const day = { token: '5.0', from: START, to: START + DAY };
    t.strictSame(rowsOf(integerMetric('avg', { by: 'interval', interval: 'days' })), {
      answers: 'values',
      rows: [
        { value: 'b', quantity: 2, next: { answers: 'buckets', rows: [] } },
        { value: 'a', quantity: 1, next: { answers: 'buckets', rows: [day] } },
      ],
    });
  },
);

t.test("a bucket has the calendar's bounds, not the window's; a bucket of a list has its own", async (t) => {
  const dates = [START + 10, START + 3 * DAY];
  const shards = dates.map((date) => [entityOf(`${date}`, 'a', [{ value: 1n, date }])]);
  const answerOf = (buckets: Buckets) =>
    run(planOf([], integerMetric('count-events', buckets)), shards).answer;
  t.strictSame(answerOf({ by: 'interval', interval: 'days' }), {
    answers: 'buckets',
    rows: [
      { token: '1', from: START, to: START + DAY },
      { token: '1', from: START + 3 * DAY, to: START + 4 * DAY },
    ],
  });
  t.strictSame(answerOf({ by: 'interval', interval: 'months' }), {
    answers: 'buckets',
    rows: [{ token: '2', from: START, to: START + 31 * DAY }],
  });
  const late = { from: START + DAY, to: START + 9 * DAY };
  const all = { from: START, to: START + 9 * DAY };
  const none = { from: START + DAY, to: START + 3 * DAY };
  t.strictSame(answerOf({ by: 'windows', windows: [late, none, all] }), {
    answers: 'buckets',
    rows: [
      { token: '1', ...late },
      { token: '2', ...all },
    ],
  });
});

t.test('memory for merging is limited: too little memory is refused with 9006', async (t) => {
  const prng = new Prng(SEED);
  const shards = [1, 2].map((shard) =>
    Array.from({ length: 500 }, (_, index) => entityOf(`${shard} ${index}`, `name ${prng.below(800)}`, [])),
  );
  const plan = planOf([stringLevel(1_000)], null);
  let refusals = 0;
  for (let bytesMax = 0; ; bytesMax += 20_000) {
    try {
      run(plan, shards, bytesMax);
      break;
    } catch (error) {
      t.match(error, { code: 9006, message: /needs more than \d+ bytes/ });
      refusals++;
    }
  }
  t.ok(refusals > 5, `${refusals} refusals`);
});

t.test('the rows of all levels together need memory: 9006 if each level fits only by itself', async (t) => {
  const long = 'x'.repeat(1_000);
  const counted = countsOf(
    'text',
    Array.from({ length: 1_000 }, (_, index) => ({ groupKey: 0, value: `${index}${long}`, count: 1 })),
    false,
  );
  const plan = planOf([stringLevel(1_000), stringLevel(1_000)], null);
  const runBoth = (bytesMax: number): void => {
    const aggregation = new Aggregation(plan, bytesMax);
    aggregation.take([counted]);
    aggregation.take([counted]);
  };
  t.doesNotThrow(() => runBoth(6_000_000));
  t.throws(() => runBoth(3_500_000), { code: 9006 });
  t.doesNotThrow(() => new Aggregation(plan, 3_500_000).take([counted]), 'the first level fits');
});

t.test('a second level with too many rows in total is refused with 9006', async (t) => {
  const aggregation = new Aggregation(planOf([stringLevel(1_000), stringLevel(1_000)], null), 2 ** 32);
  const names = Array.from({ length: 1_000 }, (_, index) => `${index}`);
  aggregation.take([
    countsOf(
      'text',
      names.map((value) => ({ groupKey: 0, value, count: 1 })),
      false,
    ),
  ]);
  const counted = names.flatMap((_, groupKey) => names.map((value) => ({ groupKey, value, count: 1 })));
  t.throws(() => aggregation.take([countsOf('text', counted, true)]), {
    code: 9006,
    message: /1000000 rows/,
  });
});

t.test(
  'more than 2^32 combinations of groups and buckets are refused with 9006 before any request to a shard',
  async (t) => {
    const wide = { ...EVENTS, window: { from: 0, to: 2 ** 31 } };
    const metric = {
      ...integerMetric('sum', { by: 'interval', interval: 'seconds' }),
      source: wide,
    } as const;
    t.ok(new Aggregation(planOf([], metric), ENOUGH).round, 'one group has fewer');
    const aggregation = new Aggregation(planOf([stringLevel(9)], metric), ENOUGH);
    const counted = countsOf(
      'text',
      ['a', 'b'].map((value) => ({ groupKey: 0, value, count: 1 })),
      false,
    );
    t.throws(() => aggregation.take([counted]), { code: 9006, message: /groups by buckets/ });
  },
);

t.test('a call out of order, or a partial that does not fit the request, is a bug', async (t) => {
  const plan = planOf([], integerMetric('sum', null));
  const open = new Aggregation(plan, ENOUGH);
  t.throws(() => open.answer(), { name: 'InvariantError' });
  t.throws(() => open.take([countsOf('i64', [], false)]), { name: 'InvariantError' });
  const done = new Aggregation(plan, ENOUGH);
  done.take([]);
  t.throws(() => done.take([]), { name: 'InvariantError' });
  t.throws(() => new Aggregation(planOf([], null), ENOUGH), { name: 'InvariantError' });
});
