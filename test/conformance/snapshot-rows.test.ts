/** ClickHouse reads the snapshot that a running server writes from disk and finds the inserted rows. */
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { query } from 'chdb';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { ServerProcess } from '../support/server-process.js';

const SEED = 4_077;
const ENTITY_COUNT = 700;
t.comment(`seed ${SEED}`);

const COLUMNS = [
  { name: 'country', type: 'string', cardinality: 'low' },
  { name: 'age', type: 'integer' },
  { name: 'income', type: 'decimal', 'decimal-places': 2 },
  { name: 'active', type: 'boolean' },
  { name: 'born', type: 'date' },
  { name: 'seen', type: 'datetime' },
  { name: 'tags', type: 'string', storage: 'list-of-values' },
  { name: 'visit', type: 'string-event' },
];

type Row = Record<string, unknown>;

function person(prng: Prng): Row {
  const row: Row = {
    country: prng.pick(['germany', 'perú', '日本', 'france']),
    age: prng.between(-5, 1_000_000),
  };
  if (prng.chance(0.7)) row.income = prng.between(-99_999, 99_999) / 100;
  if (prng.chance(0.5)) row.active = prng.chance(0.5);
  if (prng.chance(0.5)) row.born = `19${prng.between(70, 99)}-0${prng.between(1, 9)}-1${prng.below(10)}`;
  if (prng.chance(0.5)) row.seen = `2025-0${prng.between(1, 9)}-11T1${prng.below(10)}:20:30Z`;
  if (prng.chance(0.5))
    row.tags = Array.from({ length: prng.between(1, 4) }, () => prng.pick(['a', 'bb', 'ß']));
  row.visit = Array.from({ length: prng.below(4) }, () => ({
    value: prng.pick(['home', 'buy', 'über']),
    date: `2025-0${prng.between(1, 9)}-07T0${prng.below(10)}:00:00Z`,
  }));
  return row;
}

function post(server: ServerProcess, port: number, url: string, body: unknown): Promise<number | undefined> {
  const ca = fs.readFileSync(path.join(server.dir, 'tls/cert.pem'));
  const headers = { authorization: server.keys().master, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host: '127.0.0.1', port, path: url, method: 'POST', ca, headers },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      },
    );
    request.on('error', reject).end(JSON.stringify(body));
  });
}

const filesOf = (dir: string, kind: string): string[] =>
  (fs.readdirSync(path.join(dir, 'snapshot'), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.arrow') && path.basename(name).startsWith(kind))
    .map((name) => path.join(dir, 'snapshot', name));

const rowsOf = (sql: string): Row[] =>
  query(sql, 'JSONEachRow')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

const date = (text: unknown): string => String(text).replace('T', ' ').replace('Z', '');
const sorted = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

t.test('ClickHouse reads the snapshot of a server and finds the rows that were inserted', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-snapshot-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const prng = new Prng(SEED);
  const people = Object.fromEntries(
    Array.from({ length: ENTITY_COUNT }, (_, id) => [`id-${id}`, person(prng)]),
  );
  const server = new ServerProcess({ dir, flags: ['--shards', '3'] });
  const { httpsPort } = await server.serving;
  t.equal(await post(server, httpsPort, '/v1/column', COLUMNS), 200);
  t.equal(await post(server, httpsPort, '/v1/insert', people), 200);
  t.equal(await server.end(), 0);

  const entityFiles = filesOf(dir, 'entities');
  t.equal(entityFiles.length, 3, 'one file per shard');
  const found: Row[] = [];
  const visits: Row[] = [];
  for (const file of entityFiles) {
    const rows = rowsOf(`SELECT * FROM file('${file}', Arrow)`);
    found.push(...rows);
    const shard = /-(s\d+of3)-/.exec(file)?.[1];
    const events = filesOf(dir, 'events').find((name) => name.includes(`-${shard}-`)) as string;
    // An event's row refers to its entity by position: ClickHouse preserves the order of a file.
    for (const event of rowsOf(`SELECT * FROM file('${events}', Arrow)`)) {
      visits.push({ id: rows[event.row as number]['entity-id'], date: event.date, value: event.value });
    }
  }
  const expected = Object.entries(people).map(([id, row]) => ({
    'entity-id': id,
    country: row.country,
    age: String(row.age),
    income: row.income ?? null,
    active: row.active ?? null,
    born: row.born ?? null,
    seen: row.seen === undefined ? null : date(row.seen),
    tags: row.tags ?? [],
  }));
  t.strictSame(sorted(found.map((row) => ({ ...row, age: String(row.age) }))), sorted(expected));
  const expectedVisits = Object.entries(people).flatMap(([id, row]) =>
    (row.visit as Row[]).map((event) => ({ id, date: date(event.date), value: event.value })),
  );
  t.strictSame(sorted(visits), sorted(expectedVisits));
});
