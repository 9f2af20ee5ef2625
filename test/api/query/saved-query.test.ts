import t from 'tap';
import {
  type Access,
  accessOf,
  bodyOfSavedQuery,
  changeSavedQuery,
  createSavedQuery,
  deleteSavedQuery,
  FULL_ACCESS,
  listSavedQueries,
  membersOfSavedQuery,
  type SavedQueryCall,
  type SavedQueryReader,
  savedQueryAt,
} from '../../../src/api/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import {
  applyChanges,
  type Catalog,
  databaseOf,
  SAVED_QUERY_TYPES,
  type SavedQuery,
  savedQueriesOf,
} from '../../../src/catalog/index.js';
import { customKey, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';
import { after, bodyWith, NO_TEXTS, NOW_MS, parsed, TEAM } from '../team.js';

/** Views are bound by SQL, which has its own tests; this one refuses views whose query is `no`. */
const bindView: SavedQueryReader['bindView'] = ({ query }) => {
  if (query === '"no"') throw new QuarryError(6000, 'refused');
};
const callOn = (catalog: Catalog, more: Partial<SavedQueryCall> = {}): SavedQueryCall => ({
  ...{ catalog, model: databaseOf(catalog, 1), nowMs: NOW_MS, access: FULL_ACCESS, customKey: null },
  bindView,
  ...more,
});
const create = (text: string, catalog = TEAM, more: Partial<SavedQueryCall> = {}) =>
  after(createSavedQuery(json(text), callOn(catalog, more)), catalog);
const change = (name: string, text: string, catalog: Catalog, more: Partial<SavedQueryCall> = {}) =>
  after(changeSavedQuery(name, json(text), callOn(catalog, more)), catalog);
const remove = (name: string, catalog: Catalog, more: Partial<SavedQueryCall> = {}) =>
  after(deleteSavedQuery(name, callOn(catalog, more)), catalog);
const readerOf = (catalog: Catalog, databaseId = 1, access: Access = FULL_ACCESS): SavedQueryReader => ({
  ...{ catalog, model: databaseOf(catalog, databaseId), nowMs: NOW_MS, access },
  bindView,
});
function savedIn(catalog: Catalog, name: string): SavedQuery {
  const saved = savedQueriesOf(catalog, 1).get(name);
  if (saved === undefined) throw new Error(`${name} is not saved`);
  return saved;
}
const objectOf = (members: string): unknown => JSON.parse(`{${members}}`);

const YEAR = '["2020-01-01","2021-01-01"]';
const DAYS = `{"event":{"visits":{}},"between":${YEAR},"interval":"days"}`;
const SEGMENTS =
  '{"segments":[{"name":"a","query":[{"age":{"gt":1}}]},{"name":"b","query":[{"age":{"gt":2}}]}]}';
/** A question about behaviour of each kind. */
const QUESTIONS: Readonly<Record<string, string>> = {
  funnel: '{"steps":[{"event":{"visits":{}}},{"event":{"visits":{"equals":"a"}}}],"within":"7d"}',
  retention: `{"start":{"event":{"visits":{}}},"between":${YEAR},"interval":"weeks"}`,
  lifecycle: DAYS,
  stickiness: DAYS,
  actives: DAYS,
  sequence: '{"conditions":[{"event":{"visits":{}}}],"pattern":"(?1)"}',
  sessions: '{"stream":["visits"],"gap":"30min"}',
  flow: '{"start":{"event":{"visits":{}}}}',
  overlap: SEGMENTS,
  compare: SEGMENTS,
  timeline: '{"entity-id":"e"}',
};
/** A query of each type that can be saved without a dimension. */
const QUERIES: Readonly<Record<string, string>> = {
  'count/entity': '[{"age":{"equals":9007199254740993}},"or",{"age":{"gt":1.50}}]',
  'count/event': `[{"visits":{"equals":"a","between":${YEAR}}}]`,
  'count/entity/total': '["users","default"]',
  aggregation: '{"filter":[{"age":{"gt":1}}],"query":[{"age":3}]}',
  top_values: '{"__proto__":{"age":3},"7":{"level":5,"dimension":"users"}}',
  sql: '{"sql":"SELECT age FROM users","columns":["years"]}',
  ...QUESTIONS,
};
const bodyOf = (type: string, more: object = {}, query = QUERIES[type]): string =>
  bodyWith({ name: 'q', type, query: 0, ...more }).replace('"query":0', `"query":${query}`);
const COUNT = bodyOf('count/entity');
const MINIMAL = { name: 'q', type: 'count/entity', query: [{ age: { equals: 1 } }] };

t.test('a query is stored and returned exactly as it was sent', async (t) => {
  for (const type of SAVED_QUERY_TYPES) {
    const { catalog, answer } = create(bodyOf(type, { 'cache-period': 5 }));
    const query = QUERIES[type];
    const dimension = ['count/entity/total', 'sql'].includes(type) ? null : 'default';
    t.equal(
      answer,
      `"name":"q","type":"${type}","query":${query},"dimension":${JSON.stringify(dimension)},"cache-period":5`,
    );
    t.strictSame(
      [...savedQueriesOf(catalog, 1).values()],
      [
        {
          ...{ databaseId: 1, name: 'q', type, dimension: null, query, cachePeriodSeconds: 5 },
          ...{ creator: null, version: TEAM.version + 1 },
        },
      ],
    );
    t.equal(savedQueriesOf(catalog, 2).size, 0);
  }
});

t.test('a saved query runs with the body of its own endpoint', async (t) => {
  const bodies = SAVED_QUERY_TYPES.map((type) => {
    const { catalog } = create(bodyOf(type));
    return Buffer.from(bodyOfSavedQuery(savedIn(catalog, 'q'))).toString();
  });
  t.strictSame(bodies, [
    `{"query-name":"query","query":${QUERIES['count/entity']}}`,
    `{"query-name":"query","query":${QUERIES['count/event']}}`,
    `{"dimensions":${QUERIES['count/entity/total']}}`,
    QUERIES.aggregation,
    QUERIES.top_values,
    QUERIES.sql,
    ...Object.values(QUESTIONS).map((question) => question.replace(/}$/, ',"query-name":"query"}')),
  ]);
});

t.test('a dimension is saved next to the query and is part of the request', async (t) => {
  const level = '[{"level":{"equals":1}}]';
  const counted = create(bodyOf('count/entity', { dimension: 'users' }, level));
  t.match(objectOf(counted.answer), { dimension: 'users' });
  const body = Buffer.from(bodyOfSavedQuery(savedIn(counted.catalog, 'q'))).toString();
  t.equal(body, `{"query-name":"query","dimension":"users","query":${level}}`);
  const levels = create(bodyOf('aggregation', { dimension: 'users' }, '[{"level":3}]'));
  t.match(objectOf(levels.answer), { dimension: 'users', query: [{ level: 3 }] });
  const aggregated = Buffer.from(bodyOfSavedQuery(savedIn(levels.catalog, 'q'))).toString();
  t.equal(aggregated, '{"dimension":"users","query":[{"level":3}]}');
});

t.test('a total without a query counts all dimensions', async (t) => {
  for (const more of [{}, { query: null }, { query: [] }]) {
    const { catalog } = create(JSON.stringify({ name: 'q', type: 'count/entity/total', ...more }));
    t.equal(savedIn(catalog, 'q').query, '[]');
  }
});

t.test(
  'a PUT replaces type, query and dimension; an omitted cache-period is unchanged, null removes it',
  async (t) => {
    const level = '[{"level":{"equals":1}}]';
    const body = bodyOf('count/entity', { dimension: 'users', 'cache-period': 60 }, level);
    const made = create(body, TEAM, { customKey: 'cd' }).catalog;
    const event = `{"type":"count/event","query":${QUERIES['count/event']}}`;
    const { catalog, answer } = change('q', event, made);
    t.equal(answer, `"type":"count/event","query":${QUERIES['count/event']},"cache-period":60`);
    t.strictSame(savedIn(catalog, 'q'), {
      ...{ databaseId: 1, name: 'q', type: 'count/event', dimension: null, query: QUERIES['count/event'] },
      ...{ cachePeriodSeconds: 60, creator: 'cd', version: made.version + 1 },
    });
    const total = change('q', '{"type":"count/entity/total","cache-period":null}', catalog);
    t.equal(total.answer, '"type":"count/entity/total","query":[],"cache-period":null');
    t.equal(savedIn(total.catalog, 'q').version, made.version + 2);
  },
);

t.test('the list contains all saved queries of a database in order of creation', async (t) => {
  const one = create(bodyOf('top_values', { name: 'b', 'cache-period': 7 })).catalog;
  const two = create(bodyOf('count/entity', { name: 'a' }), one).catalog;
  t.equal(listSavedQueries(readerOf(TEAM)), '"saved-queries":[]');
  t.equal(listSavedQueries(readerOf(two, 2)), '"saved-queries":[]');
  const first = `{"name":"b","type":"top_values","query":${QUERIES.top_values},"cache-period":7,"dimension":"default"}`;
  const second = `{"name":"a","type":"count/entity","query":${QUERIES['count/entity']},"cache-period":null,"dimension":"default"}`;
  t.equal(listSavedQueries(readerOf(two)), `"saved-queries":[${first},${second}]`);
  t.equal(membersOfSavedQuery(savedIn(two, 'b'), ['name']), '"name":"b"');
});

t.test('a deleted query is no longer returned, and its name is free', async (t) => {
  const made = create(COUNT).catalog;
  const { catalog, answer } = remove('q', made);
  t.equal(
    answer,
    `"deleted-query":"q","type":"count/entity","query":${QUERIES['count/entity']},"cache-period":null`,
  );
  t.equal(catalog.savedQueries.size, 0);
  t.throws(() => remove('q', catalog), { code: 4023 });
  const again = savedIn(create(COUNT, catalog).catalog, 'q');
  t.ok(
    again.version > savedIn(made, 'q').version,
    'a query created again under the same name is another query',
  );
});

t.test(
  'a custom key can change and delete its own saved queries and those that no custom key created',
  async (t) => {
    const makers = [null, 'cd', 'ce'];
    const put = bodyWith(MINIMAL, { name: undefined });
    for (const maker of makers) {
      const { catalog } = create(COUNT, TEAM, { customKey: maker });
      for (const customKey of makers) {
        const isTheirs = maker === null || customKey === null || maker === customKey;
        const shows = `${customKey} on what ${maker} made`;
        for (const run of [
          () => change('q', put, catalog, { customKey }),
          () => remove('q', catalog, { customKey }),
        ]) {
          if (isTheirs) t.doesNotThrow(run, shows);
          else t.throws(run, { code: 508 }, shows);
        }
        if (isTheirs) {
          const changed = change('q', put, catalog, { customKey }).catalog;
          t.equal(savedIn(changed, 'q').creator, maker, 'the creator stays the same');
        }
      }
    }
  },
);

t.test('a query with columns that the caller may not use cannot be saved', async (t) => {
  const key = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['visits'] }] });
  const access = accessOf(key);
  t.throws(() => create(COUNT, TEAM, { access }), { code: 506 });
  t.doesNotThrow(() => create(bodyOf('count/event'), TEAM, { access }));
});

t.test('names have 1 to 64 letters, digits and dashes', async (t) => {
  for (const name of ['a', '-', 'A-z-0', 'x'.repeat(64), 'constructor', 'saved']) {
    t.doesNotThrow(() => create(bodyWith(MINIMAL, { name })), name);
  }
  const bad: [number, unknown][] = [
    ...['a_b', 'a b', 'é', 'a/b', 'a\n', '__proto__', ...NO_TEXTS].map((name): [number, unknown] => [
      4034,
      name,
    ]),
    [4041, ''],
    [4041, 'x'.repeat(65)],
    [4021, null],
    [4021, undefined],
  ];
  for (const [code, name] of bad) t.throws(() => create(bodyWith(MINIMAL, { name })), { code }, String(name));
  t.throws(() => create(COUNT, create(COUNT).catalog), { code: 4022 });
  t.doesNotThrow(
    () => create(bodyOf('count/entity', { name: 'Q' }), create(COUNT).catalog),
    'names are case-sensitive',
  );
});

const of = (more: object): string => bodyWith(MINIMAL, more);
const REFUSED: readonly Refusal[] = [
  ['not an object', '[]', 4004, 'the body'],
  ['an unknown field', of({ 'query-name': 'q' }), 4049, '"query-name"'],
  ['no type', of({ type: undefined }), 4006, '"type"'],
  ['type null', of({ type: null }), 4006, '"type"'],
  ['an unknown type', of({ type: 'exists/entity' }), 4024, '"exists/entity"'],
  ['the name of a property of objects as type', of({ type: 'constructor' }), 4024, '"constructor"'],
  ['a type that is not a string', of({ type: 1 }), 4024, 'a number'],
  ['no query', of({ query: undefined }), 4010, '"query"'],
  ['query null', of({ query: null }), 4010, '"query"'],
  ['a count that is not a list', of({ query: { age: { equals: 1 } } }), 4026, 'query'],
  ['an empty count', of({ query: [] }), 4014, 'query'],
  ['an unknown column', of({ query: [{ none: { equals: 1 } }] }), 4008, '"none"'],
  ['an unknown dimension', of({ dimension: 'none' }), 5008, '"none"'],
  ['a dimension that is not a string', of({ dimension: 1 }), 5009, '"dimension"'],
  ['an attribute in an event count', of({ type: 'count/event' }), 4040, 'age'],
  ['a total that is not a list', of({ type: 'count/entity/total', query: 'users' }), 4042, 'a string'],
  [
    'a total of a list with a number',
    of({ type: 'count/entity/total', query: ['users', 1] }),
    4042,
    'other values',
  ],
  ['a total of an unknown dimension', of({ type: 'count/entity/total', query: ['none'] }), 5008, '"none"'],
  [
    'a total in a dimension',
    of({ type: 'count/entity/total', query: [], dimension: 'users' }),
    4038,
    '"dimension"',
  ],
  ['an aggregation without query', of({ type: 'aggregation', query: undefined }), 4010, '"query"'],
  ['an aggregation of a text', of({ type: 'aggregation', query: 'age' }), 4004, 'a string'],
  ['an empty aggregation', of({ type: 'aggregation', query: {} }), 4010, '"query"'],
  [
    'an aggregation with an unknown field',
    of({ type: 'aggregation', query: { query: [{ age: 1 }], limit: 1 } }),
    4049,
    '"limit"',
  ],
  [
    'an aggregation with too many values',
    of({ type: 'aggregation', query: { query: [{ age: 1001 }] } }),
    4051,
    'age',
  ],
  ['top values without query', of({ type: 'top_values', query: undefined }), 4010, '"query"'],
  ['top values of a list', of({ type: 'top_values', query: [] }), 4004, 'a list'],
  ['top values of an unknown column', of({ type: 'top_values', query: { q: { none: 3 } } }), 4008, '"none"'],
  [
    'top values in an unknown dimension',
    of({ type: 'top_values', query: { q: { age: 3 } }, dimension: 'none' }),
    5008,
    '"none"',
  ],
  ...['4', '-5', '5.0', '5e1', '"5"', 'true', '[5]', '9007199254740992'].map(
    (period): Refusal => [
      `cache-period ${period}`,
      of({}).replace('{', `{"cache-period":${period},`),
      4033,
      '"cache-period"',
    ],
  ),
];

t.test('a bad definition is refused with the code of its fault, by POST and PUT alike', async (t) => {
  assertRefusals(t, REFUSED, (body) => createSavedQuery(body, callOn(TEAM)));
  const call = callOn(create(COUNT).catalog);
  const ofPut = REFUSED.map(
    ([shows, text, ...rest]): Refusal => [shows, text.replace('"name":"q",', ''), ...rest],
  );
  assertRefusals(t, ofPut, (body) => changeSavedQuery('q', body, call));
  assertRefusals(t, [['a name', of({}), 4049, '"name"']], (body) => changeSavedQuery('q', body, call));
  assertRefusals(t, [['an unknown name', of({}), 4023, '"r"']], (body) => changeSavedQuery('r', body, call));
});

t.test('all errors of a body are reported at once', async (t) => {
  const body = parsed({ colour: 1, name: 'é', type: 'aggregation', query: { query: [] }, 'cache-period': 1 });
  assertAllRefusals(t, () => createSavedQuery(body, callOn(TEAM)), [
    [4049, '"colour"'],
    [4034, 'é'],
    [4015, 'query'],
    [4033, '"cache-period"'],
  ]);
  const typeless = parsed({ name: '', query: 1, 'cache-period': 'x' });
  assertAllRefusals(t, () => createSavedQuery(typeless, callOn(TEAM)), [
    [4041, '1 to 64'],
    [4006, '"type"'],
    [4033, '"cache-period"'],
  ]);
});

/** The error code; null = no error. */
function codeOf(act: () => unknown): number | null {
  try {
    act();
  } catch (error) {
    if (error instanceof QuarryError) return error.code;
    throw error;
  }
  return null;
}

t.test('a restricted key sees only the saved queries that it may run', async (t) => {
  const saved = [
    ['age', bodyOf('count/entity')],
    ['age-levels', bodyOf('aggregation')],
    ['age-top', bodyOf('top_values')],
    ['visits', bodyOf('count/event')],
    ['id', bodyOf('count/entity', {}, '[{"entity-id":{"equals":"x"}}]')],
    ['total', bodyOf('count/entity/total')],
    [
      'name-within',
      bodyOf('count/entity', {}, '[{"entity-id":{"equals":"x"}},"or",["not",[{"age":{"gt":1}}]]]'),
    ],
  ] as const;
  const all = saved.map(([name]) => name);
  const catalog = saved.reduce(
    (before, [name, text]) => create(text.replace('"name":"q"', `"name":"${name}"`), before).catalog,
    TEAM,
  );
  const whitelisted = (columns: readonly string[]): Access =>
    accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns }] }));
  const filtered = (conditions: string): Access =>
    accessOf(customKey({ filter: [{ dimension: 'default', conditions }] }));
  const cases: readonly (readonly [string, Access, readonly string[]])[] = [
    ['no restriction', FULL_ACCESS, all],
    ['a closed attribute column', whitelisted(['visits']), ['visits', 'id', 'total']],
    ['a closed event column', whitelisted(['age']), ['age', 'age-levels', 'id', 'total', 'name-within']],
    ['a closed dimension', whitelisted([]), ['id', 'total']],
    ['a row filter', filtered('{"age":{"gt":1}}'), all],
    ['a row filter whose column is gone', filtered('{"gone":{"gt":1}}'), []],
  ];
  const put = bodyOf('count/entity/total', { name: undefined }, '["users"]');
  for (const [restriction, access, visible] of cases) {
    const reader = readerOf(catalog, 1, access);
    const listed = objectOf(listSavedQueries(reader)) as { 'saved-queries': readonly { name: string }[] };
    t.strictSame(
      listed['saved-queries'].map(({ name }) => name),
      visible,
      restriction,
    );
    for (const name of all) {
      const code = visible.includes(name) ? null : 4023;
      const shows = `${name} with ${restriction}`;
      t.equal(
        codeOf(() => savedQueryAt(name, reader)),
        code,
        shows,
      );
      t.equal(
        codeOf(() => change(name, put, catalog, { access })),
        code,
        `change ${shows}`,
      );
      t.equal(
        codeOf(() => remove(name, catalog, { access, customKey: 'ce' })),
        code,
        `delete ${shows}`,
      );
      const taken = bodyOf('count/entity/total', { name }, '["users"]');
      t.equal(
        codeOf(() => create(taken, catalog, { access })),
        4022,
        `the name ${shows} is taken`,
      );
    }
  }
});

t.test('a saved query is hidden from a key that may not run it, instead of refused with 508', async (t) => {
  const { catalog } = create(COUNT, TEAM, { customKey: 'cd' });
  const access = accessOf(customKey({ columnsWhitelist: [] }));
  for (const customKey of ['cd', 'ce']) {
    t.throws(() => remove('q', catalog, { access, customKey }), { code: 4023 });
    t.throws(() => change('q', COUNT, catalog, { access, customKey }), { code: 4023 });
  }
});

t.test('a change of the saved query or of the model shows or hides it', async (t) => {
  const access = accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['age'] }] }));
  const isVisible = (catalog: Catalog): boolean =>
    codeOf(() => savedQueryAt('q', readerOf(catalog, 1, access))) === null;
  const open = create(COUNT).catalog;
  t.equal(isVisible(open), true);
  const closed = change('q', bodyOf('count/event', { name: undefined }), open).catalog;
  t.equal(isVisible(closed), false);
  t.equal(isVisible(change('q', bodyOf('count/entity', { name: undefined }), closed).catalog), true);
  const { id: columnId } = databaseOf(open, 1).dimensions.get('default')?.columns.get('age') ?? {};
  if (columnId === undefined) throw new Error('the model has no column "age"');
  const without = applyChanges(open, [{ change: 'column-deleted', databaseId: 1, dimensionId: 1, columnId }]);
  t.equal(isVisible(without), false, 'a query on a missing column is hidden');
  t.equal(
    codeOf(() => savedQueryAt('q', readerOf(without))),
    null,
    'an unrestricted key still sees it',
  );
});

/** The catalog with `count` saved queries of `chars` characters each, the first of them named q0. */
function filled(count: number, chars: number): Catalog {
  const query = `["${'x'.repeat(chars - 4)}"]`;
  const saved = (index: number): SavedQuery => ({
    ...{ databaseId: 1, name: `q${index}`, type: 'count/entity', dimension: null, query },
    ...{ cachePeriodSeconds: null, creator: null, version: 1 },
  });
  const changes = Array.from({ length: count }, (_, index) => saved(index));
  return applyChanges(
    TEAM,
    changes.map((savedQuery) => ({ change: 'saved-query-set', savedQuery })),
  );
}

t.test('a database holds at most 10,000 saved queries of 16 Mi characters together', async (t) => {
  const put = bodyWith(MINIMAL, { name: undefined });
  const full = filled(10_000, 10);
  t.throws(() => create(COUNT, full), { code: 4048 });
  t.doesNotThrow(() => change('q9', put, full), 'an existing query can be changed');
  t.doesNotThrow(() => create(COUNT, remove('q9', full).catalog), 'a deletion frees space');
  const long = filled(4, 4 * 2 ** 20);
  t.throws(() => create(COUNT, long), { code: 4048 });
  t.doesNotThrow(() => change('q0', put, long), 'a shorter query may replace a longer one');
  t.doesNotThrow(() => create(COUNT, filled(4, 4 * 2 ** 20 - 100)));
});

t.test('after any change the encoded list decodes to the saved queries', async (t) => {
  const seed = 20_261;
  t.comment(`seed ${seed}`);
  const prng = new Prng(seed);
  const expected = new Map<string, unknown>();
  let catalog = TEAM;
  for (let step = 0; step < 300; step++) {
    const name = `q${prng.below(8)}`;
    const type = prng.pick(SAVED_QUERY_TYPES);
    const period = prng.chance(0.5) ? null : prng.between(5, 100);
    const text = bodyOf(type, { name, 'cache-period': period });
    const isThere = expected.has(name);
    if (isThere && prng.chance(0.4)) {
      catalog = remove(name, catalog).catalog;
      expected.delete(name);
      continue;
    }
    const made = isThere
      ? change(name, text.replace(`"name":"${name}",`, ''), catalog)
      : create(text, catalog);
    catalog = made.catalog;
    const dimension = ['count/entity/total', 'sql'].includes(type) ? null : 'default';
    const query = JSON.parse(QUERIES[type]);
    expected.set(name, { name, type, query, 'cache-period': period, dimension });
  }
  const listed = objectOf(listSavedQueries(readerOf(catalog))) as Record<string, unknown>;
  t.strictSame(listed['saved-queries'], [...expected.values()]);
});
