/** Which places of a segment rows are read from. */

export interface RowPlaces {
  readonly count: number;
  /** Ascending, `count` of them; null = all from `from` on. A place may stand in it several times. */
  readonly list: Uint32Array | null;
  /** Where `list` is null. */
  readonly from: number;
}

export const placesFrom = (from: number, count: number): RowPlaces => ({ count, list: null, from });

export const listedPlaces = (list: Uint32Array): RowPlaces => ({ count: list.length, list, from: 0 });

/** Those at the given positions, in their order. */
export function pickPlaces({ list, from }: RowPlaces, positions: Uint32Array): RowPlaces {
  const picked = new Uint32Array(positions.length);
  if (list === null) for (let at = 0; at < picked.length; at++) picked[at] = from + positions[at];
  else for (let at = 0; at < picked.length; at++) picked[at] = list[positions[at]];
  return listedPlaces(picked);
}

/** The places, each plus `base`. */
export function rowsOfPlaces({ list, from, count }: RowPlaces, base: number): Uint32Array {
  const rows = new Uint32Array(count);
  if (list === null) for (let at = 0; at < count; at++) rows[at] = base + from + at;
  else for (let at = 0; at < count; at++) rows[at] = base + list[at];
  return rows;
}
