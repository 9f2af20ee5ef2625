import t from 'tap';
import { RequestFigures } from '../../../src/http/observability/request-stats.js';

/** Every figure as text, so that none is left out. */
function linesOf(figures: RequestFigures): string[] {
  return figures
    .read()
    .flatMap(({ endpoint, database, seconds, countsByStatus }) => [
      ...[...countsByStatus].map(([status, count]) => `${endpoint} ${database} ${status}: ${count}`),
      `${endpoint} ${database}: ${seconds} s`,
    ]);
}

t.test('requests are counted by endpoint, database and status', (t) => {
  const figures = new RequestFigures();
  figures.answered('a', 7, 200, 0.25);
  figures.answered('a', 7, 200, 0.5);
  figures.answered('a', 7, 400, 0);
  figures.answered('a', null, 401, 0);
  figures.answered('b', 7, 200, 2);
  t.strictSame(linesOf(figures), [
    ...['a 7 200: 2', 'a 7 400: 1', 'a 7: 0.75 s', 'a none 401: 1', 'a none: 0 s'],
    ...['b 7 200: 1', 'b 7: 2 s'],
  ]);
  t.strictSame(
    figures.readSpreads().map(({ endpoint, seconds: { count, sum } }) => [endpoint, count, sum]),
    [
      ['a', 4, 0.75],
      ['b', 1, 2],
    ],
  );
  t.end();
});

t.test('however many databases there are, few labels tell of them, and nothing is left out', (t) => {
  const figures = new RequestFigures();
  for (let id = 1; id <= 1_000; id++) figures.answered('a', id, 200, 1);
  const answered = figures.read();
  t.equal(answered.length, 21);
  t.equal(
    answered.reduce((sum, { countsByStatus }) => sum + (countsByStatus.get(200) ?? 0), 0),
    1_000,
  );
  t.match(linesOf(figures), ['a 1 200: 1']);
  t.match(linesOf(figures).at(-2), 'a other 200: 980');
  t.strictSame([figures.labelOf(20), figures.labelOf(21)], ['20', 'other']);
  t.end();
});

t.test('a database that is gone is one of the others, and leaves its label to another one', (t) => {
  const figures = new RequestFigures();
  for (let id = 1; id <= 21; id++) figures.answered('a', id, 200, 1);
  figures.keepOnly((id) => id > 2);
  t.notOk(linesOf(figures).some((line) => line.startsWith('a 1 ') || line.startsWith('a 2 ')));
  t.ok(linesOf(figures).includes('a other 200: 3'));
  t.ok(linesOf(figures).includes('a other: 3 s'));
  figures.answered('a', 21, 200, 1);
  t.ok(linesOf(figures).includes('a 21 200: 1'));
  t.equal(
    figures.readSpreads()[0].seconds.count,
    22,
    'how the times of the endpoint spread is told as before',
  );
  t.end();
});
