/**
 * What one writer sent and what it heard back, and from that what the store must hold.
 * Invariants: writers share no entity and nothing else that they change, so a writer's own requests decide what there
 * must be; a request without an answer is the last of its run, and until a check or a repeat finds out its fate the
 * writer sends only what does not depend on it.
 */
import type { Ask } from '../../support/json-client.js';
import { Rows } from './rows.js';

/** What the client knows: a 200, another answer, or none. */
export type Heard = 'acknowledged' | 'refused' | 'nothing';

/** What the requests of the summary are counted by. */
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

/** Entities by dimension, as ordinals of the writer's own. */
export type Entities = ReadonlyMap<string, readonly number[]>;

/** A request and all of what it does, which is there wholly or not at all. */
export interface Op {
  readonly kind: Kind;
  readonly what: string;
  readonly ask: Ask;
  /** What its answer must hold, where that is known: numbers by member, of a script added up over its statements. */
  readonly answer?: Readonly<Record<string, number>>;
  /** In every entity that it writes it leaves its tag, once as an event and once as an attribute. */
  readonly wrote?: { readonly tag: string; readonly entities: Entities };
  /** An event column that it makes if it is not there, in the default dimension, and writes the tag to. */
  readonly autoColumn?: string;
  /** Entities that it deletes: all that satisfied the query when it was sent. */
  readonly deleted?: { readonly entities: Entities; readonly query: readonly unknown[] };
  readonly droppedDimension?: string;
  /** Everything else that it changes: things by name, as they are afterwards; null = not there. See site.ts. */
  readonly things?: ReadonlyMap<string, string | null>;
  /** Called with the body of the answer: it may hold a key that is told this once. */
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
  /** Things as they must be, and the round of their last change. */
  readonly things = new Map<string, string | null>();
  readonly thingRounds = new Map<string, number>();
  /** Texts of keys and passwords that were told, by the thing that they let observe. */
  readonly secrets = new Map<string, string>();
  #pending: number[] = [];

  constructor(writer: number) {
    this.writer = writer;
  }

  idOf(dimension: string, ordinal: number): string {
    return `w${this.writer}-${dimension}-${ordinal}`;
  }

  /** Called before the request is sent; the index of its entry. */
  begin(round: number, op: Op): number {
    this.entries.push({ op, heard: 'nothing', round, applied: null });
    this.#pending.push(this.entries.length - 1);
    return this.entries.length - 1;
  }

  hear(index: number, heard: Heard): void {
    this.entries[index].heard = heard;
    if (heard !== 'nothing') this.settle(index, heard === 'acknowledged');
  }

  /** Entries whose fate is not known, oldest first. */
  get pending(): readonly number[] {
    return this.#pending;
  }

  /** Counts an entry in whose fate is known by now. */
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

  /** Names of things that are there and begin with `prefix`, without it. */
  thingsOf(prefix: string): string[] {
    return [...this.things]
      .filter(([thing, state]) => state !== null && thing.startsWith(prefix))
      .map(([thing]) => thing.slice(prefix.length));
  }
}
