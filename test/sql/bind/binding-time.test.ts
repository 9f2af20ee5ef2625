/** A SELECT that was bound without reading the time has the same binding at any other time. */
import t from 'tap';
import { FULL_ACCESS } from '../../../src/api/index.js';
import { ObservedTime } from '../../../src/base/index.js';
import { bindSelect } from '../../../src/sql/index.js';
import { MODEL, NOW_MS, selectOf } from './statements.js';

const OTHER_TIME_MS = (400 * 24 + 5) * 3_600_000 + 123_456;

function boundAt(text: string, ms: number): { readonly text: string; readonly wasRead: boolean } {
  const time = new ObservedTime(ms);
  const plan = bindSelect(selectOf(text), { model: MODEL, nowMs: time, access: FULL_ACCESS });
  return {
    text: JSON.stringify(plan, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)),
    wasRead: time.wasRead,
  };
}

t.test('a SELECT with NOW() or CURRENT_DATE reads the time, in every clause', async (t) => {
  for (const text of [
    'SELECT NOW() FROM users',
    'SELECT CURRENT_DATE FROM users',
    'SELECT age FROM users WHERE seen > NOW()',
    'SELECT age FROM users WHERE admission BETWEEN CURRENT_DATE AND CURRENT_DATE',
    'SELECT age FROM users WHERE seen > DATEADD(day, -7, NOW())',
    "SELECT age FROM users WHERE [clicks.date] BETWEEN '2017-05-01' AND NOW()",
    'SELECT age FROM users ORDER BY DATEDIFF(day, seen, NOW())',
    'SELECT age FROM users GROUP BY age HAVING MAX(seen) > NOW()',
  ]) {
    const now = boundAt(text, NOW_MS);
    t.equal(now.wasRead, true, text);
    t.not(boundAt(text, NOW_MS + OTHER_TIME_MS).text, now.text, text);
  }
});

t.test('a SELECT without NOW() and CURRENT_DATE has the same binding at any time', async (t) => {
  for (const text of [
    'SELECT COUNT(*) FROM users',
    "SELECT name, age + 1 FROM users WHERE seen > '2018-05-01' AND name LIKE 'J%' ORDER BY age LIMIT 3",
    "SELECT city, SUM(salary) FROM users WHERE [clicks.date] BETWEEN '2017-05-01' AND '2017-05-31' GROUP BY city",
    "SELECT age FROM users WHERE admission > DATEADD(day, -7, CAST('2018-05-01' AS DATE))",
    'SELECT COUNT(*) FROM users GROUP BY age HAVING COUNT(*) > 3',
  ]) {
    const now = boundAt(text, NOW_MS);
    t.equal(now.wasRead, false, text);
    for (const ms of [NOW_MS + OTHER_TIME_MS, NOW_MS - OTHER_TIME_MS]) {
      t.equal(boundAt(text, ms).text, now.text, text);
    }
  }
});
