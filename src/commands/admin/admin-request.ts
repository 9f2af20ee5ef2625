/**
 * What `quarry keys`, `account`, `retention`, `status` and `backup` ask for and are answered, and where a client of the
 * server finds it, as plain data: one JSON line each way when a server is asked.
 * Invariants: a request that `readRequest` gave is well formed, whoever wrote it; no answer holds a key's text but
 * the one to the request that made the key.
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
  /** `force`: also the last team key. */
  | { readonly do: 'delete-key'; readonly name: string; readonly force: boolean }
  | { readonly do: 'rotate-key'; readonly kind: DatabaseKeyKind; readonly database: string }
  /** null = as it is. */
  | { readonly do: 'account'; readonly state: AccountState | null }
  /** `resume`: expired events go again. */
  | { readonly do: 'retention'; readonly resume: boolean }
  /** `to`: absolute. */
  | { readonly do: 'backup'; readonly to: string }
  | { readonly do: 'status' }
  | { readonly do: 'address' };

export interface ListedKey {
  /** As log and audit name the key: its kind and some digits. */
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
  /** Those that came with it. */
  readonly keys: readonly ListedKey[];
  readonly custom: readonly (ListedKey & { readonly name: string; readonly level: CustomKeyLevel })[];
}

/** Where a server serves everything, and the certificate that it shows there. */
export interface ServerAddress {
  readonly host: string;
  readonly httpsPort: number;
  /** Absolute. */
  readonly certFile: string;
}

export type AdminAnswer =
  | { readonly answer: 'keys'; readonly keys: ListedKeys }
  /** The new key; `voided` keys are no longer valid. */
  | { readonly answer: 'key'; readonly text: string; readonly voided: number }
  | { readonly answer: 'deleted' }
  | { readonly answer: 'account'; readonly state: AccountState }
  | { readonly answer: 'retention'; readonly suspended: boolean }
  /** Of the snapshot files, in bytes. */
  | { readonly answer: 'backup'; readonly lsn: number; readonly fileCount: number; readonly bytes: number }
  | { readonly answer: 'status'; readonly status: StoreStatus }
  | { readonly answer: 'address'; readonly address: ServerAddress }
  | { readonly answer: 'refused'; readonly message: string }
  /** As `refused`, but the same may be asked again soon. */
  | { readonly answer: 'busy'; readonly message: string };

/** Begins with a letter or digit, so that no name looks like a flag. */
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

/** The request that a JSON value is, or what is wrong with it. */
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
        : { wrong: 'the name of a database is wanted' };
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
  // In the order of the table, each once.
  return {
    do: 'create-key',
    name,
    permissions: TEAM_PERMISSIONS.filter((permission) => permissions.includes(permission)),
  };
}

const isKeyName = (value: unknown): value is string => typeof value === 'string' && KEY_NAME.test(value);

function wrongName(value: unknown): string {
  const given = typeof value === 'string' ? `, not ${quoted(value)}` : '';
  return `a key's name of 1 to 64 letters, digits, dots, dashes and underscores is wanted, a letter or digit first${given}`;
}

function wrongChoice(values: readonly string[], value: unknown): string {
  const given = typeof value === 'string' ? `, not ${quoted(value)}` : '';
  return `one of ${values.join(', ')} is wanted${given}`;
}
