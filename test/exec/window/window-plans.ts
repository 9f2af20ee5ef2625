/** Generated window expressions. */
import type { Prng } from '../../../src/base/index.js';
import type {
  FrameBound,
  RelationColumn,
  RelationSortKey,
  WindowFrame,
  WindowFunction,
  WindowFunctionName,
} from '../../../src/ir/index.js';
import { type SqlType, vectorKindOf } from '../../../src/vector/index.js';

export const RANKS: readonly WindowFunctionName[] = [
  'row-number',
  'rank',
  'dense-rank',
  'percent-rank',
  'cume-dist',
];
export const AGGREGATES: readonly WindowFunctionName[] = ['count', 'sum', 'avg', 'min', 'max'];
export const PICKED: readonly WindowFunctionName[] = [
  'ntile',
  'lag',
  'lead',
  'first-value',
  'last-value',
  'nth-value',
];

/** The kinds of bounds of a frame, from the earliest to the latest; a frame never ends with an earlier kind than it starts. */
const KINDS = ['first', 'preceding', 'current', 'following', 'last'] as const;

/** `withMonths`: ranges over dates, which are in years 0000 to 9999, may have a distance in months. */
export function generatedFrame(
  prng: Prng,
  mode: WindowFrame['mode'],
  offsetType: SqlType | null,
  withMonths = false,
): WindowFrame {
  const kinds = KINDS.filter((kind) => offsetType !== null || (kind !== 'preceding' && kind !== 'following'));
  const start = prng.below(kinds.length - 1);
  // An end may not be UNBOUNDED PRECEDING.
  const end = Math.max(1, start + prng.below(kinds.length - start));
  const bound = (kind: (typeof KINDS)[number]): FrameBound => {
    if (kind !== 'preceding' && kind !== 'following') return { at: kind };
    const type: SqlType = offsetType ?? { type: 'integer' };
    const size = prng.pick([0, 1, 2, 5, 1_000]);
    const value = vectorKindOf(type) === 'float' ? size / 4 : BigInt(size);
    const offset = { op: 'constant', type, value } as const;
    const isDate = type.type === 'date' || type.type === 'datetime';
    if (!withMonths || mode !== 'range' || !isDate || prng.below(2) === 0) return { at: kind, offset };
    return { at: kind, offset, months: { count: prng.pick([1, 2, 12]), of: type.type } };
  };
  const frame = { mode, start: bound(kinds[start]), end: bound(kinds[end]) };
  const exclude = prng.pick([null, null, 'current-row', 'group', 'ties'] as const);
  return exclude === null ? frame : { ...frame, exclude };
}

/** The type of the offset of a range over these keys; null = a range has no offset. */
export function rangeOffset(order: readonly RelationSortKey[]): SqlType | null {
  if (order.length !== 1) return null;
  const [{ type }] = order;
  const kind = vectorKindOf(type);
  return kind === 'exact' || kind === 'float' ? type : null;
}

export interface ArgumentColumns {
  readonly values: readonly RelationColumn[];
  /** Columns of small integers; those of `positive` are greater than 0. */
  readonly small: RelationColumn;
  readonly positive: RelationColumn;
}

const INTEGER: SqlType = { type: 'integer' };
const FLOAT: SqlType = { type: 'float' };

/** A function whose result has number `column`. */
export function generatedFunction(
  prng: Prng,
  name: WindowFunctionName,
  column: number,
  frame: WindowFrame,
  { values, small, positive }: ArgumentColumns,
): WindowFunction {
  const numbers = values.filter(({ type }) => ['integer', 'decimal', 'float'].includes(type.type));
  const value = prng.pick(name === 'sum' || name === 'avg' ? numbers : values);
  const make = (type: SqlType, ...args: RelationColumn[]): WindowFunction => {
    return { column, type, function: name, args, frame };
  };
  switch (name) {
    case 'row-number':
    case 'rank':
    case 'dense-rank':
      return make(INTEGER);
    case 'percent-rank':
    case 'cume-dist':
      return make(FLOAT);
    case 'ntile':
      return make(INTEGER, positive);
    case 'lag':
    case 'lead':
      return make(value.type, ...[value, small, value].slice(0, 1 + prng.below(3)));
    case 'nth-value':
      return make(value.type, value, positive);
    case 'count':
      return prng.below(2) === 0 ? make(INTEGER) : make(INTEGER, value);
    case 'avg':
      return make(FLOAT, value);
    default:
      return make(value.type, value);
  }
}
