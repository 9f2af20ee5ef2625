import t from 'tap';
import { Attempts } from '../../../src/ingest/plain/attempts.js';

/** Number of attempts that are skipped before the next one is allowed. */
function leftOut(attempts: Attempts): number {
  let count = 0;
  while (!attempts.allows()) count++;
  return count;
}

t.test(
  'consecutive failures skip more and more attempts, up to a maximum, and a success resets them',
  async (t) => {
    const attempts = new Attempts();
    const seen = (failures: number): number[] =>
      Array.from({ length: failures }, () => {
        const count = leftOut(attempts);
        attempts.failed();
        return count;
      });
    t.strictSame(seen(13), [0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256]);
    t.equal(leftOut(attempts), 256);
    attempts.succeeded();
    t.strictSame(seen(5), [0, 0, 0, 2, 4]);
  },
);
