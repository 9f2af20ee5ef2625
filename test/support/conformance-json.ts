/**
 * JSON of conformance cases as trees that keep number tokens: written back to text unchanged, and compared by the rules
 * of the case. Integers and floats are different tokens, because typed clients refuse one where they expect the other.
 */
import { type JsonNode, parseTree } from './json-tree.js';

const NESTING_MAX = 200;
const RELATIVE_TOLERANCE = 1e-9;

/** How strictly lists and numbers are compared. */
export interface Comparison {
  readonly lists: 'in order' | 'in any order';
  /** Floats are equal within RELATIVE_TOLERANCE, or every token must be identical. */
  readonly numbers: 'near' | 'to the digit';
}

/** The rules of the published cases. */
export const PUBLISHED: Comparison = { lists: 'in any order', numbers: 'near' };

export type ObjectNode = Extract<JsonNode, { t: 'object' }>;

export const parseText = (text: string): JsonNode => parseTree(Buffer.from(text), NESTING_MAX);

export function textOf(node: JsonNode): string {
  switch (node.t) {
    case 'object':
      return `{${node.members.map(({ key, value }) => `${JSON.stringify(key)}:${textOf(value)}`).join(',')}}`;
    case 'list':
      return `[${node.items.map(textOf).join(',')}]`;
    case 'string':
      return JSON.stringify(node.text);
    case 'number':
      return node.text;
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
  }
}

export function objectOf(node: JsonNode | undefined, what: string): ObjectNode {
  if (node?.t !== 'object') throw new Error(`${what} is not an object`);
  return node;
}

export const member = (object: ObjectNode, key: string): JsonNode | undefined =>
  object.members.find((found) => found.key === key)?.value;

export function textMember(object: ObjectNode, key: string): string | undefined {
  const found = member(object, key);
  return found?.t === 'string' ? found.text : undefined;
}

/** The object with that member, which replaces one of the same key. */
export function withMember(object: ObjectNode, key: string, value: JsonNode): ObjectNode {
  return { t: 'object', members: [...object.members.filter((found) => found.key !== key), { key, value }] };
}

const isIgnored = (node: JsonNode): boolean => node.t === 'string' && node.text === 'ignore';
const isFloat = (token: string): boolean => /[.eE]/.test(token);

/**
 * The position of the first difference between `actual` and `expected`, and its description; null if there is none.
 * "ignore" matches any value and a missing one. The outermost object may have further keys; nested objects may not.
 */
export function difference(
  expected: JsonNode,
  actual: JsonNode | undefined,
  how: Comparison = PUBLISHED,
  path = '',
): string | null {
  if (isIgnored(expected)) return null;
  const wrong = (): string => {
    const found = actual === undefined ? 'nothing' : textOf(actual).slice(0, 300);
    return `${path === '' ? 'the answer' : path} is ${found}, expected ${textOf(expected).slice(0, 300)}`;
  };
  if (actual === undefined || actual.t !== expected.t) return wrong();
  if (expected.t === 'object') return objectDifference(expected, actual as ObjectNode, how, path);
  if (expected.t === 'list') {
    const isSame = how.lists === 'in order' ? isSameList : isSameBag;
    return isSame(expected.items, (actual as typeof expected).items, how) ? null : wrong();
  }
  if (expected.t === 'number') {
    const isSame = how.numbers === 'to the digit' ? isSameToken : isSameNumber;
    return isSame(expected.text, (actual as typeof expected).text) ? null : wrong();
  }
  return textOf(expected) === textOf(actual) ? null : wrong();
}

function objectDifference(
  expected: ObjectNode,
  actual: ObjectNode,
  how: Comparison,
  path: string,
): string | null {
  for (const { key, value } of expected.members) {
    const found = difference(value, member(actual, key), how, `${path}/${key}`);
    if (found !== null) return found;
  }
  if (path === '') return null;
  const further = actual.members.find(({ key }) => member(expected, key) === undefined);
  return further === undefined ? null : `${path} also contains ${JSON.stringify(further.key)}`;
}

function isSameNumber(expected: string, actual: string): boolean {
  if (isFloat(expected) !== isFloat(actual)) return false;
  if (!isFloat(expected)) return BigInt(expected) === BigInt(actual);
  const [wanted, found] = [Number(expected), Number(actual)];
  return Math.abs(wanted - found) <= RELATIVE_TOLERANCE * Math.max(Math.abs(wanted), Math.abs(found));
}

function isSameToken(expected: string, actual: string): boolean {
  return expected === actual;
}

/** Items of a list have no further keys. */
function isSameList(expected: readonly JsonNode[], actual: readonly JsonNode[], how: Comparison): boolean {
  if (expected.length !== actual.length) return false;
  return expected.every((item, index) => difference(item, actual[index], how, '[]') === null);
}

/** Each expected item matches a different actual item. Items of a list have no further keys. */
function isSameBag(expected: readonly JsonNode[], actual: readonly JsonNode[], how: Comparison): boolean {
  if (expected.length !== actual.length) return false;
  const left = [...actual];
  for (const item of expected) {
    const at = left.findIndex((candidate) => difference(item, candidate, how, '[]') === null);
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return true;
}
