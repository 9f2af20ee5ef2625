/** UPDATE and DELETE with subqueries against a whole server: one version of read and write, whole or not at all, once per key. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

async function start(
  layout: { shards: number; workers: number },
  rowCount: number,
): Promise<ConformanceServer> {
  const server = await ConformanceServer.start(true, layout);
  const column = (name: string) => ({ name, 'api-name': name, type: 'integer', dimension: 'item' });
  const made = await server.post('/v1/column', JSON.stringify([column('n'), column('m')]));
  t.equal(made.status, 200, made.text);
  const { status, text } = await server.sql(
    `INSERT INTO item ([entity-id], n) SELECT 'e' || CAST(i AS VARCHAR), 0 FROM generate_series(1, ${rowCount}) i`,
  );
  t.equal(status, 200, text);
  return server;
}

async function resultOf(server: ConformanceServer, sql: string): Promise<unknown> {
  const { status, text } = await server.sql(sql);
  if (status !== 200) throw new Error(`${sql}: ${text}`);
  return (JSON.parse(text) as { readonly result: unknown }).result;
}

t.test('concurrent statements see all changes of each other, or none of them', async (t) => {
  const server = await start({ shards: 2, workers: 2 }, 20);
  t.teardown(() => server.stop());
  const add = 'UPDATE item SET n = (SELECT MAX(n) FROM item) + 1 WHERE n = (SELECT MIN(n) FROM item)';
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.sql(add)));
  t.strictSame(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );
  t.strictSame(await resultOf(server, 'SELECT MIN(n) AS low, MAX(n) AS high FROM item'), [
    { low: 8, high: 8 },
  ]);
});

t.test('after a kill, an UPDATE with a subquery has taken effect whole or not at all', async (t) => {
  const server = await start({ shards: 3, workers: 2 }, 3_000);
  t.teardown(() => server.stop());
  const prng = new Prng(SEED);
  const left = 'SELECT n, COUNT(*) AS entities FROM item GROUP BY n';
  for (let round = 1; round <= 2; round++) {
    const running = server.sql(
      `UPDATE item SET n = (SELECT MAX(n) FROM item) + 1, m = n WHERE n IN (SELECT n FROM item)`,
    );
    await new Promise((resolve) => setTimeout(resolve, prng.below(600)));
    const killed = await server.copy(true);
    const found = (await resultOf(killed, left)) as readonly { n: number; entities: number }[];
    await killed.stop();
    t.ok(
      found.length === 1 && found[0].entities === 3_000 && [round - 1, round].includes(found[0].n),
      JSON.stringify(found),
    );
    t.match(JSON.parse((await running).text), { result: { updated: 3_000 } });
    const acknowledged = await server.copy(true);
    t.strictSame(await resultOf(acknowledged, left), [{ n: round, entities: 3_000 }]);
    await acknowledged.stop();
  }
  await server.restart();
  t.strictSame(await resultOf(server, 'SELECT m, COUNT(*) AS entities FROM item GROUP BY m'), [
    { m: 1, entities: 3_000 },
  ]);
});

t.test(
  'a repeat with the same key writes nothing and returns the first answer, also after a restart',
  async (t) => {
    const server = await start({ shards: 1, workers: 1 }, 1_500);
    t.teardown(() => server.stop());
    const send = async (text: string, key: string): Promise<unknown> =>
      JSON.parse(
        (await server.post('/v1/sql', text, 'application/sql', '*/*', { 'idempotency-key': key })).text,
      );
    const both = `UPDATE item SET n = n + 1; DELETE FROM item WHERE n + 1 = 0`;
    t.match(await send(both, 'two'), { errors: [{ message: /which an earlier statement writes/ }] });
    const update = 'UPDATE item SET n = n + 1 WHERE n IN (SELECT n FROM item)';
    for (let round = 0; round < 3; round++) {
      t.match(await send(update, 'one'), { result: { updated: 1_500 }, count: 1_500 });
      if (round === 1) await server.restart();
    }
    t.strictSame(await resultOf(server, 'SELECT MIN(n) AS low, MAX(n) AS high FROM item'), [
      { low: 1, high: 1 },
    ]);
    t.match(await send('DELETE FROM item RETURNING n', 'rows'), {
      errors: [{ message: /with an Idempotency-Key, RETURNING is available for INSERT ... VALUES/ }],
    });
    const insert =
      "INSERT INTO item([entity-id], n) VALUES ('New', 7), ('e1', NULL) RETURNING [entity-id], n + 1 AS next";
    for (let round = 0; round < 3; round++) {
      t.match(await send(insert, 'insert'), {
        result: [
          { 'entity-id': 'new', next: 8 },
          { 'entity-id': 'e1', next: null },
        ],
      });
      if (round === 1) await server.restart();
    }
    t.match(await send(insert.replace('7', '8'), 'insert'), { errors: [{ code: Number }] });
    t.strictSame(await resultOf(server, 'SELECT COUNT(*) AS n, MAX(n) AS high FROM item'), [
      { n: 1_501, high: 7 },
    ]);
    await resultOf(server, "INSERT INTO item([entity-id], n) VALUES ('e1', 1)");
    await resultOf(server, "DELETE FROM item WHERE [entity-id] = 'new'");
    t.match(await send(insert.replace('n + 1', '*'), 'all'), { errors: [{ code: 6000 }] });
    t.match(await send(insert.replace('7', "'x'"), 'wrong'), {
      errors: [{ code: 6000, more_info: { code: 2007 } }],
    });
    t.strictSame(await resultOf(server, 'DELETE FROM item WHERE n * 2 = 2'), { deleted: 1_500 });
  },
);

t.test('a statement that breaks a rule or a bound changes nothing', async (t) => {
  const server = await start({ shards: 2, workers: 2 }, 2_000);
  t.teardown(() => server.stop());
  for (const [text, message] of [
    [
      `UPDATE item SET n = CASE WHEN [entity-id] = 'e1700' THEN 'x' ELSE '1' END`,
      /a string is not an integer/,
    ],
    [
      `UPDATE item SET n = o.n FROM item o WHERE o.n = item.n AND item.[entity-id] = 'e1'`,
      /more than one row for the entity ID/,
    ],
    ['UPDATE item SET n = (SELECT n FROM item)', /more than one row/],
    ['UPDATE item SET n = COUNT(*)', /SET has no aggregates/],
    [`UPDATE item SET [entity-id] = 'x' || [entity-id]`, /an entity ID cannot be changed/],
    ['UPDATE item SET n = 1, n = n + 1', /named twice/],
    ['DELETE FROM item RETURNING 1 / nix', /no column "nix"/],
    ['DELETE FROM item RETURNING CAST(item.[entity-id] AS INTEGER)', /integer/],
    ['DELETE FROM item; DELETE FROM item RETURNING n', /only statement of its body/],
  ] as const) {
    const { status, text: answer } = await server.sql(text);
    t.equal(status, 400, `${text}: ${answer}`);
    t.match(JSON.parse(answer), { errors: [{ code: 6000, message }] });
  }
  t.strictSame(await resultOf(server, 'SELECT COUNT(*) AS all_, SUM(n) AS n FROM item'), [
    { all_: 2_000, n: 0 },
  ]);
});
