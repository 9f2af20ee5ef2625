/**
 * The error codes with which requests can fail: the codes of the fields of a body follow from its schema, and the codes common to
 * endpoints of a kind follow from the row in the table of endpoints. The lists here hold the codes of errors that are found
 * later, against the model.
 */
import { ERRORS, type ErrorCode } from '../base/index.js';
import type { Body, Schema } from '../interface/index.js';

/** Codes of query lists and their dimension. */
export const CONDITIONS: readonly ErrorCode[] = [
  506, 4003, 4005, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014, 4016, 4017, 4026, 4038, 4039, 4044, 4047,
  4048, 4053, 5008, 4040, 4049, 9101, 9102, 9103, 9104, 9106,
];
/** Codes of lists of named queries. */
export const NAMED: readonly ErrorCode[] = [4036, 4054];
/** Codes of levels and queries of top values. */
export const LEVELS: readonly ErrorCode[] = [4015, 4046];
export const EXTRACTION: readonly ErrorCode[] = [4018, 4029, 4030, 4040, 4055];
export const SAVED: readonly ErrorCode[] = [...CONDITIONS, ...LEVELS, 4020, 4036, 4037, 4040, 4042, 8002];
/** Codes of values that are written. */
export const INSERTS: readonly ErrorCode[] = [
  506, 2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017,
  2018, 2019, 2020, 2022, 3016, 5008, 8002,
];
export const AUTO_CREATE_CODES: readonly ErrorCode[] = [
  505, 511, 2021, 3007, 3008, 3014, 3015, 5000, 5001, 5004, 5009,
];
/** Codes of writes that accept an Idempotency-Key. */
export const IDEMPOTENCY_CODES: readonly ErrorCode[] = [4049, 9001, 9002, 9003, 1502];
export const RELATIONS: readonly ErrorCode[] = [3001, 3003, 3007, 3018, 5008, 8002];
export const CUSTOM_KEYS: readonly ErrorCode[] = [
  ...CONDITIONS.filter((code) => code !== 506),
  503,
  3018,
  4004,
  5009,
  8002,
];

/** The codes of the fields of a body. Only extractions accept `geo_near`. */
export function codesIn(schema: Schema, isExtraction = false): ErrorCode[] {
  const found = new Set<ErrorCode>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    const { component, reader, required, codes, ...inner } = part as Schema & Partial<Body>;
    if (component === 'GeoNear' && !isExtraction) return;
    for (const code of Object.values(reader?.codes ?? {})) found.add(code);
    for (const [what, code] of Object.entries(codes ?? {}) as [string, ErrorCode][]) {
      if (what !== 'missing' || required !== undefined) found.add(code);
    }
    Object.values(inner).forEach(visit);
  };
  visit(schema);
  return [...found];
}

/** The properties of an endpoint that determine the codes it shares with others. */
export interface CodesOf {
  readonly method: string;
  readonly scope: 'database' | 'team' | 'open';
  readonly plainHttp: boolean;
  readonly isQuery: boolean;
  /** The code that refuses custom keys of every level, or the levels that are allowed. */
  readonly custom: number | readonly string[];
  readonly own: readonly ErrorCode[];
}

/** All codes of an endpoint, in ascending order. */
export function codesOf({ method, scope, plainHttp, isQuery, custom, own }: CodesOf): ErrorCode[] {
  const all: ErrorCode[] = [1, 1000, 1001, 1002, 1003, 1502, 1505, 9004, ...own];
  if (scope !== 'open') all.push(500, 501, 502, 503, 504);
  if (scope === 'team') all.push(509);
  if (custom === 505 || custom === 509 || custom === 511) all.push(custom);
  else if (scope === 'database') all.push(507);
  if (!plainHttp) all.push(1506);
  if (method !== 'GET') all.push(1500, 1501, 1503, 1507, 9003);
  if (method !== 'GET' && !isQuery) all.push(9002);
  if (isQuery) all.push(8002, 9003, 9005, 9006, 9007);
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
