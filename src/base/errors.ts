/**
 * The table of all errors that clients can receive: code, HTTP status and meaning.
 * Invariants: every error that the server reports is a `QuarryError` of this table; `test/conformance/codes/codes.test.ts` produces
 * every code over HTTP, unless its entry says why that is impossible; between threads an error is sent as `WireError`, because
 * postMessage drops class and fields.
 */

export interface ErrorEntry {
  /** HTTP status of a response whose first error has this code. */
  readonly status: number;
  /** The condition as the interface states it; the default message. */
  readonly condition: string;
  /** Why the code cannot occur, as a sentence. */
  readonly never?: string;
}

const entry = (status: number, condition: string): ErrorEntry => ({ status, condition });
const never = (status: number, condition: string, why: string): ErrorEntry => {
  return { status, condition, never: why };
};

export const ERRORS = {
  // General, authentication, request, account
  1: entry(500, 'internal error'),
  2: never(500, 'request could not be completed', 'Every unexpected error has code 1.'),
  189: entry(503, 'request failed'),
  500: entry(401, 'Authorization header missing'),
  501: entry(401, 'Authorization header empty'),
  502: entry(401, 'API key invalid'),
  503: entry(403, 'key lacks permission for the endpoint'),
  504: entry(403, 'remote address not in whitelist'),
  505: entry(403, 'custom key used to create columns or with auto-create'),
  506: entry(403, 'custom key not allowed on the named column'),
  507: entry(403, 'custom key permission level insufficient for the endpoint'),
  508: entry(403, 'custom key changing a saved query or segment of another custom key'),
  509: entry(403, 'custom key not allowed on the endpoint'),
  511: entry(403, 'custom key used to create dimensions or with auto-create'),
  1000: entry(403, 'no payment method defined'),
  1001: entry(403, 'account suspended for non-payment'),
  1002: entry(403, 'account banned'),
  1003: entry(403, 'account disabled'),
  1500: entry(415, 'Content-Type header missing'),
  1501: entry(415, 'Content-Type is not application/json'),
  1502: entry(429, 'requests-per-minute limit exceeded'),
  1503: entry(400, 'invalid JSON syntax'),
  1505: entry(404, 'invalid endpoint'),
  1506: entry(403, 'HTTP used on an HTTPS-only endpoint'),
  1507: entry(413, 'request larger than 5 MB'),
  // Insert
  2001: entry(400, "event date older than the column's event retention time"),
  2002: entry(400, 'event date older than 1990-01-01'),
  2003: entry(400, 'entity ID empty'),
  2004: entry(400, 'too many decimal places for the column'),
  2005: entry(400, 'entity value is not a JSON object'),
  2006: entry(400, 'event date in the future'),
  2007: entry(400, 'value type invalid for the column type'),
  2008: entry(400, 'entity ID longer than 1,000 characters'),
  2009: entry(400, 'column value longer than allowed'),
  2010: entry(400, 'event date not in ISO 8601 form'),
  2011: entry(400, 'column inactive or nonexistent'),
  2012: entry(400, 'too many entity IDs in the request'),
  2013: entry(400, 'too many columns in the request'),
  2014: entry(400, 'date column value not YYYY-MM-DD'),
  2015: entry(400, 'string value empty'),
  2016: entry(400, 'event data has a key other than value and date'),
  2017: entry(400, 'entity has no column'),
  2018: entry(400, 'event data lacks value'),
  2019: entry(400, 'entity ID repeated in one request'),
  2020: entry(400, 'direct insertion on entity-id column'),
  2021: entry(400, 'test-column creation limit of the project reached'),
  2022: entry(400, 'batch insertion has unequal numbers of events for related columns'),
  // Columns
  3000: entry(400, 'required parameter missing'),
  3001: entry(400, 'invalid column type'),
  3003: entry(400, 'column already exists'),
  3004: entry(400, 'too many columns in one request'),
  3005: entry(400, 'decimal-places not an integer'),
  3006: entry(400, 'storage not latest-value or list-of-values'),
  3007: entry(400, 'invalid api-name characters'),
  3008: entry(400, 'invalid column name characters'),
  3009: entry(400, 'description contains \' or "'),
  3010: entry(400, 'description longer than 256 characters'),
  3011: entry(400, 'cardinality not low or high'),
  3012: entry(400, 'decimal-places outside 1 to 20'),
  3014: entry(400, 'name longer than 64 characters'),
  3015: entry(400, 'api-name longer than 64 characters'),
  3016: entry(400, 'numeric value out of range (enumerated)'),
  3017: entry(400, 'invalid retention time'),
  3018: entry(400, 'column does not exist'),
  // Queries
  4003: entry(400, 'invalid relative time interval'),
  4004: entry(400, 'query JSON object missing'),
  4005: entry(400, 'between missing for event columns'),
  4006: entry(400, 'type missing when saving a query'),
  4007: entry(400, 'operator misused'),
  4008: entry(400, 'column inactive or nonexistent'),
  4009: entry(400, 'column has no parameter'),
  4010: entry(400, 'a required parameter is missing'),
  4011: entry(400, 'event column has only between'),
  4012: entry(400, 'range is not two integers'),
  4013: entry(400, 'too many columns in the query'),
  4014: entry(400, 'query has no column'),
  4015: entry(400, 'aggregation query is not a list of aggregation conditions'),
  4016: entry(400, 'contains is not a list of strings'),
  4017: entry(400, 'parameter meant for event columns used on an attribute column'),
  4018: entry(400, 'event column in data-extraction columns'),
  4019: entry(400, 'too many IDs in an exists query'),
  4020: entry(400, 'more than one filter'),
  4021: entry(400, 'name missing when creating a saved query or segment'),
  4022: entry(400, 'name of a saved query or segment already used'),
  4023: entry(400, 'saved query or segment does not exist'),
  4024: entry(400, 'invalid saved query type'),
  4025: entry(400, 'ids missing'),
  4026: entry(400, 'query is not a list'),
  4027: entry(400, 'invalid interval value'),
  4028: entry(400, 'limit is not a positive integer'),
  4029: entry(400, 'invalid page-token'),
  4030: entry(400, 'more than 10 values in data-extraction columns'),
  4031: entry(400, 'ids is empty'),
  4033: entry(400, 'cache-period not an integer of at least 5'),
  4034: entry(400, 'name of a saved query or segment has invalid characters'),
  4036: entry(400, 'too many queries in the request'),
  4037: entry(400, 'operator cannot be used with this endpoint'),
  4038: entry(400, 'parameter cannot be used with this endpoint'),
  4039: entry(400, 'parameter cannot be used with this column type'),
  4040: entry(400, 'column kind cannot be used with this endpoint'),
  4041: entry(400, 'name of a saved query or segment not 1 to 64 characters'),
  4042: entry(400, 'parameter must be a list of strings for this saved query type'),
  4043: never(400, 'required parameter missing', 'A missing parameter has code 4010, or one of its own.'),
  4044: entry(400, 'date parameter not in ISO 8601 form'),
  4045: entry(400, 'invalid aggregation metric'),
  4046: entry(400, 'metric cannot be used with that column'),
  4047: entry(400, 'parameter is an empty string'),
  4048: entry(400, 'parameter has too many values'),
  4049: entry(400, 'invalid parameter'),
  4050: entry(400, 'minfreq not an integer in 1 to 10,000'),
  4051: entry(400, 'number of values to return not an integer in 1 to 1,000'),
  4053: entry(400, 'invalid date in between'),
  4054: entry(400, 'query-name repeated inside the request'),
  4055: entry(400, 'event columns in a data-extraction query have different from/to dates'),
  // Dimensions, SQL, databases, users
  5000: entry(400, 'invalid api-name characters'),
  5001: entry(400, 'invalid dimension name'),
  5003: entry(400, 'name longer than 64 characters'),
  5004: entry(400, 'api-name longer than 64 characters'),
  5005: never(400, 'description longer than 256 characters', 'A dimension has no description.'),
  5006: entry(400, 'dimension already exists'),
  5007: entry(400, 'required parameter missing'),
  5008: entry(400, 'dimension does not exist'),
  5009: entry(400, 'invalid type for a parameter'),
  5010: entry(400, 'relational-model-type not fact or dimension'),
  6000: entry(400, 'SQL error'),
  7000: entry(400, 'permission group: invalid parameter type'),
  7050: entry(400, 'user: invalid parameter type'),
  8000: entry(400, 'database parameter invalid or database unknown'),
  8001: entry(400, 'database already exists'),
  8002: entry(400, 'database does not exist'),
  8003: entry(400, 'custom database key already exists'),
  8004: entry(400, 'custom database key does not exist'),
  // Beyond the interface
  9001: entry(422, 'Idempotency-Key reused for another request'),
  9002: entry(503, 'disk full'),
  9003: entry(503, 'memory limit reached'),
  9004: entry(503, 'shard being rebuilt'),
  9005: entry(503, 'query time limit reached'),
  9006: entry(503, 'query needs too much memory'),
  9007: entry(409, 'query stopped on request'),
  9101: entry(400, 'a field of a question about behaviour has a wrong type or is out of bounds'),
  9102: entry(400, 'columns of one event are not of one relation'),
  9103: entry(400, 'a field cannot be used with a funnel of any order'),
  9104: entry(400, 'the pattern of a sequence is invalid'),
  9105: entry(400, 'the segment is in use'),
  9106: entry(400, 'conditions on behaviour and segments are nested too deep or in a circle'),
} as const satisfies Record<number, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Seconds after which a client should repeat a request refused with HTTP 503. */
export const RETRY_AFTER_SECONDS = 1;

/**
 * An expected refusal of a request. `message` names the cause; `moreInfo` adds detail; `also` has the errors found after this
 * one, in order.
 */
export class QuarryError extends Error {
  readonly code: ErrorCode;
  readonly moreInfo: unknown;
  readonly also: readonly QuarryError[];

  constructor(code: ErrorCode, message?: string, moreInfo?: unknown, also: readonly QuarryError[] = []) {
    super(message ?? ERRORS[code].condition);
    this.name = 'QuarryError';
    this.code = code;
    this.moreInfo = moreInfo;
    this.also = also;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** A QuarryError as data, for postMessage and for records. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly moreInfo?: unknown;
  readonly also?: readonly WireError[];
}

export function toWire({ code, message, moreInfo, also }: QuarryError): WireError {
  return { code, message, moreInfo, also: also.map(toWire) };
}

export function fromWire({ code, message, moreInfo, also = [] }: WireError): QuarryError {
  return new QuarryError(code, message, moreInfo, also.map(fromWire));
}

/** Most errors in the refusal of a request with several parts. */
const ERRORS_REPORTED_MAX = 20;

/**
 * Runs `check` on every item and returns the results. If it refuses items, throws the first refusal with the others in `also`,
 * at most ERRORS_REPORTED_MAX in total.
 */
export function checkAll<Item, Result>(
  items: readonly Item[],
  check: (item: Item, index: number) => Result,
): Result[] {
  const refusals: QuarryError[] = [];
  const results: Result[] = [];
  items.forEach((item, index) => {
    try {
      results.push(check(item, index));
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      if (refusals.length < ERRORS_REPORTED_MAX) refusals.push(error, ...error.also);
    }
  });
  if (refusals.length === 0) return results;
  const [{ code, message, moreInfo }, ...also] = refusals.slice(0, ERRORS_REPORTED_MAX);
  throw new QuarryError(code, message, moreInfo, also);
}

/** Whether the memory of a query did not suffice. */
export const isOutOfMemory = (error: unknown): boolean => error instanceof QuarryError && error.code === 9006;

/** A bug. Only the top level of a thread catches it: the worker ends and its shards are rebuilt. */
export class InvariantError extends Error {
  override name = 'InvariantError';
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Quotes and shortens a client's text for an error message, whose length is thus limited. */
export function quoted(text: string): string {
  const points = Array.from(text.slice(0, 200));
  const short = points.length > 80 ? `${points.slice(0, 80).join('')}…` : points.join('');
  return JSON.stringify(short);
}
