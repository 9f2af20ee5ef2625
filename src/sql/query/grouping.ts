/** Parses GROUP BY, and writes GROUPING SETS, ROLLUP and CUBE out as sets. */
import { GROUPING_KEYS_MAX, GROUPING_SETS_MAX } from '../limits.js';
import { sqlError } from '../sql-error.js';
import type { TokenReader } from '../token-reader.js';
import { type Token, unexpected } from '../tokens.js';
import type { GroupingElement, SourcePosition, SqlNode } from '../tree.js';
import { commaList } from './order-keys.js';

type Keys = readonly SqlNode[];

export function readGroupBy(reader: TokenReader): readonly GroupingElement[] {
  reader.next();
  reader.expectKeyword('BY');
  const first = reader.peek();
  const elements = commaList(reader, () => elementsOf(reader)).flat();
  const count = elements.reduce(
    (sets, element) => sets * (element.is === 'sets' ? element.sets.length : 1),
    1,
  );
  if (count > GROUPING_SETS_MAX) throw tooMany(first.position);
  return elements;
}

const tooMany = (position: SourcePosition): Error =>
  sqlError(`GROUP BY has at most ${GROUPING_SETS_MAX} grouping sets`, position);

function elementsOf(reader: TokenReader): readonly GroupingElement[] {
  const sets = setsAhead(reader);
  if (sets !== null) return [{ is: 'sets', sets }];
  if (reader.isSign('(') && reader.isSign(')', 1)) {
    reader.at += 2;
    return [{ is: 'sets', sets: [[]] }];
  }
  return keysOf(reader).map((of) => ({ is: 'key', of }));
}

/** Parses GROUPING SETS, ROLLUP or CUBE; null if none follows. */
function setsAhead(reader: TokenReader): readonly Keys[] | null {
  const word = reader.peek();
  const { upper, position } = word;
  const isSets = reader.areKeywords('GROUPING', 'SETS');
  if (!isSets && !((upper === 'ROLLUP' || upper === 'CUBE') && reader.isSign('(', 1))) return null;
  reader.at += isSets ? 2 : 1;
  const open = reader.peek();
  if (!reader.isSign('(')) throw unexpected(open, '(');
  const sets = reader.nested(position, () => {
    reader.next();
    if (isSets) return commaList(reader, () => setsOf(reader)).flat();
    const columns = commaList(reader, () => keysOf(reader));
    reserveKeys(reader, word, columns);
    return upper === 'ROLLUP' ? rollup(columns) : cube(columns);
  });
  reader.expectClosing(open.position);
  if (sets.length > GROUPING_SETS_MAX) throw tooMany(position);
  return sets;
}

/** Parses an element of GROUPING SETS. */
function setsOf(reader: TokenReader): readonly Keys[] {
  const sets = setsAhead(reader);
  if (sets !== null) return sets;
  if (!reader.isSign('(') || !reader.isSign(')', 1)) return [keysOf(reader)];
  reader.at += 2;
  return [[]];
}

/** Parses a key, or several in parentheses. */
function keysOf(reader: TokenReader): Keys {
  if (!reader.isListAhead() || isCompared(reader.afterParenthesis())) return [reader.expression()];
  const { position } = reader.next();
  const keys = commaList(reader, () => reader.expression());
  reader.expectClosing(position);
  return keys;
}

/** Whether the token after a list makes it an operand of a comparison. */
function isCompared({ kind, text, upper }: Token): boolean {
  return upper === 'IN' || upper === 'NOT' || (kind === 'sign' && text !== ',' && text !== ')');
}

/** Throws 6000 if the sets of ROLLUP or CUBE have too many keys. */
function reserveKeys(reader: TokenReader, { upper, position }: Token, columns: readonly Keys[]): void {
  const setCount = upper === 'ROLLUP' ? columns.length + 1 : 2 ** columns.length;
  if (setCount > GROUPING_SETS_MAX) throw tooMany(position);
  const keyCount = columns.reduce((count, keys) => count + keys.length, 0);
  reader.groupingKeyCount += setCount * (1 + keyCount / 2);
  if (reader.groupingKeyCount <= GROUPING_KEYS_MAX) return;
  throw sqlError(`grouping sets have more than ${GROUPING_KEYS_MAX} keys in total`, position);
}

function rollup(columns: readonly Keys[]): readonly Keys[] {
  const sets = columns.map((_keys, at) => columns.slice(0, columns.length - at).flat());
  return [...sets, []];
}

function cube(columns: readonly Keys[]): readonly Keys[] {
  let sets: readonly Keys[] = [[]];
  for (const keys of columns.toReversed()) sets = [...sets.map((set) => [...keys, ...set]), ...sets];
  return sets;
}
