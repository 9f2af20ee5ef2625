/**
 * The clients of docs/postgres.md and docs/client.md: psql, node-postgres and a program in Node, on the data of
 * docs/http-api.md and that of the demo.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import t from 'tap';
import { COLUMNS, DIMENSIONS } from '../../src/commands/demo/model.js';
import { loadDemo } from '../console/demo-data.js';
import { ROOT } from '../tidy/source.js';
import { blocksOf } from './pages.js';
import { checkOutputs, missingTools, runPage, type Site } from './shell.js';

t.setTimeout(280_000);

const missing = missingTools();
const noPsql = missingTools(['psql']).length > 0 && 'psql is not installed (postgresql-client)';

/** The answer of `POST /v1/sql`: the column names, and the values row by row. */
interface Answered {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The SELECTs of the documents, without duplicates. */
function selects(): string[] {
  const found = ['docs/sql.md', 'docs/postgres.md', 'docs/client.md']
    .flatMap(blocksOf)
    .flatMap(({ text }) =>
      [...text.matchAll(/(["'])(SELECT [\s\S]*?)(?<!\\)\1/g)].map(([, , select]) => select),
    )
    // The shell removes these backslashes.
    .map((select) => select.replaceAll('\\"', '"'));
  return [...new Set(found)];
}

/** By OID of a type: conversion of a Postgres value to its form in JSON. */
const READERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: Number,
  23: Number,
  25: String,
  114: (text) => JSON.parse(text),
  701: Number,
  1082: String,
  1114: (text) => text.replace(' ', 'T'),
  1184: (text) => new Date(text).toISOString().replace('.000Z', 'Z'),
  1186: String,
  1700: Number,
};

t.test(
  'Postgres clients and a Node program get the same rows as SQL over HTTPS',
  { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` },
  async (t) => {
    const { site, ran } = await runPage(t, 'docs/postgres.md', noPsql === false ? undefined : /psql/);
    checkOutputs(t, ran);
    const port = site.pgPort;
    const keys = site.server.keys();
    const certificate = fs.readFileSync(path.join(site.dir, 'store/tls/cert.pem'), 'utf8');
    await loadDemo({ url: `https://127.0.0.1:${site.httpsPort}`, certificate, keys });

    const psql = async (...commands: readonly string[]): Promise<string> => {
      const flags = ['-XAt', '-F', '\t', '-P', 'null=NULL', '-h', '127.0.0.1', '-p', String(port)];
      const all = [...flags, '-U', 'any', '-d', 'quarry', ...commands.flatMap((command) => ['-c', command])];
      const env = { ...process.env, PGPASSWORD: keys.read, PGSSLMODE: 'require' };
      return (await promisify(execFile)('psql', all, { env })).stdout;
    };
    const client = new pg.Client({
      ...{ host: '127.0.0.1', port, database: 'quarry', user: 'any', password: keys.read },
      ssl: { ca: certificate },
      types: { getTypeParser: () => String },
    });
    t.teardown(() => client.end());
    await client.connect();
    const lists = { skip: noPsql };

    await t.test('the psql block runs unchanged', lists, async (t) => {
      const lines = ran.flatMap(({ found }) => found.split(/\r?\n/));
      t.ok(lines.some((line) => /country +\| text/.test(line)));
      t.ok(lines.includes('(5 rows)'));
    });

    await t.test('the SELECTs of the documents have the same answer in every client', async (t) => {
      const texts = selects();
      t.ok(texts.length >= 10, `${texts.length} SELECTs`);
      for (const text of texts) {
        const overHttp = await overHttps(site, keys.read, text);
        // SELECT * on the port has no score.
        const expected = text.startsWith('SELECT *') ? without(overHttp, 'score') : overHttp;
        const { fields, rows } = await client.query({ text, rowMode: 'array' });
        const values = rows.map((row: readonly (string | null)[]) =>
          row.map((value, at) => (value === null ? null : READERS[fields[at].dataTypeID](value))),
        );
        const names = expected.names.map(nameInPostgres);
        t.strictSame({ names: fields.map(({ name }) => name), rows: values }, { ...expected, names }, text);
        if (noPsql !== false) continue;
        const lines = rows.map((row) => `${row.map((value: string | null) => value ?? 'NULL').join('\t')}\n`);
        t.equal(await psql(text), lines.join(''), 'psql prints the same');
      }
    });

    const dimensions = ['default', 'shops', ...DIMENSIONS.map((dimension) => dimension['api-name'])];
    const events = ['visit', 'paid', 'seen', ...COLUMNS.flatMap(eventColumn)];
    const tables = [...new Set([...dimensions, ...events])].sort();
    const columnsOfAirports = ['entity-id', ...COLUMNS.flatMap(attributeOfAirports)];

    await t.test('node-postgres lists tables and columns', async (t) => {
      const listed = await client.query(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
      );
      t.strictSame(
        listed.rows.map(({ name }) => name),
        tables,
      );
      const columns = await client.query(
        'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position',
        ['airports'],
      );
      t.strictSame(
        columns.rows.map(({ name }) => name),
        columnsOfAirports,
      );
    });

    await t.test('psql lists tables and columns', lists, async (t) => {
      const firsts = (text: string, at: number): string[] =>
        text
          .trim()
          .split('\n')
          .map((line) => line.split('\t')[at]);
      t.strictSame(firsts(await psql('\\dt'), 1), tables);
      t.strictSame(firsts(await psql('\\d airports'), 0), columnsOfAirports);
    });

    await t.test('the program of the typed client runs unchanged', async (t) => {
      const [{ text: program }] = blocksOf('docs/client.md').filter(({ language }) => language === 'ts');
      fs.mkdirSync(path.join(site.dir, 'node_modules'));
      fs.symlinkSync(ROOT, path.join(site.dir, 'node_modules/quarry'));
      const file = path.join(site.dir, 'program.mjs');
      const counts = "console.log('rows of the table:', table.numRows);";
      fs.writeFileSync(file, `${program.replace(':8443', `:${site.httpsPort}`)}\n${counts}`);
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: site.dir });
      const lines = stdout.trim().split('\n');
      const {
        rows: [[older, all]],
      } = await overHttps(
        site,
        keys.read,
        'SELECT COUNT(CASE WHEN age > 80 THEN 1 END) AS older, COUNT(*) AS total FROM [default]',
      );
      t.equal(all, 101_200);
      t.equal(lines.pop(), `rows of the table: ${all}`);
      t.equal(lines.length, older);
      t.match(lines[0], /^\{ 'entity-id': '\w+', age: 8[1-9] \}$/);
    });
  },
);

function without({ names, rows }: Answered, name: string): Answered {
  const at = names.indexOf(name);
  return { names: names.toSpliced(at, 1), rows: rows.map((row) => row.toSpliced(at, 1)) };
}

type DemoColumn = Readonly<Record<string, string>>;

/** An attribute of airports is a column of that table. */
function attributeOfAirports(column: object): string[] {
  const { 'api-name': name, dimension, type } = column as DemoColumn;
  return dimension === 'airports' && !type.endsWith('-event') ? [name] : [];
}

/** An event column is a table. */
function eventColumn(column: object): string[] {
  const { 'api-name': name, type } = column as DemoColumn;
  return type.endsWith('-event') ? [name] : [];
}

/** The name that PostgreSQL gives a column of the interface: functions in lower case. */
const nameInPostgres = (name: string): string => (/^[A-Z]+$/.test(name) ? name.toLowerCase() : name);

async function overHttps({ run }: Site, key: string, text: string): Promise<Answered> {
  const found = await run(`curl -s --cacert store/tls/cert.pem -H 'Authorization: ${key}' \\
    -H 'Content-Type: application/sql' https://127.0.0.1:8443/v1/sql --data-binary @- <<'END'\n${text}\nEND`);
  const { result } = JSON.parse(found) as {
    readonly result: readonly Readonly<Record<string, unknown>>[];
  };
  return { names: Object.keys(result[0]), rows: result.map((row) => Object.values(row)) };
}
