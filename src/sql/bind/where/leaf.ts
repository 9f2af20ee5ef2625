/**
 * The leaves of WHERE that conditions of the interface can express: a column compared with constants. reader.ts
 * combines them.
 */
import { type BindingTime, type QuarryError, quoted, TEXT_POINTS_MAX } from '../../../base/index.js';
import {
  ALL_EVENTS,
  type Bound,
  complement,
  domainOf,
  eventWindow,
  FLIPPED,
  type RangeSet,
  rangeWithin,
  type TextMatch,
  textPattern,
  unite,
  type ValueTest,
  type Window,
} from '../../../ir/index.js';
import {
  baseTypeOf,
  codePointCount,
  isEventType,
  lowerCase,
  storedText,
  valueKindOf,
} from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { ComparisonOperator, SqlNode } from '../../tree.js';
import { checkCount, IN_VALUES_MAX } from '../bounds.js';
import { type ColumnRef, nameOfRef, type Sources } from '../clauses/sources.js';
import type { NodeOf } from '../scope.js';
import { boundOf, isOrdered, type Operand, operandOf, secondsOf } from './operand.js';

/**
 * A test of a present value; `test` itself is not negated, `negated` inverts the result. `unknown`: the result for values that
 * do not pass `test` is unknown (IN with NULL among its values).
 */
export interface TestLeaf {
  readonly is: 'test';
  readonly ref: ColumnRef;
  readonly test: ValueTest;
  readonly negated: boolean;
  readonly unknown: boolean;
}

/** A condition on [c.date]. */
export interface WindowLeaf {
  readonly is: 'window';
  readonly ref: ColumnRef;
  readonly window: Window;
}

export interface PresenceLeaf {
  readonly is: 'presence';
  readonly ref: ColumnRef;
  readonly present: boolean;
}

export type Leaf = TestLeaf | WindowLeaf | PresenceLeaf;

export interface LeafScope {
  readonly sources: Sources;
  /** The table whose columns form leaves; 0 is the first one. */
  readonly table: number;
  readonly nowMs: BindingTime;
  /** Tests of attributes with more disjoint ranges are not leaves. */
  readonly rangesMax: number;
}

const NO_EVENTS: Window = { from: 1, to: 0 };

/** Returns null if a condition cannot express the node. Throws 6000 for unknown columns and constants that cannot be read. */
export function leafOf(node: SqlNode, scope: LeafScope): Leaf | null {
  switch (node.is) {
    case 'column':
    case 'string':
      return truthLeaf(node, scope);
    case 'is-null': {
      const ref = columnRefAt(node.of, scope);
      return ref === null ? null : { is: 'presence', ref, present: node.negated };
    }
    case 'compare':
      return compareLeaf(node, scope);
    case 'between':
      return betweenLeaf(node, scope);
    case 'in':
      return inLeaf(node, scope);
    case 'like':
      return likeLeaf(node, scope);
    default:
      return null;
  }
}

/** The column of the scope's table if the node is a plain column; points cannot be compared. */
export function columnRefAt(node: SqlNode, { sources, table }: LeafScope): ColumnRef | null {
  if (node.is !== 'column' && (node.is !== 'string' || node.quotes === 'single')) return null;
  const ref = sources.lookUp(node);
  if (ref === null || ref.is === 'score' || ref.source.index !== table) return null;
  if (ref.part !== 'date' && baseTypeOf(ref.column.type) === 'geolocation') throw geolocationError(ref, node);
  return ref;
}

interface Compared {
  readonly ref: ColumnRef;
  /** The lower-case form of the values is compared; false if the column stores it. */
  readonly ignoresCase: boolean;
}

/** The column that is compared: plain, or LOWER of a string attribute. */
function comparedColumnAt(node: SqlNode, scope: LeafScope): Compared | null {
  if (node.is !== 'call') {
    const ref = columnRefAt(node, scope);
    return ref === null ? null : { ref, ignoresCase: false };
  }
  if (!LOWER_NAMES.includes(node.name) || node.args.length !== 1 || node.distinct) return null;
  const ref = columnRefAt(node.args[0], scope);
  if (ref?.part !== 'attribute' || valueKindOf(ref.column.type) !== 'code') return null;
  return { ref, ignoresCase: ref.column.textCase === 'preserve' };
}

const LOWER_NAMES = ['lower', 'lcase'];

export function geolocationError(ref: ColumnRef, { position }: Pick<SqlNode, 'position'>): QuarryError {
  const name = quoted(nameOfRef(ref));
  return sqlError(`${name} contains points: geolocation queries are not available through SQL`, position);
}

function truthLeaf(node: NodeOf<'column'> | NodeOf<'string'>, scope: LeafScope): Leaf | null {
  const ref = columnRefAt(node, scope);
  if (ref === null || ref.part === 'date' || baseTypeOf(ref.column.type) !== 'boolean') return null;
  const test: ValueTest = { kind: 'ranges', ranges: [{ low: 1n, high: 1n }], negated: false };
  return { is: 'test', ref, test, negated: false, unknown: false };
}

function compareLeaf(node: NodeOf<'compare'>, scope: LeafScope): Leaf | null {
  const left = comparedColumnAt(node.left, scope);
  const right = left === null ? comparedColumnAt(node.right, scope) : null;
  const compared = left ?? right;
  if (compared === null) return null;
  const { ref } = compared;
  const constant = left === null ? node.left : node.right;
  const operand = operandOf(constant, scope.sources, scope.nowMs);
  if (operand === null) return null;
  const comparison = left === null ? FLIPPED[node.comparison] : node.comparison;
  if (ref.part === 'date') return windowLeaf(ref, comparison, operand, constant);
  const negated = comparison === '<>';
  if (operand.is === 'null') return never(ref, negated);
  const plain = negated ? '=' : comparison;
  const test = isOrdered(ref.column)
    ? rangeTest(ref, boundOf(operand, ref.column, constant.position), plain)
    : plain === '='
      ? textTest('equals', [operand], compared)
      : null;
  return test === null ? null : { is: 'test', ref, test, negated, unknown: false };
}

/** A comparison with NULL: unknown for every value. */
function never(ref: ColumnRef, negated: boolean): Leaf {
  return { is: 'test', ref, test: noTest(ref), negated, unknown: true };
}

/** A test that no value passes. */
export function noTest({ column }: ColumnRef): ValueTest {
  return isOrdered(column)
    ? { kind: 'ranges', ranges: [], negated: false }
    : { kind: 'text', match: 'equals', texts: [], negated: false };
}

function rangeTest(ref: ColumnRef, bound: Bound | null, comparison: ComparisonOperator): ValueTest | null {
  return bound === null ? null : { kind: 'ranges', ranges: rangesOf(ref, bound, comparison), negated: false };
}

/** The stored values for which the comparison with the bound holds; for both = and <>, the equal values. */
function rangesOf({ column }: ColumnRef, { floor, ceil }: Bound, comparison: ComparisonOperator): RangeSet {
  const domain = domainOf(valueKindOf(column.type));
  switch (comparison) {
    case '>':
      return rangeWithin(domain, floor + 1n, domain.high);
    case '>=':
      return rangeWithin(domain, ceil, domain.high);
    case '<':
      return rangeWithin(domain, domain.low, ceil - 1n);
    case '<=':
      return rangeWithin(domain, domain.low, floor);
    default:
      return floor === ceil ? rangeWithin(domain, floor, floor) : [];
  }
}

/** The operand as text for comparison with text; whole numbers need no quotes, as in entity IDs. */
function textOf(operand: Operand, { ref, ignoresCase }: Compared): string | null {
  if (operand.is === 'text')
    return ignoresCase ? lowerCase(operand.text) : storedText(operand.text, ref.column);
  return operand.is === 'number' && /^\d+$/.test(operand.text) ? operand.text : null;
}

const caseOf = ({ ignoresCase }: Pick<Compared, 'ignoresCase'>): Pick<TextTest, 'ignoresCase'> =>
  ignoresCase ? { ignoresCase } : {};

/** A text test without the texts that no value can match. */
function textTest(match: TextMatch, operands: readonly Operand[], of: Compared): ValueTest | null {
  const texts = operands.map((operand) => textOf(operand, of));
  if (!texts.every((text) => text !== null)) return null;
  const possible = texts.filter((text) => text !== '' && codePointCount(text) <= TEXT_POINTS_MAX);
  return { kind: 'text', match, texts: [...new Set(possible)], negated: false, ...caseOf(of) };
}

function windowLeaf(
  ref: ColumnRef,
  comparison: ComparisonOperator,
  operand: Operand,
  { position }: SqlNode,
): Leaf | null {
  if (comparison === '<>') return null;
  if (operand.is === 'null') return { is: 'window', ref, window: NO_EVENTS };
  const seconds = secondsOf(operand, position);
  if (seconds === null) return null;
  const from = comparison === '>' ? seconds + 1 : comparison.startsWith('<') ? ALL_EVENTS.from : seconds;
  const to = comparison === '<' ? seconds - 1 : comparison.startsWith('>') ? ALL_EVENTS.to : seconds;
  return { is: 'window', ref, window: eventWindow({ from, to }) };
}

function betweenLeaf(node: NodeOf<'between'>, scope: LeafScope): Leaf | null {
  const ref = columnRefAt(node.of, scope);
  if (ref === null) return null;
  const low = operandOf(node.low, scope.sources, scope.nowMs);
  const high = operandOf(node.high, scope.sources, scope.nowMs);
  if (low === null || high === null) return null;
  const { negated } = node;
  if (ref.part === 'date') {
    if (negated) return null;
    if (low.is === 'null' || high.is === 'null') return { is: 'window', ref, window: NO_EVENTS };
    const [from, to] = [secondsOf(low, node.low.position), secondsOf(high, node.high.position)];
    return from === null || to === null ? null : { is: 'window', ref, window: eventWindow({ from, to }) };
  }
  // With one end missing, the result depends on the other end; the expression handles that.
  if (!isOrdered(ref.column) || low.is === 'null' || high.is === 'null') return null;
  const from = boundOf(low, ref.column, node.low.position);
  const to = boundOf(high, ref.column, node.high.position);
  if (from === null || to === null) return null;
  const domain = domainOf(valueKindOf(ref.column.type));
  const ranges = rangeWithin(domain, from.ceil, to.floor);
  return { is: 'test', ref, test: { kind: 'ranges', ranges, negated: false }, negated, unknown: false };
}

function inLeaf(node: NodeOf<'in'>, scope: LeafScope): Leaf | null {
  checkCount(node.values.length, IN_VALUES_MAX, 'values in one IN', node.position);
  const compared = comparedColumnAt(node.of, scope);
  if (compared === null || compared.ref.part === 'date') return null;
  const { ref } = compared;
  const operands: Operand[] = [];
  const ranges: RangeSet[number][] = [];
  let unknown = false;
  for (const value of node.values) {
    const operand = operandOf(value, scope.sources, scope.nowMs);
    if (operand === null) return null;
    if (operand.is === 'null') unknown = true;
    else if (isOrdered(ref.column)) {
      const bound = boundOf(operand, ref.column, value.position);
      if (bound === null) return null;
      ranges.push(...rangesOf(ref, bound, '='));
    } else operands.push(operand);
  }
  const rangesMax = ref.part === 'attribute' ? scope.rangesMax : IN_VALUES_MAX;
  const test = isOrdered(ref.column) ? unitedTest(ranges, rangesMax) : textTest('equals', operands, compared);
  return test === null ? null : { is: 'test', ref, test, negated: node.negated, unknown };
}

function unitedTest(ranges: RangeSet, rangesMax: number): ValueTest | null {
  const united = unite(ranges);
  return united.length > rangesMax ? null : { kind: 'ranges', ranges: united, negated: false };
}

function likeLeaf(node: NodeOf<'like'>, scope: LeafScope): Leaf | null {
  const compared = comparedColumnAt(node.of, scope);
  if (compared === null || compared.ref.part === 'date' || isOrdered(compared.ref.column)) return null;
  const { ref } = compared;
  const ignoresCase = ref.column.textCase === 'preserve' && (compared.ignoresCase || node.ignoresCase);
  const operand = operandOf(node.pattern, scope.sources, scope.nowMs);
  if (operand === null) return null;
  if (operand.is === 'null') return never(ref, node.negated);
  if (operand.is !== 'text') return null;
  const { match, text, least } = textPattern(operand.text, node.escape);
  // Every text matches the pattern, so no text passes the negated test.
  if (match === 'any') return { is: 'test', ref, test: noTest(ref), negated: !node.negated, unknown: false };
  const form = ignoresCase ? lowerCase(text) : storedText(text, ref.column);
  const texts = least > 0 && least <= TEXT_POINTS_MAX ? [form] : [];
  const test: ValueTest = { kind: 'text', match, texts, negated: false, ...caseOf({ ignoresCase }) };
  return { is: 'test', ref, test, negated: node.negated, unknown: false };
}

/** The test of a leaf in the form of conditions, including its negation. For a list, a negated test means that no item passes. */
export function testOf({ ref, test, negated }: TestLeaf): ValueTest {
  if (!negated) return test;
  if (test.kind !== 'ranges' || ref.column.storage === 'list-of-values') return { ...test, negated: true };
  const domain = domainOf(valueKindOf(ref.column.type));
  return { ...test, ranges: complement(domain, test.ranges) };
}

/** Combines one or more tests by OR into a single test; null if that is not possible. */
export function anyTest(leaves: readonly TestLeaf[]): ValueTest | null {
  const tests = leaves.map(testOf);
  const ranges: RangeSet[number][] = [];
  const texts: string[] = [];
  const [first] = tests;
  for (const test of tests) {
    if (test.negated || test.kind !== first.kind) return null;
    if (test.kind === 'ranges') ranges.push(...test.ranges);
    else if (test.kind === 'text' && first.kind === 'text' && isAlike(test, first)) {
      texts.push(...test.texts);
    } else return null;
  }
  if (first.kind === 'text') return { ...first, texts: [...new Set(texts)] };
  return unitedTest(ranges, IN_VALUES_MAX);
}

type TextTest = Extract<ValueTest, { readonly kind: 'text' }>;
const isAlike = (a: TextTest, b: TextTest): boolean => a.match === b.match && a.ignoresCase === b.ignoresCase;

/** Whether the leaf is a condition on events. */
export function isOfEvents({ ref }: Leaf): boolean {
  return isEventType(ref.column.type);
}
