/** Aggregations over generated shards equal a model that visits entities one by one. */
import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import { QueryMemories, QueryRun, SelectCursor } from '../../../src/exec/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  Buckets,
  LevelPlan,
  Metric,
  MetricLevel,
  SelectPlan,
  TopLevel,
  ValueSource,
} from '../../../src/ir/index.js';
import { Aggregation, finishGroups, finishRows, type Table } from '../../../src/plan/index.js';
import {
  bucketNumber,
  bucketStart,
  compareText,
  textOfInteger,
  textOfPoint,
  type ValueForm,
} from '../../../src/schema/index.js';
import { Arena } from '../../../src/storage/index.js';
import { type Value, vectorOf } from '../../../src/vector/index.js';
import { generateCondition, generateTest } from '../../exec/condition/conditions.js';
import { Extraction, FORMS, generateEntities } from '../../exec/extract/extraction.js';
import { generateBuckets, generateWindow } from '../../exec/items/items-model.js';
import { countMatches, passes, type StoredEntity } from '../../ir/evaluate.js';
import { KEY } from '../../storage/shard-model.js';
import { COLUMNS, type Stored } from '../../storage/stored.js';
import { slowToken } from './slow-token.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const ENOUGH = 2 ** 32;
const ID_FORM: ValueForm = { type: 'unique-id', decimalPlaces: null };

// Plans

type Level = LevelPlan & ValueForm;

function generateLevel(prng: Prng, columns = COLUMNS): Level {
  if (columns === COLUMNS && prng.chance(0.1))
    return { source: { from: 'entity-id' }, tests: [], ...ID_FORM };
  const { id: columnId, form, kind } = prng.pick(columns);
  const source: ValueSource =
    form === 'event'
      ? { from: 'events', columnId, kind, window: generateWindow(prng) }
      : { from: form === 'list' ? 'list' : 'attribute', columnId, kind };
  const tests = prng.chance(0.7) ? [] : [generateTest(prng, kind, 30)];
  return { source, tests, ...(FORMS.get(columnId) as ValueForm) };
}

const NUMBERS = COLUMNS.filter(({ kind }) => kind === 'i64');
const NUMERIC: readonly Metric[] = ['min', 'max', 'sum', 'avg', 'stddev', 'median', 'p95', 'p99'];

function generateMetric(prng: Prng): MetricLevel {
  const metric = prng.pick(['count', 'count-distinct', 'count-events', ...NUMERIC] as const);
  const level =
    metric === 'count-events'
      ? generateLevel(
          prng,
          COLUMNS.filter(({ form }) => form === 'event'),
        )
      : generateLevel(prng, NUMERIC.includes(metric) ? NUMBERS : COLUMNS);
  const buckets: Buckets | null =
    level.source.from !== 'events' || prng.chance(0.4) ? null : generateBuckets(prng, level.source.window, 5);
  return { ...level, metric, buckets };
}

function generatePlan(prng: Prng): AggregatePlan {
  const levels = Array.from(
    { length: prng.pick([0, 1, 1, 2, 3]) },
    (): TopLevel => ({
      ...generateLevel(prng),
      limit: prng.pick([1, 3, 10, 100]),
      minQuantity: prng.pick([1, 1, 1, 2]),
    }),
  );
  return {
    ...KEY,
    entities: prng.chance(0.5)
      ? generateCondition(prng, { columns: COLUMNS, idCount: 400, textCount: 30, depth: 1 })
      : null,
    levels,
    metric: levels.length === 0 || prng.chance(0.5) ? generateMetric(prng) : null,
  };
}

// Model

type Entity = readonly [id: string, entity: StoredEntity];

interface Found {
  readonly value: Value;
  readonly text: string;
  readonly seconds: number;
}

function foundOf(value: Stored, form: ValueForm, seconds: number): Found {
  if (typeof value === 'string') return { value, text: value, seconds };
  if (typeof value === 'bigint') return { value, text: textOfInteger(form, value), seconds };
  const text = textOfPoint({ longitude: value[0], latitude: value[1] });
  return { value: text, text, seconds };
}

/** The values that a level reads in an entity. */
function valuesOf([id, { attributes, events }]: Entity, { source, tests, ...form }: Level): readonly Found[] {
  const passing = (value: Stored): boolean => tests.every((test) => passes(test, value));
  switch (source.from) {
    case 'entity-id':
      return [foundOf(id, form, 0)];
    case 'attribute': {
      const value = attributes.get(source.columnId) as Stored | undefined;
      return value === undefined || !passing(value) ? [] : [foundOf(value, form, 0)];
    }
    case 'list': {
      const items = (attributes.get(source.columnId) as readonly Stored[] | undefined) ?? [];
      return items.filter(passing).map((item) => foundOf(item, form, 0));
    }
    case 'events': {
      const { from, to } = source.window;
      return (events.get(source.columnId) ?? [])
        .filter(({ seconds, value }) => seconds >= from && seconds <= to && passing(value))
        .map(({ seconds, value }) => foundOf(value, form, seconds));
    }
  }
}

function expected(entities: readonly Entity[], plan: AggregatePlan, depth = 0): AggregateAnswer {
  if (depth === plan.levels.length) return expectedMetric(entities, plan.metric as MetricLevel);
  const level = plan.levels[depth];
  const groups = new Map<string, Entity[]>();
  for (const entity of entities) {
    for (const text of new Set(valuesOf(entity, level).map((found) => found.text))) {
      groups.set(text, [...(groups.get(text) ?? []), entity]);
    }
  }
  const isLast = depth + 1 === plan.levels.length && plan.metric === null;
  const rows = [...groups]
    .map(([value, members]) => ({ value, quantity: members.length, members }))
    .filter(({ quantity }) => quantity >= level.minQuantity)
    .sort((a, b) => b.quantity - a.quantity || compareText(a.value, b.value))
    .slice(0, level.limit)
    .map(({ value, quantity, members }) => ({
      value,
      quantity,
      next: isLast ? null : expected(members, plan, depth + 1),
    }));
  return { answers: 'values', rows };
}

function expectedMetric(entities: readonly Entity[], level: MetricLevel): AggregateAnswer {
  const found = entities.flatMap((entity) => valuesOf(entity, level));
  const { metric, buckets, source } = level;
  const tokenOf = (some: readonly Found[]): string =>
    slowToken(
      metric,
      level,
      some.map(({ value }) => value),
    );
  if (buckets === null) return { answers: 'metric', token: tokenOf(found) };
  const bounds =
    buckets.by === 'windows'
      ? buckets.windows
      : buckets.by === 'periods'
        ? buckets.starts.slice(1).map((to, index) => ({ from: buckets.starts[index], to }))
        : [...new Set(found.map(({ seconds }) => bucketNumber(buckets.interval, seconds)))]
            .sort((a, b) => a - b)
            .map((bucket) => ({
              from: bucketStart(buckets.interval, bucket),
              to: bucketStart(buckets.interval, bucket + 1),
            }));
  t.equal(source.from, 'events');
  const rows = bounds.flatMap(({ from, to }) => {
    const some = found.filter(({ seconds }) => seconds >= from && seconds < to);
    return some.length === 0 ? [] : [{ token: tokenOf(some), from, to }];
  });
  return { answers: 'buckets', rows };
}

function modelOf({ entities }: Extraction, plan: AggregatePlan): AggregateAnswer {
  const { entities: condition } = plan;
  const chosen = [...entities].filter(
    ([id, entity]) =>
      condition === null || countMatches(new Map([[1, new Map([[id, entity]])]]), 1, condition) === 1,
  );
  return expected(chosen, plan);
}

// Execution

function tableOf({ shards }: Extraction, plan: SelectPlan, scratch: Arena): Table {
  const settings = { plan, tables: [], format: null, profiled: false, memories: new QueryMemories(null) };
  const cursor = new SelectCursor(shards, settings, scratch, new QueryRun(null, 0, ENOUGH));
  try {
    const part = cursor.next(plan.limit ?? Number.MAX_SAFE_INTEGER);
    if (part.gives === 'columns') return runToEnd(finishRows(plan, [part], ENOUGH));
    if (part.gives !== 'groups') throw new Error(`the cursor returned ${part.gives}`);
    return runToEnd(finishGroups(plan, part.partials, ENOUGH));
  } finally {
    cursor.release();
  }
}

function answerOf(extraction: Extraction, plan: AggregatePlan, scratch: Arena): AggregateAnswer {
  const aggregation = new Aggregation(plan, ENOUGH);
  for (let { round } = aggregation; round !== null; round = aggregation.round) {
    runToEnd(aggregation.take(tableOf(extraction, round, scratch)));
  }
  return runToEnd(aggregation.answer());
}

t.test('answers equal the model, for any number of shards', async (t) => {
  const prng = new Prng(SEED);
  for (const wide of [false, true]) {
    for (const shardCount of [1, 3]) {
      const extraction = new Extraction(null, shardCount);
      const scratch = new Arena(null);
      extraction.insert(generateEntities(prng, 250, { idCount: 400, wide, density: 0.5 }));
      extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
      for (let requested = 0; requested < 80; requested++) {
        const plan = generatePlan(prng);
        const [found, wanted] = [answerOf(extraction, plan, scratch), modelOf(extraction, plan)];
        const shownPlan = JSON.stringify(plan, (_, value) =>
          typeof value === 'bigint' ? `${value}n` : value,
        );
        if (JSON.stringify(found) !== JSON.stringify(wanted)) t.strictSame(found, wanted, shownPlan);
        else t.pass();
      }
    }
  }
});

const LEVEL: TopLevel = {
  source: { from: 'attribute', columnId: 4, kind: 'code' },
  tests: [],
  type: 'string',
  decimalPlaces: null,
  limit: 1_000_000,
  minQuantity: 1,
};
const PLAN: AggregatePlan = { ...KEY, entities: null, levels: [LEVEL, LEVEL], metric: null };

/** A table of a round: its keys, and a count of 1. */
function countsOf(round: SelectPlan, keys: readonly (readonly string[])[]): Table {
  const rowCount = keys[0].length;
  const columns = [
    ...keys.map((values) => vectorOf({ type: 'text' }, values)),
    vectorOf({ type: 'integer' }, new Array<bigint>(rowCount).fill(1n)),
  ];
  return { fields: round.outputs, columns, rowCount };
}

t.test('the first level is limited in the SELECT, and further levels only read decided values', async (t) => {
  const aggregation = new Aggregation({ ...PLAN, levels: [{ ...LEVEL, limit: 2 }, LEVEL] }, ENOUGH);
  const first = aggregation.round as SelectPlan;
  t.equal(first.limit, 2);
  runToEnd(aggregation.take(countsOf(first, [['a', 'b']])));
  const second = aggregation.round as SelectPlan;
  t.equal(second.limit, null);
  const chosen = {
    op: 'attribute',
    columnId: 4,
    tests: [{ kind: 'text', match: 'equals', texts: ['a', 'b'] }],
  };
  t.match(second.condition, { op: 'and', members: [chosen, { op: 'not' }] });
  runToEnd(
    aggregation.take(
      countsOf(second, [
        ['b', 'c', 'a'],
        ['x', 'y', 'z'],
      ]),
    ),
  );
  t.equal(aggregation.round, null);
  const next = (value: string) => ({ answers: 'values', rows: [{ value, quantity: 1, next: null }] });
  t.strictSame(runToEnd(aggregation.answer()), {
    answers: 'values',
    rows: [
      { value: 'a', quantity: 1, next: next('z') },
      { value: 'b', quantity: 1, next: next('x') },
    ],
  });
});

t.test('without values of a level there are no further rounds', async (t) => {
  const aggregation = new Aggregation(PLAN, ENOUGH);
  runToEnd(aggregation.take(countsOf(aggregation.round as SelectPlan, [[]])));
  t.equal(aggregation.round, null);
  t.strictSame(runToEnd(aggregation.answer()), { answers: 'values', rows: [] });
});

t.test('results with too many rows, or that need too much memory, are refused', async (t) => {
  const texts = Array.from({ length: 2_000 }, (_, at) => `text ${at}`);
  const small = new Aggregation(PLAN, 100_000);
  t.throws(() => runToEnd(small.take(countsOf(small.round as SelectPlan, [texts]))), { code: 9006 });
  const large = new Aggregation(PLAN, ENOUGH);
  runToEnd(large.take(countsOf(large.round as SelectPlan, [texts])));
  const pairs = texts.flatMap((text) => new Array<string>(500).fill(text));
  const others = pairs.map((_, at) => `other ${at % 500}`);
  t.throws(() => runToEnd(large.take(countsOf(large.round as SelectPlan, [pairs, others]))), {
    code: 9006,
    message: /more than 1000000 rows/,
  });
});

t.test('large results are selected and answered in slices', async (t) => {
  const texts = Array.from({ length: 100_000 }, (_, at) => `text ${at}`);
  const aggregation = new Aggregation({ ...PLAN, levels: [LEVEL] }, ENOUGH);
  const { round } = aggregation;
  const work = aggregation.take(countsOf(round as SelectPlan, [texts]));
  t.notOk(work.next().done);
  t.equal(aggregation.round, round, 'the round does not change until its result has been taken');
  runToEnd(work);
  t.equal(aggregation.round, null);
  t.notOk(aggregation.answer().next().done);
});
