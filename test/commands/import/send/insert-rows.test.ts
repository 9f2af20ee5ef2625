import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import t from 'tap';
import { RemoteClient } from '../../../../src/commands/remote/index.js';
import { startServer } from '../../../demo/server.js';
import { accessOf, importing, selected } from '../importing.js';

const badOf = (file: string): unknown[] =>
  fs
    .readFileSync(`${file}.bad.ndjson`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

t.test('bad rows', async (t) => {
  const server = await startServer();
  t.teardown(() => server.stop());
  const access = accessOf(server);
  const write = (name: string, text: string): string => path.join(t.testdir({ [name]: text }), name);

  t.test('bad rows are listed in a file, and all others are inserted', async (t) => {
    const rows = [
      'id,age,born',
      'a,1,2000-01-01',
      'b,x,2000-01-01',
      ',3,2000-01-01',
      'd,4,2000-02-30',
      'e,5',
      'f,6,',
      'g,,',
    ];
    const file = write('people.csv', `${rows.join('\n')}\n`);
    const { bad, output } = await importing(access, [
      ...['--dimension', 'people', '--type', 'age=integer', '--type', 'born=date', file],
    ]);
    t.equal(bad, 5, output);
    t.strictSame(badOf(file), [
      { row: 2, line: 3, reason: 'column "age": "x" is not a valid integer', text: 'b,x,2000-01-01' },
      { row: 3, line: 4, reason: 'the row has no ID', text: ',3,2000-01-01' },
      {
        row: 4,
        line: 5,
        reason: 'column "born": "2000-02-30" is not a valid date YYYY-MM-DD',
        text: 'd,4,2000-02-30',
      },
      { row: 5, line: 6, reason: '2 fields, but the header has 3', text: 'e,5' },
      { row: 7, line: 8, reason: 'no column has a value', text: 'g,,' },
    ]);
    t.strictSame(await selected(server, 'SELECT [entity-id], age FROM [people] ORDER BY age'), [
      { 'entity-id': 'a', age: 1 },
      { 'entity-id': 'f', age: 6 },
    ]);
  });

  t.test(
    'a row that the server refuses is found among thousands, and a second import duplicates no event',
    async (t) => {
      const lines = Array.from(
        { length: 3_000 },
        (_, row) => `u${row % 40},${row},${row % 1_000 === 7 ? '2999-01-01' : '2024-01-01'}`,
      );
      const file = write('future.csv', `user,page,at\n${lines.join('\n')}\n`);
      const words = ['--dimension', 'future', '--event', 'seen:page:at', '--id', 'user', file];
      for (let run = 0; run < 2; run++) {
        const { bad, output } = await importing(access, words);
        t.equal(bad, 3, output);
        t.match(badOf(file), [
          { row: 8, line: 9, code: 2006, text: 'u7,7,2999-01-01' },
          { row: 1_008, line: 1_009, code: 2006, text: 'u7,1007,2999-01-01' },
          { row: 2_008, line: 2_009, code: 2006, text: 'u7,2007,2999-01-01' },
        ]);
        const client = new RemoteClient(server, 1);
        const answer = await client.json({
          method: 'POST',
          path: '/v1/query/aggregation',
          key: server.masterKey,
          body: '{"dimension":"future","query":[{"seen":"count-events","between":["2024-01-01","2024-01-02"]}]}',
        });
        client.close();
        t.strictSame((answer as { result: unknown }).result, { seen: { 'count-events': 2_997 } });
      }
    },
  );

  t.test('--max-bad stops an import, and the same command with a higher limit resumes it', async (t) => {
    const lines = Array.from({ length: 5_000 }, (_, row) => `e${row},${row % 100 === 99 ? 'x' : row}`);
    const file = write('many.csv', `id,n\n${lines.join('\n')}\n`);
    const words = ['--dimension', 'many', '--type', 'n=integer', file];
    await t.rejects(importing(access, ['--max-bad', '15', ...words]), {
      message: /more than --max-bad 15 permits/,
    });
    t.equal((await importing(access, ['--max-bad', '50', ...words])).bad, 50);
    t.equal(badOf(file).length, 50);
    t.strictSame(await selected(server, 'SELECT COUNT(*) AS n FROM [many]'), [{ n: 4_950 }]);
  });

  t.test('a dry run sends nothing and creates nothing', async (t) => {
    const file = write('dry.csv', 'id,n\na,1\nb,x\n');
    const { bad, output } = await importing(access, [
      '--dimension',
      'dry',
      '--type',
      'n=integer',
      '--dry-run',
      file,
    ]);
    t.equal(bad, 1);
    t.match(output, 'the first insert:\n{"a":{"dimension":"dry","n":1}}');
    t.match(output, '1 rows would be sent, 1 are bad; nothing was sent');
    await t.rejects(selected(server, 'SELECT COUNT(*) FROM [dry]'));
  });

  t.test('the last row with an ID wins, in either case, also across bodies', async (t) => {
    const lines = Array.from(
      { length: 4_500 },
      (_, row) => `${row % 2 === 0 ? 'E' : 'e'}${row % 1_500},${row}`,
    );
    const file = write('later.csv', `id,n\n${lines.join('\n')}\n`);
    await importing(access, ['--dimension', 'later', file]);
    t.strictSame(await selected(server, 'SELECT COUNT(*) AS n, MIN(n) AS low, MAX(n) AS high FROM [later]'), [
      { n: 1_500, low: 3_000, high: 4_499 },
    ]);
  });

  t.test(
    'every content encoding gives the same insert, and a decompression bomb of any encoding is refused',
    async (t) => {
      const client = new RemoteClient(server, 1);
      t.teardown(() => client.close());
      const post = (body: Uint8Array, encoding: string, contentType: string): Promise<string> =>
        client.text({
          ...{ method: 'POST', path: '/v1/insert', key: server.writeKey, body, contentType },
          headers: encoding === 'identity' ? {} : { 'content-encoding': encoding },
        });
      const encoders = {
        identity: (bytes: Buffer) => bytes,
        gzip: (bytes: Buffer) => gzipSync(bytes),
        br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
      };
      const [json, ndjson] = ['application/json', 'application/x-ndjson'];
      for (const [encoding, encode] of Object.entries(encoders)) {
        const create = '"auto-create":["dimension","column"]';
        const name = (form: string): string => `${encoding}-${form}`;
        const row = '"text":"é 東京","n":9223372036854775807';
        const body = `{"e":{"dimension":"${name('json')}",${row}},${create}}`;
        await post(encode(Buffer.from(body)), encoding, json);
        const lines = `{${create}}\n{"id":"e","dimension":"${name('lines')}",${row}}\n`;
        t.match(await post(encode(Buffer.from(lines)), encoding, ndjson), '"status":"success"');
        for (const form of ['json', 'lines']) {
          const statement = `SELECT text, CAST(n AS VARCHAR) AS n FROM [${name(form)}]`;
          const expected = [{ text: 'é 東京', n: '9223372036854775807' }];
          t.strictSame(await selected(server, statement), expected, name(form));
        }
        if (encoding === 'identity') continue;
        const bomb = encode(Buffer.alloc(50 * 2 ** 20, ' '));
        await t.rejects(post(bomb, encoding, json), { status: 413, code: 1507 });
        await t.rejects(post(bomb, encoding, ndjson), { status: 413, code: 1507, reason: /^line 1: / });
      }
    },
  );

  t.test('truncated and empty files are refused with the reason', async (t) => {
    const refused = async (name: string, bytes: Uint8Array | string, message: RegExp): Promise<void> => {
      const file = path.join(t.testdir(), name);
      fs.writeFileSync(file, bytes);
      await t.rejects(importing(access, ['--dimension', 'none', file]), { message }, name);
    };
    await refused('empty.csv', '', /is empty/);
    await refused('empty.parquet', '', /not a complete Parquet file/);
    await refused('cut.parquet', 'PAR1 and nothing else', /not a complete Parquet file/);
    await refused('cut.arrow', 'ARROW1\0\0\xff', /Arrow/);
    await refused(
      'cut.csv.gz',
      Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 75),
      /truncated or damaged/,
    );
    await refused('cut.csv.zst', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x24), /truncated or damaged/);
    await refused('no.ndjson', 'hello\n', /line 1: the line is not valid JSON/);
  });
});
