/**
 * Administrative requests, which do not come over HTTP: team keys, the keys created with a database, the account's state,
 * backups. A running server executes them for its socket; a command executes them on a store that it opened itself.
 * Invariants: every request that changes something is one atomic change of the catalog; a key's text is in the answer to
 * the request that creates it and nowhere else.
 */
import { isUserError, QuarryError, quoted, type RandomBytes } from '../../base/index.js';
import {
  type ApiKey,
  type Catalog,
  customKeysOf,
  databaseByName,
  newKeyText,
  secretsOfKey,
  type TeamKey,
} from '../../catalog/index.js';
import type { Decision, EngineApi } from '../../engine/index.js';
import { nameCaller } from '../../http/index.js';
import type { StoreStatus } from '../status/store-status.js';
import {
  type AdminAnswer,
  type AdminRequest,
  DATABASE_KEY_KINDS,
  type ListedKeys,
  type ServerAddress,
} from './admin-request.js';

export interface AdminDependencies {
  readonly engine: Pick<EngineApi, 'catalog' | 'change' | 'backup'>;
  readonly randomBytes: RandomBytes;
  /** Aborted when the server stops: a running backup is cancelled. */
  readonly stopping?: AbortSignal;
  /** The status of the server; absent when no server runs. */
  readonly status?: () => Promise<StoreStatus>;
  readonly address?: ServerAddress;
}

const REFUSES_FOR_NOW = 9004;
const NO_SERVER: AdminAnswer = { answer: 'refused', message: 'no server runs' };

/** Executes a request. Resolves when a change is durable; a refusal is an answer too. Rejects only on bugs. */
export async function administer(
  dependencies: AdminDependencies,
  request: AdminRequest,
): Promise<AdminAnswer> {
  try {
    return await obey(dependencies, request);
  } catch (error) {
    if (!(error instanceof QuarryError)) {
      if (request.do === 'backup' && isUserError(error as Error)) return backupRefusal(error as Error);
      throw error;
    }
    const { code, message } = error;
    return { answer: code === REFUSES_FOR_NOW ? 'busy' : 'refused', message };
  }
}

/** The error's message comes from the disk, the directory or a damaged file. */
const backupRefusal = ({ message }: Error): AdminAnswer => ({
  answer: 'refused',
  message: `the backup was not made: ${message}`,
});

function obey(
  { engine, randomBytes, stopping, status, address }: AdminDependencies,
  request: AdminRequest,
): Promise<AdminAnswer> {
  switch (request.do) {
    case 'list-keys':
      return Promise.resolve({ answer: 'keys', keys: listKeys(engine.catalog()) });
    case 'create-key': {
      const text = newKeyText(randomBytes);
      return engine.change((catalog) => createKey(catalog, request, text));
    }
    case 'delete-key':
      return engine.change((catalog) => deleteKey(catalog, request));
    case 'rotate-key': {
      const text = newKeyText(randomBytes);
      return engine.change((catalog) => rotateKey(catalog, request, text));
    }
    case 'account': {
      const { state } = request;
      if (state === null) return Promise.resolve({ answer: 'account', state: engine.catalog().accountState });
      return engine.change((catalog) => ({
        changes: state === catalog.accountState ? [] : [{ change: 'account-set', state }],
        answer: { answer: 'account', state },
      }));
    }
    case 'retention': {
      const { retentionSuspended } = engine.catalog();
      if (!request.resume) return Promise.resolve({ answer: 'retention', suspended: retentionSuspended });
      return engine.change((catalog) => ({
        changes: catalog.retentionSuspended ? [{ change: 'retention-set', suspended: false }] : [],
        answer: { answer: 'retention', suspended: false },
      }));
    }
    case 'status':
      return (
        status?.().then((storeStatus) => ({ answer: 'status', status: storeStatus })) ??
        Promise.resolve(NO_SERVER)
      );
    case 'address':
      return Promise.resolve(address === undefined ? NO_SERVER : { answer: 'address', address });
    case 'backup':
      return engine.backup(request.to, stopping).then((backup) => ({ answer: 'backup', ...backup }));
  }
}

type RequestOf<What extends AdminRequest['do']> = Extract<AdminRequest, { readonly do: What }>;

const refuse = (message: string): Decision<AdminAnswer> => ({
  changes: [],
  answer: { answer: 'refused', message },
});

const teamKeysOf = (catalog: Catalog): TeamKey[] =>
  [...catalog.keys.values()].filter((key): key is TeamKey => key.kind === 'team');

const idOf = (key: ApiKey): string => nameCaller(key).key;

function listKeys(catalog: Catalog): ListedKeys {
  const keys = [...catalog.keys.values()];
  return {
    team: teamKeysOf(catalog).map((key) => ({
      id: idOf(key),
      name: key.name,
      permissions: key.permissions,
    })),
    databases: [...catalog.databases.values()].map(({ id, name, type }) => ({
      name,
      type,
      keys: DATABASE_KEY_KINDS.flatMap((kind) =>
        keys.filter((key) => key.kind === kind && key.databaseId === id).map((key) => ({ id: idOf(key) })),
      ),
      custom: [...customKeysOf(catalog, id).values()].map((key) => ({
        id: idOf(key),
        name: key.name,
        level: key.level,
      })),
    })),
  };
}

function createKey(
  catalog: Catalog,
  { name, permissions }: RequestOf<'create-key'>,
  text: string,
): Decision<AdminAnswer> {
  if (teamKeysOf(catalog).some((key) => key.name === name)) {
    return refuse(`a team key named ${quoted(name)} exists already`);
  }
  const key: TeamKey = { kind: 'team', ...secretsOfKey(text), name, permissions };
  return { changes: [{ change: 'key-created', key }], answer: { answer: 'key', text, voided: 0 } };
}

function deleteKey(catalog: Catalog, { name, force }: RequestOf<'delete-key'>): Decision<AdminAnswer> {
  const all = teamKeysOf(catalog);
  const key = all.find((one) => one.name === name);
  if (key === undefined) return refuse(`there is no team key named ${quoted(name)}`);
  if (all.length === 1 && !force) {
    return refuse(
      `${quoted(name)} is the last team key: without a team key, databases, users and custom keys cannot be created or changed. ` +
        'Create another team key first, or use --force',
    );
  }
  return { changes: [{ change: 'key-deleted', hash: key.hash }], answer: { answer: 'deleted' } };
}

function rotateKey(
  catalog: Catalog,
  { kind, database: name }: RequestOf<'rotate-key'>,
  text: string,
): Decision<AdminAnswer> {
  const database = databaseByName(catalog, name);
  if (database === undefined) return refuse(`there is no database named ${quoted(name)}`);
  if (kind === 'demo' && database.type !== 'test') {
    return refuse(`${quoted(name)} is of type ${database.type}: only databases of type test have a demo key`);
  }
  const old = [...catalog.keys.values()].filter((key) => key.kind === kind && key.databaseId === database.id);
  return {
    changes: [
      { change: 'key-created', key: { kind, ...secretsOfKey(text), databaseId: database.id } },
      ...old.map(({ hash }) => ({ change: 'key-deleted', hash }) as const),
    ],
    answer: { answer: 'key', text, voided: old.length },
  };
}
