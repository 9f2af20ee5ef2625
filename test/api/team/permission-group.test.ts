import t from 'tap';
import { changeGroup, createGroup, deleteGroup, type Json, listGroups } from '../../../src/api/index.js';
import { PERMISSIONS, type PermissionGroup, WEEK_DAYS } from '../../../src/catalog/index.js';
import { json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';
import { after, NO_TEXTS, parsed, TEAM } from '../team.js';

const create = (body: Json) => createGroup(body, TEAM);
const change = (body: Json) => changeGroup(body, TEAM);
const remove = (body: Json) => deleteGroup(body, TEAM);
const creating = (more: object): string => JSON.stringify({ 'group-name': 'new', ...more });
const changing = (more: object): string => JSON.stringify({ 'group-name': 'analysts', ...more });
const ANALYSTS = TEAM.groups.get(1) as PermissionGroup;

t.test('a group is created as described in the body', (t) => {
  const body = creating({
    description: 'Δ',
    'allowed-permissions': [19, 1, 1, 7],
    'allowed-databases': ['two', 'one', 'two'],
    labels: ['x', 'x'],
    'week-days': ['sat', 'mon', 'sat'],
    'access-hours': { from: '22:30', to: '06:00' },
  });
  const { catalog, answer } = after(create(json(body)));
  t.strictSame(answer, { 'permission-groups': ['new'] });
  t.strictSame(catalog.groups.get(2), {
    id: 2,
    name: 'new',
    description: 'Δ',
    permissions: [1, 7, 19],
    databaseIds: [2, 1],
    labels: ['x'],
    weekDays: ['mon', 'sat'],
    accessMinutes: { from: 1350, to: 360 },
  });
  t.end();
});

t.test('absent, null and empty fields allow nothing, at any time', (t) => {
  const expected = {
    permissions: [],
    databaseIds: [],
    labels: [],
    weekDays: [],
    accessMinutes: null,
    description: '',
  };
  const all = [
    'description',
    'allowed-permissions',
    'allowed-databases',
    'labels',
    'week-days',
    'access-hours',
  ];
  const nulls = Object.fromEntries(all.map((field) => [field, null]));
  const empty = { 'allowed-permissions': [], 'allowed-databases': [], 'week-days': [], 'access-hours': {} };
  for (const more of [{}, nulls, empty]) {
    t.strictSame(after(create(json(creating(more)))).catalog.groups.get(2), {
      id: 2,
      name: 'new',
      ...expected,
    });
  }
  t.end();
});

t.test('every permission, every day and every hour can be granted', (t) => {
  const body = creating({
    'allowed-permissions': Object.keys(PERMISSIONS).map(Number),
    'week-days': WEEK_DAYS,
  });
  const group = after(create(json(body))).catalog.groups.get(2);
  t.equal(group?.permissions.length, Object.keys(PERMISSIONS).length);
  t.strictSame(group?.weekDays, WEEK_DAYS);
  for (const [from, to, minutes] of [
    ['00:00', '23:59', { from: 0, to: 1439 }],
    ['08:00', '00:00', { from: 480, to: 0 }],
    ['23:59', '00:00', { from: 1439, to: 0 }],
  ] as const) {
    const hours = creating({ 'access-hours': { from, to } });
    t.strictSame(after(create(json(hours))).catalog.groups.get(2)?.accessMinutes, minutes);
  }
  t.end();
});

t.test('groups are listed by name, and PUT of an entry changes nothing', (t) => {
  const { catalog } = after(create(json(creating({ 'group-name': 'aa', 'allowed-databases': ['one'] }))));
  const [blank, analysts, ...others] = listGroups(catalog);
  t.strictSame(others, []);
  t.strictSame(blank, {
    ...{ 'group-name': 'aa', description: '', 'allowed-permissions': [], 'allowed-databases': ['one'] },
    ...{ labels: [], 'week-days': [], 'access-hours': {} },
  });
  t.strictSame(analysts, {
    ...{ 'group-name': 'analysts', description: 'who ask', 'allowed-permissions': [1, 6] },
    ...{ 'allowed-databases': ['two'], labels: ['x'], 'week-days': ['mon'] },
    'access-hours': { from: '01:00', to: '02:00' },
  });
  for (const entry of [blank, analysts]) {
    const put = changeGroup(parsed(entry), catalog);
    t.strictSame(after(put, catalog).catalog.groups, catalog.groups);
  }
  t.end();
});

t.test('a change affects only the fields that it names, and null counts as not named', (t) => {
  const cases: readonly [object, Partial<PermissionGroup>][] = [
    [{}, {}],
    [{ 'new-group-name': 'askers' }, { name: 'askers' }],
    [{ 'new-group-name': 'analysts' }, {}],
    [{ description: '' }, { description: '' }],
    [{ 'allowed-permissions': [] }, { permissions: [] }],
    [{ 'allowed-databases': ['one'] }, { databaseIds: [1] }],
    [{ 'week-days': [] }, { weekDays: [] }],
    [{ 'access-hours': {} }, { accessMinutes: null }],
    [{ 'access-hours': null, 'week-days': null, 'allowed-databases': null, 'allowed-permissions': null }, {}],
  ];
  for (const [more, difference] of cases) {
    const { catalog, answer } = after(change(json(changing(more))));
    const group = { ...ANALYSTS, ...difference };
    t.strictSame(answer, { 'permission-groups': [group.name] });
    t.strictSame(catalog.groups.get(1), group, JSON.stringify(more));
  }
  t.end();
});

t.test('the users of a deleted group are in no group', (t) => {
  const { catalog, answer } = after(remove(json(changing({}))));
  t.strictSame(answer, { 'permission-groups': ['analysts'] });
  t.equal(catalog.groups.size, 0);
  t.equal(catalog.users.get('ann@example.org')?.groupId, null);
  t.end();
});

const BOTH: readonly Refusal[] = [
  ['a list', '[]', 7000, 'a list'],
  ['no name', '{}', 7000, '"group-name"'],
  ['a null name', '{"group-name":null}', 7000, '"group-name"'],
  ['an unknown field', changing({ permissions: [] }), 7000, '"permissions"'],
  ['a field of every object', changing({ constructor: 1 }), 7000, '"constructor"'],
  ...NO_TEXTS.map(
    (name): Refusal => [
      'a name of another type',
      JSON.stringify({ 'group-name': name }),
      7000,
      '"group-name"',
    ],
  ),
];

const fields = (write: (more: object) => string): readonly Refusal[] => [
  ...NO_TEXTS.map((value): Refusal => ['description', write({ description: value }), 7000, '"description"']),
  ...['allowed-permissions', 'allowed-databases', 'labels', 'week-days'].flatMap((field) =>
    [1, 'x', true, {}].map((value): Refusal => [field, write({ [field]: value }), 7000, `"${field}"`]),
  ),
  ...['allowed-databases', 'labels', 'week-days'].flatMap((field) =>
    [1, null, {}, []].map((value): Refusal => [field, write({ [field]: [value] }), 7000, `"${field}"`]),
  ),
  ...[0, -1, 20, 1.5, '1', null, 1e300, true, [1]].map(
    (value): Refusal => [`permission ${value}`, write({ 'allowed-permissions': [1, value] }), 7000, 'at [1]'],
  ),
  [
    'a permission with an exponent',
    write({}).replace('}', ',"allowed-permissions":[1e0]}'),
    7000,
    '1e0 at [0]',
  ],
  ['an unknown database', write({ 'allowed-databases': ['zzz'] }), 7000, '"zzz"'],
  ['an unknown day', write({ 'week-days': ['mon', 'monday'] }), 7000, '"monday"'],
  ['a day in other letters', write({ 'week-days': ['Mon'] }), 7000, '"Mon"'],
  ...[1, '08:00', [], true].map(
    (value): Refusal => ['hours', write({ 'access-hours': value }), 7000, '"access-hours"'],
  ),
  ['hours without an end', write({ 'access-hours': { from: '08:00' } }), 7000, '"to"'],
  ['hours without a begin', write({ 'access-hours': { to: '08:00' } }), 7000, '"from"'],
  [
    'an unknown field of hours',
    write({ 'access-hours': { from: '08:00', to: '09:00', zone: 'x' } }),
    7000,
    '"zone"',
  ],
  ['hours of no length', write({ 'access-hours': { from: '08:00', to: '08:00' } }), 7000, '"to"'],
  ...['8:00', '24:00', '08:60', '08:00:00', '', ' 08:00', '08:00\n', '٠٨:٠٠'].map(
    (from): Refusal => [from, write({ 'access-hours': { from, to: '09:00' } }), 7000, '"from"'],
  ),
];

t.test('bad bodies are refused with 7000 and a message that names the fault', (t) => {
  assertRefusals(t, BOTH, create);
  assertRefusals(t, BOTH, change);
  assertRefusals(t, BOTH, remove);
  assertRefusals(t, fields(creating), create);
  assertRefusals(t, fields(changing), change);
  const creations: readonly Refusal[] = [
    ['a name taken', creating({ 'group-name': 'analysts' }), 7000, 'already exists'],
    ['an empty name', creating({ 'group-name': ' ' }), 7000, 'is empty'],
    ['a long name', creating({ 'group-name': 'n'.repeat(65) }), 7000, '64'],
    ['a field of PUT', creating({ 'new-group-name': 'x' }), 7000, '"new-group-name"'],
  ];
  assertRefusals(t, creations, create);
  const unknown: Refusal = ['an unknown group', creating({}), 7000, '"new" does not exist'];
  const second = after(create(json(creating({})))).catalog;
  assertRefusals(
    t,
    [unknown, ['an empty new name', changing({ 'new-group-name': '' }), 7000, 'is empty']],
    change,
  );
  assertRefusals(t, [['a new name taken', changing({ 'new-group-name': 'new' }), 7000, 'already']], (body) =>
    changeGroup(body, second),
  );
  assertRefusals(t, [unknown, ['a field of PUT', changing({ labels: [] }), 7000, '"labels"']], remove);
  t.end();
});

t.test('all errors of a group are reported', (t) => {
  const body = parsed({
    'group-name': ' ',
    'allowed-permissions': [0, 1, 99],
    'week-days': ['x'],
    'access-hours': 5,
  });
  assertAllRefusals(t, () => create(body), [
    [7000, '"group-name"'],
    [7000, '0 at [0]'],
    [7000, '99 at [2]'],
    [7000, '"x"'],
    [7000, '"access-hours"'],
  ]);
  t.end();
});

t.test('an unknown field is reported first, together with all other errors', (t) => {
  assertAllRefusals(
    t,
    () => create(parsed({ 'group-name': 5, x: 1, 'access-hours': { from: 1, y: 1, to: 2 } })),
    [
      [7000, '"x"'],
      [7000, '"group-name"'],
      [7000, '"y"'],
      [7000, '"from"'],
      [7000, '"to"'],
    ],
  );
  t.end();
});
