/**
 * The team's bodies with every field replaced: by values of every kind, by nothing, and several at once at random.
 * A decision is accepted and applies, or is refused with codes of its endpoint; it never alters its catalog.
 */
import t from 'tap';
import {
  changeCustomKey,
  changeDatabase,
  changeGroup,
  changeUser,
  createCustomKey,
  createDatabase,
  createGroup,
  createUser,
  deleteCustomKey,
  deleteDatabase,
  deleteGroup,
  deleteUser,
  type Json,
  type ModelDecision,
  readNewPassword,
  readSignIn,
} from '../../src/api/index.js';
import { Prng, QuarryError } from '../../src/base/index.js';
import { applyChanges, type Catalog, catalogFromPlain, catalogToPlain } from '../../src/catalog/index.js';
import { json } from '../api/databases.js';
import { EVERYWHERE, NOW_MS, parsed, TEAM } from '../api/team.js';

const SEED = 20180630;
const ROUNDS = 500;

const textOf = (catalog: Catalog): string => JSON.stringify(catalogToPlain(catalog));

const LONG = ['x'.repeat(64), 'x'.repeat(65), '\u{1f600}'.repeat(65), 'x'.repeat(1025)];
const NAMES = ['__proto__', 'constructor', 'toString', 'one', 'custom', 'analysts', 'ann@example.org'];
const ODD: readonly Json[] = [
  'null true false 0 -1 1 7.5 1e400 9007199254740993'.split(' ').map(json),
  [
    '',
    ' ',
    'é',
    '\u{1f600}',
    '\u0000',
    '\u202e',
    "a'b",
    'a"b',
    'a_b',
    '../x',
    'normal',
    'test',
    ...NAMES,
    ...LONG,
  ],
  ['[]', '[null]', '[[]]', '[{}]', '[1]', '["a"]', '["one","one"]', '{}', '{"a":1}'].map(json),
  ['{"__proto__":{}}', '{"constructor":[]}', '{"default":null}', '{"from":"00:00"}'].map(json),
  [Array.from({ length: 1001 }, (_, at) => `x${at}`)],
].flat();

type Path = readonly (string | number)[];

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is ReadonlyMap<string, Json> => value instanceof Map;

/** The paths of all parts of `value`, without `value` itself. */
function pathsIn(value: Json, path: Path = []): Path[] {
  const entries = isObject(value) ? [...value] : isList(value) ? [...value.entries()] : [];
  return entries.flatMap(([step, inner]) => [[...path, step], ...pathsIn(inner, [...path, step])]);
}

/** `value` with the part at `path` replaced, or removed if `by` is undefined. */
function replaced(value: Json, path: Path, by: Json | undefined): Json {
  const [expected, ...rest] = path;
  const put = <Step>([step, inner]: readonly [Step, Json]): [Step, Json][] => {
    if (step !== expected) return [[step, inner]];
    const made = rest.length === 0 ? by : replaced(inner, rest, by);
    return made === undefined ? [] : [[step, made]];
  };
  if (isObject(value)) return new Map([...value].flatMap(put));
  return isList(value) ? [...value.entries()].flatMap(put).map(([, inner]) => inner) : value;
}

interface Subject {
  readonly what: string;
  readonly valid: object;
  readonly codes: readonly number[];
  readonly decide: (body: Json) => ModelDecision<unknown>;
}

const DATABASE = {
  database: {
    name: 'one',
    description: 'free text',
    type: 'production',
    'pricing-model': 'pay-per-column',
    labels: ['a', 'b'],
    'query-load': 'ultra',
    'insertion-load': 'mega',
    cloud_provider: 'aws',
    cloud_area: 'eu-west-3',
  },
  'addresses-whitelist': ['10.0.0.0/8', 'example.org'],
};
const NEW_DATABASE = { ...DATABASE, database: { ...DATABASE.database, name: 'new' } };
const RENAMED_DATABASE = { ...DATABASE, database: { ...DATABASE.database, 'new-database-name': 'new' } };
const KEY = {
  'key-name': 'custom',
  'key-type': 'write-read',
  description: 'free text',
  'columns-whitelist': { default: ['age', 'entity-id'], users: [] },
  filter: {
    default: { age: { range: [1, 9] }, visits: { equals: 'x', between: ['2018-01-01', 'now'] } },
    users: { level: { gt: 5 } },
  },
  'addresses-whitelist': ['::1'],
};
const keyBody = (key: object): object => ({ 'database-name': 'one', 'custom-database-key': key });
const USER = {
  email: 'ann@example.org',
  labels: ['a'],
  'first-name': 'Ann',
  'last-name': 'Lee',
  'permission-group': 'analysts',
};
const NEW_USER = { ...USER, email: 'bob@example.org', password: 'correct horse' };
const GROUP = {
  'group-name': 'analysts',
  description: 'free text',
  'allowed-permissions': [1, 19],
  'allowed-databases': ['two', 'one'],
  labels: ['a'],
  'week-days': ['sat', 'sun'],
  'access-hours': { from: '22:00', to: '06:30' },
};

const TEXTS = { master: 'a', write: 'b', read: 'c', demo: 'd' };
const OF_KEYS = [8000, 8002, 8003, 8004, 5008, 3018, 4003, 4005, 4008, 4009, 4011, 4012, 4047, 4049, 4053];

const SUBJECTS: readonly Subject[] = [
  {
    what: 'a new database',
    valid: NEW_DATABASE,
    codes: [8000, 8001],
    decide: (body) => createDatabase(body, TEAM, TEXTS, NOW_MS),
  },
  {
    what: 'a change of a database',
    valid: RENAMED_DATABASE,
    codes: [8000, 8001, 8002],
    decide: (body) => changeDatabase(body, TEAM, EVERYWHERE, NOW_MS),
  },
  {
    what: 'the deletion of a database',
    valid: { database: { name: 'one' } },
    codes: [8000, 8002],
    decide: (body) => deleteDatabase(body, TEAM, EVERYWHERE),
  },
  {
    what: 'a new key',
    valid: keyBody({ ...KEY, 'key-name': 'new' }),
    codes: OF_KEYS,
    decide: (body) => createCustomKey(body, TEAM, EVERYWHERE, 'text', NOW_MS),
  },
  {
    what: 'a change of a key',
    valid: keyBody({ ...KEY, 'new-key-name': 'new' }),
    codes: OF_KEYS,
    decide: (body) => changeCustomKey(body, TEAM, EVERYWHERE, NOW_MS),
  },
  {
    what: 'the deletion of a key',
    valid: keyBody({ 'key-name': 'custom' }),
    codes: [8000, 8002, 8004],
    decide: (body) => deleteCustomKey(body, TEAM, EVERYWHERE),
  },
  {
    what: 'a new user',
    valid: NEW_USER,
    codes: [7050],
    decide: (body) => createUser(body, TEAM, `hash of ${readNewPassword(body).length}`),
  },
  { what: 'a change of a user', valid: USER, codes: [7050], decide: (body) => changeUser(body, TEAM) },
  {
    what: 'the deletion of a user',
    valid: { email: 'ann@example.org' },
    codes: [7050],
    decide: (body) => deleteUser(body, TEAM),
  },
  {
    what: 'a user who signs in',
    valid: { email: 'ann@example.org', password: 'x', 'database-name': 'one' },
    codes: [7050],
    decide: (body) => ({ changes: [], answer: readSignIn(body) }),
  },
  {
    what: 'a new group',
    valid: { ...GROUP, 'group-name': 'new' },
    codes: [7000],
    decide: (body) => createGroup(body, TEAM),
  },
  {
    what: 'a change of a group',
    valid: { ...GROUP, 'new-group-name': 'new' },
    codes: [7000],
    decide: (body) => changeGroup(body, TEAM),
  },
  {
    what: 'the deletion of a group',
    valid: { 'group-name': 'analysts' },
    codes: [7000],
    decide: (body) => deleteGroup(body, TEAM),
  },
];

/**
 * The codes of a refusal, after a check of its message; null if the decision succeeded and its changes can be stored.
 */
function outcome({ decide }: Subject, body: Json): readonly number[] | null {
  try {
    const changed = applyChanges(TEAM, decide(body).changes);
    const retained = catalogFromPlain(JSON.parse(textOf(changed)));
    if (textOf(retained) !== textOf(changed)) throw new Error('the catalog does not survive storing');
    return null;
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const all = [error, ...error.also];
    if (all.some(({ message }) => message === '' || message.length > 500)) throw new Error(error.message);
    return all.map(({ code }) => code);
  }
}

for (const subject of SUBJECTS) {
  t.test(`${subject.what}: a body with any values is accepted or refused with its own codes`, (t) => {
    t.comment(`seed ${SEED}`);
    const random = new Prng(SEED);
    const before = textOf(TEAM);
    const valid = parsed(subject.valid);
    const paths = pathsIn(valid);
    t.equal(outcome(subject, valid), null, 'the body is valid');
    const tried: [string, Json][] = ODD.map((odd) => ['the whole body', odd]);
    for (const path of paths) {
      for (const odd of [undefined, ...ODD]) tried.push([path.join('.'), replaced(valid, path, odd)]);
    }
    for (let round = 0; round < ROUNDS; round++) {
      let body = valid;
      for (let count = random.between(2, 4); count > 0; count--) {
        body = replaced(body, random.pick(paths), random.pick(ODD));
      }
      tried.push([`round ${round}`, body]);
    }
    let refusedCount = 0;
    const foreign = new Set<string>();
    for (const [where, body] of tried) {
      const codes = outcome(subject, body);
      if (codes === null) continue;
      refusedCount++;
      for (const code of codes) if (!subject.codes.includes(code)) foreign.add(`${where}: ${code}`);
    }
    t.strictSame([...foreign], []);
    t.ok(refusedCount > tried.length / 3, `${refusedCount} of ${tried.length} refused`);
    t.equal(textOf(TEAM), before, 'the catalog is unchanged');
    t.end();
  });
}
