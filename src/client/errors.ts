/** The errors of a request: the server refused it, or no complete answer came. */
import { type Fault, NO_CODE, type Refusal } from './transport/index.js';

/** The server refused the request, which had no effect. */
export class QuarryError extends Error {
  override readonly name = 'QuarryError';
  /** The code of the first fault; /docs of the server explains all codes. NO_CODE if a proxy answered. */
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  readonly faults: readonly Fault[];
  /** The request's ID, which is also in the server's log. */
  readonly requestId: string | null;
  /** Seconds after which the request can be retried; null = unknown. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    faults: readonly Fault[],
    requestId: string | null = null,
    retryAfterSeconds: number | null = null,
  ) {
    const [first = { code: NO_CODE, message: `HTTP ${status}` }] = faults;
    super(first.message);
    this.code = first.code;
    this.status = status;
    this.faults = faults;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No complete answer came: whether the request took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

export function errorOf({ status, faults, text, requestId, retryAfterSeconds }: Refusal): QuarryError {
  const unnamed = { code: NO_CODE, message: `HTTP ${status}: ${text.slice(0, 200)}` };
  return new QuarryError(status, faults.length === 0 ? [unnamed] : faults, requestId, retryAfterSeconds);
}
