/** Binds LIKE, which ignores case like every comparison of text. */
import { BOOLEAN, type Expression } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import type { Binder } from '../binder.js';
import type { NodeOf } from '../scope.js';
import { constantOf, isNull, isTextConstant } from './build.js';
import { comparable } from './text-case.js';
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
  if (!isTextConstant(pattern)) throw sqlError('LIKE takes a pattern in quotes', node.pattern.position);
  const written = lowered(pattern.value, node.escape, node.pattern.position);
  return { op: 'like', type: BOOLEAN, of: comparable(of, binder.scope), ...written, negated };
}

/** Lower-cases the pattern. An escape character that is a letter would become ambiguous, so it is replaced by a backslash. */
function lowered(
  pattern: string,
  escapeCharacter: string | null,
  position: SourcePosition,
): { readonly pattern: string; readonly escape: string | null } {
  if (escapeCharacter === null || escapeCharacter === '')
    return { pattern: lowerCase(pattern), escape: null };
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
  return { pattern: lowerCase(written), escape: BACKSLASH };
}
