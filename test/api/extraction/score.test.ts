import t from 'tap';
import {
  accessOf,
  bindExtraction,
  bindScore,
  type ExtractionRequest,
  extractionText,
  type Json,
  planWithNearest,
  type Score,
} from '../../../src/api/index.js';
import { Prng } from '../../../src/base/index.js';
import type { Condition, ExtractedRow } from '../../../src/ir/index.js';
import { customKey, json } from '../databases.js';
import { GE, GEO, INT_IS, intIs, REQUEST } from '../extractions.js';
import { assertRefusals, type Refusal } from '../refusals.js';

const body = (conditions: string, fields = ''): string =>
  `{"query":${conditions},"columns":["int"]${fields === '' ? '' : `,${fields}`}}`;
const bind = (text: string, request: ExtractionRequest = REQUEST): Score => bindScore(json(text), request);
const scored = (conditions: string): readonly Condition[] => bind(body(conditions)).extraction.plan.scored;

const [A, B, C, D] = [1, 2, 3, 4].map(INT_IS);
const [a, b, c, d] = [1n, 2n, 3n, 4n].map(intIs);
const and = (...members: readonly Condition[]): Condition => ({ op: 'and', members });
const or = (...members: readonly Condition[]): Condition => ({ op: 'or', members });
const not = (member: Condition): Condition => ({ op: 'not', member });

const near = (more = ''): string => `{"geo":{"geo_near":{"longitude":1,"latitude":2,"limit":5}${more}}}`;
const TODAY = '"between":["today"]';

t.test('the top list sums its operands, whichever operators join them', async (t) => {
  t.strictSame(scored(`[${A}]`), [a]);
  t.strictSame(scored(`[${A},"and",${B},"or",${C},"and",${D}]`), [a, b, c, d]);
  t.strictSame(scored(`["not",${A},"and",${B}]`), [not(a), b]);
  t.strictSame(scored(`[${A},"and",${A}]`), [a, a], 'a repeated operand counts twice');
});

t.test(
  'a list joined by "or" is the sum of its operands, one joined by "and" is one condition',
  async (t) => {
    t.strictSame(scored(`[[${A},"or",${B}],"and",${C}]`), [a, b, c]);
    t.strictSame(scored(`[[${A},"and",${B}],"and",${C}]`), [and(a, b), c]);
    t.strictSame(scored(`[[${A},"or",[${B},"or",[${C},"and",${D}]]]]`), [a, b, and(c, d)]);
    t.strictSame(scored(`[[${A},"and",${B}]]`), [and(a, b)]);
    t.strictSame(
      scored(`[[[${A}]],"and",[[[${B},"or",${C}]]]]`),
      [a, b, c],
      'a list of one element is equivalent to the element',
    );
  },
);

t.test('a mixed list is a sum over its alternatives', async (t) => {
  t.strictSame(scored(`[[${A},"and",${B},"or",${C}]]`), [and(a, b), c]);
  t.strictSame(scored(`[[${A},"or",${B},"and",${C},"or",[${D},"or",${A}]]]`), [a, and(b, c), d, a]);
  t.strictSame(scored(`[[${A},"and",[${B},"or",${C}]]]`), [and(a, or(b, c))]);
});

t.test('the operand of "not" is one condition, and so is a frequency group', async (t) => {
  t.strictSame(scored(`["not",[${A},"or",${B}]]`), [not(or(a, b))]);
  t.strictSame(scored(`[["not",${A},"or",${B}],"or",${C}]`), [not(a), b, c]);
  t.strictSame(scored(`["not",["not",${A}]]`), [not(not(a))]);
  const event = `{"ie":{"equals":1,${TODAY}}}`;
  t.match(scored(`[{"freqgroup":[${event},${event}],"minfreq":3},"or",${event}]`), [
    { op: 'freqgroup', minfreq: 3 },
    { op: 'event', minfreq: 1 },
  ]);
});

/** A random query list of true and false conditions, with its score by the rules of the interface. */
class Nested {
  readonly #prng: Prng;
  constructor(prng: Prng) {
    this.#prng = prng;
  }

  list(depth: number, top: boolean): { text: string; score: number } {
    const prng = this.#prng;
    const count = prng.between(1, 3);
    const operators = Array.from({ length: count - 1 }, () => prng.pick(['and', 'or']));
    const operands = Array.from({ length: count }, () => this.#operand(depth));
    const negated = prng.chance(0.2);
    const texts = operands.map(({ text }, index) =>
      index === 0 ? `${negated ? '"not",' : ''}${text}` : `"${operators[index - 1]}",${text}`,
    );
    const points = operands.map(({ score }, index) => (index === 0 && negated ? Number(score === 0) : score));
    // Runs of operands joined by "and". In the top list every operand is a run of its own.
    const runs = points.map((point) => [point]);
    for (let index = count - 1; index > 0; index--) {
      if (!top && operators[index - 1] === 'and') runs[index - 1].push(...runs.splice(index, 1)[0]);
    }
    const score = runs.reduce(
      (sum, run) => sum + (run.length === 1 ? run[0] : Number(run.every((point) => point > 0))),
      0,
    );
    return { text: `[${texts.join()}]`, score };
  }

  #operand(depth: number): { text: string; score: number } {
    if (depth > 0 && this.#prng.chance(0.5)) return this.list(depth - 1, false);
    const score = this.#prng.below(2);
    return { text: INT_IS(score), score };
  }
}

/** Whether a condition holds for an entity whose `int` is 1. */
function holds(condition: Condition): boolean {
  if (condition.op === 'not') return !holds(condition.member);
  if (condition.op === 'and') return condition.members.every(holds);
  if (condition.op === 'or') return condition.members.some(holds);
  return JSON.stringify(condition, plain) === JSON.stringify(a, plain);
}
const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

t.test('generated queries have the score that the interface defines', async (t) => {
  const seed = 41;
  const nested = new Nested(new Prng(seed));
  const wrong: string[] = [];
  let highest = 0;
  for (let round = 0; round < 2_000; round++) {
    const { text, score } = nested.list(4, true);
    const found = scored(text).filter(holds).length;
    highest = Math.max(highest, score);
    if (found !== score) wrong.push(`${text}: ${found}, not ${score}`);
  }
  t.strictSame(wrong, [], `seed ${seed}`);
  t.ok(highest > 5, `the highest score was ${highest}`);
});

t.test('a score selects the rows that the key sees, in its order, on one page', async (t) => {
  const filter = [{ dimension: 'default', conditions: '{"int":{"equals":4}}' }];
  const { extraction, nearest } = bind(body(`[${A},"and",${B}]`, '"order":[{"text":"desc"}],"limit":7'), {
    ...REQUEST,
    access: accessOf(customKey({ filter })),
  });
  t.match(extraction, { asList: true, page: { number: 1, taken: 0, rows: 7 }, near: null });
  t.match(extraction.plan, { condition: d, scored: [a, b], near: null, after: null, limit: 7 });
  t.match(extraction.plan.order, [{ descending: true }]);
  t.equal(nearest, null);
  t.match(bind(body(`[${A}]`)).extraction.plan, { condition: null, limit: 100, order: [] });
});

t.test(
  'the nearest are found among all rows that the key sees, and score a point by their IDs',
  async (t) => {
    const filter = [{ dimension: 'default', conditions: '{"int":{"equals":4}}' }];
    const request = { ...REQUEST, access: accessOf(customKey({ columnsWhitelist: null, filter })) };
    const score = bind(body(`[${A},"and",[${B},"or",${near()}]]`, '"order":[{"text":"desc"}]'), request);
    const point = { from: 'attribute', columnId: GEO, longitude: 1, latitude: 2, tests: [] };
    t.strictSame(score.nearest, {
      ...{ databaseId: 1, dimensionId: 1, condition: d, scored: null, near: point, order: [] },
      ...{ after: null, limit: 5, columns: [] },
    });
    const isNearest: Condition = {
      op: 'entity-id',
      tests: [{ kind: 'text', match: 'equals', texts: ['x', 'y'], negated: false }],
    };
    const { plan } = score.extraction;
    t.strictSame(planWithNearest(score, ['x', 'y']), { ...plan, scored: [a, b, isNearest], near: point });
    t.strictSame(planWithNearest(score, []), plan, 'without hidden rows no condition is added');
    t.equal(planWithNearest(bind(body(`[${near()}]`)), []), null, 'no operand can add to the score');
    const events = near(`,${TODAY}`).replace('"geo"', '"ge"');
    t.match(bind(body(`[${events}]`)).nearest, { near: { from: 'events', columnId: GE } });
  },
);

t.test('a column "score" is not part of "all", because rows contain their score', async (t) => {
  const names = bind(`{"query":[${A}],"columns":"all"}`).extraction.columns.map(
    ({ column }) => column.apiName,
  );
  t.strictSame(names, ['text', 'int', 'dec', 'time', 'geo', 'list', 'bool', 'day']);
});

t.test('rows contain their score, and their distance if they have a point', async (t) => {
  const { extraction } = bind(`{"query":[${A},"or",${near()}],"columns":["int","entity-id"]}`);
  const row = (id: string, score: number, distanceKm: number | null): ExtractedRow => ({
    position: { id, score, distanceKm: distanceKm ?? 0, values: [] },
    nearest: distanceKm === null ? null : { longitude: 1, latitude: 2 },
    values: ['1', id],
  });
  t.equal(
    extractionText(extraction, [row('x', 2, 0), row('y', 1, null)]),
    '"data":[{"int":"1","entity-id":"x","score":2,"geo_distance":0.0},{"int":"1","entity-id":"y","score":1}],' +
      '"page":1,"next-page":null',
  );
  const full = Array.from({ length: 100 }, () => row('x', 1, null));
  t.match(extractionText(bind(body(`[${A}]`)).extraction, full), /"next-page":null$/);
});

const token = (): string => {
  const extraction = bindExtraction(json(body(`[${A}]`, '"limit":2000')), REQUEST);
  const rows = Array.from({ length: 1025 }, () => ({
    ...{ position: { id: 'x', score: 0, distanceKm: 0, values: [] }, nearest: null, values: ['1'] },
  }));
  return /"page-token":"([^"]+)"/.exec(extractionText(extraction, rows))?.[1] ?? '';
};

const REFUSED: readonly Refusal[] = [
  ['a limit of 101', body(`[${A}]`, '"limit":101'), 4028, '100'],
  ['a limit of 0', body(`[${A}]`, '"limit":0'), 4028, '"limit"'],
  ["a result's token", body(`[${A}]`, `"limit":2000,"page-token":"${token()}"`), 4028, '100'],
  ['any token', body(`[${A}]`, `"page-token":"${token()}"`), 4029, 'page-token'],
  ['a column "score"', `{"query":[${A}],"columns":["int","score"]}`, 4049, '"score"'],
  ['an operator missing', body(`[${A},${B}]`), 4007, 'query[1]'],
  ['an operator at the end', body(`[${A},"or"]`), 4007, 'query'],
  ['the nearest in a list of all', body(`[[${A},"and",${near()}]]`), 4007, 'query[0][2].geo.geo_near'],
  ['not the nearest', body(`["not",${near()}]`), 4007, 'query[1].geo.geo_near'],
  ['the nearest in a negated list', body(`["not",[${A},"or",${near()}]]`), 4007, 'query[1][2].geo.geo_near'],
  ['the nearest 1,025', body(`[${near().replace('5', '1025')}]`), 4049, '1024'],
  ['the nearest twice', body(`[${near()},"or",[${near()},"or",${A}]]`), 4049, 'query[2][0].geo.geo_near'],
  [
    'two windows',
    body(`[{"ie":{"equals":1,${TODAY}}},"or",{"ie":{"equals":1,"between":["2018-01-01","now"]}}]`),
    4055,
    'query[2]',
  ],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, (text: Json) => bindScore(text, REQUEST));
});
