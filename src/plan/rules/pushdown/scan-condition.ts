/** Expressions over the inputs of a SELECT as conditions of the interface, which kernels and zone maps evaluate. */
import { TEXT_POINTS_MAX } from '../../../base/index.js';
import {
  type Comparison,
  type Condition,
  type Constant,
  childrenOf,
  complement,
  domainOf,
  type Expression,
  FLIPPED,
  type Input,
  type IntRange,
  intersect,
  rangeWithin,
  textPattern,
  unite,
  type ValueTest,
} from '../../../ir/index.js';
import { codePointCount } from '../../../schema/index.js';

/** A set of more disjoint ranges is evaluated by look-up, as an expression. */
const RANGES_MAX = 100;

type Attribute = Extract<Input, { readonly from: 'attribute' }>;
type Tested = Attribute | Extract<Input, { readonly from: 'entity-id' }>;

/** The condition with the same truth for every row, also where it is unknown; null if there is none. */
export function conditionOf(expression: Expression, inputs: readonly Input[]): Condition | null {
  switch (expression.op) {
    case 'input': {
      const input = inputs[expression.input];
      if (input.from === 'condition') return input.condition;
      return isAttribute(input) && input.kind === 'bits' ? ofTest(input, pointTest(1n)) : null;
    }
    case 'and':
    case 'or': {
      const members: Condition[] = [];
      for (const member of childrenOf(expression)) {
        const condition = conditionOf(member, inputs);
        if (condition === null) return null;
        members.push(condition);
      }
      return { op: expression.op, members };
    }
    case 'not': {
      const member = conditionOf(expression.member, inputs);
      return member === null ? null : { op: 'not', member };
    }
    case 'is-null': {
      const input = testedIn(expression.of, inputs);
      if (input === null || !isAttribute(input)) return null;
      const missing: Condition = { op: 'missing', columnId: input.columnId };
      return expression.negated ? { op: 'not', member: missing } : missing;
    }
    case 'compare':
      return comparisonOf(expression, inputs);
    case 'in':
    case 'like': {
      const input = testedIn(expression.of, inputs);
      if (input === null) return null;
      const test = expression.op === 'in' ? inTest(expression.values, input) : likeTest(expression, input);
      return test === null ? null : ofTest(input, expression.negated ? inverted(test, input) : test);
    }
    default:
      return null;
  }
}

const isAttribute = (input: Input): input is Attribute => input.from === 'attribute';

/** The input if the expression is a plain column that conditions can test. */
function testedIn(expression: Expression, inputs: readonly Input[]): Tested | null {
  if (expression.op !== 'input') return null;
  const input = inputs[expression.input];
  if (input.from === 'entity-id') return input;
  return isAttribute(input) && input.kind !== 'geo' && input.type.type !== 'json' ? input : null;
}

const isText = (input: Tested): boolean => input.from === 'entity-id' || input.kind === 'code';

const ofTest = (input: Tested, test: ValueTest): Condition =>
  input.from === 'entity-id'
    ? { op: 'entity-id', tests: [test] }
    : { op: 'attribute', columnId: input.columnId, tests: [test] };

const rangesTest = (ranges: readonly IntRange[]): ValueTest => ({ kind: 'ranges', ranges, negated: false });
const pointTest = (value: bigint): ValueTest => rangesTest([{ low: value, high: value }]);

function inverted(test: ValueTest, input: Tested): ValueTest {
  if (test.kind !== 'ranges' || input.from === 'entity-id') return { ...test, negated: true };
  return { ...test, ranges: complement(domainOf(input.kind), test.ranges) };
}

function comparisonOf(
  { comparison, left, right }: Expression & { readonly op: 'compare' },
  inputs: readonly Input[],
): Condition | null {
  if (left.op === 'constant')
    return right.op === 'input' ? compared(FLIPPED[comparison], right, left, inputs) : null;
  return right.op === 'constant' ? compared(comparison, left, right, inputs) : null;
}

function compared(
  comparison: Comparison,
  of: Expression,
  { value }: Constant,
  inputs: readonly Input[],
): Condition | null {
  const input = testedIn(of, inputs);
  if (input === null || value === null) return null;
  const isPlain = comparison === '=' || comparison === '<>';
  if (isText(input)) {
    const test = isPlain ? inTest([value], input) : null;
    return test === null ? null : ofTest(input, comparison === '<>' ? inverted(test, input) : test);
  }
  if (input.from === 'entity-id') return null;
  const stored = storedOf(value);
  if (stored === null || (!isPlain && input.kind === 'bits')) return null;
  const domain = domainOf(input.kind);
  const ranges = {
    '=': () => rangeWithin(domain, stored, stored),
    '<>': () => complement(domain, rangeWithin(domain, stored, stored)),
    '<': () => rangeWithin(domain, domain.low, stored - 1n),
    '<=': () => rangeWithin(domain, domain.low, stored),
    '>': () => rangeWithin(domain, stored + 1n, domain.high),
    '>=': () => rangeWithin(domain, stored, domain.high),
  }[comparison]();
  return ofTest(input, rangesTest(ranges));
}

/** The value of a constant in the form of stored values. */
function storedOf(value: Constant['value']): bigint | null {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'bigint' ? value : null;
}

function inTest(values: readonly Constant['value'][], input: Tested): ValueTest | null {
  if (isText(input)) {
    const texts = values.filter((value) => typeof value === 'string');
    // Stored texts are not empty.
    if (texts.length < values.length || !texts.every(isStorable)) return null;
    return { kind: 'text', match: 'equals', texts: [...new Set(texts)], negated: false };
  }
  if (input.from === 'entity-id') return null;
  const domain = domainOf(input.kind);
  const ranges: IntRange[] = [];
  for (const value of values) {
    const stored = storedOf(value);
    if (stored === null) return null;
    ranges.push(...rangeWithin(domain, stored, stored));
  }
  const united = unite(ranges);
  return united.length > RANGES_MAX ? null : rangesTest(united);
}

const isStorable = (text: string): boolean => text !== '' && codePointCount(text) <= TEXT_POINTS_MAX;

function likeTest(
  { pattern, escape: escapedBy }: Expression & { readonly op: 'like' },
  input: Tested,
): ValueTest | null {
  if (!isText(input)) return null;
  const { match, text } = textPattern(pattern, escapedBy);
  if (match === 'any' || !isStorable(text)) return null;
  return { kind: 'text', match, texts: [text], negated: false };
}

/** All of the conditions; tests of ranges of one column become one test, so that the column is scanned once. */
export function conditionOfAll(conditions: readonly Condition[]): Condition | null {
  const merged: Condition[] = [];
  const members = conditions.flatMap((condition) =>
    condition.op === 'and' ? condition.members : [condition],
  );
  for (const condition of members) {
    const at = merged.findIndex((other) => bothRanges(other, condition) !== null);
    const both = at === -1 ? null : bothRanges(merged[at], condition);
    if (both === null) merged.push(condition);
    else merged[at] = both;
  }
  if (merged.length === 0) return null;
  return merged.length === 1 ? merged[0] : { op: 'and', members: merged };
}

function bothRanges(a: Condition, b: Condition): Condition | null {
  if (a.op !== 'attribute' || b.op !== 'attribute' || a.columnId !== b.columnId) return null;
  if (a.tests.length !== 1 || b.tests.length !== 1) return null;
  const [[one], [other]] = [a.tests, b.tests];
  if (one.kind !== 'ranges' || other.kind !== 'ranges' || one.negated || other.negated) return null;
  return { ...a, tests: [{ ...one, ranges: intersect(one.ranges, other.ranges) }] };
}
