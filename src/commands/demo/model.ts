/**
 * The demo's model as the interface's own request bodies: its dimensions and their columns, and the form in which
 * loaders hand on what they have read.
 */

/** One body of POST /v1/insert, with what the server must answer and what a progress line tells. */
export interface InsertBody {
  readonly bytes: Uint8Array;
  readonly entityCount: number;
  /** Every single value: attributes, list items, events. */
  readonly valueCount: number;
  /** Airports, flights, earthquakes or networks in it. */
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
