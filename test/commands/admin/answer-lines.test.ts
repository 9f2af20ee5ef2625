import { pino } from 'pino';
import t from 'tap';
import type { AdminAnswer } from '../../../src/commands/admin/admin-request.js';
import { answerLines } from '../../../src/commands/admin/answer-lines.js';
import { Audit } from '../../../src/http/index.js';
import { setUp } from '../catalog-engine.js';

t.test('every line is answered, whatever it contains, and no log line contains a key', async (t) => {
  const { dependencies } = setUp();
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const audit = new Audit(log, null, () => 0);
  const answer = answerLines(dependencies, log, audit);
  const answerTo = async (line: string | null): Promise<AdminAnswer> => JSON.parse(await answer(line));
  t.strictSame(await answerTo(null), { answer: 'refused', message: 'the line is too long' });
  for (const line of ['', '{', 'list', '\u0000', '{"do":"list-keys"} x', '['.repeat(10_000)]) {
    t.strictSame(
      await answerTo(line),
      { answer: 'refused', message: 'the line is not JSON' },
      line.slice(0, 20),
    );
  }
  t.match(await answerTo('{"do":"x"}'), { answer: 'refused', message: /^"do" is one of/ });
  const made = await answerTo('{"do":"create-key","name":"ci","permissions":[]}');
  if (made.answer !== 'key') throw new Error(made.answer);
  t.match(await answerTo('{"do":"list-keys"}'), { answer: 'keys' });
  t.ok(logged.length >= 2);
  t.notOk(logged.join('').includes(made.text));
  const broken = {
    ...dependencies,
    randomBytes: (): Uint8Array => {
      throw new TypeError('a bug');
    },
  };
  const failing = answerLines(broken, log, audit);
  t.match(JSON.parse(await failing('{"do":"create-key","name":"ci","permissions":[]}')), {
    answer: 'refused',
    message: /^internal error/,
  });
  t.match(logged.at(-1), /a bug/);
});
