/**
 * The signed-in session and its storage: in this tab until it closes or, if the user chooses so, on this device.
 * Invariants: passwords are never kept; signing out removes every copy of a key.
 */
import { Client, RequestError } from './client.js';
import { isList, isObject, type Json, type JsonObject } from './json.js';

export interface Session {
  /** Key of one database; null = signed in for the team only. */
  readonly databaseKey: string | null;
  /** Key for the endpoints of databases and custom keys; null = unknown. */
  readonly teamKey: string | null;
  /** Email of the user; null = signed in with a key. */
  readonly email: string | null;
  /** The database that the user chose; null = the database of the key. */
  readonly database: string | null;
}

/** The part of a browser's Storage that the console uses. */
export interface KeyStore {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

const NAME = 'quarry-session';

export class SessionStore {
  readonly #tab: KeyStore;
  readonly #device: KeyStore;

  constructor(tab: KeyStore, device: KeyStore) {
    this.#tab = tab;
    this.#device = device;
  }

  read(): Session | null {
    const text = this.#tab.getItem(NAME) ?? this.#device.getItem(NAME);
    if (text === null) return null;
    try {
      return JSON.parse(text) as Session;
    } catch {
      return null;
    }
  }

  keep(session: Session, onDevice: boolean): void {
    this.clear();
    (onDevice ? this.#device : this.#tab).setItem(NAME, JSON.stringify(session));
  }

  clear(): void {
    this.#tab.removeItem(NAME);
    this.#device.removeItem(NAME);
  }
}

/** Error code for a key of the wrong kind. */
const WRONG_KIND = 503;

/** Signs in with a key of any kind. Rejects with RequestError if the key is invalid or may read nothing. */
export async function signInWithKey(key: string): Promise<Session> {
  const client = new Client(key);
  const session = { email: null, database: null };
  try {
    await client.request({ method: 'GET', path: '/v1/column' });
    return { ...session, databaseKey: key, teamKey: null };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== WRONG_KIND) throw error;
    await client.request({ method: 'GET', path: '/v1/database/retrieve_all' }).catch(() => {
      throw error;
    });
    return { ...session, databaseKey: null, teamKey: key };
  }
}

export interface SignedIn {
  readonly session: Session;
  /** Databases from which the user chooses one; empty = a database was chosen. */
  readonly choices: readonly string[];
}

/** The first number of the permissions for the team's endpoints. */
const TEAM_PERMISSIONS_FROM = 12;

/** Opens a session for the team's endpoints and one for the database's endpoints, as far as the user's group permits. */
export async function signInAsUser(email: string, password: string, database: string): Promise<SignedIn> {
  const team = await openSession({ email, password });
  const databases = listIn(team.databases).map(String);
  const isOfTeam = listIn(team.permissions).some((number) => Number(number) >= TEAM_PERMISSIONS_FROM);
  const teamKey = isOfTeam ? String(team['session-key']) : null;
  const chosen = database === '' && databases.length === 1 ? databases[0] : database;
  const session = { email, teamKey, database: chosen, databaseKey: null };
  if (chosen === '') return { session, choices: databases };
  const opened = await openSession({ email, password, 'database-name': chosen });
  return { session: { ...session, databaseKey: String(opened['session-key']) }, choices: [] };
}

async function openSession(credentials: object): Promise<JsonObject> {
  const { json } = await new Client('').request({
    method: 'POST',
    path: '/v1/session',
    body: JSON.stringify(credentials),
  });
  return isObject(json) ? json : {};
}

const listIn = (json: Json | undefined): readonly Json[] => (isList(json) ? json : []);
