/**
 * SQL compares text without case: operands are lower-cased first. Stored text is in lower case already, so columns are compared
 * unchanged, by dictionary.
 */
import { type Expression, TEXT } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import type { Scope } from '../scope.js';
import { callOf, constantOf } from './build.js';

/** The form of `expression` for comparing, grouping and ordering: text is lower-cased, other types are unchanged. */
export function comparable(expression: Expression, scope: Scope): Expression {
  if (expression.type.type !== 'text') return expression;
  if (expression.op === 'constant') {
    return expression.value === null ? expression : constantOf(TEXT, lowerCase(String(expression.value)));
  }
  return isLowerCase(expression, scope) ? expression : callOf('lower', TEXT, [expression]);
}

/** Whether a text expression never yields upper-case letters. */
export function isLowerCase(expression: Expression, scope: Scope): boolean {
  const every = (members: readonly Expression[]): boolean =>
    members.every((member) => isLowerCase(member, scope));
  switch (expression.op) {
    case 'constant':
      return expression.value === null || lowerCase(String(expression.value)) === expression.value;
    case 'input':
      return scope.traits(expression.input).lowerCase;
    case 'case':
      return every([
        ...expression.branches.map(({ then }) => then),
        ...(expression.otherwise === null ? [] : [expression.otherwise]),
      ]);
    case 'coalesce':
      return every(expression.members);
    case 'null-if':
      return isLowerCase(expression.of, scope);
    case 'cast':
      return castIsLowerCase(expression.of, scope);
    case 'call':
      return callIsLowerCase(expression, scope);
    default:
      return false;
  }
}

/** Numbers, dates and booleans convert to text without upper-case letters; datetimes contain T and Z. */
function castIsLowerCase(of: Expression, scope: Scope): boolean {
  if (of.type.type === 'text') return isLowerCase(of, scope);
  return of.type.type !== 'datetime' && of.type.type !== 'json';
}

function callIsLowerCase({ name, args }: Extract<Expression, { op: 'call' }>, scope: Scope): boolean {
  if (name === 'lower') return true;
  if (name === 'upper') return false;
  // Number arguments (starts, lengths) add no letters. Neither does the search text of replace; testing it is harmless.
  return args.every(({ type }, index) => type.type !== 'text' || isLowerCase(args[index], scope));
}
