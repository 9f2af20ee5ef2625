/** Binds LIKE, which compares like =, and ILIKE, which always ignores case. */
import { BOOLEAN, type Expression, TEXT } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { Binder } from '../binder.js';
import type { NodeOf } from '../scope.js';
import { callOf, constantOf, isNull, isTextConstant } from './build.js';
import { isLowerCase, lettersOf } from './text-case.js';
import { typeName } from './types.js';

const BACKSLASH = '\\';

export function bindLike(node: NodeOf<'like'>, binder: Binder): Expression {
  const { negated } = node;
  const of = binder.value(node.of);
  const pattern = binder.value(node.pattern);
  if (isNull(pattern) || isNull(of)) return constantOf(BOOLEAN, null);
  if (of.type.type !== 'text') {
    throw sqlError(`LIKE compares text, not ${typeName(of.type)}; CAST it AS text`, node.of.position);
  }
  if (!isTextConstant(pattern)) return likeAny(node, of, pattern, binder);
  const { scope } = binder;
  const isExact = !node.ignoresCase && lettersOf(of, scope) === 'preserved';
  const subject = isExact || isLowerCase(of, scope) ? of : callOf('lower', TEXT, [of]);
  const written = patternOf(node, pattern.value, isExact);
  return { op: 'like', type: BOOLEAN, of: subject, ...written, negated };
}

/** LIKE with a pattern that is not constant. */
function likeAny(
  { escape: escapedBy, ignoresCase, negated, pattern: { position } }: NodeOf<'like'>,
  of: Expression,
  pattern: Expression,
  { scope }: Binder,
): Expression {
  if (pattern.type.type !== 'text') {
    throw sqlError(`LIKE takes a text as its pattern, not ${typeName(pattern.type)}`, position);
  }
  const isExact = !ignoresCase && lettersOf(of, scope) === 'preserved';
  const args = [of, pattern].map((text) =>
    isExact || isLowerCase(text, scope) ? text : callOf('lower', TEXT, [text]),
  );
  if (escapedBy !== null && escapedBy !== '') {
    const plain = Array.from(escapedBy).length === 1 && !/\p{L}/u.test(escapedBy);
    if (!plain) throw sqlError('ESCAPE takes one character that is not a letter', position);
    args.push(constantOf(TEXT, escapedBy));
  }
  const like = callOf('like-pattern', BOOLEAN, args);
  return negated ? { op: 'not', type: BOOLEAN, member: like } : like;
}

/**
 * The pattern, lower-cased unless it is compared exactly. An escape character that is a letter would become ambiguous, so it is
 * replaced by a backslash.
 */
function patternOf(
  { escape: escapeCharacter, pattern: { position } }: NodeOf<'like'>,
  pattern: string,
  isExact: boolean,
): { readonly pattern: string; readonly escape: string | null } {
  const form = (text: string): string => (isExact ? text : lowerCase(text));
  if (escapeCharacter === null || escapeCharacter === '') return { pattern: form(pattern), escape: null };
  if (Array.from(escapeCharacter).length !== 1) throw sqlError('ESCAPE takes one character', position);
  let written = '';
  let escaped = false;
  for (const point of pattern) {
    if (!escaped && point === escapeCharacter) {
      escaped = true;
      continue;
    }
    const literal = point === BACKSLASH || (escaped && (point === '%' || point === '_'));
    written += literal ? BACKSLASH + point : point;
    escaped = false;
  }
  if (escaped) throw sqlError('the pattern ends with its ESCAPE character', position);
  return { pattern: form(written), escape: BACKSLASH };
}
