/** What was requested of a database and written into it. */

/** Requests to and writes into one database since it was created. */
export interface DatabaseUsage {
  /** Requests authorized by the database's keys, and how many of them are queries. Exact up to the last checkpoint. */
  readonly requestCount: number;
  readonly queryCount: number;
  /** Entities and single values inserted, entities updated: exact. */
  readonly insertedEntityCount: number;
  readonly insertedValueCount: number;
  readonly updatedEntityCount: number;
  /** Entities inserted or updated in the UTC day `day` (days since 1970-01-01). */
  readonly day: number;
  readonly dayWriteCount: number;
}

/** The usage of a database without requests and writes. */
export const NO_USAGE: DatabaseUsage = {
  requestCount: 0,
  queryCount: 0,
  insertedEntityCount: 0,
  insertedValueCount: 0,
  updatedEntityCount: 0,
  day: 0,
  dayWriteCount: 0,
};
