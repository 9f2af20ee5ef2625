/**
 * SQL compares text without case: what is compared is brought to lower-case letters first. Stored text has none other, so
 * columns stay as they are and their dictionaries are compared.
 */
import { type Expression, TEXT } from '../../ir/index.js';
import { lowerCase } from '../../schema/index.js';
import { callOf, constantOf } from './build.js';
import type { Scope } from './scope.js';

/** `expression` as it is compared, grouped and ordered: text in lower-case letters, anything else as it is. */
export function comparable(expression: Expression, scope: Scope): Expression {
  if (expression.type.type !== 'text') return expression;
  if (expression.op === 'constant') {
    return expression.value === null ? expression : constantOf(TEXT, lowerCase(String(expression.value)));
  }
  return isLowerCase(expression, scope) ? expression : callOf('lower', TEXT, [expression]);
}

/** Whether a text has no upper-case letters, whatever the row. */
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

/** Numbers, dates and truth values write no upper-case letters, but datetimes the T and the Z. */
function castIsLowerCase(of: Expression, scope: Scope): boolean {
  if (of.type.type === 'text') return isLowerCase(of, scope);
  return of.type.type !== 'datetime' && of.type.type !== 'json';
}

function callIsLowerCase({ name, args }: Extract<Expression, { op: 'call' }>, scope: Scope): boolean {
  if (name === 'lower') return true;
  if (name === 'upper') return false;
  // Numbers among the arguments (starts, lengths) put no letters in; the text that replace looks for neither, but no harm.
  return args.every(({ type }, index) => type.type !== 'text' || isLowerCase(args[index], scope));
}
