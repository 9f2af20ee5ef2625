/**
 * How an answer is written: the JSON of successes and errors, and the head of the response.
 * Invariants: `took` always carries a fraction; an error answer has `code` and `message`; HTTP 503 carries
 * Retry-After; the text of an unexpected exception never leaves the server.
 */
import { ERRORS, type QuarryError, RETRY_AFTER_SECONDS } from '../base/index.js';
import { answerAndKeepReading, endBroken, endHead, type Response } from './uws.js';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const STATUS_LINES: ReadonlyMap<number, string> = new Map([
  [200, '200 OK'],
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

export const JSON_TYPE = 'application/json';

/** `members` is JSON text such as `"result":{"a":1}`; `seconds` is written with a fraction. */
export function successAnswer(members: string, seconds: number): Answer {
  const body = `{"status":"success",${members},"took":${seconds.toFixed(6)}}`;
  return { status: 200, contentType: JSON_TYPE, body };
}

export function errorAnswer(error: QuarryError): Answer {
  const entry =
    error.moreInfo === undefined
      ? { code: error.code, message: error.message }
      : { code: error.code, message: error.message, 'more-info': error.moreInfo };
  const body = JSON.stringify({ errors: [entry], status: 'error' });
  return { status: ERRORS[error.code].status, contentType: JSON_TYPE, body };
}

/** How the connection goes on: kept; closed behind the answer; kept open to read the rest of the body away; or
 *  about to be dropped by uWebSockets, because it cannot follow the request's length. */
export type Ending = 'keep' | 'close' | 'keep-reading' | 'broken';

/** Writes the whole answer. After every ending but 'keep-reading' the response is dead. */
export function writeAnswer(
  response: Response,
  answer: Answer,
  requestId: string,
  head: boolean,
  ending: Ending,
): void {
  response.cork(() => {
    response.writeStatus(STATUS_LINES.get(answer.status) ?? String(answer.status));
    response.writeHeader('Content-Type', answer.contentType);
    response.writeHeader('X-Request-Id', requestId);
    if (answer.status === 503) response.writeHeader('Retry-After', String(RETRY_AFTER_SECONDS));
    if (ending === 'keep-reading') answerAndKeepReading(response, answer.body);
    else if (ending === 'broken') endBroken(response, answer.body);
    else if (head) endHead(response, answer.body);
    else response.end(answer.body, ending === 'close');
  });
}
