/** The errors of a request: the server refused it, or no complete answer came. */

/** One error that the server found in the request. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  /** Details, if there are any. */
  readonly moreInfo?: unknown;
}

/** The code of an error from a proxy between client and server, which sends none. */
export const NO_CODE = 0;

const unnamed = (message: string): Fault => ({ code: NO_CODE, message });

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
    const [first = unnamed(`HTTP ${status}`)] = faults;
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

/** The error of an answer that is not a success, with any body. */
export function errorOf(response: Response, body: string): QuarryError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new QuarryError(
    response.status,
    faultsIn(body) ?? [unnamed(`HTTP ${response.status}: ${body.slice(0, 200)}`)],
    response.headers.get('x-request-id'),
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

/** The faults in a body; null if the server did not write the body. */
function faultsIn(body: string): readonly Fault[] | null {
  try {
    const { errors } = JSON.parse(body) as { readonly errors?: unknown };
    if (!Array.isArray(errors) || errors.length === 0) return null;
    return errors.map(({ code, message, 'more-info': info, more_info: sqlInfo = info }): Fault => {
      return sqlInfo === undefined ? { code, message } : { code, message, moreInfo: sqlInfo };
    });
  } catch {
    return null;
  }
}
