/**
 * What an inlet is: the protocol of another product, whose clients send records to this server without changes. An inlet only
 * translates: it reads a body into flat records, which are inserted like those of POST /v1/insert/lines, and writes the answer
 * that its clients understand.
 */
import type { QuarryError } from '../../base/index.js';
import type { Quarantined } from '../../ingest/index.js';
import { type Answer, JSON_TYPE } from '../transport/answer.js';

/** What the head of a request says. */
export interface InletHead {
  /** The text of the path's variable segment, decoded; empty = the path has none. */
  readonly pathName: string;
  /** The query of the URL. */
  readonly query: URLSearchParams;
  /** The media type of the body, in lower case. */
  readonly contentType: string;
  /** The text of the header User-Agent; empty = the client sends none. */
  readonly userAgent: string;
  /** The dimension that the URL or the option --inlets names, else the default one of the inlet. */
  readonly dimension: string;
}

/** Flat records of one dimension, one JSON object each, in the order in which they are inserted. */
export interface RecordGroup {
  readonly dimension: string;
  /** How they become entities: parameters of POST /v1/insert/lines without `dimension`, `auto-create` and `unknown`. */
  readonly mapping: Readonly<Record<string, string>>;
  /** Texts without line breaks. May be made while they are read. */
  readonly lines: Iterable<string>;
  /** Of each line, if records that come again within 24 hours are left out. */
  readonly identities?: readonly RecordIdentity[];
}

/** What tells a record that was sent again from a new one. */
export interface RecordIdentity {
  /** The sender's own ID of the record; different in all records of the dimension. */
  readonly id: string;
  /** Records of one entity are inserted in their order. */
  readonly entity: string;
}

/** The result of consecutive records of one group, which were inserted together. */
export interface PartOutcome {
  /** Index of the group. */
  readonly group: number;
  readonly lineCount: number;
  /** null = all records are durable, inserted or in the quarantine. */
  readonly error: QuarryError | null;
  /** The records in the quarantine; null = none. */
  readonly quarantined: Quarantined | null;
}

/** A body that was read. */
export interface InletBatch {
  /** The key that the body contains; null = it contains none. */
  readonly key: string | null;
  readonly groups: readonly RecordGroup[];
  readonly answer: (outcomes: readonly PartOutcome[]) => Answer;
}

interface Route {
  /** In lower case. */
  readonly method: 'get' | 'head' | 'post' | 'put';
  /** A segment that begins with `:` matches any text. */
  readonly path: string;
}

/** Is answered without a key, and without a look at the body. */
export interface FixedRoute extends Route {
  readonly answer: (head: InletHead) => Answer;
}

export interface InsertRoute extends Route {
  /** The key may be in the body. */
  readonly keyInBody: boolean;
  /** Throws QuarryError for a body that is not of the protocol. */
  readonly read: (body: Uint8Array, head: InletHead) => InletBatch;
}

export type RefusedHead = Pick<InletHead, 'contentType' | 'userAgent'>;

export interface Inlet {
  readonly name: string;
  readonly defaultDimension: string;
  readonly routes: readonly (FixedRoute | InsertRoute)[];
  /**
   * The answer to a request that is refused as a whole, or of which some records may be sent again. Without a media type it is a
   * text.
   */
  readonly refusal: (error: QuarryError, head: RefusedHead) => Answer;
}

/** The first refusal of the outcomes; one that may pass with time comes first. null = every record is durable. */
export function refusalIn(outcomes: readonly PartOutcome[]): QuarryError | null {
  const refused = outcomes.flatMap(({ error }) => error ?? []);
  return refused.find(({ status }) => mayPass(status)) ?? refused[0] ?? null;
}

/** Whether the same request may succeed later. */
export const mayPass = (status: number): boolean => status === 429 || status === 503;

export const jsonAnswer = (head: Pick<Answer, 'status'>, body: object): Answer => ({
  ...head,
  contentType: JSON_TYPE,
  body: JSON.stringify(body),
});
