/**
 * A question of the tour: its text and the request that answers it. Queries bypass the caches, so that every time shown is
 * that of a computed answer.
 */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** null = the request has no body. */
  readonly body: object | null;
}

export interface Question extends Request {
  /** A short unique name for tests. */
  readonly name: string;
  readonly text: string;
  /** The page of the answer to show; 1 when absent. The pages before it are fetched first. */
  readonly page?: number;
  /** A request sent once before the question. Both use the master key. */
  readonly before?: Request;
}

/** Thresholds and times that depend on the number of flights, so that each question has an answer. */
export interface TourScale {
  /** Minimum flights of a busy airport in March. */
  readonly busyFlights: number;
  /** Minimum very late departures of an airport in March. */
  readonly lateFlights: number;
  /** Minimum flights of an airport to New York in February. */
  readonly newYorkFlights: number;
  /** Minimum flights of an airport whose punctuality is compared. */
  readonly punctualFlights: number;
  /** Minimum flights between two places in a week. */
  readonly weeklyFlights: number;
  /** The last month of the flights, its end, and hours of delay that are rare in its last two days. */
  readonly lastMonth: string;
  readonly lastMonthEnd: string;
  readonly lastDaysHours: number;
  /** Number of months of the flights, and hours of delay that are rare in a month. */
  readonly monthCount: number;
  readonly monthHours: number;
}

/** For 3 million flights of half a year. */
export const LARGE: TourScale = {
  ...{ busyFlights: 1000, lateFlights: 100, newYorkFlights: 500, punctualFlights: 500, weeklyFlights: 10 },
  ...{ lastMonth: 'June', lastMonthEnd: '2001-07-01', lastDaysHours: 5 },
  ...{ monthCount: 6, monthHours: 10 },
};
/** For 20,000 flights of three months. */
export const SMALL: TourScale = {
  ...{ busyFlights: 100, lateFlights: 3, newYorkFlights: 10, punctualFlights: 100, weeklyFlights: 2 },
  ...{ lastMonth: 'March', lastMonthEnd: '2001-04-01', lastDaysHours: 2 },
  ...{ monthCount: 3, monthHours: 5 },
};

/** Conditions and nested lists, with `and` or `or` between them; a list may begin with `not`. */
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
/** Seven days, as a begin and a duration. */
export const FIRST_WEEK = ['2001-01-01', '+1w'] as const;
/** The days of the earthquakes' file. */
export const QUAKE_WEEK = ['2018-01-31', '2018-02-08'] as const;
