/**
 * What one writer sent and what it heard back, and from that what the store must hold.
 * Invariants: writers share no entity, so the order of a writer's own requests decides the content of its entities;
 * a request without an answer is the last of its run, and is settled (kept or not) by the first check behind it.
 */

/** What the client knows: a 200, another answer, or none. */
export type Heard = 'acknowledged' | 'refused' | 'nothing';

/** One insert: in every entity that it writes it leaves its tag, once as an event and once as an attribute. */
export interface InsertOp {
  readonly kind: 'insert';
  readonly tag: string;
  /** Entity ordinals by dimension. */
  readonly entities: ReadonlyMap<string, readonly number[]>;
  /** An event column that the request makes if it is not there, in the default dimension, and writes the tag to. */
  readonly autoColumn: string | null;
}

/** One POST of columns or dimensions: all of them come into being, or none. */
export interface CreateOp {
  readonly kind: 'columns' | 'dimensions';
  readonly names: readonly string[];
}

export interface DropOp {
  readonly kind: 'drop';
  readonly dimension: string;
}

export type Op = InsertOp | CreateOp | DropOp;

export interface Entry {
  readonly op: Op;
  readonly heard: Heard;
  readonly round: number;
  /** Whether it took effect; null until a check found out. */
  applied: boolean | null;
}

export class Journal {
  readonly writer: number;
  readonly entries: Entry[] = [];
  /** Entities that the writer ever named, by dimension. */
  readonly entityCounts = new Map<string, number>();
  /** Per dimension and entity ordinal: index of the entry that wrote it last. */
  readonly #lastWrites = new Map<string, Int32Array>();
  /** Entries before this one stand in #lastWrites. */
  #settledCount = 0;

  constructor(writer: number) {
    this.writer = writer;
  }

  idOf(dimension: string, ordinal: number): string {
    return `w${this.writer}-${dimension}-${ordinal}`;
  }

  add(round: number, op: Op, heard: Heard): void {
    const applied = heard === 'nothing' ? null : heard === 'acknowledged';
    this.entries.push({ op, heard, round, applied });
  }

  /** Counts the entries in whose effects are known by now. */
  settle(): void {
    for (; this.#settledCount < this.entries.length; this.#settledCount++) {
      const { op, applied } = this.entries[this.#settledCount];
      if (applied === null) throw new Error(`the fate of ${JSON.stringify(op)} is not known`);
      if (!applied) continue;
      if (op.kind === 'drop') this.#lastWrites.delete(op.dimension);
      if (op.kind !== 'insert') continue;
      for (const [dimension, ordinals] of op.entities) {
        const last = this.#lastWritesOf(dimension, Math.max(...ordinals));
        for (const ordinal of ordinals) last[ordinal] = this.#settledCount;
      }
    }
  }

  /** Per entry that wrote to the dimension: the entities that nothing has written since. */
  lastWriteCounts(dimension: string): Map<number, number> {
    const counts = new Map<number, number>();
    for (const entry of this.#lastWrites.get(dimension) ?? []) {
      if (entry >= 0) counts.set(entry, (counts.get(entry) ?? 0) + 1);
    }
    return counts;
  }

  /** Dimensions that hold something of this writer. */
  get dimensions(): readonly string[] {
    return [...this.#lastWrites.keys()];
  }

  #lastWritesOf(dimension: string, ordinalMax: number): Int32Array {
    const last = this.#lastWrites.get(dimension);
    if (last !== undefined && last.length > ordinalMax) return last;
    const longer = new Int32Array((ordinalMax + 1) * 2).fill(-1);
    if (last !== undefined) longer.set(last);
    this.#lastWrites.set(dimension, longer);
    return longer;
  }
}
