import t from 'tap';
import { BODY_BYTES_MAX, type ErrorCode, QuarryError } from '../../../src/base/index.js';
import {
  decisiveRefusal,
  lineAnswerHead,
  lineTooLong,
  partError,
  partSuccess,
} from '../../../src/http/transport/part-answer.js';

const PART = { number: 3, firstLine: 2_001, lineCount: 1_000 };
const RANGE = { part: 3, 'first-line': 2_001, lines: 1_000 };

/** The single line in `text`. */
function lineIn(text: string): unknown {
  const [line, ...rest] = text.split('\n');
  if (rest.length !== 1 || rest[0] !== '') throw new Error(`no whole line: ${text}`);
  return JSON.parse(line);
}

t.test('the line of an applied part has its position and the members of the answer', async (t) => {
  t.strictSame(lineIn(partSuccess(PART, '"inserted-entities":5,"inserted-values":7')), {
    ...RANGE,
    ...{ status: 'success', 'inserted-entities': 5, 'inserted-values': 7 },
  });
});

t.test('the line of a refused part has its position, its error and the time to retry', async (t) => {
  const errorLine = (error: QuarryError): unknown => lineIn(partError(PART, error));
  t.strictSame(errorLine(new QuarryError(2011, 'line 7: "a\nb"', { line: 7 })), {
    ...RANGE,
    status: 'error',
    errors: [{ code: 2011, message: 'line 7: "a\nb"', 'more-info': { line: 7 } }],
  });
  t.match(errorLine(new QuarryError(9003, 'memory limit reached')), { 'retry-after': 1 });
  t.match(errorLine(new QuarryError(1502, 'too many', { 'retry-after': 41 })), { 'retry-after': 41 });
  t.notOk('retry-after' in (errorLine(new QuarryError(1503, 'no JSON')) as object));
});

t.test('a line that is too long is reported with its number and the bound', async (t) => {
  const message = `line 2001: it is longer than ${BODY_BYTES_MAX} bytes`;
  t.match(lineTooLong(PART), { code: 1507, message, moreInfo: { line: 2_001 } });
});

t.test('the first retryable refusal decides the status, else the first refusal', async (t) => {
  const headOf = (codes: readonly ErrorCode[]) =>
    lineAnswerHead(
      codes.reduce<QuarryError | null>(
        (before, code) => decisiveRefusal(before, new QuarryError(code)),
        null,
      ),
    );
  t.match(headOf([]), { status: 200, contentType: 'application/x-ndjson' });
  t.match(headOf([2011, 1503]), { status: 400, code: 2011 });
  t.match(headOf([1503, 2011]), { status: 400, code: 1503 });
  for (const code of [9002, 9003, 9004] as const) {
    t.match(headOf([2011, code, 9003, 1]), { status: 503, code });
  }
  t.match(headOf([1, 9001, 9005, 9006]), { status: 500, code: 1 });
});
