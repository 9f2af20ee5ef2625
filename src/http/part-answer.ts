/** What is answered for one part of a body of lines: a line of JSON, which says what the part was and what became of it. */
import { QuarryError } from '../base/index.js';
import { errorEntries, retryAfterOf } from './answer.js';
import { type BodyPart, PART_BYTES_MAX } from './body-parts.js';
import type { Members } from './handlers/handler.js';

export const LINES_TYPE = 'application/x-ndjson';

type Told = Pick<BodyPart, 'number' | 'firstLine' | 'lineCount'>;

export function partSuccess(part: Told, members: Members): string {
  return `{${placeOf(part)},"status":"success",${members}}\n`;
}

export function partError(part: Told, error: QuarryError): string {
  const seconds = retryAfterOf(error);
  const retry = seconds === null ? '' : `,"retry-after":${seconds}`;
  return `{${placeOf(part)},"status":"error","errors":${JSON.stringify(errorEntries(error))}${retry}}\n`;
}

const placeOf = ({ number, firstLine, lineCount }: Told): string =>
  `"part":${number},"first-line":${firstLine},"lines":${lineCount}`;

export function lineTooLong({ firstLine }: Told): QuarryError {
  const text = `line ${firstLine}: it is longer than ${PART_BYTES_MAX} bytes`;
  return new QuarryError(1507, text, { line: firstLine });
}
