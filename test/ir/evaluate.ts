/**
 * Evaluates bound conditions over entities in memory, following the rules at the head of src/ir/condition.ts. This
 * tests the binding without a server. Values are in their stored form.
 */
import { ExactNumber, type Json } from '../../src/api/index.js';
import type { Condition, EventTest, ValueTest } from '../../src/ir/index.js';
import {
  baseTypeOf,
  type Column,
  type DatabaseModel,
  isEventType,
  lowerCase,
  parseDate,
  parseDateTime,
  parseInstant,
  scaleDecimal,
} from '../../src/schema/index.js';

export type Stored = bigint | string | readonly [number, number];

export interface StoredEntity {
  readonly attributes: Map<number, Stored | readonly Stored[]>;
  readonly events: Map<number, { readonly seconds: number; readonly value: Stored }[]>;
}

/** Entities by dimension id and lower-cased ID. */
export type StoredData = Map<number, Map<string, StoredEntity>>;

function numberOf(json: Json): string {
  if (json instanceof ExactNumber) return json.text;
  throw new Error('a number was expected');
}

function toStored(json: Json, column: Column): Stored {
  switch (baseTypeOf(column.type)) {
    case 'string':
      return lowerCase(json as string);
    case 'decimal': {
      const scaled = scaleDecimal(numberOf(json), column.decimalPlaces as number);
      if ('reason' in scaled) throw new Error(`decimal ${numberOf(json)}: ${scaled.reason}`);
      return scaled.value;
    }
    case 'boolean':
      return json === true || json === 'true' ? 1n : 0n;
    case 'date':
      return BigInt(parseDate(json as string) as number);
    case 'datetime':
      return BigInt(parseDateTime(json as string) as number);
    case 'geolocation': {
      const [longitude, latitude] = (json as readonly Json[]).map((part) => Number(numberOf(part)));
      return [longitude, latitude];
    }
    default: {
      const value = BigInt(numberOf(json));
      return column.range === null
        ? value
        : (column.range.filter((bound) => bound <= value).at(-1) as bigint);
    }
  }
}

/** Applies an insert body to `data`. */
export function store(data: StoredData, body: Json, model: DatabaseModel, nowMs: number): void {
  for (const [id, fields] of body as ReadonlyMap<string, ReadonlyMap<string, Json>>) {
    const dimension = model.dimensions.get((fields.get('dimension') as string | undefined) ?? 'default');
    if (dimension === undefined) throw new Error('no such dimension');
    const entities = data.get(dimension.id) ?? new Map<string, StoredEntity>();
    data.set(dimension.id, entities);
    const key = lowerCase(id);
    const entity = entities.get(key) ?? { attributes: new Map(), events: new Map() };
    entities.set(key, entity);
    for (const [name, value] of fields) {
      if (name !== 'dimension') storeField(entity, dimension.columns.get(name) as Column, value, nowMs);
    }
  }
}

function storeField(entity: StoredEntity, column: Column, value: Json, nowMs: number): void {
  if (isEventType(column.type)) {
    const events = entity.events.get(column.id) ?? [];
    entity.events.set(column.id, events);
    const items = (value instanceof Map ? [value] : value) as readonly ReadonlyMap<string, Json>[];
    for (const item of items) {
      const date = item.get('date') as string | undefined;
      const seconds = date === undefined ? Math.floor(nowMs / 1000) : (parseInstant(date) as number);
      events.push({ seconds, value: toStored(item.get('value') as Json, column) });
    }
  } else if (value === null) entity.attributes.delete(column.id);
  else if (column.storage === 'list-of-values') {
    const items = (value as readonly Json[]).map((item) => toStored(item, column));
    if (items.length === 0) entity.attributes.delete(column.id);
    else entity.attributes.set(column.id, items);
  } else entity.attributes.set(column.id, toStored(value, column));
}

/** The number of entities of a dimension for which the condition is true. */
export function countMatches(data: StoredData, dimensionId: number, condition: Condition): number {
  let count = 0;
  for (const [id, entity] of data.get(dimensionId) ?? []) if (truth(condition, id, entity) === true) count++;
  return count;
}

/** true, false or unknown (null). */
export function truth(condition: Condition, id: string, entity: StoredEntity): boolean | null {
  switch (condition.op) {
    case 'entity-id':
      return condition.tests.every((test) => passes(test, id));
    case 'missing':
      return !entity.attributes.has(condition.columnId);
    case 'attribute': {
      const value = entity.attributes.get(condition.columnId);
      if (value === undefined) return null;
      return isItems(value)
        ? listPasses(condition.tests, value)
        : condition.tests.every((test) => passes(test, value));
    }
    case 'event':
      if ((entity.events.get(condition.event.columnId) ?? []).length === 0) return null;
      return countEvents(condition.event, entity) >= condition.minfreq;
    case 'freqgroup':
      return (
        condition.events.reduce((sum, event) => sum + countEvents(event, entity), 0) >= condition.minfreq
      );
    case 'not': {
      const inner = truth(condition.member, id, entity);
      return inner === null ? null : !inner;
    }
    case 'segment':
      if (condition.condition === null) throw new Error('static segments have a model of their own');
      return truth(condition.condition, id, entity) === true;
    case 'behaviour':
      throw new Error('questions about behaviour have models of their own in test/behaviour');
    default: {
      const decisive = condition.op === 'or';
      const truths = condition.members.map((member) => truth(member, id, entity));
      if (truths.includes(decisive)) return decisive;
      return truths.includes(null) ? null : !decisive;
    }
  }
}

function isItems(value: Stored | readonly Stored[]): value is readonly Stored[] {
  return Array.isArray(value) && typeof value[0] !== 'number';
}

function listPasses(tests: readonly ValueTest[], items: readonly Stored[]): boolean {
  const plain = tests.filter(({ negated }) => !negated);
  const negated = tests.filter((test) => test.negated);
  const oneFits = plain.length === 0 || items.some((item) => plain.every((test) => passes(test, item)));
  return oneFits && negated.every((test) => items.every((item) => passes(test, item)));
}

function countEvents({ columnId, window, tests }: EventTest, entity: StoredEntity): number {
  const events = entity.events.get(columnId) ?? [];
  return events.filter(
    ({ seconds, value }) =>
      seconds >= window.from && seconds <= window.to && tests.every((test) => passes(test, value)),
  ).length;
}

export function passes(test: ValueTest, value: Stored): boolean {
  return meets(test, value) !== test.negated;
}

/** Converts a LIKE pattern, in which a backslash makes the next character literal. */
export function likeExpression(pattern: string): RegExp {
  const source = pattern.replace(/\\(.)|./gsu, (part, literal?: string) => {
    if (literal === undefined && part === '%') return '[^]*';
    if (literal === undefined && part === '_') return '[^]';
    return `\\u{${((literal ?? part).codePointAt(0) as number).toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'u');
}

function meets(test: ValueTest, value: Stored): boolean {
  switch (test.kind) {
    case 'ranges':
      return test.ranges.some(({ low, high }) => (value as bigint) >= low && (value as bigint) <= high);
    case 'text': {
      const text = value as string;
      if (test.match === 'equals') return test.texts.includes(text);
      if (test.match === 'like') return test.texts.some((pattern) => likeExpression(pattern).test(text));
      if (test.match === 'contains') return test.texts.some((piece) => text.includes(piece));
      if (test.match === 'starts-with') return test.texts.some((piece) => text.startsWith(piece));
      return test.texts.some((piece) => text.endsWith(piece));
    }
    case 'geo-any':
      return test.areas.some((area) => meets(area, value));
    case 'geo-box': {
      const [longitude, latitude] = value as readonly [number, number];
      if (latitude < test.south || latitude > test.north) return false;
      if (test.west <= test.east) return longitude >= test.west && longitude <= test.east;
      return longitude >= test.west || longitude <= test.east;
    }
    case 'geo-radius': {
      const [longitude, latitude] = (value as readonly [number, number]).map(
        (degrees) => (degrees * Math.PI) / 180,
      );
      const [lon, lat] = [test.longitude, test.latitude].map((degrees) => (degrees * Math.PI) / 180);
      const chord = Math.hypot(
        Math.cos(lat) * Math.cos(lon) - Math.cos(latitude) * Math.cos(longitude),
        Math.cos(lat) * Math.sin(lon) - Math.cos(latitude) * Math.sin(longitude),
        Math.sin(lat) - Math.sin(latitude),
      );
      return 2 * 6371.0088 * Math.asin(Math.min(1, chord / 2)) <= test.radiusKm;
    }
  }
}
