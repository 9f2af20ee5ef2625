/** The model, the databases and the keys that the requests of the code tables use. */
import type { JsonClient } from '../../support/json-client.js';
import type { CodesServer } from './codes-server.js';

export interface World {
  readonly team: string;
  readonly read: string;
  /** A team key without any permission. */
  readonly powerless: string;
  /** Master key of a database of type test with the maximum number of columns. */
  readonly full: string;
  /** Master key of a database whose whitelist does not contain this machine. */
  readonly walled: string;
  /** Custom keys of the first database: read-only and only on `name`, write-only, and both with a whitelist. */
  readonly reader: string;
  readonly writer: string;
  readonly elsewhere: string;
}

/** The saved query of a custom key other than `reader`. */
export const SAVED_NAME = 'kept';

const typed = (type: string, name: string, more: object = {}): object => ({ name, type, ...more });

export const COLUMNS: readonly object[] = [
  typed('string', 'name'),
  typed('string', 'tags', { storage: 'list-of-values' }),
  typed('integer', 'age'),
  typed('decimal', 'price', { 'decimal-places': 2 }),
  typed('boolean', 'flag'),
  typed('date', 'born'),
  typed('datetime', 'seen'),
  typed('geolocation', 'home'),
  typed('enumerated', 'grade', { range: [0, 10, 20] }),
  typed('string-event', 'visit'),
  typed('integer-event', 'paid', { 'retention-time': 30 }),
  typed('geolocation-event', 'place'),
  typed('string-event', 'item'),
  typed('integer-event', 'amount'),
  typed('string', 'asleep'),
  ...Array.from({ length: 21 }, (_, index) => typed('integer', `c${index}`)),
];

export const FULL_COLUMNS = Array.from({ length: 100 }, (_, index) => typed('integer', `full${index}`));

const plans = { 'query-load': 'normal', 'insertion-load': 'normal' } as const;

export const testDatabase = (name: string): object => ({ name, type: 'test', ...plans });

/** The master key of a new database. */
export async function makeDatabase(
  client: JsonClient,
  team: string,
  database: object,
  more: object = {},
): Promise<string> {
  const request = { path: '/v1/database', key: team, body: { database, ...more } };
  const made = await client.succeed<{ readonly keys: Readonly<Record<string, string>> }>(request);
  return made.keys['master-key'];
}

async function makeKey(client: JsonClient, team: string, fields: object): Promise<string> {
  const body = { 'database-name': 'quarry', 'custom-database-key': fields };
  const request = { path: '/v1/database/custom_key', key: team, body };
  return (await client.succeed<{ readonly key: string }>(request)).key;
}

/** Creates all objects on a new server. `powerless` is the text of a team key that the command line created. */
export async function makeWorld({ client, keys }: CodesServer, powerless: string): Promise<World> {
  const { team, read } = keys;
  await client.succeed({ path: '/v1/column', body: COLUMNS });
  await client.succeed({ path: '/v1/dimension', body: { name: 'People', 'api-name': 'people' } });
  const related = { name: 'order', columns: ['item', 'amount'] };
  await client.succeed({ path: '/v1/column/relation', body: related });
  const asleep = { 'api-name': 'asleep', active: false };
  await client.succeed({ method: 'PUT', path: '/v1/column', body: asleep });
  await client.succeed({ path: '/v1/insert', body: { u1: { name: 'Ann', age: 30 }, u2: { name: 'Bob' } } });
  const full = await makeDatabase(client, team, testDatabase('full'));
  await client.succeed({ path: '/v1/column', key: full, body: FULL_COLUMNS });
  const walls = { 'addresses-whitelist': ['203.0.113.7'] };
  await client.succeed({ path: '/v1/permission_groups', key: team, body: { 'group-name': 'staff' } });
  const saver = await makeKey(client, team, { 'key-name': 'saver', 'key-type': 'write-read' });
  const saved = { name: SAVED_NAME, type: 'count/entity', query: [{ name: { equals: 'ann' } }] };
  await client.succeed({ path: '/v1/query/saved', key: saver, body: saved });
  await client.succeed({ path: '/v1/segment', body: { name: 'inner', query: [{ age: { gt: 1 } }] } });
  await client.succeed({ path: '/v1/segment', body: { name: 'outer', query: [{ segment: 'inner' }] } });
  const ann = { email: 'ann@example.org', password: 'long enough' };
  await client.succeed({ path: '/v1/users', key: team, body: ann });
  return {
    team,
    read,
    powerless,
    full,
    walled: await makeDatabase(client, team, testDatabase('walled'), walls),
    reader: await makeKey(client, team, {
      'key-name': 'reader',
      'key-type': 'read-only',
      'columns-whitelist': { default: ['name'] },
    }),
    writer: await makeKey(client, team, { 'key-name': 'writer', 'key-type': 'write-only' }),
    elsewhere: await makeKey(client, team, { 'key-name': 'elsewhere', 'key-type': 'write-read', ...walls }),
  };
}
