/** The error codes with which requests of each kind can fail. */
import { ERRORS, type ErrorCode } from '../base/index.js';

/** Codes of query lists and their dimension. */
export const CONDITIONS: readonly ErrorCode[] = [
  506, 4003, 4004, 4005, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014, 4016, 4017, 4026, 4038, 4039, 4044,
  4047, 4048, 4049, 4050, 4053, 5008, 5009,
];
/** Codes of lists of named queries. */
export const NAMED: readonly ErrorCode[] = [4036, 4054];
/** Codes of levels and queries of top values. */
export const LEVELS: readonly ErrorCode[] = [4015, 4027, 4045, 4046, 4051];
export const EXTRACTION: readonly ErrorCode[] = [4018, 4028, 4029, 4030, 4040, 4055];
export const SAVED: readonly ErrorCode[] = [
  ...CONDITIONS,
  ...LEVELS,
  4006,
  4020,
  4024,
  4033,
  4037,
  4040,
  4042,
  4036,
  8002,
];
/** Codes of values that are written. */
export const INSERTS: readonly ErrorCode[] = [
  506, 2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017,
  2018, 2019, 2020, 2022, 3016, 5008, 8002,
];
export const AUTO_CREATE: readonly ErrorCode[] = [
  505, 511, 2021, 3007, 3008, 3014, 3015, 5000, 5001, 5004, 5009,
];
/** Codes of writes that accept an Idempotency-Key. */
export const ONCE: readonly ErrorCode[] = [4049, 9001, 9002, 9003, 1502];
export const COLUMNS: readonly ErrorCode[] = [
  3000, 3001, 3003, 3004, 3005, 3006, 3007, 3008, 3009, 3010, 3011, 3012, 3014, 3015, 3016, 3017,
];
export const RELATIONS: readonly ErrorCode[] = [
  3000, 3001, 3003, 3004, 3007, 3008, 3014, 3018, 5008, 5009, 8002,
];
export const CUSTOM_KEYS: readonly ErrorCode[] = [
  ...CONDITIONS.filter((code) => code !== 506),
  503,
  3018,
  8000,
  8002,
];

/** The properties of an endpoint that determine the codes it shares with others. */
export interface CodesOf {
  readonly method: string;
  readonly scope: 'database' | 'team' | 'open';
  readonly plainHttp: boolean;
  readonly asks: boolean;
  /** The code that refuses custom keys of every level, or the levels that are allowed. */
  readonly custom: number | readonly string[];
  readonly own: readonly ErrorCode[];
}

/** All codes of an endpoint, in ascending order. */
export function codesOf({ method, scope, plainHttp, asks, custom, own }: CodesOf): ErrorCode[] {
  const all: ErrorCode[] = [1, 1000, 1001, 1002, 1003, 1502, 1505, 9004, ...own];
  if (scope !== 'open') all.push(500, 501, 502, 503, 504);
  if (scope === 'team') all.push(509);
  if (custom === 505 || custom === 509 || custom === 511) all.push(custom);
  else if (scope === 'database') all.push(507);
  if (!plainHttp) all.push(1506);
  if (method !== 'GET') all.push(1500, 1501, 1503, 1507, 9003);
  if (method !== 'GET' && !asks) all.push(9002);
  if (asks) all.push(8002, 9003, 9005, 9006);
  return [...new Set(all)].sort((one, other) => one - other);
}

/** Codes by HTTP status, both in ascending order. */
export function byStatus(codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return [...found].sort(([one], [other]) => one - other);
}
