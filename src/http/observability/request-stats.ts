/**
 * Requests that were answered, counted by endpoint, database and status, with the time that they took.
 * How the times spread is kept by endpoint alone: by database too it would be ten thousand lines, which take the main
 * thread a tenth of a second to write.
 * Invariants: a database stands for itself by its id, which the server gave it, and only DATABASES_MAX of them do at a
 * time: the others are one, so that no client can make what is kept, or told, grow. Endpoints are those of the table.
 * Nothing that was counted is lost when a database goes: it is the others' then.
 */
import { Histogram, type HistogramStats, SECONDS_BOUNDS } from '../../base/index.js';

const DATABASES_MAX = 20;
/** Databases have ids from 1. */
const NO_DATABASE = 0;
const OTHERS = -1;

/** As a metric's label tells it. */
const LABELS: ReadonlyMap<number, string> = new Map([
  [NO_DATABASE, 'none'],
  [OTHERS, 'other'],
]);

export interface AnsweredRequests {
  readonly endpoint: string;
  /** Id of a database, `none`, or `other`. */
  readonly database: string;
  /** Of all of them together. */
  readonly seconds: number;
  readonly countsByStatus: ReadonlyMap<number, number>;
}

export interface EndpointSeconds {
  readonly endpoint: string;
  readonly seconds: HistogramStats;
}

class Answered {
  seconds = 0;
  readonly countsByStatus = new Map<number, number>();

  answered(status: number, seconds: number): void {
    this.count(status, 1);
    this.seconds += seconds;
  }

  add({ seconds, countsByStatus }: Answered): void {
    this.seconds += seconds;
    for (const [status, count] of countsByStatus) this.count(status, count);
  }

  count(status: number, count: number): void {
    this.countsByStatus.set(status, (this.countsByStatus.get(status) ?? 0) + count);
  }
}

interface OfEndpoint {
  readonly spread: Histogram;
  readonly byDatabase: Map<number, Answered>;
}

export class RequestFigures {
  readonly #figures = new Map<string, OfEndpoint>();
  /** Those that stand for themselves. */
  readonly #databaseIds = new Set<number>();

  /** `databaseId`: null = the request was for none, or it is not known for which. */
  answered(endpoint: string, databaseId: number | null, status: number, seconds: number): void {
    const { spread, byDatabase } = this.#ofEndpoint(endpoint);
    spread.observe(seconds);
    const place = databaseId === null ? NO_DATABASE : this.#placeOf(databaseId);
    figuresIn(byDatabase, place).answered(status, seconds);
  }

  /** How a database is told of. */
  labelOf(databaseId: number): string {
    return labelOf(this.#placeOf(databaseId));
  }

  /** Forgets which databases those were that are not there any more. */
  keepOnly(isThere: (databaseId: number) => boolean): void {
    for (const id of this.#databaseIds) {
      if (isThere(id)) continue;
      this.#databaseIds.delete(id);
      for (const { byDatabase } of this.#figures.values()) {
        const gone = byDatabase.get(id);
        if (gone === undefined) continue;
        byDatabase.delete(id);
        figuresIn(byDatabase, OTHERS).add(gone);
      }
    }
  }

  read(): AnsweredRequests[] {
    return [...this.#figures].flatMap(([endpoint, { byDatabase }]) =>
      [...byDatabase].map(([place, { seconds, countsByStatus }]) => ({
        endpoint,
        database: labelOf(place),
        seconds,
        countsByStatus,
      })),
    );
  }

  readSpreads(): EndpointSeconds[] {
    return [...this.#figures].map(([endpoint, { spread }]) => ({ endpoint, seconds: spread.stats }));
  }

  #placeOf(databaseId: number): number {
    if (this.#databaseIds.has(databaseId)) return databaseId;
    if (this.#databaseIds.size >= DATABASES_MAX) return OTHERS;
    this.#databaseIds.add(databaseId);
    return databaseId;
  }

  #ofEndpoint(endpoint: string): OfEndpoint {
    let ofEndpoint = this.#figures.get(endpoint);
    if (ofEndpoint === undefined) {
      ofEndpoint = { spread: new Histogram(SECONDS_BOUNDS), byDatabase: new Map() };
      this.#figures.set(endpoint, ofEndpoint);
    }
    return ofEndpoint;
  }
}

function figuresIn(byDatabase: Map<number, Answered>, place: number): Answered {
  let figures = byDatabase.get(place);
  if (figures === undefined) {
    figures = new Answered();
    byDatabase.set(place, figures);
  }
  return figures;
}

const labelOf = (place: number): string => LABELS.get(place) ?? String(place);
