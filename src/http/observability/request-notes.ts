/**
 * Facts about a request, collected while it is served, for metrics, log and audit. They do not affect what the request may
 * do or its answer.
 */
import type { Catalog, CatalogChange } from '../../catalog/index.js';
import type { QueryFacts, QueryPlan, QueryProgress } from '../../engine/index.js';
import type { Quarantined } from '../../ingest/index.js';
import { type Caller, nameCaller } from '../auth/caller.js';
import { databaseIdOf } from '../auth/keys.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { HandlerNotes } from '../endpoints/handlers/handler.js';
import { nameOf } from '../endpoints/router.js';
import { type ChangedThing, changedThings } from './audit-changes.js';
import { NO_ENDPOINT } from './metrics.js';
import type { StoppedQuery } from './running-queries.js';

const NOTHING: readonly ChangedThing[] = [];

export class RequestNotes implements HandlerNotes {
  readonly requestId: string;
  /** Text of the client's address; empty if neither log nor audit needs it. */
  client: string;
  /** The endpoint's name in metrics and logs. */
  endpointName = NO_ENDPOINT;
  endpoint: Endpoint | null = null;
  /** null = the key is not valid, or the endpoint needs none. */
  caller: Caller | null = null;
  /** The text of the query as the client sent it. */
  text: Uint8Array | string = '';
  /** Time at which the handler began to work on the whole request, in milliseconds of a monotonic clock; null = not yet. */
  begunMs: number | null = null;
  /** Code of the error in the answer; null = none. */
  code: number | null = null;
  plans: (() => readonly QueryPlan[]) | null = null;
  progress: (() => QueryProgress) | null = null;
  facts: QueryFacts | null = null;
  rowCount: number | null = null;
  signsInAs: string | null = null;
  quarantined: Quarantined | null = null;
  #changes: readonly ChangedThing[] = NOTHING;

  constructor(requestId: string, client: string) {
    this.requestId = requestId;
    this.client = client;
  }

  found(endpoint: Endpoint): void {
    this.endpoint = endpoint;
    this.endpointName = nameOf(endpoint);
  }

  /** The request's changes of the catalog. */
  get changes(): readonly ChangedThing[] {
    return this.#changes;
  }

  changed(changes: readonly CatalogChange[], before: Catalog): void {
    this.#changes = changes.length === 0 ? NOTHING : changedThings(changes, before);
  }

  stopped(query: StoppedQuery): void {
    this.#changes = [{ change: 'query-stopped', ...query }];
  }

  get callerName(): string {
    if (this.caller === null) return '';
    const { key, keyName } = nameCaller(this.caller);
    return keyName ?? key;
  }

  /** Notes for one part of the request's line body. */
  ofPart(): RequestNotes {
    const { requestId, client, endpoint, endpointName, caller } = this;
    return Object.assign(new RequestNotes(requestId, client), { endpoint, endpointName, caller });
  }

  get databaseId(): number | null {
    return this.caller === null ? null : databaseIdOf(this.caller);
  }
}
