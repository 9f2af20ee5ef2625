/** The output of `quarry status` for a running server, a stopped one, and a directory without a store. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { StoreStatus } from '../../../src/commands/status/store-status.js';
import { formatSeconds, statusText } from '../../../src/commands/status/text.js';
import { makeDir } from '../../engine/store.js';
import { JsonClient } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';

t.test(
  'status shows a running server and its content down to the columns, and a stopped one from its files',
  async (t) => {
    const dir = makeDir(t);
    const flags = ['--workers', '2', '--shards', '3', '--pg-port', '0'];
    const server = new ServerProcess({ dir, flags });
    t.teardown(() => server.kill());
    const ports = await server.serving;
    const client = new JsonClient(ports, server.keys().master);
    t.teardown(() => client.close());
    const post = async (path: string, body: unknown): Promise<void> => {
      t.match(await client.request({ method: 'POST', path, body }), { status: 200 });
    };
    await post('/v1/column', [
      { name: 'city', type: 'string', storage: 'latest-value', cardinality: 'low' },
      { name: 'visits', type: 'integer-event' },
    ]);
    await post('/v1/insert', {
      a: {
        city: 'rome',
        visits: [
          { value: 1, date: '2024-01-01' },
          { value: 2, date: '2024-01-02' },
        ],
      },
      b: { city: 'oslo' },
    });
    const shown = await runCommand(['status', '--data-dir', dir]);
    t.equal(shown.code, 0, shown.output);
    t.match(shown.stdout, new RegExp(`^quarry \\d+\\.\\d+\\.\\d+, pid ${server.pid}, up for \\d+ s\\n`));
    for (const line of [
      `https://127.0.0.1:${ports.httpsPort} http://127.0.0.1:${ports.httpPort} postgres://127.0.0.1:`,
      'LSN         3 appended, 3 durable (fsync), 3 applied',
      'workers     2, 3 shards',
      'database quarry (production): ',
      'dimension default: 2 entities, ',
    ]) {
      t.ok(shown.stdout.includes(line), line);
    }
    t.match(shown.stdout, /\n {4}visits +integer-event +2 events +\d/);
    const json = await runCommand(['status', '--data-dir', dir, '--json']);
    const status = JSON.parse(json.stdout) as StoreStatus;
    t.match(status, { ready: true, pid: server.pid, durability: 'fsync', archiveDir: null, dataDir: dir });
    const [database] = status.databases ?? [];
    const sum = Object.values(status.stats.memory).reduce((all, bytes) => all + bytes, 0);
    t.equal(sum, status.stats.memoryUsedBytes);
    t.equal(
      database.bytes,
      sum - status.stats.memory['idempotency-keys'] - status.stats.memory['writes-under-way'],
    );
    t.match(database.dimensions, [{ name: 'default', entityCount: 2 }]);
    t.equal(
      database.dimensions[0].columns.reduce((all, { bytes }) => all + bytes, 0),
      database.bytes,
      'the columns account for all bytes',
    );
    const counted = await runCommand(['sql', '--data-dir', dir, 'SELECT COUNT(*) AS n FROM [default]']);
    t.match(
      counted,
      { code: 0, stdout: 'n\r\n2\r\n' },
      'a client command finds the server by its data directory',
    );
    const metrics = await fetch(`http://127.0.0.1:${ports.httpPort}/metrics`).then((answer) => answer.text());
    t.match(metrics, new RegExp(`quarry_memory_bytes{kind="values"} ${status.stats.memory.values}\\n`));

    t.equal(await server.end(), 0);
    const stopped = await runCommand(['status', '--data-dir', dir]);
    t.equal(stopped.code, 1);
    t.match(stopped.stdout, new RegExp(`^No server runs on ${dir}\\.\\n`));
    t.match(stopped.stdout, /quarry +default +2 +2 /);
    t.match(JSON.parse((await runCommand(['status', '--data-dir', dir, '--json'])).stdout), {
      running: false,
      store: { checkpointLsn: Number, lastLsn: Number },
    });
    const bytes = fs.readFileSync(path.join(dir, 'manifest'));
    bytes[20] ^= 1;
    fs.writeFileSync(path.join(dir, 'manifest'), bytes);
    t.match(await runCommand(['status', '--data-dir', dir]), {
      code: 3,
      stdout: '',
      output: /manifest is corrupt/,
    });
  },
);

t.test('a killed server, no server and no store have different messages', async (t) => {
  const dir = makeDir(t);
  t.match(await runCommand(['status', '--data-dir', dir]), {
    code: 1,
    stdout: `${dir} holds no store; quarry serve creates one at its first start.\n`,
  });
  fs.writeFileSync(path.join(dir, 'quarry.pid'), '1\n');
  t.match(await runCommand(['status', '--data-dir', dir]), {
    code: 1,
    stdout: /starting or stopping .* or was killed/,
  });
  t.match(await runCommand(['status', '--data-dir', path.join(dir, 'absent')]), {
    code: 1,
    output: /does not exist/,
  });
  t.match(await runCommand(['status', 'now']), { code: 2, output: /status takes no arguments/ });
});

t.test('names are printed safely for a terminal, and a rebuild is reported', (t) => {
  const stats = {
    ...{ lsnAppended: 1, lsnDurable: 1, lsnApplied: 1, lsnCheckpoint: 0, checkpointAgeSeconds: 7_500 },
    ...{ logBytesSinceCheckpoint: 0, memoryUsedBytes: 5, memoryLimitBytes: 100, memory: { values: 5 } },
    ...{ workerCount: 1, workersDown: 1, workerRestartCount: 2, shardCount: 1, retentionSuspended: 1 },
    ...{ archivedFileCount: 3, archiveWaitingCount: 1, archiveFailureCount: 0 },
    ...{ cacheBytes: 0, cacheHitCount: 0, cacheMissCount: 0 },
  };
  const status = {
    ...{ release: '1', pid: 1, dataDir: '/d', httpsAddress: 'https://h:1', httpAddress: 'http://h:2' },
    ...{ durability: 'fsync', archiveDir: '/a\x1b', uptimeSeconds: 1, processBytes: 1, ready: true, stats },
    databases: [
      {
        name: 'x\x1b[2J',
        type: 'test',
        bytes: 5,
        dimensions: [
          {
            ...{ name: 'y\u202e', entityCount: 1, bytes: 5, memory: { values: 5 } },
            columns: [{ name: 'z\n', type: 'integer', eventCount: null, bytes: 5 }],
          },
        ],
      },
    ],
  } as unknown as StoreStatus;
  const text = statusText(status);
  for (const unsafe of ['\x1b', '\u202e']) t.notOk(text.includes(unsafe));
  t.match(text, /database x\\u\{1b\}\[2J \(test\)/);
  t.match(text, /workers +1, 1 being rebuilt, 2 restarts, 1 shards\n/);
  t.match(text, /at LSN 0, 2 h 5 min ago/);
  t.match(text, /state +ready, retention suspended\n/);
  t.match(statusText({ ...status, databases: null }), /A worker is being rebuilt/);
  t.end();
});

t.test('times are shown in their two greatest units', (t) => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min 0 s'],
    [3_600, '1 h 0 s'],
    [90_061, '1 d 1 h'],
    [-5, '0 s'],
  ] as const) {
    t.equal(formatSeconds(seconds), text);
  }
  t.end();
});
