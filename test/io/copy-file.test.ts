import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { copyFile } from '../../src/io/index.js';
import { faultyDisk } from '../support/faulty-disk.js';

const seed = 3;
t.comment(`seed ${seed}`);
const prng = new Prng(seed);
const content = Uint8Array.from({ length: 2_500_000 }, () => prng.below(256));

t.test('a copy has the same bytes, or the first `bytes` of them, and is synced', async (t) => {
  for (const bytes of [undefined, 0, 1, 2 ** 20, 2_400_001, 2_500_000, 9_000_000]) {
    const disk = faultyDisk();
    disk.put('/a/from', content);
    const seen: Uint8Array[] = [];
    const see = (part: Uint8Array): void => void seen.push(part.slice());
    const copied = await copyFile({ fs: disk, from: '/a/from', to: '/b/to', bytes, see });
    const wanted = content.subarray(0, bytes);
    t.equal(copied, wanted.length);
    await disk.syncDir('/b');
    t.equal(Buffer.compare(disk.afterCrash().bytesOf('/b/to'), wanted), 0);
    t.equal(Buffer.compare(Buffer.concat(seen), wanted), 0);
  }
});

t.test('an error thrown by check aborts the copy', async (t) => {
  const disk = faultyDisk();
  disk.put('/a/from', content);
  let left = 2;
  const check = (): void => {
    if (left-- === 0) throw new Error('enough');
  };
  await t.rejects(copyFile({ fs: disk, from: '/a/from', to: '/b/to', check }), { message: 'enough' });
  t.ok(disk.bytesOf('/b/to').length < content.length);
});
