/** Names of tables with a schema and a database, against a whole server. */
import t from 'tap';
import { ConformanceServer } from '../support/conformance-server.js';

t.test(
  'public. and the name of the database may stand before a table, other names are refused',
  async (t) => {
    const server = await ConformanceServer.start(true, { shards: 1, workers: 1 });
    t.teardown(() => server.stop());
    const columns = [
      { name: 'n', type: 'integer', dimension: 'item' },
      { name: 'hit', type: 'integer-event', dimension: 'item' },
    ];
    await server.post('/v1/column', JSON.stringify(columns));
    for (const [sql, expected] of [
      [
        `INSERT INTO public.item ([entity-id], n, [hit.value], [hit.date]) VALUES ('a', 1, 5, '2024-01-01'), ('b', 2, 6, '2024-01-01')`,
        { count: 2 },
      ],
      [
        `UPDATE quarry.public.item SET n = n + 1 WHERE [entity-id] IN (SELECT [entity-id] FROM public.item WHERE n = 2)`,
        { count: 1 },
      ],
      ['SELECT item.n FROM public.item ORDER BY n', { result: [{ n: 1 }, { n: 3 }] }],
      [
        'SELECT i.n FROM Quarry.public.item i JOIN [public].[hit] h ON h.[entity-id] = i.[entity-id] WHERE h.value = 6',
        { result: [{ n: 3 }] },
      ],
      [
        'WITH item AS (SELECT 7 AS n) SELECT item.n, p.n AS m FROM item, public.item p ORDER BY m',
        {
          result: [
            { n: 7, m: 1 },
            { n: 7, m: 3 },
          ],
        },
      ],
      ['SELECT n FROM (TABLE item ORDER BY n LIMIT 1) i', { result: [{ n: 1 }] }],
      [`DELETE FROM public.item WHERE n = 1`, { count: 1 }],
      ['TABLE item', { count: 1 }],
      [
        'SELECT n FROM other.public.item',
        { errors: [{ code: 6000, message: /"other" is another database than "quarry"/ }] },
      ],
      ['DELETE FROM other.public.item', { errors: [{ code: 6000, message: /another database/ }] }],
      [
        'SELECT i.n, 1 FROM other.public.item i, item',
        { errors: [{ code: 6000, message: /another database/ }] },
      ],
      [
        'INSERT INTO other.public.item (n) VALUES (1)',
        { errors: [{ code: 6000, message: /another database/ }] },
      ],
      ['SELECT n FROM dbo.item', { errors: [{ code: 6000, message: /"dbo" is not the schema/ }] }],
    ] as const) {
      t.match(JSON.parse((await server.sql(sql)).text), expected, sql);
    }
  },
);
