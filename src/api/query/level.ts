/**
 * One level of an aggregation or one query of top values: an object with a key that names a column; the key's value is the
 * number of values or the metric. Further fields are predicates on the values and, for event columns, the time of the events.
 * Invariants: a level names one active column that the caller may use; its tests apply to single values.
 */
import { type BindingTime, QuarryError, quoted, WINDOWS_PER_LEVEL_MAX } from '../../base/index.js';
import {
  CONDITION_CODES,
  howMany,
  interval as intervalSchema,
  levelFields,
  localTimeFields,
  METRICS,
} from '../../interface/index.js';
import { type Buckets, eventWindow, type LevelPlan, type ValueSource, type Window } from '../../ir/index.js';
import {
  type Column,
  type Dimension,
  isEventType,
  type ValueForm,
  valueKindOf,
  type ZoneOffsets,
} from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { readAll, readOrNull } from '../body/fields.js';
import { ExactNumber, isList, type Json, type JsonObject } from '../body/json.js';
import { readValue } from '../body/request-body.js';
import { bucketsOf } from '../condition/interval.js';
import {
  type BoundPredicates,
  bindLevelPredicates,
  isPredicateName,
  type Predicate,
} from '../condition/predicate.js';
import { type LocalTime, readLocalTime } from '../condition/time-zone.js';
import { readHalfOpenWindow, readWindow } from '../condition/window.js';

export interface LevelFields {
  readonly column: Column;
  /** The value of the column's key: a number of values or a metric. */
  readonly keyValue: Json;
  /** The level's fields without the column. */
  readonly others: JsonObject;
  readonly path: string;
}

const TIME_FIELDS = ['between', 'interval', 'time-zone', 'week-start'];
/** Fields of a level other than its column and predicates, for all endpoints. */
const FIELDS: readonly string[] = Object.keys(levelFields);

/**
 * Finds the column among the keys of a level; `endpointFields` are further fields of the endpoint. A key that is also
 * the name of a field names a column only if no other key does. Throws 506, 4007, 4008, 4014 and 4049.
 */
export function readLevel(
  object: JsonObject,
  endpointFields: readonly string[],
  dimension: Dimension,
  access: Access,
  path: string,
): LevelFields {
  const isField = (key: string): boolean =>
    FIELDS.includes(key) || endpointFields.includes(key) || isPredicateName(key);
  const keys = [...object.keys()];
  const plain = keys.filter((key) => !isField(key));
  const named = plain.length > 0 ? plain : keys.filter((key) => isColumnNamedAsField(key, object, dimension));
  if (named.length === 0) throw new QuarryError(4014, `${path} has no column`);
  const known = named.filter((key) => dimension.columns.has(key));
  const [name] = known.length > 0 ? known : named;
  if (known.length > 1) {
    throw new QuarryError(
      4007,
      `${path} names more than one column: ${quoted(known[0])}, ${quoted(known[1])}`,
    );
  }
  const unknown = named.find((key) => key !== name);
  if (unknown !== undefined) throw new QuarryError(4049, `unknown field ${quoted(unknown)} in ${path}`);
  const column = dimension.columns.get(name);
  if (column === undefined || !column.active) {
    throw new QuarryError(4008, `${path}: column ${quoted(name)} is inactive or does not exist`);
  }
  access.checkColumn(dimension, column);
  const others = new Map([...object].filter(([key]) => key !== name));
  return { column, keyValue: object.get(name) ?? null, others, path };
}

function isColumnNamedAsField(key: string, object: JsonObject, dimension: Dimension): boolean {
  const value = object.get(key);
  const says = value instanceof ExactNumber || METRICS.some((metric) => metric === value);
  return says && dimension.columns.get(key)?.active === true;
}

/** The values that a level reads, and the buckets of its events. */
export interface BoundValues extends LevelPlan, ValueForm {
  readonly buckets: Buckets | null;
}

export interface LevelRules {
  readonly nowMs: BindingTime;
  /** Whether the endpoint allows buckets. */
  readonly allowsBuckets: boolean;
  /** The window of a level without `between`; null = `between` is required. */
  readonly defaultWindow: Window | null;
}

/**
 * Binds predicates, `between` and `interval`. Throws 4003, 4005, 4012, 4016, 4017, 4027, 4038, 4039, 4044, 4047 to 4049
 * and 4053; errors of the predicates and of the time are reported together.
 */
export function bindValues(level: LevelFields, rules: LevelRules): BoundValues {
  const { column } = level;
  const readPredicates = () => bindLevelPredicates(predicatesIn(level), column);
  const known = readOrNull(readPredicates);
  const { predicates, time } = readAll({
    predicates: readPredicates,
    time: () => readTime(level, known, rules),
  });
  const { type, decimalPlaces } = column;
  const source = sourceOf(column, time?.window ?? null);
  return { source, tests: predicates.tests, type, decimalPlaces, buckets: time?.buckets ?? null };
}

function predicatesIn({ others, path }: LevelFields): Predicate[] {
  return [...others]
    .filter(([name]) => isPredicateName(name))
    .map(([name, argument]) => ({ name, argument, path: `${path}.${name}` }));
}

function sourceOf({ id: columnId, type, storage }: Column, window: Window | null): ValueSource {
  if (type === 'unique-id') return { from: 'entity-id' };
  const kind = valueKindOf(type);
  if (window !== null) return { from: 'events', columnId, kind, window };
  return { from: storage === 'list-of-values' ? 'list' : 'attribute', columnId, kind };
}

interface Time {
  /** Events outside the window are ignored. */
  readonly window: Window;
  readonly buckets: Buckets | null;
}

/** The time of an event column's level; null for an attribute column, and if invalid predicates may contain the window. */
function readTime(level: LevelFields, predicates: BoundPredicates | null, rules: LevelRules): Time | null {
  const { column, others, path } = level;
  const inside = predicates?.betweens ?? [];
  if (!isEventType(column.type)) {
    refuseTime(level, inside);
    return null;
  }
  const local = localTimeOf(level);
  const between = others.get('between');
  const interval = others.get('interval');
  if (interval !== undefined && !rules.allowsBuckets) throw notHere(`${path}.interval`);
  if (isList(between) && isList(between[0])) {
    if (!rules.allowsBuckets) throw notHere(`${path}.between with a list of windows`);
    if (interval !== undefined)
      throw new QuarryError(4049, `${path}.interval cannot be used together with a list of windows`);
    if (inside.length > 0) throw secondBetween(inside[0].path);
    return readWindows(between, rules.nowMs, `${path}.between`, local.zone);
  }
  const value = between === undefined ? [] : [{ argument: between, path: `${path}.between` }];
  const { window, cut } = readAll({
    window: () => oneWindow([...value, ...inside], rules.nowMs, local.zone) ?? rules.defaultWindow,
    cut: () =>
      interval === undefined
        ? null
        : readValue(intervalSchema, interval, `${path}.interval`, CONDITION_CODES),
  });
  if (window === null) {
    if (predicates === null) return null;
    throw new QuarryError(4005, `${path} lacks "between"`);
  }
  return { window, buckets: cut === null ? null : bucketsOf(cut, window, `${path}.interval`, local) };
}

/** Throws 9101. */
function localTimeOf({ others, path }: LevelFields): LocalTime {
  const { 'time-zone': zoneField, 'week-start': weekField } = localTimeFields;
  const fieldOf = (name: string): Json => others.get(name) ?? null;
  const { zone, weekStart } = readAll({
    zone: () => readValue(zoneField, fieldOf('time-zone'), `${path}.time-zone`, CONDITION_CODES),
    weekStart: () => readValue(weekField, fieldOf('week-start'), `${path}.week-start`, CONDITION_CODES),
  });
  return readLocalTime(zone, weekStart, `${path}.`);
}

/** Throws 4017 for fields of time on an attribute column. */
function refuseTime({ others, path }: LevelFields, inside: BoundPredicates['betweens']): void {
  const field = TIME_FIELDS.find((name) => others.has(name));
  const misplaced = field === undefined ? inside[0]?.path : `${path}.${field}`;
  if (misplaced !== undefined) throw new QuarryError(4017, `${misplaced} is for event columns only`);
}

function notHere(what: string): QuarryError {
  return new QuarryError(4038, `${what} cannot be used without a metric`);
}

function secondBetween(path: string): QuarryError {
  return new QuarryError(4049, `${path} is a second "between"`);
}

/** The window of the `between`s, which must all be equal; null if there are none. */
function oneWindow(
  betweens: BoundPredicates['betweens'],
  nowMs: BindingTime,
  zone: ZoneOffsets | null,
): Window | null {
  const windows = betweens.map(({ argument, path }) => readWindow(argument, nowMs, path, zone));
  const [first] = windows;
  const other = windows.findIndex(({ from, to }) => from !== first.from || to !== first.to);
  if (other !== -1) throw secondBetween(betweens[other].path);
  return first ?? null;
}

/** The windows of a list as buckets, and the window that spans them. */
function readWindows(
  list: readonly Json[],
  nowMs: BindingTime,
  path: string,
  zone: ZoneOffsets | null,
): Time {
  if (list.length > WINDOWS_PER_LEVEL_MAX) {
    throw new QuarryError(4048, `${path} has ${list.length} windows; at most ${WINDOWS_PER_LEVEL_MAX}`);
  }
  const windows = list.map((window, index) => readHalfOpenWindow(window, nowMs, `${path}[${index}]`, zone));
  // The end of a bucket is exclusive, the end of the level's window inclusive.
  const live = windows
    .map(({ from, to }) => eventWindow({ from, to: to - 1 }))
    .filter(({ from, to }) => from <= to);
  const window =
    live.length === 0
      ? { from: 1, to: 0 }
      : { from: Math.min(...live.map(({ from }) => from)), to: Math.max(...live.map(({ to }) => to)) };
  return { window, buckets: { by: 'windows', windows } };
}

/** The number of values that the level requests. Throws 4051. */
export function readLimit({ column, keyValue, path }: LevelFields): number {
  return readValue(howMany, keyValue, `${path}.${column.apiName}`, CONDITION_CODES);
}
