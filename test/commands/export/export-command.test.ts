/** Exports from a real server in every format, read by other programs: exactly the rows that were inserted. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { query } from 'chdb';
import { decompress } from 'fzstd';
import t from 'tap';
import { readDimensions } from '../../../src/commands/export/dimension.js';
import { exportCommand } from '../../../src/commands/export/export-command.js';
import { membersOf } from '../../../src/commands/export/json-line.js';
import { RemoteClient } from '../../../src/commands/remote/index.js';
import { type RunningServer, startServer } from '../../demo/server.js';
import { directoryFor, type Run, runnerOf } from '../command-run.js';
import { accessOf, importing, selected } from '../import/importing.js';

const COLUMNS = [
  { name: 'text', type: 'string' },
  { name: 'whole', type: 'integer' },
  { name: 'price', type: 'decimal', 'decimal-places': 3 },
  { name: 'day', type: 'date' },
  { name: 'moment', type: 'datetime' },
  { name: 'flag', type: 'boolean' },
  { name: 'place', type: 'geolocation' },
  { name: 'texts', type: 'string', storage: 'list-of-values' },
  { name: 'wholes', type: 'integer', storage: 'list-of-values' },
  { name: 'prices', type: 'decimal', 'decimal-places': 2, storage: 'list-of-values' },
  { name: 'days', type: 'date', storage: 'list-of-values' },
  { name: 'flags', type: 'boolean', storage: 'list-of-values' },
  { name: 'visit', type: 'string-event' },
  { name: 'paid', type: 'decimal-event', 'decimal-places': 2 },
  { name: 'seen', type: 'geolocation-event' },
];

/** Insert bodies as text, because their numbers have more digits than JavaScript numbers. */
const FULL = `"day":"2024-02-29","moment":"1999-12-31T23:59:59Z","flag":true,"place":[13.4,-52.5],
  "texts":["ü","a \\"b\\"","c,d"],"wholes":[9223372036854775807,-1],"prices":[0.01,-92233720368547758.08],
  "days":["1970-01-01","2038-01-19"],"flags":[true,false]`;
const ENTITIES = [
  `"most":{"dimension":"trip","text":"line\\nbreak, \\"quote\\" \\\\ é 東京 🚀","whole":9223372036854775807,"price":9223372036854775.807,${FULL}}`,
  '"least":{"dimension":"trip","whole":-9223372036854775808,"price":-9223372036854775.808,"flag":false,"text":"null"}',
  '"none":{"dimension":"trip","whole":null}',
  '"it\'s 東":{"dimension":"trip","visit":[{"value":"x","date":"2026-01-05"},{"value":"x","date":"2026-01-05"},{"value":"y","date":"2026-01-04T01:02:03Z"}]}',
  '"both":{"dimension":"trip","price":0.5,"paid":[{"value":92233720368547758.07,"date":"2026-01-05"}],"seen":[{"value":[1.5,-2],"date":"2020-02-03T04:05:06Z"}]}',
];

const clientOf = ({ url, certificate }: RunningServer): RemoteClient =>
  new RemoteClient({ url, certificate }, 2);

function post(client: RemoteClient, server: RunningServer, what: string, body: string): Promise<unknown> {
  return client.json({ method: 'POST', path: `/v1/${what}`, key: server.masterKey, body });
}

async function makeTrip(client: RemoteClient, server: RunningServer, dimension = 'trip'): Promise<void> {
  await post(client, server, 'dimension', JSON.stringify({ name: dimension, 'api-name': dimension }));
  await post(client, server, 'column', JSON.stringify(COLUMNS.map((column) => ({ ...column, dimension }))));
}

const server = await startServer('--shards', '3', '--workers', '1');
t.teardown(() => server.stop());
const client = clientOf(server);
t.teardown(() => client.close());
await makeTrip(client, server);
await post(client, server, 'insert', `{${ENTITIES.join(',')}}`);
const dir = directoryFor(t);
const run: Run = runnerOf(exportCommand, server, dir);

/** Exports the dimension to the file `name`. */
async function exported(name: string, ...flags: string[]): Promise<string> {
  const file = path.join(dir, name);
  const ran = await run(['trip', '-o', file, '--force', ...flags]);
  if (ran.code !== 0) throw ran.error ?? new Error(ran.wrong ?? ran.err);
  return file;
}

/** The expected values by ID, in the form that DuckDB and JSON share. */
const WANTED: Readonly<Record<string, Record<string, unknown>>> = {
  most: {
    text: 'line\nbreak, "quote" \\ é 東京 🚀',
    whole: '9223372036854775807',
    price: '9223372036854775.807',
    day: '2024-02-29',
    moment: '1999-12-31 23:59:59',
    flag: true,
    place: '[13.4,-52.5]',
    texts: ['ü', 'a "b"', 'c,d'],
    wholes: ['9223372036854775807', '-1'],
    prices: ['0.01000000000000000000', '-92233720368547758.08000000000000000000'],
    days: ['1970-01-01', '2038-01-19'],
    flags: [true, false],
  },
  least: { text: 'null', whole: '-9223372036854775808', price: '-9223372036854775.808', flag: false },
  none: {},
  "it's 東": {},
  both: { price: '0.500' },
};

async function duckRows(statement: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    return (await connection.runAndReadAll(statement)).getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
  }
}

/** The rows by ID, without missing values. */
function byId(rows: readonly Record<string, unknown>[]): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    rows.map(({ 'entity-id': id, ...values }) => [
      String(id),
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    ]),
  );
}

t.test('DuckDB reads the exported values from Parquet with each compression', async (t) => {
  for (const compression of ['snappy', 'gzip', 'zstd', 'none']) {
    const file = await exported('trip.parquet', '--compression', compression);
    const { moment, ...most } = WANTED.most;
    const wanted = { ...WANTED, most: { ...most, moment: `${moment}+00` } };
    t.strictSame(byId(await duckRows(`SELECT * FROM '${file}'`)), wanted, compression);
  }
  const [kinds] = await duckRows(`SELECT typeof(price) AS price, typeof(day) AS day, typeof(moment) AS moment,
    typeof(flag) AS flag, typeof(days) AS days FROM '${path.join(dir, 'trip.parquet')}' LIMIT 1`);
  t.strictSame(kinds, {
    price: 'DECIMAL(38,3)',
    day: 'DATE',
    moment: 'TIMESTAMP WITH TIME ZONE',
    flag: 'BOOLEAN',
    days: 'DATE[]',
  });
});

t.test('DuckDB reads the exported values from CSV and NDJSON, plain and compressed', async (t) => {
  const texts = ['text', 'whole', 'price', 'day', 'flag', 'place'];
  const wanted = Object.fromEntries(
    Object.entries(WANTED).map(([id, values]) => [
      id,
      Object.fromEntries(
        texts.flatMap((name) =>
          name in values ? [[name, String(values[name]).replace('0.500', '0.5')]] : [],
        ),
      ),
    ]),
  );
  const picked = `SELECT "entity-id", ${texts.join(', ')}`;
  for (const name of ['trip.csv', 'trip.csv.gz', 'trip.csv.zst']) {
    const rows = await duckRows(
      `${picked} FROM read_csv('${await exported(name)}', all_varchar = true, header = true)`,
    );
    t.strictSame(byId(rows), wanted, name);
  }
  // DuckDB reads JSON decimals as floats, so their digits are searched for in the text.
  const others = texts.filter((name) => name !== 'price');
  const columns = `{"entity-id": 'VARCHAR', ${others.map((name) => `${name}: 'VARCHAR'`).join(', ')}}`;
  const withoutPrice = Object.fromEntries(
    Object.entries(wanted).map(([id, { price, ...values }]) => [id, values]),
  );
  for (const name of ['trip.ndjson', 'trip.jsonl.gz', 'trip.ndjson.zst']) {
    const rows = await duckRows(`SELECT * FROM read_json('${await exported(name)}', columns = ${columns})`);
    t.strictSame(byId(rows), withoutPrice, name);
  }
  const text = fs.readFileSync(path.join(dir, 'trip.ndjson'), 'utf8');
  t.strictSame(text.match(/"price":[-\d.]+/g)?.sort(), [
    '"price":-9223372036854775.808',
    '"price":0.5',
    '"price":9223372036854775.807',
  ]);
});

t.test('apache-arrow and ClickHouse read the exported values from Arrow streams and files', async (t) => {
  for (const [name, kind] of [
    ['trip.arrows', 'ArrowStream'],
    ['trip.arrow', 'Arrow'],
  ]) {
    const file = await exported(name);
    t.equal(tableFromIPC(fs.readFileSync(file)).numRows, ENTITIES.length);
    const settings = 'output_format_json_quote_64bit_integers=1, output_format_json_quote_decimals=1';
    const text = query(`SELECT * FROM file('${file}', ${kind}) SETTINGS ${settings}`, 'JSONEachRow');
    const rows: Record<string, unknown>[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    // ClickHouse has no NULL lists, and writes decimals without trailing zeros.
    const found = byId(
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [
            key,
            Array.isArray(value) && value.length === 0 ? null : value,
          ]),
        ),
      ),
    );
    const { prices, ...most } = WANTED.most;
    t.strictSame(
      found,
      { ...WANTED, most: { ...most, prices: ['0.01', '-92233720368547758.08'] }, both: { price: '0.5' } },
      name,
    );
  }
  const packed = decompress(fs.readFileSync(await exported('trip.arrow.zst')));
  t.equal(tableFromIPC(packed).numRows, ENTITIES.length);
  const zipped = gunzipSync(fs.readFileSync(await exported('trip.arrows.gz')));
  t.equal(tableFromIPC(zipped).numRows, ENTITIES.length);
});

t.test('a statement without rows produces a valid file in every format', async (t) => {
  const none = async (name: string): Promise<string> => {
    const file = path.join(dir, name);
    const ran = await run([
      '--sql',
      "SELECT [entity-id], price FROM trip WHERE text = 'nobody'",
      '-o',
      file,
      '--force',
    ]);
    t.match(ran, { code: 0, error: null });
    return file;
  };
  t.strictSame(await duckRows(`SELECT * FROM '${await none('none.parquet')}'`), []);
  t.equal(tableFromIPC(fs.readFileSync(await none('none.arrow'))).numRows, 0);
  t.equal(tableFromIPC(fs.readFileSync(await none('none.arrows'))).schema.fields.length, 2);
  t.equal(fs.readFileSync(await none('none.csv'), 'utf8'), 'entity-id,price\r\n');
  t.equal(Buffer.from(decompress(fs.readFileSync(await none('none.ndjson.zst')))).length, 0);
});

const EVENTS = ['visit', 'paid', 'seen'];
const eventsOf = (name: string, dimension: string): string =>
  `SELECT [entity-id], [${name}.value] AS value, [${name}.date] AS date FROM [${dimension}]`;

/** The whole content of a dimension, as the server returns it. */
async function everything(
  client: RemoteClient,
  server: RunningServer,
  dimension = 'trip',
): Promise<string[][]> {
  const attributes = COLUMNS.filter(({ type }) => !type.endsWith('-event')).map(({ name }) => `[${name}]`);
  const statements = [
    `SELECT [entity-id], ${attributes.join(', ')} FROM [${dimension}] ORDER BY [entity-id]`,
    ...EVENTS.map((name) => eventsOf(name, dimension)),
  ];
  const answers: string[][] = [];
  for (const body of statements) {
    const headers = { accept: 'application/x-ndjson' };
    const request = {
      method: 'POST',
      path: '/v1/sql',
      key: server.masterKey,
      contentType: 'application/sql',
    } as const;
    answers.push((await client.text({ ...request, body, headers })).split('\n').sort());
  }
  return answers;
}

t.test(
  'a dimension that is exported as inserts and inserted into another server is identical there',
  async (t) => {
    const file = await exported('trip.lines', '--format', 'insert');
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
    t.equal(lines.length, ENTITIES.length, 'one line per entity');
    const other = await startServer('--shards', '2', '--workers', '1');
    t.teardown(() => other.stop());
    const otherClient = clientOf(other);
    t.teardown(() => otherClient.close());
    await makeTrip(otherClient, other);
    const members = lines.map((line) => {
      const [id, ...rest] = membersOf(line);
      return `${id.json}:{${rest.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
    });
    await post(otherClient, other, 'insert', `{${members.join(',')}}`);
    t.strictSame(await everything(otherClient, other), await everything(client, server));
  },
);

t.test(
  'dimensions that are exported as inserts and imported into an empty server are identical there',
  async (t) => {
    await post(client, server, 'column', JSON.stringify(COLUMNS));
    await post(client, server, 'insert', `{${ENTITIES.join(',').replaceAll('"dimension":"trip",', '')}}`);
    const other = await startServer('--shards', '2', '--workers', '1');
    t.teardown(() => other.stop());
    const otherClient = clientOf(other);
    t.teardown(() => otherClient.close());
    for (const dimension of ['trip', 'default']) {
      const file = path.join(dir, `${dimension}.all.ndjson.gz`);
      t.match(await run([dimension, '--format', 'insert', '-o', file]), { code: 0 });
      const { bad, output } = await importing(accessOf(other), [file]);
      t.equal(bad, 0, output);
      const found = await everything(otherClient, other, dimension);
      t.strictSame(found, await everything(client, server, dimension), dimension);
      t.match(await importing(accessOf(other), ['--dimension', `${dimension}-2`, file]), { bad: 0 });
      t.strictSame(
        await everything(otherClient, other, `${dimension}-2`),
        found,
        'in the dimension that --dimension names',
      );
    }
    for (const { attributes, events } of await readDimensions(otherClient, accessOf(other))) {
      t.strictSame(
        [...attributes, ...events].map(({ apiName, type }) => `${apiName} ${type}`).sort(),
        COLUMNS.map(({ name, type }) => `${name} ${type}`).sort(),
      );
    }
  },
);

t.test(
  'an insert line is imported as a whole: another dimension or a late member makes the line bad',
  async (t) => {
    const lineOf = (dimension: string, more: string): string =>
      `{"id":"e","dimension":"${dimension}",${more}}`;
    const both = [lineOf('trip', '"n":1'), lineOf('tour', '"n":1')];
    const importLines = (lines: readonly string[], ...flags: string[]) =>
      importing(
        accessOf(server),
        [...flags, '--bad', path.join(dir, 'lines.bad'), '-'],
        [Buffer.from(lines.join('\n'))],
      );
    await t.rejects(importLines(both), { message: /the lines belong to several dimensions, trip, tour: / });
    t.match(await importLines(both, '--dimension', 'any'), { bad: 0 });
    t.match(await importLines(both, '--rename', 'dimension=kind', '--dimension', 'kinds'), { bad: 0 });
    t.strictSame(await selected(server, 'SELECT [kind], [n] FROM [kinds]'), [{ kind: 'tour', n: 1 }]);
    const first = Array.from({ length: 10_000 }, (_, index) => lineOf('many', `"n":${index}`));
    const { bad } = await importLines([
      ...first,
      lineOf('tour', '"n":-1'),
      lineOf('many', '"n":-2,"late":1'),
      '{"id":"e","dimension":"many","id":"value","n":-3}',
    ]);
    t.equal(bad, 3);
    t.strictSame(
      fs
        .readFileSync(path.join(dir, 'lines.bad'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).reason),
      [
        'the line names dimension "tour"',
        '"late" is not in the first rows: import this line separately',
        'the line is not valid JSON: invalid JSON syntax: key "id" is repeated in one object',
      ],
    );
    t.strictSame(await selected(server, 'SELECT [entity-id], [n] FROM [many]'), [
      { 'entity-id': 'e', n: 9_999 },
    ]);
  },
);

t.test(
  'attributes and events that are exported and imported into another server are identical there, in every format',
  async (t) => {
    for (const ending of ['csv', 'ndjson', 'arrow', 'arrows', 'parquet', 'csv.gz', 'ndjson.zst']) {
      const dimension = `from-${ending.replace('.', '-')}`;
      await makeTrip(client, server, dimension);
      const file = await exported(`round.${ending}`);
      // Two entities have no attributes: their rows have no value and are bad.
      const { bad } = await importing(accessOf(server), ['--dimension', dimension, file]);
      t.equal(bad, 2, ending);
      for (const name of EVENTS) {
        const events = path.join(dir, `${name}.${ending}`);
        t.match(await run(['--sql', eventsOf(name, 'trip'), '-o', events]), { code: 0 });
        const words = ['--dimension', dimension, '--event', `${name}:value:date`, events];
        t.equal((await importing(accessOf(server), words)).bad, 0, `${name} of ${ending}`);
      }
      const [[...attributes], ...events] = await everything(client, server);
      const withValues = attributes.filter((line) => !line.startsWith('{"entity-id":"none"'));
      t.strictSame(await everything(client, server, dimension), [withValues, ...events], ending);
    }
  },
);

t.test('what an export leaves out is named, and --events writes the events, too', async (t) => {
  const inactive = { 'api-name': 'old', dimension: 'left' };
  await post(client, server, 'dimension', '{"name": "Left", "api-name": "left"}');
  const columns = [
    { ...inactive, name: 'old', type: 'integer' },
    { name: 'visit', type: 'string-event', dimension: 'left' },
  ];
  await post(
    client,
    server,
    'column',
    JSON.stringify([
      ...columns,
      { name: 'paid', type: 'decimal-event', 'decimal-places': 2, dimension: 'left' },
    ]),
  );
  await post(
    client,
    server,
    'insert',
    '{"e":{"dimension":"left","old":1,"visit":[{"value":"a","date":"2026-01-05"},{"value":"b","date":"2000-01-05T01:02:03Z"}]}}',
  );
  await client.json({
    method: 'PUT',
    path: '/v1/column',
    key: server.masterKey,
    body: JSON.stringify({ ...inactive, active: false }),
  });
  const file = (name: string): string => path.join(dir, name);
  const plain = await run(['left', '-o', file('left.parquet')]);
  t.match(plain.err, 'the events of visit, paid are not exported (--events files or --format insert)\n');
  t.match(plain.err, 'inactive columns are not exported: old\n');
  for (const ending of ['parquet', 'csv.gz', 'arrow']) {
    const ran = await run(['left', '--events', 'files', '--force', '-o', file(`left.${ending}`)]);
    t.match(ran, { code: 0 });
    t.notMatch(ran.err, /the events of/);
    t.ok(fs.existsSync(file(`left.paid.${ending}`)), ending);
  }
  t.strictSame(
    await duckRows(
      `SELECT "entity-id" AS id, "visit.value" AS value, CAST("visit.date" AS VARCHAR) AS seen FROM '${file('left.visit.parquet')}' ORDER BY seen`,
    ),
    [
      { id: 'e', value: 'b', seen: '2000-01-05 01:02:03+00' },
      { id: 'e', value: 'a', seen: '2026-01-05 00:00:00+00' },
    ],
  );
  t.match(
    gunzipSync(fs.readFileSync(file('left.visit.csv.gz'))).toString(),
    /^entity-id,visit\.value,visit\.date\r\ne,/,
  );
  t.equal(tableFromIPC(fs.readFileSync(file('left.paid.arrow'))).numRows, 0);
  const nested = await run(['left', '--events', 'nested']);
  t.match(nested.out.toString(), /^\{"id":"e","dimension":"left","visit":\[\{"value":/);
  for (const [words, wrong] of [
    [['--events', 'all'], /^--events: expected files or nested, not "all"$/],
    [['--events', 'files'], /name it with -o/],
    [['--events', 'nested', '--format', 'csv'], /nested events are NDJSON, not csv/],
    [['--events', 'files', '--sql', 'SELECT 1', '-o', 'x.csv'], /not of a SELECT/],
    [['--events', 'files', '--format', 'insert', '-o', 'x'], /holds the events already/],
  ] as const) {
    t.match(await run(words), { wrong }, words.join(' '));
  }
});

t.test('an existing file is overwritten only with --force', async (t) => {
  const file = path.join(dir, 'there.csv');
  fs.writeFileSync(file, 'mine');
  t.match(await run(['trip', '-o', file]), {
    code: null,
    error: { message: /there.csv exists already: use --force/ },
  });
  t.equal(fs.readFileSync(file, 'utf8'), 'mine');
  t.match(await run(['trip', '-o', file, '--force']), { code: 0 });
  t.match(fs.readFileSync(file, 'utf8'), /^entity-id,text,/);
  t.notOk(fs.existsSync(`${file}.part`));
});

t.test('with --events files, a file that exists refuses the export before a file is written', async (t) => {
  const file = path.join(dir, 'early.csv');
  fs.writeFileSync(path.join(dir, 'early.seen.csv'), 'mine');
  const ran = await run(['trip', '--events', 'files', '-o', file]);
  t.match(ran, { code: null, error: { message: /early\.seen\.csv exists already: use --force/ } });
  t.strictSame(
    fs.readdirSync(dir).filter((name) => name.startsWith('early')),
    ['early.seen.csv'],
  );
  t.equal(fs.readFileSync(path.join(dir, 'early.seen.csv'), 'utf8'), 'mine');
  t.match(await run(['trip', '--events', 'files', '-o', file, '--force']), { code: 0 });
  t.equal(fs.readdirSync(dir).filter((name) => name.startsWith('early')).length, 4);
});

t.test('a failed export prints the reason and leaves no file', async (t) => {
  const file = path.join(dir, 'never.csv');
  t.match(await run(['tripp', '-o', file]), {
    error: { message: 'there is no dimension "tripp"; did you mean trip?' },
  });
  t.match(await run(['--sql', 'SELECT nope FROM trip', '-o', file]), {
    error: { message: /code 6000: there is no column "nope"/ },
  });
  t.match(await run(['--sql', 'SELECT 1', '--format', 'insert']), {
    wrong: '--format insert exports a whole dimension, not a SELECT',
  });
  t.match(await run(['trip', '-o', 'a.xls']), { wrong: /the format cannot be derived from the name/ });
  t.match(await run(['trip', '--sql', 'SELECT 1']), {
    wrong: /^export takes either one dimension or --sql$/,
  });
  t.match(await run(['trip', 'more']), { wrong: 'export takes one dimension; unexpected argument "more"' });
  t.notOk(fs.existsSync(file) || fs.existsSync(`${file}.part`));
});

t.test('rows are written to standard output, and the summary to standard error', async (t) => {
  const ran = await run(['--sql', 'SELECT COUNT(*) AS trips FROM trip', '--format', 'csv']);
  t.equal(ran.out.toString(), 'trips\r\n5\r\n');
  t.match(ran.err, /^1 rows, 10 B to standard output \(/);
});
