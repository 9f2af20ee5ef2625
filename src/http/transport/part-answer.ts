/** The answer to one part of a line body: a line of JSON with the part's position and its result. */
import { QuarryError } from '../../base/index.js';
import type { Members } from '../endpoints/handlers/handler.js';
import { type AnswerHead, errorEntries, errorHead, retryAfterOf } from './answer.js';
import { PART_BYTES_MAX } from './body-parts.js';
import type { BodyPart } from './part-source.js';

export const LINES_TYPE = 'application/x-ndjson';

export type PartPosition = Pick<BodyPart, 'number' | 'firstLine' | 'lineCount'>;

export function partSuccess(part: PartPosition, members: Members): string {
  return `{${positionOf(part)},"status":"success",${members}}\n`;
}

export function partError(part: PartPosition, error: QuarryError): string {
  const seconds = retryAfterOf(error);
  const retry = seconds === null ? '' : `,"retry-after":${seconds}`;
  return `{${positionOf(part)},"status":"error","errors":${JSON.stringify(errorEntries(error))}${retry}}\n`;
}

const positionOf = ({ number, firstLine, lineCount }: PartPosition): string =>
  `"part":${number},"first-line":${firstLine},"lines":${lineCount}`;

export function lineTooLong({ firstLine }: PartPosition): QuarryError {
  const text = `line ${firstLine}: it is longer than ${PART_BYTES_MAX} bytes`;
  return new QuarryError(1507, text, { line: firstLine });
}

/** A later attempt may succeed: disk full, memory limit, shard being rebuilt. */
const isRetryable = ({ code }: QuarryError): boolean => code >= 9002 && code <= 9004;

/** The refusal that sets the status of the whole answer: the first retryable one, else the first one. */
export function decisiveRefusal(before: QuarryError | null, next: QuarryError): QuarryError {
  return before === null || (isRetryable(next) && !isRetryable(before)) ? next : before;
}

/** `refusal`: the one that sets the status; null = every part was applied. */
export function lineAnswerHead(refusal: QuarryError | null): AnswerHead {
  return refusal === null
    ? { status: 200, contentType: LINES_TYPE }
    : { ...errorHead(refusal), contentType: LINES_TYPE };
}
