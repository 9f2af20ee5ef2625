/** Extraction: the rows of data_extraction/result and data_extraction/score, all pages at once. */
import type { Json, JsonObject } from '../../../src/api/index.js';
import { integer, NearNumber, valueText } from './answer-value.js';
import {
  attributeValues,
  type ColumnFacts,
  ENTITY_ID,
  type Entity,
  known,
  type Point,
  type Table,
  type Value,
} from './facts.js';
import { distanceKm, pointOf } from './geometry.js';
import { asCount, asList, asObject, asText, compareFractions, compareTexts } from './json.js';
import {
  alternativesOf,
  type Case,
  judge,
  matching,
  matchingEvents,
  type Operand,
  onlyColumn,
} from './matching.js';
import { holds, predicatesOf } from './predicates.js';
import { dateText, windowOf } from './time.js';

export interface Extracted {
  /** Whether `data` is a list of rows; otherwise it is an object by entity ID. */
  readonly isList: boolean;
  readonly rows: readonly (readonly [id: string, row: JsonObject])[];
  /** Whether the rows must have this order; otherwise any `limit` of them are correct, in any order. */
  readonly isOrdered: boolean;
  readonly limit: number;
}

interface Near {
  readonly condition: JsonObject;
  readonly column: string;
  readonly limit: number;
  readonly showCoordinates: boolean;
}

interface NearestPoint {
  readonly point: Point;
  readonly km: number;
}

interface Found {
  readonly id: string;
  readonly entity: Entity;
  /** 0 in results. */
  readonly score: number;
  /** null without `geo_near`. */
  readonly nearest: NearestPoint | null;
}

const LIMIT = 100;
/** Distances are sums of sines, whose last digits depend on the platform. */
const [KM_RELATIVE, KM_ABSOLUTE] = [1e-9, 1e-6];

export function extractResult(body: JsonObject, table: Table, nowMs: number): Extracted {
  let query = asList(body.get('query'));
  while (query.length === 1 && Array.isArray(query[0])) query = query[0];
  const limit = limitOf(body);
  const near = nearIn(query);
  if (near === null) {
    const found = matching(table, query, nowMs).map(
      ([id, entity]): Found => ({ id, entity, score: 0, nearest: null }),
    );
    return answerOf(body, table, nowMs, { found, near, limit, isOrdered: body.has('order') });
  }
  const others = query.filter((element) => element !== near.condition && element !== 'and');
  const found = nearest(near, matching(table, others, nowMs), table, nowMs);
  return answerOf(body, table, nowMs, {
    found: found.slice(0, near.limit),
    near,
    limit: Math.min(limit, near.limit),
    isOrdered: true,
  });
}

export function extractScore(body: JsonObject, table: Table, nowMs: number): Extracted {
  const query = asList(body.get('query'));
  const near = nearIn(query);
  const placed = near === null ? [] : nearest(near, [...table.entities], table, nowMs);
  const nearestById = new Map(placed.map(({ id, nearest }) => [id, nearest]));
  const winners = new Set(placed.slice(0, near?.limit ?? 0).map(({ id }) => id));
  const found = [...table.entities]
    .map(([id, entity]): Found => {
      const points = new Points({ id, entity, table, nowMs }, near, winners.has(id));
      return { id, entity, score: points.ofTop(query), nearest: nearestById.get(id) ?? null };
    })
    .filter(({ score }) => score > 0);
  return answerOf(body, table, nowMs, { found, near, limit: limitOf(body), isOrdered: true }, true);
}

/** The score of one entity for a query list. */
class Points {
  readonly #subject: Case;
  readonly #near: Near | null;
  readonly #isNearest: boolean;

  constructor(subject: Case, near: Near | null, isNearest: boolean) {
    this.#subject = subject;
    this.#near = near;
    this.#isNearest = isNearest;
  }

  /** The top list is always a sum. */
  ofTop(list: readonly Json[]): number {
    return sum(alternativesOf(list).flatMap((operands) => operands.map((operand) => this.#of(operand))));
  }

  /** A nested `or` list is the sum of its operands. Operands joined by `and` are one point if all of them are true. */
  #of(operand: Operand): number {
    const { element, negated } = operand;
    if (element === this.#near?.condition) return this.#isNearest ? 1 : 0;
    if (negated || !Array.isArray(element)) return judge(operand, this.#subject) === true ? 1 : 0;
    return sum(
      alternativesOf(element).map((operands) => {
        if (operands.length === 1) return this.#of(operands[0]);
        return operands.every((one) => judge(one, this.#subject) === true) ? 1 : 0;
      }),
    );
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function limitOf(body: JsonObject): number {
  const limit = body.get('limit');
  return limit === undefined ? LIMIT : asCount(limit);
}

// The nearest

/** The condition with a `geo_near`, at any depth. */
function nearIn(query: readonly Json[]): Near | null {
  for (const element of query) {
    const inner = Array.isArray(element) ? nearIn(element) : null;
    if (inner !== null) return inner;
    if (!(element instanceof Map) || element.has('freqgroup')) continue;
    const condition = element as JsonObject;
    const [column, parameters] = onlyColumn(condition);
    const near = parameters.get('geo_near');
    if (near === undefined) continue;
    const limit = asCount(asObject(near).get('limit'));
    const showCoordinates = asObject(near).get('show_coordinates') === true;
    return { condition, column, limit, showCoordinates };
  }
  return null;
}

/** The entities that have a point, by their distance, then by ID. */
function nearest(near: Near, rows: readonly [string, Entity][], table: Table, nowMs: number): Found[] {
  return rows
    .flatMap(([id, entity]): Found[] => {
      const point = nearestPoint(near, { id, entity, table, nowMs });
      return point === null ? [] : [{ id, entity, score: 0, nearest: point }];
    })
    .sort((one, other) => kmOf(one) - kmOf(other) || compareTexts(one.id, other.id));
}

const kmOf = ({ nearest }: Found): number => nearest?.km ?? Number.POSITIVE_INFINITY;

/** The nearest of the values or events that satisfy the other predicates of the condition. */
function nearestPoint({ condition, column }: Near, subject: Case): NearestPoint | null {
  const [, parameters] = onlyColumn(condition);
  const { isEvent, isList } = known(subject.table.columns, column);
  const centre = pointOf(asObject(parameters.get('geo_near')));
  const values = isEvent
    ? matchingEvents(condition, subject).map(({ value }) => value)
    : attributeValues(subject.id, subject.entity, column, { isList } as ColumnFacts).filter((value) =>
        predicatesOf(parameters).every(([word, operand]) => holds(value, word, operand)),
      );
  const distances = (values as readonly Point[]).map((point) => ({ point, km: distanceKm(point, centre) }));
  return distances.reduce<NearestPoint | null>(
    (best, one) => (best === null || one.km < best.km ? one : best),
    null,
  );
}

// Rows

interface Chosen {
  readonly found: readonly Found[];
  readonly near: Near | null;
  readonly limit: number;
  readonly isOrdered: boolean;
}

function answerOf(
  body: JsonObject,
  table: Table,
  nowMs: number,
  { found, near, limit, isOrdered }: Chosen,
  isScored = false,
): Extracted {
  const order = ordersOf(body.get('order'));
  const value = body.get('columns');
  const isAll = value === 'all' || (Array.isArray(value) && value[0] === 'all');
  const isList = order.length > 0 || (!isAll && asList(value).includes(ENTITY_ID));
  const columns = isAll ? allColumns(table, isList) : asList(value);
  const byScore: Comparison = (one, other) => other.score - one.score || byId(one, other);
  const isSorted = isOrdered && (isScored || near === null);
  const sorted = isSorted ? [...found].sort(isScored ? byScore : orderBy(order, table)) : found;
  const chosen = isOrdered ? sorted.slice(0, limit) : sorted;
  const ordered = isScored ? [...chosen].sort(orderBy(order, table, byScore)) : chosen;
  const rows = ordered.map(({ id, entity, score, nearest }): [string, JsonObject] => {
    const row = new Map<string, Json>();
    for (const column of columns) writeColumn(row, column, { id, entity, table, nowMs });
    if (isScored) row.set('score', integer(score));
    if (near !== null && nearest !== null) writeDistance(row, near, nearest);
    return [id, row];
  });
  return { isList, rows, isOrdered, limit };
}

/** Every attribute column, including the IDs if the rows are a list. */
function allColumns(table: Table, withIds: boolean): string[] {
  const names = [...table.columns]
    .filter(([, { active, isEvent }]) => active && !isEvent)
    .map(([name]) => name);
  return withIds ? [ENTITY_ID, ...names] : names;
}

function writeDistance(
  row: Map<string, Json>,
  { column, showCoordinates }: Near,
  { point, km }: NearestPoint,
): void {
  row.set(`${column}_distance`, new NearNumber(km, KM_RELATIVE, KM_ABSOLUTE));
  if (!showCoordinates) return;
  row.set(`${column}_coordinates`, [new NearNumber(point.longitude, 0), new NearNumber(point.latitude, 0)]);
}

/** Omits a column without a value. */
function writeColumn(row: Map<string, Json>, column: Json, { id, entity, table, nowMs }: Case): void {
  if (column instanceof Map) {
    const [[name, between]] = [...(column as JsonObject)];
    const [from, to] = windowOf(asList(between), nowMs);
    const events = eventObjects(entity, name, known(table.columns, name), from, to);
    if (events.length > 0) row.set(name, events.length === 1 ? events[0] : events);
    return;
  }
  const name = asText(column);
  const facts = known(table.columns, name);
  const texts = attributeValues(id, entity, name, facts).map((value) => {
    const text = valueText(value, facts.type);
    return facts.type === 'datetime' ? text.toLowerCase() : text;
  });
  if (texts.length > 0) row.set(name, facts.isList ? texts : texts[0]);
}

/** Equal pairs once, by date, then by value as text. */
function eventObjects(
  entity: Entity,
  name: string,
  { type }: ColumnFacts,
  from: number,
  to: number,
): JsonObject[] {
  const pairs = new Map<string, readonly [seconds: number, text: string]>();
  for (const { seconds, value } of entity.events.get(name) ?? []) {
    const text = valueText(value, type);
    if (seconds >= from && seconds <= to) pairs.set(`${seconds} ${text}`, [seconds, text]);
  }
  return [...pairs.values()]
    .sort(([a, one], [b, other]) => a - b || compareTexts(one, other))
    .map(
      ([seconds, text]) =>
        new Map([
          ['value', text],
          ['date', dateText(seconds)],
        ]),
    );
}

// Order

type OrderKey = readonly [column: string, direction: string];

function ordersOf(json: Json | undefined): OrderKey[] {
  if (json === undefined) return [];
  return (Array.isArray(json) ? (json as readonly Json[]) : [json]).map((key) => {
    const [[column, direction]] = [...asObject(key)];
    return [column, asText(direction)];
  });
}

type Comparison = (one: Found, other: Found) => number;

const byId: Comparison = (one, other) => compareTexts(one.id, other.id);

/** Missing values last in both directions; equal rows by `ties`. */
function orderBy(keys: readonly OrderKey[], table: Table, ties = byId): Comparison {
  return (one, other) => {
    for (const [name, direction] of keys) {
      const facts = known(table.columns, name);
      const [a] = attributeValues(one.id, one.entity, name, facts);
      const [b] = attributeValues(other.id, other.entity, name, facts);
      if (a === undefined && b === undefined) continue;
      if (a === undefined) return 1;
      if (b === undefined) return -1;
      const difference = compareValues(a, b) * (direction === 'desc' ? -1 : 1);
      if (difference !== 0) return difference;
    }
    return ties(one, other);
  };
}

function compareValues(one: Value, other: Value): number {
  if (typeof one === 'string') return compareTexts(one, asText(other));
  if (typeof one === 'boolean') return Number(one) - Number(other);
  if (typeof other === 'object' && 'seconds' in one && 'seconds' in other) return one.seconds - other.seconds;
  if (typeof other === 'object' && 'over' in one && 'over' in other) return compareFractions(one, other);
  throw new Error('positions have no order');
}
