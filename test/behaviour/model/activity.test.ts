/** Answers of the models of lifecycle, stickiness and actives, computed by hand. */
import t from 'tap';
import { answerActives, answerLifecycle, answerStickiness, isActiveEnough } from './activity.js';
import { at, letter, lettersHistory } from './letters.js';

const DAY = 86_400;
/** From noon of day 1 to the end of day 4. */
const fields = {
  ...letter('a'),
  interval: 'days' as const,
  between: [at(1.5 * DAY), at(5 * DAY - 1)] as const,
};
const text = (...days: readonly number[]): string => days.map((day) => `a${day * DAY}`).join(' ');

t.test('lifecycle: events before the window are history', async (t) => {
  const history = lettersHistory(text(1.6, 2, 4), text(0, 1.7), text(1, 1.8), text(0), text(1, 2));
  const series = (answerLifecycle(fields, history) as { series: Record<string, number>[] }).series;
  t.strictSame(
    series.map(({ new: fresh, returning, resurrecting, dormant }) => [
      fresh,
      returning,
      resurrecting,
      dormant,
    ]),
    [
      [1, 1, 1, 1],
      [0, 1, 1, 2],
      [0, 0, 0, 2],
      [0, 0, 1, 0],
    ],
  );
});

t.test('stickiness counts the active periods of each entity', async (t) => {
  const history = lettersHistory(text(2, 3), text(2, 2.5), text(0), text(2, 3, 4));
  const counts = [1, 1, 1, 0].map((count, index) => ({ active: index + 1, count }));
  t.strictSame(answerStickiness(fields, history), { periods: 4, counts });
  const condition = { ...fields, 'at-least': 2, 'at-most': 2 };
  t.strictSame(
    history.entities.filter((entity) => isActiveEnough(condition, entity, history)).map(({ id }) => id),
    ['e0'],
  );
});

t.test('actives: rolling periods reach into history', async (t) => {
  const history = lettersHistory(text(0), text(1), text(1.6), text(3));
  const { series } = answerActives({ ...fields, rolling: 2 }, history) as {
    series: { count: number; rolling: number }[];
  };
  t.strictSame(
    series.map(({ count, rolling }) => [count, rolling]),
    [
      [1, 3],
      [0, 2],
      [1, 1],
      [0, 1],
    ],
  );
});
