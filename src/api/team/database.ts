/**
 * POST, PUT and DELETE /v1/database, GET /v1/database and GET /v1/database/retrieve_all.
 * A name is 1 to 64 printable ASCII characters without quotes and underscores. A test database has no pricing model: a
 * given one is ignored, also if it is invalid. A cloud provider without an area gets the provider's first area.
 */
import { isDeepStrictEqual } from 'node:util';
import { QuarryError, quoted } from '../../base/index.js';
import {
  type Catalog,
  type CatalogChange,
  type DatabaseKeyKind,
  type DatabaseProperties,
  databaseByName,
  type LoadPlan,
  type PricingModel,
  propertiesOf,
  secretsOfKey,
} from '../../catalog/index.js';
import {
  type Body,
  CLOUD_AREAS,
  changedDatabase,
  deletedDatabase,
  type Fields,
  newDatabase,
  pricingModel,
} from '../../interface/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { readAddresses } from '../body/address.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody, readValue } from '../body/request-body.js';
import type { ModelDecision } from '../model/dimension.js';

export interface DatabaseNamesAnswer {
  readonly 'database-name': readonly string[];
}

type NewFields = (typeof newDatabase.properties.database)['properties'];
type ChangedFields = (typeof changedDatabase.properties.database)['properties'];
type Loads = 'query-load' | 'insertion-load';
/** The fields that new and changed databases have in common. */
type Properties = RequestBody<Omit<ChangedFields, 'name' | 'new-database-name' | 'type' | Loads>>;
type Outer = RequestBody<Pick<typeof newDatabase.properties, 'addresses-whitelist'>>;

/** Returns the result of `read` for a body and the object in its field `database`. */
function readBody<F extends Fields, G extends Fields & { readonly database: Body<F> }, T>(
  schema: Body<G>,
  json: Json,
  read: (fields: RequestBody<F>, outer: RequestBody<G>) => T,
): T {
  const outer = RequestBody.of(schema, json);
  return outer.read(() => {
    if (!outer.has('database')) throw outer.error('database', 'is missing');
    const inner = RequestBody.of(
      schema.properties.database as Body<F>,
      outer.object.get('database'),
      '"database"',
    );
    return inner.read(() => read(inner, outer));
  });
}

type CloudProperties = Pick<DatabaseProperties, 'cloudProvider' | 'cloudArea'>;

function readCloud(fields: Properties, before: DatabaseProperties | null): CloudProperties {
  const cloudProvider = fields.get('cloud_provider') ?? before?.cloudProvider ?? 'ovh';
  const areas = CLOUD_AREAS.get(cloudProvider) ?? [];
  const area = before?.cloudProvider === cloudProvider ? before.cloudArea : areas[0];
  const cloudArea = fields.get('cloud_area') ?? area;
  if (areas.includes(cloudArea)) return { cloudProvider, cloudArea };
  throw fields.error('cloud_area', `must be one of ${areas.join(', ')}, not ${quoted(cloudArea)}`);
}

interface PropertiesSource {
  readonly fields: Properties;
  readonly outer: Outer;
  /** The database has a pricing model. */
  readonly priced: boolean;
  readonly loadOf: (field: Loads) => LoadPlan;
  readonly before: DatabaseProperties | null;
  readonly nowMs: number;
}

/** The properties in the fields. Other properties are taken from `before`; without `before`, required ones must be present. */
function readProperties({
  fields,
  outer,
  priced,
  loadOf,
  before,
  nowMs,
}: PropertiesSource): DatabaseProperties {
  const { cloud, ...own } = readAll({
    description: () => fields.get('description') ?? before?.description ?? '',
    pricingModel: () => (priced ? readPricing(fields, before) : null),
    labels: () => fields.get('labels') ?? before?.labels ?? [],
    queryLoad: () => loadOf('query-load'),
    insertionLoad: () => loadOf('insertion-load'),
    cloud: () => readCloud(fields, before),
    addressesWhitelist: () => readAddresses(outer, before?.addressesWhitelist ?? []),
  });
  return { ...own, ...cloud, createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs };
}

/** The pricing model of a production database. */
function readPricing(fields: Properties, before: DatabaseProperties | null): PricingModel {
  if (!fields.has('pricing-model')) {
    if (before !== null && before.pricingModel !== null) return before.pricingModel;
    throw fields.error('pricing-model', 'is missing');
  }
  const json = fields.get('pricing-model') as Json;
  return readValue(pricingModel, json, `"pricing-model" in ${fields.path}`, newDatabase.codes);
}

function refuseTaken(catalog: Catalog, name: string): void {
  if (databaseByName(catalog, name) !== undefined)
    throw new QuarryError(8001, `database ${quoted(name)} already exists`);
}

/** Whether a request of the team may access the database with the id. */
export type Reach = (databaseId: number) => boolean;

/** The database with the name. Throws 8002 if there is none, 503 if the request may not access it. */
export function databaseAt(catalog: Catalog, name: string, reach: Reach): DatabaseModel {
  const database = databaseByName(catalog, name);
  if (database === undefined) throw new QuarryError(8002, `database ${quoted(name)} does not exist`);
  if (!reach(database.id)) throw new QuarryError(503, `you may not use the database ${quoted(name)}`);
  return database;
}

/** The keys of a new database; only a test database has `demo`. */
export type NewDatabaseKeys = Readonly<Record<DatabaseKeyKind, string>>;

export interface CreatedDatabaseAnswer extends DatabaseNamesAnswer {
  /** The texts of the keys. No other answer contains them. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Creates a database and its keys; the caller generates the keys' texts. Throws 8000 and 8001. */
export function createDatabase(
  json: Json,
  catalog: Catalog,
  texts: NewDatabaseKeys,
  nowMs: number,
): ModelDecision<CreatedDatabaseAnswer> {
  const { name, type, textCase, properties } = readBody(
    newDatabase,
    json,
    (fields: RequestBody<NewFields>, outer) =>
      readAll({
        name: () => fields.get('name'),
        type: () => fields.get('type'),
        textCase: () => fields.get('case') ?? 'fold',
        properties: () =>
          readProperties({
            ...{ fields, outer, before: null, nowMs },
            priced: fields.object.get('type') === 'production',
            loadOf: (field) => fields.get(field),
          }),
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
    { change: 'database-created', id, name, type, textCase, properties },
    ...kinds.map(
      (kind): CatalogChange => ({
        change: 'key-created',
        key: { ...secretsOfKey(texts[kind]), kind, databaseId: id },
      }),
    ),
  ];
  const keys = Object.fromEntries(kinds.map((kind) => [`${kind}-key`, texts[kind]]));
  return { changes, answer: { 'database-name': [name], keys } };
}

/**
 * Changes the fields that the body names; `type` may be repeated but not changed. Logs nothing if the database already has
 * these values. Throws 8000, 8001, 8002 and 503.
 */
export function changeDatabase(
  json: Json,
  catalog: Catalog,
  reach: Reach,
  nowMs: number,
): ModelDecision<DatabaseNamesAnswer> {
  const { database, before, name, properties } = readBody(
    changedDatabase,
    json,
    (fields: RequestBody<ChangedFields>, outer) => {
      const database = databaseAt(catalog, fields.get('name'), reach);
      const before = propertiesOf(catalog, database.id);
      const read = readAll({
        type: () => {
          if ((fields.get('type') ?? database.type) === database.type) return;
          throw fields.error('type', `cannot change: the database is of type ${database.type}`);
        },
        name: () => fields.get('new-database-name') ?? database.name,
        properties: () =>
          readProperties({
            ...{ fields, outer, before, nowMs },
            priced: database.type === 'production',
            loadOf: (field) =>
              fields.get(field) ?? (field === 'query-load' ? before.queryLoad : before.insertionLoad),
          }),
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

/** Deletes a database with all its data; the last database can be deleted too. Throws 8000, 8002 and 503. */
export function deleteDatabase(
  json: Json,
  catalog: Catalog,
  reach: Reach,
): ModelDecision<DatabaseNamesAnswer> {
  const { id, name } = RequestBody.of(deletedDatabase, json).read((outer) => {
    if (!outer.has('database')) throw outer.error('database', 'is missing');
    const { database } = deletedDatabase.properties;
    return RequestBody.of(database, outer.object.get('database'), '"database"').read((fields) =>
      databaseAt(catalog, fields.get('name'), reach),
    );
  });
  return { changes: [{ change: 'database-deleted', databaseId: id }], answer: { 'database-name': [name] } };
}

/** The counters of the engine for a database. */
export interface DatabaseCounters {
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
  { name, type, dimensions, textCase }: DatabaseModel,
  properties: DatabaseProperties,
  usage: DatabaseCounters,
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
    ...(textCase === 'preserve' ? { case: textCase } : {}),
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
