import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { createRegisterColumn, runHistory } from './histories.js';

const HISTORIES = 7;
const OPERATIONS = 1_000;
const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(180_000);
t.comment(`seed ${seed}`);

t.test('the reads and writes of 8 clients are linearizable', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-histories-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const server = new ServerProcess({ dir, flags: ['--workers', '2', '--shards', '5'] });
  t.teardown(() => server.kill());
  const client = new JsonClient(await server.serving, server.keys().master);
  t.teardown(() => client.close());
  await createRegisterColumn(client);
  let [reads, writes] = [0, 0];
  for (let history = 0; history < HISTORIES; history++) {
    const { operations, fault } = await runHistory(client, history, seed + history, OPERATIONS);
    if (fault !== null) t.fail(`history ${history} of seed ${seed}: ${fault}`);
    reads += operations.filter(({ kind }) => kind === 'read').length;
    writes += operations.filter(({ kind }) => kind === 'write').length;
  }
  t.equal(reads + writes, HISTORIES * OPERATIONS);
  t.ok(reads > writes && writes > HISTORIES * OPERATIONS * 0.3, `${reads} reads, ${writes} writes`);
});
