/**
 * SQL compares text without case: operands are lower-cased first. Stored text of most columns is in lower case already, so they
 * are compared unchanged, by dictionary. Text of a column that preserves case, and text computed from it, is compared exactly.
 */
import { type Expression, type ScalarFunction, TEXT } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import type { Scope, TextLetters } from '../scope.js';
import { callOf, constantOf } from './build.js';

type Inputs = Pick<Scope, 'traits'>;

/** The form of `expression` for comparing, grouping and ordering. */
export function comparable(expression: Expression, scope: Inputs): Expression {
  return comparableTogether([expression], scope)[0];
}

/** The forms of operands that are compared with each other: if one preserves case, all are compared exactly. */
export function comparableTogether<const Members extends readonly Expression[]>(
  members: Members,
  scope: Inputs,
): { readonly [Index in keyof Members]: Expression } {
  type Forms = { readonly [Index in keyof Members]: Expression };
  const isExact = members.some((member) => lettersOf(member, scope) === 'preserved');
  return (isExact ? members : members.map((member) => lowered(member, scope))) as Forms;
}

function lowered(expression: Expression, scope: Inputs): Expression {
  if (expression.type.type !== 'text') return expression;
  if (expression.op === 'constant') {
    return expression.value === null ? expression : constantOf(TEXT, lowerCase(String(expression.value)));
  }
  return isLowerCase(expression, scope) ? expression : callOf('lower', TEXT, [expression]);
}

/** Whether a text expression never yields upper-case letters. */
export const isLowerCase = (expression: Expression, scope: Inputs): boolean =>
  lettersOf(expression, scope) === 'lower';

/** The letters that an expression yields; 'mixed' if it is not text. */
export function lettersOf(expression: Expression, scope: Inputs): TextLetters {
  switch (expression.op) {
    case 'constant': {
      const { value } = expression;
      return value === null || (typeof value === 'string' && lowerCase(value) === value) ? 'lower' : 'mixed';
    }
    case 'input':
      return scope.traits(expression.input).letters;
    case 'case':
      return lettersOfAll(
        [
          ...expression.branches.map(({ then }) => then),
          ...(expression.otherwise === null ? [] : [expression.otherwise]),
        ],
        scope,
      );
    case 'coalesce':
      return lettersOfAll(expression.members, scope);
    case 'null-if':
      return lettersOf(expression.of, scope);
    case 'cast':
      return lettersOfCast(expression.of, scope);
    case 'call':
      return lettersOfCall(expression, scope);
    default:
      return 'mixed';
  }
}

function lettersOfAll(members: readonly Expression[], scope: Inputs): TextLetters {
  return lettersOfAny(members.map((member) => lettersOf(member, scope)));
}

/** The letters of a value that is one of several. */
export function lettersOfAny(letters: readonly TextLetters[]): TextLetters {
  if (letters.includes('preserved')) return 'preserved';
  return letters.every((of) => of === 'lower') ? 'lower' : 'mixed';
}

/** Numbers, dates and booleans convert to text without upper-case letters; datetimes contain T and Z. */
function lettersOfCast(of: Expression, scope: Inputs): TextLetters {
  if (of.type.type === 'text') return lettersOf(of, scope);
  return of.type.type === 'datetime' || of.type.type === 'json' ? 'mixed' : 'lower';
}

/** Functions that may return upper-case letters for texts in lower case. */
const CAPITALIZING: ReadonlySet<ScalarFunction> = new Set([
  ...(['upper', 'initial-capitals', 'character', 'encode', 'decode', 'format'] as const),
  ...([
    'quote-literal',
    'quote-nullable',
    'write-date',
    'write-number',
    'strftime',
    'json-extract-text',
  ] as const),
]);

function lettersOfCall({ name, args }: Extract<Expression, { op: 'call' }>, scope: Inputs): TextLetters {
  if (name === 'lower' || name === 'md5' || name === 'sha256') return 'lower';
  // Number arguments (starts, lengths) add no letters. Neither does the search text of replace; including it is harmless.
  const letters = lettersOfAll(
    args.filter(({ type }) => type.type === 'text' || type.type === 'json'),
    scope,
  );
  return CAPITALIZING.has(name) && letters === 'lower' ? 'mixed' : letters;
}
