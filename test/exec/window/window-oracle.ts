/**
 * Window functions row by row, from PostgreSQL's definitions: for each row, its frame is found by testing every row of
 * the partition. Sums are rational numbers.
 */
import type {
  FrameBound,
  RelationColumn,
  RelationOf,
  WindowFrame,
  WindowFunction,
} from '../../../src/ir/index.js';
import { nearest, type SqlType, UNIT_BITS, unitsOf, type Value } from '../../../src/vector/index.js';
import { compareValues, type Row } from './generated-rows.js';

type WindowRelation = Pick<RelationOf<'window'>, 'partition' | 'order' | 'functions'>;

/** The rows in order with the values of the functions; null = the functions raise an error. */
export function windowOracle(
  columns: readonly RelationColumn[],
  rows: readonly Row[],
  { partition, order, functions }: WindowRelation,
): Row[] | null {
  const at = (column: number): number => columns.findIndex((of) => of.column === column);
  const byPartition = (a: Row, b: Row): number => {
    for (const { column } of partition) {
      const found = compareValues(a[at(column)], b[at(column)], false, false);
      if (found !== 0) return found;
    }
    return 0;
  };
  const byOrder = (a: Row, b: Row): number => {
    for (const { column, descending, missingFirst } of order) {
      const found = compareValues(a[at(column)], b[at(column)], descending, missingFirst);
      if (found !== 0) return found;
    }
    return 0;
  };
  const sorted = [...rows].sort((a, b) => byPartition(a, b) || byOrder(a, b));
  const result: Row[] = [];
  for (let first = 0, end = 0; first < sorted.length; first = end) {
    while (end < sorted.length && byPartition(sorted[first], sorted[end]) === 0) end++;
    const own = sorted.slice(first, end);
    const groups = own.map((row) => own.findIndex((other) => byOrder(row, other) === 0));
    const [key] = order;
    const part: Partition = {
      rows: own,
      groups,
      groupNumbers: groups.map((group) => new Set(groups.filter((other) => other < group)).size),
      key: key === undefined ? null : { ...key, values: own.map((row) => row[at(key.column)]) },
    };
    for (let row = 0; row < own.length; row++) {
      const values: Value[] = [];
      for (const definition of functions) {
        const args = definition.args.map(({ column }) => own.map((of) => of[at(column)]));
        const value = functionValue(definition, part, row, args);
        if (value === undefined) return null;
        values.push(value);
      }
      result.push([...own[row], ...values]);
    }
  }
  return result;
}

interface Partition {
  readonly rows: readonly Row[];
  /** By row, its first peer. */
  readonly groups: readonly number[];
  /** By row, the number of groups before its own. */
  readonly groupNumbers: readonly number[];
  readonly key: {
    readonly values: readonly Value[];
    readonly descending: boolean;
    readonly missingFirst: boolean;
  } | null;
}

/** undefined = an error. */
function functionValue(
  definition: WindowFunction,
  part: Partition,
  row: number,
  args: readonly (readonly Value[])[],
): Value | undefined {
  const { rows, groups, groupNumbers } = part;
  const rank = groups[row] + 1;
  switch (definition.function) {
    case 'row-number':
      return BigInt(row + 1);
    case 'rank':
      return BigInt(rank);
    case 'dense-rank':
      return BigInt(groupNumbers[row] + 1);
    case 'percent-rank':
      return rows.length === 1 ? 0 : (rank - 1) / (rows.length - 1);
    case 'cume-dist':
      return groups.filter((group) => group <= groups[row]).length / rows.length;
    case 'ntile':
      return ntile(args[0], row);
    case 'lag':
    case 'lead': {
      const offset = args.length > 1 ? args[1][row] : 1n;
      if (offset === null) return null;
      const from = row + Number(offset) * (definition.function === 'lag' ? -1 : 1);
      if (from >= 0 && from < rows.length) return args[0][from];
      return args.length > 2 ? args[2][row] : null;
    }
    default: {
      const frame = rows.flatMap((_, other) =>
        isInFrame(definition.frame, part, row, other) ? [other] : [],
      );
      return ofFrame(definition, frame, row, args);
    }
  }
}

function ntile(buckets: readonly Value[], row: number): Value | undefined {
  const first = buckets.findIndex((value) => value !== null);
  if (first === -1 || row < first) return null;
  const count = Number(buckets[first]);
  if (count <= 0) return undefined;
  // The sizes of the buckets: as equal as possible, larger ones first.
  const sizes = Array.from({ length: count }, (_, bucket) => {
    return Math.floor(buckets.length / count) + (bucket < buckets.length % count ? 1 : 0);
  });
  let [bucket, end] = [0, sizes[0]];
  while (row - first >= end) end += sizes[++bucket];
  return BigInt(bucket + 1);
}

function ofFrame(
  { function: name, args: types }: WindowFunction,
  frame: readonly number[],
  row: number,
  args: readonly (readonly Value[])[],
): Value | undefined {
  const all = frame.map((other) => args[0]?.[other] ?? null);
  const values = all.filter((value) => value !== null);
  switch (name) {
    case 'first-value':
      return all[0] ?? null;
    case 'last-value':
      return all.at(-1) ?? null;
    case 'nth-value': {
      const n = args[1][row];
      if (n === null) return null;
      return Number(n) <= 0 ? undefined : (all[Number(n) - 1] ?? null);
    }
    case 'count':
      return BigInt(args.length === 0 ? frame.length : values.length);
    case 'min':
    case 'max': {
      const sorted = values.sort((a, b) => compareValues(a, b, name === 'max', false));
      return sorted[0] ?? null;
    }
    default:
      return values.length === 0 ? null : sumOf(name === 'avg', values, types[0].type);
  }
}

function sumOf(isMean: boolean, values: readonly Value[], type: SqlType): Value {
  const units = values.map((value) => (typeof value === 'number' ? unitsOf(value) : BigInt(value as bigint)));
  const sum = units.reduce((total, value) => total + value, 0n);
  if (!isMean) {
    const float = nearest(sum, 1n, -UNIT_BITS);
    return type.type !== 'float' ? sum : Number.isFinite(float) ? float : null;
  }
  const unit = type.type === 'float' ? 2n ** 1074n : type.type === 'decimal' ? 10n ** BigInt(type.scale) : 1n;
  const divisor = unit * BigInt(values.length);
  const magnitude = sum < 0n ? -sum : sum;
  const millionths = (2_000_000n * magnitude + divisor) / (2n * divisor);
  const mean = Number(`${sum < 0n && millionths > 0n ? '-' : ''}${millionths}e-6`);
  return Number.isFinite(mean) ? mean : null;
}

function isInFrame(frame: WindowFrame, part: Partition, row: number, other: number): boolean {
  const { mode, start, end, exclude } = frame;
  const { groupNumbers } = part;
  const isPeer = groupNumbers[row] === groupNumbers[other];
  if (exclude === 'current-row' && row === other) return false;
  if (exclude === 'group' && isPeer) return false;
  if (exclude === 'ties' && isPeer && row !== other) return false;
  if (mode === 'range')
    return isWithinRange(start, part, row, other, 1) && isWithinRange(end, part, row, other, -1);
  const distance = mode === 'rows' ? other - row : groupNumbers[other] - groupNumbers[row];
  return isAfter(start, distance) && isAfter(mirrored(end), -distance);
}

/** Whether a row at this distance is at or after a bound. */
function isAfter(bound: FrameBound, distance: number): boolean {
  switch (bound.at) {
    case 'first':
      return true;
    case 'last':
      return false;
    case 'current':
      return distance >= 0;
    case 'preceding':
      return distance >= -Number(bound.offset.value);
    case 'following':
      return distance >= Number(bound.offset.value);
  }
}

function mirrored(bound: FrameBound): FrameBound {
  switch (bound.at) {
    case 'first':
      return { at: 'last' };
    case 'last':
      return { at: 'first' };
    case 'current':
      return bound;
    case 'preceding':
      return { at: 'following', offset: bound.offset };
    case 'following':
      return { at: 'preceding', offset: bound.offset };
  }
}

/** Whether row `other` is on the right side of a bound of the frame of `row`: `side` 1 = at or after it, -1 = at or before. */
function isWithinRange(
  bound: FrameBound,
  { groups, key }: Partition,
  row: number,
  other: number,
  side: number,
): boolean {
  if (bound.at !== 'preceding' && bound.at !== 'following') {
    if (bound.at === 'current') return (groups[other] - groups[row]) * side >= 0;
    return (bound.at === 'first') === (side === 1);
  }
  if (key === null) throw new Error('a range with an offset has a key');
  const [own, value] = [key.values[row], key.values[other]];
  // Missing keys are before or after all others, at any distance.
  if (own === null || value === null) {
    const order = (value === null ? 1 : 0) - (own === null ? 1 : 0);
    return (key.missingFirst ? -order : order) * side >= 0;
  }
  const isBackwards = (bound.at === 'preceding') !== key.descending;
  const offset = bound.offset.value as bigint;
  const limit = isBackwards ? (own as bigint) - offset : (own as bigint) + offset;
  const order = (value as bigint) < limit ? -1 : (value as bigint) > limit ? 1 : 0;
  return (key.descending ? -order : order) * side >= 0;
}
