import t from 'tap';
import { RequestStats } from '../../../src/http/observability/request-stats.js';

/** All statistics as text, so that the comparison omits none. */
function linesOf(stats: RequestStats): string[] {
  return stats
    .read()
    .flatMap(({ endpoint, database, seconds, countsByStatus }) => [
      ...[...countsByStatus].map(([status, count]) => `${endpoint} ${database} ${status}: ${count}`),
      `${endpoint} ${database}: ${seconds} s`,
    ]);
}

t.test('requests are counted by endpoint, database and status', (t) => {
  const stats = new RequestStats();
  stats.answered('a', 7, 200, 0.25);
  stats.answered('a', 7, 200, 0.5);
  stats.answered('a', 7, 400, 0);
  stats.answered('a', null, 401, 0);
  stats.answered('b', 7, 200, 2);
  t.strictSame(linesOf(stats), [
    ...['a 7 200: 2', 'a 7 400: 1', 'a 7: 0.75 s', 'a none 401: 1', 'a none: 0 s'],
    ...['b 7 200: 1', 'b 7: 2 s'],
  ]);
  t.strictSame(
    stats.readHistograms().map(({ endpoint, seconds: { count, sum } }) => [endpoint, count, sum]),
    [
      ['a', 4, 0.75],
      ['b', 1, 2],
    ],
  );
  t.end();
});

t.test(
  'the number of database labels is bounded, and requests of other databases are counted together',
  (t) => {
    const stats = new RequestStats();
    for (let id = 1; id <= 1_000; id++) stats.answered('a', id, 200, 1);
    const answered = stats.read();
    t.equal(answered.length, 21);
    t.equal(
      answered.reduce((sum, { countsByStatus }) => sum + (countsByStatus.get(200) ?? 0), 0),
      1_000,
    );
    t.match(linesOf(stats), ['a 1 200: 1']);
    t.match(linesOf(stats).at(-2), 'a other 200: 980');
    t.strictSame([stats.labelOf(20), stats.labelOf(21)], ['20', 'other']);
    t.end();
  },
);

t.test('a deleted database is counted with the other databases and frees its label', (t) => {
  const stats = new RequestStats();
  for (let id = 1; id <= 21; id++) stats.answered('a', id, 200, 1);
  stats.keepOnly((id) => id > 2);
  t.notOk(linesOf(stats).some((line) => line.startsWith('a 1 ') || line.startsWith('a 2 ')));
  t.ok(linesOf(stats).includes('a other 200: 3'));
  t.ok(linesOf(stats).includes('a other: 3 s'));
  stats.answered('a', 21, 200, 1);
  t.ok(linesOf(stats).includes('a 21 200: 1'));
  t.equal(stats.readHistograms()[0].seconds.count, 22, 'the histogram of the endpoint is unchanged');
  t.end();
});
