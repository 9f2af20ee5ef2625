/**
 * Sessions of users, and the permissions that a user's group grants at a given time.
 * Invariants: the key of a session is 256 random bits; only its hash is stored, in memory, so a restart ends all sessions.
 * Permissions are looked up in the catalog at every request, so a change of the user, the group or the database takes effect
 * at once. A session ends when its user is deleted, also if a user with the same email is created again.
 */
import type { Reach } from '../../api/index.js';
import { quoted, type RandomBytes } from '../../base/index.js';
import {
  type Catalog,
  hashOfKey,
  newKeyText,
  type Permission,
  type PermissionGroup,
  WEEK_DAYS,
} from '../../catalog/index.js';
import type { Caller, UserCaller } from './caller.js';
import { PasswordHasher } from './passwords.js';
import type { SignInAttempts } from './sign-in-attempts.js';

const SESSION_MS = 12 * 3_600_000;
const SESSIONS_MAX = 10_000;
/** Prevents one user's sessions from displacing all others. */
const SESSIONS_PER_EMAIL_MAX = 100;
const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1_440;

export interface OpenedSession {
  /** For the Authorization header. */
  readonly key: string;
  /** Milliseconds since 1970-01-01. */
  readonly expiresMs: number;
}

export class Sessions {
  readonly passwords: PasswordHasher;
  /** null = attempts to sign in are not limited. */
  readonly attempts: SignInAttempts | null;
  readonly #randomBytes: RandomBytes;
  /** By hash of the key, oldest first. */
  readonly #sessions = new Map<string, { readonly caller: UserCaller; readonly expiresMs: number }>();
  /** Hashes of the keys by email, oldest first. */
  readonly #ofEmails = new Map<string, Set<string>>();

  constructor(
    randomBytes: RandomBytes,
    attempts: SignInAttempts | null,
    passwords: PasswordHasher = new PasswordHasher(),
  ) {
    this.#randomBytes = randomBytes;
    this.attempts = attempts;
    this.passwords = passwords;
  }

  /**
   * Starts a session of 12 hours. Ends the email's oldest session if it has SESSIONS_PER_EMAIL_MAX, and the oldest session of
   * all if there are SESSIONS_MAX. The session permits nothing unless `passwordHash` equals the user's hash in the catalog.
   */
  open(user: Omit<UserCaller, 'passwordHash'>, nowMs: number, passwordHash: string): OpenedSession {
    const { email } = user;
    this.#evictOldest(email);
    for (const [hash, { caller, expiresMs }] of this.#sessions) {
      if (expiresMs > nowMs && this.#sessions.size < SESSIONS_MAX) break;
      this.#end(hash, caller.email);
    }
    const key = newKeyText(this.#randomBytes);
    const hash = hashOfKey(key);
    const expiresMs = nowMs + SESSION_MS;
    this.#sessions.set(hash, { caller: { ...user, passwordHash }, expiresMs });
    const ofEmail = this.#ofEmails.get(email);
    if (ofEmail === undefined) this.#ofEmails.set(email, new Set([hash]));
    else ofEmail.add(hash);
    return { key, expiresMs };
  }

  /** The user of the session whose key has that hash; null if there is none or it has expired. */
  find(keyHash: string, nowMs: number): UserCaller | null {
    const session = this.#sessions.get(keyHash);
    return session === undefined || session.expiresMs <= nowMs ? null : session.caller;
  }

  /** Ends the email's oldest session if it has SESSIONS_PER_EMAIL_MAX. */
  #evictOldest(email: string): void {
    const ofEmail = this.#ofEmails.get(email);
    if (ofEmail === undefined || ofEmail.size < SESSIONS_PER_EMAIL_MAX) return;
    const [oldest] = ofEmail;
    this.#end(oldest, email);
  }

  #end(hash: string, email: string): void {
    this.#sessions.delete(hash);
    const ofEmail = this.#ofEmails.get(email);
    ofEmail?.delete(hash);
    if (ofEmail?.size === 0) this.#ofEmails.delete(email);
  }
}

/** The group of an existing user, or the reason why there is none. */
function groupOf(catalog: Catalog, { email, passwordHash }: UserCaller): PermissionGroup | string {
  const user = catalog.users.get(email);
  if (user === undefined || user.passwordHash !== passwordHash) return 'the user was deleted';
  const group = user.groupId === null ? undefined : catalog.groups.get(user.groupId);
  return group ?? 'the user is in no permission group';
}

/** True if the user's group has the permission at `nowMs`, else the reason of the refusal. Days and hours are in UTC. */
export function permits(
  catalog: Catalog,
  caller: UserCaller,
  permission: Permission,
  nowMs: number,
): true | string {
  const { databaseId } = caller;
  const group = groupOf(catalog, caller);
  if (typeof group === 'string') return group;
  const name = quoted(group.name);
  if (!group.permissions.includes(permission)) return `the group ${name} lacks permission ${permission}`;
  if (databaseId !== null && !group.databaseIds.includes(databaseId)) {
    return `the group ${name} may not use this database`;
  }
  return isOpen(group, nowMs) ? true : `the group ${name} has no access on this day or at this hour (UTC)`;
}

/** The databases that team requests may use: all for a key, the group's databases for a user. */
export function reachOf(catalog: Catalog, caller: Caller): Reach {
  if (caller.kind !== 'user') return () => true;
  const group = groupOf(catalog, caller);
  return (databaseId) => typeof group !== 'string' && group.databaseIds.includes(databaseId);
}

function isOpen({ weekDays, accessMinutes }: PermissionGroup, nowMs: number): boolean {
  const minuteOfTime = Math.floor(nowMs / MINUTE_MS);
  // 1970-01-01 was a Thursday.
  const day = WEEK_DAYS[(Math.floor(minuteOfTime / MINUTES_PER_DAY) + 4) % 7];
  if (weekDays.length > 0 && !weekDays.includes(day)) return false;
  if (accessMinutes === null) return true;
  const { from, to } = accessMinutes;
  const minute = minuteOfTime % MINUTES_PER_DAY;
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}
