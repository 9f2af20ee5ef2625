/** Decodes answers other than success. */
import { parseExact } from './json.js';

/** One error that the server found in the request. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  /** Details, if there are any. */
  readonly moreInfo?: unknown;
}

/** Replaces the code of errors without one, such as errors of a proxy between client and server. */
export const NO_CODE = 0;

/** An answer other than success. */
export interface Refusal {
  /** HTTP status. */
  readonly status: number;
  /** Empty if the server did not write the answer. */
  readonly faults: readonly Fault[];
  readonly text: string;
  /** The request's ID, which is also in the server's log. */
  readonly requestId: string | null;
  /** Seconds after which the request can be retried; null = unknown. */
  readonly retryAfterSeconds: number | null;
}

/** The part of a response that is read. */
export type HttpResponse = Pick<Response, 'status' | 'text' | 'arrayBuffer'> & {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: Response['body'] | AsyncIterable<Uint8Array>;
};

export async function readRefusal(response: HttpResponse): Promise<Refusal> {
  const text = await response.text();
  const retryAfter = response.headers.get('retry-after') ?? '';
  return {
    status: response.status,
    faults: faultsOf(text),
    text,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: /^\d+$/.test(retryAfter) ? Number(retryAfter) : null,
  };
}

/** The errors in the body of an answer; none if the server did not write it. */
export function faultsOf(text: string, parse: (text: string) => unknown = parseExact): readonly Fault[] {
  try {
    const { errors } = parse(text) as { readonly errors: readonly unknown[] };
    return errors.filter(isObject).map((error) => {
      const { code, message, 'more-info': info, more_info: moreInfo = info } = error;
      const fault = { code: typeof code === 'number' ? code : NO_CODE, message: String(message ?? '') };
      return moreInfo === undefined ? fault : { ...fault, moreInfo };
    });
  } catch {
    return [];
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
