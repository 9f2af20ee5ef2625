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

/** Thresholds and times that depend on how many flights there are, so that each question has an answer. */
export interface TourScale {
  /** Flights of a busy airport in March. */
  readonly busyFlights: number;
  /** Flights that left an airport very late in March. */
  readonly lateFlights: number;
  /** Flights of an airport to New York in February. */
  readonly newYorkFlights: number;
  /** Flights of an airport whose punctuality says something. */
  readonly punctualFlights: number;
  /** Flights between two places in a week. */
  readonly weeklyFlights: number;
  /** The last month that the flights cover, its end, and hours of delay that are rare in its last two days. */
  readonly lastMonth: string;
  readonly lastMonthEnd: string;
  readonly lastDaysHours: number;
  /** Months that the flights cover, and hours of delay that are rare in a month. */
  readonly monthCount: number;
  readonly monthHours: number;
}

/** 3 million flights of half a year. */
export const LARGE: TourScale = {
  ...{ busyFlights: 1000, lateFlights: 100, newYorkFlights: 500, punctualFlights: 500, weeklyFlights: 10 },
  ...{ lastMonth: 'June', lastMonthEnd: '2001-07-01', lastDaysHours: 5 },
  ...{ monthCount: 6, monthHours: 10 },
};
/** 20,000 flights of three months. */
export const SMALL: TourScale = {
  ...{ busyFlights: 100, lateFlights: 3, newYorkFlights: 10, punctualFlights: 100, weeklyFlights: 2 },
  ...{ lastMonth: 'March', lastMonthEnd: '2001-04-01', lastDaysHours: 2 },
  ...{ monthCount: 3, monthHours: 5 },
};

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
