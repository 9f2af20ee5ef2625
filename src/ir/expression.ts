/**
 * Bound scalar expressions as plain data, over the inputs of a plan: the form of SQL's projections, filters, keys and
 * orders. src/expression evaluates them vector by vector.
 * Rules: every node has its type. The binder inserts casts, so the two sides of a comparison or of + - % have the
 * same type (decimals the same scale) and no node converts implicitly. Three-valued logic: a missing operand gives a
 * missing value unless a node states otherwise. Text is compared as UTF-8 bytes; for SQL's case-insensitive comparison
 * the binder lower-cases all text that is not in lower case already.
 */
import type { SqlType } from '../vector/index.js';

export const SCALAR_FUNCTIONS = [
  // Text
  'lower',
  'upper',
  'length', // code points
  'trim', // text, characters to remove at both ends (default: spaces)
  'ltrim',
  'rtrim',
  'substring', // missing arguments are ignored
  'left',
  'right',
  'replace',
  'concat', // missing arguments are ignored
  'concat-strict', // ||: missing if any argument is missing
  'reverse',
  'position', // substring, text; from 1, 0 = not found
  'lpad',
  'rpad',
  'repeat',
  'starts-with',
  'ends-with',
  'contains',
  'split-part', // text, delimiter, field from 1; negative: from the end
  'concat-separated', // separator, texts; missing texts are ignored
  'translate', // text, characters, their replacements
  'initial-capitals',
  'character', // of a code point
  'first-point', // integer
  'overlay', // text, replacement, start[, length]
  'octet-length', // bytes of UTF-8
  'md5', // in hexadecimal digits
  'sha256',
  'encode', // text, form: hex, base64, escape
  'decode',
  'format', // format, texts; missing texts are allowed
  'write-number', // number as text, template of TO_CHAR, whether it is a float
  'read-number', // text, template of TO_NUMBER: the number as text
  'in-base', // integer as text, base: the digits of its 64 bits
  'quote-literal',
  'quote-nullable', // missing texts are allowed
  'quote-name',
  'regex-like', // text, pattern, options
  'regex-replace', // text, pattern, replacement, start, occurrence (0 = all, -1 = by the option g), options
  'regex-substring', // text, pattern, start, occurrence, options, group; missing without a match
  'regex-count', // text, pattern, start, options
  'regex-position', // text, pattern, start, occurrence, end (0 or 1), options, group; 0 without a match
  'regex-match', // text, pattern, options: the groups of the first match, or the match, as JSON array; missing without a match
  'regex-matches', // text, pattern, options: a JSON array of such arrays; with the option g of all matches
  'regex-split', // text, pattern, options: the parts between the matches as JSON array
  'similar', // text, pattern[, escape character]: SIMILAR TO
  'like-pattern', // text, pattern[, escape character]: LIKE with a pattern that is not constant
  // Numbers: results have the operand's type unless noted; sqrt to log10 take and return floats
  'negate',
  'abs',
  'sign', // integer
  'floor', // of exact operands integer
  'ceiling', // of exact operands integer
  'round', // number, digits (constant integer, may be negative): half away from zero
  'truncate', // the same, towards zero
  'round-even', // of a float, half to even
  'sqrt',
  'power',
  'exp',
  'ln',
  'log10',
  // of floats, with float results
  ...(['cbrt', 'log2', 'degrees', 'radians', 'sin', 'cos', 'tan', 'cot', 'asin', 'acos', 'atan'] as const),
  ...(['sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const),
  'atan2', // y, x
  'log-base', // base, number
  // Functions of integers with integer results; divide-whole also takes other numbers of one type
  'divide-whole', // the quotient without its fraction: integer if the operands are exact; x / 0 is missing
  'gcd',
  'lcm',
  'factorial',
  ...(['bit-and', 'bit-or', 'bit-xor', 'bit-not'] as const),
  ...(['shift-left', 'shift-right'] as const), // number, count from 0 to 63; results have at most 64 bits
  'width-bucket', // number, low and high of one type, count: 0 to count + 1
  'divide', // two operands of one type: a decimal, or of integers truncated towards zero, or a float; x / 0 throws 6000
  'numeric-text', // of a number: the text that PostgreSQL prints
  'limit-digits', // exact number, most digits (constant integer); a value with more throws 6000
  'checked', // value, condition, message (constant text): the value; a false condition throws 6000 with the message
  'modulo', // two operands of one type; x % 0 throws 6000
  // From the number of pairs (x, y), the sums of x, y, x^2, y^2 and xy, all exact: floats
  ...(['var-pop', 'var-samp', 'stddev-pop', 'stddev-samp', 'covar-pop', 'covar-samp', 'corr'] as const),
  ...(['regr-slope', 'regr-intercept', 'regr-r2', 'regr-avgx', 'regr-avgy'] as const),
  ...(['regr-sxx', 'regr-syy', 'regr-sxy'] as const),
  // Packed texts: a text after keys, so that texts are ordered by the keys (src/expression/functions/packed.ts)
  'pack', // directions of the keys (constant), text, keys
  'packed-text', // of a packed text
  'json-item', // the value as JSON; never missing
  'json-length', // of a JSON array; missing for another value
  'list-item', // JSON array, position from 1 or -1 from the end (integer): the item as json-extract-text returns it
  'list-json', // as list-item, but the item as JSON
  'list-text', // JSON array, separator, text for null (without it, null is left out): the items as one text
  'text-list', // text or NULL, separator (NULL: single characters), text for null or NULL: the parts as JSON array
  'json-extract', // JSON, path: the value as JSON
  'json-extract-text', // JSON, path: a string without quotes, another value as JSON
  'json-path-text', // JSON, keys: the same at a path of keys; a text of digits is also an index of an array
  'json-type', // of JSON: object, array, string, number, boolean or null
  // Points are JSON: [longitude,latitude]
  'geo-point', // longitude, latitude (floats)
  ...(['longitude', 'latitude'] as const), // of a point: float
  'geo-distance', // of two points: metres, float
  'geo-within-radius', // point, center, metres (float)
  'geo-within-box', // point, south-west corner, north-east corner
  'geo-within-polygon', // point, corners as JSON text
  'random', // seed (float), identity of the row (text): float from 0 to below 1
  'greatest', // missing arguments are ignored
  'least',
  // Dates: units are given by `unit`, not by arguments; hour, minute and second only for datetimes
  'date-part', // date or datetime: integer
  'date-truncate', // date or datetime: the start of the unit, same type
  'date-add', // integer, date or datetime: same type
  'date-diff', // from, to of one type: boundaries crossed, integer
  'make-date', // year, month, day
  'make-datetime', // year, month, day, hour, minute, second (float)
  'from-epoch', // seconds since 1970-01-01 (float): datetime
  'date-bin', // seconds per bin, datetime, origin: the start of its bin
  'whole-units', // from, to: datetimes; the whole units between them, integer
  'write-date', // datetime, template of TO_CHAR, whether it is an instant (else a local time)
  'read-date', // text, template of TO_TIMESTAMP: datetime
  'strftime', // datetime, format
  'strptime', // text, format: datetime
  'try-strptime', // missing if the text does not match
  'local-time', // datetime, zone: the time that the zone's clocks show
  'zone-instant', // local time, zone: the instant
  'interval', // months, seconds
  'interval-length', // of an interval: seconds, with months of 30 days
  'interval-part', // of an interval: by `unit`, integer
  'interval-sum', // of two intervals
  'interval-product', // interval, factor, divisor (floats): rounded to whole seconds; divisor 0 throws 6000
  'add-interval', // datetime, interval: datetime
  'age', // later, earlier: datetimes; the interval of years, months, days and time between them
] as const;
export type ScalarFunction = (typeof SCALAR_FUNCTIONS)[number];

/** Functions of texts that throw 6000 for some arguments, or whose result can be too long. */
export const FAILING_TEXT_FUNCTIONS: ReadonlySet<ScalarFunction> = new Set<ScalarFunction>([
  ...(['replace', 'concat', 'concat-strict', 'lpad', 'rpad', 'repeat', 'split-part'] as const),
  ...(['concat-separated', 'character', 'overlay', 'encode', 'decode', 'format'] as const),
  ...(['quote-literal', 'quote-nullable', 'quote-name', 'like-pattern'] as const),
  ...([
    'write-number',
    'read-number',
    'json-extract',
    'json-extract-text',
    'in-base',
    'list-text',
    'text-list',
  ] as const),
  ...(['geo-point', 'longitude', 'latitude', 'geo-distance', 'geo-within-radius'] as const),
  ...(['geo-within-box', 'geo-within-polygon'] as const),
  ...([
    'regex-like',
    'regex-replace',
    'regex-substring',
    'regex-count',
    'regex-position',
    'regex-match',
    'regex-matches',
    'regex-split',
    'similar',
  ] as const),
]);

/** Functions of dates that throw 6000 for some arguments. */
export const FAILING_DATE_FUNCTIONS: ReadonlySet<ScalarFunction> = new Set<ScalarFunction>([
  ...(['date-add', 'date-truncate', 'make-date', 'make-datetime', 'from-epoch', 'date-bin'] as const),
  ...(['write-date', 'read-date', 'strftime', 'strptime', 'try-strptime'] as const),
  ...(['local-time', 'zone-instant', 'interval', 'interval-sum', 'interval-product'] as const),
  ...(['add-interval', 'age'] as const),
]);

/** Units that are lengths of time. */
export const LENGTH_UNITS = [
  ...(['millennium', 'century', 'decade', 'year', 'quarter', 'month'] as const),
  'week', // ISO weeks, from Monday
  ...(['day', 'hour', 'minute', 'second'] as const),
] as const;

/** Units that are only parts of a date, for date-part. */
export const PART_UNITS = [
  'weekday', // 1 = Sunday, ..., 7 = Saturday
  'weekday-from-zero', // 0 = Sunday, ..., 6 = Saturday
  'iso-weekday', // 1 = Monday, ..., 7 = Sunday
  'day-of-year',
  'iso-year', // the year of the ISO week
  'epoch', // seconds since 1970-01-01
  'millisecond', // of the minute, as are microseconds
  'microsecond',
  'julian', // days since 4714-11-24 BC
  'zone', // 0: all datetimes are in UTC
] as const;

export const DATE_UNITS = [...LENGTH_UNITS, ...PART_UNITS] as const;
export type DateUnit = (typeof DATE_UNITS)[number];

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** The comparison with its operands exchanged. */
export const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** Exact types: bigint in stored form; float: number. */
export interface Constant {
  readonly op: 'constant';
  readonly type: SqlType;
  readonly value: bigint | number | string | boolean | null;
}

export type Expression =
  | Constant
  /** Input `input` of the plan. */
  | { readonly op: 'input'; readonly type: SqlType; readonly input: number }
  | { readonly op: 'and' | 'or'; readonly type: SqlType; readonly members: readonly Expression[] }
  | { readonly op: 'not'; readonly type: SqlType; readonly member: Expression }
  /** Never missing. */
  | { readonly op: 'is-null'; readonly type: SqlType; readonly of: Expression; readonly negated: boolean }
  | {
      readonly op: 'compare';
      readonly type: SqlType;
      readonly comparison: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  /**
   * The operand equals one of the constants, which have its type; the list may be empty. If a constant is missing and
   * no other matches, the result is missing.
   */
  | {
      readonly op: 'in';
      readonly type: SqlType;
      readonly of: Expression;
      readonly values: readonly Constant['value'][];
      readonly negated: boolean;
    }
  /** `pattern`: % matches any text, _ any one code point; `escape` before either makes it literal. Case-sensitive. */
  | {
      readonly op: 'like';
      readonly type: SqlType;
      readonly of: Expression;
      readonly pattern: string;
      readonly escape: string | null;
      readonly negated: boolean;
    }
  /** The first branch whose `when` is true; each branch is evaluated only for rows that reach it. null = missing. */
  | {
      readonly op: 'case';
      readonly type: SqlType;
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
      readonly otherwise: Expression | null;
    }
  /** The first member that is not missing; later members are evaluated only for rows that reach them. */
  | { readonly op: 'coalesce'; readonly type: SqlType; readonly members: readonly Expression[] }
  /** Missing where both are equal, otherwise `of`. */
  | { readonly op: 'null-if'; readonly type: SqlType; readonly of: Expression; readonly equals: Expression }
  /**
   * Exact operands: + - % of one scale keep that scale, * adds the scales. Float operands give floats. / takes floats
   * only. x / 0, x % 0 and non-finite float results are missing; results of more than DIGITS_MAX digits throw 6000.
   */
  | {
      readonly op: 'arithmetic';
      readonly type: SqlType;
      readonly operator: '+' | '-' | '*' | '/' | '%';
      readonly left: Expression;
      readonly right: Expression;
    }
  /**
   * Converts to `type`; decimals are rounded half away from zero. A value that cannot be converted throws 6000, or is
   * missing with `lenient`.
   */
  | { readonly op: 'cast'; readonly type: SqlType; readonly of: Expression; readonly lenient: boolean }
  | {
      readonly op: 'call';
      readonly type: SqlType;
      readonly name: ScalarFunction;
      readonly args: readonly Expression[];
      /** For the date functions. */
      readonly unit: DateUnit | null;
    };

export const BOOLEAN: SqlType = { type: 'boolean' };
export const INTEGER: SqlType = { type: 'integer' };
export const FLOAT: SqlType = { type: 'float' };
export const TEXT: SqlType = { type: 'text' };

/** The operands of the expression, in source order. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.op) {
    case 'constant':
    case 'input':
      return [];
    case 'and':
    case 'or':
    case 'coalesce':
      return expression.members;
    case 'not':
      return [expression.member];
    case 'is-null':
    case 'in':
    case 'like':
    case 'cast':
      return [expression.of];
    case 'compare':
    case 'arithmetic':
      return [expression.left, expression.right];
    case 'null-if':
      return [expression.of, expression.equals];
    case 'call':
      return expression.args;
    case 'case': {
      const branches = expression.branches.flatMap(({ when, then }) => [when, then]);
      return expression.otherwise === null ? branches : [...branches, expression.otherwise];
    }
  }
}

/** The inputs that the expression reads. */
export function inputsOf(expression: Expression): ReadonlySet<number> {
  const found = new Set<number>();
  const left = [expression];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (part.op === 'input') found.add(part.input);
    left.push(...childrenOf(part));
  }
  return found;
}
