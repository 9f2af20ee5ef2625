/**
 * The requests of one writer, their answers, and the resulting expected content of the store.
 * Invariants: writers share no entity and nothing else that they change, so a writer's own requests determine the
 * content; a request without an answer is the last of its run, and until a check or a repeat determines its outcome the
 * writer sends only requests that do not depend on it.
 */
import type { ApiRequest } from '../../support/json-client.js';
import { Rows } from './rows.js';

/** The client's knowledge of the outcome: HTTP 200, another answer, or no answer. */
export type Heard = 'acknowledged' | 'refused' | 'nothing';

/** The kinds of requests in the summary. */
export type Kind =
  | 'insert'
  | 'update'
  | 'delete'
  | 'SQL insert'
  | 'SQL update'
  | 'SQL delete'
  | 'SQL script'
  | 'dimension'
  | 'column'
  | 'relation'
  | 'saved query'
  | 'database'
  | 'custom key'
  | 'user'
  | 'group';

/** Entities by dimension, as ordinals of the writer. */
export type Entities = ReadonlyMap<string, readonly number[]>;

/** A request and its effects, all of which happen or none. */
export interface Op {
  readonly kind: Kind;
  readonly what: string;
  readonly request: ApiRequest;
  /** The expected numbers of the answer by member, where known; those of a script are sums over its statements. */
  readonly answer?: Readonly<Record<string, number>>;
  /** The request writes its tag to each of its entities, once as an event and once as an attribute. */
  readonly wrote?: { readonly tag: string; readonly entities: Entities };
  /** An event column of the default dimension that the request creates if missing and writes the tag to. */
  readonly autoColumn?: string;
  /** Entities that the request deletes: all that satisfied the query when it was sent. */
  readonly deleted?: { readonly entities: Entities; readonly query: readonly unknown[] };
  readonly droppedDimension?: string;
  /** All other changes: things by name with their new state; null = missing. See server-state.ts. */
  readonly things?: ReadonlyMap<string, string | null>;
  /** Called with the body of the answer, which may hold a key that the server shows only once. */
  readonly learn?: (body: unknown) => void;
}

export interface Entry {
  readonly op: Op;
  readonly round: number;
  heard: Heard;
  /** Whether it took effect; null until that is known. */
  applied: boolean | null;
}

export class Journal {
  readonly writer: number;
  readonly entries: Entry[] = [];
  readonly rows = new Rows();
  /** Expected states of things, and the round of their last change. */
  readonly things = new Map<string, string | null>();
  readonly thingRounds = new Map<string, number>();
  /** Keys and passwords from answers, by the thing that they give access to. */
  readonly secrets = new Map<string, string>();
  #pending: number[] = [];

  constructor(writer: number) {
    this.writer = writer;
  }

  idOf(dimension: string, ordinal: number): string {
    return `w${this.writer}-${dimension}-${ordinal}`;
  }

  /** Called before the request is sent. Returns the index of its entry. */
  begin(round: number, op: Op): number {
    this.entries.push({ op, heard: 'nothing', round, applied: null });
    this.#pending.push(this.entries.length - 1);
    return this.entries.length - 1;
  }

  hear(index: number, heard: Heard): void {
    this.entries[index].heard = heard;
    if (heard !== 'nothing') this.settle(index, heard === 'acknowledged');
  }

  /** Entries with an unknown outcome, oldest first. */
  get pending(): readonly number[] {
    return this.#pending;
  }

  /** Records the outcome of an entry and applies its effects. */
  settle(index: number, applied: boolean): void {
    const entry = this.entries[index];
    entry.applied = applied;
    this.#pending = this.#pending.filter((one) => one !== index);
    if (!applied) return;
    const { wrote, deleted, droppedDimension, things } = entry.op;
    if (wrote !== undefined) this.rows.write(index, wrote.entities);
    if (deleted !== undefined) this.rows.delete(deleted.entities);
    if (droppedDimension !== undefined) this.rows.drop(droppedDimension);
    for (const [thing, state] of things ?? []) {
      this.things.set(thing, state);
      this.thingRounds.set(thing, entry.round);
    }
  }

  /** Names of existing things that begin with `prefix`, without the prefix. */
  thingsOf(prefix: string): string[] {
    return [...this.things]
      .filter(([thing, state]) => state !== null && thing.startsWith(prefix))
      .map(([thing]) => thing.slice(prefix.length));
  }
}
