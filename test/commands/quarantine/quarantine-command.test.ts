/** `quarry quarantine` against a real server: lines that were refused are listed, shown, exported, retried and removed. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { quarantineCommand } from '../../../src/commands/quarantine/quarantine-command.js';
import { readQuarantineLine } from '../../../src/commands/quarantine/quarantine-line.js';
import { RemoteClient } from '../../../src/commands/remote/index.js';
import { startServer } from '../../demo/server.js';
import { directoryFor, runnerOf } from '../command-run.js';
import { selected } from '../import/importing.js';

const server = await startServer('--shards', '2', '--workers', '1');
t.teardown(() => server.stop());
const client = new RemoteClient(server, 2);
t.teardown(() => client.close());
const dir = directoryFor(t);
const run = runnerOf(quarantineCommand, server, dir);

const post = (what: string, body: string, contentType = 'application/json') =>
  client.text({ method: 'POST', path: `/v1/${what}`, key: server.masterKey, body, contentType });

/** Longer than a piece of a stored text, and with a character that must not be divided. */
const LONG = `${'x'.repeat(999)}🚀${'y'.repeat(700)}`;
const CONTROL = '\u001b[31m';

t.test('without a quarantine, list says so and the other actions fail', async (t) => {
  t.match(await run(['list']), { code: 0, err: 'no line is in quarantine\n' });
  for (const action of ['show', 'export', 'retry']) {
    t.match(await run([action, 'visits']), {
      code: null,
      error: { message: 'no line of the dimension "visits" is in quarantine' },
    });
  }
});

t.test(
  'lines are listed, shown, exported as NDJSON, retried after a change of the model, and removed',
  async (t) => {
    await post('dimension', '{"name": "visits", "api-name": "visits"}');
    await post('column', '[{"name": "n", "type": "integer", "dimension": "visits"}]');
    const target = 'insert/lines?dimension=visits&id=id&on-error=quarantine';
    const lines = [
      '{"id": "a", "n": 1}',
      '{"id": "b", "n": "soon"}',
      `{"id": "c", "host": "${LONG}"}`,
      `{"id": "d", "host": ${JSON.stringify(CONTROL)}}`,
    ];
    await post(target, `${lines.join('\n')}\n`, 'application/x-ndjson');

    const listed = await run(['list']);
    t.match(`${listed.out}`, /^visits {2}3 lines {2}from \d{4}-\d\d-\d\dT.*Z to \d{4}-.*Z\n$/);

    const shown = `${(await run(['show', 'visits'])).out}`;
    t.match(shown, /^3 lines in visits-quarantine\n {2}2011 {2}2 {2}.*host.*\n {2}\d+ {2}1 {2}.*\n/);
    t.notMatch(shown, CONTROL, 'control characters are not printed');
    t.match(shown, /line 4 of its request, from master/);
    t.equal(`${(await run(['show', 'visits', '--limit', '0'])).out}`.split('\n').length, 4);
    t.match(`${(await run(['show', 'visits', '--code', '2011', '--limit', '1'])).out}`, /^2 lines/);

    const file = path.join(dir, 'refused.ndjson');
    t.match(await run(['export', 'visits', '-o', file]), { code: 0, err: `3 lines to ${file}\n` });
    const rows = fs
      .readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.strictSame(
      rows.map(({ line }) => line),
      lines.slice(1),
      'each line as it was sent',
    );
    t.match(rows[1], { code: 2011, 'line-number': 3, parameters: /on-error=quarantine/, received: /Z$/ });
    t.match(await run(['export', 'visits', '-o', file]), {
      error: { message: /exists already: use --force/ },
    });
    t.equal((await run(['export', 'visits', '-o', file, '--force'])).code, 0);
    t.equal(`${(await run(['export', 'visits', '--before', '2001-01-01'])).out}`, '');

    t.strictSame(
      await selected(
        server,
        "SELECT ARRAY_TO_STRING(line, '') AS line FROM [visits-quarantine] WHERE code = 2011 ORDER BY [line-number]",
      ),
      lines.slice(2).map((line) => ({ line })),
      'SQL reads the lines, too',
    );

    const refused = await run(['retry', 'visits']);
    t.match(refused, { code: 4, err: /^the first still refused line: code \d+: / });
    t.equal(`${refused.out}`, '0 lines inserted, 3 still refused\n');
    await post('column', '[{"name": "host", "type": "string", "dimension": "visits", "case": "preserve"}]');
    const retried = await run(['retry', 'visits']);
    t.equal(retried.code, 4);
    t.match(`${retried.out}`, /^[12] lines inserted, [12] still refused\n$/);
    t.strictSame(await selected(server, "SELECT host FROM visits WHERE [entity-id] = 'd'"), [
      { host: CONTROL },
    ]);

    t.match(`${(await run(['empty', 'visits', '--before', '2001-01-01'])).out}`, /^0 lines removed/);
    t.match(`${(await run(['empty', 'visits', '--before', '2201-01-01'])).out}`, /^[12] lines removed/);
    t.match(`${(await run(['empty', 'visits', '--force'])).out}`, /^0 lines removed/);
    t.match(`${(await run(['list'])).out}`, /^visits {2}0 lines\n$/);
  },
);

t.test('a dimension that has the name of a quarantine but other columns is none', async (t) => {
  await post('dimension', '{"name": "Other", "api-name": "other-quarantine"}');
  t.match(await run(['show', 'other']), {
    error: { message: 'the dimension "other-quarantine" is no quarantine' },
  });
  t.notMatch(`${(await run(['list'])).out}`, /other/);
});

t.test('wrong arguments are refused', (t) => {
  for (const [words, wrong] of [
    [[], /^quarantine: expected one of list, show, export, retry, empty$/],
    [['lst'], /expected one of .*, not "lst"$/],
    [['list', 'a'], /takes no dimension/],
    [['show', 'a', 'b'], /takes one dimension/],
    [['retry', '--code', '1'], /^quarantine retry takes no --code$/],
    [['show', '--code', 'x'], /^--code: expected an error code/],
    [['show', '--limit', '-1'], /--limit/],
    [['show', '--before', 'soon'], /^--before: expected a time/],
    [['show', '--before', '2026-13-41'], /^--before: expected a time/],
    [['empty'], /removes all lines only with --force/],
  ] as const) {
    t.match(readQuarantineLine(words), { wrong }, words.join(' '));
  }
  for (const [text, before] of [
    ['2026-01-05', '2026-01-05T00:00:00Z'],
    ['2026-01-05T10:00', '2026-01-05T10:00:00Z'],
    ['2026-01-05T10:00:01Z', '2026-01-05T10:00:01Z'],
    ['2026-01-05T10:00:01+02:00', '2026-01-05T08:00:01Z'],
  ]) {
    t.match(readQuarantineLine(['empty', '--before', text]), { filter: { before } }, text);
  }
  t.end();
});
