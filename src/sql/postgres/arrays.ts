/**
 * Comparisons with the elements of an array, as tokens: x = ANY (array) is x IN (elements), x <> ALL (array) is x NOT IN
 * (elements). Arrays are ARRAY[...] and texts such as '{a,b}', also as parameters; other uses of arrays are refused.
 */
import { sqlError } from '../sql-error.js';
import { isSign, type Token } from '../tokens.js';
import type { SourcePosition } from '../tree.js';

const ELEMENTS_MAX = 10_000;

/** The elements of an array in the text form of PostgreSQL; null = NULL. Throws 6000 for another text, and for nested arrays. */
export function arrayElements(text: string, position: SourcePosition): readonly (string | null)[] {
  const wrong = (): Error => sqlError("an array as a text has the form '{a,b}'", position);
  const inside = /^\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1];
  if (inside === undefined) throw wrong();
  if (inside.trim() === '') return [];
  const elements: (string | null)[] = [];
  // Each alternative begins differently, so that no text is searched more than twice.
  const element = /(?:\s*"((?:[^"\\]|\\[\s\S])*)"\s*|((?:[^,{}"\\]|\\[\s\S])*))(,|$)/y;
  for (let separator: string | undefined = ','; separator === ','; ) {
    const found = element.exec(inside);
    if (found === null) throw wrong();
    if (elements.length === ELEMENTS_MAX) {
      throw sqlError(`an array as a text has at most ${ELEMENTS_MAX} elements`, position);
    }
    const [, quoted, plain = ''] = found;
    const bare = plain.trim();
    if (quoted === undefined && bare === '') throw wrong();
    const isNull = quoted === undefined && bare.toUpperCase() === 'NULL';
    elements.push(isNull ? null : (quoted ?? bare).replaceAll(/\\([\s\S])/g, '$1'));
    separator = found[3];
  }
  return elements;
}

/** The tokens of IN (elements). An empty array has no element that is equal. */
export function listTokens(elements: readonly Token[], position: SourcePosition): readonly Token[] {
  const [open, close] = [sign('(', position), sign(')', position)];
  if (elements.length > 0) return [open, ...elements, close];
  const empty = ['SELECT', 'NULL', 'WHERE', 'FALSE'].map((text) => word(text, position));
  return [open, ...empty, close];
}

/** Elements of a text as literals, with commas between them. */
export function literalTokens(
  elements: readonly (string | null)[],
  position: SourcePosition,
): readonly Token[] {
  return elements.flatMap((element, at) => [
    ...(at === 0 ? [] : [sign(',', position)]),
    element === null
      ? word('NULL', position)
      : { kind: 'single' as const, text: element, upper: '', position },
  ]);
}

/** The keywords for a comparison sign and a quantifier. Throws 6000 for comparisons that IN does not express. */
export function inKeywords(comparison: Token, quantifier: Token): readonly Token[] {
  const isAll = quantifier.upper === 'ALL';
  const { position } = comparison;
  if (isSign(comparison, '=') && !isAll) return [word('IN', position)];
  if ((isSign(comparison, '<>') || isSign(comparison, '!=')) && isAll) {
    return [word('NOT', position), word('IN', position)];
  }
  throw sqlError(
    `${comparison.text} ${quantifier.upper} is not available for arrays; = ANY, <> ALL and queries are`,
    quantifier.position,
  );
}

const word = (text: string, position: SourcePosition): Token => ({
  kind: 'word',
  text,
  upper: text,
  position,
});
const sign = (text: string, position: SourcePosition): Token => ({ kind: 'sign', text, upper: '', position });
