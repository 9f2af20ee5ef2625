/**
 * Counts the requests and writes of each database, for its metadata and for the daily limits of plans.
 * Invariants: writes are noted once per record, both from log and snapshot, so their counts are exact after any restart.
 * Requests are noted as they arrive; after a crash their counts are those of the last checkpoint.
 */
import { SECONDS_PER_DAY } from '../../schema/index.js';
import { type DatabaseUsage, NO_USAGE } from '../database-usage.js';

type Counts = { -readonly [Field in keyof DatabaseUsage]: DatabaseUsage[Field] };

/** The counts of one record. */
export interface NotedWrite {
  readonly databaseId: number;
  readonly timeMs: number;
  readonly insertedEntityCount: number;
  readonly insertedValueCount: number;
  readonly updatedEntityCount: number;
}

const noCounts = (): Counts => ({ ...NO_USAGE });

const dayOf = (timeMs: number): number => Math.floor(timeMs / 1000 / SECONDS_PER_DAY);

type Books = Map<number, Counts>;

/** The counts of one database at an LSN. */
interface Followed {
  readonly databaseId: number;
  readonly lsn: number;
  readonly usage: Counts;
}

function countsIn(books: Books, databaseId: number): Counts {
  let counts = books.get(databaseId);
  if (counts === undefined) {
    counts = noCounts();
    books.set(databaseId, counts);
  }
  return counts;
}

const addTo = (books: Books, write: NotedWrite): void => add(countsIn(books, write.databaseId), write);

function add(counts: Counts, write: NotedWrite): void {
  counts.insertedEntityCount += write.insertedEntityCount;
  counts.insertedValueCount += write.insertedValueCount;
  counts.updatedEntityCount += write.updatedEntityCount;
  const day = dayOf(write.timeMs);
  if (day > counts.day) {
    counts.day = day;
    counts.dayWriteCount = 0;
  }
  if (day === counts.day) counts.dayWriteCount += write.insertedEntityCount + write.updatedEntityCount;
}

/** The counts at one LSN, while records up to it may still be noted. */
export interface UsageSnapshot {
  readonly plain: unknown;
}

export class UsageBook {
  #books: Books = new Map();
  #requestsNoted = false;
  readonly #followed = new Set<Followed>();
  #snapshot: { readonly lsn: number; readonly books: Books } | null = null;

  /** The usage at `nowMs`. The daily count is 0 if the last write was on an earlier day. */
  of(databaseId: number, nowMs: number): DatabaseUsage {
    const counts = this.#books.get(databaseId) ?? noCounts();
    const day = dayOf(nowMs);
    return day > counts.day ? { ...counts, day, dayWriteCount: 0 } : { ...counts };
  }

  noteRequest(databaseId: number, isQuery: boolean): void {
    const counts = countsIn(this.#books, databaseId);
    counts.requestCount++;
    if (isQuery) counts.queryCount++;
    this.#requestsNoted = true;
  }

  noteWrite(lsn: number, write: NotedWrite): void {
    addTo(this.#books, write);
    const snapshot = this.#snapshot;
    if (snapshot !== null && lsn <= snapshot.lsn) addTo(snapshot.books, write);
    for (const followed of this.#followed) {
      if (followed.databaseId === write.databaseId && lsn <= followed.lsn) add(followed.usage, write);
    }
  }

  /**
   * The counts of a database at `lsn`, the last record that was sent. They include records up to `lsn` that are noted until
   * `end` is called.
   */
  follow(databaseId: number, lsn: number, nowMs: number): { readonly usage: DatabaseUsage; end(): void } {
    const followed: Followed = { databaseId, lsn, usage: this.of(databaseId, nowMs) };
    this.#followed.add(followed);
    return { usage: followed.usage, end: () => this.#followed.delete(followed) };
  }

  drop(databaseId: number): void {
    this.#books.delete(databaseId);
  }

  /** Whether requests, which no record contains, were noted since the last snapshot. */
  get hasRequestsSinceSnapshot(): boolean {
    return this.#requestsNoted;
  }

  /** Begins a snapshot at `lsn`, the last record that was sent. It includes records up to `lsn` that are noted later. */
  beginSnapshot(lsn: number): UsageSnapshot {
    const books: Books = new Map([...this.#books].map(([id, counts]) => [id, { ...counts }]));
    this.#snapshot = { lsn, books };
    this.#requestsNoted = false;
    return {
      get plain() {
        return [...books].map(([databaseId, counts]) => ({ databaseId, ...counts }));
      },
    };
  }

  /** Restores the result of a snapshot's `plain`; undefined from stores that had no usage. */
  restore(plain: unknown): void {
    const entries = (plain ?? []) as readonly ({ readonly databaseId: number } & Counts)[];
    this.#books = new Map(
      entries.map(({ databaseId, ...counts }) => [databaseId, { ...noCounts(), ...counts }]),
    );
  }
}
