/** The arguments of restore; and a store that real processes back up, archive, damage and restore. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import {
  type RestoreLine,
  readRestoreLine,
  restoreHelp,
} from '../../../src/commands/admin/restore-command.js';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';

t.test('the arguments determine the source, the target and the end of a restore', (t) => {
  const base = ['b', '--data-dir', 'd'];
  const common = { backup: path.resolve('b'), dataDir: path.resolve('d'), archive: null, target: null };
  const lineOf = (words: readonly string[]): unknown => {
    const { flags: _, ...line } = readRestoreLine(words) as RestoreLine;
    return line;
  };
  t.strictSame(lineOf(base), common);
  t.strictSame(lineOf([...base, '--archive', '/a']), { ...common, archive: '/a' });
  t.strictSame(lineOf([...base, '--to-lsn', '17', '--config', 'c']), { ...common, target: { lsn: 17 } });
  for (const [text, timeMs] of [
    ['2024-05-01T12:00:00Z', Date.UTC(2024, 4, 1, 12)],
    ['2024-05-01T12:00Z', Date.UTC(2024, 4, 1, 12)],
    ['2024-05-01T12:00:00.125+02:00', Date.UTC(2024, 4, 1, 10) + 125],
  ] as const) {
    t.strictSame(lineOf([...base, '--to-time', text]), { ...common, target: { timeMs } });
  }
  t.ok(restoreHelp.startsWith('quarry restore BACKUP'));
  t.end();
});

t.test('ambiguous command lines are refused', (t) => {
  const base = ['b', '--data-dir', 'd'];
  for (const [words, wrong] of [
    [['--data-dir', 'd'], 'restore takes one argument, the backup'],
    [['a', 'b', '--data-dir', 'd'], 'restore takes one argument, the backup'],
    [['b'], '--data-dir is required: it names the directory to create'],
    [[...base, '--to-lsn', '-1'], /to-lsn/],
    [[...base, '--to-lsn', '1e3'], '--to-lsn: expected a whole number, not "1e3"'],
    [
      [...base, '--to-lsn', '1', '--to-time', '2024-05-01T12:00Z'],
      '--to-lsn and --to-time exclude each other',
    ],
    [[...base, '--force'], "Unknown option '--force'"],
    [['', '--data-dir', 'd'], 'an argument is empty'],
    [[...base, '--archive', ''], '--archive: expected a folder, not an empty argument'],
    [['b', '--data-dir', 'b/d'], '--data-dir: b/d is in b'],
    [['b', '--data-dir', 'a', '--archive', 'a'], '--data-dir: a is in a'],
  ] as const) {
    t.match(readRestoreLine(words), { wrong });
  }
  for (const time of ['yesterday', '2024-05-01', '2024-05-01T12:00:00', '2024-13-01T12:00Z', '1714564800']) {
    t.match(readRestoreLine([...base, '--to-time', time]), {
      wrong: `--to-time: expected a time such as 2024-05-01T12:00:00Z, not ${JSON.stringify(time)}`,
    });
  }
  t.end();
});

const main = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const quarry = (...words: string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, [main, ...words]);

t.test(
  'a store is restored from a backup and the archive to any point in time',
  { timeout: 120_000 },
  async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-restore-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const flags = ['--workers', '1', '--archive-log', `${dir}/archive`];
    const server = new ServerProcess({ dir: `${dir}/store`, flags });
    t.teardown(() => server.kill());
    const client = new JsonClient(await server.serving, server.keys().master);
    const insert = (id: string): Promise<unknown> =>
      client.succeed({ path: '/v1/insert', body: { [id]: { tag: id }, 'auto-create': ['column'] } });
    await insert('a');
    const data = ['--data-dir', `${dir}/store`];
    await t.rejects(quarry('backup', `${dir}/store/backup`, ...data), {
      stderr: /is in the data directory/,
      code: 1,
    });
    t.notOk(fs.existsSync(`${dir}/store/backup`));
    await t.rejects(quarry('restore', `${dir}/store`, '--data-dir', `${dir}/of-running`), {
      stderr: `quarry: a server runs on ${dir}/store: use quarry backup to copy its store\n`,
      code: 1,
    });
    t.match(
      (await quarry('backup', `${dir}/backup`, ...data)).stdout,
      /^backup at LSN \d+: 1 snapshot files/,
    );
    await t.rejects(quarry('backup', `${dir}/backup`, ...data), { stderr: /is not empty/, code: 1 });
    await insert('b');
    // Later records have another millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const between = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await insert('c');
    const keys = server.keys();
    client.close();
    await server.end();
    t.match((await quarry('backup', `${dir}/stopped`, ...data)).stdout, /^backup at LSN /);
    for (const backup of ['backup', 'stopped']) {
      t.match((await quarry('verify', `${dir}/${backup}`)).stdout, /sound\n$/);
    }
    const counts: number[] = [];
    const auditLog = `${dir}/audit.log`;
    fs.writeFileSync(`${dir}/quarry.toml`, `audit-log = ${JSON.stringify(auditLog)}\n`);
    const audited = ['--config', `${dir}/quarry.toml`];
    for (const [name, backup, ...more] of [
      ['alone', 'backup'],
      ['moment', 'backup', '--archive', `${dir}/archive`, '--to-time', between],
      ['all', 'backup', '--archive', `${dir}/archive`, ...audited],
      ['late', 'stopped'],
    ]) {
      const to = `${dir}/${name}`;
      t.match(
        (await quarry('restore', `${dir}/${backup}`, '--data-dir', to, ...more)).stdout,
        /^restored to LSN /,
      );
      const restored = new ServerProcess({ dir: to, flags: ['--workers', '1'] });
      t.teardown(() => restored.kill());
      const client = new JsonClient(await restored.serving, keys.master);
      const answer = await client.succeed({ path: '/v1/query/count/entity/total', body: {} });
      counts.push((answer as { result: { total: number } }).result.total);
      client.close();
      await restored.end();
    }
    t.strictSame(counts, [1, 2, 3, 3]);
    await t.rejects(quarry('restore', `${dir}/backup`, '--data-dir', `${dir}/all`), {
      stderr: /is not empty/,
      code: 1,
    });
    await t.rejects(
      quarry('restore', `${dir}/backup`, '--data-dir', `${dir}/typo`, '--archive', `${dir}/archiv`),
      { stderr: `quarry: ${dir}/archiv is not an archive: it does not exist\n`, code: 1 },
    );
    t.notOk(fs.existsSync(`${dir}/typo`));
    const late = [
      'restore',
      `${dir}/stopped`,
      '--data-dir',
      `${dir}/nothing-behind`,
      '--archive',
      `${dir}/archive`,
    ];
    t.match(
      (await quarry(...late, '--to-time', '2999-01-01T00:00Z')).stdout,
      /\n.* holds nothing later than the backup: .*\nthere are no later records, so .* and 2999-01-01T00:00:00.000Z\n$/,
    );
    const file = fs.readdirSync(`${dir}/backup/snapshot/d1-1`)[0];
    const bytes = fs.readFileSync(`${dir}/backup/snapshot/d1-1/${file}`);
    bytes[bytes.length >> 1] ^= 1;
    fs.writeFileSync(`${dir}/backup/snapshot/d1-1/${file}`, bytes);
    await t.rejects(quarry('restore', `${dir}/backup`, '--data-dir', `${dir}/damaged`, ...audited), {
      stderr: new RegExp(`${file}.*checksum`),
      code: 3,
    });
    t.notOk(fs.existsSync(`${dir}/damaged/manifest`));
    const auditLines = fs.readFileSync(auditLog, 'utf8').trimEnd().split('\n');
    const by = { who: 'command line', what: 'restore', backup: `${dir}/backup`, changes: [] };
    t.match(
      auditLines.map((line) => JSON.parse(line).audit),
      [
        { ...by, outcome: 'done', to: `${dir}/all`, lsn: Number },
        { ...by, outcome: 'failed', to: `${dir}/damaged` },
      ],
    );
  },
);
