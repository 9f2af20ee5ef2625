/**
 * Facts about a request, collected while it is served, for metrics, log and audit. They do not affect what the request may
 * do or its answer.
 */

import type { Caller } from '../auth/caller.js';
import { databaseIdOf } from '../auth/keys.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import { nameOf } from '../endpoints/router.js';
import { HandlerNotes } from './handler-notes.js';
import { NO_ENDPOINT } from './metrics.js';

export class RequestNotes extends HandlerNotes {
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

  constructor(requestId: string, client: string) {
    super();
    this.requestId = requestId;
    this.client = client;
  }

  found(endpoint: Endpoint): void {
    this.endpoint = endpoint;
    this.endpointName = nameOf(endpoint);
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
