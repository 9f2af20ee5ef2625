/**
 * Compares a store that was started again with the journals of those who wrote to it.
 * Every insert left its tag in all its entities, so a count of the tag tells how much of the request is there.
 */
import type { Prng } from '../../src/base/index.js';
import type { JsonClient } from '../support/json-client.js';
import type { Entry, InsertOp, Journal } from './journal.js';

const QUERIES_PER_REQUEST = 10;
const REQUESTS_AT_ONCE = 4;
const ALL_TIME = ['1990-01-01', '2100-01-01'];

export interface Findings {
  /** Acknowledged requests of which nothing is there. */
  lost: number;
  /** Requests of which a part is there. */
  half: number;
  /** Requests whose events are there more than once. */
  doubled: number;
  /** What else is not as the journals say: a refused request's traces, other values, other totals. */
  wrong: number;
  /** Requests without an answer, by what the check found. */
  unansweredKept: number;
  unansweredGone: number;
  /** Counts compared. */
  checks: number;
  /** What was found, in words: the first of many. */
  readonly texts: string[];
}

const TEXTS_MAX = 50;

export const noFindings = (): Findings => ({
  lost: 0,
  half: 0,
  doubled: 0,
  wrong: 0,
  unansweredKept: 0,
  unansweredGone: 0,
  checks: 0,
  texts: [],
});

type Kind = 'lost' | 'half' | 'doubled' | 'wrong';

/** One count and what it must be. */
interface Count {
  readonly dimension: string;
  readonly query: readonly unknown[];
  readonly expected: number;
  readonly kindOf: (found: number) => Kind;
  readonly what: string;
}

/** A store's dimensions, and their columns. */
type Listing = ReadonlyMap<string, ReadonlySet<string>>;

const hasEvent = (column: string, tag: string, minfreq = 1): readonly unknown[] => [
  { [column]: { equals: tag, between: ALL_TIME, minfreq } },
];

export class Checker {
  readonly #client: JsonClient;
  readonly #findings: Findings;

  constructor(client: JsonClient, findings: Findings) {
    this.#client = client;
    this.#findings = findings;
  }

  /**
   * Settles what got no answer, then checks the requests from `fromRound` on, `sampleCount` older ones of each
   * writer, all columns and dimensions, and all totals.
   */
  async check(
    journals: readonly Journal[],
    fromRound: number,
    sampleCount: number,
    prng: Prng,
  ): Promise<void> {
    const listing = await this.#listing();
    for (const journal of journals) {
      for (const entry of journal.entries) if (entry.applied === null) await this.#settle(entry, listing);
      journal.settle();
    }
    this.#checkListing(journals, listing);
    const counts: Count[] = [];
    for (const journal of journals) {
      const recent = journal.entries.findIndex(({ round }) => round >= fromRound);
      const olderCount = recent === -1 ? journal.entries.length : recent;
      const chosen = new Set<number>();
      for (let index = olderCount; index < journal.entries.length; index++) chosen.add(index);
      for (let left = Math.min(sampleCount, olderCount); left > 0; left--) chosen.add(prng.below(olderCount));
      counts.push(...countsOf(journal, chosen, listing));
    }
    await this.#compareAll(counts);
    await this.#checkTotals(journals);
  }

  async #listing(): Promise<Listing> {
    const columns = await this.#client.succeed<Record<string, unknown>>({ path: '/v1/column' });
    const { dimensions } = await this.#client.succeed<{ dimensions: string[] }>({ path: '/v1/dimension' });
    return new Map(
      dimensions.map((dimension) => {
        const { active } = columns[dimension] as { active: { 'api-name': string }[] };
        return [dimension, new Set(active.map((column) => column['api-name']))];
      }),
    );
  }

  async #settle(entry: Entry, listing: Listing): Promise<void> {
    const { op } = entry;
    let [there, whole] = [0, 0];
    if (op.kind === 'insert') {
      for (const [dimension, ordinals] of op.entities) {
        whole += ordinals.length;
        there += await this.#countOrNone(dimension, 'tag-event', op.tag, listing);
      }
    } else if (op.kind === 'drop') {
      whole = 1;
      there = listing.has(op.dimension) ? 0 : 1;
    } else {
      whole = op.names.length;
      const names = op.kind === 'columns' ? listing.get('default') : listing;
      there = op.names.filter((name) => names?.has(name)).length;
    }
    entry.applied = there > 0;
    if (there === 0) this.#findings.unansweredGone++;
    else if (there === whole) this.#findings.unansweredKept++;
    else this.#found('half', `of ${textOf(entry)}, which got no answer, ${there} of ${whole} is there`);
  }

  async #countOrNone(dimension: string, column: string, tag: string, listing: Listing): Promise<number> {
    if (!listing.get(dimension)?.has(column)) return 0;
    const [found] = await this.#counts([{ dimension, query: hasEvent(column, tag) }]);
    return found;
  }

  #checkListing(journals: readonly Journal[], listing: Listing): void {
    for (const { entries } of journals) {
      for (const entry of entries) {
        const { op } = entry;
        if (op.kind === 'insert') {
          if (op.autoColumn !== null && entry.applied && !listing.get('default')?.has(op.autoColumn)) {
            this.#found('half', `column ${op.autoColumn} of ${textOf(entry)} is missing`);
          }
          continue;
        }
        if (op.kind === 'drop') {
          if (entry.applied && listing.has(op.dimension)) this.#found('lost', `${textOf(entry)} is undone`);
          continue;
        }
        const names = op.kind === 'columns' ? listing.get('default') : listing;
        const there = op.names.filter((name) => names?.has(name)).length;
        if (there === (entry.applied ? op.names.length : 0)) continue;
        const kind = !entry.applied ? 'wrong' : there === 0 ? 'lost' : 'half';
        this.#found(kind, `of ${textOf(entry)} (${entry.heard}) ${there} of ${op.names.length} is there`);
      }
    }
  }

  async #checkTotals(journals: readonly Journal[]): Promise<void> {
    for (const dimension of new Set(journals.flatMap((journal) => journal.dimensions))) {
      let expected = 0;
      for (const journal of journals) {
        for (const count of journal.lastWriteCounts(dimension).values()) expected += count;
      }
      const body = { dimensions: [dimension] };
      const ask = { path: '/v1/query/count/entity/total', body };
      const { result } = await this.#client.succeed<{ result: { total: number } }>(ask);
      this.#findings.checks++;
      if (result.total !== expected) {
        this.#found('wrong', `dimension ${dimension} holds ${result.total} entities, not ${expected}`);
      }
    }
  }

  async #compareAll(counts: readonly Count[]): Promise<void> {
    const groups: (readonly Count[])[] = [];
    for (let at = 0; at < counts.length; at += QUERIES_PER_REQUEST) {
      groups.push(counts.slice(at, at + QUERIES_PER_REQUEST));
    }
    const work = async (): Promise<void> => {
      for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
        const found = await this.#counts(group);
        group.forEach(({ expected, kindOf, what }, index) => {
          this.#findings.checks++;
          if (found[index] !== expected)
            this.#found(kindOf(found[index]), `${what}: ${found[index]}, not ${expected}`);
        });
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
  }

  /** At most QUERIES_PER_REQUEST counts. */
  async #counts(queries: readonly Pick<Count, 'dimension' | 'query'>[]): Promise<number[]> {
    const body = queries.map(({ dimension, query }, index) => ({
      'query-name': `q${index}`,
      dimension,
      query,
    }));
    const { result } = await this.#client.succeed<{ result: Record<string, number> }>({
      path: '/v1/query/count/entity',
      body,
    });
    return queries.map((_, index) => result[`q${index}`]);
  }

  #found(kind: Kind, text: string): void {
    this.#findings[kind]++;
    if (this.#findings.texts.length < TEXTS_MAX) this.#findings.texts.push(`${kind}: ${text}`);
  }
}

/** What must hold of the chosen inserts of one writer. */
function countsOf(journal: Journal, chosen: ReadonlySet<number>, listing: Listing): Count[] {
  const counts: Count[] = [];
  const lastWrites = new Map([...listing.keys()].map((name) => [name, journal.lastWriteCounts(name)]));
  for (const index of chosen) {
    const entry = journal.entries[index];
    if (entry.op.kind !== 'insert') continue;
    for (const [dimension, ordinals] of entry.op.entities) {
      const columns = listing.get(dimension);
      const last = lastWrites.get(dimension);
      // Of a dimension that was dropped, or never made, nothing can be there.
      if (columns === undefined || last === undefined || !columns.has('tag-event')) continue;
      const place = { dimension, ordinals, entry, op: entry.op };
      counts.push(...countsIn(place, columns, last.get(index) ?? 0));
    }
  }
  return counts;
}

interface Place {
  readonly dimension: string;
  readonly ordinals: readonly number[];
  readonly entry: Entry;
  readonly op: InsertOp;
}

function countsIn(
  { dimension, ordinals, entry, op }: Place,
  columns: ReadonlySet<string>,
  lastWritten: number,
): Count[] {
  const { tag, autoColumn } = op;
  const whole = entry.applied ? ordinals.length : 0;
  const what = `${textOf(entry)} (${entry.heard}) in ${dimension}`;
  const ofPart = (found: number): Kind => {
    if (!entry.applied || found > whole) return 'wrong';
    return found === 0 ? 'lost' : 'half';
  };
  const counts: Count[] = [
    {
      dimension,
      query: hasEvent('tag-event', tag),
      expected: whole,
      kindOf: ofPart,
      what: `${what}, its event`,
    },
    {
      dimension,
      query: hasEvent('tag-event', tag, 2),
      expected: 0,
      kindOf: () => 'doubled',
      what: `${what}, its event twice`,
    },
  ];
  for (const column of ['tag', 'tag-list']) {
    counts.push({
      dimension,
      query: [{ [column]: { equals: tag } }],
      expected: lastWritten,
      kindOf: () => 'wrong',
      what: `${what}, column ${column}`,
    });
  }
  if (autoColumn !== null && dimension === 'default' && columns.has(autoColumn)) {
    const query = hasEvent(autoColumn, tag);
    counts.push({ dimension, query, expected: whole, kindOf: ofPart, what: `${what}, column ${autoColumn}` });
  }
  return counts;
}

function textOf({ op, round }: Entry): string {
  const name = op.kind === 'insert' ? op.tag : op.kind === 'drop' ? op.dimension : op.names.join(' ');
  return `${op.kind} ${name} of round ${round}`;
}
