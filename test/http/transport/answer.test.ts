import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { ENDPOINTS, type Endpoint } from '../../../src/http/endpoints/endpoints.js';
import { RateExceeded } from '../../../src/http/limits/rate-window.js';
import { errorAnswer, successAnswer } from '../../../src/http/transport/answer.js';
import { KEYS } from '../fake-engine.js';
import { sendRequest, startFront } from '../harness.js';

t.test('an object is answered with status and took, and a list is answered unchanged', (t) => {
  t.equal(successAnswer('"a":1', 2).body, '{"status":"success","a":1,"took":2.000000}');
  t.equal(successAnswer('[{"a":1}]', 2).body, '[{"a":1}]');
  t.equal(successAnswer('[]', 2).body, '[]');
  t.end();
});

t.test('an error answer lists all errors and has the status of the first', (t) => {
  const error = new QuarryError(3007, 'first', { at: 1 }, [
    new QuarryError(502, 'second'),
    new QuarryError(3001),
  ]);
  const answer = errorAnswer(error);
  t.equal(answer.status, 400);
  t.strictSame(JSON.parse(answer.body), {
    errors: [
      { code: 3007, message: 'first', 'more-info': { at: 1 } },
      { code: 502, message: 'second' },
      { code: 3001, message: 'invalid column type' },
    ],
    status: 'error',
  });
  t.end();
});

t.test('an answer with 1502 names the limit that was exceeded', (t) => {
  const rateStatus = { limit: 5, remaining: 0, resetSeconds: 7 };
  const answer = errorAnswer(new RateExceeded('too often', rateStatus));
  t.equal(answer.status, 429);
  t.strictSame(answer.exceeded, rateStatus);
  t.equal(answer.retryAfterSeconds, 7);
  const attempts = errorAnswer(new QuarryError(1502, 'too many attempts', { 'retry-after': 9 }));
  t.equal(attempts.retryAfterSeconds, 9, 'the answer has Retry-After also for a limit outside the table');
  t.strictSame(JSON.parse(answer.body).errors[0]['more-info'], { 'retry-after': 7 });
  t.end();
});

t.test(
  'a failed deletion of a database is retryable: 189 is answered with 503 and Retry-After',
  async (t) => {
    const failing = (endpoint: Endpoint): Endpoint =>
      endpoint.scope === 'team' && endpoint.method === 'DELETE'
        ? {
            ...endpoint,
            handler: () =>
              Promise.reject(new QuarryError(189, 'request failed', 'database deletion request error')),
          }
        : endpoint;
    const front = await startFront(t, {}, { endpoints: ENDPOINTS.map(failing) });
    const headers = { Authorization: KEYS.team, 'Content-Type': 'application/json' };
    const reply = await sendRequest(front, { method: 'DELETE', path: '/v1/database', headers, body: '{}' });
    t.equal(reply.status, 503);
    t.equal(reply.headers['retry-after'], '1');
    t.strictSame(JSON.parse(reply.body), {
      errors: [{ code: 189, message: 'request failed', 'more-info': 'database deletion request error' }],
      status: 'error',
    });
  },
);
