/**
 * Counts of events, aggregations, top values, extractions and saved queries: every limited part is accepted at its
 * limit and refused past it, lists of any nesting depth are refused with a code, and the errors of every part and field
 * are reported.
 */
import t from 'tap';
import type { ErrorCode } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import { codesOf, errorsOf, startCodesServer } from './codes-server.js';

const WEEK = ['2020-01-01', '2020-01-07'];
const GOOD = { name: { equals: 'x' } };
const VISITS = { visit: { equals: 'x', between: WEEK } };

const COLUMNS: readonly object[] = [
  { name: 'name', type: 'string' },
  { name: 'visit', type: 'string-event' },
  { name: 'paid', type: 'decimal-event' },
  ...Array.from({ length: 21 }, (_, index) => ({ name: `c${index}`, type: 'integer' })),
];

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const anyOf = (count: number): unknown[] =>
  times(count, (index) => ({ [`c${index}`]: { gt: 1 } })).flatMap((one, index) =>
    index === 0 ? [one] : ['or', one],
  );
const named = (count: number, query: object): object =>
  Object.fromEntries(times(count, (index) => [`q${index}`, query]));
/** JSON text of a value in nested lists. */
const nested = (depth: number, inside: unknown): string =>
  '['.repeat(depth) + JSON.stringify(inside) + ']'.repeat(depth);

const event = (body: object): ApiRequest => ({ path: '/v1/query/count/event', body });
const aggregation = (body: object): ApiRequest => ({ path: '/v1/query/aggregation', body });
const top = (body: object): ApiRequest => ({ path: '/v1/query/top_values', body });
const rows = (body: object): ApiRequest => ({
  path: '/v1/data_extraction/result',
  body: { query: [GOOD], columns: ['name'], ...body },
});
const score = (body: object): ApiRequest => ({ ...rows(body), path: '/v1/data_extraction/score' });
const saved = (body: object): ApiRequest => ({
  path: '/v1/query/saved',
  body: { type: 'count/entity', query: [GOOD], ...body },
});

/** Upper limits: the limit, a request with a given number, and the code for one more. */
const BOUNDS: readonly (readonly [what: string, most: number, (count: number) => ApiRequest, ErrorCode])[] = [
  [
    'queries of events',
    10,
    (n) => event(times(n, (index) => ({ 'query-name': `q${index}`, query: [VISITS] }))),
    4036,
  ],
  ['columns of a filter', 20, (n) => aggregation({ filter: anyOf(n), query: [{ name: 1 }] }), 4013],
  ['columns of an extraction', 20, (n) => rows({ query: anyOf(n) }), 4013],
  ['columns of a score', 20, (n) => score({ query: anyOf(n) }), 4013],
  ['levels', 5, (n) => aggregation({ query: times(n, () => ({ name: 1 })) }), 4048],
  ['values of a level', 1_000, (n) => aggregation({ query: [{ name: n }] }), 4051],
  ['values of a list', 100, (n) => aggregation({ query: [{ c0: 1, in: times(n, (index) => index) }] }), 4048],
  ['windows', 1_000, (n) => aggregation({ query: [{ paid: 'sum', between: times(n, () => WEEK) }] }), 4048],
  ['queries of top values', 100, (n) => top(named(n, { name: 1 })), 4036],
  ['top values', 1_000, (n) => top({ q: { name: n } }), 4051],
  ['minfreq of top values', 10_000, (n) => top({ q: { name: 1, minfreq: n } }), 4050],
  ['columns given', 10, (n) => rows({ columns: times(n, (index) => `c${index}`) }), 4030],
  ['columns of a score', 10, (n) => score({ columns: times(n, (index) => `c${index}`) }), 4030],
  ['columns of an order', 10, (n) => rows({ order: times(n, (index) => ({ [`c${index}`]: 'asc' })) }), 4048],
  ['rows of a score', 100, (n) => score({ limit: n }), 4028],
  ['characters of a name', 64, (n) => saved({ name: 'x'.repeat(n) }), 4041],
];

/** Lower limits: the minimum, a request with a given number, and the code for one less. */
const LEAST: readonly (readonly [what: string, least: number, (count: number) => ApiRequest, ErrorCode])[] = [
  ['values of a level', 1, (n) => aggregation({ query: [{ name: n }] }), 4051],
  ['top values', 1, (n) => top({ q: { name: n } }), 4051],
  ['minfreq', 1, (n) => top({ q: { name: 1, minfreq: n } }), 4050],
  ['a limit', 1, (n) => rows({ limit: n }), 4028],
  ['a limit of a score', 1, (n) => score({ limit: n }), 4028],
  ['a cache-period', 5, (n) => saved({ name: `period-${n}`, 'cache-period': n }), 4033],
];

/** Bodies as JSON text, with conditions nested to the given depth. */
const CONDITIONS: readonly (readonly [path: string, (depth: number) => string])[] = [
  ['/v1/query/count/event', (n) => `{"query-name":"q","query":${nested(n, VISITS)}}`],
  ['/v1/query/aggregation', (n) => `{"query":[{"name":1}],"filter":${nested(n, GOOD)}}`],
  ['/v1/data_extraction/result', (n) => `{"columns":["name"],"query":${nested(n, GOOD)}}`],
  ['/v1/data_extraction/score', (n) => `{"columns":["name"],"query":${nested(n, GOOD)}}`],
  ['/v1/query/saved', (n) => `{"name":"deep-${n}","type":"count/entity","query":${nested(n, GOOD)}}`],
];
/** Bodies with other nested lists. */
const OTHERS: typeof CONDITIONS = [
  ['/v1/query/aggregation', (n) => `{"query":${nested(n, { name: 1 })}}`],
  ['/v1/query/aggregation', (n) => `{"query":[{"paid":"sum","between":${nested(n, '2020-01-01')}}]}`],
  ['/v1/query/top_values', (n) => `{"q":{"name":1,"equals":${nested(n, 'x')}}}`],
  ['/v1/data_extraction/result', (n) => `{"columns":${nested(n, 'name')},"query":${nested(1, GOOD)}}`],
];

t.setTimeout(60_000);

t.test('queries of every kind at their limits, past them, and with many faults', async (t) => {
  const { client } = await startCodesServer(t);
  await client.succeed({ path: '/v1/column', body: COLUMNS });
  await client.succeed({ path: '/v1/insert', body: { u1: { name: 'x', c0: 5 } } });
  const codes = async (request: ApiRequest): Promise<readonly ErrorCode[]> =>
    codesOf(await client.request(request));

  await t.test('every limited part', async (t) => {
    for (const [what, most, request, code] of BOUNDS) {
      t.strictSame(await codes(request(most)), [], `${what}: ${most}`);
      t.strictSame(await codes(request(most + 1)), [code], `${what}: one more`);
    }
    for (const [what, least, request, code] of LEAST) {
      t.strictSame(await codes(request(least)), [], `${what}: ${least}`);
      t.strictSame(await codes(request(least - 1)), [code], `${what}: one less`);
    }
  });

  await t.test('nested lists', async (t) => {
    for (const [path, text] of CONDITIONS) {
      t.strictSame(await codes({ path, text: text(64) }), [], `${path}: 64 deep`);
      t.strictSame(await codes({ path, text: text(65) }), [4049], `${path}: 65 deep`);
    }
    for (const [path, text] of [...CONDITIONS, ...OTHERS]) {
      const [{ code }] = errorsOf(await client.request({ path, text: text(65) }));
      t.ok(code > 4_000 && code < 5_000, `${path} 65 deep: ${code}`);
      for (const depth of [1_000, 100_000]) {
        t.strictSame(await codes({ path, text: text(depth) }), [1503], `${path}: ${depth} deep`);
      }
    }
  });

  await t.test('the faults of all parts', async (t) => {
    const counted = [
      { 'query-name': 'q', query: [VISITS, 'and', VISITS], interval: 'day' },
      { 'query-name': 'q', dimension: 'none', query: 5, interval: 5 },
      { query: [{ c0: { gt: 1 } }], 'bypass-cache': 1, x: 1 },
    ];
    t.strictSame(await codes(event(counted)), [4037, 4027, 4054, 5008, 4026, 4027, 4049, 4010, 4040, 4049]);
    const levels = [{ name: 0, gt: 1 }, { none: 1 }, 5, { visit: 1 }, { c0: 'mean', between: WEEK }];
    const aggregated = { filter: [GOOD, GOOD], query: levels, x: 1 };
    t.strictSame(
      await codes(aggregation(aggregated)),
      [4049, 4020, 4051, 4039, 4008, 4015, 4005, 4045, 4017],
    );
    const topped = {
      a: { name: 0, minfreq: 0 },
      b: { none: 1 },
      '': { name: 1 },
      d: 5,
      e: { name: 1, dimension: 'none' },
    };
    t.strictSame(await codes(top(topped)), [4051, 4050, 4008, 4047, 4004, 5008]);
    const extracted = { query: [], columns: ['none', 'visit', 5], order: [{ visit: 'asc' }], limit: 0, x: 1 };
    t.strictSame(await codes(rows(extracted)), [4049, 4014, 4008, 4018, 4049, 4028, 4040]);
    t.strictSame(
      await codes(score({ ...extracted, limit: 101 })),
      [4049, 4014, 4008, 4018, 4049, 4028, 4040],
    );
    const named = { name: 'no name', type: 'count/event', query: [GOOD], 'cache-period': 1, x: 1 };
    t.strictSame(await codes(saved(named)), [4049, 4034, 4040, 4033]);
    t.strictSame(await codes(saved({ name: '', type: 'none' })), [4041, 4024]);
    const listed = await client.succeed({ path: '/v1/query/saved' });
    t.notMatch(JSON.stringify(listed), /no name/, 'a refused query is not saved');
  });
});
