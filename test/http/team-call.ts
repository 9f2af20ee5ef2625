/** Calls of the handlers of the team, without a server. */
import { randomBytes, scryptSync } from 'node:crypto';
import { type Catalog, hashOfKey, TEAM_PERMISSIONS } from '../../src/catalog/index.js';
import type { Caller } from '../../src/http/auth/caller.js';
import { PasswordHasher } from '../../src/http/auth/passwords.js';
import type { Sessions } from '../../src/http/auth/sessions.js';
import type { Handler, OpenCall, TeamCall } from '../../src/http/endpoints/handlers/handler.js';
import { RequestNotes } from '../../src/http/observability/request-notes.js';
import { type FakeEngine, KEYS } from './fake-engine.js';

export const NOW_MS = Date.UTC(2026, 4, 6, 12);
const TEAM_KEY: Caller = {
  kind: 'team',
  hash: hashOfKey(KEYS.team),
  name: 'first',
  permissions: TEAM_PERMISSIONS,
};

/** A fast hasher whose hashes do not contain the password. */
export function quickHasher(): PasswordHasher {
  return new PasswordHasher(async (password) => Buffer.from(hashOfKey(password).slice(0, 32)));
}

/** The hash of a password in the stored form, with fast parameters. */
export function cheapHash(password: string): string {
  const hash = scryptSync(password, Buffer.alloc(16), 32, { N: 2 ** 10, r: 2, p: 1 });
  return `scrypt$10$2$1$${Buffer.alloc(16).toString('base64url')}$${hash.toString('base64url')}`;
}

export interface TeamOptions {
  readonly caller?: Caller;
  readonly addressesResolved?: () => Promise<void>;
}

/** A call with `body` and the current catalog of the engine. */
export function teamCallOf(engine: FakeEngine, body: unknown = {}, options: TeamOptions = {}): TeamCall {
  const { caller = TEAM_KEY, addressesResolved = async () => {} } = options;
  return {
    ...{ engine, catalog: engine.catalog(), nowMs: NOW_MS, pathName: '', caller, addressesResolved },
    body: new TextEncoder().encode(JSON.stringify(body)),
    checkAgain: () => {},
    notes: new RequestNotes('test', ''),
    randomBytes,
    passwords: quickHasher(),
    lastUsedMs: () => null,
  };
}

export function openCallOf(engine: FakeEngine, sessions: Sessions, body: unknown, nowMs = NOW_MS): OpenCall {
  return {
    ...{ engine, catalog: engine.catalog(), nowMs, pathName: '', sessions, client: '127.0.0.1' },
    body: new TextEncoder().encode(JSON.stringify(body)),
    notes: new RequestNotes('test', ''),
  };
}

/** The parsed answer of the handler. */
export async function answerTo<Call>(handler: Handler<Call>, call: Call): Promise<unknown> {
  const members = await handler(call);
  return JSON.parse(members.startsWith('[') ? members : `{${members}}`);
}

/** Adds a user in a group with these databases and permissions to the catalog of the engine. */
export function userIn(engine: FakeEngine, databaseIds: readonly number[], passwordHash = 'h'): Caller {
  const email = 'ann@example.org';
  const group = { id: 1, name: 'analysts', description: '', labels: [], weekDays: [], accessMinutes: null };
  engine.apply(
    { change: 'group-set', group: { ...group, permissions: [12, 13, 16], databaseIds } },
    {
      change: 'user-set',
      user: { email, passwordHash, labels: [], firstName: '', lastName: '', groupId: 1 },
    },
  );
  return { kind: 'user', email, databaseId: null, passwordHash };
}

/** The catalog entries that contain the text. */
export function mentions(catalog: Catalog, text: string): boolean {
  return [catalog.databases, catalog.properties, catalog.keys, catalog.users, catalog.groups].some((map) =>
    JSON.stringify([...map]).includes(text),
  );
}
