import t from 'tap';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  EMPTY_CATALOG,
  hashOfKey,
  PERMISSIONS,
  type Permission,
  type PermissionGroup,
  TEAM_PERMISSIONS,
  WEEK_DAYS,
} from '../../../src/catalog/index.js';
import { permits, reachOf, Sessions } from '../../../src/http/auth/sessions.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 4, 6, 12);
const ANN = { kind: 'user', email: 'ann@example.org', databaseId: 1 } as const;

/** Returns different bytes at every call. */
function countingSessions(): Sessions {
  let calls = 0;
  return new Sessions((count) => {
    const bytes = new Uint8Array(count);
    new DataView(bytes.buffer).setUint32(0, ++calls);
    return bytes;
  }, null);
}

const GROUP: PermissionGroup = {
  id: 1,
  name: 'analysts',
  description: '',
  permissions: [1, 6],
  databaseIds: [1],
  labels: [],
  weekDays: [],
  accessMinutes: null,
};
const USER = { email: ANN.email, passwordHash: 'h', labels: [], firstName: '', lastName: '', groupId: 1 };

function catalogWith(group: Partial<PermissionGroup> = {}, more: readonly CatalogChange[] = []): Catalog {
  return applyChanges(EMPTY_CATALOG, [
    { change: 'database-created', id: 1, name: 'one', type: 'production' },
    { change: 'database-created', id: 2, name: 'two', type: 'production' },
    { change: 'group-set', group: { ...GROUP, ...group } },
    { change: 'user-set', user: USER },
    ...more,
  ]);
}

const SIGNED_IN = { ...ANN, passwordHash: 'h' };

t.test('a session is found for 12 hours, only by its key', (t) => {
  const sessions = countingSessions();
  const { key, expiresMs } = sessions.open(ANN, NOW_MS, 'h');
  t.match(key, /^[\w-]{43}$/);
  t.equal(expiresMs, NOW_MS + 12 * HOUR_MS);
  for (const nowMs of [NOW_MS, expiresMs - 1]) t.strictSame(sessions.find(hashOfKey(key), nowMs), SIGNED_IN);
  for (const nowMs of [expiresMs, expiresMs + HOUR_MS]) t.equal(sessions.find(hashOfKey(key), nowMs), null);
  for (const other of ['', `${key} `, key.slice(1), key.toLowerCase()])
    t.equal(sessions.find(hashOfKey(other), NOW_MS), null);
  t.equal(countingSessions().find(key, NOW_MS), null, 'a restart ends all sessions');
  t.end();
});

t.test('beyond 10,000 sessions expired ones are removed first, then the oldest', (t) => {
  const sessions = countingSessions();
  const open = (index: number, nowMs: number): string =>
    sessions.open({ ...ANN, email: `${index}@example.org` }, nowMs, 'h').key;
  const keys = Array.from({ length: 10_001 }, (_, index) => open(index, NOW_MS));
  t.equal(sessions.find(hashOfKey(keys[0]), NOW_MS), null);
  t.not(sessions.find(hashOfKey(keys[1]), NOW_MS), null);
  t.not(sessions.find(hashOfKey(keys[10_000]), NOW_MS), null);
  const later = NOW_MS + 12 * HOUR_MS;
  const [first, second] = [open(1, later), open(2, later)];
  t.not(sessions.find(hashOfKey(first), later), null);
  t.not(sessions.find(hashOfKey(second), later), null);
  t.end();
});

t.test('beyond 100 sessions of one email its oldest end, and those of other emails do not', (t) => {
  const sessions = countingSessions();
  const ben = sessions.open({ ...ANN, email: 'ben@example.org' }, NOW_MS, 'h').key;
  const keys = Array.from({ length: 250 }, () => sessions.open(ANN, NOW_MS, 'h').key);
  const found = keys.map((key) => sessions.find(hashOfKey(key), NOW_MS) !== null);
  t.strictSame(
    found,
    keys.map((_, index) => index >= 150),
  );
  t.not(sessions.find(hashOfKey(ben), NOW_MS), null);
  const later = NOW_MS + 12 * HOUR_MS;
  const newest = Array.from({ length: 100 }, () => sessions.open(ANN, later, 'h').key);
  t.ok(
    newest.every((key) => sessions.find(hashOfKey(key), later) !== null),
    'expired sessions do not count',
  );
  t.end();
});

t.test('a user has the permissions of the group, in its databases and for the team', (t) => {
  const catalog = catalogWith();
  for (const number of Object.keys(PERMISSIONS).map(Number) as Permission[]) {
    const wanted = number === 1 || number === 6;
    for (const databaseId of [1, null]) {
      t.equal(permits(catalog, { ...SIGNED_IN, databaseId }, number, NOW_MS) === true, wanted, `${number}`);
    }
    t.type(permits(catalog, { ...SIGNED_IN, databaseId: 2 }, number, NOW_MS), 'string');
  }
  t.end();
});

t.test('a session whose user or group is missing permits nothing and reports the reason', (t) => {
  const reason = (catalog: Catalog): unknown => permits(catalog, SIGNED_IN, 1, NOW_MS);
  t.equal(reason(catalogWith()), true);
  t.match(reason(catalogWith({}, [{ change: 'user-deleted', email: ANN.email }])), 'the user was deleted');
  t.match(reason(catalogWith({}, [{ change: 'group-deleted', groupId: 1 }])), 'no permission group');
  t.match(reason(catalogWith({ permissions: [2] })), 'lacks permission 1');
  t.match(reason(catalogWith({ databaseIds: [] })), 'may not use this database');
  t.match(reason(catalogWith({ weekDays: ['thu'] })), 'no access on this day');
  t.end();
});

t.test(
  'a session ends when its user is deleted, even if a user with the same email is created afterwards',
  (t) => {
    const catalog = catalogWith({}, [
      { change: 'user-deleted', email: ANN.email },
      { change: 'user-set', user: { ...USER, passwordHash: 'another' } },
    ]);
    t.match(permits(catalog, SIGNED_IN, 1, NOW_MS), 'the user was deleted');
    t.equal(reachOf(catalog, SIGNED_IN)(1), false);
    t.equal(permits(catalog, { ...SIGNED_IN, passwordHash: 'another' }, 1, NOW_MS), true);
    t.end();
  },
);

t.test('access days are UTC days', (t) => {
  // 2026-05-03 was a Sunday.
  WEEK_DAYS.forEach((day, index) => {
    const catalog = catalogWith({ weekDays: [day] });
    const midnight = Date.UTC(2026, 4, 3 + index);
    const open = [-1, 0, 24 * HOUR_MS - 1, 24 * HOUR_MS].map(
      (ms) => permits(catalog, SIGNED_IN, 1, midnight + ms) === true,
    );
    t.strictSame(open, [false, true, true, false], day);
  });
  t.end();
});

t.test('access hours match a minute-by-minute model, also across midnight', (t) => {
  const midnight = Date.UTC(2026, 4, 6);
  for (const [from, to] of [
    [480, 1080],
    [0, 1],
    [1439, 0],
    [1320, 360],
    [720, 0],
    [0, 1439],
  ]) {
    const open = new Set<number>();
    for (let minute = from; minute !== to; minute = (minute + 1) % 1440) open.add(minute);
    const catalog = catalogWith({ accessMinutes: { from, to } });
    const wrong: number[] = [];
    for (let minute = 0; minute < 1440; minute++) {
      for (const ms of [0, MINUTE_MS - 1]) {
        const may = permits(catalog, SIGNED_IN, 1, midnight + minute * MINUTE_MS + ms) === true;
        if (may !== open.has(minute)) wrong.push(minute);
      }
    }
    t.strictSame(wrong, [], `${from} to ${to}`);
  }
  t.end();
});

t.test('a team key reaches all databases, a user only those of the group', (t) => {
  const catalog = catalogWith();
  const reached = (caller: Parameters<typeof reachOf>[1], of = catalog) =>
    [1, 2, 3].filter(reachOf(of, caller));
  t.strictSame(reached({ kind: 'team', hash: 'a', name: 'ops', permissions: TEAM_PERMISSIONS }), [1, 2, 3]);
  t.strictSame(reached({ ...SIGNED_IN, databaseId: null }), [1]);
  t.strictSame(reached(SIGNED_IN, catalogWith({}, [{ change: 'group-deleted', groupId: 1 }])), []);
  t.end();
});
