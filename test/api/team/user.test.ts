import t from 'tap';
import {
  changeUser,
  createUser,
  deleteUser,
  type Json,
  listUsers,
  readNewPassword,
  readSignIn,
} from '../../../src/api/index.js';
import { QuarryError } from '../../../src/base/index.js';
import type { User } from '../../../src/catalog/index.js';
import { json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';
import { after, NO_TEXTS, parsed, TEAM } from '../team.js';

const create = (body: Json) => createUser(body, TEAM, 'scrypt$new');
const change = (body: Json) => changeUser(body, TEAM);
const remove = (body: Json) => deleteUser(body, TEAM);
const PASSWORD = 'correct horse';
const creating = (more: object): string =>
  JSON.stringify({ email: 'bob@example.org', password: PASSWORD, ...more });
const changing = (more: object): string => JSON.stringify({ email: 'ann@example.org', ...more });
const ANN = TEAM.users.get('ann@example.org') as User;

t.test('a user is created with only the hash, under the email in lower case', (t) => {
  const more = {
    labels: ['x', 'x', 'y'],
    'first-name': 'Bob',
    'last-name': 'Δ',
    'permission-group': 'analysts',
  };
  const { catalog, answer } = after(create(json(creating({ email: 'Bob@Example.ORG', ...more }))));
  t.strictSame(answer, { users: ['bob@example.org'] });
  t.strictSame(catalog.users.get('bob@example.org'), {
    email: 'bob@example.org',
    passwordHash: 'scrypt$new',
    labels: ['x', 'y'],
    firstName: 'Bob',
    lastName: 'Δ',
    groupId: 1,
  });
  t.notMatch(JSON.stringify(create(json(creating(more)))), PASSWORD);
  t.end();
});

t.test('absent and null fields are empty, and a check without a hash changes nothing', (t) => {
  const nulls = { labels: null, 'first-name': null, 'last-name': null, 'permission-group': null };
  const expected = { labels: [], firstName: '', lastName: '', groupId: null };
  for (const more of [{}, nulls, { 'permission-group': '' }]) {
    t.match(after(create(json(creating(more)))).catalog.users.get('bob@example.org'), expected);
  }
  t.strictSame(createUser(json(creating({})), TEAM, null), {
    changes: [],
    answer: { users: ['bob@example.org'] },
  });
  t.end();
});

t.test('users are listed in order of their emails, without a hash', (t) => {
  const bob = { 'first-name': 'Bob', labels: ['x'], 'last-name': 'Δ' };
  const more = after(create(json(creating({ email: 'Aaron@example.org', ...bob })))).catalog;
  t.strictSame(listUsers(more), [
    { email: 'aaron@example.org', ...bob, 'permission-group': null },
    {
      ...{ email: 'ann@example.org', 'first-name': 'Ann', 'last-name': '', labels: [] },
      'permission-group': 'analysts',
    },
  ]);
  t.notMatch(JSON.stringify(listUsers(more)), 'scrypt');
  t.end();
});

t.test('a change affects only the fields named; null changes nothing, an empty group resets it', (t) => {
  const cases: readonly [object, Partial<User>][] = [
    [{}, {}],
    [{ email: 'ANN@example.org', 'first-name': 'A' }, { firstName: 'A' }],
    [{ 'last-name': 'L' }, { lastName: 'L' }],
    [{ 'first-name': '' }, { firstName: '' }],
    [{ labels: ['l'] }, { labels: ['l'] }],
    [{ 'first-name': null, labels: null, 'permission-group': null }, {}],
    [{ 'permission-group': '' }, { groupId: null }],
    [{ 'permission-group': 'analysts' }, {}],
  ];
  for (const [more, difference] of cases) {
    const { catalog, answer } = after(change(json(changing(more))));
    t.strictSame(answer, { users: ['ann@example.org'] });
    t.strictSame(catalog.users.get('ann@example.org'), { ...ANN, ...difference }, JSON.stringify(more));
  }
  t.end();
});

t.test('all errors of a new user are reported before its password is hashed', (t) => {
  const body = json(creating({ email: 'x', password: 'short', labels: 1, 'permission-group': 'y' }));
  assertAllRefusals(t, () => createUser(body, TEAM, null), [
    [7050, '"x"'],
    [7050, '"password"'],
    [7050, '"labels"'],
    [7050, '"y"'],
  ]);
  t.end();
});

t.test('a deleted user no longer exists', (t) => {
  const { catalog, answer } = after(remove(json('{"email":"Ann@example.org"}')));
  t.strictSame(answer, { users: ['ann@example.org'] });
  t.equal(catalog.users.size, 0);
  t.end();
});

const domain = (length: number): string => `${'d'.repeat(length - 4)}.org`;

t.test('emails of usual and unusual forms are accepted, up to 254 characters', (t) => {
  const emails = [
    'a@b',
    "o'brien+x@example.org",
    'Δ@παράδειγμα.gr',
    `${'l'.repeat(64)}@${domain(189)}`,
    `a@${domain(252)}`,
  ];
  for (const email of emails) {
    t.strictSame(create(json(creating({ email }))).answer, { users: [email.toLowerCase()] });
  }
  t.end();
});

const BOTH: readonly Refusal[] = [
  ['a list', '[]', 7050, 'a list'],
  ['no email', '{}', 7050, '"email"'],
  ['a null email', '{"email":null}', 7050, '"email"'],
  ['an unknown field', '{"email":"ann@example.org","name":"x"}', 7050, '"name"'],
  ['__proto__', '{"email":"ann@example.org","__proto__":"x"}', 7050, '"__proto__"'],
  ...NO_TEXTS.map(
    (email): Refusal => ['an email of another type', JSON.stringify({ email }), 7050, '"email"'],
  ),
  ...[
    '',
    '@',
    'a',
    'a@',
    '@b',
    'a@b@c',
    'a b@c',
    'a@b c',
    '<a@b>',
    'a\u0000@b',
    `${'l'.repeat(65)}@b`,
    'a@b\n',
  ].map((email): Refusal => [email, JSON.stringify({ email }), 7050, 'is not an email address']),
  ['255 characters', JSON.stringify({ email: `a@${domain(253)}` }), 7050, '254'],
];
const fields = (write: (more: object) => string): readonly Refusal[] => [
  ...['first-name', 'last-name', 'permission-group'].flatMap((field) =>
    NO_TEXTS.map((value): Refusal => [field, write({ [field]: value }), 7050, `"${field}"`]),
  ),
  ...[1, 'x', {}, [1], [null]].map(
    (value): Refusal => ['labels', write({ labels: value }), 7050, '"labels"'],
  ),
  ['an unknown group', write({ 'permission-group': 'zzz' }), 7050, '"zzz"'],
  ['a long name', write({ 'first-name': 'n'.repeat(257) }), 7050, '256'],
];

t.test('bad bodies are refused with 7050 and a message that names the fault', (t) => {
  assertRefusals(t, BOTH, create);
  assertRefusals(t, BOTH, change);
  assertRefusals(t, BOTH, remove);
  assertRefusals(t, fields(creating), create);
  assertRefusals(t, fields(changing), change);
  assertRefusals(
    t,
    [['an email taken', creating({ email: 'ANN@example.org' }), 7050, 'already exists']],
    create,
  );
  const unknown: Refusal = ['an unknown email', '{"email":"zzz@example.org"}', 7050, '"zzz@example.org"'];
  assertRefusals(t, [unknown, ['a password', changing({ password: PASSWORD }), 7050, '"password"']], change);
  assertRefusals(t, [unknown, ['a name', changing({ 'first-name': 'x' }), 7050, '"first-name"']], remove);
  assertAllRefusals(
    t,
    () => create(parsed({ email: 'b@c', labels: 5, 'first-name': 1, 'permission-group': 'z' })),
    [
      [7050, '"labels"'],
      [7050, '"first-name"'],
      [7050, '"z"'],
    ],
  );
  t.end();
});

t.test('a password has 8 to 1,024 characters, and no refusal contains it', (t) => {
  for (const password of ['8 chars!', 'x'.repeat(1024), '\u{1f511}'.repeat(8), '\u{1f511}'.repeat(1024)]) {
    t.equal(readNewPassword(json(creating({ password }))), password);
  }
  const bad = [
    undefined,
    null,
    '',
    'secret7',
    '\u{1f511}'.repeat(7),
    'secret'.repeat(171),
    12345678,
    ['secret'],
    { secret: 1 },
  ];
  for (const password of bad) {
    try {
      readNewPassword(json(creating({ password })));
      t.fail('accepted');
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      t.equal(error.code, 7050);
      t.match(error.message, '"password"');
      t.notMatch(error.message, /secret|12345678|\u{1f511}/u);
    }
  }
  t.end();
});

t.test('a sign-in body names the email and password, and the database if it is for one', (t) => {
  const base = { email: 'Ann@Example.org', password: 'p' };
  const expected = { email: 'ann@example.org', password: 'p' };
  t.strictSame(readSignIn(parsed(base)), { ...expected, databaseName: null });
  t.strictSame(readSignIn(parsed({ ...base, 'database-name': null })), { ...expected, databaseName: null });
  t.strictSame(readSignIn(parsed({ ...base, 'database-name': 'one' })), { ...expected, databaseName: 'one' });
  const write = (more: object): string => JSON.stringify({ ...base, ...more });
  const refusals: readonly Refusal[] = [
    ['no object', '"x"', 7050, 'a string'],
    ['no email', write({ email: undefined }), 7050, '"email"'],
    ['no password', write({ password: undefined }), 7050, '"password"'],
    ['a long email', write({ email: 'e'.repeat(1025) }), 7050, '"email"'],
    ['an unknown field', write({ database: 'one' }), 7050, '"database"'],
    ...['email', 'password', 'database-name'].flatMap((field) =>
      NO_TEXTS.map((value): Refusal => [field, write({ [field]: value }), 7050, `"${field}"`]),
    ),
  ];
  assertRefusals(t, refusals, readSignIn);
  t.end();
});

t.test('an unknown field is reported first, together with all other errors', (t) => {
  assertAllRefusals(t, () => create(parsed({ x: 1, email: 'b', password: 'long enough', labels: 5 })), [
    [7050, '"x"'],
    [7050, '"b"'],
    [7050, '"labels"'],
  ]);
  t.end();
});
