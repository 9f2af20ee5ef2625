import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { RemoteClient } from '../../../../src/commands/remote/index.js';
import { freePort, runCommand, ServerProcess } from '../../../support/server-process.js';

const MAIN = fileURLToPath(new URL('../../../../src/main.js', import.meta.url));
const ROWS = 60_000;
const USERS = 500;
const MAPPING = [
  '--dimension',
  'visits',
  '--id',
  'user',
  '--event',
  'page:page:at',
  '--event',
  'spent:spent:at',
];

/** Visits of all users in turn; the sum of their amounts reveals a lost or duplicated event. */
function visits(): string {
  const lines = ['user,page,spent,at'];
  for (let row = 0; row < ROWS; row++)
    lines.push(`u${row % USERS},p${row % 7},${row},2024-01-${String(1 + (row % 28)).padStart(2, '0')}`);
  return `${lines.join('\n')}\n`;
}

interface Site {
  readonly url: string;
  readonly certificate: string;
  readonly masterKey: string;
}

function siteOf(server: ServerProcess, port: number): Site {
  return {
    url: `https://127.0.0.1:${port}`,
    certificate: fs.readFileSync(path.join(server.dir, 'tls/cert.pem'), 'utf8'),
    masterKey: server.keys().master,
  };
}

async function sumOf(site: Site): Promise<{ readonly count: number; readonly sum: number }> {
  const client = new RemoteClient(site, 1);
  const between = ['2024-01-01', '2024-02-01'];
  const queryMetric = async (metric: string): Promise<number> => {
    const answer = (await client.json({
      method: 'POST',
      path: '/v1/query/aggregation',
      key: site.masterKey,
      body: JSON.stringify({ dimension: 'visits', query: [{ spent: metric, between }] }),
    })) as { readonly result: { readonly spent: Readonly<Record<string, number>> } };
    return answer.result.spent[metric];
  };
  try {
    return { count: await queryMetric('count-events'), sum: await queryMetric('sum') };
  } finally {
    client.close();
  }
}

const WHOLE = { count: ROWS, sum: (ROWS * (ROWS - 1)) / 2 };

const start = (words: readonly string[]): ChildProcess =>
  spawn(process.execPath, [MAIN, 'import', ...words], { stdio: ['ignore', 'ignore', 'ignore'] });

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.on('exit', resolve));

/** Resolves when the server holds more than `count` events of the import, or the import ended. */
async function whenBegun(site: Site, count: number, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const found = await sumOf(site).catch(() => null);
    if (found !== null && found.count > count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

t.test('an import that is killed and started again loses no event and duplicates none', async (t) => {
  const dir = t.testdir({ store: {}, 'visits.csv': visits() });
  const server = new ServerProcess({ dir: path.join(dir, 'store') });
  const { httpsPort } = await server.serving;
  t.teardown(() => server.end());
  const file = path.join(dir, 'visits.csv');
  const site = siteOf(server, httpsPort);
  const words = ['--url', site.url, '--data-dir', server.dir, ...MAPPING, '--connections', '2', file];
  let kills = 0;
  for (let round = 0; round < 3; round++) {
    const child = start(words);
    const ended = endOf(child);
    const before = (await sumOf(site).catch(() => ({ count: 0 }))).count;
    await whenBegun(site, before, ended);
    child.kill('SIGKILL');
    if ((await ended) === null) kills++;
    // Without its state an import starts from the first row, and only the idempotency keys prevent duplicates.
    if (round === 1) fs.rmSync(`${file}.import.json`, { force: true });
  }
  t.ok(kills > 0, 'some imports were killed');
  const last = await runCommand(['import', ...words]);
  t.equal(last.code, 0, last.output);
  t.strictSame(await sumOf(site), WHOLE);
  t.notOk(fs.existsSync(`${file}.import.json`), 'the state is removed at the end');
  const again = await runCommand(['import', ...words]);
  t.equal(again.code, 0, again.output);
  t.strictSame(await sumOf(site), WHOLE, 'a second import changes nothing');
});

t.test('an import resumes by itself when its server is killed and started again', async (t) => {
  const port = await freePort();
  const flags = ['--https-port', String(port)];
  const base = t.testdir({ store: {}, 'visits.csv': visits() });
  const dir = path.join(base, 'store');
  const first = new ServerProcess({ dir, flags });
  await first.serving;
  const site = siteOf(first, port);
  const file = path.join(base, 'visits.csv');
  const child = start(['--url', site.url, '--data-dir', dir, ...MAPPING, file]);
  const ended = endOf(child);
  await whenBegun(site, 0, ended);
  await first.kill();
  const second = new ServerProcess({ dir, flags });
  t.teardown(() => second.end());
  await second.serving;
  t.equal(await ended, 0);
  t.strictSame(await sumOf(site), WHOLE);
});
