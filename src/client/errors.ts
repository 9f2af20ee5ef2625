/** What goes wrong with a request: the server refused it, or no whole answer came. */

/** One thing that the server found wrong. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  /** Detail, where there is some. */
  readonly moreInfo?: unknown;
}

/** The code of a refusal by something between client and server, which has none. */
export const NO_CODE = 0;

const unnamed = (message: string): Fault => ({ code: NO_CODE, message });

/** The server refused the request, and did nothing of it. */
export class QuarryError extends Error {
  override readonly name = 'QuarryError';
  /** Of the first fault: /docs of the server tells what each means. NO_CODE where a proxy answered. */
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  readonly faults: readonly Fault[];
  /** Stands in the server's log too. */
  readonly requestId: string | null;
  /** Seconds after which the server takes it again; null = it says none. */
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

/** No whole answer came: whether the request took effect is not known. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The error of an answer that is no success, whatever its body is. */
export function errorOf(response: Response, body: string): QuarryError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new QuarryError(
    response.status,
    faultsIn(body) ?? [unnamed(`HTTP ${response.status}: ${body.slice(0, 200)}`)],
    response.headers.get('x-request-id'),
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

/** null where the body is not one of the server's own. */
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
