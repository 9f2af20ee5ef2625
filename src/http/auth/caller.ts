/** The sender of a request, a key of the catalog or a user who signed in, and its name in logs. */
import type { ApiKey } from '../../catalog/index.js';

/** A user who signed in, for one database or (null) for the team's own endpoints. */
export interface UserCaller {
  readonly kind: 'user';
  readonly email: string;
  readonly databaseId: number | null;
  /** Hash of the password at sign-in. A user who was deleted and created again has another one. */
  readonly passwordHash: string;
}

export type Caller = ApiKey | UserCaller;

/** The name of a key in logs: enough to identify the key, useless for sending requests. */
export interface NamedCaller {
  /** The kind of the key and the first digits of its hash. */
  readonly key: string;
  /** The name of the key, if it has one; the email of a user. */
  readonly keyName?: string;
}

const HASH_DIGITS = 8;

export const nameUser = (email: string): NamedCaller => ({ key: 'user', keyName: email });

export function nameCaller(caller: Caller): NamedCaller {
  if (caller.kind === 'user') return nameUser(caller.email);
  const key = `${caller.kind}-${caller.hash.slice(0, HASH_DIGITS)}`;
  return 'name' in caller ? { key, keyName: caller.name } : { key };
}
