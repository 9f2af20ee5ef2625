/**
 * POST, PUT and DELETE /v1/database, GET /v1/database and GET /v1/database/retrieve_all.
 * A name is 1 to 64 printable ASCII characters without quotes and underscores. A test database has no pricing model:
 * one that is given is ignored. A cloud provider without an area takes the provider's first.
 */
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
import type { Json } from './json.js';
import { TeamFields } from './team-fields.js';

const WRONG = 8000;
const NAME = /^[ !#-&(-^`-~]+$/;
const TYPES: readonly DatabaseType[] = ['test', 'production'];
const DATABASE_FIELDS = [
  'name',
  'description',
  'type',
  'pricing-model',
  'labels',
  'query-load',
  'insertion-load',
  'cloud_provider',
  'cloud_area',
];

export interface DatabaseNamesAnswer {
  readonly 'database-name': readonly string[];
}

/** A body's `database` object, and the body itself, which holds the whitelist. */
function readBody(body: Json, known: readonly string[], withAddresses: boolean) {
  const outer = new TeamFields(
    body,
    withAddresses ? ['database', 'addresses-whitelist'] : ['database'],
    WRONG,
    'the body',
  );
  if (!outer.has('database')) throw outer.fault('database', 'is missing');
  return { outer, fields: new TeamFields(outer.object.get('database'), known, WRONG, '"database"') };
}

function readName(fields: TeamFields, field: string): string {
  const name = fields.text(field);
  if (!NAME.test(name)) throw fields.fault(field, `${quoted(name)} has invalid characters or none`);
  if (name.length > NAME_CHARS_MAX) throw fields.fault(field, `is longer than ${NAME_CHARS_MAX} characters`);
  return name;
}

function readCloud(fields: TeamFields, before: DatabaseProperties | null): [provider: string, area: string] {
  const provider = fields.choice('cloud_provider', [...CLOUD_AREAS.keys()], before?.cloudProvider ?? 'ovh');
  const areas = CLOUD_AREAS.get(provider) ?? [];
  const kept = before?.cloudProvider === provider ? before.cloudArea : areas[0];
  return [provider, fields.choice('cloud_area', areas, kept)];
}

/** The properties that the fields say; those that they do not name are as `before`, or have to be there without one. */
function readProperties(
  { outer, fields }: ReturnType<typeof readBody>,
  type: DatabaseType,
  before: DatabaseProperties | null,
  nowMs: number,
): DatabaseProperties {
  const [cloudProvider, cloudArea] = readCloud(fields, before);
  const priced = type === 'production';
  return {
    description: fields.text('description', before?.description ?? ''),
    pricingModel: priced
      ? fields.choice('pricing-model', PRICING_MODELS, before?.pricingModel ?? undefined)
      : null,
    labels: fields.texts('labels', before?.labels ?? []),
    queryLoad: fields.choice('query-load', LOAD_PLANS, before?.queryLoad),
    insertionLoad: fields.choice('insertion-load', LOAD_PLANS, before?.insertionLoad),
    cloudProvider,
    cloudArea,
    addressesWhitelist: readAddresses(outer, 'addresses-whitelist', before?.addressesWhitelist ?? []),
    createdMs: before?.createdMs ?? nowMs,
    updatedMs: nowMs,
  };
}

function refuseTaken(catalog: Catalog, name: string): void {
  if (databaseByName(catalog, name) !== undefined)
    throw new QuarryError(8001, `database ${quoted(name)} already exists`);
}

/** The database of that name. Throws 8002. */
export function databaseAt(catalog: Catalog, name: string): DatabaseModel {
  const database = databaseByName(catalog, name);
  if (database === undefined) throw new QuarryError(8002, `database ${quoted(name)} does not exist`);
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
  const read = readBody(body, DATABASE_FIELDS, true);
  const name = readName(read.fields, 'name');
  const type = read.fields.choice('type', TYPES);
  const properties = readProperties(read, type, null, nowMs);
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

/** Changes what the body names; `type` may be said again, but not changed. Throws 8000, 8001 and 8002. */
export function changeDatabase(
  body: Json,
  catalog: Catalog,
  nowMs: number,
): ModelDecision<DatabaseNamesAnswer> {
  const read = readBody(body, [...DATABASE_FIELDS, 'new-database-name'], true);
  const { fields } = read;
  const database = databaseAt(catalog, fields.text('name'));
  const before = propertiesOf(catalog, database.id);
  if (fields.choice('type', TYPES, database.type) !== database.type) {
    throw fields.fault('type', `cannot change: the database is of type ${database.type}`);
  }
  const name = fields.has('new-database-name') ? readName(fields, 'new-database-name') : database.name;
  const properties = readProperties(read, database.type, before, nowMs);
  if (name !== database.name) refuseTaken(catalog, name);
  return {
    changes: [{ change: 'database-changed', databaseId: database.id, name, properties }],
    answer: { 'database-name': [name] },
  };
}

/** Deletes a database with everything in it. Throws 8000 and 8002. */
export function deleteDatabase(body: Json, catalog: Catalog): ModelDecision<DatabaseNamesAnswer> {
  const { fields } = readBody(body, ['name'], false);
  const { id, name } = databaseAt(catalog, fields.text('name'));
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
