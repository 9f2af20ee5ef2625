import t from 'tap';
import { answersWith, NAME_TWINS, renamed } from './odd-names.js';

const SEED = 16;
t.setTimeout(120_000);
t.comment(`seed ${SEED}`);

for (const [name, twin] of NAME_TWINS) {
  t.test(`${name} is an ordinary name: ${twin} gets the same answers, also after a restart`, async (t) => {
    const [odd, plain] = [await answersWith(name, SEED), await answersWith(twin, SEED)];
    t.strictSame(renamed(odd.lines, name, twin), plain.lines);
    t.strictSame(odd.faults, []);
    t.ok(
      odd.lines.some((line) => line.includes('-> 200')) && odd.lines.some((line) => line.includes('-> 400')),
    );
    t.notOk(
      odd.lines.some((line) => /-> (500|503|null)/.test(line)),
      'no internal error and no ended worker',
    );
  });
}
