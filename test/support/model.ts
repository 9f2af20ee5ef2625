/**
 * A database as plainly as it can be written: one object per entity, one value after the other, no index and no
 * binding. It is the oracle of the whole server, so it shares nothing with how the server parses, binds or runs
 * a request except the JSON reader; it takes valid requests only and throws a plain Error for what it does not know.
 */
import { ExactNumber, type Json, type JsonObject } from '../../src/api/index.js';

/** A number as numerator / denominator, compared exactly. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}
type Value = string | boolean | Fraction | Seconds | Point;
interface Seconds {
  readonly seconds: number;
}
interface Point {
  readonly longitude: number;
  readonly latitude: number;
}
interface Event {
  readonly seconds: number;
  readonly value: Value;
}
interface ColumnFacts {
  readonly type: string;
  readonly isEvent: boolean;
  readonly isList: boolean;
  readonly bounds: readonly bigint[];
}
interface Entity {
  readonly values: Map<string, Value>;
  readonly lists: Map<string, readonly Value[]>;
  readonly events: Map<string, readonly Event[]>;
}
interface Table {
  readonly columns: Map<string, ColumnFacts>;
  readonly entities: Map<string, Entity>;
}
/** true, false or unknown. */
type Truth = boolean | null;

const DEFAULT = 'default';

export class RowModel {
  readonly #tables = new Map<string, Table>([[DEFAULT, newTable()]]);

  /** Takes the body of POST /v1/column; every column in it carries its api-name. */
  createColumns(body: Json): void {
    for (const item of Array.isArray(body) ? body : [body]) {
      const column = asObject(item);
      const type = asText(column.get('type'));
      this.#tableOf(column.get('dimension'), true).columns.set(asText(column.get('api-name')), {
        type: type.replace(/-event$/, ''),
        isEvent: type.endsWith('-event'),
        isList: column.get('storage') === 'list-of-values',
        bounds: asList(column.get('range') ?? []).map((bound) => BigInt(asNumber(bound).text)),
      });
    }
  }

  createDimension(apiName: string): void {
    this.#tableOf(apiName, true);
  }

  /** Takes the body of POST /v1/insert, without auto-create. `values` counts every event, item and single value. */
  insert(body: Json, nowMs: number): { readonly entities: number; readonly values: number } {
    let [entities, values] = [0, 0];
    for (const [id, fields] of asObject(body)) {
      const { columns, entities: all } = this.#tableOf(asObject(fields).get('dimension'), false);
      const key = lower(id);
      const entity = all.get(key) ?? { values: new Map(), lists: new Map(), events: new Map() };
      all.set(key, entity);
      entities++;
      for (const [name, given] of asObject(fields)) {
        if (name !== 'dimension') values += write(entity, name, known(columns, name), given, nowMs);
      }
    }
    return { entities, values };
  }

  /** Takes the body of POST /v1/query/count/entity; the counts by query-name. */
  count(body: Json, nowMs: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const item of Array.isArray(body) ? body : [body]) {
      const query = asObject(item);
      const table = this.#tableOf(query.get('dimension') ?? undefined, false);
      let count = 0;
      for (const [id, entity] of table.entities) {
        if (judgeList(asList(query.get('query')), { id, entity, table, nowMs }) === true) count++;
      }
      counts.set(asText(query.get('query-name')), count);
    }
    return counts;
  }

  /** Entities of the named dimensions, of all when there are none. */
  total(dimensions: readonly string[] = []): number {
    const names = dimensions.length === 0 ? [...this.#tables.keys()] : [...new Set(dimensions)];
    return names.reduce((sum, name) => sum + this.#tableOf(name, false).entities.size, 0);
  }

  exists(ids: readonly string[], dimension: string = DEFAULT): readonly boolean[] {
    const { entities } = this.#tableOf(dimension, false);
    return ids.map((id) => entities.has(lower(id)));
  }

  #tableOf(dimension: Json | undefined, make: boolean): Table {
    const name = asText(dimension ?? DEFAULT);
    const found = this.#tables.get(name);
    if (found !== undefined) return found;
    if (!make) throw new Error(`the model has no dimension ${name}`);
    const made = newTable();
    this.#tables.set(name, made);
    return made;
  }
}

function newTable(): Table {
  return { columns: new Map(), entities: new Map() };
}

// Writing

function write(entity: Entity, name: string, column: ColumnFacts, given: Json, nowMs: number): number {
  if (column.isEvent) {
    const added = (Array.isArray(given) ? (given as readonly Json[]) : [given]).map((item) =>
      readEvent(item, column, nowMs),
    );
    entity.events.set(name, [...(entity.events.get(name) ?? []), ...added]);
    return added.length;
  }
  if (column.isList) {
    // An empty list is a missing value.
    const items = given === null ? [] : asList(given).map((item) => readValue(item, column));
    if (items.length === 0) entity.lists.delete(name);
    else entity.lists.set(name, items);
    return items.length;
  }
  if (given === null) {
    entity.values.delete(name);
    return 0;
  }
  entity.values.set(name, readValue(given, column));
  return 1;
}

function readEvent(item: Json, column: ColumnFacts, nowMs: number): Event {
  const event = asObject(item);
  const date = event.get('date');
  const seconds = date === undefined ? Math.floor(nowMs / 1000) : instant(asText(date));
  return { seconds, value: readValue(event.get('value'), column) };
}

/** A value as it is kept. */
function readValue(given: Json | undefined, { type, bounds }: ColumnFacts): Value {
  switch (type) {
    case 'string':
      return lower(asText(given));
    case 'integer':
    case 'decimal':
      return fraction(asNumber(given).text);
    case 'enumerated': {
      const value = BigInt(asNumber(given).text);
      const kept = bounds.filter((bound) => bound <= value).at(-1);
      if (kept === undefined) throw new Error('below the first bound');
      return { over: kept, under: 1n };
    }
    case 'boolean':
      return given === true || given === 'true';
    case 'date':
    case 'datetime':
      return { seconds: instant(asText(given)) };
    case 'geolocation': {
      const [longitude, latitude] = asList(given).map((part) => Number(asNumber(part).text));
      return { longitude, latitude };
    }
    default:
      throw new Error(`the model does not know values of type ${type}`);
  }
}

// Judging

interface Case {
  readonly id: string;
  readonly entity: Entity;
  readonly table: Table;
  readonly nowMs: number;
}

const every = (truths: readonly Truth[]): Truth => {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
};
const some = (truths: readonly Truth[]): Truth => {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
};
const not = (truth: Truth): Truth => (truth === null ? null : !truth);

/** `not` binds the first operand, then `and`, then `or`. */
function judgeList(list: readonly Json[], subject: Case): Truth {
  const alternatives: Truth[][] = [[]];
  let negateNext = false;
  for (const element of list) {
    if (element === 'not') negateNext = true;
    else if (element === 'or') alternatives.push([]);
    else if (element !== 'and') {
      const truth = Array.isArray(element)
        ? judgeList(element, subject)
        : judgeCondition(asObject(element), subject);
      alternatives[alternatives.length - 1].push(negateNext ? not(truth) : truth);
      negateNext = false;
    }
  }
  return some(alternatives.map(every));
}

function judgeCondition(condition: JsonObject, subject: Case): Truth {
  if (condition.has('freqgroup')) {
    const members = asList(condition.get('freqgroup')).map((member) =>
      matchingEvents(asObject(member), subject),
    );
    return members.reduce((sum, count) => sum + count, 0) >= minfreqOf(condition);
  }
  const [name, parameters] = onlyColumn(condition);
  if (name === 'entity-id')
    return predicatesOf(parameters).every(([word, operand]) => holds(subject.id, word, operand));
  const { isEvent, isList } = known(subject.table.columns, name);
  if (isEvent) {
    if ((subject.entity.events.get(name) ?? []).length === 0) return null;
    return matchingEvents(condition, subject) >= minfreqOf(parameters);
  }
  if (isList) {
    const items = subject.entity.lists.get(name);
    return items === undefined ? null : listHolds(items, predicatesOf(parameters));
  }
  const value = subject.entity.values.get(name);
  if (value === undefined) return null;
  return predicatesOf(parameters).every(([word, operand]) => holds(value, word, operand));
}

/** One item satisfies all plain predicates; no item satisfies what a `not-` predicate negates. */
function listHolds(items: readonly Value[], predicates: readonly [string, Json][]): boolean {
  const plain = predicates.filter(([word]) => !word.startsWith('not-'));
  const negated = predicates.filter(([word]) => word.startsWith('not-'));
  const oneFits =
    plain.length === 0 || items.some((item) => plain.every(([word, operand]) => holds(item, word, operand)));
  return oneFits && negated.every(([word, operand]) => items.every((item) => holds(item, word, operand)));
}

function matchingEvents(condition: JsonObject, { entity, nowMs }: Case): number {
  const [name, parameters] = onlyColumn(condition);
  const inside = [...parameters.values()].map((value) =>
    value instanceof Map ? value.get('between') : undefined,
  );
  const between = parameters.get('between') ?? inside.find((value) => value !== undefined);
  const [from, to] = windowOf(asList(between), nowMs);
  const matching = (entity.events.get(name) ?? []).filter(
    ({ seconds, value }) =>
      seconds >= from &&
      seconds <= to &&
      predicatesOf(parameters).every(([word, operand]) => holds(value, word, operand)),
  );
  return matching.length;
}

function onlyColumn(condition: JsonObject): [string, JsonObject] {
  const [[name, parameters]] = [...condition];
  return [name, asObject(parameters)];
}

function predicatesOf(parameters: JsonObject): [string, Json][] {
  return [...parameters].filter(([word]) => word !== 'between' && word !== 'minfreq');
}

function minfreqOf(object: JsonObject): number {
  const given = object.get('minfreq');
  return given === undefined ? 1 : Number(asNumber(given).text);
}

/** Whether one present value satisfies one predicate. */
function holds(value: Value, word: string, operand: Json): boolean {
  if (word.startsWith('not-')) return !holds(value, word.slice('not-'.length), operand);
  switch (word) {
    case 'equals':
      return compare(value, operand) === 0;
    case 'in':
      return asList(operand).some((item) => compare(value, item) === 0);
    case 'gt':
      return compare(value, operand) > 0;
    case 'gte':
      return compare(value, operand) >= 0;
    case 'lt':
      return compare(value, operand) < 0;
    case 'lte':
      return compare(value, operand) <= 0;
    case 'range':
      return compare(value, asList(operand)[0]) >= 0 && compare(value, asList(operand)[1]) <= 0;
    case 'contains':
      return texts(operand).some((text) => asText(value).includes(text));
    case 'starts-with':
      return texts(operand).some((text) => asText(value).startsWith(text));
    case 'ends-with':
      return texts(operand).some((text) => asText(value).endsWith(text));
    case 'geo_radius':
      return withinRadius(value as Point, asObject(operand));
    case 'geo_bounding_box':
      return withinBox(value as Point, asObject(operand));
    default:
      throw new Error(`the model does not know the predicate ${word}`);
  }
}

/** Below 0, 0 or above 0: the kept value against an operand as it stands in the request. */
function compare(value: Value, operand: Json): number {
  if (typeof value === 'string') return value === lower(asText(operand)) ? 0 : 1;
  if (typeof value === 'boolean') return value === (operand === true || operand === 'true') ? 0 : 1;
  if ('seconds' in value) return value.seconds - instant(asText(operand));
  if (!('over' in value)) throw new Error('places are not compared');
  const other = fraction(operand instanceof ExactNumber ? operand.text : asText(operand));
  const difference = value.over * other.under - other.over * value.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const texts = (operand: Json): string[] =>
  (Array.isArray(operand) ? operand : [operand]).map((item) => lower(asText(item)));

// Places

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

function withinRadius({ longitude, latitude }: Point, circle: JsonObject): boolean {
  const centre = { longitude: degreesAt(circle, 'longitude'), latitude: degreesAt(circle, 'latitude') };
  const [a, b] = [radians(latitude), radians(centre.latitude)];
  const across = Math.sin((b - a) / 2) ** 2;
  const along = Math.cos(a) * Math.cos(b) * Math.sin(radians(centre.longitude - longitude) / 2) ** 2;
  const arc = 2 * Math.asin(Math.min(1, Math.sqrt(across + along)));
  const radius = degreesAt(circle, 'radius');
  switch (circle.get('unit')) {
    case 'deg':
      return arc <= radians(radius);
    case 'm':
      return arc * 6_371_008.8 <= radius;
    case 'mi':
      return arc * 6371.0088 <= radius * 1.609344;
    default:
      return arc * 6371.0088 <= radius;
  }
}

function withinBox({ longitude, latitude }: Point, box: JsonObject): boolean {
  const [low, high] = [asObject(box.get('lower-left')), asObject(box.get('upper-right'))];
  const [west, east] = [degreesAt(low, 'longitude'), degreesAt(high, 'longitude')];
  if (latitude < degreesAt(low, 'latitude') || latitude > degreesAt(high, 'latitude')) return false;
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
}

function degreesAt(object: JsonObject, key: string): number {
  return Number(asNumber(object.get(key)).text);
}

// Time

/** Seconds since 1970 of a date or datetime; a fraction of a second is dropped. */
function instant(text: string): number {
  const seconds = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text.toUpperCase()) / 1000;
  if (Number.isNaN(seconds)) throw new Error(`no date: ${text}`);
  return Math.floor(seconds);
}

function windowOf(between: readonly Json[], nowMs: number): [number, number] {
  const now = Math.floor(nowMs / 1000);
  if (between[0] === 'today') {
    const midnight = instant(new Date(now * 1000).toISOString().slice(0, 10));
    return [midnight, midnight + 86_399];
  }
  const [first, second] = between.map(asText);
  const from = first === 'now' ? now : instant(first);
  const relative = /^([+-]\d+)([a-z]+)$/.exec(second);
  const to = relative
    ? shifted(from, Number(relative[1]), relative[2])
    : second === 'now'
      ? now
      : instant(second);
  return from <= to ? [from, to] : [to, from];
}

function shifted(from: number, amount: number, unit: string): number {
  const seconds = new Map([
    ['sec', 1],
    ['min', 60],
    ['hr', 3600],
    ['d', 86_400],
    ['w', 604_800],
  ]).get(unit);
  if (seconds !== undefined) return from + amount * seconds;
  const start = new Date(from * 1000);
  const end = new Date(from * 1000);
  end.setUTCMonth(start.getUTCMonth() + (unit === 'y' ? 12 * amount : amount));
  // A day that the month lacks runs over into the next one: go back to the last day of the month meant.
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);
  return end.getTime() / 1000;
}

// Reading JSON

function fraction(text: string): Fraction {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) throw new Error(`no number: ${text}`);
  const places = (match[3] ?? '').length - Number(match[4] ?? 0);
  const digits = BigInt(match[1] + match[2] + (match[3] ?? ''));
  return places >= 0
    ? { over: digits, under: 10n ** BigInt(places) }
    : { over: digits * 10n ** BigInt(-places), under: 1n };
}

/** Each code point by itself; the only one whose lower case is two code points keeps the first. */
function lower(text: string): string {
  return Array.from(text, (point) => (point === '\u0130' ? 'i' : point.toLowerCase())).join('');
}

function known(columns: ReadonlyMap<string, ColumnFacts>, name: string): ColumnFacts {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`the model has no column ${name}`);
  return column;
}

function asObject(json: Json | undefined): JsonObject {
  if (json instanceof Map) return json;
  throw new Error('an object was expected');
}
function asList(json: Json | undefined): readonly Json[] {
  if (Array.isArray(json)) return json;
  throw new Error('a list was expected');
}
function asText(json: Json | Value | undefined): string {
  if (typeof json === 'string') return json;
  throw new Error('a string was expected');
}
function asNumber(json: Json | undefined): ExactNumber {
  if (json instanceof ExactNumber) return json;
  throw new Error('a number was expected');
}
