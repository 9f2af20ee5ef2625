/**
 * Every kind of caller at every endpoint, under every whitelist and row filter, through the real front end. The
 * expected results are listed here from the interface documentation, not taken from the endpoint table of the code.
 */
import t, { type Test } from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  type CatalogChange,
  CUSTOM_KEY_LEVELS,
  type CustomKeyLevel,
  type DatabaseKeyKind,
  DEFAULT_PROPERTIES,
  hashOfKey,
  TEAM_PERMISSIONS,
  type TeamPermission,
} from '../../src/catalog/index.js';
import type { Sessions } from '../../src/http/auth/sessions.js';
import { ENDPOINTS, type Endpoint } from '../../src/http/endpoints/endpoints.js';
import type { DatabaseCall, OpenCall, TeamCall } from '../../src/http/endpoints/handlers/handler.js';
import { parseProxies } from '../../src/http/index.js';
import { type Front, RawConnection, requestBytes, startFront } from './harness.js';

/**
 * Method, path, keys (demo: on databases of type test), custom keys, number of the permission of users. Custom keys:
 * wr, wo, ro = the levels that are admitted; a number = the code with which all are refused.
 */
const IN_DATABASE = `
POST   /v1/dimension                | master write           | 511      | 7
DELETE /v1/dimension                | master write           | 511      | 8
GET    /v1/dimension                | master write read      | wr wo ro | 6
POST   /v1/column                   | master write           | 505      | 7
PUT    /v1/column                   | master write           | 505      | 7
DELETE /v1/column                   | master write           | 505      | 8
GET    /v1/column                   | master write read      | wr wo ro | 6
POST   /v1/column/relation          | master write           | 505      | 7
DELETE /v1/column/relation          | master write           | 505      | 8
GET    /v1/column/relation          | master write read      | wr wo ro | 6
POST   /v1/insert                   | master write demo      | wr wo    | 2
POST   /v1/insert/lines             | master write demo      | wr wo    | 2
POST   /v1/quarantine/retry         | master write           | 509      | 2
POST   /v1/update                   | master write demo      | wr wo    | 3
POST   /v1/delete                   | master write demo      | wr wo    | 4
POST   /v1/sql                      | master read demo       | wr ro    | 5
POST   /v1/query/count/entity       | master read demo       | wr ro    | 1
POST   /v1/query/count/event        | master read demo       | wr ro    | 1
POST   /v1/query/count/events       | master read demo       | wr ro    | 1
POST   /v1/query/count/entity/total | master read            | wr ro    | 1
GET    /v1/query/count/entity/total | master read            | wr ro    | 1
POST   /v1/query/exists/entity      | master read demo       | wr ro    | 1
POST   /v1/query/aggregation        | master read demo       | wr ro    | 1
POST   /v1/query/top_values         | master read demo       | wr ro    | 1
POST   /v1/query/funnel             | master read demo       | wr ro    | 1
POST   /v1/query/retention          | master read demo       | wr ro    | 1
POST   /v1/query/lifecycle          | master read demo       | wr ro    | 1
POST   /v1/query/stickiness         | master read demo       | wr ro    | 1
POST   /v1/query/actives            | master read demo       | wr ro    | 1
POST   /v1/query/sequence           | master read demo       | wr ro    | 1
POST   /v1/query/sessions           | master read demo       | wr ro    | 1
POST   /v1/query/flow               | master read demo       | wr ro    | 1
POST   /v1/query/overlap            | master read demo       | wr ro    | 1
POST   /v1/query/compare            | master read demo       | wr ro    | 1
POST   /v1/query/timeline           | master read demo       | wr ro    | 1
POST   /v1/data_extraction/result   | master read demo       | wr ro    | 1
POST   /v1/data_extraction/score    | master read demo       | wr ro    | 1
POST   /v1/query/saved              | master demo            | wr ro    | 10
GET    /v1/query/saved              | master read demo       | wr ro    | 9
GET    /v1/query/saved/:query_name  | master demo            | wr ro    | 9
GET    /v1/query/saved/:query_name/live | master demo        | wr ro    | 9
PUT    /v1/query/saved/:query_name  | master demo            | wr ro    | 10
DELETE /v1/query/saved/:query_name  | master demo            | wr ro    | 11
POST   /v1/segment                  | master demo            | wr ro    | 10
GET    /v1/segment                  | master read demo       | wr ro    | 9
GET    /v1/segment/:segment_name    | master demo            | wr ro    | 9
PUT    /v1/segment/:segment_name    | master demo            | wr ro    | 10
DELETE /v1/segment/:segment_name    | master demo            | wr ro    | 11
POST   /v1/segment/:segment_name/ids | master write demo     | wr wo    | 2
DELETE /v1/segment/:segment_name/ids | master write demo     | wr wo    | 2
GET    /v1/database                 | master                 | 509      | 12
GET    /v1/status                   | master read            | 509      | 12
GET    /v1/status/live              | master read            | 509      | 12
GET    /v1/status/queries           | master                 | 509      | 13
DELETE /v1/status/queries/:query_id | master                 | 509      | 13
GET    /v1/status/slow_queries      | master                 | 509      | 13
`;

/** Method, path, the right that the team key needs, number of the permission of users. */
const OF_TEAM = `
POST   /v1/database              | -      | 13
PUT    /v1/database              | -      | 13
DELETE /v1/database              | delete | 14
GET    /v1/database/retrieve_all | -      | 12
GET    /v1/database/custom_key   | list   | 15
POST   /v1/database/custom_key   | -      | 16
PUT    /v1/database/custom_key   | update | 16
DELETE /v1/database/custom_key   | delete | 17
GET    /v1/users                 | list   | 18
POST   /v1/users                 | -      | 18
PUT    /v1/users                 | update | 18
DELETE /v1/users                 | update | 18
GET    /v1/permission_groups     | list   | 19
POST   /v1/permission_groups     | -      | 19
PUT    /v1/permission_groups     | -      | 19
DELETE /v1/permission_groups     | -      | 19
`;

const OPEN = 'POST /v1/session';

interface Rule {
  /** `METHOD path`. */
  readonly name: string;
  readonly scope: 'database' | 'team' | 'open';
  readonly keys: readonly string[];
  readonly custom: readonly string[] | number;
  readonly teamPermission: string | null;
  readonly permission: number;
}

function tableTextsOf(table: string): string[][] {
  const lines = table.trim().split('\n');
  return lines.map((line) => line.split('|').map((text) => text.trim().replace(/ +/g, ' ')));
}

const RULES: readonly Rule[] = [
  ...tableTextsOf(IN_DATABASE).map(([name, keys, custom, permission]): Rule => {
    const code = Number(custom);
    return {
      name,
      scope: 'database',
      keys: keys.split(' '),
      custom: Number.isNaN(code) ? custom.split(' ') : code,
      teamPermission: null,
      permission: Number(permission),
    };
  }),
  ...tableTextsOf(OF_TEAM).map(([name, needed, permission]): Rule => {
    const teamPermission = needed === '-' ? null : needed;
    return { name, scope: 'team', keys: [], custom: 509, teamPermission, permission: Number(permission) };
  }),
  { name: OPEN, scope: 'open', keys: [], custom: [], teamPermission: null, permission: 0 },
];

const SHORT: Readonly<Record<CustomKeyLevel, string>> = {
  'read-only': 'ro',
  'write-only': 'wo',
  'write-read': 'wr',
};

/** A caller with the properties that decide access according to the interface documentation. */
type Someone = {
  /** Description for the report of a wrong answer. */
  readonly label: string;
  /** The Authorization header; null = none. */
  readonly header: string | null;
} & (
  | { readonly kind: 'nobody'; readonly code: 500 | 501 | 502 }
  | { readonly kind: 'team'; readonly permissions: readonly string[] }
  | ({ readonly kind: DatabaseKeyKind } & Inside)
  | ({ readonly kind: 'custom'; readonly level: CustomKeyLevel; readonly narrowed: boolean } & Inside)
  | { readonly kind: 'user'; readonly permissions: readonly number[]; readonly inside: Inside | null }
);

interface Inside {
  readonly databaseId: number;
  readonly type: 'test' | 'production';
  /** Each of these whitelists must contain the address of the client; an empty whitelist contains all addresses. */
  readonly whitelists: readonly (readonly string[])[];
}

/** Entries of whitelists, and the client addresses that they match. */
const CLIENTS = ['203.0.113.7', '203.0.113.200', '198.51.100.1', '2001:db8::7', '2001:db8:ffff::1'];
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '203.0.113.7': [CLIENTS[0]],
  '203.0.113.0/25': [CLIENTS[0]],
  '203.0.113.0/24': [CLIENTS[0], CLIENTS[1]],
  '::ffff:198.51.100.1': [CLIENTS[2]],
  '2001:db8::/48': [CLIENTS[3]],
  '2001:db8::/32': [CLIENTS[3], CLIENTS[4]],
  '192.0.2.0/24': [],
  'Office.example': [CLIENTS[1], CLIENTS[3]],
  'gone.example': [],
};

async function lookUpHost(host: string): Promise<readonly string[]> {
  if (host === 'office.example') return ['203.0.113.200', '2001:0db8:0:0::7'];
  throw Object.assign(new Error(host), { code: 'ENOTFOUND' });
}

const ACCOUNT_CODES = {
  active: null,
  'no-payment-method': 1000,
  suspended: 1001,
  banned: 1002,
  disabled: 1003,
};
type Account = keyof typeof ACCOUNT_CODES;

function insideOf(someone: Someone): Inside | null {
  if (someone.kind === 'nobody' || someone.kind === 'team') return null;
  return someone.kind === 'user' ? someone.inside : someone;
}

/** `granted`, or the code of the refusal. */
function expected(rule: Rule, someone: Someone, client: string, account: Account): number | 'granted' {
  const open = rule.scope === 'open';
  if (!open && someone.kind === 'nobody') return someone.code;
  if (account !== 'active') return ACCOUNT_CODES[account] ?? 0;
  if (open) return 'granted';
  const whitelists = insideOf(someone)?.whitelists ?? [];
  const holds = (list: readonly string[]): boolean =>
    list.length === 0 || list.some((entry) => ENTRIES[entry].includes(client));
  if (!whitelists.every(holds)) return 504;
  switch (someone.kind) {
    case 'nobody':
      return someone.code;
    case 'team': {
      const needed = rule.teamPermission;
      const suffices = needed === null || someone.permissions.includes(needed);
      return rule.scope === 'team' && suffices ? 'granted' : 503;
    }
    case 'user': {
      const isRightScope = (someone.inside !== null) === (rule.scope === 'database');
      return isRightScope && someone.permissions.includes(rule.permission) ? 'granted' : 503;
    }
    case 'custom':
      if (typeof rule.custom === 'number') return rule.custom;
      return rule.custom.includes(SHORT[someone.level]) ? 'granted' : 507;
    case 'demo':
      return rule.keys.includes('demo') && someone.type === 'test' ? 'granted' : 503;
    default:
      return rule.keys.includes(someone.kind) ? 'granted' : 503;
  }
}

function mayCreate(someone: Someone): boolean {
  return someone.kind === 'user' ? someone.permissions.includes(7) : someone.kind !== 'custom';
}

/** The access with which a handler was called. */
interface Seen {
  readonly endpoint: string;
  readonly databaseId: number | null;
  readonly caller: string;
  /** Whether rows and columns are hidden from the caller. */
  readonly hidesRows: boolean;
  readonly hidesColumns: boolean;
  /** Whether inserts may create columns and dimensions. */
  readonly mayCreate: boolean;
}

/** The endpoints of the interface, with handlers that answer with the access that they got. */
function recording(onSessions: (sessions: Sessions) => void): readonly Endpoint[] {
  const write = (seen: Seen): string => `"seen":${JSON.stringify(seen)}`;
  const recorded = (endpoint: Endpoint): Endpoint => {
    const name = `${endpoint.method} ${endpoint.path}`;
    const hidden = { hidesRows: false, hidesColumns: false };
    const nothing = { endpoint: name, databaseId: null, ...hidden, mayCreate: false };
    switch (endpoint.scope) {
      case 'open':
        return {
          ...endpoint,
          handler: ({ sessions }: OpenCall) => {
            onSessions(sessions);
            return write({ ...nothing, caller: 'anybody' });
          },
        };
      case 'team':
        return { ...endpoint, handler: ({ caller }: TeamCall) => write({ ...nothing, caller: caller.kind }) };
      case 'database':
        return {
          ...endpoint,
          handler: ({ caller, databaseId, model, access, mayCreate, nowMs }: DatabaseCall) => {
            const dimension = model.dimensions.get('default');
            if (dimension === undefined) throw new Error('no default dimension');
            const hidesRows = access.restrict(dimension, null, nowMs) !== null;
            const hidesColumns = access.columnIds(model) !== null;
            const seen = { endpoint: name, databaseId, caller: caller.kind };
            return write({ ...seen, hidesRows, hidesColumns, mayCreate });
          },
        };
    }
  };
  return ENDPOINTS.map(recorded);
}

/** Creates databases, keys and users in the catalog of a front end. */
class Town {
  readonly #changes: CatalogChange[] = [];
  readonly #users: { email: string; databaseId: number | null; text: (key: string) => void }[] = [];
  #nextId = 100;

  database(type: Inside['type'], whitelist: readonly string[]): Inside {
    const id = this.#nextId++;
    const properties = { ...DEFAULT_PROPERTIES, addressesWhitelist: whitelist };
    this.#changes.push({ change: 'database-created', id, name: `d${id}`, type, properties });
    return { databaseId: id, type, whitelists: [whitelist] };
  }

  key(kind: DatabaseKeyKind, inside: Inside): Someone {
    const header = `key-${this.#nextId++}`;
    const { databaseId } = inside;
    this.#changes.push({ change: 'key-created', key: { kind, hash: hashOfKey(header), databaseId } });
    return { label: `${kind} of ${inside.type}`, header, kind, ...inside };
  }

  customKey(level: CustomKeyLevel, inside: Inside, whitelist: readonly string[], narrowed: boolean): Someone {
    const header = `key-${this.#nextId++}`;
    const key = {
      kind: 'custom' as const,
      hash: hashOfKey(header),
      databaseId: inside.databaseId,
      name: header,
      level,
      description: '',
      columnsWhitelist: narrowed ? [{ dimension: 'default', columns: ['age'] }] : null,
      filter: narrowed ? [{ dimension: 'default', conditions: '{"entity-id":{"equals":"mine"}}' }] : [],
      addressesWhitelist: whitelist,
    };
    this.#changes.push({ change: 'key-created', key });
    const whitelists = [...inside.whitelists, whitelist];
    return { label: `custom ${level}`, header, kind: 'custom', level, narrowed, ...inside, whitelists };
  }

  teamKey(permissions: readonly TeamPermission[]): Someone {
    const header = `key-${this.#nextId++}`;
    const key = { kind: 'team' as const, hash: hashOfKey(header), name: header, permissions };
    this.#changes.push({ change: 'key-created', key });
    return { label: `team with ${permissions.join()}`, header, kind: 'team', permissions };
  }

  /** `admitted`: whether the group includes the database. */
  user(permissions: readonly number[], inside: Inside | null, admitted = true): Someone {
    const id = this.#nextId++;
    const email = `u${id}@example.org`;
    const group = {
      id,
      name: `g${id}`,
      description: '',
      permissions,
      labels: [],
      weekDays: [],
      accessMinutes: null,
    };
    const databaseIds = inside === null || !admitted ? [] : [inside.databaseId];
    const user = { email, passwordHash: '', labels: [], firstName: '', lastName: '', groupId: id };
    this.#changes.push(
      { change: 'group-set', group: { ...group, databaseIds } },
      { change: 'user-set', user },
    );
    const someone = {
      label: `user ${inside === null ? 'of the team' : `in ${inside.type}`} with ${permissions.join()}`,
      header: '',
      kind: 'user' as const,
      permissions: admitted ? permissions : [],
      inside,
    };
    const databaseId = inside?.databaseId ?? null;
    this.#users.push({ email, databaseId, text: (key) => Object.assign(someone, { header: key }) });
    return someone;
  }

  /** Adds everything to the catalog and signs the users in. */
  settle(front: Front, sessions: Sessions): void {
    front.engine.apply(...this.#changes);
    for (const { email, databaseId, text } of this.#users) {
      text(sessions.open({ kind: 'user', email, databaseId }, Date.now(), '').key);
    }
  }
}

interface Visit {
  readonly rule: Rule;
  readonly someone: Someone;
  readonly client: string;
  /** Sends a body, so that the caller is authorized twice. */
  readonly withBody: boolean;
}

const CONNECTIONS = 8;
const RECORDS = '/v1/insert/lines';

/** Sends all visits over a few connections and returns the wrong answers. */
async function wrongAnswers(front: Front, visits: readonly Visit[], account: Account): Promise<string[]> {
  const wrong: string[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    const connection = await RawConnection.open(front.httpPort, false);
    while (next < visits.length) {
      const visit = visits[next++];
      connection.write(bytesOf(visit));
      const reply = await connection.reply();
      const fault = faultOf(visit, account, reply.body);
      if (fault !== null)
        wrong.push(`${visit.rule.name} by ${visit.someone.label} from ${visit.client}: ${fault}`);
    }
    connection.socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
  return wrong;
}

function bytesOf({ rule, someone, client, withBody }: Visit): Uint8Array {
  const [method, path] = rule.name.replace(/:\w+/, 'my-query').split(' ');
  const headers: Record<string, string> = {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-For': client,
    'Content-Type': path === '/v1/sql' ? 'application/sql' : 'application/json',
  };
  if (someone.header !== null) headers.Authorization = someone.header;
  // A body of records without a record reaches no handler.
  if (path === RECORDS) return requestBytes({ method, path: `${path}?id=x`, headers, body: '{}' });
  return requestBytes(
    withBody && method !== 'GET' ? { method, path, headers, body: '{}' } : { method, path, headers },
  );
}

/** Returns null if the answer is the expected one. */
function faultOf({ rule, someone, client }: Visit, account: Account, body: string): string | null {
  const wanted = expected(rule, someone, client, account);
  const answer = JSON.parse(body) as { seen?: Seen; errors?: { code: number }[] };
  const got = answer.errors?.[0].code ?? 'granted';
  if (got !== wanted) return `${got} instead of ${wanted}`;
  if (wanted !== 'granted') return null;
  const narrowed = rule.scope === 'database' && someone.kind === 'custom' && someone.narrowed;
  const seen: Seen = {
    endpoint: rule.name,
    databaseId: rule.scope === 'database' ? (insideOf(someone)?.databaseId ?? null) : null,
    caller: rule.scope === 'open' ? 'anybody' : someone.kind,
    hidesRows: narrowed,
    hidesColumns: narrowed,
    mayCreate: rule.scope === 'database' && mayCreate(someone),
  };
  const same = Object.entries(seen).every(([field, value]) => answer.seen?.[field as keyof Seen] === value);
  return same ? null : `${JSON.stringify(answer.seen)} instead of ${JSON.stringify(seen)}`;
}

/** A front end with the callers that `build` creates; a request specifies the address of its client. */
async function startTown<T>(t: Test, build: (town: Town) => T): Promise<{ front: Front; people: T }> {
  const proxies = parseProxies(['127.0.0.1']);
  if ('bad' in proxies) throw new Error(proxies.bad);
  let sessions: Sessions | undefined;
  const endpoints = recording((found) => {
    sessions = found;
  });
  const front = await startFront(t, { proxies }, { lookUpHost, endpoints });
  const rule = RULES[RULES.length - 1];
  const nobody: Someone = { label: 'nobody', header: null, kind: 'nobody', code: 500 };
  const first: Visit = { rule, someone: nobody, client: CLIENTS[0], withBody: false };
  t.strictSame(await wrongAnswers(front, [first], 'active'), []);
  if (sessions === undefined) throw new Error('no sessions were seen');
  const town = new Town();
  const people = build(town);
  town.settle(front, sessions);
  await front.server.ready();
  return { front, people };
}

const NOBODIES: readonly Someone[] = [
  { label: 'no key', header: null, kind: 'nobody', code: 500 },
  { label: 'an empty key', header: '', kind: 'nobody', code: 501 },
  { label: 'an unknown key', header: 'no such key', kind: 'nobody', code: 502 },
];

const KINDS: readonly DatabaseKeyKind[] = ['master', 'write', 'read', 'demo'];
const TYPES = ['test', 'production'] as const;

t.test('the endpoint table and the interface documentation have the same endpoints', async (t) => {
  t.strictSame(
    ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort(),
    RULES.map(({ name }) => name).sort(),
  );
});

t.test(
  'every kind of caller is admitted exactly where the interface specifies, under every whitelist',
  async (t) => {
    /** The address of the client, no address, and another address. */
    const whitelists = [[], ['203.0.113.0/25'], ['192.0.2.0/24', 'gone.example']];
    const { front, people } = await startTown(t, (town) => {
      const made: Someone[] = [...NOBODIES];
      for (let subset = 0; subset < 8; subset++) {
        made.push(town.teamKey(TEAM_PERMISSIONS.filter((_, index) => (subset >> index) & 1)));
      }
      const numbers = Array.from({ length: 19 }, (_, index) => index + 1);
      made.push(town.user(numbers, null), town.user([], null));
      for (const type of TYPES) {
        for (const whitelist of whitelists) {
          const inside = town.database(type, whitelist);
          for (const kind of KINDS) made.push(town.key(kind, inside));
          for (const level of CUSTOM_KEY_LEVELS) {
            for (const ofKey of whitelists) {
              made.push(
                town.customKey(level, inside, ofKey, false),
                town.customKey(level, inside, ofKey, true),
              );
            }
          }
          made.push(town.user(numbers, inside), town.user([], inside), town.user(numbers, inside, false));
        }
      }
      return made;
    });
    const visits = RULES.flatMap((rule) =>
      people.map((someone, index): Visit => {
        return { rule, someone, client: CLIENTS[0], withBody: index % 2 === 0 };
      }),
    );
    t.strictSame(await wrongAnswers(front, visits, 'active'), []);
    t.comment(`${visits.length} combinations`);
    t.ok(visits.length > 5_000);
  },
);

t.test('10,000 random callers are admitted exactly where the interface specifies', async (t) => {
  const seed = 20_240_311;
  const random = new Prng(seed);
  const whitelist = (): string[] =>
    random.chance(0.4) ? [] : Object.keys(ENTRIES).filter(() => random.chance(0.3));
  const permissions = (): number[] =>
    Array.from({ length: 19 }, (_, index) => index + 1).filter(() => random.chance(0.5));
  const { front, people } = await startTown(t, (town) => {
    const made: Someone[] = [...NOBODIES];
    for (let index = 0; index < 10; index++) {
      made.push(
        town.teamKey(TEAM_PERMISSIONS.filter(() => random.chance(0.5))),
        town.user(permissions(), null),
      );
    }
    for (let index = 0; index < 40; index++) {
      const inside = town.database(random.pick(TYPES), whitelist());
      for (const kind of KINDS) made.push(town.key(kind, inside));
      for (const level of CUSTOM_KEY_LEVELS) {
        made.push(town.customKey(level, inside, whitelist(), random.chance(0.5)));
      }
      made.push(town.user(permissions(), inside, random.chance(0.8)));
    }
    return made;
  });
  const wrong: string[] = [];
  let granted = 0;
  for (let round = 0; round < 20; round++) {
    const account = round % 5 === 4 ? random.pick(Object.keys(ACCOUNT_CODES) as Account[]) : 'active';
    front.engine.apply({ change: 'account-set', state: account });
    const visits = Array.from({ length: 500 }, (): Visit => {
      const [rule, someone] = [random.pick(RULES), random.pick(people)];
      return { rule, someone, client: random.pick(CLIENTS), withBody: random.chance(0.5) };
    });
    wrong.push(...(await wrongAnswers(front, visits, account)));
    granted += visits.filter((v) => expected(v.rule, v.someone, v.client, account) === 'granted').length;
  }
  t.strictSame(wrong, [], `seed ${seed}`);
  t.comment(`10000 combinations, ${granted} of them granted, seed ${seed}`);
  t.ok(granted > 1_000 && granted < 9_000);
});
