/** The effects of options on the server, as seen over HTTP. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { ensureCertificate } from '../../../src/http/index.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import { JsonClient } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';

function temporaryDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-serve-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

t.test('the limits of a limits file and the size of the deduplication table are enforced', async (t) => {
  const dir = temporaryDir(t);
  const limits = path.join(dir, 'limits.toml');
  fs.writeFileSync(limits, 'entities-per-minute = 3\n[requests-per-minute]\n"GET /v1/dimension" = 2\n');
  const flags = ['--workers', '1', '--limits', limits, '--idempotency-entries', '1'];
  const server = new ServerProcess({ dir: path.join(dir, 'store'), flags });
  t.teardown(() => server.kill());
  const serving = await server.serving;
  const { master } = server.keys();
  const client = new JsonClient(serving, master);
  t.teardown(() => client.close());
  const list = async (): Promise<number> => (await client.request({ path: '/v1/dimension' })).status;
  t.strictSame([await list(), await list(), await list()], [200, 200, 429]);

  const insert = async (id: string, idempotencyKey: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${serving.httpPort}/v1/insert`, {
      method: 'POST',
      headers: {
        authorization: master,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ [id]: { size: 1 }, 'auto-create': ['column'] }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  t.equal(await insert('a', 'first'), 200);
  t.equal(await insert('a', 'first'), 200, 'the stored answer');
  t.equal(await insert('b', 'second'), 503, 'the table is full');
  t.equal(await server.end(), 0);
});

t.test('the start-up messages name the console and the keys, and at the end both addresses', async (t) => {
  const dir = path.join(temporaryDir(t), 'store');
  const linesOf = async (): Promise<{ readonly lines: readonly string[]; readonly https: string }> => {
    const server = new ServerProcess({ dir, flags: ['--workers', '1', '--log-level', 'error'] });
    t.teardown(() => server.kill());
    const { httpsPort, httpPort } = await server.serving;
    t.equal(await server.end(), 0);
    const https = `https://127.0.0.1:${httpsPort}`;
    const lines = server.output.trimEnd().split('\n');
    t.equal(lines.at(-1), `quarry serves ${https} and http://127.0.0.1:${httpPort}`);
    return { lines: lines.slice(0, -1), https };
  };
  const first = await linesOf();
  t.strictSame(first.lines, [
    `quarry console: ${first.https}/console`,
    `quarry keys: ${path.join(dir, 'keys.json')}`,
  ]);
  fs.rmSync(path.join(dir, 'keys.json'));
  const later = await linesOf();
  t.strictSame(later.lines, [`quarry console: ${later.https}/console`], 'the operator has removed the keys');
});

t.test('a wrong limits file ends the start with exit code 2, and nothing is created', async (t) => {
  const dir = temporaryDir(t);
  const limits = path.join(dir, 'limits.toml');
  fs.writeFileSync(limits, 'entities-per-minute = "many"\n');
  const store = path.join(dir, 'store');
  for (const flags of [[], ['--check-config']]) {
    t.match(await runCommand(['serve', '--data-dir', store, '--limits', limits, ...flags]), {
      code: 2,
      stdout: '',
      output: `quarry: --limits: ${limits}: entities-per-minute: expected a whole number from 0 to 1000000000000\n`,
    });
  }
  t.notOk(fs.existsSync(store));
});

t.test(
  'an archive in the data directory or an incomplete store ends the start and is left unchanged',
  async (t) => {
    const dir = temporaryDir(t);
    const serve = (...flags: string[]) => runCommand(['serve', '--data-dir', dir, ...flags]);
    for (const archive of ['', 'log', 'snapshot/a']) {
      t.match(
        await serve('--archive-log', path.join(dir, archive), ...(archive === '' ? ['--check-config'] : [])),
        {
          code: 2,
          output: /^quarry: --archive-log: .* is a folder that the data directory uses itself\n$/,
        },
      );
    }
    t.match(await serve('--archive-log', `${dir}/archive`, '--check-config'), { code: 0 });
    t.strictSame(fs.readdirSync(dir), []);
    const file = path.join(dir, 'snapshot/d1-1/entities.arrow');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, 'rows');
    t.match(await serve(), {
      code: 3,
      output: `quarry: ${dir}/manifest is corrupt at byte 0: the file is missing, but ${dir}/snapshot contains snapshot files, as after an unfinished restore\n`,
    });
    t.equal(fs.readFileSync(file, 'utf8'), 'rows');
  },
);

/** The certificate that a new connection gets. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

t.test(
  'after SIGHUP new connections get a new certificate, and a bad certificate changes nothing',
  async (t) => {
    const dir = temporaryDir(t);
    const files = new NodeFileSystem();
    const pairs = [1, 2].map((name) => ensureCertificate(files, path.join(dir, `${name}`), Date.now()));
    const [first, second] = await Promise.all(pairs);
    const [cert, key] = [path.join(dir, 'cert.pem'), path.join(dir, 'key.pem')];
    const use = (pair: { certFile: string; keyFile: string }): void => {
      fs.copyFileSync(pair.certFile, cert);
      fs.copyFileSync(pair.keyFile, key);
    };
    for (const [cert, key, wrong] of [
      [
        first.certFile,
        second.keyFile,
        `--key: ${second.keyFile} does not belong to the certificate ${first.certFile}`,
      ],
      [first.keyFile, first.keyFile, `--cert: ${first.keyFile} holds no PEM certificate: `],
      [first.certFile, first.certFile, `--key: ${first.certFile} holds no PEM private key, `],
    ]) {
      const ended = await runCommand(['serve', '--check-config', '--cert', cert, '--key', key]);
      t.match(ended, { code: 2, stdout: '' });
      t.ok(ended.output.startsWith(`quarry: ${wrong}`), ended.output);
    }
    use(first);
    const pair = ['--cert', cert, '--key', key];
    t.match(await runCommand(['serve', '--check-config', ...pair]), { code: 0 });
    const flags = ['--workers', '1', ...pair, '--log-level', 'info'];
    const server = new ServerProcess({ dir: path.join(dir, 'store'), flags });
    t.teardown(() => server.kill());
    const serving = await server.serving;
    const client = new JsonClient(serving, server.keys().master);
    t.teardown(() => client.close());
    const isAnswered = async (): Promise<boolean> =>
      (await client.request({ path: '/v1/dimension' })).status === 200;
    t.ok(await isAnswered());
    const before = await presented(serving.httpsPort);

    use(second);
    server.signal('SIGHUP');
    await server.wrote('the certificate was reloaded');
    const after = await presented(serving.httpsPort);
    t.not(after, before);
    t.ok(await isAnswered(), 'an open connection remains usable');

    fs.writeFileSync(cert, 'no certificate');
    server.signal('SIGHUP');
    await server.wrote('the old certificate remains in use');
    t.equal(await presented(serving.httpsPort), after);
    t.ok(await isAnswered());
    t.equal(await server.end(), 0);
  },
);
