import t from 'tap';
import { SignInAttempts } from '../../../src/http/auth/sign-in-attempts.js';
import { RateExceeded } from '../../../src/http/limits/rate-window.js';

const EMAIL = 'ann@example.org';
const HERE = '192.0.2.1';

/** The rate status of a refusal; null = the attempt is allowed. */
function refusalOf(attempts: SignInAttempts, email = EMAIL, client = HERE): unknown {
  try {
    attempts.check(email, client);
    return null;
  } catch (error) {
    if (!(error instanceof RateExceeded)) throw error;
    return error.rateStatus;
  }
}

function attemptsAt(): { attempts: SignInAttempts; at: (ms: number) => void; fail: (count: number) => void } {
  let nowMs = 1_000;
  const attempts = new SignInAttempts(() => nowMs);
  const fail = (count: number): void => {
    for (let index = 0; index < count; index++) attempts.failed(EMAIL, HERE);
  };
  return { attempts, at: (ms) => (nowMs = 1_000 + ms), fail };
}

t.test('ten failures bar an email until a minute after the first failure', (t) => {
  const { attempts, at, fail } = attemptsAt();
  fail(9);
  t.equal(refusalOf(attempts), null);
  at(20_000);
  fail(1);
  t.strictSame(refusalOf(attempts), { limit: 10, remaining: 0, resetSeconds: 40 });
  t.throws(() => attempts.check(EMAIL, HERE), { code: 1502, moreInfo: { 'retry-after': 40 } });
  fail(5);
  at(59_999);
  t.strictSame(refusalOf(attempts), { limit: 10, remaining: 0, resetSeconds: 1 });
  at(60_000);
  t.equal(refusalOf(attempts), null);
  fail(10);
  t.strictSame(refusalOf(attempts), { limit: 10, remaining: 0, resetSeconds: 60 });
  t.end();
});

t.test('failures do not bar other emails or other clients of the same email', (t) => {
  const { attempts, fail } = attemptsAt();
  fail(10);
  t.equal(refusalOf(attempts, 'ben@example.org'), null);
  t.equal(refusalOf(attempts, EMAIL, '192.0.2.2'), null);
  for (let index = 0; index < 10; index++) attempts.failed(EMAIL, `2001:db8::${index}`);
  t.not(refusalOf(attempts, EMAIL, '2001:db8::ffff'), null, 'an IPv6 network of 64 bits is one client');
  t.equal(refusalOf(attempts, EMAIL, '2001:db8:0:1::'), null);
  t.end();
});

t.test('failures of fewer than ten thousand other clients do not unbar a client', (t) => {
  const { attempts, fail } = attemptsAt();
  fail(10);
  for (let index = 0; index < 9_999; index++) attempts.failed(`${index}@b`, HERE);
  t.not(refusalOf(attempts), null);
  attempts.failed('one@more', HERE);
  t.equal(refusalOf(attempts), null);
  t.end();
});
