/**
 * A custom key with a column whitelist, at every endpoint and in every member of a body that can name a column, through
 * the real front end: columns outside the whitelist are refused with 506, listed columns are accepted, and "all" means
 * the listed columns. The members are listed here from the interface documentation. The engine checks the columns that
 * are written.
 */
import t from 'tap';
import { databaseOf, hashOfKey } from '../../src/catalog/index.js';
import type { AggregateAnswer, OutputColumn } from '../../src/ir/index.js';
import { DATABASE_ID, KEYS } from './fake-engine.js';
import { type Front, sendRequest, startFront } from './harness.js';

const KEY = 'key with a whitelist';
const COLUMNS = [
  ...['a', 'b'].map((name) => ({ name, type: 'integer' })),
  ...['e', 'f'].map((name) => ({ name, type: 'integer-event' })),
  ...['g', 'h'].map((name) => ({ name, type: 'geolocation' })),
  { name: 'a', type: 'integer', dimension: 'other' },
];
const WHITELIST = [{ dimension: 'default', columns: ['a', 'e', 'g'] }];

const WINDOW = '"between":["2016-01-01","2016-01-07"]';
const NEAR = '{"geo_near":{"longitude":1,"latitude":2,"limit":3}}';
const A = '{"@a":{"equals":1}}';
const E = `{"@e":{"equals":1,${WINDOW}}}`;
const ID = '{"entity-id":{"equals":"x"}}';

const count = (query: string): string => `{"query-name":"q","query":[${query}]}`;
const rows = (query: string, columns = '"entity-id"', more = ''): string =>
  `{"query":[${query}],"columns":[${columns}]${more}}`;

/**
 * The conditions that name a column; `@a` stands for an attribute, `@e` for an event column, `@g` for a geolocation.
 */
const CONDITIONS: readonly string[] = [
  A,
  E,
  `${ID},"and",${A}`,
  `${ID},"or",["not",[${ID},"and",[${A}]]]`,
  `{"freqgroup":[{"e":{"equals":1,${WINDOW}}},${E}]}`,
  '{"@g":{"geo_radius":{"longitude":1,"latitude":2,"radius":3,"unit":"km"}}}',
  `{"active":{"event":{"@e":{}},"interval":"days",${WINDOW}}}`,
  '{"funnel":{"steps":[{"event":{"e":{}}},{"event":{"e":{}},"query":[{"@a":{"equals":1}}]}],"reached":1}}',
  `{"retention":{"start":{"event":{"@e":{}}},"interval":"days","cohort-of":"2016-01-01",${WINDOW}}}`,
];
/** The levels that name a column. */
const LEVELS: readonly string[] = [
  '{"@a":5}',
  '{"@a":5,"gt":1}',
  `{"@e":5,${WINDOW}}`,
  '{"@g":5}',
  '{"a":5},{"@a":5}',
  `{"a":5},{"entity-id":5},{"@e":5,${WINDOW}}`,
  '{"@a":"min"}',
  `{"a":5},{"@e":"sum",${WINDOW},"interval":"days"}`,
  `{"@e":"max","between":[["2016-01-01","2016-01-07"]]}`,
];

const EXTRACTIONS = ['/v1/data_extraction/result', '/v1/data_extraction/score'];
const SAVED: readonly (readonly [type: string, query: string])[] = [
  ['count/entity', `[${A}]`],
  ['count/event', `[${E}]`],
  ['aggregation', '[{"@a":5}]'],
  ['aggregation', `{"filter":[${A}],"query":[{"a":5}]}`],
  ['top_values', '{"q":{"@a":5}}'],
];

const DAYS = `"interval":"days",${WINDOW}`;
const BEHAVIOURS: readonly (readonly [path: string, body: string])[] = [
  ['/v1/query/funnel', '{"query-name":"q","steps":[{"event":{"e":{}}},{"event":{"@e":{}}}]}'],
  [
    '/v1/query/funnel',
    '{"query-name":"q","steps":[{"event":{"e":{}}},{"event":{"e":{}}}],"exclude":[{"event":{"@e":{}},"after":1,"before":2}]}',
  ],
  [
    '/v1/query/funnel',
    '{"query-name":"q","steps":[{"event":{"e":{}}},{"event":{"e":{}}}],"breakdown":{"column":"@a"}}',
  ],
  [
    '/v1/query/funnel',
    '{"query-name":"q","order":"strict","steps":[{"event":{"e":{}}},{"event":{"e":{}}}],"stream":["e","@e"]}',
  ],
  [
    '/v1/query/funnel',
    '{"query-name":"q","steps":[{"event":{"e":{}}},{"event":{"e":{}},"query":[{"@a":{"equals":1}}]}]}',
  ],
  [
    '/v1/query/retention',
    `{"query-name":"q","start":{"event":{"e":{}}},"return":{"event":{"@e":{}}},${DAYS}}`,
  ],
  [
    '/v1/query/retention',
    `{"query-name":"q","start":{"event":{"e":{}}},"breakdown":{"column":"@a"},${DAYS}}`,
  ],
  ['/v1/query/sequence', '{"query-name":"q","conditions":[{"event":{"@e":{}}}],"pattern":"(?1)"}'],
  ['/v1/query/sessions', '{"query-name":"q","stream":["e","@e"],"gap":"1d"}'],
  ['/v1/query/sessions', '{"query-name":"q","stream":["e"],"gap":"1d","breakdown":{"column":"@a"}}'],
  ['/v1/query/flow', '{"query-name":"q","start":{"event":{"@e":{}}}}'],
  ['/v1/query/flow', '{"query-name":"q","start":{"event":{"e":{}}},"stream":["e","@e"]}'],
  [
    '/v1/query/overlap',
    '{"query-name":"q","segments":[{"name":"x","query":[{"a":{"equals":1}}]},{"name":"y","query":[{"@a":{"equals":1}}]}]}',
  ],
  [
    '/v1/query/compare',
    '{"query-name":"q","segments":[{"name":"x","query":[{"a":{"equals":1}}]},{"name":"y","query":[{"@a":{"equals":1}}]}]}',
  ],
  [
    '/v1/query/compare',
    '{"query-name":"q","columns":["@a"],"segments":[{"name":"x","query":[{"a":{"equals":1}}]},{"name":"y","query":[{"a":{"equals":2}}]}]}',
  ],
  ['/v1/query/timeline', '{"query-name":"q","entity-id":"x","columns":["@e"]}'],
  ...['lifecycle', 'stickiness', 'actives'].flatMap((kind): [string, string][] => [
    [`/v1/query/${kind}`, `{"query-name":"q","event":[{"e":{}},{"@e":{"equals":1}}],${DAYS}}`],
    [`/v1/query/${kind}`, `{"query-name":"q","event":{"e":{}},"query":[{"@a":{"equals":1}}],${DAYS}}`],
  ]),
];

const LOCATIONS: readonly (readonly [path: string, body: string])[] = [
  ...CONDITIONS.flatMap((one): [string, string][] => [
    ['/v1/query/count/entity', count(one)],
    ['/v1/query/count/entity', `[${count(ID)},${count(one).replace('"q"', '"p"')}]`],
    ['/v1/query/aggregation', `{"filter":[${one}],"query":[{"entity-id":1}]}`],
    ...EXTRACTIONS.map((path): [string, string] => [path, rows(one)]),
    ['/v1/update', `{"query":[${one}],"set":{"a":1}}`],
    ['/v1/delete', `{"query":[${one}]}`],
  ]),
  ...['event', 'events'].flatMap((name): [string, string][] => [
    [`/v1/query/count/${name}`, count(E)],
    [`/v1/query/count/${name}`, count(E).replace('"query":', '"interval":"days","query":')],
    [`/v1/query/count/${name}`, count(`[[${E}]]`)],
  ]),
  ...LEVELS.map((level): [string, string] => ['/v1/query/aggregation', `{"query":[${level}]}`]),
  ['/v1/query/top_values', '{"q":{"@a":5}}'],
  ['/v1/query/top_values', '{"p":{"a":5},"q":{"@e":5}}'],
  ['/v1/query/top_values', '{"q":{"@g":5}}'],
  ...BEHAVIOURS,
  ...EXTRACTIONS.flatMap((path): [string, string][] => [
    [path, rows(ID, '"@a"')],
    [path, rows(ID, '"a","entity-id","@g"')],
    [path, rows(ID, '{"@e":["2016-01-01","2016-01-07"]}')],
    [path, rows(ID, '"a"', ',"order":[{"@a":"asc"}]')],
    [path, rows(ID, '"a"', ',"order":[{"entity-id":"asc"},{"@a":"desc"}]')],
    [path, rows(`{"@g":${NEAR}}`)],
    [path, rows(`{"@e":{"equals":1,${WINDOW}}}`, '"all"').replace('["all"]', '"all"')],
  ]),
];

const LISTED: Readonly<Record<string, string>> = { '@a': 'a', '@e': 'e', '@g': 'g' };
const UNLISTED: Readonly<Record<string, string>> = { '@a': 'b', '@e': 'f', '@g': 'h' };
const naming = (text: string, names: Readonly<Record<string, string>>): string =>
  text.replace(/@[aeg]/, (token) => names[token]);

type Answer = Readonly<Record<string, unknown>> & { readonly errors?: readonly { readonly code: number }[] };

async function send(front: Front, key: string, method: string, path: string, body: string): Promise<Answer> {
  const headers = { Authorization: key, 'Content-Type': 'application/json' };
  const reply = await sendRequest(front, { method, path, headers, body });
  return JSON.parse(reply.body);
}

const codes = ({ errors = [] }: Answer): readonly number[] => errors.map(({ code }) => code);

async function frontWithKey(t: Parameters<typeof startFront>[0]): Promise<Front> {
  const front = await startFront(t);
  const made = await send(front, KEYS.master, 'POST', '/v1/column', JSON.stringify(COLUMNS));
  t.strictSame(codes(made), []);
  const key = {
    kind: 'custom' as const,
    hash: hashOfKey(KEY),
    databaseId: DATABASE_ID,
    name: 'narrow',
    level: 'write-read' as const,
    description: '',
    columnsWhitelist: WHITELIST,
    filter: [],
    addressesWhitelist: [],
  };
  const { engine } = front;
  engine.apply({ change: 'key-created', key });
  // Returns an answer of the form that each plan requires; writes are only bound.
  engine.aggregate = async (plans) =>
    plans.map(({ metric }): AggregateAnswer => {
      if (metric === null) return { answers: 'values', rows: [] };
      return metric.buckets === null ? { answers: 'metric', token: '0' } : { answers: 'buckets', rows: [] };
    });
  engine.onMutate = async ({ bind }) => {
    bind(databaseOf(engine.catalog(), DATABASE_ID));
    return 0;
  };
  return front;
}

t.test(
  'a column outside the whitelist is refused in every member of a body that can name a column',
  async (t) => {
    const front = await frontWithKey(t);
    for (const [path, body] of LOCATIONS) {
      t.strictSame(codes(await send(front, KEY, 'POST', path, naming(body, LISTED))), [], `${path} ${body}`);
      const [named, byMaster] = [KEY, KEYS.master].map((key) =>
        send(front, key, 'POST', path, naming(body, UNLISTED)),
      );
      t.strictSame(codes(await named), [506], `${path} ${body}`);
      t.strictSame(codes(await byMaster), [], `${path} ${body} with the master key`);
    }
    const other = '{"query-name":"q","dimension":"other","query":[{"a":{"equals":1}}]}';
    t.strictSame(
      codes(await send(front, KEY, 'POST', '/v1/query/count/entity', other)),
      [506],
      'a dimension not listed',
    );
  },
);

t.test(
  'a saved query with a column outside the whitelist is neither saved, run, shown nor changed',
  async (t) => {
    const front = await frontWithKey(t);
    for (const [index, [type, query]] of SAVED.entries()) {
      const definition = (names: Readonly<Record<string, string>>, name: string | null): string =>
        `{${name === null ? '' : `"name":"${name}",`}"type":"${type}","query":${naming(query, names)}}`;
      const [mine, theirs] = [`mine-${index}`, `theirs-${index}`];
      t.strictSame(
        codes(await send(front, KEY, 'POST', '/v1/query/saved', definition(UNLISTED, mine))),
        [506],
        query,
      );
      t.strictSame(
        codes(await send(front, KEY, 'POST', '/v1/query/saved', definition(LISTED, mine))),
        [],
        query,
      );
      const path = `/v1/query/saved/${mine}`;
      t.strictSame(codes(await send(front, KEY, 'PUT', path, definition(UNLISTED, null))), [506], query);
      t.strictSame(codes(await send(front, KEY, 'PUT', path, definition(LISTED, null))), [], query);
      const byMaster = await send(
        front,
        KEYS.master,
        'POST',
        '/v1/query/saved',
        definition(UNLISTED, theirs),
      );
      t.strictSame(codes(byMaster), [], query);
      const get = async (key: string, name: string): Promise<readonly number[]> => {
        const answer = await sendRequest(front, {
          path: `/v1/query/saved/${name}`,
          headers: { Authorization: key },
        });
        return codes(JSON.parse(answer.body));
      };
      if (type === 'count/entity' || type === 'count/event') t.strictSame(await get(KEY, mine), [], query);
      t.strictSame(await get(KEY, theirs), [4023], query);
      for (const [method, body] of [
        ['PUT', definition(LISTED, null)],
        ['DELETE', ''],
      ]) {
        const refused = await send(front, KEY, method, `/v1/query/saved/${theirs}`, body);
        t.strictSame(codes(refused), [4023], `${method} ${query}`);
      }
      const taken = await send(front, KEY, 'POST', '/v1/query/saved', definition(LISTED, theirs));
      t.strictSame(codes(taken), [4022], query);
    }
    const listedTo = async (key: string): Promise<readonly string[]> => {
      const answer = await send(front, key, 'GET', '/v1/query/saved', '');
      return (answer['saved-queries'] as readonly { readonly name: string }[]).map(({ name }) => name);
    };
    const mine = SAVED.map((_, index) => `mine-${index}`);
    t.strictSame(await listedTo(KEY), mine);
    t.strictSame(
      await listedTo(KEYS.master),
      mine.flatMap((name, index) => [name, `theirs-${index}`]),
    );
  },
);

t.test('"all" means the columns of the whitelist', async (t) => {
  const front = await frontWithKey(t);
  const { extracts } = front.engine;
  const resultFor = async (key: string, path: string, more: string): Promise<readonly string[]> => {
    const names = new Map(
      [
        ...(front.engine.catalog().databases.get(DATABASE_ID)?.dimensions.get('default')?.columns.values() ??
          []),
      ].map(({ id, apiName }) => [id, apiName]),
    );
    t.strictSame(codes(await send(front, key, 'POST', path, `{"query":[${ID}],"columns":"all"${more}}`)), []);
    const { columns } = extracts[extracts.length - 1].plan;
    const nameOf = (column: OutputColumn): string =>
      column.from === 'entity-id' ? 'entity-id' : String(names.get(column.columnId));
    return columns.map(nameOf).sort();
  };
  for (const path of EXTRACTIONS) {
    t.strictSame(await resultFor(KEY, path, ''), ['a', 'g'], path);
    t.strictSame(await resultFor(KEY, path, ',"order":[{"a":"asc"}]'), ['a', 'entity-id', 'g'], path);
    t.strictSame(await resultFor(KEYS.master, path, ''), ['a', 'b', 'g', 'h'], path);
    t.strictSame(await resultFor(KEY, path, ',"dimension":"other"'), [], path);
  }
});
