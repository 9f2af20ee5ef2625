/** What an endpoint takes and gives, and the pieces that the descriptions share. */
import type { ErrorCode } from '../../base/index.js';
import type { Schema } from '../../interface/index.js';

export interface Operation {
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Of a JSON body; left out where there is none. */
  readonly request?: Schema;
  /** The body may be left out. */
  readonly mayBeEmpty?: true;
  /** A body that the endpoint takes; of SQL its text. */
  readonly example?: unknown;
  readonly answer: Schema;
  /** An answer to the example. */
  readonly answered?: unknown;
  /** Rows come as lines, CSV and Arrow too, where the Accept header wants that. */
  readonly rows?: true;
  /** Codes of its own, beside those that every endpoint of its kind has. */
  readonly codes: readonly ErrorCode[];
}

export const TAGS = {
  Model: 'Dimensions, columns and relations of a database.',
  Writes: 'Inserts, updates, deletions. A 200 means: on disk, whole, visible.',
  Queries: 'Counts, aggregations, the most frequent values.',
  Extraction: 'Rows.',
  SQL: 'Everything in SQL.',
  'Saved queries': 'Queries under a name.',
  Databases: 'Databases and their keys, made by the team.',
  Users: 'Users, permission groups, sessions.',
  Service: 'The server itself.',
} as const;
export type Tag = keyof typeof TAGS;

/** By the endpoint's name, `METHOD path`. */
export type Operations = Readonly<Record<string, Operation>>;

const took = 0.000213;
/** An answer of an example. */
export const ok = (members: object): object => ({ status: 'success', ...members, took });
export const WEEK = ['2026-01-05', '+1w'] as const;
export const ADULTS = [{ age: { gte: 18 } }] as const;
export const PRICING = { visit: { equals: 'pricing', between: WEEK } };
