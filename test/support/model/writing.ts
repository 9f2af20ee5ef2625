/** Writing of entities: the effect of the values of an insert or an update. */
import { ExactNumber, type Json } from '../../../src/api/index.js';
import type { ColumnFacts, Entity, Event, Value } from './facts.js';
import { asList, asNumber, asObject, asText, fraction, lower } from './json.js';
import { dateText, instant } from './time.js';

/** Writes the values of a column; returns the number of single values written. */
export function write(entity: Entity, name: string, column: ColumnFacts, value: Json, nowMs: number): number {
  if (column.isEvent) {
    const added = (Array.isArray(value) ? (value as readonly Json[]) : [value]).map((item) =>
      readEvent(item, column, nowMs),
    );
    entity.events.set(name, [...(entity.events.get(name) ?? []), ...added]);
    return added.length;
  }
  if (column.isList) {
    // An empty list is a missing value.
    const items = value === null ? [] : asList(value).map((item) => readValue(item, column));
    if (items.length === 0) entity.lists.delete(name);
    else entity.lists.set(name, items);
    return items.length;
  }
  if (value === null) {
    entity.values.delete(name);
    return 0;
  }
  entity.values.set(name, readValue(value, column));
  return 1;
}

/** The effect of an insert on a column of the entity. */
export function fieldOf(entity: Entity, name: string, { type, isEvent, isList }: ColumnFacts): Json {
  if (isEvent) {
    return (entity.events.get(name) ?? []).map(
      ({ seconds, value }) =>
        new Map<string, Json>([
          ['value', valueJson(value, type)],
          ['date', dateText(seconds)],
        ]),
    );
  }
  if (isList) return entity.lists.get(name)?.map((item) => valueJson(item, type)) ?? null;
  const value = entity.values.get(name);
  return value === undefined ? null : valueJson(value, type);
}

/** A stored value in a form that an insert accepts. */
function valueJson(value: Value, type: string): Json {
  if (typeof value !== 'object') return value;
  if ('seconds' in value) return dateText(value.seconds).slice(0, type === 'date' ? 10 : undefined);
  if ('over' in value) {
    // The denominator is a power of ten.
    const places = String(value.under).length - 1;
    return new ExactNumber(places === 0 ? String(value.over) : `${value.over}e-${places}`);
  }
  return [value.longitude, value.latitude].map((degrees) => new ExactNumber(String(degrees)));
}

function readEvent(item: Json, column: ColumnFacts, nowMs: number): Event {
  const event = asObject(item);
  const date = event.get('date');
  const seconds = date === undefined ? Math.floor(nowMs / 1000) : instant(asText(date));
  return { seconds, value: readValue(event.get('value'), column) };
}

/** A value in stored form. */
function readValue(body: Json | undefined, { type, bounds }: ColumnFacts): Value {
  switch (type) {
    case 'string':
      return lower(asText(body));
    case 'integer':
    case 'decimal':
      return fraction(asNumber(body).text);
    case 'enumerated': {
      const value = BigInt(asNumber(body).text);
      const retained = bounds.filter((bound) => bound <= value).at(-1);
      if (retained === undefined) throw new Error('below the first bound');
      return { over: retained, under: 1n };
    }
    case 'boolean':
      return body === true || body === 'true';
    case 'date':
    case 'datetime':
      return { seconds: instant(asText(body)) };
    case 'geolocation': {
      const [longitude, latitude] = asList(body).map((part) => Number(asNumber(part).text));
      return { longitude, latitude };
    }
    default:
      throw new Error(`the model does not support values of type ${type}`);
  }
}
