/**
 * What is learnt of a request on its way, for its figures, its lines in the log and the audit. Nothing here says what
 * the request may do or what it is answered.
 */

import type { Caller } from '../auth/caller.js';
import { databaseIdOf } from '../auth/keys.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import { nameOf } from '../endpoints/router.js';
import { AskNotes } from './handler-notes.js';
import { NO_ENDPOINT } from './metrics.js';

export class RequestNotes extends AskNotes {
  readonly requestId: string;
  /** Text of the client's address; empty where nobody wants to know it. */
  client: string;
  /** As metrics and logs name what was asked for. */
  endpointName = NO_ENDPOINT;
  endpoint: Endpoint | null = null;
  /** null = no good key, or none needed. */
  caller: Caller | null = null;
  /** The query's own text as it came. */
  text: Uint8Array | string = '';
  /** Milliseconds at which the work on the whole request began; of a clock that never goes back. */
  begunMs: number | null = null;
  /** Code of the error that is answered. */
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

  /** Notes of a part of the request that takes effect on its own. */
  ofPart(): RequestNotes {
    const { requestId, client, endpoint, endpointName, caller } = this;
    return Object.assign(new RequestNotes(requestId, client), { endpoint, endpointName, caller });
  }

  get databaseId(): number | null {
    return this.caller === null ? null : databaseIdOf(this.caller);
  }
}
