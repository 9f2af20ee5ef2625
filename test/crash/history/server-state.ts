/**
 * The state of a server other than its entities, as things: a name and a state as text. Most are read from the listings;
 * things that no endpoint lists are read with single requests.
 *   dimension/NAME, key/DATABASE/NAME    `there` when it exists
 *   column/NAME                          type, active or inactive, description
 *   relation/NAME                        its columns
 *   saved/NAME                           cache-period and query
 *   database/NAME                        description
 *   rows/DATABASE                        the number of its entities, read with its master key
 *   level/NAME                           the outcome of a query with the custom key
 *   user/EMAIL, group/NAME               `there` when it exists
 *   signin/EMAIL                         the permissions of the user's group
 *   hidden/...                           state of the journal that no endpoint shows
 */
import type { ApiRequest, JsonClient, Reply } from '../../support/json-client.js';
import { passwordOf } from './team-requests.js';

/** The prefix of all names that the writers create. */
const OF_WRITERS = /^w\d+-/;
const BUSY = 503;

/** A store's dimensions, and their active columns. */
export type Listing = ReadonlyMap<string, ReadonlySet<string>>;

interface ColumnEntry {
  readonly 'api-name': string;
  readonly type: string;
  readonly description: string;
}

interface SavedEntry {
  readonly name: string;
  readonly query: unknown;
  readonly 'cache-period': number | null;
}

export class ServerState {
  readonly client: JsonClient;
  readonly listing: Listing;
  /** All listed things that the writers created. */
  readonly listed: ReadonlyMap<string, string>;
  readonly #teamKey: string;

  private constructor(client: JsonClient, teamKey: string, listing: Listing, listed: Map<string, string>) {
    this.client = client;
    this.listing = listing;
    this.listed = listed;
    this.#teamKey = teamKey;
  }

  static async read(client: JsonClient, teamKey: string): Promise<ServerState> {
    const listed = new Map<string, string>();
    const note = (kind: string, name: string, state: string): void => {
      if (OF_WRITERS.test(name)) listed.set(`${kind}/${name}`, state);
    };
    const columns = await client.succeed<Record<string, unknown>>({ path: '/v1/column' });
    const { dimensions } = await client.succeed<{ dimensions: string[] }>({ path: '/v1/dimension' });
    const groupsOf = (dimension: string) =>
      columns[dimension] as Record<'active' | 'inactive', readonly ColumnEntry[]>;
    for (const dimension of dimensions) note('dimension', dimension, 'there');
    for (const state of ['active', 'inactive'] as const) {
      for (const column of groupsOf('default')[state]) {
        note('column', column['api-name'], `${column.type} ${state} ${column.description}`);
      }
    }
    const { relations } = await client.succeed<{ relations: Record<string, Record<string, string[]>> }>({
      path: '/v1/column/relation',
    });
    for (const [name, own] of Object.entries(relations.default ?? {})) note('relation', name, own.join());
    const saved = await client.succeed<{ 'saved-queries': readonly SavedEntry[] }>({
      path: '/v1/query/saved',
    });
    for (const { name, query, 'cache-period': period } of saved['saved-queries']) {
      note('saved', name, `${period} ${JSON.stringify(query)}`);
    }
    const all = await client.succeed<readonly { name: string; description: string }[]>({
      path: '/v1/database/retrieve_all',
      key: teamKey,
    });
    for (const { name, description } of all) note('database', name, description);
    const { databases } = await client.succeed<{ databases: Record<string, string[]> }>({
      path: '/v1/database/custom_key',
      key: teamKey,
    });
    for (const [database, keys] of Object.entries(databases)) {
      for (const key of keys) listed.set(`key/${database}/${key}`, 'there');
    }
    const listing = new Map(
      dimensions.map((name) => [name, new Set(groupsOf(name).active.map((column) => column['api-name']))]),
    );
    return new ServerState(client, teamKey, listing, listed);
  }

  static isListed(thing: string): boolean {
    return /^(dimension|column|relation|saved|database|key)\//.test(thing);
  }

  /** The thing's state; null when it does not exist, undefined when it cannot be read. */
  async stateOf(thing: string, secrets: ReadonlyMap<string, string>): Promise<string | null | undefined> {
    if (ServerState.isListed(thing)) return this.listed.get(thing) ?? null;
    const slash = thing.indexOf('/');
    const [kind, name] = [thing.slice(0, slash), thing.slice(slash + 1)];
    const key = secrets.get(thing);
    switch (kind) {
      case 'rows':
        return key === undefined ? undefined : this.#total(key);
      case 'level':
        return key === undefined ? undefined : this.#level(key);
      case 'user':
        return this.#isThere('/v1/users', { email: name }, 7050);
      case 'group':
        return this.#isThere('/v1/permission_groups', { 'group-name': name }, 7000);
      case 'signin':
        return this.#signIn(name);
      default:
        return undefined;
    }
  }

  async #send(request: ApiRequest): Promise<Reply & { readonly code: number | null }> {
    const reply = await this.client.request(request);
    if (reply.status === BUSY) throw new Error(`${request.path}: ${JSON.stringify(reply.body)}`);
    const { errors } = reply.body as { errors?: readonly { code: number }[] };
    return { ...reply, code: errors?.[0]?.code ?? null };
  }

  async #total(key: string): Promise<string | null> {
    const { status, body } = await this.#send({ path: '/v1/query/count/entity/total', key });
    return status === 200 ? String((body as { result: { total: number } }).result.total) : null;
  }

  async #level(key: string): Promise<string | null> {
    const { status, code } = await this.#send({ path: '/v1/query/count/entity/total', key });
    return status === 200 ? 'answered' : code === 507 ? 'refused' : null;
  }

  /** Sends a change without effect, which fails when the object does not exist. */
  async #isThere(path: string, body: unknown, codeOfMissing: number): Promise<string | null> {
    const { status, code } = await this.#send({ method: 'PUT', path, body, key: this.#teamKey });
    if (status !== 200 && code !== codeOfMissing) throw new Error(`PUT ${path}: HTTP ${status}, ${code}`);
    return status === 200 ? 'there' : null;
  }

  async #signIn(email: string): Promise<string | null | undefined> {
    const body = { email, password: passwordOf(email) };
    const { status, code, body: answer } = await this.#send({ path: '/v1/session', body });
    if (status === 200) return (answer as { permissions: readonly number[] }).permissions.join();
    return code === 502 ? null : code === 503 ? 'no group' : undefined;
  }
}
