import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { ServerProcess } from '../../support/server-process.js';
import { diskFullRound } from './disk-full.js';
import { SmallDisk } from './small-disk.js';

const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(180_000);
t.comment(`seed ${seed}`);

t.test('on a full disk reads continue and writes get 9002; writes resume when space is free', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-disk-full-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const outcome = await diskFullRound({ dir, seed, ending: 'space returns' });
  if (typeof outcome === 'string') {
    t.pass(`not tried: ${outcome}`, { skip: outcome });
    return;
  }
  t.comment(JSON.stringify(outcome));
  t.strictSame(outcome.faults, []);
  t.ok(outcome.acknowledged > 0 && outcome.refused > 0, 'some writes were acknowledged, some refused');
  t.ok(outcome.readsWhileFull > 0);
});

t.test('a first start succeeds with space for one log file but not for the next one', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-small-disk-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  for (const mib of [6, 10, 14, 20]) {
    const disk = SmallDisk.mount(path.join(dir, 'disk'), mib * 2 ** 20);
    if (typeof disk === 'string') {
      t.pass(`not tried: ${disk}`, { skip: disk });
      return;
    }
    try {
      const server = new ServerProcess({ dir: path.join(disk.dir, 'store') });
      await server.serving.catch((error) => t.fail(`on ${mib} MiB: ${error.message}`));
      await server.kill();
    } finally {
      disk.unmount();
    }
  }
});
