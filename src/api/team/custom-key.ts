/**
 * POST, PUT, DELETE and GET /v1/database/custom_key. A whitelist or filter that is absent, null or `{}` restricts
 * nothing. In a PUT, an absent or null field leaves the restriction unchanged, and `{}` (for addresses: `[]`) removes it. In
 * a dimension that a columns-whitelist does not name, the key may use no column.
 */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import {
  type Catalog,
  type ColumnsOfDimension,
  type CustomKey,
  type CustomKeyLevel,
  customKeysOf,
  type DimensionFilter,
  secretsOfKey,
} from '../../catalog/index.js';
import {
  type Body,
  changedCustomKey,
  type changedKeyFields,
  deletedCustomKey,
  type Fields,
  NAMED_MAX,
  newCustomKey,
  type Schema,
} from '../../interface/index.js';
import type { DatabaseModel, Dimension } from '../../schema/index.js';
import { filterQuery } from '../body/access.js';
import { readAddresses } from '../body/address.js';
import { columnAt, dimensionAt, objectAt, readAll } from '../body/fields.js';
import { isList, type Json, kindOf, writeJson } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { bindQuery } from '../condition/condition.js';
import type { ModelDecision } from '../model/dimension.js';
import { databaseAt, type Reach } from './database.js';

const WRONG = 8000;
/** Maximum length of the JSON text of one dimension's filter, which is stored and parsed again for every request. */
const FILTER_CHARS_MAX = 65_536;
const WHERE = '"custom-database-key"';

export interface CustomKeysAnswer {
  readonly 'custom-keys': readonly string[];
}

export interface CreatedKeyAnswer extends CustomKeysAnswer {
  /** The key's text. No other answer contains it. */
  readonly key: string;
}

/** The fields that new and changed keys have in common. */
type KeyBody = RequestBody<
  Omit<typeof changedKeyFields.properties, 'key-name' | 'new-key-name' | 'key-type'>
>;

/** Returns the result of `read` for the key's fields, and the database that the body names. */
function readBody<F extends Fields, T>(
  schema: Body<{ readonly 'database-name': Schema<string, string>; readonly 'custom-database-key': Body<F> }>,
  json: Json,
  catalog: Catalog,
  reach: Reach,
  read: (fields: RequestBody<F>, model: DatabaseModel) => T,
): { readonly model: DatabaseModel; readonly key: T } {
  const key = schema.properties['custom-database-key'];
  return RequestBody.of(schema, json).read((outer) => {
    const name = outer.get('database-name');
    if (!outer.has('custom-database-key')) throw outer.error('custom-database-key', 'is missing');
    return RequestBody.of(key, outer.object.get('custom-database-key'), WHERE).read((fields) => {
      const model = databaseAt(catalog, name, reach);
      return { model, key: read(fields, model) };
    });
  });
}

/** The entries of an object by dimension; null if the object is absent, null or empty. */
function byDimension(
  fields: KeyBody,
  field: 'columns-whitelist' | 'filter',
  model: DatabaseModel,
): [Dimension, Json][] | null {
  if (!fields.has(field)) return null;
  const object = objectAt(fields.object.get(field), WRONG, `"${field}" in ${WHERE}`);
  if (object.size === 0) return null;
  if (object.size > NAMED_MAX) throw fields.error(field, `names more than ${NAMED_MAX} dimensions`);
  return checkAll([...object], ([name, value]) => [dimensionAt(model, name), value]);
}

function readWhitelist(fields: KeyBody, model: DatabaseModel): readonly ColumnsOfDimension[] | null {
  const entries = byDimension(fields, 'columns-whitelist', model);
  if (entries === null) return null;
  return checkAll(entries, ([dimension, columns]) => {
    const path = `"columns-whitelist".${dimension.apiName}`;
    if (!isList(columns)) throw new QuarryError(WRONG, `${path} must be a list, not ${kindOf(columns)}`);
    if (columns.length > NAMED_MAX)
      throw new QuarryError(WRONG, `${path} names more than ${NAMED_MAX} columns`);
    const names = checkAll(columns, (column, index) => {
      if (typeof column === 'string') return columnAt(dimension, column).apiName;
      throw new QuarryError(WRONG, `${path}[${index}] must be a column's api-name, not ${kindOf(column)}`);
    });
    return { dimension: dimension.apiName, columns: [...new Set(names)] };
  });
}

function readFilter(fields: KeyBody, model: DatabaseModel, nowMs: number): readonly DimensionFilter[] {
  const entries = byDimension(fields, 'filter', model) ?? [];
  return checkAll(entries, ([dimension, conditions]) => {
    const path = `"filter".${dimension.apiName}`;
    const object = objectAt(conditions, WRONG, path);
    if (object.size === 0) throw new QuarryError(WRONG, `${path} names no column`);
    bindQuery(filterQuery(object), dimension, nowMs, { path });
    const text = writeJson(object);
    if (text.length <= FILTER_CHARS_MAX) return { dimension: dimension.apiName, conditions: text };
    throw new QuarryError(WRONG, `${path} is longer than ${FILTER_CHARS_MAX} characters`);
  });
}

/** The properties of a key except its hash; properties that the fields do not name are taken from `before`. */
function readKey(
  fields: KeyBody,
  { name, level }: { readonly name: () => string; readonly level: () => CustomKeyLevel },
  model: DatabaseModel,
  before: CustomKey | null,
  nowMs: number,
): Omit<CustomKey, 'hash'> {
  const read = readAll({
    name,
    level,
    description: () => fields.get('description') ?? before?.description ?? '',
    columnsWhitelist: () =>
      fields.has('columns-whitelist') ? readWhitelist(fields, model) : (before?.columnsWhitelist ?? null),
    filter: () => (fields.has('filter') ? readFilter(fields, model, nowMs) : (before?.filter ?? [])),
    addressesWhitelist: () => readAddresses(fields, before?.addressesWhitelist ?? []),
  });
  return { kind: 'custom', databaseId: model.id, ...read };
}

function refuseTaken(catalog: Catalog, model: DatabaseModel, name: string): void {
  if (!customKeysOf(catalog, model.id).has(name)) return;
  throw new QuarryError(8003, `custom key ${quoted(name)} already exists in database ${quoted(model.name)}`);
}

function keyAt(catalog: Catalog, model: DatabaseModel, name: string): CustomKey {
  const key = customKeysOf(catalog, model.id).get(name);
  if (key !== undefined) return key;
  throw new QuarryError(8004, `custom key ${quoted(name)} does not exist in database ${quoted(model.name)}`);
}

/** Creates a key; the caller generates its text. Throws 8000, 8002, 8003, 503, 5008, 3018 and the errors of `bindQuery`. */
export function createCustomKey(
  json: Json,
  catalog: Catalog,
  reach: Reach,
  text: string,
  nowMs: number,
): ModelDecision<CreatedKeyAnswer> {
  const { model, key: own } = readBody(newCustomKey, json, catalog, reach, (fields, within) =>
    readKey(
      fields,
      { name: () => fields.get('key-name'), level: () => fields.get('key-type') },
      within,
      null,
      nowMs,
    ),
  );
  const key = { ...own, ...secretsOfKey(text) };
  refuseTaken(catalog, model, key.name);
  return { changes: [{ change: 'key-created', key }], answer: { 'custom-keys': [key.name], key: text } };
}

/** Changes the fields that the body names; the key's text stays. Throws the errors of `createCustomKey`, and 8004. */
export function changeCustomKey(
  json: Json,
  catalog: Catalog,
  reach: Reach,
  nowMs: number,
): ModelDecision<CustomKeysAnswer> {
  const { model, key } = readBody(changedCustomKey, json, catalog, reach, (fields, within) => {
    const before = keyAt(catalog, within, fields.get('key-name'));
    const own = {
      name: () => fields.get('new-key-name') ?? before.name,
      level: () => fields.get('key-type') ?? before.level,
    };
    const { hash, scram } = before;
    return { before, after: { ...readKey(fields, own, within, before, nowMs), hash, scram } };
  });
  const { before, after } = key;
  if (after.name !== before.name) refuseTaken(catalog, model, after.name);
  return { changes: [{ change: 'key-changed', key: after }], answer: { 'custom-keys': [after.name] } };
}

/** Deletes a key. Throws 8000, 8002, 8004 and 503. */
export function deleteCustomKey(json: Json, catalog: Catalog, reach: Reach): ModelDecision<CustomKeysAnswer> {
  const { key } = readBody(deletedCustomKey, json, catalog, reach, (fields, model) =>
    keyAt(catalog, model, fields.get('key-name')),
  );
  const { hash, name } = key;
  return { changes: [{ change: 'key-deleted', hash }], answer: { 'custom-keys': [name] } };
}

/**
 * Members of the answer: the names of all custom keys within reach, the names per database, and the keys with their restrictions.
 * `lastUsedMs`: by the hash of a key, in milliseconds since 1970; null = not since the start of the server.
 */
export function listCustomKeys(
  catalog: Catalog,
  reach: Reach,
  lastUsedMs: (hash: string) => number | null,
): string {
  const names: string[] = [];
  const entries: string[] = [];
  const within = [...catalog.databases.values()].filter(({ id }) => reach(id));
  // Not JSON.stringify of an object, which would reorder a database named "7".
  const databases = within.map(({ id, name }) => {
    const own = customKeysOf(catalog, id);
    names.push(...own.keys());
    for (const key of own.values()) entries.push(keyEntry(key, name, lastUsedMs(key.hash)));
    return `${JSON.stringify(name)}:${JSON.stringify([...own.keys()])}`;
  });
  return `"custom-keys":${JSON.stringify(names)},"databases":{${databases.join(',')}},"keys":[${entries.join(',')}]`;
}

/** A key as JSON, with the number tokens of its filter as they were sent. */
function keyEntry(key: CustomKey, databaseName: string, usedMs: number | null): string {
  const members = JSON.stringify({
    'database-name': databaseName,
    'key-name': key.name,
    'key-type': key.level,
    description: key.description,
    'columns-whitelist': Object.fromEntries(
      key.columnsWhitelist?.map(({ dimension, columns }) => [dimension, columns]) ?? [],
    ),
    'addresses-whitelist': key.addressesWhitelist,
    'last-used': usedMs === null ? null : new Date(usedMs).toISOString(),
  });
  const filter = key.filter.map(({ dimension, conditions }) => `${JSON.stringify(dimension)}:${conditions}`);
  return `${members.slice(0, -1)},"filter":{${filter.join(',')}}}`;
}
