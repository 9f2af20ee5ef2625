/** Checks bound expressions against the rules of src/ir/expression.ts: each node's type fits its operands. */
import {
  type Constant,
  childrenOf,
  type DateUnit,
  type Expression,
  PART_UNITS,
  type ScalarFunction,
} from '../../src/ir/index.js';
import { lowerCase } from '../../src/schema/index.js';
import { DIGITS_MAX, type SqlType } from '../../src/vector/index.js';

type Call = Extract<Expression, { op: 'call' }>;

const nameOf = (type: SqlType): string => (type.type === 'decimal' ? `decimal(${type.scale})` : type.type);
const isLocal = (type: SqlType): boolean => type.type === 'datetime' && type.local === true;
const same = (a: SqlType, b: SqlType): boolean => nameOf(a) === nameOf(b);
const is =
  (...names: readonly SqlType['type'][]) =>
  ({ type }: SqlType): boolean =>
    names.includes(type);
const exact = is('integer', 'decimal');
const numeric = is('integer', 'decimal', 'float');
const dated = is('date', 'datetime');
const ordered = is('integer', 'decimal', 'float', 'text', 'date', 'datetime', 'boolean');

/** The rules that `expression` violates over inputs of these types; empty if it is valid. */
export function expressionErrors(expression: Expression, inputs: readonly SqlType[]): string[] {
  const errors: string[] = [];
  const left: Expression[] = [expression];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const found = errorsOf(node, inputs);
    if (found.length > 0) errors.push(...found.map((fault) => `${node?.op}: ${fault}`));
    left.push(...childrenOf(node));
  }
  return errors;
}

function errorsOf(node: Expression, inputs: readonly SqlType[]): string[] {
  const errors: string[] = [];
  const check = (holds: boolean, fault: string): void => {
    if (!holds) errors.push(fault);
  };
  const isBoolean = (type: SqlType, what: string): void =>
    check(is('boolean')(type), `${what} is not a boolean`);
  const alike = (a: SqlType, b: SqlType, what: string): void =>
    check(same(a, b), `${what}: ${nameOf(a)} beside ${nameOf(b)}`);
  switch (node.op) {
    case 'constant':
      check(isValueOf(node.value, node.type), `${String(node.value)} is not a ${nameOf(node.type)}`);
      break;
    case 'input':
      check(node.input in inputs, `there is no input ${node.input}`);
      if (node.input in inputs) alike(node.type, inputs[node.input], 'input');
      break;
    case 'and':
    case 'or':
      isBoolean(node.type, 'the list');
      check(node.members.length > 1, 'a list of one');
      for (const member of node.members) isBoolean(member.type, 'a member');
      break;
    case 'not':
      isBoolean(node.type, 'it');
      isBoolean(node.member.type, 'the member');
      break;
    case 'is-null':
      isBoolean(node.type, 'it');
      break;
    case 'compare':
      isBoolean(node.type, 'it');
      alike(node.left.type, node.right.type, 'sides');
      check(ordered(node.left.type), `${nameOf(node.left.type)} is not compared`);
      for (const side of [node.left, node.right]) check(isLowered(side), 'a constant with capitals');
      break;
    case 'in':
      isBoolean(node.type, 'it');
      check(ordered(node.of.type), `${nameOf(node.of.type)} is not compared`);
      for (const value of node.values) {
        check(isValueOf(value, node.of.type), `${String(value)} is not a ${nameOf(node.of.type)}`);
        check(typeof value !== 'string' || lowerCase(value) === value, 'a value with capitals');
      }
      break;
    case 'like':
      isBoolean(node.type, 'it');
      check(is('text')(node.of.type), `${nameOf(node.of.type)} is like nothing`);
      check(lowerCase(node.pattern) === node.pattern, 'a pattern with capitals');
      check(node.escape === null || [...node.escape].length === 1, 'an escape of one character');
      break;
    case 'case':
      check(node.branches.length > 0, 'no branches');
      for (const { when, then } of node.branches) {
        isBoolean(when.type, 'a condition');
        alike(then.type, node.type, 'a branch');
      }
      if (node.otherwise !== null) alike(node.otherwise.type, node.type, 'the last branch');
      break;
    case 'coalesce':
      check(node.members.length > 1, 'a list of one');
      for (const member of node.members) alike(member.type, node.type, 'a member');
      break;
    case 'null-if':
      alike(node.of.type, node.type, 'an output');
      alike(node.of.type, node.equals.type, 'sides');
      break;
    case 'arithmetic':
      errors.push(...arithmeticErrors(node));
      break;
    case 'cast':
      check(
        !same(node.of.type, node.type) || isLocal(node.of.type) !== isLocal(node.type),
        'a cast to the same type',
      );
      check(isCast(node.of.type, node.type), `${nameOf(node.of.type)} as ${nameOf(node.type)}`);
      break;
    case 'call':
      errors.push(...callErrors(node));
      break;
  }
  return errors;
}

const EXACT_END = 10n ** BigInt(DIGITS_MAX);
/** 9999-12-31, in days. */
const DAYS_MAX = 2_932_896n;
const DAYS_MIN = -719_528n;

function isValueOf(value: Constant['value'], type: SqlType): boolean {
  if (value === null) return type.type !== 'json';
  switch (type.type) {
    case 'integer':
    case 'decimal':
      return typeof value === 'bigint' && value < EXACT_END && value > -EXACT_END;
    case 'date':
      return typeof value === 'bigint' && value >= DAYS_MIN && value <= DAYS_MAX;
    case 'datetime':
      return typeof value === 'bigint' && value >= DAYS_MIN * 86_400n && value < (DAYS_MAX + 1n) * 86_400n;
    case 'interval':
      return typeof value === 'bigint';
    case 'float':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string';
    default:
      return false;
  }
}

const isLowered = (side: Expression): boolean =>
  side.op !== 'constant' || typeof side.value !== 'string' || lowerCase(side.value) === side.value;

function isCast(from: SqlType, to: SqlType): boolean {
  if (is('json')(from)) return text(to);
  if (is('json')(to)) return text(from);
  if (is('text')(from) || is('text')(to)) return true;
  if (interval(from) || interval(to)) return false;
  if (dated(from) || dated(to)) return dated(from) && dated(to);
  if (is('boolean')(from)) return is('integer')(to);
  return numeric(from) && numeric(to);
}

function arithmeticErrors({
  operator,
  type,
  left,
  right,
}: Extract<Expression, { op: 'arithmetic' }>): string[] {
  const operation = `${nameOf(left.type)} ${operator} ${nameOf(right.type)} = ${nameOf(type)}`;
  const floats = [left, right].every((side) => is('float')(side.type)) && is('float')(type);
  if (floats) return [];
  if (operator === '/' || ![left.type, right.type, type].every(exact)) return [operation];
  if (operator !== '*') return same(left.type, right.type) && same(left.type, type) ? [] : [operation];
  const scaleOf = (of: SqlType): number => (of.type === 'decimal' ? of.scale : 0);
  const scale = scaleOf(left.type) + scaleOf(right.type);
  const decimal = is('decimal')(left.type) || is('decimal')(right.type);
  return scale === scaleOf(type) && scale <= DIGITS_MAX && decimal === is('decimal')(type) ? [] : [operation];
}

interface Signature {
  /** One per argument; those from index `least` on are optional. */
  readonly args: readonly ((type: SqlType) => boolean)[];
  readonly least?: number;
  /** The last argument may be repeated. */
  readonly many?: boolean;
  readonly result: SqlType['type'] | 'first' | 'second';
  readonly units?: 'parts' | 'spans';
}

const text = is('text');
const integer = is('integer');
const float = is('float');
const datetime = is('datetime');
const interval = is('interval');
const json = is('json');
const ofText: Signature = { args: [text], result: 'text' };
const trimming: Signature = { args: [text, text], least: 1, result: 'text' };
const searching: Signature = { args: [text, text], result: 'boolean' };
const floating: Signature = { args: [float], result: 'float' };
const floatPair: Signature = { args: [float, float], result: 'float' };
const wholePair: Signature = { args: [integer, integer], result: 'integer' };
const digits: Signature = { args: [numeric, integer], result: 'first' };

const ofSums: Signature = { args: [integer, exact, exact, exact, exact, exact], result: 'float' };
const regressions = {
  ...{ 'var-pop': ofSums, 'var-samp': ofSums, 'stddev-pop': ofSums, 'stddev-samp': ofSums },
  ...{ 'covar-pop': ofSums, 'covar-samp': ofSums, corr: ofSums, 'regr-slope': ofSums },
  ...{ 'regr-intercept': ofSums, 'regr-r2': ofSums, 'regr-avgx': ofSums, 'regr-avgy': ofSums },
  ...{ 'regr-sxx': ofSums, 'regr-syy': ofSums, 'regr-sxy': ofSums },
};

const SIGNATURES: Readonly<Record<ScalarFunction, Signature>> = {
  lower: ofText,
  upper: ofText,
  length: { args: [text], result: 'integer' },
  trim: trimming,
  ltrim: trimming,
  rtrim: trimming,
  substring: { args: [text, integer, integer], least: 2, result: 'text' },
  left: { args: [text, integer], result: 'text' },
  right: { args: [text, integer], result: 'text' },
  replace: { args: [text, text, text], result: 'text' },
  concat: { args: [text], many: true, result: 'text' },
  'concat-strict': { args: [text, text], many: true, result: 'text' },
  reverse: ofText,
  position: { args: [text, text], result: 'integer' },
  lpad: { args: [text, integer, text], result: 'text' },
  rpad: { args: [text, integer, text], result: 'text' },
  repeat: { args: [text, integer], result: 'text' },
  'starts-with': searching,
  'ends-with': searching,
  contains: searching,
  'split-part': { args: [text, text, integer], result: 'text' },
  'concat-separated': { args: [text, text], many: true, result: 'text' },
  translate: { args: [text, text, text], result: 'text' },
  'initial-capitals': ofText,
  character: { args: [integer], result: 'text' },
  'first-point': { args: [text], result: 'integer' },
  overlay: { args: [text, text, integer, integer], least: 3, result: 'text' },
  'octet-length': { args: [text], result: 'integer' },
  md5: ofText,
  sha256: ofText,
  encode: { args: [text, text], result: 'text' },
  decode: { args: [text, text], result: 'text' },
  format: { args: [text], many: true, result: 'text' },
  'write-number': { args: [text, text, is('boolean')], result: 'text' },
  'read-number': { args: [text, text], result: 'text' },
  'quote-literal': ofText,
  'quote-nullable': ofText,
  'quote-name': ofText,
  'regex-like': { args: [text, text, text], result: 'boolean' },
  'regex-replace': { args: [text, text, text, integer, integer, text], result: 'text' },
  'regex-substring': { args: [text, text, integer, integer, text, integer], result: 'text' },
  'regex-count': { args: [text, text, integer, text], result: 'integer' },
  'regex-position': { args: [text, text, integer, integer, integer, text, integer], result: 'integer' },
  similar: { args: [text, text, text], result: 'boolean' },
  'like-pattern': { args: [text, text, text], least: 2, result: 'boolean' },
  negate: { args: [numeric], result: 'first' },
  abs: { args: [numeric], result: 'first' },
  sign: { args: [numeric], result: 'integer' },
  floor: { args: [numeric], result: 'integer' },
  ceiling: { args: [numeric], result: 'integer' },
  round: digits,
  truncate: digits,
  sqrt: floating,
  cbrt: floating,
  exp: floating,
  ln: floating,
  log10: floating,
  log2: floating,
  degrees: floating,
  radians: floating,
  sin: floating,
  cos: floating,
  tan: floating,
  cot: floating,
  asin: floating,
  acos: floating,
  atan: floating,
  sinh: floating,
  cosh: floating,
  tanh: floating,
  asinh: floating,
  acosh: floating,
  atanh: floating,
  power: floatPair,
  atan2: floatPair,
  'log-base': floatPair,
  'divide-whole': { args: [numeric, numeric], result: 'integer' },
  gcd: wholePair,
  lcm: wholePair,
  factorial: { args: [integer], result: 'integer' },
  'bit-and': wholePair,
  'bit-or': wholePair,
  'bit-xor': wholePair,
  'bit-not': { args: [integer], result: 'integer' },
  'shift-left': wholePair,
  'shift-right': wholePair,
  'width-bucket': { args: [numeric, numeric, numeric, integer], result: 'integer' },
  divide: { args: [numeric, numeric], result: 'first' },
  'numeric-text': { args: [numeric], result: 'text' },
  'round-even': { args: [is('float')], result: 'float' },
  'limit-digits': { args: [exact, integer], result: 'first' },
  checked: { args: [numeric, is('boolean'), text], result: 'first' },
  modulo: { args: [numeric, numeric], result: 'first' },
  ...regressions,
  pack: { args: [text, text, ordered], least: 2, many: true, result: 'text' },
  'packed-text': ofText,
  'json-item': { args: [() => true], result: 'text' },
  'list-json': { args: [json, integer], result: 'text' },
  'json-path-text': { args: [json, text], least: 1, many: true, result: 'text' },
  'json-type': { args: [json], result: 'text' },
  'in-base': { args: [text, integer], result: 'text' },
  'regex-match': { args: [text, text, text], result: 'text' },
  'regex-matches': { args: [text, text, text], result: 'text' },
  'regex-split': { args: [text, text, text], result: 'text' },
  'list-item': { args: [json, integer], result: 'text' },
  'list-text': { args: [json, text, text], least: 2, result: 'text' },
  'text-list': { args: [text, text, text], result: 'text' },
  'json-length': { args: [json], result: 'integer' },
  'json-extract': { args: [json, text], result: 'text' },
  'json-extract-text': { args: [json, text], result: 'text' },
  'geo-point': { args: [float, float], result: 'text' },
  longitude: { args: [json], result: 'float' },
  latitude: { args: [json], result: 'float' },
  'geo-distance': { args: [json, json], result: 'float' },
  'geo-within-radius': { args: [json, json, float], result: 'boolean' },
  'geo-within-box': { args: [json, json, json], result: 'boolean' },
  'geo-within-polygon': { args: [json, text], result: 'boolean' },
  random: { args: [float, text], result: 'float' },
  greatest: { args: [ordered, ordered], many: true, result: 'first' },
  least: { args: [ordered, ordered], many: true, result: 'first' },
  'date-part': { args: [dated], result: 'integer', units: 'parts' },
  'date-truncate': { args: [dated], result: 'first', units: 'spans' },
  'date-add': { args: [integer, dated], result: 'second', units: 'spans' },
  'date-diff': { args: [dated, dated], result: 'integer', units: 'spans' },
  'make-date': { args: [integer, integer, integer], result: 'date' },
  'make-datetime': { args: [integer, integer, integer, integer, integer, float], result: 'datetime' },
  'from-epoch': { args: [float], result: 'datetime' },
  'date-bin': { args: [integer, datetime, datetime], result: 'datetime' },
  'whole-units': { args: [datetime, datetime], result: 'integer', units: 'spans' },
  'write-date': { args: [datetime, text, is('boolean')], result: 'text' },
  'read-date': { args: [text, text], result: 'datetime' },
  strftime: { args: [datetime, text], result: 'text' },
  strptime: { args: [text, text], result: 'datetime' },
  'try-strptime': { args: [text, text], result: 'datetime' },
  'local-time': { args: [datetime, text], result: 'datetime' },
  'zone-instant': { args: [datetime, text], result: 'datetime' },
  interval: { args: [integer, integer], result: 'interval' },
  'interval-length': { args: [interval], result: 'integer' },
  'interval-part': { args: [interval], result: 'integer', units: 'parts' },
  'interval-sum': { args: [interval, interval], result: 'interval' },
  'interval-product': { args: [interval, float, float], result: 'interval' },
  'add-interval': { args: [datetime, interval], result: 'datetime' },
  age: { args: [datetime, datetime], result: 'interval' },
};

const dividing: ReadonlySet<ScalarFunction> = new Set(['divide', 'modulo']);
const TIME_UNITS: readonly DateUnit[] = ['hour', 'minute', 'second', 'millisecond', 'microsecond'];

function callErrors({ name, type, args, unit }: Call): string[] {
  const { args: wanted, least = wanted.length, many = false, result, units } = SIGNATURES[name];
  const signature = `${name}(${args.map((argument) => nameOf(argument.type)).join(', ')}) = ${nameOf(type)}`;
  if (args.length < least || (!many && args.length > wanted.length)) return [`${signature} in number`];
  const errors: string[] = [];
  args.forEach((argument, index) => {
    if (!(wanted[index] ?? wanted[wanted.length - 1])(argument.type)) errors.push(`${signature} at ${index}`);
  });
  const expected =
    result === 'first' ? args[0].type : result === 'second' ? args[1].type : ({ type: result } as SqlType);
  const keepsFloats = name === 'floor' || name === 'ceiling' || name === 'divide-whole';
  const floats = keepsFloats && float(args[0].type);
  if (!(floats ? float(type) : same(expected, type))) errors.push(signature);
  const alike = name === 'greatest' || name === 'least' || name === 'date-diff' || dividing.has(name);
  const one = name === 'divide-whole' ? args : name === 'width-bucket' ? args.slice(0, 3) : [];
  if (!one.every((argument) => same(argument.type, args[0].type))) errors.push(signature);
  if (alike && !args.every((argument) => same(argument.type, args[0].type))) errors.push(signature);
  if (name === 'round' || name === 'truncate') {
    if (args[1].op !== 'constant' || typeof args[1].value !== 'bigint') errors.push(`${signature} of digits`);
  }
  return [...errors, ...unitErrors(unit, units, args)];
}

function unitErrors(unit: DateUnit | null, units: Signature['units'], args: readonly Expression[]): string[] {
  if (units === undefined) return unit === null ? [] : [`${unit} of nothing`];
  if (unit === null) return ['no unit'];
  if (units === 'spans' && PART_UNITS.some((part) => part === unit)) return [`${unit} is not a span`];
  const dates = args.some((argument) => is('date')(argument.type));
  return TIME_UNITS.includes(unit) && dates ? [`${unit} of a date`] : [];
}
