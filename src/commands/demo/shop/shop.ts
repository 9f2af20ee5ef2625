/** The shop's model and insert bodies. */
import { ENTITIES_PER_INSERT_MAX } from '../../../base/index.js';
import { formatDateTime } from '../../../schema/index.js';
import type { InsertBody } from '../model.js';
import { type ShopEvent, type Visitor, visitorsOf } from './visitor.js';

export const SHOP_DIMENSION = { name: 'Visitors', 'api-name': 'visitors' } as const;

const dimension = 'visitors';
const attribute = (name: string): object => ({
  ...{ name, 'api-name': name, type: 'string', dimension },
  ...{ storage: 'latest-value', cardinality: 'low' },
});
const event = (name: string, type: string): object => ({ name, 'api-name': name, type, dimension });

/** Columns of the body of POST /v1/column. */
export const SHOP_COLUMNS: readonly object[] = [
  attribute('country'),
  attribute('channel'),
  attribute('device'),
  event('page', 'string-event'),
  event('cart', 'string-event'),
  event('order', 'string-event'),
  event('paid', 'integer-event'),
];

/** The body of POST /v1/column/relation: a product and what was paid for it are one event. */
export const PURCHASE = { name: 'purchase', columns: ['order', 'paid'], dimension } as const;

const EVENT_COLUMNS = ['page', 'cart', 'order', 'paid'] as const;
const ATTRIBUTE_COUNT = 3;

const written = (events: readonly ShopEvent[]): object[] =>
  events.map(({ value, seconds }) => ({ value, date: formatDateTime(seconds) }));

function entityOf(visitor: Visitor): object {
  const { country, channel, device } = visitor;
  const events = EVENT_COLUMNS.filter((column) => visitor[column].length > 0).map(
    (column) => [column, written(visitor[column])] as const,
  );
  return { dimension, country, channel, device, ...Object.fromEntries(events) };
}

function bodyOf(visitors: readonly Visitor[]): InsertBody {
  const entities = Object.fromEntries(visitors.map((visitor) => [visitor.id, entityOf(visitor)]));
  const events = visitors.reduce(
    (sum, visitor) => sum + EVENT_COLUMNS.reduce((count, column) => count + visitor[column].length, 0),
    0,
  );
  return {
    bytes: new TextEncoder().encode(JSON.stringify(entities)),
    entityCount: visitors.length,
    valueCount: events + visitors.length * ATTRIBUTE_COUNT,
    rowCount: visitors.length,
  };
}

/** Bodies of at most ENTITIES_PER_INSERT_MAX visitors each. */
export async function* visitorBodies(count: number): AsyncGenerator<InsertBody> {
  let part: Visitor[] = [];
  for (const visitor of visitorsOf(count)) {
    part.push(visitor);
    if (part.length < ENTITIES_PER_INSERT_MAX) continue;
    yield bodyOf(part);
    part = [];
  }
  if (part.length > 0) yield bodyOf(part);
}
