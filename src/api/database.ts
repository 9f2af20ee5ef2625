/**
 * POST, PUT and DELETE /v1/database, GET /v1/database and GET /v1/database/retrieve_all.
 * A name is 1 to 64 printable ASCII characters without quotes and underscores. A test database has no pricing model:
 * one that is given is ignored, whatever it is. A cloud provider without an area takes the provider's first.
 */
import { isDeepStrictEqual } from 'node:util';
import { NAME_CHARS_MAX, QuarryError, quoted } from '../base/index.js';
import {
  type Catalog,
  type CatalogChange,
  type DatabaseKeyKind,
  type DatabaseProperties,
  type DatabaseType,
  databaseByName,
  hashOfKey,
  LOAD_PLANS,
  PRICING_MODELS,
  propertiesOf,
} from '../catalog/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { readAddresses } from './address.js';
import { CLOUD_AREAS } from './cloud.js';
import type { ModelDecision } from './dimension.js';
import { readAll } from './fields.js';
import type { Json } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { TeamFields } from './team-fields.js';

const WRONG = 8000;
export const DATABASE_NAME_FORM = /^[ !#-&(-^`-~]+$/;
export const DATABASE_TYPES: readonly DatabaseType[] = ['test', 'production'];

export interface DatabaseNamesAnswer {
  readonly 'database-name': readonly string[];
}

/** A body's `database` object, and the body itself, which holds the whitelist. */
interface DatabaseBody {
  readonly outer: TeamFields;
  readonly fields: TeamFields;
}

function readBody<T>(
  body: Json,
  known: readonly string[],
  withAddresses: boolean,
  read: (both: DatabaseBody) => T,
): T {
  const outerFields = withAddresses ? KNOWN_FIELDS.databaseBody : KNOWN_FIELDS.deletedDatabaseBody;
  return TeamFields.read(body, outerFields, WRONG, 'the body', (outer) => {
    if (!outer.has('database')) throw outer.fault('database', 'is missing');
    return TeamFields.read(outer.object.get('database'), known, WRONG, '"database"', (fields) =>
      read({ outer, fields }),
    );
  });
}

function readName(fields: TeamFields, field: string): string {
  const name = fields.text(field);
  if (!DATABASE_NAME_FORM.test(name) || name.trim() === '')
    throw fields.fault(field, `${quoted(name)} has invalid characters or none`);
  if (name.length > NAME_CHARS_MAX) throw fields.fault(field, `is longer than ${NAME_CHARS_MAX} characters`);
  return name;
}

type CloudPlace = Pick<DatabaseProperties, 'cloudProvider' | 'cloudArea'>;

function readCloud(fields: TeamFields, before: DatabaseProperties | null): CloudPlace {
  const providers = [...CLOUD_AREAS.keys()];
  const cloudProvider = fields.choice('cloud_provider', providers, before?.cloudProvider ?? 'ovh');
  const areas = CLOUD_AREAS.get(cloudProvider) ?? [];
  const kept = before?.cloudProvider === cloudProvider ? before.cloudArea : areas[0];
  return { cloudProvider, cloudArea: fields.choice('cloud_area', areas, kept) };
}

/** The properties that the fields say; those that they do not name are as `before`, or have to be there without one. */
function readProperties(
  { outer, fields }: DatabaseBody,
  priced: boolean,
  before: DatabaseProperties | null,
  nowMs: number,
): DatabaseProperties {
  const { cloud, ...own } = readAll({
    description: () => fields.text('description', before?.description ?? ''),
    pricingModel: () =>
      priced ? fields.choice('pricing-model', PRICING_MODELS, before?.pricingModel ?? undefined) : null,
    labels: () => fields.texts('labels', before?.labels ?? []),
    queryLoad: () => fields.choice('query-load', LOAD_PLANS, before?.queryLoad),
    insertionLoad: () => fields.choice('insertion-load', LOAD_PLANS, before?.insertionLoad),
    cloud: () => readCloud(fields, before),
    addressesWhitelist: () => readAddresses(outer, 'addresses-whitelist', before?.addressesWhitelist ?? []),
  });
  return { ...own, ...cloud, createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs };
}

function refuseTaken(catalog: Catalog, name: string): void {
  if (databaseByName(catalog, name) !== undefined)
    throw new QuarryError(8001, `database ${quoted(name)} already exists`);
}

/** Which databases a request of the team may touch, by id. */
export type Reach = (databaseId: number) => boolean;

/** The database of that name. Throws 8002, and 503 when it is out of reach. */
export function databaseAt(catalog: Catalog, name: string, reach: Reach): DatabaseModel {
  const database = databaseByName(catalog, name);
  if (database === undefined) throw new QuarryError(8002, `database ${quoted(name)} does not exist`);
  if (!reach(database.id)) throw new QuarryError(503, `you may not use the database ${quoted(name)}`);
  return database;
}

/** A new database has these; `demo` only one of type test. */
export type NewDatabaseKeys = Readonly<Record<DatabaseKeyKind, string>>;

export interface CreatedDatabaseAnswer extends DatabaseNamesAnswer {
  /** The only time that the keys' texts are told. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Makes a database with its keys, whose texts the caller made. Throws 8000 and 8001. */
export function createDatabase(
  body: Json,
  catalog: Catalog,
  texts: NewDatabaseKeys,
  nowMs: number,
): ModelDecision<CreatedDatabaseAnswer> {
  const { name, type, properties } = readBody(body, KNOWN_FIELDS.newDatabase, true, (both) =>
    readAll({
      name: () => readName(both.fields, 'name'),
      type: () => both.fields.choice('type', DATABASE_TYPES),
      properties: () => readProperties(both, both.fields.object.get('type') === 'production', null, nowMs),
    }),
  );
  refuseTaken(catalog, name);
  const id = catalog.nextDatabaseId;
  const kinds: readonly DatabaseKeyKind[] = [
    'master',
    'write',
    'read',
    ...(type === 'test' ? ['demo' as const] : []),
  ];
  const changes: CatalogChange[] = [
    { change: 'database-created', id, name, type, properties },
    ...kinds.map(
      (kind): CatalogChange => ({
        change: 'key-created',
        key: { hash: hashOfKey(texts[kind]), kind, databaseId: id },
      }),
    ),
  ];
  const keys = Object.fromEntries(kinds.map((kind) => [`${kind}-key`, texts[kind]]));
  return { changes, answer: { 'database-name': [name], keys } };
}

/**
 * Changes what the body names; `type` may be said again, but not changed. A database that is so already is not changed.
 * Throws 8000, 8001, 8002 and 503.
 */
export function changeDatabase(
  body: Json,
  catalog: Catalog,
  reach: Reach,
  nowMs: number,
): ModelDecision<DatabaseNamesAnswer> {
  const { database, before, name, properties } = readBody(
    body,
    KNOWN_FIELDS.changedDatabase,
    true,
    (both) => {
      const { fields } = both;
      const database = databaseAt(catalog, fields.text('name'), reach);
      const before = propertiesOf(catalog, database.id);
      const read = readAll({
        type: () => {
          if (fields.choice('type', DATABASE_TYPES, database.type) === database.type) return;
          throw fields.fault('type', `cannot change: the database is of type ${database.type}`);
        },
        name: () => (fields.has('new-database-name') ? readName(fields, 'new-database-name') : database.name),
        properties: () => readProperties(both, database.type === 'production', before, nowMs),
      });
      return { database, before, ...read };
    },
  );
  if (name !== database.name) refuseTaken(catalog, name);
  const isSame =
    name === database.name && isDeepStrictEqual({ ...properties, updatedMs: 0 }, { ...before, updatedMs: 0 });
  return {
    changes: isSame ? [] : [{ change: 'database-changed', databaseId: database.id, name, properties }],
    answer: { 'database-name': [name] },
  };
}

/** Deletes a database with everything in it; the last one too. Throws 8000, 8002 and 503. */
export function deleteDatabase(
  body: Json,
  catalog: Catalog,
  reach: Reach,
): ModelDecision<DatabaseNamesAnswer> {
  const { id, name } = readBody(body, KNOWN_FIELDS.deletedDatabase, false, ({ fields }) =>
    databaseAt(catalog, fields.text('name'), reach),
  );
  return { changes: [{ change: 'database-deleted', databaseId: id }], answer: { 'database-name': [name] } };
}

/** What the engine counted for a database. */
export interface UsageFigures {
  readonly requestCount: number;
  readonly queryCount: number;
  readonly insertedEntityCount: number;
  readonly insertedValueCount: number;
  readonly updatedEntityCount: number;
  readonly dayWriteCount: number;
}

/** `YYYY-MM-DDThh:mm:ss.ffffff` */
function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000`;
}

/** A database's metadata. */
export function describeDatabase(
  { name, type, dimensions }: DatabaseModel,
  properties: DatabaseProperties,
  usage: UsageFigures,
): object {
  return {
    name,
    description: properties.description,
    dimensions: [...dimensions.keys()],
    'updated-at': timestamp(properties.updatedMs),
    'created-at': timestamp(properties.createdMs),
    type,
    'pricing-model': properties.pricingModel,
    labels: properties.labels,
    'query-load': properties.queryLoad,
    'insertion-load': properties.insertionLoad,
    cloud_provider: properties.cloudProvider,
    cloud_area: properties.cloudArea,
    'addresses-whitelist': properties.addressesWhitelist,
    usage: {
      requests: usage.requestCount,
      queries: usage.queryCount,
      'inserted-entities': usage.insertedEntityCount,
      'inserted-values': usage.insertedValueCount,
      'updated-entities': usage.updatedEntityCount,
      'writes-today': usage.dayWriteCount,
    },
  };
}
