/** The names that fields of the interface choose from. */

export const DEFAULT_DIMENSION = 'default';

export const COLUMN_TYPES = [
  'unique-id',
  'string',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'geolocation',
  'enumerated',
  'string-event',
  'integer-event',
  'decimal-event',
  'geolocation-event',
] as const;

/** The types that a column can be created with. */
export const NEW_COLUMN_TYPES = COLUMN_TYPES.filter((type) => type !== 'unique-id');

export const STORAGES = ['latest-value', 'list-of-values'] as const;

export const TEXT_CASES = ['fold', 'preserve'] as const;

export const INTERVALS = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months'] as const;

export const METRICS = [
  'min',
  'max',
  'avg',
  'sum',
  'count-events',
  'count',
  'count-distinct',
  'median',
  'p95',
  'p99',
  'stddev',
] as const;

export const DISTANCE_UNITS = ['km', 'm', 'mi', 'deg'] as const;

/** Kinds of questions about behaviour; POST /v1/query/KIND answers them. */
export const BEHAVIOUR_KINDS = [
  'funnel',
  'retention',
  'lifecycle',
  'stickiness',
  'actives',
  'sequence',
  'sessions',
  'flow',
  'overlap',
  'compare',
  'timeline',
] as const;

export const SAVED_QUERY_TYPES = [
  'count/entity',
  'count/event',
  'count/entity/total',
  'aggregation',
  'top_values',
  'sql',
  ...BEHAVIOUR_KINDS,
] as const;

export const LOAD_PLANS = ['normal', 'high', 'ultra', 'mega'] as const;
export const PRICING_MODELS = ['pay-per-column', 'pay-per-gigabyte', 'smart-pricing'] as const;
export const DATABASE_TYPES = ['test', 'production'] as const;
export const CUSTOM_KEY_LEVELS = ['read-only', 'write-only', 'write-read'] as const;
export const WEEK_DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** Permissions of a group are numbered from 1. */
export const PERMISSION_NUMBER_MAX = 19;

export type LoadPlan = (typeof LOAD_PLANS)[number];
export type KeyLevel = (typeof CUSTOM_KEY_LEVELS)[number];
export type WeekDay = (typeof WEEK_DAYS)[number];
