/**
 * What each database has been asked and given: for its metadata and for the plans' daily limits.
 * Invariants: writes are noted once per record, from log and snapshot alike, so their counts are exact after any
 * restart; requests are noted as they come and are as of the last checkpoint after a crash.
 */
import { SECONDS_PER_DAY } from '../../schema/index.js';
import { type DatabaseUsage, NO_USAGE } from '../api.js';

type Counts = { -readonly [Field in keyof DatabaseUsage]: DatabaseUsage[Field] };

/** What one record wrote. */
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

function countsIn(books: Books, databaseId: number): Counts {
  let counts = books.get(databaseId);
  if (counts === undefined) {
    counts = noCounts();
    books.set(databaseId, counts);
  }
  return counts;
}

function addTo(books: Books, write: NotedWrite): void {
  const counts = countsIn(books, write.databaseId);
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

/** The counts as of one LSN, while records up to it may still be noted. */
export interface UsageSnapshot {
  readonly plain: unknown;
}

export class UsageBook {
  #books: Books = new Map();
  #requestsNoted = false;
  #snapshot: { readonly lsn: number; readonly books: Books } | null = null;

  /** As of `nowMs`: yesterday's count is none of today's. */
  of(databaseId: number, nowMs: number): DatabaseUsage {
    const counts = this.#books.get(databaseId) ?? noCounts();
    const day = dayOf(nowMs);
    return day > counts.day ? { ...counts, day, dayWriteCount: 0 } : { ...counts };
  }

  noteRequest(databaseId: number, asks: boolean): void {
    const counts = countsIn(this.#books, databaseId);
    counts.requestCount++;
    if (asks) counts.queryCount++;
    this.#requestsNoted = true;
  }

  noteWrite(lsn: number, write: NotedWrite): void {
    addTo(this.#books, write);
    const snapshot = this.#snapshot;
    if (snapshot !== null && lsn <= snapshot.lsn) addTo(snapshot.books, write);
  }

  drop(databaseId: number): void {
    this.#books.delete(databaseId);
  }

  /** Something was noted since the last snapshot that no record holds. */
  get hasRequestsSinceSnapshot(): boolean {
    return this.#requestsNoted;
  }

  /** Begins a snapshot at `lsn`, the last record that was sent; records up to it that are noted later count in it. */
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

  /** Takes what a snapshot's `plain` gave; undefined from stores that kept none. */
  restore(plain: unknown): void {
    const entries = (plain ?? []) as readonly ({ readonly databaseId: number } & Counts)[];
    this.#books = new Map(
      entries.map(({ databaseId, ...counts }) => [databaseId, { ...noCounts(), ...counts }]),
    );
  }
}
