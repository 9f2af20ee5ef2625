/**
 * Writes log lines about requests. Each line has the request's ID and, if a valid key was sent, the key's name. A line never
 * contains a key, and nothing from a body except the text of a slow query and the message of an error.
 * Invariants: requests without a valid key are logged at debug level only, so nobody can fill a disk without one. Refused
 * parts of line bodies are logged at most once in PART_REFUSAL_LOG_MS.
 */
import type { Logger } from 'pino';
import { QuarryError } from '../../base/index.js';
import type { EngineApi, QueryFacts, QueryPlan } from '../../engine/index.js';
import type { Quarantined } from '../../ingest/index.js';
import { type NamedCaller, nameCaller, nameUser } from '../auth/caller.js';
import type { PartPosition } from '../transport/part-answer.js';
import { type Audit, isAdministrative } from './audit.js';
import { queryTextOf } from './query-text.js';
import type { RequestNotes } from './request-notes.js';
import type { SlowQueries, SlowQuery } from './slow-queries.js';

/** Plans of one request that are described. */
const PLANS_MAX = 5;
/** Slow queries whose plans are described at the same time; the plans of others are left out. */
const DESCRIBED_MAX = 4;

const PART_REFUSAL_LOG_MS = 10_000;
/** Characters of an error's message that are logged. */
const REASON_MAX = 300;

export interface RequestLogDependencies {
  readonly log: Logger;
  readonly audit: Audit;
  readonly engine: Pick<EngineApi, 'summarizePlan'>;
  readonly slowQueries: SlowQueries;
  readonly nowMs: () => number;
}

export class RequestLog {
  readonly #dependencies: RequestLogDependencies;
  #describedCount = 0;
  #partRefusalLoggedMs = Number.NEGATIVE_INFINITY;
  /** Requests with refused parts that were not logged since the last one that was. */
  #unloggedCount = 0;

  constructor(dependencies: RequestLogDependencies) {
    this.#dependencies = dependencies;
  }

  /** True if every request is logged. The log then needs the addresses of clients. */
  get tellsAll(): boolean {
    return this.#dependencies.log.isLevelEnabled('debug');
  }

  answered(notes: RequestNotes, status: number, seconds: number): void {
    if (!this.tellsAll) return;
    const { code } = notes;
    const error = code === null ? {} : { code };
    this.#dependencies.log.debug(
      { ...detailsOf(notes), client: notes.client, status, ...error, seconds },
      'answered',
    );
  }

  unexpected(notes: RequestNotes, error: unknown): void {
    this.#dependencies.log.error({ err: error, ...detailsOf(notes) }, 'unexpected error');
  }

  /** An answer failed after a part of it was sent. */
  cutOff(notes: RequestNotes, error: unknown): void {
    const { log } = this.#dependencies;
    const details = detailsOf(notes);
    if (error instanceof QuarryError) {
      log.warn({ ...details, code: error.code, cause: error.message }, 'answer cut off');
    } else log.error({ ...details, err: error }, 'unexpected error, answer cut off');
  }

  /** `error`: why the first refused part of a line body was refused. */
  partRefused(notes: RequestNotes, part: PartPosition, error: QuarryError, elapsedMs: number): void {
    this.#badLines(notes, part, { error, more: {}, what: 'part of a line body refused' }, elapsedMs);
  }

  /** Logs lines that were kept in a quarantine, with the error of the first one. Shares the limit of partRefused. */
  partQuarantined(
    notes: RequestNotes,
    part: PartPosition,
    { lineCount, first }: Quarantined,
    elapsedMs: number,
  ): void {
    const what = 'lines kept in quarantine';
    this.#badLines(notes, part, { error: first, more: { lineCount }, what }, elapsedMs);
  }

  #badLines(
    notes: RequestNotes,
    { number, firstLine }: PartPosition,
    { error, more, what }: { error: Pick<QuarryError, 'code' | 'message'>; more: object; what: string },
    elapsedMs: number,
  ): void {
    if (elapsedMs - this.#partRefusalLoggedMs < PART_REFUSAL_LOG_MS) {
      this.#unloggedCount++;
      return;
    }
    const reason = error.message.slice(0, REASON_MAX);
    const details = { code: error.code, reason, part: number, firstLine, unlogged: this.#unloggedCount };
    this.#dependencies.log.warn({ ...detailsOf(notes), ...details, ...more }, what);
    this.#partRefusalLoggedMs = elapsedMs;
    this.#unloggedCount = 0;
  }

  /** True if the request is a query and `milliseconds` make it a slow one. */
  isSlow({ endpoint }: RequestNotes, milliseconds: number): boolean {
    const { slowQueryMs } = this.#dependencies.slowQueries;
    return (
      slowQueryMs !== null &&
      milliseconds >= slowQueryMs &&
      endpoint?.scope === 'database' &&
      endpoint.isQuery
    );
  }

  /** Logs and lists a slow query, after its plan was described. `status`: null = the client disconnected, or its answer was cut off. */
  slow(notes: RequestNotes, status: number | null, seconds: number): void {
    const details = {
      ...detailsOf(notes),
      status,
      ...(notes.code === null ? {} : { code: notes.code }),
      seconds,
      rows: notes.rowCount,
      ...factsOf(notes.facts),
      query: queryTextOf(notes.text),
    };
    const { log, slowQueries, nowMs } = this.#dependencies;
    const ended = new Date(nowMs()).toISOString();
    const plans = notes.plans?.() ?? [];
    void this.#described(plans).then((plan) => {
      log.warn({ ...details, plan }, 'slow query');
      if (notes.databaseId === null) return;
      const { query } = details;
      slowQueries.add(notes.databaseId, { ended, ...listedOf(notes, status, seconds), query, plan });
    });
  }

  /** To be called when a request is over, also when its client has disconnected. */
  audit(notes: RequestNotes, status: number): void {
    const { changes, endpoint } = notes;
    if (endpoint === null || (changes.length === 0 && !isAdministrative(endpoint))) return;
    const who = whoOf(notes);
    if (who === null) return;
    const done = status === 200;
    this.#dependencies.audit.write({
      who,
      what: notes.endpointName,
      outcome: done ? 'done' : status < 500 ? 'refused' : 'failed',
      changes: done ? changes : [],
      requestId: notes.requestId,
      ...(notes.client === '' ? {} : { client: notes.client }),
      status,
      ...(notes.code === null ? {} : { code: notes.code }),
    });
  }

  async #described(plans: readonly QueryPlan[]): Promise<readonly string[]> {
    if (plans.length === 0) return [];
    if (this.#describedCount >= DESCRIBED_MAX) return ['left out: other slow queries are being described'];
    this.#describedCount++;
    const lines: string[] = [];
    try {
      for (const plan of plans.slice(0, PLANS_MAX)) {
        lines.push(...(await this.#dependencies.engine.summarizePlan(plan)));
      }
      if (plans.length > PLANS_MAX) lines.push(`and ${plans.length - PLANS_MAX} more`);
    } catch (error) {
      lines.push(`left out: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#describedCount--;
    }
    return lines;
  }
}

/** The caller that the audit names; null = unknown. */
function whoOf({ caller, signsInAs }: RequestNotes): NamedCaller | null {
  if (caller !== null) return nameCaller(caller);
  return signsInAs === null ? null : nameUser(signsInAs);
}

function detailsOf({ requestId, endpointName, caller, databaseId }: RequestNotes): object {
  const who = caller === null ? {} : nameCaller(caller);
  return { requestId, ...who, ...(databaseId === null ? {} : { databaseId }), endpoint: endpointName };
}

/** The waits of a query, in whole milliseconds, and the bytes that it spilled, as far as they are not 0. */
function factsOf(facts: QueryFacts | null): Readonly<Record<string, number>> {
  if (facts === null) return {};
  const { lsn: _, ...measured } = facts;
  const rounded = Object.entries(measured).map(([name, value]) => [name, Math.round(value)] as const);
  return Object.fromEntries(rounded.filter(([, value]) => value > 0));
}

function listedOf(
  { requestId, endpointName, caller, code, rowCount, facts }: RequestNotes,
  status: number | null,
  seconds: number,
): Omit<SlowQuery, 'ended' | 'query' | 'plan'> {
  const { key, keyName } = caller === null ? { key: '' } : nameCaller(caller);
  return {
    'request-id': requestId,
    endpoint: endpointName,
    ...{ key, ...(keyName === undefined ? {} : { 'key-name': keyName }) },
    ...{ 'http-status': status, ...(code === null ? {} : { code }) },
    milliseconds: Math.round(seconds * 1_000),
    rows: rowCount,
    'memory-wait-milliseconds': Math.round(facts?.memoryWaitMs ?? 0),
    'slot-wait-milliseconds': Math.round(facts?.slotWaitMs ?? 0),
    'version-wait-milliseconds': Math.round(facts?.versionWaitMs ?? 0),
    'spilled-bytes': facts?.spilledBytes ?? 0,
  };
}
