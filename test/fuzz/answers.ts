/** Checks that hold for the answer to any request: it is well-formed, follows the interface, and reports no bug. */
import { ERRORS, type ErrorCode } from '../../src/base/index.js';

/** Codes with HTTP 503 that are correct for a large query, or for a body among many. Any other 503 is an error here. */
const BUSY_CODES: readonly ErrorCode[] = [9003, 9005, 9006];
const MESSAGE_CHARS_MAX = 2_000;

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface Judged {
  /** Null if nothing is wrong. */
  readonly fault: string | null;
  /** Code of the first error; null for a success. */
  readonly code: ErrorCode | null;
}

const wrong = (fault: string): Judged => ({ fault, code: null });
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Checks that an answer follows the interface. */
export function judged({ status, contentType, body }: RawAnswer): Judged {
  if (status === 500) return wrong(`HTTP 500 ${Buffer.from(body).toString('utf8').slice(0, 500)}`);
  let parsed: unknown;
  try {
    const text = utf8.decode(body);
    if (contentType !== 'application/json') return wrong(`content type ${contentType}`);
    parsed = JSON.parse(text);
  } catch (error) {
    return wrong(`no JSON: ${error}, ${Buffer.from(body).toString('latin1').slice(0, 200)}`);
  }
  return status === 200 ? judgedSuccess(parsed) : judgedError(status, parsed);
}

function judgedSuccess(parsed: unknown): Judged {
  if (Array.isArray(parsed)) return { fault: null, code: null };
  const { status, took } = parsed as { readonly status?: unknown; readonly took?: unknown };
  if (status !== 'success' || typeof took !== 'number') return wrong(`no answer: ${JSON.stringify(parsed)}`);
  return { fault: null, code: null };
}

function judgedError(status: number, parsed: unknown): Judged {
  const { status: word, errors } = parsed as { readonly status?: unknown; readonly errors?: unknown };
  if (word !== 'error' || !Array.isArray(errors) || errors.length === 0) {
    return wrong(`no error answer: HTTP ${status} ${JSON.stringify(parsed)}`);
  }
  for (const { code, message } of errors as { readonly code?: unknown; readonly message?: unknown }[]) {
    const entry = typeof code === 'number' && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : null;
    if (entry === null || 'never' in entry)
      return wrong(`code ${JSON.stringify(code)} is not the interface's`);
    if (typeof message !== 'string' || message === '' || message.length > MESSAGE_CHARS_MAX) {
      return wrong(`a message of ${JSON.stringify(message)?.slice(0, 300)}`);
    }
  }
  const code = (errors[0] as { readonly code: ErrorCode }).code;
  if (ERRORS[code].status !== status) return wrong(`HTTP ${status} with code ${code}`);
  if (status === 503 && !BUSY_CODES.includes(code))
    return wrong(`code ${code}: a worker ended, or the disk is full`);
  return { fault: null, code };
}
