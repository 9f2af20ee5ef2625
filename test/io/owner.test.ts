import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { isForeignFile } from '../../src/io/index.js';

t.test('a file is foreign when it belongs to another user', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-owner-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  const own = path.join(dir, 'own');
  fs.writeFileSync(own, '');
  t.equal(await isForeignFile(own), false);
  if (process.getuid?.() === 0) {
    fs.chownSync(own, 1, 1);
    t.equal(await isForeignFile(own), true);
  } else if (process.getuid !== undefined) t.equal(await isForeignFile('/'), true);
  await t.rejects(isForeignFile(path.join(dir, 'absent')), { code: 'ENOENT' });
});
