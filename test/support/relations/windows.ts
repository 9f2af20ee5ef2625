/** Window functions over the sorted rows of one partition, row at a time. */
import type { FrameBound, RelationOf, RelationSortKey, WindowFunction } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { aggregateOf } from './aggregates.js';
import { compareRows, type Row } from './values.js';

/** The value of the function for each row of the partition. */
export function windowValues(
  called: WindowFunction,
  rows: readonly Row[],
  order: RelationOf<'window'>['order'],
): Value[] {
  return rows.map((_, index) => valueAt(called, rows, order, index));
}

function valueAt(
  called: WindowFunction,
  rows: readonly Row[],
  order: readonly RelationSortKey[],
  at: number,
): Value {
  const arg = (index: number, row: number): Value => rows[row][called.args[index].column];
  const isPeer = (a: number, b: number): boolean => compareRows(order, rows[a], rows[b]) === 0;
  const firstPeer = rows.findIndex((_, index) => isPeer(index, at));
  const lastPeer = rows.findLastIndex((_, index) => isPeer(index, at));
  const groupAt = (row: number): number => {
    let group = 0;
    for (let index = 1; index <= row; index++) if (!isPeer(index - 1, index)) group++;
    return group;
  };
  const frame = (): number[] => frameRows(called, rows, order, at, groupAt);
  switch (called.function) {
    case 'row-number':
      return BigInt(at + 1);
    case 'rank':
      return BigInt(firstPeer + 1);
    case 'dense-rank':
      return BigInt(groupAt(at) + 1);
    case 'percent-rank':
      return rows.length === 1 ? 0 : firstPeer / (rows.length - 1);
    case 'cume-dist':
      return (lastPeer + 1) / rows.length;
    case 'ntile': {
      const buckets = arg(0, at);
      if (buckets === null) return null;
      const [size, longer] = [Math.floor(rows.length / Number(buckets)), rows.length % Number(buckets)];
      const inLonger = longer * (size + 1);
      return BigInt(
        at < inLonger ? Math.floor(at / (size + 1)) + 1 : longer + Math.floor((at - inLonger) / size) + 1,
      );
    }
    case 'lag':
    case 'lead': {
      const offset = called.args.length > 1 ? arg(1, at) : 1n;
      if (offset === null) return null;
      const other = called.function === 'lag' ? at - Number(offset) : at + Number(offset);
      if (other >= 0 && other < rows.length) return arg(0, other);
      return called.args.length > 2 ? arg(2, at) : null;
    }
    case 'first-value':
      return frame().map((row) => arg(0, row))[0] ?? null;
    case 'last-value':
      return (
        frame()
          .map((row) => arg(0, row))
          .at(-1) ?? null
      );
    case 'nth-value': {
      const n = arg(1, at);
      return n === null ? null : (frame().map((row) => arg(0, row))[Number(n) - 1] ?? null);
    }
    default: {
      const inFrame = frame();
      if (called.args.length === 0) return BigInt(inFrame.length);
      const { type } = called.args[0];
      const aggregate = {
        function: called.function,
        distinct: false,
        fraction: null,
        scale: type.type === 'decimal' ? type.scale : 0,
      };
      return aggregateOf(
        aggregate,
        inFrame.map((row) => arg(0, row)),
      );
    }
  }
}

function frameRows(
  { frame }: WindowFunction,
  rows: readonly Row[],
  order: readonly RelationSortKey[],
  at: number,
  groupAt: (row: number) => number,
): number[] {
  const all = rows.map((_, index) => index);
  const distance = (row: number): number | null => {
    if (frame.mode === 'rows') return row - at;
    if (frame.mode === 'groups') return groupAt(row) - groupAt(at);
    const [a, b] = [rows[at][order[0]?.column], rows[row][order[0]?.column]];
    if (order.length !== 1 || a === null || b === null) return compareRows(order, rows[row], rows[at]);
    return (Number(b) - Number(a)) * (order[0].descending ? -1 : 1);
  };
  const isPeerOrder = (row: number): number => {
    if (frame.mode === 'rows') return row - at;
    return compareRows(order, rows[row], rows[at]);
  };
  const afterStart = (bound: FrameBound, row: number): boolean => {
    switch (bound.at) {
      case 'first':
        return true;
      case 'last':
        return false;
      case 'current':
        return isPeerOrder(row) >= 0;
      default:
        return Number(distance(row)) >= offsetOf(bound);
    }
  };
  const beforeEnd = (bound: FrameBound, row: number): boolean => {
    switch (bound.at) {
      case 'first':
        return false;
      case 'last':
        return true;
      case 'current':
        return isPeerOrder(row) <= 0;
      default:
        return Number(distance(row)) <= offsetOf(bound);
    }
  };
  return all.filter((row) => afterStart(frame.start, row) && beforeEnd(frame.end, row));
}

function offsetOf(bound: FrameBound & { readonly at: 'preceding' | 'following' }): number {
  const offset = Number(bound.offset.value);
  return bound.at === 'preceding' ? -offset : offset;
}
