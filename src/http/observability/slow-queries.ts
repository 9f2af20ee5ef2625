/**
 * The newest slow queries, as the log has them, so that an operator can list them.
 * Invariant: at most QUERIES_MAX of a database and QUERIES_TOTAL_MAX of all are in memory, each with at most PLAN_CHARACTERS_MAX of its plan.
 */
import type { answers } from '../../interface/index.js';

const QUERIES_MAX = 100;
const QUERIES_TOTAL_MAX = 1_000;
const PLAN_CHARACTERS_MAX = 8_000;

export type SlowQuery = answers.SlowQuery;

interface Entry {
  readonly databaseId: number;
  readonly query: SlowQuery;
}

export class SlowQueries {
  /** Queries that take at least this long are slow; null = no query is. */
  readonly slowQueryMs: number | null;
  /** The oldest first. */
  #entries: readonly Entry[] = [];

  constructor(slowQueryMs: number | null) {
    this.slowQueryMs = slowQueryMs;
  }

  add(databaseId: number, query: SlowQuery): void {
    const before = this.#entries;
    const isFull = before.filter((entry) => entry.databaseId === databaseId).length >= QUERIES_MAX;
    const oldest = isFull ? before.find((entry) => entry.databaseId === databaseId) : null;
    const others = before.filter((entry) => entry !== oldest).slice(1 - QUERIES_TOTAL_MAX);
    this.#entries = [...others, { databaseId, query: { ...query, plan: shortened(query.plan) } }];
  }

  /** The slow queries of a database, the newest first. */
  list(databaseId: number): readonly SlowQuery[] {
    const own = this.#entries.filter((entry) => entry.databaseId === databaseId);
    return own.map(({ query }) => query).reverse();
  }
}

function shortened(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const first = lines.findIndex((line) => {
    characters += line.length;
    return characters > PLAN_CHARACTERS_MAX;
  });
  return first === -1 ? lines : [...lines.slice(0, first), `and ${lines.length - first} more`];
}
