/**
 * Bound scalar expressions as plain data, over the inputs of a plan: what SQL's projections, filters, keys and orders
 * become. Evaluated by src/expression, vector by vector.
 * Rules: every node knows its type; whoever binds inserts casts, so the two sides of a comparison or of + - % have the same
 * type (decimals the same scale) and no node converts by itself. Three-valued logic; a missing operand makes a missing
 * value unless a node says otherwise. Text is compared as UTF-8 bytes: SQL's comparison without case comes from the
 * binder, which lower-cases what is not in lower-case letters already.
 */
import type { SqlType } from '../vector/index.js';

export const SCALAR_FUNCTIONS = [
  // Text
  'lower',
  'upper',
  'length', // code points
  'trim', // text, characters to take away at its ends (left out: spaces)
  'ltrim',
  'rtrim',
  'substring', // text, start from 1, length (may be left out)
  'left',
  'right',
  'replace',
  'concat', // missing arguments are left out
  'concat-strict', // ||: missing when any argument is
  'reverse',
  'position', // what, where; from 1, 0 = not there
  'lpad',
  'rpad',
  'repeat',
  'starts-with',
  'ends-with',
  'contains',
  // Numbers: of the operand's type where nothing else is said; sqrt to log10 take and give floats
  'negate',
  'abs',
  'sign', // integer
  'floor', // of exact operands integer
  'ceiling', // of exact operands integer
  'round', // number, digits (constant integer, may be negative): half away from zero
  'truncate', // the same, towards zero
  'sqrt',
  'power',
  'exp',
  'ln',
  'log10',
  'greatest', // missing arguments are left out
  'least',
  // Dates: units are `unit`, no arguments; hour, minute and second of datetimes only
  'date-part', // date or datetime: integer
  'date-truncate', // date or datetime: the start of the unit, same type
  'date-add', // integer, date or datetime: same type
  'date-diff', // from, to of one type: boundaries crossed, integer
  'make-date', // year, month, day
] as const;
export type ScalarFunction = (typeof SCALAR_FUNCTIONS)[number];

export const DATE_UNITS = [
  'year',
  'quarter',
  'month',
  'week', // ISO weeks, from Monday
  'day',
  'weekday', // date-part only: 1 = Sunday, ..., 7 = Saturday
  'day-of-year', // date-part only
  'hour',
  'minute',
  'second',
] as const;
export type DateUnit = (typeof DATE_UNITS)[number];

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

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
  /** One of the constants, which are of the operand's type, and may be none; a missing constant makes what is not found missing. */
  | {
      readonly op: 'in';
      readonly type: SqlType;
      readonly of: Expression;
      readonly values: readonly Constant['value'][];
      readonly negated: boolean;
    }
  /** `pattern`: % any text, _ any one code point, `escape` before them takes them literally. Matched as it stands. */
  | {
      readonly op: 'like';
      readonly type: SqlType;
      readonly of: Expression;
      readonly pattern: string;
      readonly escape: string | null;
      readonly negated: boolean;
    }
  /** The first branch whose `when` is true; only the rows that come to a branch are evaluated in it. null = missing. */
  | {
      readonly op: 'case';
      readonly type: SqlType;
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
      readonly otherwise: Expression | null;
    }
  /** The first that is not missing; later members are evaluated for the rows that come to them only. */
  | { readonly op: 'coalesce'; readonly type: SqlType; readonly members: readonly Expression[] }
  /** Missing where both are equal, else `of`. */
  | { readonly op: 'null-if'; readonly type: SqlType; readonly of: Expression; readonly equals: Expression }
  /**
   * Exact operands: + - % of one scale give that scale, * adds the scales. Float operands give floats. / takes floats
   * only. x / 0, x % 0 and float results that are no finite numbers are missing; more than DIGITS_MAX digits are 6000.
   */
  | {
      readonly op: 'arithmetic';
      readonly type: SqlType;
      readonly operator: '+' | '-' | '*' | '/' | '%';
      readonly left: Expression;
      readonly right: Expression;
    }
  /** To `type`; decimals lose digits by rounding half away from zero. What cannot be read as `type` is 6000, or missing with `lenient`. */
  | { readonly op: 'cast'; readonly type: SqlType; readonly of: Expression; readonly lenient: boolean }
  | {
      readonly op: 'call';
      readonly type: SqlType;
      readonly name: ScalarFunction;
      readonly args: readonly Expression[];
      /** Of the date functions. */
      readonly unit: DateUnit | null;
    };

export const BOOLEAN: SqlType = { type: 'boolean' };
export const INTEGER: SqlType = { type: 'integer' };
export const FLOAT: SqlType = { type: 'float' };
export const TEXT: SqlType = { type: 'text' };

/** What the expression is made of, in the order in which it stands. */
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

/** The inputs that it reads, each once. */
export function inputsOf(expression: Expression): ReadonlySet<number> {
  const found = new Set<number>();
  const left = [expression];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (part.op === 'input') found.add(part.input);
    left.push(...childrenOf(part));
  }
  return found;
}
