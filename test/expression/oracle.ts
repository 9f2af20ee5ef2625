/**
 * Evaluates expressions row by row in the simplest way, with bigints, doubles, strings and JavaScript dates. Tests
 * compare the vectorized evaluator with it.
 */
import type { Comparison, Expression, ScalarFunction } from '../../src/ir/index.js';
import type { SqlType, Value } from '../../src/vector/index.js';

/** Thrown if the expected result is error 6000. */
export class Refused extends Error {}

const MAGNITUDE_END = 10n ** 38n;
const scaleOf = (type: SqlType): number => (type.type === 'decimal' ? type.scale : 0);

function digits(value: bigint): bigint {
  if (value >= MAGNITUDE_END || value <= -MAGNITUDE_END) throw new Refused('digits');
  return value;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value + 0 : null);

function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a === null || b === null) throw new Error('missing values are not compared');
  return a < b ? -1 : a > b ? 1 : 0;
}

const HOLDS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Throws Refused if the expected result is error 6000. */
export function evaluateRow(expression: Expression, row: readonly Value[]): Value {
  const of = (child: Expression): Value => evaluateRow(child, row);
  switch (expression.op) {
    case 'constant':
      return expression.value;
    case 'input':
      return row[expression.input];
    case 'and':
    case 'or':
      return logic(expression.members, expression.op === 'or', of);
    case 'not': {
      const value = of(expression.member);
      return value === null ? null : !value;
    }
    case 'is-null':
      return (of(expression.of) === null) !== expression.negated;
    case 'compare': {
      const [left, right] = [of(expression.left), of(expression.right)];
      return left === null || right === null
        ? null
        : HOLDS[expression.comparison](compareValues(left, right));
    }
    case 'in': {
      const value = of(expression.of);
      if (value === null) return null;
      if (expression.values.includes(value)) return !expression.negated;
      return expression.values.includes(null) ? null : expression.negated;
    }
    case 'like': {
      const value = of(expression.of);
      if (value === null) return null;
      return like(String(value), expression.pattern, expression.escape) !== expression.negated;
    }
    case 'case': {
      const taken = expression.branches.find(({ when }) => of(when) === true);
      const then = taken?.then ?? expression.otherwise;
      return then === null ? null : of(then);
    }
    case 'coalesce': {
      for (const member of expression.members) {
        const value = of(member);
        if (value !== null) return value;
      }
      return null;
    }
    case 'null-if': {
      const [value, other] = [of(expression.of), of(expression.equals)];
      return value !== null && other !== null && compareValues(value, other) === 0 ? null : value;
    }
    case 'arithmetic':
      return arithmetic(expression.operator, of(expression.left), of(expression.right));
    case 'cast':
      return cast(of(expression.of), expression.of.type, expression.type, expression.lenient);
    case 'call':
      return call(expression, expression.args.map(of));
  }
}

function logic(members: readonly Expression[], settling: boolean, of: (member: Expression) => Value): Value {
  let missing = false;
  for (const member of members) {
    const value = of(member);
    if (value === settling) return settling;
    if (value === null) missing = true;
  }
  return missing ? null : !settling;
}

/** Matches by a table over all prefixes of both texts. */
function like(text: string, pattern: string, escapedBy: string | null): boolean {
  const points = Array.from(text);
  const steps: (string | { any: 'one' | 'some' })[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    if (characters[index] === escapedBy) steps.push(characters[++index]);
    else if (characters[index] === '%') steps.push({ any: 'some' });
    else if (characters[index] === '_') steps.push({ any: 'one' });
    else steps.push(characters[index]);
  }
  let reached = points.concat('').map((_, index) => index === 0);
  for (const step of steps) {
    const next = reached.map(() => false);
    reached.forEach((is, index) => {
      if (!is) return;
      if (typeof step !== 'string' && step.any === 'some') next.fill(true, index);
      else if (index < points.length && (typeof step !== 'string' || points[index] === step))
        next[index + 1] = true;
    });
    reached = next;
  }
  return reached[points.length];
}

function arithmetic(operator: '+' | '-' | '*' | '/' | '%', a: Value, b: Value): Value {
  if (a === null || b === null) return null;
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    switch (operator) {
      case '+':
        return digits(a + b);
      case '-':
        return digits(a - b);
      case '*':
        return digits(a * b);
      default:
        return b === 0n ? null : a % b;
    }
  }
  const [x, y] = [Number(a), Number(b)];
  const results = { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '%': x % y };
  return finite(results[operator]);
}

/** value / divisor, for a positive divisor. */
function divide(value: bigint, divisor: bigint, way: 'half-away' | 'floor' | 'ceiling' | 'truncate'): bigint {
  const truncated = value / divisor;
  const rest = value - truncated * divisor;
  if (rest === 0n || way === 'truncate') return truncated;
  if (way === 'floor') return value < 0n ? truncated - 1n : truncated;
  if (way === 'ceiling') return value > 0n ? truncated + 1n : truncated;
  const twice = rest < 0n ? -rest * 2n : rest * 2n;
  return twice >= divisor ? truncated + (value < 0n ? -1n : 1n) : truncated;
}

const rescale = (value: bigint, places: number): bigint =>
  places >= 0 ? digits(value * 10n ** BigInt(places)) : divide(value, 10n ** BigInt(-places), 'half-away');

function cast(value: Value, from: SqlType, to: SqlType, lenient: boolean): Value {
  if (value === null) return null;
  try {
    return castStrictly(value, from, to);
  } catch (error) {
    if (error instanceof Refused && lenient) return null;
    throw error;
  }
}

function castStrictly(value: Exclude<Value, null>, from: SqlType, to: SqlType): Value {
  if (from.type === 'text' || from.type === 'json')
    return to.type === 'text' ? value : fromText(String(value), to);
  switch (to.type) {
    case 'text':
    case 'json':
      return toText(value, from);
    case 'boolean':
      return typeof value === 'boolean' ? value : Number(value) !== 0 && value !== 0n;
    case 'float':
      if (typeof value !== 'bigint') return Number(value);
      return Number(`${value}e-${scaleOf(from)}`) + 0;
    case 'date':
      if (from.type === 'date') return value;
      return BigInt(Math.floor(Number(value) / 86_400));
    case 'datetime':
      return from.type === 'date' ? BigInt(value as bigint) * 86_400n : value;
    default: {
      if (typeof value === 'bigint') return rescale(value, scaleOf(to) - scaleOf(from));
      if (typeof value === 'boolean') return rescale(value ? 1n : 0n, scaleOf(to));
      return fromFloat(value as number, to);
    }
  }
}

function fromFloat(value: number, to: SqlType): bigint {
  const scaled = value * Number(`1e${scaleOf(to)}`);
  if (!Number.isFinite(scaled)) throw new Refused('digits');
  const whole = BigInt(Math.trunc(scaled));
  const rest = Math.abs(scaled - Math.trunc(scaled));
  const up = to.type === 'integer' ? rest > 0.5 || (rest === 0.5 && whole % 2n !== 0n) : rest >= 0.5;
  return digits(up ? whole + (scaled < 0 ? -1n : 1n) : whole);
}

function fromText(text: string, to: SqlType): Value {
  const trimmed = text.trim();
  const unreadable = new Refused(`${text} as ${to.type}`);
  switch (to.type) {
    case 'boolean':
      if (/^(true|t|yes|y|1)$/i.test(text)) return true;
      if (/^(false|f|no|n|0)$/i.test(text)) return false;
      throw unreadable;
    case 'date':
    case 'datetime': {
      const seconds = secondsOfText(trimmed);
      if (seconds === null) throw unreadable;
      return BigInt(to.type === 'date' ? Math.floor(seconds / 86_400) : seconds);
    }
    case 'json':
      try {
        JSON.parse(text);
        return text;
      } catch {
        throw unreadable;
      }
  }
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(trimmed);
  if (match === null || `${match[2]}${match[3] ?? ''}` === '') throw unreadable;
  if (to.type === 'float') {
    const value = Number(trimmed);
    if (!Number.isFinite(value)) throw unreadable;
    return value + 0;
  }
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const places = scaleOf(to) + Number(exponent) - fraction.length;
  if (/^0*$/.test(whole + fraction)) return 0n;
  if (places > 60) throw unreadable;
  const value = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  return places >= -2_000 ? rescale(value, places) : 0n;
}

function secondsOfText(text: string): number | null {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:[Zz]|([+-])(\d\d):?(\d\d)?)?)?$/.exec(
      text,
    );
  if (match === null) return null;
  const [year, month, day, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = dateOf(year, month, day);
  if (date === null || hour > 23 || minute > 59 || second > 59) return null;
  const sign = match[7] === '-' ? -1 : 1;
  const offset = sign * (Number(match[8] ?? 0) * 3_600 + Number(match[9] ?? 0) * 60);
  const seconds = date.getTime() / 1_000 + hour * 3_600 + minute * 60 + second - offset;
  return Math.abs(new Date(seconds * 1_000).getUTCFullYear() - 5_000) <= 5_000 ? seconds : null;
}

/** Null if the date does not exist. */
function dateOf(year: number, month: number, day: number): Date | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : null;
}

function toText(value: Exclude<Value, null>, from: SqlType): string {
  switch (from.type) {
    case 'date':
      return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
    case 'datetime':
      return `${new Date(Number(value) * 1_000).toISOString().slice(0, 19)}Z`;
    case 'decimal': {
      const text = String(value)
        .replace('-', '')
        .padStart(from.scale + 1, '0');
      const fraction = text.slice(text.length - from.scale).replace(/0+$/, '');
      const whole = text.slice(0, text.length - from.scale);
      return `${(value as bigint) < 0n ? '-' : ''}${whole}.${from.scale === 0 || fraction === '' ? '0' : fraction}`;
    }
    case 'float':
      return /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
    default:
      return String(value);
  }
}

const LIMIT = 1_000_000;

function limited(text: string): string {
  if (text.length > LIMIT) throw new Refused('length');
  return text;
}

type Call = Extract<Expression, { readonly op: 'call' }>;

function call(expression: Call, args: readonly Value[]): Value {
  const { name, type, unit } = expression;
  const types = expression.args.map((arg) => arg.type);
  if (name === 'concat') return limited(args.filter((arg) => arg !== null).join(''));
  if (name === 'greatest' || name === 'least') {
    const sign = name === 'greatest' ? 1 : -1;
    const present = args.filter((arg) => arg !== null);
    return present.length === 0 ? null : present.reduce((a, b) => (compareValues(b, a) * sign > 0 ? b : a));
  }
  if (args.includes(null)) return null;
  if (unit !== null || name === 'make-date') return dateCall(name, unit ?? '', args as bigint[], types, type);
  if (typeof args[0] === 'string') return textCall(name, args);
  return numberCall(name, args, types, type);
}

function simpleCase(text: string, change: (character: string) => string): string {
  return Array.from(text, (character) => {
    const changed = change(character);
    return Array.from(changed).length === 1 ? changed : character;
  }).join('');
}

const SPACES = /[\p{Zs}]/u;

function textCall(name: ScalarFunction, args: readonly Value[]): Value {
  const text = String(args[0]);
  const points = Array.from(text);
  const number = Number(args[1]);
  const other = String(args[1]);
  switch (name) {
    case 'lower':
      return simpleCase(text, (character) => (character === 'İ' ? 'i' : character.toLowerCase()));
    case 'upper':
      return simpleCase(text, (character) => character.toUpperCase());
    case 'length':
      return BigInt(points.length);
    case 'trim':
    case 'ltrim':
    case 'rtrim': {
      const isTrimmed = (point: string): boolean =>
        args.length > 1 ? other.includes(point) : SPACES.test(point);
      while (name !== 'rtrim' && points.length > 0 && isTrimmed(points[0])) points.shift();
      while (name !== 'ltrim' && points.length > 0 && isTrimmed(points[points.length - 1])) points.pop();
      return points.join('');
    }
    case 'substring': {
      const start = number > 0 ? number - 1 : number < 0 ? points.length + number : -1;
      const length = args.length > 2 ? Number(args[2]) : points.length - start;
      const [from, to] = length < 0 ? [start + length, start] : [start, start + length];
      return points.filter((_, index) => index >= from && index < to).join('');
    }
    case 'left':
      return points.slice(0, number < 0 ? Math.max(points.length + number, 0) : number).join('');
    case 'right':
      return points.filter((_, index) => index >= (number < 0 ? -number : points.length - number)).join('');
    case 'replace':
      return other === '' ? text : limited(text.split(other).join(String(args[2])));
    case 'concat-strict':
      return limited(args.join(''));
    case 'reverse':
      return points.reverse().join('');
    case 'position': {
      const at = String(args[1]).indexOf(text);
      return at === -1 ? 0n : BigInt(Array.from(other.slice(0, at)).length + 1);
    }
    case 'lpad':
    case 'rpad': {
      const filler = Array.from(args.length > 2 ? String(args[2]) : ' ');
      if (number > LIMIT) throw new Refused('length');
      if (points.length >= number) return points.slice(0, Math.max(number, 0)).join('');
      if (filler.length === 0) return text;
      const fill = Array.from(
        { length: number - points.length },
        (_, index) => filler[index % filler.length],
      ).join('');
      return name === 'lpad' ? fill + text : text + fill;
    }
    case 'repeat':
      if (number > 0 && text.length * number > LIMIT) throw new Refused('length');
      return number > 0 ? text.repeat(number) : '';
    case 'starts-with':
      return text.startsWith(other);
    case 'ends-with':
      return text.endsWith(other);
    case 'contains':
      return text.includes(other);
    default:
      throw new Error(`${name} is not a function of texts`);
  }
}

function numberCall(
  name: ScalarFunction,
  args: readonly Value[],
  types: readonly SqlType[],
  type: SqlType,
): Value {
  const [value] = args;
  if (typeof value === 'bigint' && type.type !== 'float')
    return exactCall(name, value, args, scaleOf(types[0]), scaleOf(type));
  const x = typeof value === 'bigint' ? Number(`${value}e-${scaleOf(types[0])}`) : Number(value);
  switch (name) {
    case 'negate':
      return finite(-x);
    case 'abs':
      return finite(Math.abs(x));
    case 'sign':
      return BigInt(Math.sign(x));
    case 'floor':
      return finite(Math.floor(x));
    case 'ceiling':
      return finite(Math.ceil(x));
    case 'truncate':
      return finite(Math.trunc(x));
    case 'round':
      return finite(roundFloat(x, Number(args[1] ?? 0)));
    case 'sqrt':
      return finite(Math.sqrt(x));
    case 'exp':
      return finite(Math.exp(x));
    case 'ln':
      return finite(Math.log(x));
    case 'log10':
      return finite(Math.log10(x));
    case 'power':
      return finite(x ** Number(args[1]));
    default:
      throw new Error(`${name} is not a function of numbers`);
  }
}

function roundFloat(value: number, places: number): number {
  const power = Number(`1e${Math.abs(places)}`);
  const scaled = places >= 0 ? value * power : value / power;
  const whole = Math.trunc(scaled);
  const rounded = Math.abs(scaled - whole) >= 0.5 ? whole + Math.sign(scaled) : whole;
  const result = places >= 0 ? rounded / power : rounded * power;
  return Number.isFinite(result) ? result : places > 0 ? value : 0;
}

function exactCall(
  name: ScalarFunction,
  value: bigint,
  args: readonly Value[],
  scale: number,
  resultScale: number,
): Value {
  const to = (result: bigint, at: number): bigint => rescale(result, resultScale - at);
  switch (name) {
    case 'negate':
      return to(-value, scale);
    case 'abs':
      return to(value < 0n ? -value : value, scale);
    case 'sign':
      return to(value < 0n ? -1n : value > 0n ? 1n : 0n, 0);
    case 'floor':
    case 'ceiling':
      return to(divide(value, 10n ** BigInt(scale), name), 0);
    case 'round':
    case 'truncate': {
      const places = Number(args[1] ?? 0);
      if (places >= scale) return to(value, scale);
      return to(divide(value, 10n ** BigInt(scale - places), name === 'round' ? 'half-away' : name), places);
    }
    default:
      throw new Error(`${name} is not a function of exact numbers`);
  }
}

const instantOf = (value: bigint, type: SqlType): Date =>
  new Date(Number(value) * (type.type === 'date' ? 86_400_000 : 1_000));

const MILLISECONDS: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  minute: 60_000,
  second: 1_000,
  day: 86_400_000,
};
const MONTHS: Readonly<Record<string, number>> = {
  millennium: 12_000,
  century: 1_200,
  decade: 120,
  year: 12,
  quarter: 3,
  month: 1,
};

function dateCall(
  name: ScalarFunction,
  unit: string,
  args: readonly bigint[],
  types: readonly SqlType[],
  type: SqlType,
): Value {
  const back = (date: Date): bigint => {
    if (Number.isNaN(date.getTime()) || Math.abs(date.getUTCFullYear() - 4_999.5) > 5_000)
      throw new Refused('years');
    return BigInt(Math.floor(date.getTime() / (type.type === 'date' ? 86_400_000 : 1_000)));
  };
  switch (name) {
    case 'make-date': {
      const [year, month, day] = args.map(Number);
      const date = year < 0 || year > 9_999 ? null : dateOf(year, month, day);
      if (date === null) throw new Refused('date');
      return back(date);
    }
    case 'date-part':
      return BigInt(datePart(unit, instantOf(args[0], types[0])));
    case 'date-truncate':
      return back(unitStart(unit, instantOf(args[0], types[0])));
    case 'date-add':
      return back(later(unit, Number(args[0]), instantOf(args[1], types[1])));
    default:
      return BigInt(distance(unit, instantOf(args[0], types[0]), instantOf(args[1], types[1])));
  }
}

const dayStart = (date: Date): number => Math.floor(date.getTime() / 86_400_000) * 86_400_000;

function datePart(unit: string, date: Date): number {
  const year = date.getUTCFullYear();
  switch (unit) {
    case 'millennium':
    case 'century': {
      const years = unit === 'century' ? 100 : 1_000;
      return year < 1 ? -1 : Math.ceil(year / years);
    }
    case 'decade':
      return Math.floor(year / 10);
    case 'year':
      return year;
    case 'weekday-from-zero':
      return date.getUTCDay();
    case 'iso-weekday':
      return date.getUTCDay() || 7;
    case 'iso-year':
      return new Date(dayStart(date) + (4 - (date.getUTCDay() || 7)) * 86_400_000).getUTCFullYear();
    case 'epoch':
      return Math.floor(date.getTime() / 1_000);
    case 'millisecond':
      return date.getUTCSeconds() * 1_000;
    case 'microsecond':
      return date.getUTCSeconds() * 1_000_000;
    case 'julian':
      return dayStart(date) / 86_400_000 + 2_440_588;
    case 'zone':
      return 0;
    case 'quarter':
      return Math.ceil((date.getUTCMonth() + 1) / 3);
    case 'month':
      return date.getUTCMonth() + 1;
    case 'day':
      return date.getUTCDate();
    case 'weekday':
      return date.getUTCDay() + 1;
    case 'hour':
      return date.getUTCHours();
    case 'minute':
      return date.getUTCMinutes();
    case 'second':
      return date.getUTCSeconds();
    case 'day-of-year':
      return (dayStart(date) - unitStart('year', date).getTime()) / 86_400_000 + 1;
    default: {
      // The week belongs to the year of its Thursday.
      const thursday = new Date(dayStart(date) + (4 - (date.getUTCDay() || 7)) * 86_400_000);
      return Math.floor((datePart('day-of-year', thursday) - 1) / 7) + 1;
    }
  }
}

function unitStart(unit: string, date: Date): Date {
  if (unit === 'week') return new Date(dayStart(date) - ((date.getUTCDay() + 6) % 7) * 86_400_000);
  const length = MILLISECONDS[unit];
  if (length !== undefined) return new Date(Math.floor(date.getTime() / length) * length);
  const start = new Date(0);
  if (MONTHS[unit] > 12) {
    const years = MONTHS[unit] / 12;
    const first = unit === 'decade' ? 0 : 1;
    start.setUTCFullYear(Math.floor((date.getUTCFullYear() - first) / years) * years + first, 0, 1);
    return start;
  }
  const month = date.getUTCMonth() - (date.getUTCMonth() % MONTHS[unit]);
  start.setUTCFullYear(date.getUTCFullYear(), month, 1);
  return start;
}

function later(unit: string, amount: number, date: Date): Date {
  const length = unit === 'week' ? 7 * 86_400_000 : MILLISECONDS[unit];
  if (length !== undefined) return new Date(date.getTime() + amount * length);
  const moved = new Date(date.getTime());
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount * MONTHS[unit];
  if (!(Math.abs(months) < 1_000_000)) return new Date(Number.NaN);
  const [year, month] = [Math.floor(months / 12), ((months % 12) + 12) % 12];
  const last = new Date(0);
  last.setUTCFullYear(year, month + 1, 0);
  moved.setUTCFullYear(year, month, Math.min(date.getUTCDate(), last.getUTCDate()));
  return moved;
}

function distance(unit: string, from: Date, to: Date): number {
  if (unit === 'week') return Math.trunc((dayStart(to) - dayStart(from)) / (7 * 86_400_000)) + 0;
  const months = MONTHS[unit];
  const first = unit === 'century' || unit === 'millennium' ? 1 : 0;
  if (months > 12) {
    const ofUnit = (date: Date): number => Math.floor((date.getUTCFullYear() - first) / (months / 12));
    return ofUnit(to) - ofUnit(from);
  }
  const number = (date: Date): number =>
    months === undefined
      ? Math.floor(date.getTime() / MILLISECONDS[unit])
      : date.getUTCFullYear() * (12 / months) + Math.floor(date.getUTCMonth() / months);
  return number(to) - number(from);
}
