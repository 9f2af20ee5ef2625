/** The handler of POST /v1/sql: the calls that it makes to the engine, and the statements that callers may send. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import { databaseOf, type SavedQuery } from '../../../../src/catalog/index.js';
import { type ScriptRequest, StepRefused } from '../../../../src/engine/index.js';
import { BoundBodies } from '../../../../src/http/endpoints/bound-bodies.js';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import { runSql } from '../../../../src/http/endpoints/handlers/sql.js';
import { customKey } from '../../../api/databases.js';
import { callOf, NOW_MS } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  await handleCreateColumns(
    callOf(
      engine,
      '[{"name":"a","type":"integer"},{"name":"b","type":"string"},{"name":"c","type":"integer-event"}]',
    ),
  );
  return engine;
}

const WRITES = `INSERT INTO [default] ([entity-id], a, [c.1.value], [c.1.date], [c.2.value]) VALUES
  (1, '7', 5, '2016-01-01', NULL), ('x', NULL, NULL, NULL, 6);
UPDATE [default] SET a = 8 WHERE b = 'Y'; DELETE FROM [default]`;

/** Binds the statement like the engine, and answers. */
function answering(engine: FakeEngine, numbers: readonly number[]): void {
  engine.onScript = async ({ bind }) => {
    const model = databaseOf(engine.catalog(), DATABASE_ID);
    bind(model, model);
    return numbers;
  };
}

t.test('the writes of a body are one script, and its counts are the answers of the statements', async (t) => {
  const engine = await engineWithColumns();
  answering(engine, [2, 4, 12345678901, 3]);
  const answer = JSON.parse(`{${await runSql(callOf(engine, WRITES, { idempotencyId: 'the-id' }))}}`);
  t.match(answer, {
    result: [
      { result: { 'inserted-entities': 2, 'inserted-values': 4 }, count: 2, took: Number },
      { result: { updated: 12345678901 }, count: 12345678901 },
      { result: { deleted: 3 }, count: 3 },
    ],
    count: 3,
  });
  const [{ bind, ...request }] = engine.scripts;
  const bodyHash = createHash('sha256').update(WRITES).digest('base64url');
  t.match(request, {
    databaseId: DATABASE_ID,
    customKey: false,
    columnIds: null,
    nowMs: NOW_MS,
    idempotency: { id: 'the-id', bodyHash },
  } satisfies Partial<ScriptRequest>);
  const model = databaseOf(engine.catalog(), DATABASE_ID);
  const [insert, update, deletion] = bind(model, model);
  t.equal(insert.write, 'insert');
  if (insert.write !== 'insert') return;
  t.equal(insert.rowCount, 2);
  const body = (rows: number): unknown => JSON.parse(Buffer.from(insert.body(rows)).toString());
  const first = { dimension: 'default', a: 7, c: [{ value: 5, date: '2016-01-01' }] };
  t.strictSame(body(2), { 1: first, x: { dimension: 'default', a: null, c: [{ value: 6 }] } });
  t.strictSame(body(1), { 1: first });
  t.match(update, { write: 'change', set: '{"a":8}', condition: { op: 'attribute' } });
  t.match(deletion, { write: 'change', set: null });
});

t.test('one write answers with its own result', async (t) => {
  const engine = await engineWithColumns();
  answering(engine, [0]);
  const answer = await runSql(callOf(engine, 'DELETE FROM [default] WHERE a > 5;'));
  t.equal(answer, '"result":{"deleted":0},"count":0');
});

t.test('a write that violates a rule is 6000 with the code and position of the violation', async (t) => {
  const engine = await engineWithColumns();
  engine.onScript = () => Promise.reject(new StepRefused(0, 1, new QuarryError(2007, 'no integer')));
  await t.rejects(Promise.resolve(runSql(callOf(engine, WRITES))), {
    code: 6000,
    message: 'no integer',
    moreInfo: { code: 2007, message: 'no integer', line: 2, column: 37 },
  });
  engine.onScript = () => Promise.reject(new QuarryError(9003, 'memory'));
  await t.rejects(Promise.resolve(runSql(callOf(engine, WRITES))), { code: 9003 });
});

t.test('errors reveal nothing about columns that the key may not use', async (t) => {
  const engine = await engineWithColumns();
  answering(engine, [0, 0]);
  const key = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['b'] }] });
  for (const [text, wanted] of [
    ["INSERT INTO [default] ([entity-id], aa) VALUES ('x', 1)", undefined],
    ["INSERT INTO [default] ([entity-id], bb) VALUES ('x', 1)", 'b'],
    ["INSERT INTO [default] ([entity-id], [cc.1.value]) VALUES ('x', 1)", undefined],
    ['UPDATE [default] SET aa = 1', undefined],
  ] as const) {
    const refused = await Promise.resolve(runSql(callOf(engine, text, { key }))).catch((error) => error);
    t.match(refused, { code: 6000 }, text);
    t.equal(refused.moreInfo.suggestion, wanted, text);
  }
});

t.test('a caller who may only read is refused other statements before they are parsed', async (t) => {
  const engine = await engineWithColumns();
  const key = customKey({ level: 'read-only' });
  for (const text of [
    WRITES,
    'nonsense',
    '',
    '-- SELECT\nDELETE FROM [default]',
    'SELECTED',
    ';SELECT 1',
    '/**/'.repeat(100_000),
  ]) {
    t.throws(() => runSql(callOf(engine, text, { key })), { code: 507 }, text.slice(0, 50));
  }
  for (const text of [
    'SELECT 1',
    ' /* x /* y */ */ -- z\n explain select 1',
    `${'/**/'.repeat(1_000)}SELECT 1`,
  ]) {
    t.ok(runSql(callOf(engine, text, { key })), text);
  }
  t.equal(engine.scripts.length, 0);
});

t.test(
  'a body that is not UTF-8, and several statements with another format than JSON, are refused',
  async (t) => {
    const engine = await engineWithColumns();
    const call = callOf(engine, 'SELECT 1');
    t.throws(() => runSql({ ...call, body: Uint8Array.of(0x53, 0xff) }), { code: 6000 });
    const several = callOf(engine, 'SELECT 1; SELECT 2');
    t.throws(() => runSql({ ...several, format: 'csv' }), { code: 6000, moreInfo: { line: 1, column: 11 } });
    runSql(several);
    t.equal(engine.selects[0].requests.length, 2);
  },
);

t.test(
  'a repeated SELECT is bound once, and again when a view or the time that it reads has changed',
  async (t) => {
    const engine = await engineWithColumns();
    const boundBodies = new BoundBodies();
    const planOf = async (sql: string, view: string, nowMs = NOW_MS): Promise<unknown> => {
      const saved: SavedQuery = {
        ...{ databaseId: DATABASE_ID, name: 'v', type: 'sql', dimension: null, query: JSON.stringify(view) },
        ...{ cachePeriodSeconds: null, creator: null, version: 1 },
      };
      const views = viewsOf.get(view) ?? new Map([['v', saved]]);
      viewsOf.set(view, views);
      const call = callOf(engine, sql);
      const catalog = { ...call.catalog, savedQueries: new Map([[DATABASE_ID, views]]) };
      await runSql({ ...call, catalog, boundBodies, nowMs });
      return engine.selects.at(-1)?.requests[0].plan;
    };
    const viewsOf = new Map<string, ReadonlyMap<string, SavedQuery>>();
    const [small, large] = ['SELECT a FROM [default] WHERE a < 5', 'SELECT a FROM [default] WHERE a > 5'];
    const repeated = async (sql: string, view: string, nowMs = NOW_MS): Promise<unknown[]> => [
      await planOf(sql, view, nowMs),
      await planOf(sql, view, nowMs),
      await planOf(sql, view, nowMs),
    ];
    const ofSmall = await repeated('SELECT * FROM v', small);
    t.equal(ofSmall[2], ofSmall[1], 'bound once');
    const ofLarge = await repeated('SELECT * FROM v', large);
    t.strictNotSame(ofLarge[0], ofSmall[2]);
    t.equal(ofLarge[2], ofLarge[1]);
    t.strictSame((await repeated('SELECT * FROM v', small))[0], ofSmall[0]);

    const timed = 'SELECT COUNT(*) FROM [default] WHERE [c.date] > DATEADD(day, -1, NOW())';
    const [, today] = await repeated(timed, small);
    const [tomorrow] = await repeated(timed, small, NOW_MS + 86_400_000);
    t.strictNotSame(tomorrow, today);
  },
);
