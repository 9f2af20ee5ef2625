/**
 * POST, PUT, DELETE and GET /v1/database/custom_key. A whitelist or filter that is absent, null or `{}` restricts
 * nothing; of a PUT, what is absent stays and null or `{}` takes a restriction away.
 */
import { checkAll, NAME_CHARS_MAX, QuarryError, quoted } from '../base/index.js';
import {
  type Catalog,
  type ColumnsOfDimension,
  CUSTOM_KEY_LEVELS,
  type CustomKey,
  customKeysOf,
  type DimensionFilter,
  hashOfKey,
} from '../catalog/index.js';
import type { DatabaseModel, Dimension } from '../schema/index.js';
import { readAddresses } from './address.js';
import { bindQuery } from './condition.js';
import { databaseAt } from './database.js';
import type { ModelDecision } from './dimension.js';
import { columnAt, dimensionAt, objectAt } from './fields.js';
import { isList, type Json, kindOf, writeJson } from './json.js';
import { TeamFields } from './team-fields.js';

const WRONG = 8000;
const NAME = /^[ -~]+$/;
const PLACE = '"custom-database-key"';
const KEY_FIELDS = [
  'key-name',
  'key-type',
  'description',
  'columns-whitelist',
  'filter',
  'addresses-whitelist',
];

export interface CustomKeysAnswer {
  readonly 'custom-keys': readonly string[];
}

export interface CreatedKeyAnswer extends CustomKeysAnswer {
  /** The only time that the key's text is told. */
  readonly key: string;
}

function readBody(body: Json, catalog: Catalog, known: readonly string[]) {
  const outer = new TeamFields(body, ['database-name', 'custom-database-key'], WRONG, 'the body');
  const name = outer.text('database-name');
  if (!outer.has('custom-database-key')) throw outer.fault('custom-database-key', 'is missing');
  const fields = new TeamFields(outer.object.get('custom-database-key'), known, WRONG, PLACE);
  return { model: databaseAt(catalog, name), fields };
}

function readName(fields: TeamFields, field: string): string {
  const name = fields.text(field);
  if (!NAME.test(name)) throw fields.fault(field, `${quoted(name)} has invalid characters or none`);
  if (name.length > NAME_CHARS_MAX) throw fields.fault(field, `is longer than ${NAME_CHARS_MAX} characters`);
  return name;
}

/** The entries of an object by dimension, or null when it is absent, null or empty. */
function byDimension(fields: TeamFields, field: string, model: DatabaseModel): [Dimension, Json][] | null {
  if (!fields.has(field)) return null;
  const object = objectAt(fields.object.get(field), WRONG, `"${field}" in ${PLACE}`);
  if (object.size === 0) return null;
  return checkAll([...object], ([name, value]) => [dimensionAt(model, name, `"${field}"`), value]);
}

function readWhitelist(fields: TeamFields, model: DatabaseModel): readonly ColumnsOfDimension[] | null {
  const entries = byDimension(fields, 'columns-whitelist', model);
  return (
    entries?.map(([dimension, columns]) => {
      const place = `"columns-whitelist".${dimension.apiName}`;
      if (!isList(columns)) throw new QuarryError(WRONG, `${place} must be a list, not ${kindOf(columns)}`);
      const names = checkAll(columns, (column, index) => {
        if (typeof column === 'string') return columnAt(dimension, column).apiName;
        throw new QuarryError(WRONG, `${place}[${index}] must be a column's api-name, not ${kindOf(column)}`);
      });
      return { dimension: dimension.apiName, columns: [...new Set(names)] };
    }) ?? null
  );
}

function readFilter(fields: TeamFields, model: DatabaseModel, nowMs: number): readonly DimensionFilter[] {
  const entries = byDimension(fields, 'filter', model) ?? [];
  return entries.map(([dimension, conditions]) => {
    const place = `"filter".${dimension.apiName}`;
    const object = objectAt(conditions, WRONG, place);
    if (object.size === 0) throw new QuarryError(WRONG, `${place} names no column`);
    for (const [column, condition] of object) {
      bindQuery([new Map([[column, condition]])], dimension, nowMs, undefined, place);
    }
    return { dimension: dimension.apiName, conditions: writeJson(object) };
  });
}

/** Everything of a key but its hash; what the fields do not name is as `before`. */
function readKey(
  fields: TeamFields,
  model: DatabaseModel,
  before: CustomKey | null,
  name: string,
  nowMs: number,
): Omit<CustomKey, 'hash'> {
  const says = (field: string): boolean => before === null || fields.object.has(field);
  return {
    kind: 'custom',
    databaseId: model.id,
    name,
    level: fields.choice('key-type', CUSTOM_KEY_LEVELS, before?.level),
    description: fields.text('description', before?.description ?? ''),
    columnsWhitelist: says('columns-whitelist')
      ? readWhitelist(fields, model)
      : (before?.columnsWhitelist ?? null),
    filter: says('filter') ? readFilter(fields, model, nowMs) : (before?.filter ?? []),
    addressesWhitelist: readAddresses(
      fields,
      'addresses-whitelist',
      says('addresses-whitelist') ? [] : (before?.addressesWhitelist ?? []),
    ),
  };
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

/** Makes a key whose text the caller made. Throws 8000, 8002, 8003, 5008, 3018 and all of `bindQuery`. */
export function createCustomKey(
  body: Json,
  catalog: Catalog,
  text: string,
  nowMs: number,
): ModelDecision<CreatedKeyAnswer> {
  const { model, fields } = readBody(body, catalog, KEY_FIELDS);
  const name = readName(fields, 'key-name');
  const key = { ...readKey(fields, model, null, name, nowMs), hash: hashOfKey(text) };
  refuseTaken(catalog, model, name);
  return { changes: [{ change: 'key-created', key }], answer: { 'custom-keys': [name], key: text } };
}

/** Changes what the body names; the text stays. Throws as `createCustomKey`, and 8004. */
export function changeCustomKey(
  body: Json,
  catalog: Catalog,
  nowMs: number,
): ModelDecision<CustomKeysAnswer> {
  const { model, fields } = readBody(body, catalog, [...KEY_FIELDS, 'new-key-name']);
  const before = keyAt(catalog, model, fields.text('key-name'));
  const name = fields.has('new-key-name') ? readName(fields, 'new-key-name') : before.name;
  const key = { ...readKey(fields, model, before, name, nowMs), hash: before.hash };
  if (name !== before.name) refuseTaken(catalog, model, name);
  return { changes: [{ change: 'key-changed', key }], answer: { 'custom-keys': [name] } };
}

/** Throws 8000, 8002 and 8004. */
export function deleteCustomKey(body: Json, catalog: Catalog): ModelDecision<CustomKeysAnswer> {
  const { model, fields } = readBody(body, catalog, ['key-name']);
  const { hash, name } = keyAt(catalog, model, fields.text('key-name'));
  return { changes: [{ change: 'key-deleted', hash }], answer: { 'custom-keys': [name] } };
}

/** Members of the answer: the names of all custom keys, and which database has which. */
export function listCustomKeys(catalog: Catalog): string {
  const names: string[] = [];
  const databases = [...catalog.databases.values()].map(({ id, name }) => {
    const own = [...customKeysOf(catalog, id).keys()];
    names.push(...own);
    return `${JSON.stringify(name)}:${JSON.stringify(own)}`;
  });
  return `"custom-keys":${JSON.stringify(names)},"databases":{${databases.join(',')}}`;
}
