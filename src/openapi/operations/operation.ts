/** The request and answer of an endpoint, and the parts that the descriptions share. */
import type { ErrorCode } from '../../base/index.js';
import type { Schema } from '../../interface/index.js';

export interface Operation {
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The schema of a JSON body; absent if there is none. */
  readonly request?: Schema;
  /** Parameters in the query of the URL, with their descriptions. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The body may be empty. */
  readonly mayBeEmpty?: true;
  /** A valid body for the endpoint; for SQL, its text. */
  readonly example?: unknown;
  readonly answer: Schema;
  /** The answer to the example. */
  readonly answered?: unknown;
  /** Rows can also be lines, CSV or Arrow, as the Accept header requests. */
  readonly rows?: true;
  /** The answer is a stream of server-sent events, each with such an answer. */
  readonly events?: true;
  /** Error codes in addition to those of the fields of its request and those of every endpoint of its kind. */
  readonly codes?: readonly ErrorCode[];
}

export const TAGS = {
  Model: 'Dimensions, columns and relations of a database.',
  Writes: 'Inserts, updates, deletions. A write that is answered with 200 is on disk as a whole and visible.',
  Queries: 'Counts, aggregations, the most frequent values.',
  Behaviour: 'Funnels, retention, activity: what entities do one event after the other.',
  Extraction: 'Rows.',
  SQL: 'Everything in SQL.',
  'Saved queries': 'Queries under a name.',
  Segments: 'Sets of entities under a name, for conditions.',
  Databases: 'Databases and their keys, made by the team.',
  Users: 'Users, permission groups, sessions.',
  Service: 'The server itself.',
} as const;
export type Tag = keyof typeof TAGS;

/** Operations by the endpoint's name, `METHOD path`. */
export type Operations = Readonly<Record<string, Operation>>;

const took = 0.000213;
/** The answer to an example. */
export const ok = (members: object): object => ({ status: 'success', ...members, took });
export const WEEK = ['2026-01-05', '+1w'] as const;
export const ADULTS = [{ age: { gte: 18 } }] as const;
export const PRICING = { visit: { equals: 'pricing', between: WEEK } };
/** Parameters of live answers in the query of the URL. */
export const LIVE_PARAMETERS = {
  'min-interval':
    'The shortest time between two events, in milliseconds or as `500ms`, `2sec`, `1min`: 10 to 3,600,000 ms, by default 250.',
};
