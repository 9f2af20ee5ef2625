/** SELECTs in a complete engine: parts, formats, versions and the output of EXPLAIN. */
import t from 'tap';
import type { Json } from '../../../src/api/index.js';
import { type Cancellation, Prng } from '../../../src/base/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { bytesOf, COLUMNS, fill, type Rows, requestsOf, rowsOf } from '../select-store.js';
import { makeDir, QUERY_OPTIONS, TestStore } from '../store.js';

t.test('aggregates over whole columns equal those computed row by row', async (t) => {
  const seed = 404;
  t.comment(`seed ${seed}`);
  const prng = new Prng(seed);
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
  await fill(store, prng, 3_000);
  const functions = ['COUNT', 'SUM', 'AVG', 'MIN', 'MAX', 'STDDEV'];
  for (const where of ['', "WHERE word LIKE 'w1%'", 'WHERE n > 0 OR d < 0', 'WHERE n > 5000']) {
    // An always true filter that no kernel can test prevents the aggregation of whole columns.
    const slowly = `${where === '' ? 'WHERE' : `${where.replace('WHERE ', 'WHERE (')}) AND`} LENGTH([entity-id]) > 0`;
    for (const column of ['n', 'd']) {
      const items = functions.map((name, index) => `${name}(${column}) AS a${index}`).join(', ');
      const resultOf = (condition: string): Promise<Rows> =>
        rowsOf(store, `SELECT COUNT(*) AS rows_, ${items} FROM [default] ${condition}`);
      t.strictSame(await resultOf(where), await resultOf(slowly), `${column} ${where}`);
    }
    const days = (condition: string): Promise<Rows> =>
      rowsOf(store, `SELECT MIN(day) AS a, MAX(day) AS b, COUNT(day) AS c FROM [default] ${condition}`);
    t.strictSame(await days(where), await days(slowly), where);
    const window = "[visits.date] BETWEEN '2016-01-03' AND '2016-01-06'";
    const events = (condition: string): Promise<Rows> =>
      rowsOf(
        store,
        `SELECT SUM([visits.value]) AS a, MAX([visits.value]) AS b, COUNT([visits.value]) AS c FROM [default] ${condition} HAVING ${window}`,
      );
    t.strictSame(await events(where), await events(slowly), `events ${where}`);
  }
});

t.test(
  'many rows are sent in parts, with the same rows in every format, in order and after an offset',
  async (t) => {
    const seed = 405;
    t.comment(`seed ${seed}`);
    const count = 25_000;
    const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
    await fill(store, new Prng(seed), count);
    const all = await rowsOf(store, 'SELECT [entity-id], n, word FROM [default]');
    t.equal(all.length, count);
    t.equal(new Set(all.map((row) => row['entity-id'])).size, count);
    const lines = (await bytesOf(store, 'SELECT [entity-id], n, word FROM [default]', 'ndjson')).split('\n');
    t.strictSame(
      lines.filter((line) => line !== '').map((line) => JSON.parse(line)),
      all,
    );
    const csv = (await bytesOf(store, 'SELECT [entity-id], n, word FROM [default]', 'csv')).split('\r\n');
    t.equal(csv.length, count + 2, 'a line of names, and the end of the last line');
    const byNumber = (a: Rows[number], b: Rows[number]): number => {
      const [x, y] = [a.n as number | null, b.n as number | null];
      if (x !== y) return x === null ? 1 : y === null ? -1 : x - y;
      return Buffer.compare(Buffer.from(String(a['entity-id'])), Buffer.from(String(b['entity-id'])));
    };
    const wanted = [...all].sort(byNumber);
    const ordered = 'SELECT [entity-id], n, word FROM [default] ORDER BY n, [entity-id]';
    t.strictSame(await rowsOf(store, ordered), wanted);
    for (const [limit, offset] of [
      [10, 5],
      [12_000, 0],
      [12_000, 7_000],
      [20_000, 24_990],
      [0, 3],
    ]) {
      const page = `LIMIT ${limit} OFFSET ${offset}`;
      t.strictSame(await rowsOf(store, `${ordered} ${page}`), wanted.slice(offset, offset + limit), page);
      const some = await rowsOf(store, `SELECT [entity-id], n, word FROM [default] ${page}`);
      t.equal(some.length, Math.max(0, Math.min(limit, count - offset)), `without an order ${page}`);
    }
  },
);

t.test('several statements read one version, and all or none of them see a concurrent write', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 5 });
  await store.createColumns(COLUMNS);
  const accounts = 200;
  const each = Array.from(
    { length: accounts },
    (_, index) => [`a${index}`, jsonObject({ n: num(100), word: `a${index}` })] as const,
  );
  await store.insert(jsonObject(Object.fromEntries(each)));
  let running = true;
  let moves = 0;
  const move = async (): Promise<void> => {
    for (let round = 0; running; round++) {
      const [from, to] = [round % accounts, (round * 7 + 1) % accounts];
      if (from === to) continue;
      const amount = (round % 5) + 1;
      await store.script([
        { insert: [[`a${from}`, jsonObject({ n: num(100 - amount) })]] },
        { insert: [[`a${to}`, jsonObject({ n: num(100 + amount) })]] },
      ]);
      await store.script([
        { insert: [[`a${from}`, jsonObject({ n: num(100) })]] },
        { insert: [[`a${to}`, jsonObject({ n: num(100) })]] },
      ]);
      moves++;
    }
  };
  const moving = move();
  const expected = accounts * 100;
  for (let round = 0; round < 40; round++) {
    const results = await Promise.all([
      rowsOf(store, 'SELECT SUM(n) AS s FROM [default]'),
      rowsOf(store, 'SELECT SUM(n + 0) AS s FROM [default]'),
      rowsOf(store, 'SELECT n FROM [default]'),
      rowsOf(store, 'SELECT SUM(b.n) AS s FROM [default] a JOIN [default] b ON a.word = b.[entity-id]'),
    ]);
    const sums = results.map((rows) => rows.reduce((sum, row) => sum + Number(row.s ?? row.n), 0));
    t.strictSame(sums, [expected, expected, expected, expected], `round ${round}`);
    const several = await bytesOf(store, 'SELECT SUM(n) AS s FROM [default]; SELECT n FROM [default]');
    const [one, other] = (JSON.parse(`{${several}}`) as { result: { result: Rows; count: number }[] }).result;
    t.equal(one.result[0].s, expected);
    t.equal(
      other.result.reduce((sum, { n }) => sum + Number(n), 0),
      expected,
    );
  }
  running = false;
  await moving;
  t.ok(moves > 5, `${moves} moves`);
});

t.test('a client that disconnects early releases all resources', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2 });
  await fill(store, new Prng(9), 12_000);
  for (let round = 0; round < 12; round++) {
    const { parts } = store.engine.select(
      requestsOf(store, 'SELECT * FROM [default] ORDER BY d'),
      'json',
      QUERY_OPTIONS,
    );
    if (round % 2 === 0) await parts.next();
    await parts.return();
  }
  // More queries than slots succeed only if the slots were released.
  t.equal((await rowsOf(store, 'SELECT COUNT(*) AS c FROM [default]'))[0].c, 12_000);
  let leave = (): void => {};
  const cancellation: Cancellation = {
    isCancelled: false,
    onCancel: (act) => {
      leave = act ?? ((): void => {});
    },
  };
  const { parts } = store.engine.select(requestsOf(store, 'SELECT * FROM [default] ORDER BY d'), 'json', {
    ...QUERY_OPTIONS,
    cancellation,
  });
  leave();
  const read = async (): Promise<void> => {
    for await (const _part of parts);
  };
  await t.rejects(read(), { code: 9005 });
  await store.insert(jsonObject({ z: jsonObject({ n: num(1) }) }));
  t.equal(await store.total(), 12_001, 'the barrier is open');
});

t.test('EXPLAIN shows skipped segments and estimates, ANALYZE measurements', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 2 });
  await fill(store, new Prng(31), 3_000);
  const statement =
    "SELECT word, COUNT(*) FROM [default] WHERE n > 5000 OR (d > 0 AND word = 'w3') GROUP BY word ORDER BY word";
  const plan = await rowsOf(store, `EXPLAIN ${statement}`);
  const scans = plan.filter(({ operator }) => operator === 'scan');
  t.strictSame(
    scans.map(({ shard, rows, milliseconds }) => ({ shard, rows, milliseconds })),
    [0, 1].map((shard) => ({ shard, rows: null, milliseconds: null })),
  );
  t.equal(plan.filter(({ operator }) => operator === 'condition').length, 6);
  t.ok(
    plan.some(({ detail }) => /^n \(values\): 0 segments looked at, 1 skipped/.test(String(detail))),
    'no value of n is as large',
  );
  t.ok(plan.some(({ detail }) => /^word \(values\): 1 segments looked at by equalU8/.test(String(detail))));
  t.ok(plan.some(({ operator, detail }) => operator === 'sort' && detail === 'by 1 key'));
  const analysed = await rowsOf(store, `EXPLAIN ANALYZE ${statement}`);
  const [{ c }] = await rowsOf(store, "SELECT COUNT(*) AS c FROM [default] WHERE d > 0 AND word = 'w3'");
  const sum = (rows: Rows, of: string): number => rows.reduce((total, row) => total + Number(row[of]), 0);
  const measured = analysed.filter(({ operator }) => operator === 'scan');
  t.equal(sum(measured, 'rows'), c);
  t.equal(sum(measured, 'estimated-rows'), c, 'all segments were in the sample');
  t.match(analysed.at(-1), { operator: 'answer', rows: 1, shard: null });
  t.ok(analysed.every(({ milliseconds }) => milliseconds === null || Number(milliseconds) >= 0));
  t.match(await rowsOf(store, 'EXPLAIN ANALYZE SELECT [entity-id] FROM [default] ORDER BY n'), [
    ...[0, 1].map(() => ({ operator: 'scan' })),
  ]);
  t.match(await rowsOf(store, 'EXPLAIN SELECT 1'), [{ operator: 'constant' }]);
});

t.test('EXPLAIN shows neither row counts nor conditions to a key with a row filter', async (t) => {
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 2 });
  await fill(store, new Prng(37), 1_000);
  const [request] = requestsOf(store, 'EXPLAIN SELECT n FROM [default] WHERE n > 5 ORDER BY n');
  const { parts } = store.engine.select([{ ...request, isRestricted: true }], 'json', QUERY_OPTIONS);
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  const { result } = JSON.parse(`{${Buffer.concat(read).toString('utf8')}}`);
  const scan = {
    operator: 'scan',
    'estimated-rows': null,
    rows: null,
    milliseconds: null,
    detail: 'default',
  };
  t.strictSame(result, [
    { ...scan, shard: 0 },
    { ...scan, shard: 1 },
    { ...scan, operator: 'sort', shard: null, detail: 'by 1 key' },
  ]);
});

t.test('workers count the distinct texts of many shards, with the same result each time', async (t) => {
  const seed = 409;
  t.comment(`seed ${seed}`);
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
  await store.createColumns(COLUMNS);
  const prng = new Prng(seed);
  const words: string[] = [];
  const numbers: number[] = [];
  for (let from = 0; from < 40_000; from += 1_000) {
    const entities: Record<string, Json> = {};
    for (let index = from; index < from + 1_000; index++) {
      const [word, n] = [`${'ß'.repeat(prng.below(4))}word ${prng.below(25_000)}`, prng.below(10)];
      words.push(word);
      numbers.push(n);
      entities[`e${index}`] = jsonObject({ word, n: num(n) });
    }
    await store.insert(jsonObject(entities));
  }
  const all = new Set(words).size;
  const some = new Set(words.filter((_, index) => numbers[index] < 7)).size;
  for (let round = 0; round < 3; round++) {
    t.strictSame(await rowsOf(store, 'SELECT COUNT(DISTINCT word) AS c, COUNT(*) AS n FROM [default]'), [
      { c: all, n: words.length },
    ]);
    t.strictSame(
      await rowsOf(
        store,
        'SELECT COUNT(DISTINCT word) AS a, COUNT(DISTINCT word) + 1 AS b FROM [default] WHERE n < 7',
      ),
      [{ a: some, b: some + 1 }],
    );
  }
});

t.test('the first rows of an ordered SELECT do not depend on how many rows are requested', async (t) => {
  const seed = 411;
  t.comment(`seed ${seed}`);
  const prng = new Prng(seed);
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 3 });
  await fill(store, prng, 12_000);
  const all = await rowsOf(store, 'SELECT [entity-id], n, d, word FROM [default]');
  const wheres: [string, (row: Rows[number]) => boolean][] = [
    ['', () => true],
    [' WHERE n < 300', ({ n }) => typeof n === 'number' && n < 300],
    [" WHERE word = 'w3'", ({ word }) => word === 'w3'],
  ];
  for (let round = 0; round < 60; round++) {
    const [where, passes] = prng.pick(wheres);
    const [column, descending] = [prng.pick(['n', 'd', 'word']), prng.chance(0.5)];
    const [limit, offset] = [prng.pick([1, 10, 65, 400, 3_000]), prng.pick([0, 0, 7, 500])];
    const order = `${column}${descending ? ' DESC' : ''}, [entity-id]`;
    const text = `SELECT [entity-id], ${column} FROM [default]${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
    const expected = all
      .filter(passes)
      .sort((a, b) => {
        const [one, other] = [a[column], b[column]] as (number | string | null)[];
        const sign = descending ? -1 : 1;
        if (one === null || other === null) return one === other ? compareIds(a, b) : one === null ? 1 : -1;
        return one === other ? compareIds(a, b) : one < other ? -sign : sign;
      })
      .slice(offset, offset + limit)
      .map((row) => ({ 'entity-id': row['entity-id'], [column]: row[column] }));
    t.strictSame(await rowsOf(store, text), expected, text);
    const alone = await rowsOf(store, text.replace(', [entity-id] LIMIT', ' LIMIT'));
    t.strictSame(
      alone.map((row) => row[column]),
      expected.map((row) => row[column]),
    );
  }
});

const compareIds = (a: Rows[number], b: Rows[number]): number =>
  String(a['entity-id']) < String(b['entity-id']) ? -1 : 1;
