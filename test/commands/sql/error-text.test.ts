import t from 'tap';
import { faultsOf } from '../../../src/client/transport/index.js';
import { RemoteError } from '../../../src/commands/remote/index.js';
import { errorText } from '../../../src/commands/sql/error-text.js';

function remoteError(status: number, text: string): RemoteError {
  const refusal = { status, faults: faultsOf(text), text, requestId: null, retryAfterSeconds: null };
  return new RemoteError({ method: 'POST', path: '/v1/sql' }, refusal);
}

function refusal(more: object): RemoteError {
  const errors = [{ code: 6000, message: 'there is no column "nope"', more_info: more }];
  return remoteError(400, JSON.stringify({ errors }));
}

t.test('a caret marks the column, also after wide characters, with a suggestion below', (t) => {
  t.equal(
    errorText(refusal({ line: 2, column: 9, suggestion: 'note' }), "SELECT a,\n'東🚀' b, nope", 80),
    'error 6000: there is no column "nope"\n  line 2: \'東🚀\' b, nope\n                    ^\n  did you mean note?\n',
  );
  t.equal(errorText(refusal({}), 'SELECT 1', 80), 'error 6000: there is no column "nope"\n');
  t.end();
});

t.test('only the part of a long line around the error is shown', (t) => {
  const text = errorText(
    refusal({ line: 1, column: 5_001 }),
    `${'a'.repeat(5_000)}X${'b'.repeat(5_000)}`,
    80,
  );
  const [, line, caret] = text.split('\n');
  t.ok(line.length <= 80);
  t.equal(line[caret.indexOf('^')], 'X');
  t.end();
});

t.test('other errors are thrown, and control characters in messages of a server are escaped', (t) => {
  t.throws(() => errorText(new TypeError('a bug'), '', 80), TypeError);
  const text = errorText(remoteError(502, 'bad\x1b[31m gateway'), '', 80);
  t.equal(text, 'error: HTTP 502: bad\\u{1b}[31m gateway\n');
  t.end();
});
