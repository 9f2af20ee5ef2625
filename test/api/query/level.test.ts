import t from 'tap';
import { accessOf, FULL_ACCESS, type Json, type JsonObject } from '../../../src/api/index.js';
import { bindValues, type LevelFields, readLevel, readLimit } from '../../../src/api/query/level.js';
import { Prng } from '../../../src/base/index.js';
import type { ValueTest } from '../../../src/ir/index.js';
import { parseDate, parseInstant } from '../../../src/schema/index.js';
import { passes, type Stored } from '../../ir/evaluate.js';
import { columnOf, NOW_MS, plainLevel, THERE, WEEK, WEEK_TEXT } from '../aggregates.js';
import { customKey, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const SEED = 314_159;
t.comment(`seed ${SEED}`);

const RULES = { nowMs: NOW_MS, allowsBuckets: true, defaultWindow: null };
const read = (text: string | Json, words: readonly string[] = []): LevelFields => {
  const object = (typeof text === 'string' ? json(text) : text) as JsonObject;
  return readLevel(object, words, THERE, FULL_ACCESS, 'here');
};
const bind = (text: string | Json) => bindValues(read(text), RULES);
const testsOf = (text: string): readonly ValueTest[] => bind(text).tests;

t.test('the column is the key that is not a field, in any position', async (t) => {
  for (const text of ['{"text":5,"equals":"x"}', '{"equals":"x","text":5}']) {
    const level = read(text);
    t.equal(level.column, columnOf('text'));
    t.strictSame([...level.others.keys()], ['equals']);
    t.equal(readLimit(level), 5);
  }
  t.equal(read('{"between":[],"interval":"x","minfreq":1,"geo_near":{},"ie":null}').column, columnOf('ie'));
});

t.test('a column may have the name of a field if no other key names a column', async (t) => {
  t.equal(read('{"contains":5}').column, columnOf('contains'));
  t.equal(read('{"contains":"min","gt":4}').column, columnOf('contains'));
  t.equal(read('{"minfreq":5}').column, columnOf('minfreq'));
  t.equal(read('{"bypass-cache":5}', ['bypass-cache']).column, columnOf('bypass-cache'));
  t.equal(read('{"text":5,"contains":5}').column, columnOf('text'), 'next to another key it is the field');
  assertAllRefusals(t, () => read('{"contains":["x"]}'), [[4014, 'here']]);
  assertAllRefusals(t, () => read('{"gt":5}'), [[4014, 'here']]);
  assertAllRefusals(t, () => read('{"contains":5,"minfreq":5}'), [[4007, '"minfreq"']]);
});

t.test('a column must exist and be allowed for the key', async (t) => {
  const listed = accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['int'] }] }));
  const readListed = (text: string) => readLevel(json(text) as JsonObject, [], THERE, listed, 'here');
  t.equal(readListed('{"int":5}').column, columnOf('int'));
  t.equal(readListed('{"entity-id":5}').column, columnOf('entity-id'));
  assertAllRefusals(t, () => readListed('{"text":5}'), [[506, '"text"']]);
  assertAllRefusals(t, () => readListed('{"nowhere":5}'), [[4008, '"nowhere"']]);
});

t.test('without predicates a level has no test', async (t) => {
  for (const column of ['text', 'int', 'bool', 'geo', 'texts', 'entity-id']) {
    t.strictSame(bind(`{"${column}":5}`), { ...plainLevel(column), buckets: null });
  }
  for (const column of ['te', 'ie', 'de', 'ge']) {
    t.strictSame(bind(`{"${column}":5,"between":${WEEK_TEXT}}`), { ...plainLevel(column), buckets: null });
  }
});

t.test('each predicate takes one operand or several, and any of several may match', async (t) => {
  const text = (match: string, texts: readonly string[], negated = false) => ({
    kind: 'text',
    match,
    texts,
    negated,
  });
  t.strictSame(testsOf('{"text":5,"equals":"X"}'), [text('equals', ['x'])]);
  t.strictSame(testsOf('{"text":5,"equals":["X","y","x"]}'), [text('equals', ['x', 'y'])]);
  t.strictSame(testsOf('{"texts":5,"in":"x","not-contains":["a","b"]}'), [
    text('equals', ['x']),
    text('contains', ['a', 'b'], true),
  ]);
  t.strictSame(testsOf('{"entity-id":5,"starts-with":["a"]}'), [text('starts-with', ['a'])]);
  const ranges = (...list: readonly (readonly [bigint, bigint])[]) => [
    { kind: 'ranges', ranges: list.map(([low, high]) => ({ low, high })), negated: false },
  ];
  const [LOW, HIGH] = [-(2n ** 63n), 2n ** 63n - 1n];
  t.strictSame(testsOf('{"int":5,"range":[1,5]}'), ranges([1n, 5n]));
  t.strictSame(testsOf('{"int":5,"range":[[7,9],[1,5],[4,6]]}'), ranges([1n, 9n]));
  t.strictSame(testsOf('{"int":5,"gt":[7,3]}'), ranges([4n, HIGH]));
  t.strictSame(testsOf('{"ints":5,"equals":["3",1],"lt":3}'), ranges([1n, 1n]));
  t.strictSame(testsOf('{"ints":5,"not-in":[1,2],"not-equals":0,"gte":-1}'), ranges([-1n, -1n], [3n, HIGH]));
  t.strictSame(testsOf('{"ints":5,"not-equals":[1]}'), ranges([LOW, 0n], [2n, HIGH]), 'by item');
  t.strictSame(testsOf('{"bool":5,"equals":[true,"false"]}'), ranges([0n, 1n]));
  t.strictSame(testsOf('{"date":5,"range":["1970-01-02","1970-01-03"]}'), ranges([1n, 2n]));
});

const BOX = '{"lower-left":{"longitude":0,"latitude":0},"upper-right":{"longitude":2,"latitude":1}';
const RADIUS = '{"longitude":1,"latitude":2,"radius":3,"unit":"km"';

t.test('a level may have several areas, and a period of events', async (t) => {
  const box = { kind: 'geo-box', west: 0, south: 0, east: 2, north: 1, negated: false };
  const radius = { kind: 'geo-radius', longitude: 1, latitude: 2, radiusKm: 3, negated: false };
  t.strictSame(testsOf(`{"geo":5,"geo_radius":${RADIUS}},"geo_bounding_box":[${BOX}}]}`), [radius, box]);
  t.strictSame(testsOf(`{"geo":5,"geo_radius":[${RADIUS}},${RADIUS}}]}`), [
    { kind: 'geo-any', areas: [radius, radius], negated: false },
  ]);
  const between = `"between":${WEEK_TEXT}`;
  const level = { ...plainLevel('ge'), tests: [box], buckets: null };
  t.strictSame(bind(`{"ge":5,"geo_bounding_box":${BOX},${between}}}`), level);
  t.strictSame(
    bind(`{"ge":5,"geo_bounding_box":${BOX},${between}},${between}}`),
    level,
    'the same area twice',
  );
  const both = { ...level, tests: [{ kind: 'geo-any', areas: [box, box], negated: false }] };
  t.strictSame(bind(`{"ge":5,"geo_bounding_box":[${BOX},${between}},${BOX},${between}}]}`), both);
});

const REFUSED: readonly Refusal[] = [
  ['an empty list', '{"int":5,"equals":[]}', 4049, 'here.equals'],
  ['101 operands', `{"int":5,"gt":[${Array.from({ length: 101 }, () => 1).join()}]}`, 4048, '101'],
  ['101 ranges', `{"int":5,"range":[${Array.from({ length: 101 }, () => '[1,2]').join()}]}`, 4048, '101'],
  ['a range of one end', '{"int":5,"range":[1]}', 4012, 'here.range'],
  ['a range that is not a list', '{"int":5,"range":1}', 4012, 'here.range'],
  ['no range', '{"int":5,"range":[]}', 4012, 'here.range'],
  ['an invalid range among ranges', '{"int":5,"range":[[1,2],3]}', 4012, 'here.range[1]'],
  ['a text for a number', '{"int":5,"lte":[1,"x"]}', 4049, 'here.lte[1]'],
  ['an empty text', '{"text":5,"equals":["a",""]}', 4047, 'here.equals[1]'],
  ['a number for a text', '{"text":5,"ends-with":[1]}', 4049, 'here.ends-with[0]'],
  ['contains of a number', '{"text":5,"contains":["a",1]}', 4016, 'here.contains'],
  ['a bad date', '{"date":5,"gt":["2016-02-30"]}', 4044, 'here.gt[0]'],
  ['a list in a list', '{"text":5,"equals":[["a"]]}', 4049, 'here.equals[0]'],
  ['a range of a text', '{"text":5,"range":[1,2]}', 4039, 'here.range'],
  ['gt of a boolean', '{"bool":5,"gt":true}', 4039, 'here.gt'],
  ['equals of a point', '{"geo":5,"equals":[1,2]}', 4039, 'here.equals'],
  ['an area of a number', `{"int":5,"geo_radius":${RADIUS}}}`, 4039, 'here.geo_radius'],
  ['a bad area among others', `{"geo":5,"geo_radius":[${RADIUS}},5]}`, 4049, 'here.geo_radius[1]'],
  ['an area that lacks something', '{"geo":5,"geo_bounding_box":[{}]}', 4010, 'here.geo_bounding_box[0]'],
  [
    'the time of an attribute in an area',
    `{"geo":5,"geo_radius":[${RADIUS},"between":${WEEK_TEXT}}]}`,
    4017,
    'here.geo_radius[0].between',
  ],
  [
    'another time',
    `{"ge":5,"geo_radius":[${RADIUS},"between":${WEEK_TEXT}},${RADIUS},"between":["today"]}]}`,
    4049,
    'here.geo_radius[1].between',
  ],
  [
    'a time beside windows',
    `{"ge":"count","geo_radius":${RADIUS},"between":${WEEK_TEXT}},"between":[${WEEK_TEXT}]}`,
    4049,
    'here.geo_radius.between',
  ],
];

t.test('bad predicates are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, bind);
});

t.test('errors of predicates and of the time are reported together', async (t) => {
  const text = '{"ie":5,"gt":"x","between":["x","now"],"interval":"years"}';
  assertAllRefusals(t, () => bind(text), [
    [4049, 'here.gt'],
    [4053, 'here.between[0]'],
    [4027, '"years"'],
  ]);
  assertAllRefusals(t, () => bind(`{"ge":5,"geo_radius":5}`), [[4049, 'here.geo_radius']]);
  assertAllRefusals(t, () => bind('{"ie":5,"gt":1}'), [[4005, 'here']]);
});

t.test('a window is the given one, or the default of the interface', async (t) => {
  const rules = { ...RULES, defaultWindow: WEEK };
  t.strictSame(bindValues(read('{"ie":5}'), rules), { ...plainLevel('ie'), buckets: null });
  const [from, to] = [parseInstant('2017-01-01') as number, parseInstant('2017-01-02') as number];
  t.match(bindValues(read('{"ie":5,"between":["2017-01-02","-1d"]}'), rules).source, {
    window: { from, to },
  });
});

/** A column's values: as JSON text, as stored, and in a form that `<` compares as the interface does. */
interface Sample {
  readonly text: string;
  readonly stored: Stored;
  readonly order: number | string;
}

const texts = ['a', 'A', 'ab', 'ba', 'abc', 'ß', 'z'].map(
  (text): Sample => ({ text: JSON.stringify(text), stored: text.toLowerCase(), order: text.toLowerCase() }),
);
const numbers = (scale: number): Sample[] =>
  ['-2', '-1', '0', '1', '2', '3', '7'].map((text) => {
    return { text, stored: BigInt(Number(text) * scale), order: Number(text) };
  });
const dates = ['1969-12-30', '1970-01-01', '1970-01-02', '2016-02-29'];
const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  text: texts,
  texts,
  te: texts,
  'entity-id': texts,
  int: numbers(1),
  ints: numbers(1),
  ie: numbers(1),
  dec: numbers(10),
  de: [...numbers(1000), { text: '1.5', stored: 1500n, order: 1.5 }],
  bool: [true, false].map((value) => ({
    text: String(value),
    stored: value ? 1n : 0n,
    order: Number(value),
  })),
  date: dates.map((date) => ({
    text: `"${date}"`,
    stored: BigInt(parseDate(date) as number),
    order: Date.parse(date),
  })),
  time: dates.map((date) => ({
    text: `"${date}"`,
    stored: BigInt(Date.parse(date) / 1000),
    order: Date.parse(date),
  })),
};
type Holds = (value: number | string, operand: number | string) => boolean;
const EQUAL: Readonly<Record<string, Holds>> = {
  equals: (value, operand) => value === operand,
  in: (value, operand) => value === operand,
};
const COMPARED: Readonly<Record<string, Holds>> = {
  gt: (value, operand) => value > operand,
  gte: (value, operand) => value >= operand,
  lt: (value, operand) => value < operand,
  lte: (value, operand) => value <= operand,
};
const IN_TEXT: Readonly<Record<string, Holds>> = {
  contains: (value, operand) => String(value).includes(String(operand)),
  'starts-with': (value, operand) => String(value).startsWith(String(operand)),
  'ends-with': (value, operand) => String(value).endsWith(String(operand)),
};

/** A predicate as a member of a level, and a test for the values that pass it. */
function generatePredicate(prng: Prng, samples: readonly Sample[]) {
  const isText = typeof samples[0].order === 'string';
  const positive = { ...EQUAL, ...(isText ? IN_TEXT : samples.length > 2 ? COMPARED : {}) };
  const operands = Array.from({ length: prng.between(1, 3) }, () => prng.pick(samples));
  const single = operands.length === 1 && prng.chance(0.5);
  if (!isText && samples.length > 2 && prng.chance(0.2)) {
    const pairs = operands.map((low) => [low, prng.pick(samples)] as const);
    const list = pairs.map(([low, high]) => `[${low.text},${high.text}]`);
    const passesRange = (value: Sample): boolean =>
      pairs.some(([low, high]) => value.order >= low.order && value.order <= high.order);
    return { name: 'range', text: single ? list[0] : `[${list.join()}]`, holds: passesRange };
  }
  const name = prng.pick(Object.keys(positive));
  const mayNegate = name in EQUAL || isText;
  const negated = mayNegate && prng.chance(0.4);
  const list = operands.map((operand) => operand.text);
  const holds = (value: Sample): boolean =>
    operands.some((operand) => positive[name](value.order, operand.order)) !== negated;
  const predicate = !negated ? name : `not-${name}`;
  return { name: predicate, text: single ? list[0] : `[${list.join()}]`, holds };
}

t.test('generated predicates accept exactly the values that match their definition', async (t) => {
  const prng = new Prng(SEED);
  let passedCount = 0;
  for (const [column, samples] of Object.entries(SAMPLES)) {
    for (let round = 0; round < 150; round++) {
      const made = Array.from({ length: prng.between(1, 3) }, () => generatePredicate(prng, samples));
      const predicates = [...new Map(made.map((predicate) => [predicate.name, predicate])).values()];
      const members = predicates.map(({ name, text }) => `"${name}":${text}`);
      const isEvent = ['te', 'ie', 'de'].includes(column);
      if (isEvent) members.push(`"between":${WEEK_TEXT}`);
      const text = `{"${column}":5,${members.join()}}`;
      const { tests } = bind(text);
      const found = samples.filter(({ stored }) => tests.every((test) => passes(test, stored)));
      const expected = samples.filter((sample) => predicates.every(({ holds }) => holds(sample)));
      t.strictSame(found, expected, text);
      passedCount += expected.length;
    }
  }
  t.ok(passedCount > 1000, `${passedCount} values passed`);
});
