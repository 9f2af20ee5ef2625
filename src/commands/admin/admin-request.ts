/**
 * Requests of `quarry keys`, `account`, `retention`, `status` and `backup` and their answers, as plain data: one JSON line
 * each way through the admin socket.
 * Invariants: a request returned by `readRequest` is well formed, whoever wrote it; only the answer to a request that
 * creates a key holds the key's text.
 */
import path from 'node:path';
import { quoted } from '../../base/index.js';
import {
  ACCOUNT_STATES,
  type AccountState,
  type CustomKeyLevel,
  type DatabaseKeyKind,
  type DatabaseType,
  TEAM_PERMISSIONS,
  type TeamPermission,
} from '../../catalog/index.js';
import type { StoreStatus } from '../status/store-status.js';

export const DATABASE_KEY_KINDS: readonly DatabaseKeyKind[] = ['master', 'write', 'read', 'demo'];

export type AdminRequest =
  | { readonly do: 'list-keys' }
  | { readonly do: 'create-key'; readonly name: string; readonly permissions: readonly TeamPermission[] }
  /** With `force`, the last team key can be deleted. */
  | { readonly do: 'delete-key'; readonly name: string; readonly force: boolean }
  | { readonly do: 'rotate-key'; readonly kind: DatabaseKeyKind; readonly database: string }
  /** null = unchanged. */
  | { readonly do: 'account'; readonly state: AccountState | null }
  /** `resume`: remove expired events again. */
  | { readonly do: 'retention'; readonly resume: boolean }
  /** `to` is an absolute path. */
  | { readonly do: 'backup'; readonly to: string }
  | { readonly do: 'status' }
  | { readonly do: 'address' };

export interface ListedKey {
  /** The key's name in log and audit: its kind and some digits. */
  readonly id: string;
}

export interface ListedKeys {
  readonly team: readonly (ListedKey & {
    readonly name: string;
    readonly permissions: readonly TeamPermission[];
  })[];
  readonly databases: readonly ListedDatabase[];
}

export interface ListedDatabase {
  readonly name: string;
  readonly type: DatabaseType;
  /** The keys that were created with the database. */
  readonly keys: readonly ListedKey[];
  readonly custom: readonly (ListedKey & { readonly name: string; readonly level: CustomKeyLevel })[];
}

/** The HTTPS address of a server, and its certificate. */
export interface ServerAddress {
  readonly host: string;
  readonly httpsPort: number;
  /** An absolute path. */
  readonly certFile: string;
}

export type AdminAnswer =
  | { readonly answer: 'keys'; readonly keys: ListedKeys }
  /** `text` is the new key; `voided` is the number of keys that are no longer valid. */
  | { readonly answer: 'key'; readonly text: string; readonly voided: number }
  | { readonly answer: 'deleted' }
  | { readonly answer: 'account'; readonly state: AccountState }
  | { readonly answer: 'retention'; readonly suspended: boolean }
  /** `fileCount` and `bytes` count the snapshot files. */
  | { readonly answer: 'backup'; readonly lsn: number; readonly fileCount: number; readonly bytes: number }
  | { readonly answer: 'status'; readonly status: StoreStatus }
  | { readonly answer: 'address'; readonly address: ServerAddress }
  | { readonly answer: 'refused'; readonly message: string }
  /** Refused for now: the same request may succeed soon. */
  | { readonly answer: 'busy'; readonly message: string };

/** A name begins with a letter or digit, so that it never looks like a flag. */
const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

type Fields = Readonly<Record<string, unknown>>;

const FIELDS: Readonly<Record<AdminRequest['do'], readonly string[]>> = {
  'list-keys': [],
  'create-key': ['name', 'permissions'],
  'delete-key': ['name', 'force'],
  'rotate-key': ['kind', 'database'],
  account: ['state'],
  retention: ['resume'],
  backup: ['to'],
  status: [],
  address: [],
};

const isOneOf = <T extends string>(values: readonly T[], value: unknown): value is T =>
  (values as readonly unknown[]).includes(value);

/** Reads a request from a JSON value, or returns the reason why it is wrong. */
export function readRequest(value: unknown): AdminRequest | { readonly wrong: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { wrong: 'a request is a JSON object' };
  }
  const fields = value as Fields;
  const wanted = fields.do;
  if (!isOneOf(Object.keys(FIELDS) as AdminRequest['do'][], wanted)) {
    return { wrong: `"do" is one of ${Object.keys(FIELDS).join(', ')}` };
  }
  const unknown = Object.keys(fields).find((name) => name !== 'do' && !FIELDS[wanted].includes(name));
  if (unknown !== undefined) return { wrong: `${wanted} takes no ${quoted(unknown)}` };
  switch (wanted) {
    case 'list-keys':
    case 'status':
    case 'address':
      return { do: wanted };
    case 'create-key':
      return readCreation(fields);
    case 'delete-key': {
      const { name, force } = fields;
      if (!isKeyName(name)) return { wrong: wrongName(name) };
      return typeof force === 'boolean' ? { do: wanted, name, force } : { wrong: '"force" is true or false' };
    }
    case 'rotate-key': {
      const { kind, database } = fields;
      if (!isOneOf(DATABASE_KEY_KINDS, kind)) return { wrong: wrongChoice(DATABASE_KEY_KINDS, kind) };
      return typeof database === 'string'
        ? { do: wanted, kind, database }
        : { wrong: 'the name of a database is missing' };
    }
    case 'account': {
      const { state } = fields;
      return state === null || isOneOf(ACCOUNT_STATES, state)
        ? { do: wanted, state }
        : { wrong: wrongChoice(ACCOUNT_STATES, state) };
    }
    case 'retention': {
      const { resume } = fields;
      return typeof resume === 'boolean' ? { do: wanted, resume } : { wrong: '"resume" is true or false' };
    }
    case 'backup': {
      const { to } = fields;
      return typeof to === 'string' && path.isAbsolute(to) && !to.includes('\0')
        ? { do: wanted, to }
        : { wrong: '"to" is an absolute path' };
    }
  }
}

function readCreation({ name, permissions }: Fields): AdminRequest | { readonly wrong: string } {
  if (!isKeyName(name)) return { wrong: wrongName(name) };
  if (!Array.isArray(permissions)) return { wrong: '"permissions" is a list' };
  for (const permission of permissions) {
    if (!isOneOf(TEAM_PERMISSIONS, permission)) return { wrong: wrongChoice(TEAM_PERMISSIONS, permission) };
  }
  // In the order of the table, without duplicates.
  return {
    do: 'create-key',
    name,
    permissions: TEAM_PERMISSIONS.filter((permission) => permissions.includes(permission)),
  };
}

const isKeyName = (value: unknown): value is string => typeof value === 'string' && KEY_NAME.test(value);

function wrongName(value: unknown): string {
  const suffix = typeof value === 'string' ? `, not ${quoted(value)}` : '';
  return `expected a name of 1 to 64 letters, digits, dots, dashes and underscores that begins with a letter or digit${suffix}`;
}

function wrongChoice(values: readonly string[], value: unknown): string {
  const suffix = typeof value === 'string' ? `, not ${quoted(value)}` : '';
  return `expected one of ${values.join(', ')}${suffix}`;
}
