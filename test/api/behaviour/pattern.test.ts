/** Patterns of sequences become steps. */
import t from 'tap';
import { readPattern } from '../../../src/api/behaviour/pattern.js';

const MAX = Number.MAX_SAFE_INTEGER;
const short = (text: string): string[] =>
  readPattern(text, 12, 'pattern').map(({ event, isNegated, gap, secondsMin, secondsMax }) =>
    `${gap} ${isNegated ? '!' : ''}${event} ${gap === 'timed' ? `${secondsMin} ${secondsMax === MAX ? '' : secondsMax}` : ''}`.trim(),
  );

t.test('each event of a pattern is a step', (t) => {
  t.strictSame(short('(?1)(?!12).'), ['next 0', 'next !11', 'next null']);
  t.strictSame(short('.*(?1).*.*(?2).*'), ['later 0', 'later 1']);
  t.strictSame(short('(?1)(?t<=5)(?2)'), ['next 0', 'timed 1 0 5']);
  t.strictSame(short('(?1)(?t<5)(?2)'), ['next 0', 'timed 1 0 4']);
  t.strictSame(short('(?1).*(?t>=5).*(?t<9)(?2)'), ['next 0', 'timed 1 5 8']);
  t.strictSame(short('(?1)(?t>5)(?2)(?t==7)(?3)'), ['next 0', 'timed 1 6', 'timed 2 7 7']);
  t.end();
});

t.test('an error names the place', (t) => {
  t.throws(() => readPattern('(?1) (?2)', 2, 'pattern'), {
    code: 9104,
    message: 'pattern: " (?2)" is no part of a pattern at character 5',
  });
  t.throws(() => readPattern('(?1)(?t<=99999999999999999999)', 1, 'pattern'), { code: 9104 });
  t.end();
});
