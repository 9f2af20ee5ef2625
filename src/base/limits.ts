/** Limits of the interface and the engine, with units in their names. */

export const BODY_BYTES_MAX = 5 * 2 ** 20;
export const ENTITIES_PER_INSERT_MAX = 1_000;
/** Memory of a dimension that keeps refused lines, from which on it takes no more. */
export const QUARANTINE_BYTES_MAX = 64 * 2 ** 20;
export const COLUMNS_PER_INSERT_MAX = 5_000;
export const COLUMNS_PER_REQUEST_MAX = 100;
export const COLUMNS_PER_QUERY_MAX = 20;
export const QUERIES_PER_REQUEST_MAX = 10;
/** Conditions of one query, including those in its frequency groups. */
export const CONDITIONS_PER_QUERY_MAX = 250;
export const DIMENSIONS_PER_REQUEST_MAX = 100;
export const IDS_PER_EXISTS_MAX = 100;
/** IDs of a static segment in one request. */
export const SEGMENT_IDS_PER_REQUEST_MAX = 100_000;
/** Conditions of all segments that a query uses, those of segments in segments included. */
export const SEGMENT_CONDITIONS_MAX = 10_000;
export const LEVELS_PER_AGGREGATION_MAX = 5;
export const TOP_VALUES_MAX = 1_000;
export const TOP_VALUES_QUERIES_MAX = 100;
/** Windows of a histogram that lists them. */
export const WINDOWS_PER_LEVEL_MAX = 1_000;
/** Buckets of a histogram by interval. */
export const BUCKETS_MAX = 1_000_000;
/** Characters of an answer that is assembled in memory. */
export const ANSWER_CHARS_MAX = 2 ** 26;
export const COLUMNS_PER_EXTRACTION_MAX = 10;
export const ORDER_KEYS_MAX = 10;
export const PAGE_ROWS_MAX = 1_024;
/** Rows of an extraction without a limit of its own. */
export const EXTRACTED_ROWS_DEFAULT = 100;
export const SCORED_ROWS_MAX = 100;
/** Entities that receive a score point from a `geo_near`. */
export const SCORED_NEAREST_MAX = 1_024;
export const TEXT_POINTS_MAX = 1_000;
export const NAME_CHARS_MAX = 64;
export const DESCRIPTION_CHARS_MAX = 256;
export const MINFREQ_MAX = 10_000;
export const VALUES_PER_LIST_MAX = 100;
export const TEST_COLUMNS_MAX = 100;
/** Lists inside lists in a condition, and objects inside objects anywhere in a body. */
export const NESTING_MAX = 64;

/** Rows of a segment; a power of two, so that row >> 16 is the segment and row & 65535 the row within it. */
export const SEGMENT_ROWS_MAX = 65_536;
export const SEGMENT_ROWS_SHIFT = 16;
export const SEGMENT_ROWS_MASK = SEGMENT_ROWS_MAX - 1;

/** 1990-01-01T00:00:00Z in seconds of the Unix epoch: no event is older. */
export const EVENT_SECONDS_MIN = 631_152_000;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
