/**
 * The predicates of one column condition as value tests: which there are, on which columns they make sense, and
 * what they mean. Several on one column are joined by `and`.
 * Invariants: an ordered column gets at most one test of ranges that is not negated, and negated ones only when it
 * is a list (where "no item is in the set" differs from "some item is outside it").
 */
import { QuarryError, quoted, VALUES_PER_LIST_MAX } from '../base/index.js';
import type { TextMatch, ValueTest } from '../ir/index.js';
import { baseTypeOf, type Column, readDecimal, valueKindOf } from '../schema/index.js';
import { readBox, readRadius } from './geo-test.js';
import { isList, type Json, kindOf } from './json.js';
import { type Bound, isOrdered, numberText, readBound, readText } from './operand.js';
import { complement, domainOf, intersect, type RangeSet, rangeWithin, unite } from './range-set.js';

const ORDERED = ['equals', 'not-equals', 'in', 'not-in', 'range', 'gt', 'gte', 'lt', 'lte'];
const BOOLEAN = ['equals', 'not-equals', 'in', 'not-in'];
const TEXT: Readonly<Record<string, { readonly match: TextMatch; readonly negated: boolean }>> = {
  equals: { match: 'equals', negated: false },
  'not-equals': { match: 'equals', negated: true },
  in: { match: 'equals', negated: false },
  'not-in': { match: 'equals', negated: true },
  contains: { match: 'contains', negated: false },
  'not-contains': { match: 'contains', negated: true },
  'starts-with': { match: 'starts-with', negated: false },
  'not-starts-with': { match: 'starts-with', negated: true },
  'ends-with': { match: 'ends-with', negated: false },
  'not-ends-with': { match: 'ends-with', negated: true },
};
const GEO = ['geo_radius', 'geo_bounding_box'];
const KNOWN = new Set([...ORDERED, ...Object.keys(TEXT), ...GEO]);

export interface Predicate {
  readonly name: string;
  readonly argument: Json;
  /** Where it stands in the body, for messages. */
  readonly place: string;
}

export interface BoundPredicates {
  readonly tests: readonly ValueTest[];
  /** `between`s that stood inside geo predicates. */
  readonly betweens: readonly { readonly argument: Json; readonly place: string }[];
}

/** Binds the predicates of one column. Throws 4012, 4016, 4038, 4039, 4044 and 4047 to 4049. */
export function bindPredicates(predicates: readonly Predicate[], column: Column): BoundPredicates {
  for (const predicate of predicates) checkFits(predicate, column);
  if (baseTypeOf(column.type) === 'geolocation') return geoTests(predicates);
  const tests = isOrdered(column) ? rangeTests(predicates, column) : predicates.map(textTest);
  return { tests, betweens: [] };
}

function checkFits({ name, place }: Predicate, column: Column): void {
  if (name === 'geo_near')
    throw new QuarryError(4038, `${place}: "geo_near" cannot be used with this endpoint`);
  if (!KNOWN.has(name)) throw new QuarryError(4049, `${place}: there is no predicate ${quoted(name)}`);
  if (predicatesOf(column).includes(name)) return;
  throw new QuarryError(
    4039,
    `${place}: ${quoted(name)} cannot be used with a column of type ${column.type}`,
  );
}

function predicatesOf(column: Column): readonly string[] {
  const type = baseTypeOf(column.type);
  if (type === 'geolocation') return GEO;
  if (type === 'boolean') return BOOLEAN;
  return isOrdered(column) ? ORDERED : Object.keys(TEXT);
}

/** The items of a list operand. Throws 4049 when it is no list or empty, 4048 when it is too long. */
function listItems(argument: Json, place: string): readonly Json[] {
  if (!isList(argument)) throw new QuarryError(4049, `${place} must be a list, not ${kindOf(argument)}`);
  if (argument.length === 0) throw new QuarryError(4049, `${place} is an empty list`);
  if (argument.length <= VALUES_PER_LIST_MAX) return argument;
  throw new QuarryError(4048, `${place} has ${argument.length} values; at most ${VALUES_PER_LIST_MAX}`);
}

function textTest({ name, argument, place }: Predicate): ValueTest {
  const { match, negated } = TEXT[name];
  const takesList = name === 'in' || name === 'not-in' || (match !== 'equals' && isList(argument));
  if (name === 'contains' && !isText(argument)) {
    throw new QuarryError(4016, `${place} must be a string or a list of strings`);
  }
  const texts = takesList
    ? listItems(argument, place).map((item, index) => readText(item, `${place}[${index}]`))
    : [readText(argument, place)];
  return { kind: 'text', match, texts: [...new Set(texts)], negated };
}

function isText(argument: Json): boolean {
  if (!isList(argument)) return typeof argument === 'string';
  return argument.every((item) => typeof item === 'string');
}

function geoTests(predicates: readonly Predicate[]): BoundPredicates {
  const bound = predicates.map(({ name, argument, place }) => ({
    place,
    ...(name === 'geo_radius' ? readRadius(argument, place) : readBox(argument, place)),
  }));
  const betweens = bound.flatMap(({ between, place }) =>
    between === undefined ? [] : [{ argument: between, place: `${place}.between` }],
  );
  return { tests: bound.map(({ test }) => test), betweens };
}

function rangeTests(predicates: readonly Predicate[], column: Column): readonly ValueTest[] {
  const domain = domainOf(valueKindOf(column.type));
  let allowed: RangeSet = [domain];
  let refused: RangeSet = [];
  for (const predicate of predicates) {
    const set = valueSet(predicate, column);
    if (predicate.name.startsWith('not-')) refused = unite([...refused, ...set]);
    else allowed = intersect(allowed, set);
  }
  if (column.storage !== 'list-of-values') {
    return [{ kind: 'ranges', ranges: intersect(allowed, complement(domain, refused)), negated: false }];
  }
  const tests: ValueTest[] = [];
  if (predicates.some(({ name }) => !name.startsWith('not-'))) {
    tests.push({ kind: 'ranges', ranges: allowed, negated: false });
  }
  if (predicates.some(({ name }) => name.startsWith('not-'))) {
    tests.push({ kind: 'ranges', ranges: refused, negated: true });
  }
  return tests;
}

/** The stored values that a predicate names; those that it excludes when its name starts with `not-`. */
function valueSet({ name, argument, place }: Predicate, column: Column): RangeSet {
  const domain = domainOf(valueKindOf(column.type));
  const only = ({ floor, ceil }: Bound): RangeSet =>
    floor === ceil ? rangeWithin(domain, floor, floor) : [];
  if (name === 'range') {
    const [low, high] = rangeEnds(argument, column, place);
    return rangeWithin(domain, low.ceil, high.floor);
  }
  if (name === 'in' || name === 'not-in') {
    const items = listItems(argument, place);
    return unite(items.flatMap((item, index) => only(readBound(item, column, `${place}[${index}]`))));
  }
  const bound = readBound(argument, column, place);
  switch (name) {
    case 'gt':
      return rangeWithin(domain, bound.floor + 1n, domain.high);
    case 'gte':
      return rangeWithin(domain, bound.ceil, domain.high);
    case 'lt':
      return rangeWithin(domain, domain.low, bound.ceil - 1n);
    case 'lte':
      return rangeWithin(domain, domain.low, bound.floor);
    default:
      return only(bound);
  }
}

/** The two ends of `range`: integers on integer columns, decimals or dates where the column holds those. */
function rangeEnds(argument: Json, column: Column, place: string): readonly [Bound, Bound] {
  if (!isList(argument) || argument.length !== 2 || !argument.every((end) => isRangeEnd(end, column))) {
    throw new QuarryError(
      4012,
      `${place} must be a list of two values that fit a column of type ${column.type}`,
    );
  }
  try {
    return [readBound(argument[0], column, place), readBound(argument[1], column, place)];
  } catch (error) {
    if (error instanceof QuarryError) throw new QuarryError(4012, error.message);
    throw error;
  }
}

function isRangeEnd(end: Json, column: Column): boolean {
  const type = baseTypeOf(column.type);
  if (type !== 'integer' && type !== 'enumerated') return true;
  const text = numberText(end);
  const read = text === null ? null : readDecimal(text);
  return read !== null && read.scale <= 0;
}
