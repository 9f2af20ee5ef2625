/** Options that reach the server's parts: each is seen from outside, over HTTP. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { JsonClient } from '../support/json-client.js';
import { runCommand, ServerProcess } from '../support/server-process.js';

function temporaryDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-serve-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

t.test(
  'the figures of a limits file are enforced, and the size of the table of Idempotency-Keys',
  async (t) => {
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
    const list = async (): Promise<number> => (await client.ask({ path: '/v1/dimension' })).status;
    t.strictSame([await list(), await list(), await list()], [200, 200, 429]);

    const insert = async (id: string, once: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${serving.httpPort}/v1/insert`, {
        method: 'POST',
        headers: { authorization: master, 'content-type': 'application/json', 'idempotency-key': once },
        body: JSON.stringify({ [id]: { size: 1 }, 'auto-create': ['column'] }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    t.equal(await insert('a', 'first'), 200);
    t.equal(await insert('a', 'first'), 200, 'the stored answer');
    t.equal(await insert('b', 'second'), 503, 'the table is full');
    t.equal(await server.end(), 0);
  },
);

t.test('a limits file that is wrong ends the start with exit code 2 and nothing made', async (t) => {
  const dir = temporaryDir(t);
  const limits = path.join(dir, 'limits.toml');
  fs.writeFileSync(limits, 'entities-per-minute = "many"\n');
  const store = path.join(dir, 'store');
  for (const flags of [[], ['--check-config']]) {
    t.match(await runCommand(['serve', '--data-dir', store, '--limits', limits, ...flags]), {
      code: 2,
      stdout: '',
      output: `quarry: --limits: ${limits}: entities-per-minute: a whole number from 0 to 1000000000000 is wanted\n`,
    });
  }
  t.notOk(fs.existsSync(store));
});
