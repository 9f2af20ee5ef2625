/**
 * Administrative requests of one writer: databases with a little data, custom keys, users and permission groups. Each
 * lists the expected state afterwards as things (server-state.ts).
 */
import type { Prng } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import type { Journal, Op } from './journal.js';

export type Make = () => Op | null;

const LEVELS = ['read-only', 'write-only', 'write-read'] as const;
const PERMISSIONS = [[1], [1, 2, 6], [3, 4], [12, 15, 18]];
export const passwordOf = (email: string): string => `secret of ${email}`;

const stateOfLevel = (level: string): string => (level === 'write-only' ? 'refused' : 'answered');
const textAt = (body: unknown, ...path: string[]): string =>
  path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], body) as string;

export class TeamRequests {
  readonly #journal: Journal;
  readonly #prng: Prng;
  readonly #teamKey: string;

  constructor(journal: Journal, prng: Prng, teamKey: string) {
    this.#journal = journal;
    this.#prng = prng;
    this.#teamKey = teamKey;
  }

  readonly all: readonly Make[] = [
    () => this.#createDatabase(),
    () => this.#changeDatabase(),
    () => this.#fillDatabase(),
    () => this.#fillDatabase(),
    () => this.#deleteDatabase(),
    () => this.#createKey(),
    () => this.#createKey(),
    () => this.#changeKey(),
    () => this.#changeKey(),
    () => this.#deleteKey(),
    () => this.#createGroup(),
    () => this.#changeGroup(),
    () => this.#deleteGroup(),
    // A password takes a quarter of a second to hash.
    () => (this.#prng.chance(0.6) ? this.#createUser() : null),
    () => this.#changeUser(),
    () => this.#deleteUser(),
  ];

  #name(what: string): string {
    return `w${this.#journal.writer}-${what}-${this.#journal.entries.length}`;
  }

  #pick(prefix: string): string | null {
    const names = this.#journal.thingsOf(prefix);
    return names.length === 0 ? null : this.#prng.pick(names);
  }

  #request(method: ApiRequest['method'], path: string, body: unknown): ApiRequest {
    return { method, path, body, key: this.#teamKey };
  }

  #op(
    kind: Op['kind'],
    what: string,
    request: ApiRequest,
    things: readonly (readonly [string, string | null])[],
  ): Op {
    return { kind, what, request, things: new Map(things) };
  }

  #createDatabase(): Op {
    const name = this.#name('database');
    const type = this.#prng.pick(['test', 'production']);
    const loads = { 'query-load': 'mega', 'insertion-load': 'mega', 'pricing-model': 'smart-pricing' };
    const body = { database: { name, type, description: 'new', ...loads } };
    return {
      ...this.#op('database', `${name} made`, this.#request('POST', '/v1/database', body), [
        [`database/${name}`, 'new'],
        [`rows/${name}`, '0'],
      ]),
      learn: (body) => this.#journal.secrets.set(`rows/${name}`, textAt(body, 'keys', 'master-key')),
    };
  }

  #changeDatabase(): Op | null {
    const name = this.#pick('database/');
    if (name === null) return null;
    const description = this.#name('description');
    const body = { database: { name, description } };
    const request = this.#request('PUT', '/v1/database', body);
    return this.#op('database', `${name} changed`, request, [[`database/${name}`, description]]);
  }

  /** Inserts new entities into a database of the writer. */
  #fillDatabase(): Op | null {
    const name = this.#pick('rows/');
    const key = this.#journal.secrets.get(`rows/${name}`);
    if (name === null || key === undefined) return null;
    const count = this.#prng.between(1, 20);
    const first = this.#journal.entries.length;
    const body = Object.fromEntries(Array.from({ length: count }, (_, at) => [`e${first}-${at}`, { n: at }]));
    const rows = Number(this.#journal.things.get(`rows/${name}`)) + count;
    const request = { path: '/v1/insert', body: { ...body, 'auto-create': ['column'] }, key };
    const op = this.#op('insert', `into ${name}`, request, [[`rows/${name}`, String(rows)]]);
    return { ...op, answer: { 'inserted-entities': count, 'inserted-values': count } };
  }

  #deleteDatabase(): Op | null {
    const name = this.#pick('database/');
    if (name === null) return null;
    const gone = this.#journal.thingsOf(`key/${name}/`).flatMap((key) => {
      const level = this.#journal.things.get(`hidden/level/${name}/${key}`);
      return [`key/${name}/${key}`, `hidden/level/${name}/${key}`, ...(level == null ? [] : [level])];
    });
    const things = [`database/${name}`, `rows/${name}`, ...gone].map((thing) => [thing, null] as const);
    const request = this.#request('DELETE', '/v1/database', { database: { name } });
    return this.#op('database', `${name} deleted`, request, things);
  }

  /** A key's name is one thing, its permission another: `level/…`, which does not change, found by `hidden/level/…` of its name. */
  #createKey(): Op {
    const database = this.#prng.chance(0.6) ? 'quarry' : (this.#pick('database/') ?? 'quarry');
    const name = this.#name('key');
    const level = this.#prng.pick(LEVELS);
    const body = { 'key-name': name, 'key-type': level };
    return {
      ...this.#op('custom key', `${name} made in ${database}`, this.#keyRequest('POST', database, body), [
        [`key/${database}/${name}`, 'there'],
        [`hidden/level/${database}/${name}`, `level/${name}`],
        [`level/${name}`, stateOfLevel(level)],
      ]),
      learn: (body) => this.#journal.secrets.set(`level/${name}`, textAt(body, 'key')),
    };
  }

  #keyRequest(method: ApiRequest['method'], database: string, fields: Record<string, unknown>): ApiRequest {
    const body = { 'database-name': database, 'custom-database-key': fields };
    return this.#request(method, '/v1/database/custom_key', body);
  }

  /** Changes name and level in one request. */
  #changeKey(): Op | null {
    const keyName = this.#pick('key/');
    if (keyName === null) return null;
    const [database, name] = keyName.split('/');
    const renamed = this.#name('key');
    const level = this.#prng.pick(LEVELS);
    const body = { 'key-name': name, 'new-key-name': renamed, 'key-type': level };
    const thing = this.#journal.things.get(`hidden/level/${keyName}`) as string;
    return this.#op('custom key', `${name} changed`, this.#keyRequest('PUT', database, body), [
      [`key/${keyName}`, null],
      [`hidden/level/${keyName}`, null],
      [`key/${database}/${renamed}`, 'there'],
      [`hidden/level/${database}/${renamed}`, thing],
      [thing, stateOfLevel(level)],
    ]);
  }

  #deleteKey(): Op | null {
    const keyName = this.#pick('key/');
    if (keyName === null) return null;
    const [database, name] = keyName.split('/');
    const thing = this.#journal.things.get(`hidden/level/${keyName}`) as string;
    return this.#op(
      'custom key',
      `${name} deleted`,
      this.#keyRequest('DELETE', database, { 'key-name': name }),
      [
        [`key/${keyName}`, null],
        [`hidden/level/${keyName}`, null],
        [thing, null],
      ],
    );
  }

  /** A sign-in shows a user's permissions: those of the group, which survive its renaming. */
  #createGroup(): Op {
    const name = this.#name('group');
    const permissions = this.#prng.pick(PERMISSIONS);
    const body = { 'group-name': name, 'allowed-permissions': permissions };
    return this.#op('group', `${name} made`, this.#request('POST', '/v1/permission_groups', body), [
      [`group/${name}`, 'there'],
      [`hidden/permissions/${name}`, permissions.join()],
    ]);
  }

  #membersOf(group: string): string[] {
    return this.#journal
      .thingsOf('hidden/member/')
      .filter((email) => this.#journal.things.get(`hidden/member/${email}`) === group);
  }

  #changeGroup(): Op | null {
    const name = this.#pick('group/');
    if (name === null) return null;
    const renamed = this.#name('group');
    const permissions = this.#prng.pick(PERMISSIONS);
    const body = { 'group-name': name, 'new-group-name': renamed, 'allowed-permissions': permissions };
    return this.#op('group', `${name} changed`, this.#request('PUT', '/v1/permission_groups', body), [
      [`group/${name}`, null],
      [`hidden/permissions/${name}`, null],
      [`group/${renamed}`, 'there'],
      [`hidden/permissions/${renamed}`, permissions.join()],
      ...this.#membersOf(name).flatMap((email) => [
        [`hidden/member/${email}`, renamed] as const,
        [`signin/${email}`, permissions.join()] as const,
      ]),
    ]);
  }

  #deleteGroup(): Op | null {
    const name = this.#pick('group/');
    if (name === null) return null;
    const request = this.#request('DELETE', '/v1/permission_groups', { 'group-name': name });
    return this.#op('group', `${name} deleted`, request, [
      [`group/${name}`, null],
      [`hidden/permissions/${name}`, null],
      ...this.#membersOf(name).flatMap((email) => [
        [`hidden/member/${email}`, null] as const,
        [`signin/${email}`, 'no group'] as const,
      ]),
    ]);
  }

  #createUser(): Op {
    const email = `${this.#name('user')}@example.com`;
    const group = this.#pick('group/');
    const fields = group === null ? {} : { 'permission-group': group };
    const request = this.#request('POST', '/v1/users', { email, password: passwordOf(email), ...fields });
    return this.#op('user', `${email} made`, request, [
      [`user/${email}`, 'there'],
      ...this.#inGroup(email, group),
    ]);
  }

  #inGroup(email: string, group: string | null): readonly (readonly [string, string | null])[] {
    const permissions = group === null ? null : this.#journal.things.get(`hidden/permissions/${group}`);
    return [
      [`hidden/member/${email}`, group],
      [`signin/${email}`, permissions ?? 'no group'],
    ];
  }

  #changeUser(): Op | null {
    const email = this.#pick('user/');
    if (email === null) return null;
    const group = this.#pick('group/');
    const request = this.#request('PUT', '/v1/users', { email, 'permission-group': group ?? '' });
    return this.#op('user', `${email} changed`, request, this.#inGroup(email, group));
  }

  #deleteUser(): Op | null {
    const email = this.#pick('user/');
    if (email === null) return null;
    return this.#op('user', `${email} deleted`, this.#request('DELETE', '/v1/users', { email }), [
      [`user/${email}`, null],
      [`hidden/member/${email}`, null],
      [`signin/${email}`, null],
    ]);
  }
}
