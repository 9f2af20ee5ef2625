/**
 * Valid and almost valid bodies: for every endpoint a body with all of its fields, conditions and queries of every
 * predicate over columns of every type, and the bodies of the conformance cases.
 */
import fs from 'node:fs';
import fc from 'fast-check';
import { BODIES, QUERY_NAME } from '../conformance/codes/codes-bodies.js';
import type { Tree } from '../conformance/codes/codes-swaps.js';
import type { ApiRequest } from '../support/json-client.js';

export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  readonly who: 'team' | 'master';
  readonly body: Tree;
  /** Requests without which this one is not accepted. They may be refused. */
  readonly before: readonly ApiRequest[];
}

const CASES = new URL('../../../test/conformance/cases/', import.meta.url);

/** Numbers that JSON.parse would round; their digits do not matter here. */
const LONG_NUMBERS = /(?<![\d.])\d{16,}(?:\.\d+)?/g;

/** Tests run from dist/, but their data is next to the sources. */
const readJson = (name: string): Readonly<Record<string, Tree>> =>
  JSON.parse(fs.readFileSync(new URL(name, CASES), 'utf8').replace(LONG_NUMBERS, '123456789'));

interface DataSet {
  readonly columns: Tree;
  readonly insert: Tree;
}

/** The data sets of the cases. */
export function caseData(): DataSet[] {
  return Object.values(readJson('shared-data.json').data as unknown as Record<string, DataSet>);
}

const CASE_FILES: readonly (readonly [file: string, path: string])[] = [
  ['aggregation.json', '/v1/query/aggregation'],
  ['count-entity.json', '/v1/query/count/entity'],
  ['count-event.json', '/v1/query/count/event'],
  ['top-values.json', '/v1/query/top_values'],
  ['result.json', '/v1/data_extraction/result'],
  ['score.json', '/v1/data_extraction/score'],
  ['update.json', '/v1/query/count/entity'],
  ['delete.json', '/v1/query/count/entity'],
  ['relation.json', '/v1/query/count/entity'],
];

interface Case {
  readonly query: Tree;
  readonly steps?: readonly { readonly post: string; readonly body: Tree }[];
}

const post = (path: string, body: Tree): ValidRequest => ({
  method: 'POST',
  path,
  who: 'master',
  body,
  before: [],
});

function caseRequests(): ValidRequest[] {
  return CASE_FILES.flatMap(([file, path]) =>
    (readJson(file).cases as unknown as Case[]).flatMap(({ query, steps = [] }) => [
      post(path, query),
      ...steps.map((step) => post(step.post, step.body)),
    ]),
  );
}

/** Requests to every endpoint that has a body. */
function endpointRequests(): ValidRequest[] {
  return Object.entries(BODIES).map(([name, { body, before = [], pathName = QUERY_NAME, team }]) => {
    const [method, path] = name.split(' ');
    const at = path.replace(/:\w+/, pathName);
    return { method, path: at, who: team === true ? 'team' : 'master', body, before };
  });
}

const NAMES = ['name', 'tags', 'age', 'price', 'flag', 'born', 'seen', 'home', 'grade', 'entity-id'] as const;
const EVENTS = ['visit', 'paid', 'place'] as const;
const WORDS = [
  'ann',
  'ANN',
  'x',
  'a',
  'ümläut',
  'İ',
  '\u{1f600}',
  '',
  ' ',
  '30',
  'true',
  '2020-01-02',
  '__proto__',
];
const NUMBERS = [-1, 0, 1, 5, 30, 1.5, 1.25, 1e15, -1e300, 0.1, '30', '2.25', '9223372036854775807'];
const DATES = [
  '2020-01-01',
  '2020-01-02T03:04:05Z',
  'now',
  '+1d',
  '-1m',
  '1990-01-01',
  '2100-12-31',
  '2020-02-29',
];

const point = { longitude: fc.double({ min: -180, max: 180 }), latitude: fc.double({ min: -90, max: 90 }) };
const geo = fc.oneof(
  fc.record({
    geo_radius: fc.record({ ...point, radius: fc.nat(500), unit: fc.constantFrom('km', 'mi', 'deg', 'm') }),
  }),
  fc.record({
    geo_bounding_box: fc.record({ 'lower-left': fc.record(point), 'upper-right': fc.record(point) }),
  }),
) as fc.Arbitrary<Tree>;

const windows = fc.tuple(fc.constantFrom(...DATES), fc.constantFrom(...DATES));

const operands = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Tree>(...WORDS) },
  { weight: 4, arbitrary: fc.constantFrom<Tree>(...NUMBERS) },
  { weight: 1, arbitrary: fc.constantFrom<Tree>(true, false, null, ...DATES) },
);

const predicates = fc.oneof(
  fc.tuple(
    fc.constantFrom('equals', 'not-equals', 'gt', 'gte', 'lt', 'lte', 'starts-with', 'not-ends-with'),
    operands,
  ),
  fc.tuple(
    fc.constantFrom('in', 'not-in', 'contains', 'not-contains', 'range'),
    fc.array(operands, { minLength: 1, maxLength: 3 }),
  ),
) as fc.Arbitrary<[string, Tree]>;

const attribute = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(predicates, { minLength: 1, maxLength: 2 }))
  .map(([name, tests]): Tree => ({ [name]: Object.fromEntries(tests) }));
const event = fc
  .tuple(fc.constantFrom(...EVENTS), predicates, windows, fc.option(fc.integer({ min: 1, max: 5 })))
  .map(
    ([name, [test, operand], between, minfreq]): Tree => ({
      [name]: { [test]: operand, between, ...(minfreq === null ? {} : { minfreq }) },
    }),
  );
const nearBy = fc
  .tuple(fc.constantFrom('home', 'place'), geo)
  .map(([name, test]): Tree => ({ [name]: test }));
const condition = fc.oneof(attribute, event, nearBy);

const { query } = fc.letrec<{ query: Tree; item: Tree }>((tie) => ({
  item: fc.oneof({ depthSize: 'small', withCrossShrink: true }, condition, condition, tie('query')),
  query: fc
    .tuple(
      fc.boolean(),
      fc.array(fc.tuple(tie('item'), fc.constantFrom('and', 'or')), { minLength: 1, maxLength: 3 }),
    )
    .map(([negated, items]) => {
      const list = items.flatMap(([item, by], index) => (index === 0 ? [item] : [by, item]));
      return negated ? ['not', ...list] : list;
    }),
}));

const column = fc.constantFrom(...NAMES, ...EVENTS);
const level = fc
  .tuple(
    column,
    fc.constantFrom<Tree>(
      1,
      5,
      1_000,
      'count',
      'sum',
      'median',
      'p95',
      'count-distinct',
      'max',
      'count-events',
    ),
    fc.option(predicates),
    fc.option(windows),
    fc.option(fc.constantFrom('days', 'weeks', 'months', 'hours', 'minutes')),
  )
  .map(
    ([name, expected, test, between, interval]): Tree => ({
      [name]: expected,
      ...(test === null ? {} : { [test[0]]: test[1] }),
      ...(between === null ? {} : { between }),
      ...(interval === null ? {} : { interval }),
    }),
  );

const extracted = fc
  .tuple(query, fc.array(column, { minLength: 1, maxLength: 4 }), column, fc.integer({ min: 1, max: 20 }))
  .map(
    ([expected, columns, order, limit]): Tree => ({
      query: expected,
      columns: columns.map(
        (name): Tree => (name === 'visit' || name === 'paid' ? { [name]: ['2020-01-01', 'now'] } : name),
      ),
      order: [{ [order]: limit % 2 === 0 ? 'asc' : 'desc' }],
      limit,
    }),
  );

const written = fc.dictionary(
  fc.constantFrom(...NAMES.slice(0, -1), ...EVENTS, 'fresh-1', 'fresh-2'),
  fc.oneof(
    operands,
    fc.array(operands, { maxLength: 3 }),
    fc.record({ value: operands, date: fc.constantFrom(...DATES) }),
    fc.tuple(fc.double({ min: -180, max: 180 }), fc.double({ min: -90, max: 90 })),
  ) as fc.Arbitrary<Tree>,
  { minKeys: 1, maxKeys: 4 },
);
const ids = fc.oneof(
  fc.constantFrom('u1', 'u2', '__proto__', 'İ'),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const inserted = fc
  .tuple(fc.dictionary(ids, written, { minKeys: 1, maxKeys: 3 }), fc.boolean())
  .map(([entities, creates]): Tree => ({ ...entities, ...(creates ? { 'auto-create': ['column'] } : {}) }));

const made: fc.Arbitrary<ValidRequest> = fc.oneof(
  query.map((body) => post('/v1/query/count/entity', { 'query-name': 'q', query: body })),
  fc.tuple(event, fc.option(fc.constantFrom('days', 'months', 'hours'))).map(([body, interval]) =>
    post('/v1/query/count/event', {
      'query-name': 'q',
      query: [body],
      ...(interval === null ? {} : { interval }),
    }),
  ),
  fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 3 }), query)
    .map(([levels, filter]) => post('/v1/query/aggregation', { query: levels, filter })),
  level.map((body) => post('/v1/query/top_values', { words: body })),
  extracted.map((body) => post('/v1/data_extraction/result', body)),
  extracted.map((body) => post('/v1/data_extraction/score', body)),
  fc.array(ids, { minLength: 1, maxLength: 5 }).map((list) => post('/v1/query/exists/entity', { ids: list })),
  inserted.map((body) => post('/v1/insert', body)),
  fc.tuple(query, written).map(([body, set]) => post('/v1/update', { query: body, set })),
  query.map((body) => post('/v1/delete', { query: body })),
);

/** Requests of all kinds. Generated requests are as frequent as fixed ones. */
export function validRequests(): fc.Arbitrary<ValidRequest> {
  return fc.oneof(made, fc.constantFrom(...endpointRequests()), fc.constantFrom(...caseRequests()));
}
