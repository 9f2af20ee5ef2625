/**
 * Lines of a file that syslog-ng of Debian sends while the server is killed: each record is inserted once, or is once in the
 * quarantine. To run again: node dist/test/crash/client/syslog-ng.test.js --lines 1000000 --kills 50 --seed 1
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { values: value } = parseArgs({
  options: {
    lines: { type: 'string', default: '8000' },
    kills: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [LINES, KILLS, SEED] = [Number(value.lines), Number(value.kills), Number(value.seed)];
t.comment(`seed ${SEED}`);
t.setTimeout(120_000 + KILLS * 30_000 + LINES);

/** Where .ci/run unpacks Debian's packages, which cannot be installed beside rsyslog. */
const ROOT = '/opt/syslog-ng/usr';
const SYSLOG_NG = `${ROOT}/sbin/syslog-ng`;
const LIBRARIES = `${ROOT}/lib/syslog-ng`;
const BAD_EVERY = 100;
const isMissing = !fs.existsSync(SYSLOG_NG);

const lineOf = (at: number): string => `${at % BAD_EVERY === 0 ? 'x' : ''}${at}`;

function configOf(dir: string, port: number, key: string): string {
  const query = 'id=user&event=visit:at&dedupe=seq&on-error=quarantine';
  return `@version: 3.38
options { use-uniqid(yes); time-reopen(1); stats-freq(0); };
source s_file { file("${dir}/lines" flags(no-parse) follow-freq(1)); };
destination d_quarry {
  http(url("http://127.0.0.1:${port}/v1/insert/lines?${query}")
    headers("Authorization: ${key}", "Content-Type: application/x-ndjson")
    body("$(format-json user=\${UNIQID} at=\${MESSAGE} seq=\${UNIQID})") delimiter("\\n")
    batch-lines(500) batch-timeout(100) timeout(10) retries(1000)
    response-action(429 => disconnect, 503 => disconnect));
};
log { source(s_file); destination(d_quarry); flags(flow-control); };
`;
}

t.test(
  'syslog-ng sends each line of a file once, over kills of the server',
  { skip: isMissing && `${SYSLOG_NG} is missing: see .ci/run` },
  async (t) => {
    const dir = temporaryDir(t);
    const random = new Prng(SEED);
    let store = await SqlStore.open(dir);
    t.teardown(() => store.server.kill());
    await store.client.succeed({ path: '/v1/column', body: [{ name: 'visit', type: 'integer-event' }] });
    const { httpPort } = store;
    const own = temporaryDir(t);
    fs.writeFileSync(
      path.join(own, 'lines'),
      Array.from({ length: LINES }, (_, at) => `${lineOf(at)}\n`).join(''),
    );
    fs.writeFileSync(path.join(own, 'conf'), configOf(own, httpPort, store.server.keys().write));
    const files = ['-f', 'conf', '-R', 'persist', '-p', 'pid', '-c', 'ctl'].map((part, at) =>
      at % 2 === 0 ? part : path.join(own, part),
    );
    const modules = `--module-path=${LIBRARIES}/3.38`;
    const shipper = spawn(SYSLOG_NG, ['-F', '--no-caps', modules, ...files], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { LD_LIBRARY_PATH: LIBRARIES },
    });
    let said = '';
    shipper.stderr.on('data', (text) => {
      said += String(text);
    });
    const ended = new Promise((resolve) => shipper.on('close', resolve));
    const countOf = async (): Promise<number> => {
      const [{ visits }] = await store.rows<{ visits: number }>('SELECT COUNT(*) AS visits FROM visit');
      const lines = await store
        .rows<{ lines: number }>('SELECT COUNT(*) AS [lines] FROM [default-quarantine]')
        .catch(() => [{ lines: 0 }]);
      return visits + lines[0].lines;
    };
    try {
      while ((await countOf()) === 0 && shipper.exitCode === null) await pause(20);
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(random.between(1, 400));
        await store.server.kill();
        store = await SqlStore.open(dir, { httpPort });
      }
      while ((await countOf()) < LINES && shipper.exitCode === null) await pause(200);
      t.equal(shipper.exitCode, null, said);
      // What is sent again would arrive within the time of a batch.
      await pause(1_000);
      const visits = await store.rows<{ visit: number }>('SELECT value AS visit FROM visit ORDER BY 1');
      const good = Array.from({ length: LINES }, (_, at) => at).filter((at) => at % BAD_EVERY !== 0);
      t.strictSame(
        visits.map(({ visit }) => visit),
        good,
        'each good line once',
      );
      const rows = await store.rows<{ line: string[] }>('SELECT line FROM [default-quarantine]');
      t.strictSame(
        rows.map(({ line }) => (JSON.parse(line.join('')) as { at: string }).at).sort(),
        Array.from({ length: LINES / BAD_EVERY }, (_, at) => lineOf(at * BAD_EVERY)).sort(),
        'each other line once in the quarantine',
      );
    } finally {
      shipper.kill('SIGKILL');
      await ended;
    }
  },
);
