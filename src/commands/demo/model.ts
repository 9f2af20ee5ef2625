/**
 * The demo's model as request bodies: dimensions and columns; and the type of the insert bodies that the loaders return.
 */

/** One body of POST /v1/insert, with the counts that the server must answer and the row count for the progress line. */
export interface InsertBody {
  readonly bytes: Uint8Array;
  readonly entityCount: number;
  /** Number of values: attributes, list items, events. */
  readonly valueCount: number;
  /** Number of airports, flights, earthquakes or networks. */
  readonly rowCount: number;
}

export const DIMENSIONS = [
  { name: 'Airports', 'api-name': 'airports' },
  { name: 'Earthquakes', 'api-name': 'earthquakes' },
  { name: 'Networks', 'api-name': 'networks' },
] as const;

const attribute = (dimension: string, apiName: string, type: string, more: object = {}) => ({
  name: apiName,
  'api-name': apiName,
  type,
  dimension,
  storage: 'latest-value',
  ...more,
});

const text = (dimension: string, apiName: string, cardinality: 'low' | 'high') =>
  attribute(dimension, apiName, 'string', { cardinality });

const event = (dimension: string, apiName: string, type: string, more: object = {}) => ({
  name: apiName,
  'api-name': apiName,
  type,
  dimension,
  ...more,
});

/** The body of POST /v1/column. */
export const COLUMNS: readonly object[] = [
  text('airports', 'name', 'high'),
  text('airports', 'city', 'high'),
  text('airports', 'state', 'low'),
  text('airports', 'country', 'low'),
  attribute('airports', 'location', 'geolocation'),
  event('airports', 'destination', 'string-event'),
  event('airports', 'delay', 'integer-event'),
  event('airports', 'distance', 'integer-event'),
  attribute('earthquakes', 'magnitude', 'decimal', { 'decimal-places': 2 }),
  text('earthquakes', 'magnitude-type', 'low'),
  text('earthquakes', 'place', 'high'),
  text('earthquakes', 'type', 'low'),
  text('earthquakes', 'status', 'low'),
  text('earthquakes', 'network', 'low'),
  text('earthquakes', 'alert', 'low'),
  attribute('earthquakes', 'sources', 'string', { cardinality: 'low', storage: 'list-of-values' }),
  attribute('earthquakes', 'time', 'datetime'),
  attribute('earthquakes', 'depth', 'decimal', { 'decimal-places': 3 }),
  attribute('earthquakes', 'significance', 'integer'),
  attribute('earthquakes', 'felt', 'integer'),
  attribute('earthquakes', 'stations', 'integer'),
  attribute('earthquakes', 'tsunami', 'boolean'),
  attribute('earthquakes', 'location', 'geolocation'),
  event('networks', 'epicentre', 'geolocation-event'),
  event('networks', 'strength', 'decimal-event', { 'decimal-places': 2 }),
];
