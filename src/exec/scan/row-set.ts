/** A set of rows of one segment: a range or a list. */

export interface RowSet {
  readonly count: number;
  /** Ascending rows, which may repeat; null = the range of `count` rows from `from` on. */
  readonly list: Uint32Array | null;
  /** First row of the range, if `list` is null. */
  readonly from: number;
}

export const rowRange = (from: number, count: number): RowSet => ({ count, list: null, from });

export const rowList = (list: Uint32Array): RowSet => ({ count: list.length, list, from: 0 });

/** The rows at the given positions of the set, in order of the positions. */
export function gatherRowSet({ list, from }: RowSet, positions: Uint32Array): RowSet {
  const picked = new Uint32Array(positions.length);
  if (list === null) for (let at = 0; at < picked.length; at++) picked[at] = from + positions[at];
  else for (let at = 0; at < picked.length; at++) picked[at] = list[positions[at]];
  return rowList(picked);
}

/** The rows of the set, each plus `base`. */
export function shardRowsOf({ list, from, count }: RowSet, base: number): Uint32Array {
  const rows = new Uint32Array(count);
  if (list === null) for (let at = 0; at < count; at++) rows[at] = base + from + at;
  else for (let at = 0; at < count; at++) rows[at] = base + list[at];
  return rows;
}
