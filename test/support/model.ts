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
  /** null = forever. */
  readonly retentionDays: number | null;
  readonly active: boolean;
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
      const retention = column.get('retention-time') ?? 'forever';
      this.#tableOf(column.get('dimension'), true).columns.set(asText(column.get('api-name')), {
        type: type.replace(/-event$/, ''),
        isEvent: type.endsWith('-event'),
        isList: column.get('storage') === 'list-of-values',
        bounds: asList(column.get('range') ?? []).map((bound) => BigInt(asNumber(bound).text)),
        retentionDays: retention === 'forever' ? null : Number(asNumber(retention).text),
        active: true,
      });
    }
  }

  /** Takes the body of PUT /v1/column; of what it may change, `active` alone shows in answers to queries. */
  changeColumn(body: Json): void {
    const change = asObject(body);
    const { columns } = this.#tableOf(change.get('dimension'), false);
    const name = asText(change.get('api-name'));
    const column = columns.get(name);
    if (column === undefined) throw new Error(`the model has no column ${name}`);
    columns.set(name, { ...column, active: change.get('active') !== false });
  }

  /** Takes the body of DELETE /v1/column. */
  deleteColumn(body: Json): void {
    const named = asObject(body);
    const { columns, entities } = this.#tableOf(named.get('dimension'), false);
    const name = asText(named.get('api-name'));
    if (!columns.delete(name)) throw new Error(`the model has no column ${name}`);
    for (const { values, lists, events } of entities.values()) {
      for (const kept of [values, lists, events]) kept.delete(name);
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

  /** Takes the body of POST /v1/update; the number of entities updated. */
  update(body: Json, nowMs: number): number {
    const mutation = asObject(body);
    const table = this.#tableOf(mutation.get('dimension') ?? undefined, false);
    const chosen = matching(table, asList(mutation.get('query')), nowMs);
    for (const [name, given] of asObject(mutation.get('set'))) {
      const column = known(table.columns, name);
      for (const [, entity] of chosen) write(entity, name, column, given, nowMs);
    }
    return chosen.length;
  }

  /** Takes the body of POST /v1/delete; the number of entities deleted. */
  delete(body: Json, nowMs: number): number {
    const mutation = asObject(body);
    const table = this.#tableOf(mutation.get('dimension') ?? undefined, false);
    const chosen = matching(table, asList(mutation.get('query')), nowMs);
    for (const [id] of chosen) table.entities.delete(id);
    return chosen.length;
  }

  /** Takes the events away that are past the retention time of their column, to the second. */
  expire(nowMs: number): void {
    for (const { columns, entities } of this.#tables.values()) {
      for (const [name, { retentionDays }] of columns) {
        if (retentionDays === null) continue;
        const before = Math.floor(nowMs / 1000) - retentionDays * 86_400;
        for (const { events } of entities.values()) {
          const kept = (events.get(name) ?? []).filter(({ seconds }) => seconds >= before);
          if (events.has(name)) events.set(name, kept);
        }
      }
    }
  }

  /** Takes the body of POST /v1/query/count/entity; the counts by query-name. */
  count(body: Json, nowMs: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const item of Array.isArray(body) ? body : [body]) {
      const query = asObject(item);
      const table = this.#tableOf(query.get('dimension') ?? undefined, false);
      counts.set(asText(query.get('query-name')), matching(table, asList(query.get('query')), nowMs).length);
    }
    return counts;
  }

  /** The IDs, as they are stored, of the dimension's entities that satisfy a query list. */
  select(query: Json, dimension: string, nowMs: number): readonly string[] {
    return matching(this.#tableOf(dimension, false), asList(query), nowMs).map(([id]) => id);
  }

  /** The IDs, as they are stored, of the dimension's entities. */
  ids(dimension: string): readonly string[] {
    return [...this.#tableOf(dimension, false).entities.keys()];
  }

  /** A body of POST /v1/insert that makes such entities where there are none; of active columns. */
  copyOf(ids: readonly string[], dimension: string): JsonObject {
    const { columns, entities } = this.#tableOf(dimension, false);
    const body = new Map<string, Json>();
    for (const id of ids) {
      const entity = entities.get(id);
      if (entity === undefined) throw new Error(`the model has no entity ${id}`);
      const fields = new Map<string, Json>([['dimension', dimension]]);
      for (const [name, column] of columns) {
        if (column.active) fields.set(name, fieldOf(entity, name, column));
      }
      body.set(id, fields);
    }
    return body;
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

/** The entities, with their IDs, for which a query list is true. */
function matching(table: Table, query: readonly Json[], nowMs: number): [string, Entity][] {
  return [...table.entities].filter(
    ([id, entity]) => judgeList(query, { id, entity, table, nowMs }) === true,
  );
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

/** What an insert writes for a column of the entity. */
function fieldOf(entity: Entity, name: string, { type, isEvent, isList }: ColumnFacts): Json {
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

/** A kept value as an insert may hold it. */
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

const dateText = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

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
export function lower(text: string): string {
  return Array.from(text, (point) => (point === '\u0130' ? 'i' : point.toLowerCase())).join('');
}

function known(columns: ReadonlyMap<string, ColumnFacts>, name: string): ColumnFacts {
  const column = columns.get(name);
  if (column === undefined || !column.active) throw new Error(`the model has no active column ${name}`);
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
