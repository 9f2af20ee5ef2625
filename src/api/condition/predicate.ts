/**
 * The predicates of one column as value tests: their names, the columns that they apply to, and their meaning.
 * Several predicates on one column are joined by `and`. A condition tests the values of an entity. A level of an
 * aggregation tests single values; where a condition takes one operand, a level takes a list, any of whose operands may
 * match.
 * Invariants: an ordered column gets at most one test of ranges that is not negated, and negated ones only in a
 * condition on a list (where "no item is in the set" differs from "some item is outside it").
 */
import { QuarryError, quoted, VALUES_PER_LIST_MAX } from '../../base/index.js';
import { IGNORE_CASE, PREDICATES, type PredicateName } from '../../interface/index.js';
import {
  type Bound,
  complement,
  domainOf,
  type GeoTest,
  intersect,
  type RangeSet,
  rangeWithin,
  type TextMatch,
  unite,
  type ValueTest,
} from '../../ir/index.js';
import { baseTypeOf, type Column, readDecimal, valueKindOf } from '../../schema/index.js';
import { isList, type Json, kindOf } from '../body/json.js';
import { readBox, readRadius } from './geo-test.js';
import { isOrdered, numberText, readBound, readText } from './operand.js';

const ORDERED: readonly PredicateName[] = [
  'equals',
  'not-equals',
  'in',
  'not-in',
  'range',
  'gt',
  'gte',
  'lt',
  'lte',
];
const BOOLEAN: readonly PredicateName[] = ['equals', 'not-equals', 'in', 'not-in'];
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
/** The predicates on parts of a text. */
const PARTS = Object.keys(TEXT).filter((name) => TEXT[name].match !== 'equals');
const GEO: readonly PredicateName[] = ['geo_radius', 'geo_bounding_box'];
const KNOWN: ReadonlySet<string> = new Set([...PREDICATES, IGNORE_CASE]);

export interface Predicate {
  readonly name: string;
  readonly argument: Json;
  /** Path of the predicate in the body, for messages. */
  readonly path: string;
}

export interface BoundPredicates {
  readonly tests: readonly ValueTest[];
  /** The `between`s inside geo predicates. */
  readonly betweens: readonly { readonly argument: Json; readonly path: string }[];
}

/** A value that a predicate compares with. */
type Operand = Omit<Predicate, 'name'>;
type TextTest = Extract<ValueTest, { readonly kind: 'text' }>;
/** The operands of a predicate, any of which may match. */
type Operands = (predicate: Predicate) => readonly Operand[];

/** Whether a predicate or `ignore-case` has the name, for any column and any endpoint. */
export function isPredicateName(name: string): boolean {
  return KNOWN.has(name);
}

/** Binds the predicates of a condition on one column. Throws 4012, 4016, 4038, 4039, 4044 and 4047 to 4049. */
export function bindPredicates(predicates: readonly Predicate[], column: Column): BoundPredicates {
  return bindWith(predicates, column, conditionOperands, column.storage === 'list-of-values');
}

/** Binds the predicates that filter a level's values. Throws the errors of `bindPredicates`. */
export function bindLevelPredicates(predicates: readonly Predicate[], column: Column): BoundPredicates {
  return predicates.length === 0
    ? { tests: [], betweens: [] }
    : bindWith(predicates, column, levelOperands, false);
}

function bindWith(
  predicates: readonly Predicate[],
  column: Column,
  operandsOf: Operands,
  testsLists: boolean,
): BoundPredicates {
  for (const predicate of predicates) checkFits(predicate, column);
  if (baseTypeOf(column.type) === 'geolocation') return geoTests(predicates, operandsOf);
  const tests = isOrdered(column)
    ? rangeTests(predicates, column, operandsOf, testsLists)
    : textTests(predicates, column, operandsOf);
  return { tests, betweens: [] };
}

function textTests(
  predicates: readonly Predicate[],
  column: Column,
  operandsOf: Operands,
): readonly ValueTest[] {
  const flag = predicates.find(({ name }) => name === IGNORE_CASE);
  const own = predicates.filter((predicate) => predicate !== flag);
  const asStored = () => own.map((predicate) => textTest(predicate, column, operandsOf));
  if (flag === undefined) return asStored();
  const { argument, path } = flag;
  if (typeof argument !== 'boolean') throw new QuarryError(4049, `${path} must be true or false`);
  if (own.length === 0) throw new QuarryError(4049, `${path} requires a predicate to which it applies`);
  if (!argument || column.textCase === 'fold') return asStored();
  return own.map((predicate) => ({
    ...textTest(predicate, { textCase: 'fold' }, operandsOf),
    ignoresCase: true,
  }));
}

/** `in` takes a list; predicates on parts of a text take a list or one text; all others take one operand. */
function conditionOperands(predicate: Predicate): readonly Operand[] {
  const { name, argument } = predicate;
  const acceptsList = name === 'in' || name === 'not-in' || (PARTS.includes(name) && isList(argument));
  return acceptsList ? listOperands(predicate) : [predicate];
}

function levelOperands(predicate: Predicate): readonly Operand[] {
  const { name, argument } = predicate;
  const isMany = isList(argument) && (name !== 'range' || isList(argument[0]));
  return isMany ? listOperands(predicate) : [predicate];
}

function checkFits({ name, path }: Predicate, column: Column): void {
  if (name === 'geo_near')
    throw new QuarryError(4038, `${path}: "geo_near" cannot be used with this endpoint`);
  if (!KNOWN.has(name)) throw new QuarryError(4049, `${path}: there is no predicate ${quoted(name)}`);
  if (predicatesOf(column).includes(name)) return;
  throw new QuarryError(4039, `${path}: ${quoted(name)} cannot be used with a column of type ${column.type}`);
}

function predicatesOf(column: Column): readonly string[] {
  const type = baseTypeOf(column.type);
  if (type === 'geolocation') return GEO;
  if (type === 'boolean') return BOOLEAN;
  return isOrdered(column) ? ORDERED : [...Object.keys(TEXT), IGNORE_CASE];
}

/** The items of a list. Throws 4049 if the argument is not a list or is empty, 4048 if it is too long. */
function listOperands({ argument, path }: Predicate): readonly Operand[] {
  if (!isList(argument)) throw new QuarryError(4049, `${path} must be a list, not ${kindOf(argument)}`);
  if (argument.length === 0) throw new QuarryError(4049, `${path} is an empty list`);
  if (argument.length > VALUES_PER_LIST_MAX) {
    throw new QuarryError(4048, `${path} has ${argument.length} values; at most ${VALUES_PER_LIST_MAX}`);
  }
  return argument.map((item, index) => ({ argument: item, path: `${path}[${index}]` }));
}

function textTest(predicate: Predicate, column: Pick<Column, 'textCase'>, operandsOf: Operands): TextTest {
  const { name, argument, path } = predicate;
  if (name === 'contains' && !isText(argument)) {
    throw new QuarryError(4016, `${path} must be a string or a list of strings`);
  }
  const texts = operandsOf(predicate).map((operand) => readText(operand.argument, column, operand.path));
  return { kind: 'text', ...TEXT[name], texts: [...new Set(texts)] };
}

function isText(argument: Json): boolean {
  if (!isList(argument)) return typeof argument === 'string';
  return argument.every((item) => typeof item === 'string');
}

function geoTests(predicates: readonly Predicate[], operandsOf: Operands): BoundPredicates {
  const betweens: Operand[] = [];
  const tests = predicates.map((predicate): ValueTest => {
    const areas = operandsOf(predicate).map(({ argument, path }): GeoTest => {
      const { test, between } =
        predicate.name === 'geo_radius' ? readRadius(argument, path) : readBox(argument, path);
      if (between !== undefined) betweens.push({ argument: between, path: `${path}.between` });
      return test;
    });
    return areas.length === 1 ? areas[0] : { kind: 'geo-any', areas, negated: false };
  });
  return { tests, betweens };
}

function rangeTests(
  predicates: readonly Predicate[],
  column: Column,
  operandsOf: Operands,
  testsLists: boolean,
): readonly ValueTest[] {
  const domain = domainOf(valueKindOf(column.type));
  let allowed: RangeSet = [domain];
  let refused: RangeSet = [];
  for (const predicate of predicates) {
    const { name } = predicate;
    const set = unite(operandsOf(predicate).flatMap((operand) => valueSet(name, operand, column)));
    if (name.startsWith('not-')) refused = unite([...refused, ...set]);
    else allowed = intersect(allowed, set);
  }
  if (!testsLists) {
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

/** The stored values that an operand selects; the values that it excludes if the predicate's name starts with `not-`. */
function valueSet(name: string, { argument, path }: Operand, column: Column): RangeSet {
  const domain = domainOf(valueKindOf(column.type));
  if (name === 'range') {
    const [low, high] = rangeEnds(argument, column, path);
    return rangeWithin(domain, low.ceil, high.floor);
  }
  const bound = readBound(argument, column, path);
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
      return bound.floor === bound.ceil ? rangeWithin(domain, bound.floor, bound.floor) : [];
  }
}

/** The two ends of `range`: integers, decimals or dates by the type of the column. */
function rangeEnds(argument: Json, column: Column, path: string): readonly [Bound, Bound] {
  if (!isList(argument) || argument.length !== 2 || !argument.every((end) => isRangeEnd(end, column))) {
    throw new QuarryError(
      4012,
      `${path} must be a list of two values that fit a column of type ${column.type}`,
    );
  }
  try {
    return [readBound(argument[0], column, path), readBound(argument[1], column, path)];
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
