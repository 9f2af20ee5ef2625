/**
 * Writes answers: the JSON of successes and errors, and the head of the response.
 * Invariants: `took` always has a fraction. Every error of an answer has `code` and `message`. Answers with HTTP 503 and 429
 * have Retry-After. The text of an unexpected exception never leaves the server.
 */
import { invariant, type QuarryError, RETRY_AFTER_SECONDS } from '../../base/index.js';
import { RateExceeded, type RateStatus } from '../limits/rate-window.js';
import { answerAndKeepReading, endBroken, endHead, endInTurn, type Response } from './uws.js';

export interface AnswerHead {
  readonly status: number;
  readonly contentType: string;
  /** Code of the first error; left out = no error. */
  readonly code?: number;
  /** The rate limit that the request exceeded; left out = none. */
  readonly exceeded?: RateStatus;
  /** The Retry-After of a retryable error; left out = RETRY_AFTER_SECONDS. */
  readonly retryAfterSeconds?: number;
  /** The client would take the answer for final, so the connection is closed without it. Left out = it is sent. */
  readonly isWithheld?: boolean;
  /** Names and values of additional headers. */
  readonly headers?: readonly (readonly [string, string])[];
}

export interface Answer extends AnswerHead {
  /** Text of the JSON interface, or the bytes of another document. */
  readonly body: string | Uint8Array;
}

/** An answer of the JSON interface. */
interface JsonAnswer extends Answer {
  readonly body: string;
}

const STATUS_LINES: ReadonlyMap<number, string> = new Map([
  [200, '200 OK'],
  [302, '302 Found'],
  [304, '304 Not Modified'],
  [400, '400 Bad Request'],
  [401, '401 Unauthorized'],
  [403, '403 Forbidden'],
  [404, '404 Not Found'],
  [409, '409 Conflict'],
  [413, '413 Payload Too Large'],
  [415, '415 Unsupported Media Type'],
  [422, '422 Unprocessable Content'],
  [429, '429 Too Many Requests'],
  [500, '500 Internal Server Error'],
  [503, '503 Service Unavailable'],
]);

/** The only code whose detail the interface spells with an underscore. */
const SQL_CODE = 6000;

export const JSON_TYPE = 'application/json';

/** `members`: JSON text such as `"result":{"a":1}`, or a list, which is the whole answer. */
export function successAnswer(members: string, seconds: number): JsonAnswer {
  const body = members.startsWith('[')
    ? members
    : `{"status":"success",${members},"took":${seconds.toFixed(6)}}`;
  return { status: 200, contentType: JSON_TYPE, body };
}

/** The status is that of the first error. */
export function errorAnswer(error: QuarryError): JsonAnswer {
  const body = JSON.stringify({ errors: errorEntries(error), status: 'error' });
  return { ...errorHead(error), contentType: JSON_TYPE, body };
}

export function errorHead(error: QuarryError): Omit<AnswerHead, 'contentType'> {
  const head = { status: error.status, code: error.code, retryAfterSeconds: retryAfterIn(error.moreInfo) };
  return error instanceof RateExceeded ? { ...head, exceeded: error.rateStatus } : head;
}

export function errorEntries(error: QuarryError): readonly object[] {
  return [error, ...error.also].map(errorEntry);
}

/** Seconds after which the request may be sent again; null = it would be refused again. */
export function retryAfterOf({ status, moreInfo }: QuarryError): number | null {
  return mayComeAgain(status) ? (retryAfterIn(moreInfo) ?? RETRY_AFTER_SECONDS) : null;
}

const mayComeAgain = (status: number): boolean => status === 503 || status === 429;

/** The `retry-after` in an error's more-info. */
function retryAfterIn(moreInfo: unknown): number | undefined {
  if (typeof moreInfo !== 'object' || moreInfo === null || !('retry-after' in moreInfo)) return undefined;
  const seconds = moreInfo['retry-after'];
  return typeof seconds === 'number' ? seconds : undefined;
}

function errorEntry({ code, message, moreInfo }: QuarryError): object {
  if (moreInfo === undefined) return { code, message };
  return { code, message, [code === SQL_CODE ? 'more_info' : 'more-info']: moreInfo };
}

/**
 * The connection after the answer: `keep` it; `close` it; keep it open to read the rest of the body (`keep-reading`); or
 * uWebSockets drops it, because it cannot determine the length of the request (`broken`).
 */
export type Ending = 'keep' | 'close' | 'keep-reading' | 'broken';

export interface Sending {
  readonly requestId: string;
  /** null = no rate limit. */
  readonly rate: RateStatus | null;
  /** The request was HEAD: only the headers are sent. */
  readonly bodyless: boolean;
  readonly ending: Ending;
}

/** Writes the whole answer. The response may be used afterwards only if `ending` is 'keep-reading'. */
export function sendAnswer(
  response: Response,
  answer: Answer,
  { requestId, rate, bodyless, ending }: Sending,
): void {
  response.cork(() => {
    writeHead(response, answer, requestId, rate);
    if (ending === 'keep-reading') {
      invariant(typeof answer.body === 'string', 'only errors are answered before the body is read');
      answerAndKeepReading(response, answer.body);
    } else if (ending === 'broken') endBroken(response, answer.body);
    else if (bodyless) endHead(response, answer.body);
    else if (ending === 'close') response.end(answer.body, true);
    else endInTurn(response, answer.body);
  });
}

/** Writes status and headers except Content-Length. To be called within `cork`. */
export function writeHead(
  response: Response,
  { status, contentType, exceeded, retryAfterSeconds, headers = [] }: AnswerHead,
  requestId: string,
  rate: RateStatus | null,
): void {
  response.writeStatus(STATUS_LINES.get(status) ?? String(status));
  response.writeHeader('Content-Type', contentType);
  response.writeHeader('X-Request-Id', requestId);
  for (const [name, value] of headers) response.writeHeader(name, value);
  const rateStatus = exceeded ?? rate;
  if (rateStatus !== null) writeRate(response, rateStatus);
  if (mayComeAgain(status)) {
    response.writeHeader('Retry-After', String(retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
}

function writeRate(response: Response, { limit, remaining, resetSeconds }: RateStatus): void {
  response.writeHeader('RateLimit-Limit', String(limit));
  response.writeHeader('RateLimit-Remaining', String(remaining));
  response.writeHeader('RateLimit-Reset', String(resetSeconds));
}
