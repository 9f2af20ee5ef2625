/**
 * What a question of the tour is: plain words beside the request that asks them. Bodies are those of the interface;
 * caches are bypassed, so that every time shown is that of real work.
 */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** null = the request has no body. */
  readonly body: object | null;
}

export interface Question extends Request {
  /** Short and unique: what tests call it. */
  readonly name: string;
  readonly text: string;
  /** The page of the answer that is shown; 1 when absent. The pages before are fetched first. */
  readonly page?: number;
  /** Sent once before the question, with the master key, with which the question is asked then, too. */
  readonly before?: Request;
}

/** Conditions and lists of them with `and` or `or` between; `not` may head a list. */
export type QueryList = readonly unknown[];

export const namedQuery = (name: string, dimension: string, conditions: QueryList): object => ({
  'query-name': name,
  dimension,
  query: conditions,
  'bypass-cache': true,
});

export const HALF_YEAR = ['2001-01-01', '2001-07-01'] as const;
export const MARCH = ['2001-03-01', '2001-03-31T23:59:59Z'] as const;
export const FEBRUARY = ['2001-02-01', '2001-02-28T23:59:59Z'] as const;
/** Seven days and the instant at which they end. */
export const FIRST_WEEK = ['2001-01-01', '+1w'] as const;
/** The days that the earthquakes' file holds. */
export const QUAKE_WEEK = ['2018-01-31', '2018-02-08'] as const;
