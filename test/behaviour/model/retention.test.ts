/** Answers of the model of retention, computed by hand. */
import t from 'tap';
import { at, letter, lettersHistory } from './letters.js';
import type { Float } from './numbers.js';
import { answerRetention, isInCohort, type RetentionFields } from './retention.js';

const DAY = 86_400;
const fields: RetentionFields = {
  start: letter('a'),
  return: letter('b'),
  interval: 'days',
  between: [at(0), at(2 * DAY - 1)],
  periods: 3,
  until: at(3 * DAY - 1),
};

/** Sizes and counts by cohort, then those of the total, then its ratios. */
function table(more: Partial<RetentionFields>, ...texts: readonly string[]): unknown {
  const { cohorts, total } = answerRetention({ ...fields, ...more }, lettersHistory(...texts)) as {
    cohorts: { size: number; counts: number[] }[];
    total: { size: number; counts: number[]; ratios: (Float | null)[] };
  };
  return [
    ...cohorts.map(({ size, counts }) => [size, ...counts]),
    [total.size, ...total.counts],
    total.ratios.map((ratio) => ratio?.value ?? null),
  ];
}

t.test('counts end with the last period that begins before until', async (t) => {
  t.strictSame(table({}, 'a0 b5 b90000', 'a90000 b172800', 'a5'), [
    [2, 1, 1, 0],
    [1, 0, 1],
    [3, 1, 2, 0],
    [1 / 3, 2 / 3, 0],
  ]);
});

t.test('an entity is in the cohort of its first start ever, or in each with a start', async (t) => {
  const history = 'a0 a90000 b90001';
  t.strictSame(table({ between: [at(10), at(2 * DAY - 1)] }, history), [
    [0, 0, 0, 0],
    [0, 0, 0],
    [0, 0, 0, 0],
    [null, null, null],
  ]);
  t.strictSame(table({ cohort: 'recurring' }, history), [
    [1, 0, 1, 0],
    [1, 1, 0],
    [2, 1, 1, 0],
    [0.5, 0.5, 0],
  ]);
});

t.test('the reference event is no return, except beside another of its second', async (t) => {
  const only = { return: undefined, between: [at(0), at(10)] as const, periods: 1 };
  t.strictSame(table(only, 'a0'), [[1, 0], [1, 0], [0]]);
  t.strictSame(table(only, 'a0 a0'), [[1, 1], [1, 1], [1]]);
  t.strictSame(table({ ...only, return: letter('b') }, 'a5 b5', 'a5 b4'), [[2, 1], [2, 1], [0.5]]);
});

t.test('brackets, rolling periods, and returns on or after', async (t) => {
  const one = { between: [at(0), at(10)] as const, periods: undefined, brackets: [1, 3] };
  t.strictSame(table(one, 'a0 b172800', 'a0 b259199'), [
    [2, 0, 2],
    [2, 0, 2],
    [0, 1],
  ]);
  const late = { ...one, periods: 2, brackets: undefined };
  t.strictSame(table({ ...late, count: 'on-or-after' }, 'a0 b172800'), [
    [1, 1, 1],
    [1, 1, 1],
    [1, 1],
  ]);
  t.strictSame(table({ ...late, rolling: true }, 'a5 b86404'), [
    [1, 1, 0],
    [1, 1, 0],
    [1, 0],
  ]);
});

t.test('a condition selects a cohort and those of it that return', async (t) => {
  const history = lettersHistory('a0 b90000', 'a0', 'a90000');
  const ids = (period?: number): string[] =>
    history.entities
      .filter((entity) => isInCohort({ ...fields, 'cohort-of': '2024-01-01', period }, entity, history))
      .map(({ id }) => id);
  t.strictSame(ids(), ['e0', 'e1']);
  t.strictSame(ids(1), ['e0']);
});
