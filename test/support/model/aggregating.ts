/** Counts of events, aggregations and top values: visits every value of every entity. */
import { ExactNumber, type Json, type JsonObject } from '../../../src/api/index.js';
import { integer, valueText } from './answer-value.js';
import { attributeValues, type Entity, known, type Table, type Value } from './facts.js';
import { asCount, asList, asObject, asText, compareTexts } from './json.js';
import { betweenIn, matchingEvents } from './matching.js';
import { metricOf } from './metrics.js';
import { passesLevel, predicatesOf } from './predicates.js';
import { bucketOf, dateText, halfOpenWindowOf, type Span, windowOf } from './time.js';

type Row = [id: string, entity: Entity];

/** A value of a level; `seconds` is the date of an event. */
interface LevelValue {
  readonly value: Value;
  readonly text: string;
  readonly seconds: number | null;
}

interface Level {
  readonly name: string;
  readonly type: string;
  readonly expected: Json;
  readonly minQuantity: number;
  /** The values of an entity that pass the level's predicates: items of lists, events in its window. */
  readonly valuesOf: (row: Row) => readonly LevelValue[];
  /** null = the values are not in buckets. */
  readonly histogram: ((values: readonly LevelValue[]) => readonly [Span, readonly LevelValue[]][]) | null;
}

/** `result` of one query of POST /v1/query/count/event. */
export function countEvents(query: JsonObject, table: Table, nowMs: number): Json {
  let [condition] = asList(query.get('query'));
  while (Array.isArray(condition)) [condition] = condition as readonly Json[];
  const events = [...table.entities].flatMap(([id, entity]) =>
    matchingEvents(asObject(condition), { id, entity, table, nowMs }),
  );
  const interval = query.get('interval') ?? null;
  if (interval === null) return integer(events.length);
  return byInterval(events, asText(interval)).map(([span, events]) =>
    bucketRow('count', integer(events.length), span),
  );
}

/** `result` of POST /v1/query/aggregation over the entities that its filter leaves. */
export function aggregate(levels: readonly Json[], table: Table, rows: readonly Row[], nowMs: number): Json {
  const bound = levels.map((level) => readLevel(asObject(level), table, nowMs));
  return new Map([[bound[0].name, answerLevel(bound, rows)]]);
}

/** `result` of one query of POST /v1/query/top_values. */
export function topValues(query: JsonObject, table: Table, nowMs: number): Json {
  return aggregate([query], table, [...table.entities], nowMs);
}

function readLevel(level: JsonObject, table: Table, nowMs: number): Level {
  const name = [...level.keys()].find((key) => key === 'entity-id' || table.columns.has(key)) ?? 'none';
  const column = known(table.columns, name);
  const fields = new Map([...level].filter(([key]) => key !== name));
  const predicates = predicatesOf(fields);
  const between = betweenIn(fields);
  const isListed = Array.isArray(between) && Array.isArray(between[0]);
  const [from, to] =
    between === undefined || isListed
      ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
      : windowOf(asList(between), nowMs);
  const passing = (value: Value, seconds: number | null): LevelValue[] =>
    passesLevel(value, predicates) ? [{ value, seconds, text: valueText(value, column.type) }] : [];
  const read = ([id, entity]: Row): readonly LevelValue[] => {
    if (!column.isEvent) {
      return attributeValues(id, entity, name, column).flatMap((value) => passing(value, null));
    }
    return (entity.events.get(name) ?? []).flatMap(({ value, seconds }) =>
      seconds >= from && seconds <= to ? passing(value, seconds) : [],
    );
  };
  const remembered = new Map<Entity, readonly LevelValue[]>();
  const valuesOf = (row: Row): readonly LevelValue[] => {
    const values = remembered.get(row[1]) ?? read(row);
    remembered.set(row[1], values);
    return values;
  };
  const interval = level.get('interval');
  const minfreq = level.get('minfreq');
  return {
    name,
    type: column.type,
    expected: level.get(name) ?? null,
    minQuantity: minfreq === undefined ? 1 : asCount(minfreq),
    valuesOf,
    histogram: isListed
      ? (values) => byWindows(values, between as readonly Json[], nowMs)
      : interval === undefined
        ? null
        : (values) => byInterval(values, asText(interval)),
  };
}

function answerLevel(levels: readonly Level[], rows: readonly Row[]): Json {
  const [level, ...inner] = levels;
  return level.expected instanceof ExactNumber ? topRows(level, inner, rows) : metricAnswer(level, rows);
}

/** The most frequent values: by descending number of entities, then by ascending text. */
function topRows(level: Level, inner: readonly Level[], rows: readonly Row[]): Json {
  const having = new Map<string, Row[]>();
  for (const row of rows) {
    for (const text of new Set(level.valuesOf(row).map((values) => values.text))) {
      const found = having.get(text);
      if (found === undefined) having.set(text, [row]);
      else found.push(row);
    }
  }
  return [...having]
    .filter(([, found]) => found.length >= level.minQuantity)
    .sort(([a, one], [b, other]) => other.length - one.length || compareTexts(a, b))
    .slice(0, asCount(level.expected))
    .map(([value, found]) => {
      const fields = new Map<string, Json>([
        ['quantity', integer(found.length)],
        ['value', value],
      ]);
      const next = inner.length === 0 ? [] : answerLevel(inner, found);
      return Array.isArray(next) && next.length === 0 ? fields : fields.set(inner[0].name, next);
    });
}

function metricAnswer({ expected, type, valuesOf, histogram }: Level, rows: readonly Row[]): Json {
  const metric = asText(expected);
  const values = rows.flatMap((row) => [...valuesOf(row)]);
  const answer = (inBucket: readonly LevelValue[]): Json =>
    metricOf(
      metric,
      inBucket.map(({ value }) => value),
      type,
    );
  if (histogram === null) return new Map([[metric, answer(values)]]);
  return histogram(values).map(([span, inBucket]) => bucketRow(metric, answer(inBucket), span));
}

const bucketRow = (name: string, value: Json, [from, to]: Span): Json =>
  new Map<string, Json>([
    [name, value],
    ['between', [dateText(from), dateText(to)]],
  ]);

/** Buckets that are not empty, by time. */
function byInterval<E extends { readonly seconds: number | null }>(
  events: readonly E[],
  interval: string,
): [Span, E[]][] {
  const buckets = new Map<number, [Span, E[]]>();
  for (const event of events) {
    const span = bucketOf(event.seconds as number, interval);
    const [, inBucket] = buckets.get(span[0]) ?? [span, []];
    inBucket.push(event);
    buckets.set(span[0], [span, inBucket]);
  }
  return [...buckets.values()].sort(([one], [other]) => one[0] - other[0]);
}

/** Windows that are not empty, in the requested order; an event is in every window that contains its date. */
function byWindows(
  values: readonly LevelValue[],
  windows: readonly Json[],
  nowMs: number,
): [Span, LevelValue[]][] {
  return windows
    .map((window): [Span, LevelValue[]] => {
      const span = halfOpenWindowOf(asList(window), nowMs);
      const inside = ({ seconds }: LevelValue): boolean =>
        (seconds as number) >= span[0] && (seconds as number) < span[1];
      return [span, values.filter(inside)];
    })
    .filter(([, inBucket]) => inBucket.length > 0);
}
