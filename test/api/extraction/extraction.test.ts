import t from 'tap';
import {
  accessOf,
  bindExtraction,
  type Extraction,
  type ExtractionRequest,
  extractionText,
  type Json,
} from '../../../src/api/index.js';
import type { QuarryError } from '../../../src/base/index.js';
import type { ExtractedRow, RowPosition } from '../../../src/ir/index.js';
import { customKey, json } from '../databases.js';
import {
  DEC,
  GE,
  GEO,
  IE,
  INT,
  INT_IS,
  intAbove,
  intIs,
  MODEL,
  NOW_MS,
  REQUEST,
  TEXT,
} from '../extractions.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const bind = (text: string, request: ExtractionRequest = REQUEST): Extraction =>
  bindExtraction(json(text), request);
const query = (conditions: string, fields = ''): string =>
  `{"query":[${conditions}],"columns":["int"]${fields === '' ? '' : `,${fields}`}}`;
const A = INT_IS(5);

const NEAR = '"geo_near":{"longitude":10,"latitude":-20.5,"limit":3}';
const NEAR_GEO = `{"geo":{${NEAR}}}`;
const WEEK = '["2018-01-01","2018-01-08"]';
const WEEK_WINDOW = { from: Date.UTC(2018, 0, 1) / 1000, to: Date.UTC(2018, 0, 8) / 1000 };

const rowAt = (position: Partial<RowPosition>): ExtractedRow => ({
  position: { id: 'x', score: 0, distanceKm: 0, values: [], ...position },
  nearest: null,
  values: [null],
});
const rowsTo = (count: number, last: Partial<RowPosition> = {}): ExtractedRow[] => [
  ...Array.from({ length: count - 1 }, () => rowAt(last)),
  rowAt(last),
];

/** The members of an answer, parsed. */
const read = (members: string): Record<string, unknown> => JSON.parse(`{${members}}`);
/** The token of the page that follows a full page whose last row is at `last`. */
const tokenBehind = (extraction: Extraction, last: Partial<RowPosition> = {}): string =>
  read(extractionText(extraction, rowsTo(extraction.plan.limit, last)))['page-token'] as string;
/** The body with a token. */
const withToken = (body: string, token: string): string => `${body.slice(0, -1)},"page-token":"${token}"}`;

t.test('a body is bound to a plan for its first page', async (t) => {
  t.strictSame(bind(query(A)).plan, {
    databaseId: 1,
    dimensionId: 1,
    condition: intIs(5n),
    scored: null,
    near: null,
    order: [],
    after: null,
    limit: 100,
    columns: [{ type: 'integer', decimalPlaces: null, from: 'attribute', columnId: INT }],
  });
  t.match(bind(query(A)), { asList: false, bypassCache: false, page: { number: 1, taken: 0, rows: 100 } });
  const full = `{"dimension":"other","query":[{"all":{"equals":"x"}}],"columns":["all"],"bypass-cache":true}`;
  t.match(bind(full), { bypassCache: true, plan: { dimensionId: 2 } });
});

t.test('rows are a list when there is an order or when the entity ID is named', async (t) => {
  const asList = (fields: string): boolean => bind(`{"query":[${A}],${fields}}`).asList;
  t.equal(asList('"columns":["int"]'), false);
  t.equal(asList('"columns":"all"'), false);
  t.equal(asList('"columns":["int","entity-id"]'), true);
  t.equal(asList('"columns":["int"],"order":[{"text":"asc"}]'), true);
  t.equal(asList('"columns":["int"],"order":{"int":"asc"}'), true);
});

t.test('a page requests one row more than it contains, and never more than the limit', async (t) => {
  const limits = (limit: string): readonly [number, number] => {
    const { plan, page } = bind(query(A, `"limit":${limit}`));
    return [plan.limit, page.rows];
  };
  t.strictSame(limits('1'), [1, 1]);
  t.strictSame(limits('1023'), [1023, 1023]);
  t.strictSame(limits('1024'), [1024, 1024]);
  t.strictSame(limits('1025'), [1025, 1024]);
  t.strictSame(limits('1000001'), [1025, 1024]);
  t.strictSame(limits('99999999999999999999999999'), [1025, 1024]);
});

t.test('pages follow one another to the limit, each from the last row of the one before', async (t) => {
  const body = query(A, '"limit":2100,"order":[{"dec":"desc"},{"entity-id":"asc"}]');
  const first = bind(body);
  const last = { id: 'last', values: [-(2n ** 63n), 'last'] };
  const second = bind(withToken(body, tokenBehind(first, last)));
  t.match(second.page, { number: 2, taken: 1024, rows: 1024 });
  t.strictSame(second.plan, { ...first.plan, after: { score: 0, distanceKm: 0, ...last } });
  const third = bind(withToken(body, tokenBehind(second, { id: 'z', values: [null, 'z'] })));
  t.match(third.page, { number: 3, taken: 2048, rows: 52 });
  t.equal(third.plan.limit, 52);
  t.strictSame(third.plan.after, { id: 'z', score: 0, distanceKm: 0, values: [null, 'z'] });
  t.match(read(extractionText(third, rowsTo(52, { values: [null, 'z'] }))), { page: 3, 'next-page': null });
});

t.test('a token is valid for its body, with any white space and order of keys', async (t) => {
  const body = `{"query":[{"ie":{"gt":1,"between":["2018-01-01","now"]}}],"columns":["int"],"limit":2000}`;
  const token = tokenBehind(bind(body));
  const later = { ...REQUEST, nowMs: NOW_MS + 60_000 };
  const same = `{"limit":2000, "page-token":"${token}",
    "columns" : ["int"], "query":[{"ie":{"between":["2018-01-01","now"],"gt":1}}]}`;
  t.strictSame(
    bind(same, later).plan.condition,
    bind(body).plan.condition,
    'now is the time of the first page',
  );
  const refusedFor = (other: string, request: ExtractionRequest = REQUEST): void => {
    t.throws(() => bind(withToken(other, token), request), { code: 4029 }, other);
  };
  refusedFor(body.replace('2000', '2001'));
  refusedFor(body.replace('"gt":1', '"gt":1.0'));
  refusedFor(body.replace('"int"', '"text"'));
  refusedFor(`${body.slice(0, -1)},"bypass-cache":false}`);
  refusedFor(body, { ...REQUEST, caller: 'somebody else' });
  refusedFor(body, { ...REQUEST, model: { ...MODEL, id: 2 } });
});

t.test('the relative dates of columns are those of the first page too', async (t) => {
  const body = `{"query":[${A}],"columns":[{"ie":["now","-1d"]}],"limit":2000}`;
  const first = bind(body);
  const second = bind(withToken(body, tokenBehind(first)), { ...REQUEST, nowMs: NOW_MS + 86_400_000 });
  t.strictSame(second.plan.columns, first.plan.columns);
  const to = Math.floor(NOW_MS / 1000);
  t.match(first.plan.columns, [{ from: 'events', columnId: IE, window: { from: to - 86_400, to } }]);
});

t.test("every page applies the key's current row filter", async (t) => {
  const conditions = '{"ie":{"gt":1,"between":["now","-1d"]}}';
  const access = accessOf(customKey({ filter: [{ dimension: 'default', conditions }] }));
  const body = query(A, '"limit":2000');
  const first = bind(body, { ...REQUEST, access });
  const seenTo = Math.floor(NOW_MS / 1000);
  const condition = (to: number) => ({
    op: 'and',
    members: [{ op: 'event', event: { window: { from: to - 86_400, to } } }, intIs(5n)],
  });
  t.match(first.plan.condition, condition(seenTo));
  const later = { ...REQUEST, access, nowMs: NOW_MS + 5_000 };
  t.match(bind(withToken(body, tokenBehind(first)), later).plan.condition, condition(seenTo + 5));
});

t.test('a position that no row can have in this order is refused', async (t) => {
  const order = '"limit":2000,"order":[{"int":"asc"},{"text":"asc"},{"entity-id":"asc"}]';
  const body = query(A, order);
  const taken = (last: Partial<RowPosition>): unknown => {
    try {
      return bind(withToken(body, tokenBehind(bind(body), last))).plan.after?.values;
    } catch (error) {
      return (error as QuarryError).code;
    }
  };
  t.strictSame(taken({ values: [5n, 'i5', 'x'] }), [5n, 'i5', 'x']);
  t.strictSame(taken({ values: [null, null, 'x'] }), [null, null, 'x']);
  t.equal(taken({ values: ['5', 't', 'x'] }), 4029, 'a text in place of an integer');
  t.equal(taken({ values: [5n, 5n, 'x'] }), 4029, 'an integer in place of a text');
  t.equal(taken({ values: [5n, 't', null] }), 4029, 'no ID');
  t.equal(taken({ values: [5n, 't'] }), 4029, 'too few');
  t.equal(taken({ values: [5n, 't', 'x', 'x'] }), 4029, 'too many');
  t.equal(taken({ values: [5n, 't', 'x'], score: 1 }), 4029, 'a score');
  t.equal(taken({ values: [5n, 't', 'x'], distanceKm: 0.5 }), 4029, 'a distance');
});

t.test('the plan contains the nearest points, and the other conditions narrow the entities', async (t) => {
  const point = { longitude: 10, latitude: -20.5 };
  const near = { ...point, columnId: GEO, tests: [], from: 'attribute' };
  const found = bind(query(`${NEAR_GEO},"and",${A}`));
  t.strictSame([found.plan.near, found.plan.condition, found.plan.limit], [near, intIs(5n), 3]);
  t.match(found.near, { column: { apiName: 'geo' }, showCoordinates: false });
  t.strictSame(bind(query(NEAR_GEO)).plan.condition, null);
  t.strictSame(
    bind(query(`[[${NEAR_GEO}]]`)).plan.near,
    near,
    'lists of one element are equivalent to the element',
  );
  t.match(bind(query(`[[${NEAR_GEO},"and",${A}]]`)).plan, { near, condition: intIs(5n) });
  t.match(bind(query(`["not",${A},"and",${NEAR_GEO},"and",[${A},"or",${A}]]`)).plan.condition, {
    op: 'and',
    members: [{ op: 'not' }, { op: 'or' }],
  });
  t.equal(bind(query(NEAR_GEO, '"limit":2')).plan.limit, 2, 'the smaller limit applies');
  const many = bind(query(NEAR_GEO.replace('"limit":3', '"limit":5000'), '"limit":3000'));
  t.strictSame([many.plan.limit, many.page.rows], [1025, 1024]);
});

t.test('pages of nearest points continue from a distance', async (t) => {
  const body = query(NEAR_GEO.replace('"limit":3', '"limit":1500'), '"limit":5000');
  const last = { id: 'far', distanceKm: 6371.008800000001 };
  const next = bind(withToken(body, tokenBehind(bind(body), last)));
  t.strictSame(next.plan.after, { score: 0, values: [], ...last });
  t.strictSame([next.plan.limit, next.page.rows, next.page.number], [476, 476, 2]);
});

t.test('other predicates of the same condition narrow the points', async (t) => {
  const box =
    '"geo_bounding_box":{"lower-left":{"longitude":0,"latitude":0},"upper-right":{"longitude":1,"latitude":1}}';
  t.match(bind(query(`{"geo":{${NEAR},${box}}}`)).plan.near, { tests: [{ kind: 'geo-box', east: 1 }] });
  const events = { from: 'events', columnId: GE, window: WEEK_WINDOW, longitude: 10 };
  t.match(bind(query(`{"ge":{${NEAR},"between":${WEEK}}}`)).plan.near, { ...events, tests: [] });
  const inside = `{"ge":{${NEAR.slice(0, -1)},"between":${WEEK}},${box}}}`;
  t.match(bind(query(inside)).plan.near, { ...events, tests: [{ kind: 'geo-box' }] });
  t.equal(bind(query(NEAR_GEO.replace('3}', '3,"show_coordinates":true}'))).near?.showCoordinates, true);
});

t.test('event columns of one window may be combined, relative or not', async (t) => {
  const text = `{"ie":{"gt":1,"between":${WEEK}}},"or",["not",{"ie":{"equals":2,"between":["2018-01-08","-1w"]}}],
    "or",{"freqgroup":[{"ie":{"gt":1,"between":${WEEK}}}],"minfreq":2}`;
  t.match(bind(query(text)).plan.condition, { op: 'or' });
});

const other = (window: string): string => `{"ie":{"gt":1,"between":${window}}}`;
const near = (more: string): string => `{"geo":{"geo_near":{"longitude":1,"latitude":2${more}}}}`;
const order = (text: string): string => query(A, `"order":${text}`);
const REFUSED: readonly Refusal[] = [
  ['a body that is not an object', '[]', 4004, 'a list'],
  ['no query', '{"columns":["int"]}', 4010, '"query"'],
  ['no columns', `{"query":[${A}]}`, 4010, '"columns"'],
  ['a query that is not a list', '{"query":{},"columns":["int"]}', 4026, 'an object'],
  ['an empty query', query(''), 4014, 'query'],
  ['an unknown field', query(A, '"query-name":"q"'), 4049, '"query-name"'],
  ['an unknown dimension', query(A, '"dimension":"nowhere"'), 5008, '"nowhere"'],
  ['a dimension that is not a string', query(A, '"dimension":5'), 5009, 'a number'],
  ['a bypass-cache that is not a boolean', query(A, '"bypass-cache":1'), 4049, 'bypass-cache'],
  ['a limit of 0', query(A, '"limit":0'), 4028, '"limit"'],
  ['a negative limit', query(A, '"limit":-1'), 4028, '"limit"'],
  ['a limit with a fraction', query(A, '"limit":10.0'), 4028, '10.0'],
  ['a limit with an exponent', query(A, '"limit":1e2'), 4028, '1e2'],
  ['a limit as a string', query(A, '"limit":"10"'), 4028, 'a string'],
  ['a null limit', query(A, '"limit":null'), 4028, 'null'],
  ['a token that is not a string', query(A, '"page-token":5'), 4029, 'page-token'],
  ['an empty token', query(A, '"page-token":""'), 4029, 'page-token'],
  ['a token made up', query(A, '"page-token":"AAAA"'), 4029, 'page-token'],
  ['a token of any length', query(A, `"page-token":"${'A'.repeat(200_000)}"`), 4029, 'page-token'],
  ['an order by a place', order('[{"geo":"asc"}]'), 4039, 'order[0]'],
  ['an order by lists', order('[{"int":"asc"},{"list":"asc"}]'), 4039, 'order[1]'],
  ['an order by events', order('[{"ie":"asc"}]'), 4040, 'order[0]'],
  ['an unknown predicate', query('{"int":{"like":5}}'), 4049, 'query[0].int.like'],
  ['two windows', query(`${other(WEEK)},"and",${other('["2018-01-01","2018-01-09"]')}`), 4055, 'query[2]'],
  [
    'two windows in a frequency group',
    query(`{"freqgroup":[${other(WEEK)},${other('["today"]')}],"minfreq":1}`),
    4055,
    'query[0].freqgroup[1]',
  ],
  [
    'another window in a list',
    query(`${other(WEEK)},"and",["not",${A},"or",[${other('["today"]')}]]`),
    4055,
    'query[2][3][0]',
  ],
  [
    'another window of the nearest',
    query(`${other(WEEK)},"and",{"ge":{${NEAR},"between":["today"]}}`),
    4055,
    'query[2]',
  ],
  ['two that are nearest', query(`${NEAR_GEO},"and",${NEAR_GEO}`), 4049, 'query[2].geo.geo_near'],
  ['the nearest or else', query(`${NEAR_GEO},"or",${A}`), 4007, 'query[0].geo.geo_near'],
  ['not the nearest', query(`"not",${NEAR_GEO}`), 4007, 'query[1].geo.geo_near'],
  ['not the nearest, in a list', query(`["not",${NEAR_GEO}]`), 4007, 'query[0][1].geo.geo_near'],
  ['the nearest in a list of several', query(`[${NEAR_GEO},"and",${A}],"and",${A}`), 4007, 'query[0][0].geo'],
  ['the nearest in one of two lists', query(`[${NEAR_GEO},"or",${A}]`), 4007, 'query[0][0].geo'],
  [
    'the nearest in a group',
    query(`{"freqgroup":[{"ge":{${NEAR},"between":${WEEK}}}],"minfreq":1}`),
    4007,
    'freqgroup',
  ],
  ['the nearest in an order', query(NEAR_GEO, '"order":[{"int":"asc"}]'), 4038, '"order"'],
  ['the nearest integer', query(`{"int":{${NEAR}}}`), 4039, 'query[0].int.geo_near'],
  ['an invalid point', query('{"geo":{"geo_near":[1,2]}}'), 4049, 'query[0].geo.geo_near'],
  ['a point without a longitude', query('{"geo":{"geo_near":{"latitude":1,"limit":1}}}'), 4010, 'longitude'],
  [
    'a latitude of 91',
    query('{"geo":{"geo_near":{"longitude":1,"latitude":91,"limit":1}}}'),
    4049,
    'latitude',
  ],
  ['the nearest without a limit', query(near('')), 4010, '"limit"'],
  ['the nearest 0', query(near(',"limit":0')), 4028, 'query[0].geo.geo_near.limit'],
  ['the nearest "5"', query(near(',"limit":"5"')), 4028, 'a string'],
  [
    'coordinates shown by a string',
    query(near(',"limit":1,"show_coordinates":"yes"')),
    4049,
    'show_coordinates',
  ],
  ['a radius of the nearest', query(near(',"limit":1,"radius":5')), 4049, '"radius"'],
  [
    'nearest values between dates',
    query(`{"geo":{${NEAR},"between":${WEEK}}}`),
    4017,
    'query[0].geo.between',
  ],
  [
    'nearest values between dates inside',
    query(near(`,"limit":1,"between":${WEEK}`)),
    4017,
    'geo_near.between',
  ],
  ['nearest events without dates', query(`{"ge":{${NEAR}}}`), 4005, 'query[0].ge'],
  [
    'nearest events between dates twice',
    query(`{"ge":{${NEAR.slice(0, -1)},"between":${WEEK}},"between":${WEEK}}}`),
    4049,
    'geo_near.between',
  ],
  [
    'frequent nearest events',
    query(`{"ge":{${NEAR},"between":${WEEK},"minfreq":2}}`),
    4049,
    'query[0].ge.minfreq',
  ],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, (body: Json) => bindExtraction(body, REQUEST));
});

t.test('every invalid field is reported, including an invalid dimension', async (t) => {
  const text = `{"query":[{"nope":{}}],"columns":["ie"],"limit":0,"order":5,"page-token":"x","x":1}`;
  assertAllRefusals(t, () => bind(text), [
    [4049, '"x"'],
    [4008, '"nope"'],
    [4018, '"ie"'],
    [4028, 'limit'],
    [4049, '"order"'],
    [4029, 'page-token'],
  ]);
  assertAllRefusals(t, () => bind('{"dimension":"no","query":5,"limit":0}'), [
    [5008, '"no"'],
    [4026, 'a number'],
    [4010, '"columns"'],
    [4028, 'limit'],
  ]);
});

t.test('a key cannot select, see or order by columns that it may not use', async (t) => {
  const access = accessOf(
    customKey({
      columnsWhitelist: [{ dimension: 'default', columns: ['int', 'text', 'ie'] }],
      filter: [{ dimension: 'default', conditions: '{"dec":{"gt":1}}' }],
    }),
  );
  const request = { ...REQUEST, access };
  const refused: readonly Refusal[] = [
    ['in the query', query('{"dec":{"gt":1}}'), 506, '"dec"'],
    ['in the columns', `{"query":[${A}],"columns":["int","dec"]}`, 506, '"dec"'],
    ['in the columns, as events', `{"query":[${A}],"columns":[{"ge":["today"]}]}`, 506, '"ge"'],
    ['in the order', order('[{"dec":"asc"}]'), 506, '"dec"'],
    ['as the nearest', query(NEAR_GEO), 506, '"geo"'],
  ];
  assertRefusals(t, refused, (body: Json) => bindExtraction(body, request));
  const { plan } = bind(`{"query":[${A}],"columns":"all"}`, request);
  t.match(plan.columns, [{ columnId: TEXT }, { columnId: INT }]);
  t.match(plan.condition, { op: 'and', members: [{ columnId: DEC }, intIs(5n)] });
  t.strictSame(
    bind(query('{"int":{"gt":4}}')).plan.condition,
    intAbove(4n),
    'without a filter the plan has none',
  );
});

t.test('a plan for all rows at once has no page limit, and page tokens are refused', async (t) => {
  const whole = { ...REQUEST, whole: true };
  t.equal(bind(query(A), whole).plan.limit, 100);
  t.match(bind(query(A, '"limit":10000000'), whole), {
    plan: { limit: 10_000_000, after: null },
    page: { number: 1, taken: 0, rows: 10_000_000 },
  });
  t.equal(bind(query(NEAR_GEO, '"limit":10'), whole).plan.limit, 3, 'all nearest rows are requested');
  const paged = query(A, '"limit":5000');
  const token = tokenBehind(bind(paged));
  t.equal(bind(withToken(paged, token)).page.number, 2);
  t.throws(() => bind(withToken(paged, token), whole), {
    code: 4049,
    message: '"page-token" cannot be used where all rows are returned at once: only JSON has pages',
  });
  t.doesNotThrow(() => bind(`${paged.slice(0, -1)},"page-token":null}`, whole));
});
