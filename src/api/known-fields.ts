/**
 * Which fields the objects of requests have: the one table that both the readers of bodies and the interface's description
 * (src/openapi) are made from, so that neither can know a field that the other does not.
 */

const COUNT_QUERY = ['query-name', 'dimension', 'query', 'bypass-cache'] as const;
const SAVED_QUERY = ['type', 'query', 'dimension', 'cache-period'] as const;
const USER = ['email', 'labels', 'first-name', 'last-name', 'permission-group'] as const;
const DATABASE = [
  'name',
  'description',
  'type',
  'pricing-model',
  'labels',
  'query-load',
  'insertion-load',
  'cloud_provider',
  'cloud_area',
] as const;
const CUSTOM_KEY = [
  'key-name',
  'key-type',
  'description',
  'columns-whitelist',
  'filter',
  'addresses-whitelist',
] as const;
const GROUP = [
  'group-name',
  'description',
  'allowed-permissions',
  'allowed-databases',
  'labels',
  'week-days',
  'access-hours',
] as const;

export const KNOWN_FIELDS = {
  newDimension: ['name', 'api-name', 'relational-model-type'],
  deletedDimension: ['api-name'],
  newColumn: [
    'name',
    'api-name',
    'type',
    'description',
    'dimension',
    'storage',
    'cardinality',
    'decimal-places',
    'range',
    'retention-time',
  ],
  changedColumn: ['api-name', 'dimension', 'name', 'description', 'active'],
  deletedColumn: ['api-name', 'dimension'],
  relation: ['name', 'columns', 'dimension'],
  update: ['dimension', 'query', 'set'],
  delete: ['dimension', 'query'],
  countQuery: COUNT_QUERY,
  countEventQuery: [...COUNT_QUERY, 'interval'],
  exists: ['ids', 'dimension'],
  total: ['dimensions'],
  aggregation: ['dimension', 'filter', 'query', 'bypass-cache'],
  savedAggregation: ['filter', 'query'],
  /** Of a level of an aggregation, beside its column and predicates. */
  level: ['between', 'interval', 'minfreq'],
  /** Of a query of top values, beside those of a level. */
  topValues: ['dimension', 'bypass-cache'],
  extraction: ['query', 'columns', 'limit', 'order', 'page-token', 'dimension', 'bypass-cache'],
  newSavedQuery: ['name', ...SAVED_QUERY],
  savedQuery: SAVED_QUERY,
  freqgroup: ['minfreq', 'freqgroup'],
  /** Of a condition on an event column, beside its predicates. */
  event: ['between', 'minfreq'],
  point: ['longitude', 'latitude'],
  geoRadius: ['longitude', 'latitude', 'radius', 'unit', 'between'],
  geoBoundingBox: ['lower-left', 'upper-right', 'between'],
  geoNear: ['longitude', 'latitude', 'limit', 'show_coordinates', 'between'],
  databaseBody: ['database', 'addresses-whitelist'],
  deletedDatabaseBody: ['database'],
  newDatabase: DATABASE,
  changedDatabase: [...DATABASE, 'new-database-name'],
  deletedDatabase: ['name'],
  customKeyBody: ['database-name', 'custom-database-key'],
  newCustomKey: CUSTOM_KEY,
  changedCustomKey: [...CUSTOM_KEY, 'new-key-name'],
  deletedCustomKey: ['key-name'],
  newGroup: GROUP,
  changedGroup: [...GROUP, 'new-group-name'],
  deletedGroup: ['group-name'],
  accessHours: ['from', 'to'],
  newUser: [...USER, 'password'],
  changedUser: USER,
  deletedUser: ['email'],
  session: ['email', 'password', 'database-name'],
} as const;

/** Every predicate that a condition or a level may have, on whatever column. */
export const PREDICATES = [
  'equals',
  'not-equals',
  'in',
  'not-in',
  'range',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'not-contains',
  'starts-with',
  'not-starts-with',
  'ends-with',
  'not-ends-with',
  'geo_radius',
  'geo_bounding_box',
  'geo_near',
] as const;
export type PredicateName = (typeof PREDICATES)[number];
