/** The arguments of the kernels over events, as u32 words of a state in the arena. Pointers are byte offsets. */

/** Words of the state of `selectEvents`. */
export const SELECT_STATE = {
  /** Entity i has the events [starts[i], starts[i + 1]). */
  starts: 0,
  /** The number of the first event in `codes` and `dates`. */
  first: 1,
  /** A bitmap of entities; 0 = all. */
  rows: 2,
  /** The bit of the first entity in `rows`. */
  row: 3,
  codes: 4,
  dates: 5,
  /** The mask of each code. */
  table: 6,
  outStarts: 7,
  outDates: 8,
  outMasks: 9,
  /** The numbers of the events; 0 = they are not wanted. */
  outEvents: 10,
} as const;
export const SELECT_STATE_BYTES = 44;

/** Words of the state of `followSteps`. */
export const FOLLOW_STATE = {
  starts: 0,
  dates: 1,
  /** Masks of the steps 1 to 32, and of the others. */
  low: 2,
  high: 3,
  /** Per entity the number of steps that it may take; 0 = all may take all. */
  limits: 4,
  out: 5,
  /** Records that `out` can have. */
  capacity: 6,
  stepCount: 7,
  /** Seconds from the first to the last event; UNLIMITED = any number. */
  within: 8,
  /** The dates of first events, inclusive. */
  from: 9,
  to: 10,
  /** 1 = two steps may not have one date, so that ties do no harm. */
  distinct: 11,
  /** A value of FOLLOW_MODES. */
  mode: 12,
  /** The first entity that is not finished; 0 at first. */
  entity: 13,
  /** The event with which the search goes on in that entity; UNLIMITED at first. */
  cursor: 14,
  /** The least date of the next first event, and the steps that have an entry in `next`. */
  least: 15,
  touched: 16,
  /** The dates of the current attempt. */
  found: 17,
  /** The event at which the search for each step goes on. */
  next: 81,
} as const;
export const FOLLOW_STATE_BYTES = 580;

export const UNLIMITED = 0xffffffff;
/** The length of a record of an entity that needs another search. */
export const INEXACT = 0xffffffff;
/** Which attempts of an entity are written. */
export const FOLLOW_MODES = { best: 0, first: 1, every: 2 } as const;
