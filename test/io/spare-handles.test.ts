import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { SpareHandles } from '../../src/io/spare-handles.js';

const SPARE = 3;

t.test(
  'a process at its limit of open files can open as many files as it reserved, also repeatedly',
  async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-handles-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true }));
    const file = path.join(dir, 'file');
    fs.writeFileSync(file, 'text');
    const handles = new SpareHandles(SPARE);
    const limit = 1_000;
    // Only the soft limit is lowered, because it is raised again later.
    const limited = spawnSync('prlimit', ['--pid', String(process.pid), `--nofile=${limit}:`]);
    if (limited.status !== 0) {
      t.comment('skipped: prlimit cannot be run here');
      return;
    }
    const crowd: number[] = [];
    try {
      while (crowd.length < limit) crowd.push(fs.openSync(os.devNull, 'r'));
    } catch (error) {
      t.match(error, { code: 'EMFILE' });
    }
    try {
      for (let round = 0; round < 3; round++) {
        const opened: number[] = [];
        for (let index = 0; index < SPARE; index++) opened.push(await handles.open(file, 'r', 0o644));
        await t.rejects(handles.open(file, 'r', 0o644), { code: 'EMFILE' });
        for (const fd of opened) await handles.close(fd);
      }
      const list = (): Promise<string[]> => fs.promises.readdir(dir);
      t.strictSame(await handles.whileOpen(list, () => fs.readdirSync(dir)), ['file']);
      await t.rejects(handles.open(path.join(dir, 'absent'), 'r', 0o644), { code: 'ENOENT' });
    } finally {
      for (const fd of crowd) fs.closeSync(fd);
    }
    t.equal(fs.readFileSync(await handles.open(file, 'r', 0o644), 'utf8'), 'text');
  },
);
