/**
 * How an answer is written: the JSON of successes and errors, and the head of the response.
 * Invariants: `took` always carries a fraction; every error of an answer has `code` and `message`; HTTP 503 and 429
 * carry Retry-After; the text of an unexpected exception never leaves the server.
 */
import { invariant, type QuarryError, RETRY_AFTER_SECONDS } from '../../base/index.js';
import { RateExceeded, type RateFigures } from '../limits/rate-window.js';
import { answerAndKeepReading, endBroken, endHead, endInTurn, type Response } from './uws.js';

export interface AnswerHead {
  readonly status: number;
  readonly contentType: string;
  /** Of the first error; left out where there is none. */
  readonly code?: number;
  /** The limit that the request went over; left out when it did not. */
  readonly exceeded?: RateFigures;
  /** When to come again; left out: after RETRY_AFTER_SECONDS. */
  readonly retryAfterSeconds?: number;
  /** Names and values of further ones. */
  readonly headers?: readonly (readonly [string, string])[];
}

export interface Answer extends AnswerHead {
  /** Bytes where it is no text of the interface's own. */
  readonly body: string | Uint8Array;
}

/** In the interface's own form. */
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
  [413, '413 Payload Too Large'],
  [415, '415 Unsupported Media Type'],
  [422, '422 Unprocessable Content'],
  [429, '429 Too Many Requests'],
  [500, '500 Internal Server Error'],
  [503, '503 Service Unavailable'],
]);

/** The one whose detail the interface spells with an underscore. */
const SQL_CODE = 6000;

export const JSON_TYPE = 'application/json';

/** `members` is JSON text such as `"result":{"a":1}`, or a list, which is the whole answer; `seconds` is written with
 *  a fraction. */
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
  const head = { status: error.status, code: error.code, retryAfterSeconds: toldRetryAfter(error.moreInfo) };
  return error instanceof RateExceeded ? { ...head, exceeded: error.figures } : head;
}

export function errorEntries(error: QuarryError): readonly object[] {
  return [error, ...error.also].map(errorEntry);
}

/** Seconds after which what was refused so may be sent again; null = it would be refused again. */
export function retryAfterOf({ status, moreInfo }: QuarryError): number | null {
  return mayComeAgain(status) ? (toldRetryAfter(moreInfo) ?? RETRY_AFTER_SECONDS) : null;
}

const mayComeAgain = (status: number): boolean => status === 503 || status === 429;

/** What an error says of it in its more-info. */
function toldRetryAfter(moreInfo: unknown): number | undefined {
  if (typeof moreInfo !== 'object' || moreInfo === null || !('retry-after' in moreInfo)) return undefined;
  const seconds = moreInfo['retry-after'];
  return typeof seconds === 'number' ? seconds : undefined;
}

function errorEntry({ code, message, moreInfo }: QuarryError): object {
  if (moreInfo === undefined) return { code, message };
  return { code, message, [code === SQL_CODE ? 'more_info' : 'more-info']: moreInfo };
}

/** How the connection goes on: kept; closed behind the answer; kept open to read the rest of the body away; or
 *  about to be dropped by uWebSockets, because it cannot follow the request's length. */
export type Ending = 'keep' | 'close' | 'keep-reading' | 'broken';

/** Writes the whole answer; `rate` is what bounds requests of its kind, null when nothing does. After every ending but 'keep-reading' the response is dead. */
export function writeAnswer(
  response: Response,
  answer: Answer,
  requestId: string,
  rate: RateFigures | null,
  head: boolean,
  ending: Ending,
): void {
  response.cork(() => {
    writeHead(response, answer, requestId, rate);
    if (ending === 'keep-reading') {
      invariant(typeof answer.body === 'string', 'only errors are answered before the body is read');
      answerAndKeepReading(response, answer.body);
    } else if (ending === 'broken') endBroken(response, answer.body);
    else if (head) endHead(response, answer.body);
    else if (ending === 'close') response.end(answer.body, true);
    else endInTurn(response, answer.body);
  });
}

/** Status and headers, the length aside. To be called within `cork`. */
export function writeHead(
  response: Response,
  { status, contentType, exceeded, retryAfterSeconds, headers = [] }: AnswerHead,
  requestId: string,
  rate: RateFigures | null,
): void {
  response.writeStatus(STATUS_LINES.get(status) ?? String(status));
  response.writeHeader('Content-Type', contentType);
  response.writeHeader('X-Request-Id', requestId);
  for (const [name, value] of headers) response.writeHeader(name, value);
  const figures = exceeded ?? rate;
  if (figures !== null) writeRate(response, figures);
  if (mayComeAgain(status)) {
    response.writeHeader('Retry-After', String(retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
}

function writeRate(response: Response, { limit, remaining, resetSeconds }: RateFigures): void {
  response.writeHeader('RateLimit-Limit', String(limit));
  response.writeHeader('RateLimit-Remaining', String(remaining));
  response.writeHeader('RateLimit-Reset', String(resetSeconds));
}
