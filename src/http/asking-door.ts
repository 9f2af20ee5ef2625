/**
 * How requests come in that another protocol carries: one SELECT, or one look at the catalog, of somebody who presents a key.
 * Invariant: each is admitted as the endpoint's own request over HTTPS is, by the same table and with the same refusals, rates
 * and counts; nothing is let in here that would be refused there.
 */
import type { Access } from '../api/index.js';
import type { HangUp } from '../base/index.js';
import { invariant, QuarryError } from '../base/index.js';
import type { AskedPlan } from '../engine/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { Door, type DoorNeeds, type Told } from './admission.js';
import type { HandlerRunner } from './call.js';
import type { DatabaseEndpoint } from './endpoints.js';
import type { DatabaseCall } from './handlers/handler.js';
import type { RequestLog } from './request-log.js';
import { RequestNotes } from './request-notes.js';
import type { Router } from './router.js';
import { endpointOf } from './router.js';
import type { Request } from './uws.js';

/** Who asks: as the other protocol tells it. */
export interface Asker {
  readonly key: string;
  /** Text of the client's address. */
  readonly address: string;
}

/** What is asked: rows, or which dimensions and columns there are. */
export type AskedFor = 'rows' | 'columns';

const PATHS: Readonly<Record<AskedFor, readonly [method: string, path: string]>> = {
  rows: ['post', '/v1/sql'],
  columns: ['get', '/v1/column'],
};

/** The database that the asker may look at, in the turn in which it was admitted. */
export interface Admission {
  readonly databaseId: number;
  readonly model: DatabaseModel;
  readonly access: Access;
  readonly nowMs: number;
}

export interface AskingNeeds extends DoorNeeds {
  readonly runner: HandlerRunner;
  readonly router: Router;
  readonly log: RequestLog;
  /** Random text and a number: see RequestNotes. */
  readonly nextRequestId: () => string;
}

/** One request on its way: to be told what it asks, and when it is over. */
export class AskedRequest {
  readonly admission: Admission;
  readonly #notes: RequestNotes;
  readonly #needs: AskingNeeds;
  readonly #begunMs: number;

  constructor(admission: Admission, notes: RequestNotes, needs: AskingNeeds) {
    this.admission = admission;
    this.#notes = notes;
    this.#needs = needs;
    this.#begunMs = needs.elapsedMs();
  }

  asks(plan: AskedPlan): void {
    this.#notes.asked = () => [plan];
  }

  /** `error`: null = it was answered; what is no QuarryError is a bug, and logged as one. */
  over(error: unknown, rowCount: number): void {
    const { log, elapsedMs } = this.#needs;
    const notes = this.#notes;
    const status = error === null ? 200 : error instanceof QuarryError ? error.status : 500;
    if (error instanceof QuarryError) notes.code = error.code;
    else if (error !== null) log.unexpected(notes, error);
    notes.rowCount = rowCount;
    const milliseconds = elapsedMs() - this.#begunMs;
    log.answered(notes, status, milliseconds / 1000);
    if (log.isSlow(notes, milliseconds)) log.slow(notes, status, milliseconds / 1000);
  }
}

const NOBODY: HangUp = { hasHungUp: false, onHangUp: () => {} };

export class AskingDoor {
  readonly #needs: AskingNeeds;
  readonly #door: Door;
  /** For those who only say who they are: bound by no rate. */
  readonly #opening: Door;

  constructor(needs: AskingNeeds) {
    this.#needs = needs;
    this.#door = new Door(needs);
    this.#opening = new Door({ ...needs, limiter: null });
  }

  /** Throws what POST /v1/sql refuses such an asker with, rates aside. Counts as a request of the database. */
  open(asker: Asker): Admission {
    return this.#enter(this.#opening, asker, 'rows', '').admission;
  }

  /** Throws what the endpoint refuses such a request with. `text`: of the query, for the log of slow ones. */
  ask(asker: Asker, askedFor: AskedFor, text: string): AskedRequest {
    return this.#enter(this.#door, asker, askedFor, text);
  }

  #enter(door: Door, { key, address }: Asker, askedFor: AskedFor, text: string): AskedRequest {
    const { router, runner, nextRequestId } = this.#needs;
    const [method, path] = PATHS[askedFor];
    const notes = new RequestNotes(nextRequestId(), address);
    notes.text = text;
    const found = router.find(path);
    const endpoint = endpointOf(found, method, path);
    invariant(endpoint.scope === 'database', 'rows and columns are of a database');
    const told: Told = {
      found: () => notes.found(endpoint),
      identified: (caller) => {
        notes.caller = caller;
      },
      bounded: () => {},
    };
    const admitted = door.admit(
      {
        request: requestWith(key, method, path),
        found,
        method,
        path,
        secure: true,
        length: { kind: 'none' },
        peer: { address },
      },
      told,
    );
    const given: Admission[] = [];
    const handler: DatabaseEndpoint['handler'] = (call: DatabaseCall) => {
      const { databaseId, model, access, nowMs } = call;
      given.push({ databaseId, model, access, nowMs });
      return '';
    };
    void runner.run({ ...admitted, endpoint: { ...endpoint, handler } }, new Uint8Array(0), NOBODY, notes);
    const [admission] = given;
    invariant(admission !== undefined, 'a handler runs in the turn in which its request does');
    return new AskedRequest(admission, notes, this.#needs);
  }
}

/** A request's head with nothing but a key. */
function requestWith(key: string, method: string, path: string): Request {
  const headerOf = (name: string): string => (name === 'authorization' ? key : '');
  return {
    getHeader: headerOf,
    getMethod: () => method,
    getUrl: () => path,
    forEach: (each) => each('authorization', key),
  };
}
