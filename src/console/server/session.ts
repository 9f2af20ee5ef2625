/**
 * Who is signed in, and where that is kept: in this tab until it closes or, if somebody asks for it, on this device.
 * Invariants: passwords are never kept; signing out removes every copy of a key.
 */
import { Client, RequestError } from './client.js';
import { isList, isObject, type Json, type JsonObject } from './json.js';

export interface Session {
  /** Of one database; null = signed in for the team only. */
  readonly databaseKey: string | null;
  /** For databases and custom keys; null = none is known. */
  readonly teamKey: string | null;
  /** Of a user; null = signed in with a key. */
  readonly email: string | null;
  /** As a user chose it; null = the key tells. */
  readonly database: string | null;
}

/** What is used of a browser's Storage. */
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

/** The interface's code for a key of the wrong kind. */
const WRONG_KIND = 503;

/** Finds out what kind of key it is. Rejects with RequestError for one that is none, or may look at nothing. */
export async function signInWithKey(key: string): Promise<Session> {
  const client = new Client(key);
  const session = { email: null, database: null };
  try {
    await client.ask({ method: 'GET', path: '/v1/column' });
    return { ...session, databaseKey: key, teamKey: null };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== WRONG_KIND) throw error;
    await client.ask({ method: 'GET', path: '/v1/database/retrieve_all' }).catch(() => {
      throw error;
    });
    return { ...session, databaseKey: null, teamKey: key };
  }
}

export interface SignedIn {
  readonly session: Session;
  /** Databases to choose one from; empty = one was chosen. */
  readonly choices: readonly string[];
}

/** Numbers of the permissions of the team's own endpoints begin here. */
const TEAM_PERMISSIONS_FROM = 12;

/** A session for the team's endpoints and one for those of the database, as far as the user's group permits. */
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

async function openSession(asked: object): Promise<JsonObject> {
  const { json } = await new Client('').ask({
    method: 'POST',
    path: '/v1/session',
    body: JSON.stringify(asked),
  });
  return isObject(json) ? json : {};
}

const listIn = (json: Json | undefined): readonly Json[] => (isList(json) ? json : []);
