/** A SELECT with hundreds of windows, each of which collects the rows of the one below it. */
import t from 'tap';
import { ConformanceServer } from '../../support/conformance-server.js';

const COUNT = 600;
const VALUES = [4, 1, 3];

t.setTimeout(120_000);

t.test('many different windows', async (t) => {
  const server = await ConformanceServer.start(true, { shards: 2, workers: 2 });
  t.teardown(() => server.stop());
  const column = { name: 'n', 'api-name': 'n', type: 'integer', dimension: 'default' };
  t.equal((await server.post('/v1/column', JSON.stringify([column]))).status, 200);
  const rows = Object.fromEntries(VALUES.map((n, at) => [`e${at}`, { n }]));
  t.equal((await server.post('/v1/insert', JSON.stringify(rows))).status, 200);
  const sorted = [...VALUES].sort((a, b) => a - b);
  const sums = sorted.map((_n, at) => sorted.slice(0, at + 1).reduce((sum, n) => sum + n, 0));
  const items = Array.from({ length: COUNT }, (_, at) => {
    const over = at % 2 === 0 ? `ORDER BY n + ${at}` : `PARTITION BY n + ${at}`;
    return `SUM(n) OVER (${over}) AS c${at}`;
  });
  const { status, text } = await server.sql(`SELECT ${items.join(', ')} FROM default ORDER BY n`);
  t.equal(status, 200, text.slice(0, 200));
  const found: readonly Record<string, number>[] = JSON.parse(text).result ?? [];
  t.strictSame(
    found.map((row) => Object.values(row)),
    sorted.map((n, row) => items.map((_item, at) => (at % 2 === 0 ? sums[row] : n))),
  );
});
