/**
 * Compares a restarted store with the journals of its writers.
 * Every insert and update leaves its tag in all its entities, so a count of the tag shows how much of the request took
 * effect; everything else is read from the listings or by single requests (server-state.ts).
 */
import type { Prng } from '../../../src/base/index.js';
import type { JsonClient } from '../../support/json-client.js';
import { type Count, countsOf, type Problem } from './counts.js';
import type { Entry, Journal } from './journal.js';
import { hasEvent } from './row-requests.js';
import { type Listing, ServerState } from './server-state.js';

const QUERIES_PER_REQUEST = 10;
const REQUEST_CONCURRENCY = 4;
const IDS_PER_REQUEST = 100;
/** Number of older things of each writer that are checked with single requests, in addition to the recent ones. */
const OLDER_THINGS = 3;
/** Signing in takes a quarter of a second. */
const SIGN_INS_MAX = 1;

export interface Findings {
  /** Acknowledged requests without any effect. */
  lost: number;
  /** Requests that took effect in part. */
  half: number;
  /** Requests whose events were written more than once. */
  doubled: number;
  /** Other differences from the journals: effects of refused requests, wrong values, totals and answers. */
  wrong: number;
  /** Requests without an answer, by whether they took effect. */
  unansweredApplied: number;
  unansweredGone: number;
  /** Counts and states compared. */
  checks: number;
  /** Descriptions of the first findings. */
  readonly texts: string[];
}

const TEXTS_MAX = 50;

export const noFindings = (): Findings => ({
  lost: 0,
  half: 0,
  doubled: 0,
  wrong: 0,
  unansweredApplied: 0,
  unansweredGone: 0,
  checks: 0,
  texts: [],
});

export class Checker {
  readonly #client: JsonClient;
  readonly #teamKey: string;
  readonly #findings: Findings;
  readonly #prng: Prng;

  constructor(client: JsonClient, teamKey: string, findings: Findings, prng: Prng) {
    this.#client = client;
    this.#teamKey = teamKey;
    this.#findings = findings;
    this.#prng = prng;
  }

  /**
   * Determines the outcome of requests without an answer, then checks the requests from `fromRound` on, `sampleCount`
   * older ones of each writer, all listed things, and all totals.
   */
  async check(journals: readonly Journal[], fromRound: number, sampleCount: number): Promise<void> {
    const state = await ServerState.read(this.#client, this.#teamKey);
    for (const journal of journals) {
      for (const index of [...journal.pending]) await this.#settle(journal, index, state);
    }
    this.#checkListed(journals, state);
    const counts: Count[] = [];
    for (const journal of journals) {
      await this.#checkUnlisted(journal, fromRound, state);
      this.#checkAutoColumns(journal, state.listing);
      const recent = journal.entries.findIndex(({ round }) => round >= fromRound);
      const olderCount = recent === -1 ? journal.entries.length : recent;
      const chosen = new Set<number>();
      for (let index = olderCount; index < journal.entries.length; index++) chosen.add(index);
      for (let left = Math.min(sampleCount, olderCount); left > 0; left--) {
        chosen.add(this.#prng.below(olderCount));
      }
      counts.push(...countsOf(journal, chosen, state.listing));
      await this.#checkExists(journal);
    }
    await this.#compareAll(counts);
    await this.#checkTotals(journals);
  }

  /** Determines whether a request without an answer took effect. */
  async #settle(journal: Journal, index: number, state: ServerState): Promise<void> {
    const { wrote, deleted, things } = journal.entries[index].op;
    let [there, whole] = [0, 0];
    for (const [dimension, ordinals] of wrote?.entities ?? []) {
      whole += ordinals.length;
      there += await this.#countOrNone(dimension, hasEvent('tag-event', wrote?.tag ?? ''), state.listing);
    }
    for (const [dimension, ordinals] of deleted?.entities ?? []) {
      whole += ordinals.length;
      there += ordinals.length - (await this.#countOrNone(dimension, deleted?.query ?? [], state.listing));
    }
    for (const [thing, after] of things ?? []) {
      const before = journal.things.get(thing) ?? null;
      if (before === after) continue;
      const found = await state.stateOf(thing, journal.secrets);
      if (found === undefined) continue;
      whole++;
      if (found === after) there++;
      else if (found !== before) this.found('wrong', `${thing} is ${found}, neither ${before} nor ${after}`);
    }
    journal.settle(index, there > 0 || whole === 0);
    if (there === 0 && whole > 0) this.#findings.unansweredGone++;
    else if (there === whole) this.#findings.unansweredApplied++;
    else this.found('half', `of ${textOf(journal.entries[index])}, ${there} of ${whole} is there`);
  }

  async #countOrNone(dimension: string, query: readonly unknown[], listing: Listing): Promise<number> {
    if (!listing.get(dimension)?.has('tag-event')) return 0;
    const [found] = await this.#counts([{ dimension, query }]);
    return found;
  }

  #checkListed(journals: readonly Journal[], { listed }: ServerState): void {
    const expected = new Map(
      journals.flatMap(({ things }) => [...things].filter(([thing]) => ServerState.isListed(thing))),
    );
    for (const thing of new Set([...expected.keys(), ...listed.keys()])) {
      this.#compareThing(thing, expected.get(thing) ?? null, listed.get(thing) ?? null);
    }
  }

  async #checkUnlisted(journal: Journal, fromRound: number, state: ServerState): Promise<void> {
    const recent: string[] = [];
    const older: string[] = [];
    for (const [thing, round] of journal.thingRounds) {
      if (!ServerState.isListed(thing) && !thing.startsWith('hidden/')) {
        (round >= fromRound ? recent : older).push(thing);
      }
    }
    for (let left = Math.min(OLDER_THINGS, older.length); left > 0; left--) {
      recent.push(this.#prng.pick(older));
    }
    let signIns = 0;
    for (const thing of new Set(recent)) {
      if (thing.startsWith('signin/') && ++signIns > SIGN_INS_MAX) continue;
      const found = await state.stateOf(thing, journal.secrets);
      if (found !== undefined) this.#compareThing(thing, journal.things.get(thing) ?? null, found);
    }
  }

  #compareThing(thing: string, expected: string | null, found: string | null): void {
    this.#findings.checks++;
    if (found === expected) return;
    this.found(found === null ? 'lost' : 'wrong', `${thing} is ${found}, not ${expected}`);
  }

  #checkAutoColumns({ entries }: Journal, listing: Listing): void {
    for (const { op, applied, round } of entries) {
      if (op.autoColumn === undefined || !applied || listing.get('default')?.has(op.autoColumn)) continue;
      this.found('half', `column ${op.autoColumn} of ${op.what} of round ${round} is missing`);
    }
  }

  /** Checks some entities of each dimension by ID: existing, deleted, and never inserted ones. */
  async #checkExists(journal: Journal): Promise<void> {
    for (const dimension of journal.rows.dimensions) {
      const named = journal.rows.namedCounts.get(dimension) ?? 0;
      const ordinals = Array.from({ length: IDS_PER_REQUEST }, () => this.#prng.below(named + 5));
      const expected = new Map(
        ordinals.map((ordinal) => [
          journal.idOf(dimension, ordinal),
          journal.rows.tagsOf(dimension, ordinal).length > 0,
        ]),
      );
      const body = { dimension, ids: [...expected.keys()] };
      const { exists } = await this.#client.succeed<{ exists: readonly string[] }>({
        path: '/v1/query/exists/entity',
        body,
      });
      const found = new Set(exists);
      for (const [id, there] of expected) {
        this.#findings.checks++;
        if (found.has(id) === there) continue;
        this.found(there ? 'lost' : 'wrong', `entity ${id} of ${dimension} is ${there ? 'not ' : ''}there`);
      }
    }
  }

  async #checkTotals(journals: readonly Journal[]): Promise<void> {
    for (const dimension of new Set(journals.flatMap(({ rows }) => rows.dimensions))) {
      const expected = journals.reduce((sum, { rows }) => sum + rows.countOf(dimension), 0);
      const body = { dimensions: [dimension] };
      const request = { path: '/v1/query/count/entity/total', body };
      const { result } = await this.#client.succeed<{ result: { total: number } }>(request);
      this.#findings.checks++;
      if (result.total !== expected) {
        this.found('wrong', `dimension ${dimension} holds ${result.total} entities, not ${expected}`);
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
        group.forEach(({ expected, problemOf, entry, what }, index) => {
          this.#findings.checks++;
          if (found[index] === expected) return;
          const text = `${textOf(entry)}, ${what}: ${found[index]}, not ${expected}`;
          this.found(problemOf(found[index]), text);
        });
      }
    };
    await Promise.all(Array.from({ length: REQUEST_CONCURRENCY }, work));
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

  found(problem: Problem, text: string): void {
    this.#findings[problem]++;
    if (this.#findings.texts.length < TEXTS_MAX) this.#findings.texts.push(`${problem}: ${text}`);
  }
}

const textOf = ({ op, round, heard }: Entry): string =>
  `${op.kind} ${op.what} of round ${round} (answer: ${heard})`;
