/** The part of a query that its error is about. */
import t from 'tap';
import { errorSpan } from '../../../src/console/query/error-span.js';
import { type Refusal, RequestError } from '../../../src/console/server/client.js';

const spanOf = (text: string, refusal: Partial<Refusal>) => {
  const error = new RequestError(400, [{ code: 6000, message: 'wrong', detail: null, ...refusal }]);
  const span = errorSpan(text, error);
  return span === null ? null : [text.slice(span.from, span.to), span.suggestion];
};

t.test('an error of SQL is at its line and column, as long as the word or name there', async (t) => {
  const text = "SELECT [entity-id]\nFROM airports WHERE stat = 'x'";
  const at = (line: number, column: number, suggestion?: string) =>
    spanOf(text, { detail: { line, column, ...(suggestion === undefined ? {} : { suggestion }) } });
  t.strictSame(at(2, 21, 'state'), ['stat', 'state']);
  t.strictSame(at(1, 8), ['[entity-id]', null]);
  t.strictSame(at(2, 28), ["'x'", null]);
  t.strictSame(at(2, 31), ['', null], 'the end of the text');
  t.equal(at(9, 1), null);
});

t.test('an error of JSON is at its position, and other errors are nowhere', async (t) => {
  t.strictSame(spanOf('{"a",,}', { message: 'invalid JSON syntax: "," at position 5 where a key' }), [
    ',',
    null,
  ]);
  t.equal(spanOf('{}', { message: 'column "x" does not exist' }), null);
  t.equal(errorSpan('{}', new Error('at position 1')), null);
});
